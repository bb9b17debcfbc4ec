"""The seam between the one client and the wire formats.

A wire format gives three pure things: a request as fields, a decoder of stream events, and a reader of whole
answers. The last two speak the same small set of events, which :class:`ReplyBuilder` folds into a
``ModelReply``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from webbrain.core.bounded_json import loads
from webbrain.core.ids import new_id
from webbrain.core.messages import Message, ModelReply, ModelRequest, ToolCall, Usage
from webbrain.providers.config import Endpoint
from webbrain.providers.fragments import encode
from webbrain.providers.reasoning import Effort
from webbrain.providers.sse import SseEvent

_OTHER_LIMIT: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
LIMIT_FIELDS: Final = frozenset(_OTHER_LIMIT)
"""Both names of the output limit."""
_NEWER_OPENAI = re.compile(r"(?:gpt-5|gpt-4\.1|o1|o3|o4)")

PARTS_MAX: Final = 10_000
"""Of one answer."""
MONEY_MAX: Final = 1e6
"""Dollars that no call costs."""
Finish = Literal["stop", "tool_calls", "length", "content_filter", "other"]


class StreamBroken(Exception):
    """The bytes are not what the format promises: malformed, cut short, or too large. Nothing of it may be
    used."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of what the model thought; never shown as the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolDelta:
    """A piece of a tool call. ``key`` says which call of this answer; empty fields say nothing new."""

    key: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class UsageSeen:
    """Token counts so far; of each field the last value that was reported counts."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelNamed:
    """The model that answers, as the server calls it."""

    model: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Something the wire needs back verbatim with this turn; merged by key."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """Why the model stopped. More events (usage) may follow."""

    reason: Finish


@dataclass(frozen=True, slots=True)
class Terminal:
    """The format's own last event: the answer is complete."""


WireEvent = TextDelta | ReasoningDelta | ToolDelta | UsageSeen | ModelNamed | Replay | Finished | Terminal


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request, ready for the host."""

    url: str
    headers: dict[str, str]
    fields: Mapping[str, Any]
    """The body, before it is written as JSON."""

    @property
    def body(self) -> bytes:
        """The body as it is sent, written from nothing."""
        return encode(self.fields)


@dataclass(slots=True)
class Learned:
    """What a server taught us about its own limits; lives as long as the configuration does."""

    omit: set[str] = field(default_factory=set)
    """Optional fields this model refused."""
    limit_field: str = ""
    """The name it wants for the output limit, if not the usual one."""
    demanded: dict[str, Any] = field(default_factory=dict)
    """Fields it said must have a certain value."""
    blind: bool = False
    """True once it refused a picture and answered the same request without it."""
    on_change: Callable[[], None] | None = field(default=None, repr=False, compare=False)
    """Called when something was learned."""

    def refuse(self, param: str) -> bool:
        """Leave a refused field out, or call it by its other name; false if that was tried already."""
        other = _OTHER_LIMIT.get(param)
        if other and not self.limit_field:
            self.limit_field = other
        elif param in self.omit:
            return False
        else:
            self.omit.add(param)
        self._changed()
        return True

    def obey(self, demanded: Mapping[str, Any]) -> bool:
        """Give fields the values they must have; false if they have them already."""
        fresh = {name: value for name, value in demanded.items() if name not in self.demanded}
        self.demanded |= fresh
        if fresh:
            self._changed()
        return bool(fresh)

    def close_eyes(self) -> None:
        """Send no pictures any more."""
        if not self.blind:
            self.blind = True
            self._changed()

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()


class StreamDecoder(Protocol):
    """One stream's state."""

    def feed(self, event: SseEvent) -> Iterable[WireEvent]:
        """Raise ``StreamBroken`` for a malformed frame, ``ProviderFailed`` for an error the provider
        reports."""
        ...

    def end(self) -> Iterable[WireEvent]:
        """The body ended without the last event. Return what completes the answer, if the format leaves no
        doubt that nothing is missing."""
        ...


class Wire(Protocol):
    """One wire format."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """Put a call into the fields of a request."""
        ...

    def decoder(self, endpoint: Endpoint) -> StreamDecoder:
        """Start reading a stream."""
        ...

    def whole(self, endpoint: Endpoint, body: dict[str, Any]) -> Iterable[WireEvent]:
        """Read a whole answer. Raises like ``StreamDecoder.feed``."""
        ...


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ReplyBuilder:
    """Folds wire events into a reply; holds everything back until the terminal event."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.calls: dict[int, _Call] = {}
        self.usage = Usage()
        self.model = ""
        self.replay: dict[str, Any] = {}
        self.finish: Finish | None = None
        self.complete = False

    def add(self, event: WireEvent) -> None:
        """Take one event; everything after the terminal one is ignored."""
        if self.complete:
            return
        match event:
            case TextDelta(text):
                self.text.append(text)
            case ReasoningDelta(text):
                self.reasoning.append(text)
            case ToolDelta(key, call_id, name, arguments):
                call = self.calls.setdefault(key, _Call())
                call.id = call.id or call_id
                call.name = call.name or name
                call.arguments.append(arguments)
            case UsageSeen(usage):
                self.usage = self.usage.model_copy(update=usage.model_dump(exclude_none=True))
            case ModelNamed(model):
                self.model = self.model or model
            case Replay(data):
                self.replay.update(data)
            case Finished(reason):
                self.finish = reason
            case Terminal():
                self.complete = True

    def reply(self) -> ModelReply:
        """The finished answer; ``StreamBroken`` if it is not finished or names a call without a name."""
        if not self.complete:
            raise StreamBroken("the answer ended before its last event")
        calls: list[ToolCall] = []
        seen: set[str] = set()
        for key in sorted(self.calls):
            call = self.calls[key]
            if not call.name:
                raise StreamBroken("a tool call without a name")
            call_id = call.id if call.id and call.id not in seen else new_id("call")
            seen.add(call_id)
            calls.append(
                ToolCall(id=call_id, name=call.name, arguments="".join(call.arguments).strip() or "{}")
            )
        finish = self.finish or "stop"
        if finish in ("stop", "other") and calls:
            finish = "tool_calls"
        return ModelReply(
            text="".join(self.text),
            reasoning="".join(self.reasoning),
            tool_calls=calls,
            usage=self.usage,
            finish=finish,
            model=self.model,
            replay=self.replay or None,
        )


def frame(data: str) -> dict[str, Any]:
    """The JSON object of a stream event, or ``StreamBroken``."""
    try:
        value = loads(data)
    except (ValueError, RecursionError) as error:
        raise StreamBroken("a frame that is not JSON") from error
    if not isinstance(value, dict):
        raise StreamBroken("a frame that is not an object")
    return value


def obj(value: Any) -> dict[str, Any]:
    """``value`` as an object; absent is empty; anything else breaks the stream."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise StreamBroken("a field of the wrong type")
    return value


def items(value: Any) -> list[Any]:
    """``value`` as a list; absent is empty; anything else breaks the stream."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise StreamBroken("a field of the wrong type")
    return value


def string(value: Any) -> str:
    """``value`` as text; absent is empty; anything else breaks the stream."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise StreamBroken("a field of the wrong type")
    return value


def count(value: Any) -> int | None:
    """``value`` as a number of tokens, or ``None``: bad counts are no reason to lose an answer."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        return None
    return int(value)


def money(value: Any) -> float | None:
    """``value`` as US dollars of one call, or ``None``: what cannot be a price would use up every allowance,
    or none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < MONEY_MAX:
        return None
    return float(value)


def newer_openai(model: str) -> bool:
    """True for OpenAI's models that count their hidden thinking in the limit, under its newer name, and have
    no temperature to set."""
    return bool(_NEWER_OPENAI.match(model.lower()))


def data_url(url: str) -> tuple[str, str]:
    """Split a base64 data URL into media type and data; ``("", "")`` for anything else."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return "", ""
    return head[5:-7].split(";")[0], data


def place(data: Mapping[str, Any], name: str) -> int:
    """The number of the part of an answer that a stream event is about, or ``StreamBroken``."""
    number = data.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < PARTS_MAX:
        raise StreamBroken("a part of an answer without a number")
    return number


def model_named(data: Mapping[str, Any]) -> Iterator[WireEvent]:
    """The model that answers, if the service says so."""
    if isinstance(data.get("model"), str) and data["model"]:
        yield ModelNamed(data["model"])


def usage_beside(raw: Mapping[str, Any], fresh: str, answer: str, read: str, written: str) -> UsageSeen:
    """Token counts where those read from a cache and written to it are reported beside the input; our total
    counts them in. The last four are the names of the fields."""
    new, cached, stored = count(raw.get(fresh)), count(raw.get(read)), count(raw.get(written))
    return UsageSeen(
        Usage(
            prompt_tokens=None if new is None else new + (cached or 0) + (stored or 0),
            completion_tokens=count(raw.get(answer)),
            cached_tokens=cached,
            cache_write_tokens=stored,
        )
    )


def kept(wire: str, endpoint: Endpoint, **data: Any) -> Replay:
    """What a wire puts aside with a turn, with whom it belongs to."""
    return Replay({**_maker(wire, endpoint), **data})


def replayed(turn: Message, wire: str, endpoint: Endpoint) -> dict[str, Any]:
    """What this wire put aside with a turn, if the same model of the same service at the same address made
    it: signatures and encrypted thoughts are refused by any other, and are none of its business."""
    replay = turn.replay or {}
    mine = all(replay.get(key) == value for key, value in _maker(wire, endpoint).items())
    return replay if mine else {}


def _maker(wire: str, endpoint: Endpoint) -> dict[str, str]:
    return {
        "wire": wire,
        "provider": endpoint.entry.id,
        "baseUrl": endpoint.base_url,
        "model": endpoint.info.model,
    }


def effort_for(request: ModelRequest, endpoint: Endpoint) -> Effort:
    """How much the model is to think: a request may want none."""
    return "off" if request.thinking == "off" else endpoint.effort


def alternating(
    turns: Iterable[Message], blocks: Callable[[Message], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Turns as messages of blocks whose roles alternate: the results of one turn and what the user says after
    them share one."""
    out: list[dict[str, Any]] = []
    for turn in turns:
        role = "assistant" if turn.role == "assistant" else "user"
        if out and out[-1]["role"] == role:
            out[-1]["content"] += blocks(turn)
        else:
            out.append({"role": role, "content": blocks(turn)})
    return out
