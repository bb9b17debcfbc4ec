"""Tool calls that a model wrote as text, and thoughts it wrote into its answer.

Small and local models know many private ways to call a tool. They are read only when tools were offered and
no native call came, only for tools that were offered, and only in short texts.
"""

import json
import re
from collections.abc import Collection
from typing import Any, Final

from webbrain.core.ids import new_id
from webbrain.core.messages import ToolCall
from webbrain.providers.loose_json import leading_object, parse

TEXT_CALL_CHARS: Final = 10_000

_NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input")

_THINK = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Some templates put the opening tag into the prompt, so only the closing one comes back.
_THINK_END = re.compile(r"\A(.*?)</(think|thinking)>[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.IGNORECASE)

# What may follow each of these is a call as JSON: <tool_call>, <|tool_call|>, [TOOL_CALLS], <|python_tag|>,
# ...
_JSON_OPENER = re.compile(
    r"<\|?(?:tool_calls?|function_calls?|tools|invoke|start_function_call)\|?>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<[|\uff5c]tool\u2581calls?\u2581begin[|\uff5c]>",
    re.IGNORECASE,
)
_JSON_CLOSER = re.compile(
    r"\s*(?:</?\|?/?(?:tool_calls?|function_calls?|tools|invoke|end_function_call)\|?>"
    r"|<\|(?:eom_id|eot_id|im_end|end)\|>|</s>)",
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
    r"</?\|?/?(?:tool_calls?|function_calls?|start_function_call|end_function_call)\|?>"
    r"|<[|\uff5c]tool\u2581calls?\u2581(?:begin|end)[|\uff5c]>|<\|tool_calls?_(?:section_)?(?:begin|end)\|>"
    r"|<\|(?:call|end|start|channel|constrain|python_tag|eom_id|eot_id|im_end)\|>",
    re.IGNORECASE,
)
# Where a call may begin, perhaps cut off by the end of what has come so far.
_MARKUP: Final = (
    "<tool",
    "<function",
    "<invoke",
    "<|",
    "<\uff5c",
    "[TOOL_CALLS]",
    "<start_function_call",
    "call:",
)
_JSON_BEGINS = re.compile(
    r"(?:\A|\n)[ \t]*(?:\{|\[\s*(?:\{|\Z)|``?\Z|```[a-zA-Z_]*[ \t]*\r?\n?\s*(?:[{\[]|\Z))|\A\s*\Z"
)


def split_thoughts(text: str) -> tuple[str, str]:
    """Split an answer into ``(visible, thoughts)``; only a block at the very beginning is a thought."""
    if match := _THINK.match(text):
        return text[match.end() :].lstrip(), match[2].strip()
    if "</think" in text.lower() and (match := _THINK_END.match(text)):
        return text[match.end() :].lstrip(), match[1].strip()
    return text, ""


def extract(text: str, allowed: Collection[str]) -> tuple[list[ToolCall], str]:
    """Return the calls hidden in ``text`` and what is left of it to show.

    Without a call of an allowed tool the text comes back unchanged.
    """
    if not allowed or len(text) > TEXT_CALL_CHARS:
        return [], text
    finder = _Finder(text, frozenset(allowed))
    calls = finder.find()
    return (calls, finder.rest()) if calls else ([], text)


class VisibleText:
    """Filters streamed text: thoughts and anything that may be a tool call in disguise are held back.

    Held text is not lost: the finished reply has it, if it turned out to be ordinary.
    """

    def __init__(self, *, tools: bool) -> None:
        self._tools = tools
        self._text = ""
        self._shown = 0

    def feed(self, piece: str) -> str:
        """Return what may be shown now."""
        self._text += piece
        visible = self._thoughtless()
        if visible is None:
            return ""
        end = len(visible)
        if self._tools:
            end = _suspicious_from(visible)
        new = visible[self._shown : end]
        self._shown = max(self._shown, end)
        return new

    def _thoughtless(self) -> str | None:
        """The text without a thought at its beginning; ``None`` while that may still be coming."""
        start = self._text.lstrip()
        if not start:
            return None
        if start[0] != "<":
            return self._text
        for tag in ("<thinking>", "<thought>", "<think>", "<reasoning>"):
            if tag.startswith(start.lower()):
                return None
            if start.lower().startswith(tag):
                if f"</{tag[1:]}" not in start.lower():
                    return None
                return split_thoughts(self._text)[0]
        return self._text


def _suspicious_from(text: str) -> int:
    """Where something that may become a call begins; the length of the text if nowhere."""
    found = [index for opener in _MARKUP if (index := text.find(opener)) >= 0]
    if match := _JSON_BEGINS.search(text):
        found.append(match.start())
    for opener in _MARKUP:
        for size in range(len(opener) - 1, 0, -1):
            if text.endswith(opener[:size]):
                found.append(len(text) - size)
                break
    return min(found, default=len(text))


class _Finder:
    """Looks for calls form by form and remembers which parts of the text they took."""

    def __init__(self, text: str, allowed: frozenset[str]) -> None:
        self.text = text
        self.allowed = allowed
        self.calls: list[tuple[int, ToolCall]] = []
        self.taken: list[tuple[int, int]] = []

    def find(self) -> list[ToolCall]:
        self._function_tags()
        self._named_before_json(_KIMI)
        self._named_before_json(_HARMONY)
        self._deepseek()
        self._json_after_openers()
        if not self.calls:
            self._named_before_json(_CALL_COLON)
        if not self.calls:
            self._whole_or_fenced()
        return [call for _, call in sorted(self.calls, key=lambda pair: pair[0])]

    def rest(self) -> str:
        """The text without the calls and their markup."""
        pieces, position = [], 0
        for start, end in sorted(self.taken):
            if start >= position:
                pieces.append(self.text[position:start])
            position = max(position, end)
        pieces.append(self.text[position:])
        return _WRAPPERS.sub("", "".join(pieces)).strip()

    def _add(self, start: int, end: int, name: Any, arguments: Any) -> bool:
        if isinstance(name, str):
            name = name.strip().removeprefix("functions.")
        if not isinstance(name, str) or name not in self.allowed or self._overlaps(start, end):
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
