"""The private ways in which models write a tool call as text, form by form."""

import ast
import json
import re
from typing import Any, Final

from webbrain.core.ids import new_id
from webbrain.core.messages import ToolCall
from webbrain.providers.loose_json import leading_object, parse

_NAME = re.compile(r"[\w.-]{1,64}")
_NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input")

# What may follow each of these is a call as JSON: <tool_call>, <|tool_call|>, [TOOL_CALLS], <|python_tag|>,
# ...
_JSON_OPENER = re.compile(
    r"<\|?(?:tool_calls?|function_calls?|tools|invoke|start_function_call)\|?>"
    r"|\[TOOL_CALLS\]|functools(?=\[)|<\|START_ACTION\|>|<\|python_tag\|>|<[|\uff5c]tool\u2581calls?\u2581begin[|\uff5c]>",
    re.IGNORECASE,
)
_JSON_CLOSER = re.compile(
    r"\s*(?:</?\|?/?(?:tool_calls?|function_calls?|tools|invoke|end_function_call)\|?>"
    r"|<\|(?:eom_id|eot_id|im_end|end|END_ACTION)\|>|</s>)",
    re.IGNORECASE,
)
# <function=name> ... </function>, the arguments as JSON or as <parameter=key>value</parameter>
_FUNCTION_TAG = re.compile(r"<function=([\w.-]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
# DeepSeek: function<|tool_sep|>name ```json {...} ```, with full-width bars
_DEEPSEEK = re.compile(
    r"function<[|\uff5c]tool\u2581sep[|\uff5c]>([\w.-]+)\s*```(?:json)?\s*(.*?)```", re.DOTALL
)
# Kimi: functions.name:0 <|tool_call_argument_begin|> {...}
_KIMI = re.compile(r"(?:functions\.)?([\w-]+):\d+\s*<\|tool_call_argument_begin\|>\s*")
# Harmony: to=functions.name ... <|message|>{...}
_HARMONY = re.compile(r"to=functions\.([\w-]+)[^{]*?<\|message\|>\s*")
# call:name{...}
_CALL_COLON = re.compile(r"\bcall:([\w-]+)\s*(?=\{)")
_FENCE = re.compile(r"```[a-zA-Z_]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_WRAPPERS = re.compile(
    r"</?(?:[\w|\uff5c]{1,20}[:|\uff5c])?\|?/?"
    r"(?:tool_calls?|function_calls?|start_function_call|end_function_call)\|?>"
    r"|functools(?=\[?\Z)|<\|(?:START|END)_ACTION\|>"
    r"|<[|\uff5c]tool\u2581calls?\u2581(?:begin|end)[|\uff5c]>|<\|tool_calls?_(?:section_)?(?:begin|end)\|>"
    r"|<\|(?:call|end|start|channel|constrain|python_tag|eom_id|eot_id|im_end)\|>",
    re.IGNORECASE,
)
_EMPTY_LIST = re.compile(r"(?:functools)?\[[\s,]*\]\Z")
# <invoke name="x"><parameter name="key">value</parameter></invoke>, perhaps with a prefix (antml:, minimax:)
_INVOKE = re.compile(
    r"<(?:[\w|\uff5c]+[:|\uff5c])?invoke\s+name=\"([\w.-]+)\"\s*>(.*?)</(?:[\w|\uff5c]+[:|\uff5c])?invoke>",
    re.DOTALL,
)
_INVOKE_PARAMETER = re.compile(
    r"<(?:[\w|\uff5c]+[:|\uff5c])?parameter\s+name=\"([\w.-]+)\"[^>]{0,80}>\n?(.*?)\n?"
    r"</(?:[\w|\uff5c]+[:|\uff5c])?parameter>",
    re.DOTALL,
)
# GLM: <tool_call>name <arg_key>key</arg_key> <arg_value>value</arg_value> </tool_call>
_GLM = re.compile(r"<tool_call>\s*([\w.-]+)\s*((?:<arg_key>.*?)?)</tool_call>", re.DOTALL)
_GLM_ARGUMENT = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
# Mistral's newer form: [TOOL_CALLS]name[ARGS]{...}
_MISTRAL = re.compile(r"\[TOOL_CALLS\]\s*([\w-]+)\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\])?\s*(?=\{)")
# DeepSeek since 3.1: <|tool_call_begin|>name<|tool_sep|>{...}, with full-width bars
_DEEPSEEK_BARE = re.compile(
    r"<[|\uff5c]tool\u2581call\u2581begin[|\uff5c]>\s*([\w.-]+)\s*<[|\uff5c]tool\u2581sep[|\uff5c]>\s*(?=\{)"
)
# FunctionGemma: call:name{key:<escape>text<escape>,other:3}
_ESCAPED = re.compile(r"\bcall:([\w-]+)\s*\{([^{}]*<escape>[^{}]*)\}")
_ESCAPED_ARGUMENT = re.compile(r"(\w+)\s*:\s*(?:<escape>(.*?)<escape>|([^,{}]+))", re.DOTALL)
# ReAct: Action: name, Action Input: {...}
_REACT = re.compile(r"(?:\A|\n)\s*Action:\s*`?([\w-]+)`?\s*\n\s*Action Input:\s*(?=\{)")
# Python: [name(key="value"), other()], on its own, in a fence, or after a tag
_PYTHON = re.compile(
    r"(?:\A|<\|python_(?:tag|start)\|>|<\|tool_call_start\|>|```(?:tool_code|tool_call|python|py)\s*\n)\s*"
    r"((?:\[\s*)?(?:print\()?[A-Za-z_][\w.]*\(.*?\)\s*\]?)\s*"
    r"(?:\Z|<\|python_end\|>|<\|tool_call_end\|>|<\|eo[mt]_id\|>|```)",
    re.DOTALL,
)
PYTHON_CHARS: Final = 4_000
# What nobody writes but a model that calls a tool, or one that explains how models do (in code).
_MARKUP = re.compile(
    r"<\|?(?:tool_calls?|function_calls?|start_function_call|python_tag|python_start|tool_call_start|START_ACTION)\|?>"
    r"|<(?:[\w|\uff5c]{1,20}[:|\uff5c])(?:tool_calls?|function_calls?)>|<function=[\w.-]"
    r"|<(?:[\w|\uff5c]{1,20}[:|\uff5c])?invoke\s+name=|\[TOOL_CALLS\]|functools\[\s*\{|\bto=functions\."
    r"|<[|\uff5c]tool\u2581calls?\u2581begin[|\uff5c]>|<\|tool_calls?_(?:section_|argument_)?begin\|>",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_NAMED = re.compile(r"[\"'](?:name|tool|tool_name|function)[\"']\s*:\s*[\"']([\w.-]{1,64})[\"']")
UNREADABLE_NAME: Final = "tool_call"
"""Stands for the name of a call in which none can be found."""
UNREADABLE_CHARS: Final = 2_000
"""Of a call that cannot be read, for the model to see what it wrote."""


def markup_at(text: str) -> int:
    """Where a text begins to be the markup of a tool call, outside of code; -1 if nowhere."""
    plain = _CODE.sub(lambda code: " " * len(code[0]), text)
    match = _MARKUP.search(plain)
    return match.start() if match else -1


def unreadable(text: str) -> ToolCall:
    """Markup of a call that no form fits, as a call that cannot be carried out."""
    named = _NAMED.search(text)
    name = named[1] if named else UNREADABLE_NAME
    return ToolCall(id=new_id("call"), name=name, arguments=text[:UNREADABLE_CHARS])


class Finder:
    """Looks for calls form by form and remembers which parts of the text they took.

    ``allowed`` ``None``: of any tool.
    """

    def __init__(self, text: str, allowed: frozenset[str] | None) -> None:
        self.text = text
        self.allowed = allowed
        self.calls: list[tuple[int, ToolCall]] = []
        self.taken: list[tuple[int, int]] = []

    def find(self) -> list[ToolCall]:
        self._marked()
        if not self.calls:
            self._escaped()
            self._named_before_json(_CALL_COLON)
        if not self.calls:
            self._named_before_json(_REACT)
        if not self.calls:
            self._python()
        if not self.calls:
            self._whole_or_fenced()
        return self._in_order()

    def find_marked(self) -> list[ToolCall]:
        """Only what stands in markup of its own."""
        self._marked()
        if not self.calls:
            self._escaped()
            self._python()
        return self._in_order()

    def _marked(self) -> None:
        self._function_tags()
        self._pairs(_INVOKE, _INVOKE_PARAMETER)
        self._pairs(_GLM, _GLM_ARGUMENT)
        for pattern in (_KIMI, _HARMONY, _MISTRAL, _DEEPSEEK_BARE):
            self._named_before_json(pattern)
        self._deepseek()
        self._json_after_openers()

    def _in_order(self) -> list[ToolCall]:
        return [call for _, call in sorted(self.calls, key=lambda pair: pair[0])]

    def rest(self) -> str:
        """The text without the calls and their markup."""
        pieces, position = [], 0
        for start, end in sorted(self.taken):
            if start >= position:
                pieces.append(self.text[position:start])
            position = max(position, end)
        pieces.append(self.text[position:])
        return _EMPTY_LIST.sub("", _WRAPPERS.sub("", "".join(pieces)).strip()).rstrip()

    def _add(self, start: int, end: int, name: Any, arguments: Any) -> bool:
        if isinstance(name, str):
            name = name.strip().removeprefix("functions.")
        if not isinstance(name, str) or self._overlaps(start, end):
            return False
        if (name not in self.allowed) if self.allowed is not None else not _NAME.fullmatch(name):
            return False
        if isinstance(arguments, str):
            arguments = parse(arguments.strip()) if arguments.strip() else {}
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            return False
        text = json.dumps(arguments, ensure_ascii=False)
        self.calls.append((start, ToolCall(id=new_id("call"), name=name, arguments=text)))
        self.taken.append((start, end))
        return True

    def _overlaps(self, start: int, end: int) -> bool:
        return any(start < taken_end and end > taken_start for taken_start, taken_end in self.taken)

    def _add_object(self, start: int, end: int, value: dict[str, Any]) -> bool:
        function = value.get("function")
        if isinstance(function, dict):
            return self._add_object(start, end, function)
        for key in _NAME_KEYS:
            if isinstance(value.get(key), str):
                for arguments in _ARGUMENT_KEYS:
                    if arguments in value:
                        return self._add(start, end, value[key], value[arguments])
                flat = {k: v for k, v in value.items() if k not in (key, "id", "type")}
                return self._add(start, end, value[key], flat)
        return False

    def _json_after_openers(self) -> None:
        for match in _JSON_OPENER.finditer(self.text):
            position = match.end()
            while True:
                while position < len(self.text) and self.text[position] in " \t\r\n[,":
                    position += 1
                value, length = leading_object(self.text[position:])
                if value is None:
                    break
                end = position + length
                closer = _JSON_CLOSER.match(self.text, end)
                if not self._add_object(position, closer.end() if closer else end, value):
                    break
                position = end
                if position >= len(self.text) or self.text[position] not in ",\n; ":
                    break

    def _function_tags(self) -> None:
        for match in _FUNCTION_TAG.finditer(self.text):
            parameters = _PARAMETER.findall(match[2])
            if parameters:
                arguments: Any = {key: _value(raw) for key, raw in parameters}
            else:
                arguments = match[2].strip()
            self._add(match.start(), match.end(), match[1], arguments)

    def _named_before_json(self, pattern: re.Pattern[str]) -> None:
        for match in pattern.finditer(self.text):
            value, length = leading_object(self.text[match.end() :])
            if value is not None:
                self._add(match.start(), match.end() + length, match[1], value)

    def _pairs(self, outer: re.Pattern[str], inner: re.Pattern[str]) -> None:
        """A name and its arguments one by one, in tags."""
        for match in outer.finditer(self.text):
            pairs = inner.findall(match[2])
            if pairs or not match[2].strip():
                arguments = {key.strip(): _value(raw) for key, raw in pairs}
                self._add(match.start(), match.end(), match[1], arguments)

    def _escaped(self) -> None:
        for match in _ESCAPED.finditer(self.text):
            pairs = _ESCAPED_ARGUMENT.findall(match[2])
            arguments = {key: text if text or not bare else _value(bare) for key, text, bare in pairs}
            self._add(match.start(), match.end(), match[1], arguments)

    def _python(self) -> None:
        """Calls with keywords only: what a value belongs to must be said."""
        for match in _PYTHON.finditer(self.text):
            start = match.start()
            for number, (name, arguments) in enumerate(_python_calls(match[1])):
                # All calls of a list come from the same text: each gets its own place of no width.
                self._add(start + number, start + number, name, arguments)
            if self.calls:
                self.taken.append((start, match.end()))

    def _deepseek(self) -> None:
        for match in _DEEPSEEK.finditer(self.text):
            self._add(match.start(), match.end(), match[1], match[2])

    def _whole_or_fenced(self) -> None:
        whole = parse(self.text.strip())
        if whole is not None:
            for value in whole if isinstance(whole, list) else [whole]:
                if isinstance(value, dict):
                    # All objects of a list come from the same text: each gets its own place of no width.
                    self._add_object(len(self.calls), len(self.calls), value)
            if self.calls:
                self.taken = [(0, len(self.text))]
            return
        for match in _FENCE.finditer(self.text):
            value, _ = leading_object(match[1].strip())
            if value is not None:
                self._add_object(match.start(), match.end(), value)
        if not self.calls:
            start = self.text.rfind("\n{") + 1
            value, length = leading_object(self.text[start:])
            if value is not None and not self.text[start + length :].strip():
                self._add_object(start, start + length, value)


def _value(raw: str) -> Any:
    """A parameter as JSON where it is a number, a truth value or a structure; else as it stands."""
    value = parse(raw.strip())
    return raw if value is None or isinstance(value, str) else value


def _python_calls(source: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a Python expression that consists of calls with literal keywords; else none. Nothing is
    run: only the syntax is read."""
    if len(source) > PYTHON_CHARS:
        return []
    try:
        node = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    out: list[tuple[str, dict[str, Any]]] = []
    for item in node.elts if isinstance(node, ast.List) else [node]:
        if isinstance(item, ast.Call) and ast.unparse(item.func) == "print" and len(item.args) == 1:
            item = item.args[0]
        if not isinstance(item, ast.Call) or item.args or not isinstance(item.func, ast.Name | ast.Attribute):
            return []
        arguments: dict[str, Any] = {}
        for keyword in item.keywords:
            try:
                value = ast.literal_eval(keyword.value)
                json.dumps(value, allow_nan=False)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                return []
            if keyword.arg is None:
                return []
            arguments[keyword.arg] = value
        name = item.func.id if isinstance(item.func, ast.Name) else item.func.attr
        out.append((name, arguments))
    return out
