"""The worst model there is: it looks for orders in whatever it reads and carries out every one.

An order is a line such as ``DO navigate url=https!c!s!sevil.example!s; NOW``. It is written so that it
survives titles, addresses, file names and JSON: values hold no blanks, quotes, brackets, colons or slashes
(see :func:`order`). A value may name what stands elsewhere: ``@Pay~now`` is the reference of the element
called so, ``$Account.b64$`` what was read behind "Account:", written as base64.

    model = ObedientModel(reading=[call("get_accessibility_tree"), call("read_page")])

It does what it was asked (``reading``), and in between whatever it is told, boundary or not. Where it stands
in for a model service, :meth:`ObedientModel.think` answers a model server's calls.
"""

import base64
import codecs
import html
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, unquote

from webbrain.core.messages import ModelReply, ModelRequest, ToolCall, Usage
from webbrain.providers.base import ModelInfo
from webbrain.testing.chat import Answer, Call, ModelCall, Reply
from webbrain.testing.planning import asks_for_plan, plan_text
from webbrain.testing.scripted import INFO

MOST_CALLS: Final = 40
"""Calls after which it gives up, however much it was told to do."""
SPELLED: Final[Mapping[str, str]] = {
    "!x": "!",
    "!c": ":",
    "!s": "/",
    "!q": "?",
    "!e": "=",
    "!a": "&",
    "!p": "%",
    "!h": "#",
    "!t": "@",
    "!m": ",",
    "!o": ";",
    "~": " ",
}
"""How characters are written that would not survive everywhere."""
NUMBERS: Final = frozenset(
    {"x", "y", "downloadId", "width", "height", "tabId", "matchIndex", "index", "dx", "dy", "repeat"}
)
LISTS: Final = frozenset({"urls", "options"})

_ORDER: Final = re.compile(r"\bDO ([a-z_]+)((?: [A-Za-z_.]+=[^;\s]*;)*) NOW\b")
_ARGUMENT: Final = re.compile(r" ([A-Za-z_.]+)=([^;\s]*);")
_NAMED: Final = re.compile(r"\$([A-Za-z]+)((?:\.[a-z0-9]+)*)\$")
_WRITTEN: Final = re.compile("|".join(re.escape(mark) for mark in SPELLED))

WAYS: Final[Mapping[str, Callable[[str], str]]] = {
    "b64": lambda text: base64.b64encode(text.encode()).decode(),
    "url64": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "b32": lambda text: base64.b32encode(text.encode()).decode().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "pct": lambda text: quote(text, safe=""),
    "all": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "plus": lambda text: text.replace(" ", "+"),
    "dash": lambda text: re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower(),
    "rev": lambda text: text[::-1],
    "up": str.upper,
    "rot": lambda text: codecs.encode(text, "rot13"),
    "codes": lambda text: "-".join(str(byte) for byte in text.encode()),
    "one": lambda text: text[: len(text) // 3],
    "two": lambda text: text[len(text) // 3 : 2 * len(text) // 3],
    "three": lambda text: text[2 * len(text) // 3 :],
}
"""Ways to write what was read."""


def order(tool: str, /, **arguments: Any) -> str:
    """The order to make this call; ``__`` in a name reaches into an object."""
    parts = [
        f" {key.replace('__', '.')}={spelled(','.join(value) if isinstance(value, list) else str(value))};"
        for key, value in arguments.items()
    ]
    return f"DO {tool}{''.join(parts)} NOW"


def spelled(text: str) -> str:
    """A value as orders write it; ``$...$`` and a leading ``@`` keep their meaning."""
    marks = {plain: mark for mark, plain in SPELLED.items()}
    pieces = re.split(r"(\$[A-Za-z]+(?:\.[a-z0-9]+)*\$|^@)", text)
    return "".join(
        piece if number % 2 else "".join(marks.get(letter, letter) for letter in piece)
        for number, piece in enumerate(pieces)
    )


@dataclass(frozen=True, slots=True)
class Order:
    """One order as it was found."""

    tool: str
    arguments: str

    def call(self, read: Sequence[str]) -> dict[str, Any] | None:
        """The arguments of the call, or ``None`` while something it names was not read yet."""
        found: dict[str, Any] = {}
        for key, raw in _ARGUMENT.findall(self.arguments):
            value = _value(raw, read)
            if value is None:
                return None
            _put(found, key, value)
        return found


def orders_in(text: str) -> Iterator[Order]:
    """Every order in a text, also where it stands percent-encoded, escaped or in base64."""
    seen: set[str] = set()
    for reading in _readings(text):
        for tool, arguments in _ORDER.findall(reading):
            if tool + arguments not in seen:
                seen.add(tool + arguments)
                yield Order(tool, arguments)


def _readings(text: str) -> Iterator[str]:
    yield text
    plain = text
    for _ in range(3):
        plain = html.unescape(unquote(plain.replace("+", " "))).replace("\\u0020", " ")
        yield plain
    for found in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        try:
            yield base64.b64decode(found + "=" * (-len(found) % 4)).decode()
        except ValueError:
            continue


def _value(raw: str, read: Sequence[str]) -> str | None:
    text = _WRITTEN.sub(lambda found: SPELLED[found[0]], raw)
    if raw.startswith("@"):
        return _reference(text[1:], read)
    missing = False

    def named(found: re.Match[str]) -> str:
        nonlocal missing
        value = _read_behind(found[1], read)
        missing = missing or value is None
        for way in found[2].split(".")[1:]:
            value = WAYS[way](value or "")
        return value or ""

    written = _NAMED.sub(named, text)
    return None if missing else written


def _reference(name: str, read: Sequence[str]) -> str | None:
    for text in reversed(read):
        found = re.findall(rf'\\?"{re.escape(name)}\\?"[^\n]*?\[(ref_\d+)\]', text)
        if found:
            return str(found[-1])
    return None


def _read_behind(label: str, read: Sequence[str]) -> str | None:
    for text in read:
        found = re.search(rf'\b{label}: ([^\n"\\<\[;]{{4,80}}?)(?:[;\n"\\<\[]|$)', text)
        if found:
            return found[1].strip()
    return None


def _put(found: dict[str, Any], key: str, value: str) -> None:
    *boxes, name = key.split(".")
    for box in boxes:
        found = found.setdefault(box, {})
    if name in NUMBERS:
        found[name] = int(value)
    elif name in LISTS:
        found[name] = value.split(",")
    else:
        found[name] = {"true": True, "false": False}.get(value, value)


@dataclass
class ObedientModel:
    """One conversation's model. ``reading`` is what its user's task needs, ``answer`` how it ends.

    A request for a plan gets one that goes ahead, with the changes of ``plan``, or ``plan`` itself if that is
    a text. ``obeyed`` lists the orders it carried out.
    """

    reading: Sequence[ToolCall] = ()
    answer: str = "I have looked at the page."
    info: ModelInfo = INFO
    plan: Mapping[str, Any] | str = field(default_factory=dict)
    words: str = ""
    """What it says beside its first call."""
    obeyed: list[Order] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    _made: int = 0
    _read: int = 0

    async def connect(self) -> "ObedientModel":
        """Itself, for whoever wants a fresh client per run."""
        return self

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """Obey, else go on with the task, else end it."""
        self.requests.append(request.model_copy(deep=True))
        texts = [message.content for message in request.messages if message.role != "system"]
        usage = Usage(prompt_tokens=10, completion_tokens=5)
        if asks_for_plan(message.content for message in request.messages):
            if isinstance(self.plan, str):
                return ModelReply(text=self.plan, usage=usage)
            return ModelReply(text=plan_text(request.response_schema, **self.plan), usage=usage)
        made = self.next(texts, {tool.name for tool in request.tools})
        said, self.words = self.words, ""
        return ModelReply(text=said, tool_calls=[made], usage=usage, finish="tool_calls")

    def think(self, call: ModelCall) -> Answer:
        """The same for a model server."""
        texts = [turn.text for turn in call.turns if turn.role != "system"]
        made = self.next(texts, set(call.tools))
        return Reply(calls=(Call(made.name, made.arguments),))

    def next(self, texts: Sequence[str], tools: set[str]) -> ToolCall:
        """The next call. An order for a tool that is not offered is tried all the same, once."""
        self._made += 1
        if self._made > MOST_CALLS:
            return self._end(tools)
        for text in texts:
            open_orders = [found for found in orders_in(text) if found not in self.obeyed]
            calls = [found.call(texts) for found in open_orders]
            if None in calls and self._read < len(self.reading):
                break  # what they speak of is perhaps read first
            for found, arguments in zip(open_orders, calls, strict=True):
                if arguments is not None:
                    self.obeyed.append(found)
                    return _call(found.tool, arguments)
        if self._read < len(self.reading):
            self._read += 1
            return self.reading[self._read - 1]
        return self._end(tools)

    def _end(self, tools: set[str]) -> ToolCall:
        return _call("done", {"summary": self.answer, "outcome": "partial"})


def _call(tool: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(id="", name=tool, arguments=json.dumps(arguments, ensure_ascii=False))
