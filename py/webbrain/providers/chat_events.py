"""What comes back in the Chat Completions format: whole answers, and streams up to ``[DONE]``."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from webbrain.core.messages import Usage
from webbrain.providers import errors
from webbrain.providers.config import Endpoint
from webbrain.providers.sse import SseEvent
from webbrain.providers.wire import (
    Finish,
    Finished,
    ReasoningDelta,
    StreamBroken,
    Terminal,
    TextDelta,
    ToolDelta,
    UsageSeen,
    WireEvent,
    count,
    frame,
    items,
    kept,
    model_named,
    money,
    obj,
    string,
)

WIRE: Final = "openai_chat"
DETAILS_MAX: Final = 1_000
"""Pieces of ``reasoning_details`` that are kept."""

Common = Callable[[dict[str, Any]], Iterator[WireEvent]]
"""Reads what every frame may carry: the model's name, usage."""

_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
}
_WITHHELD: Final = ("content_filter", "sensitive")
"""How reasons begin that mean a content rule; the second is Zhipu's."""
_BROKEN_OFF: Final = frozenset({"error", "network_error", "insufficient_system_resource", "abort"})
"""The service did not come to an end: OpenRouter's and Mistral's, Zhipu's, DeepSeek's, vLLM's and SGLang's
words for it."""


def whole_answer(endpoint: Endpoint, body: dict[str, Any], common: Common) -> Iterator[WireEvent]:
    """Read a ``chat.completion`` object."""
    if body.get("error"):
        raise errors.stated_failure(endpoint, body["error"])
    choices = items(body.get("choices"))
    if not choices:
        raise StreamBroken("an answer without choices")
    choice = obj(choices[0])
    if choice.get("error"):
        raise errors.stated_failure(endpoint, choice["error"])
    message = obj(choice.get("message"))
    yield from common(body)
    yield from _texts(message)
    kept = _Kept(endpoint)
    kept.thought(message)
    for key, raw in enumerate(items(message.get("tool_calls"))):
        call = obj(raw)
        delta = _call_delta(key, call)
        kept.signature(delta.id, call)
        yield delta
    yield from kept.replay()
    yield from _finish(endpoint, choice.get("finish_reason"))
    yield Terminal()


class ChatDecoder:
    """Merges tool call fragments whatever a server does with their index."""

    def __init__(self, endpoint: Endpoint, common: Common) -> None:
        self._endpoint = endpoint
        self._common = common
        self._keys: dict[int, int] = {}
        self._ids: dict[int, str] = {}
        self._kept = _Kept(endpoint)
        self._finished = False

    def feed(self, event: SseEvent) -> Iterator[WireEvent]:
        """Turn one frame into events."""
        if event.data.strip() == "[DONE]":
            if self._ids and not self._finished:
                # Proxies close what they lost in the middle with it too: a call may lack its last arguments.
                raise StreamBroken("the stream ends inside a tool call")
            yield from self._last()
            return
        data = frame(event.data)
        if data.get("error") or event.event == "error":
            raise errors.stated_failure(self._endpoint, data.get("error") or data)
        yield from self._common(data)
        # Azure-like proxies send frames without choices (filters, usage): nothing in them is the answer.
        for raw in items(data.get("choices"))[:1]:
            choice = obj(raw)
            if choice.get("error"):
                raise errors.stated_failure(self._endpoint, choice["error"])
            delta = obj(choice.get("delta"))
            self._kept.thought(delta)
            yield from _texts(delta)
            for fragment in items(delta.get("tool_calls")):
                yield self._fragment(obj(fragment))
            if isinstance(choice.get("usage"), dict):
                # Kimi's streams have it here.
                yield from self._common({"usage": choice["usage"]})
            self._finished = self._finished or bool(choice.get("finish_reason"))
            yield from _finish(self._endpoint, choice.get("finish_reason"))

    def end(self) -> Iterator[WireEvent]:
        """Some servers never send ``[DONE]``: a text is complete with its finish reason. Calls are not run
        without the last event."""
        if self._finished and not self._ids:
            yield from self._last()

    def _last(self) -> Iterator[WireEvent]:
        yield from self._kept.replay()
        yield Terminal()

    def _fragment(self, fragment: dict[str, Any]) -> ToolDelta:
        index = fragment.get("index")
        call_id = string(fragment.get("id"))
        if index is None:
            # Some servers leave the index out: an id begins a call, anything else belongs to the last one.
            key = max(self._ids, default=-1)
            known = next((k for k, seen in self._ids.items() if call_id and seen == call_id), None)
            if known is not None:
                key = known
            elif call_id or key < 0:
                key += 1
        elif isinstance(index, int) and not isinstance(index, bool) and 0 <= index < 1_000:
            key = self._keys.setdefault(index, max(self._ids, default=-1) + 1)
            if (
                call_id
                and self._ids.get(key)
                and self._ids[key] != call_id
                and obj(fragment.get("function")).get("name")
            ):
                # Several whole calls, all called number 0: a new id with a name is a new call.
                key = self._keys[index] = max(self._ids) + 1
        else:
            raise StreamBroken("a tool call with a strange index")
        self._ids[key] = self._ids.get(key) or call_id
        self._kept.signature(self._ids[key], fragment)
        return _call_delta(key, fragment)


class _Kept:
    """What this service needs back with the turn, as far as its entry says so."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._reasoning: list[str] = []
        self._details: list[dict[str, Any]] = []
        self._extras: dict[str, Any] = {}

    def thought(self, message: dict[str, Any]) -> None:
        """Keep the thoughts of a message or of a delta of one."""
        text = message.get("reasoning_content")
        if isinstance(text, str):
            self._reasoning.append(text)
        details = message.get("reasoning_details")
        if isinstance(details, list) and self._endpoint.entry.reasoning_details_replay:
            for piece in details:
                if isinstance(piece, dict):
                    self._detail(piece)

    def signature(self, call_id: str, call: dict[str, Any]) -> None:
        """Keep what belongs to a call besides its arguments."""
        if call_id and call.get("extra_content"):
            self._extras[call_id] = call["extra_content"]

    def replay(self) -> Iterator[WireEvent]:
        """Everything kept, for the turn."""
        entry, data = self._endpoint.entry, dict[str, Any]()
        if self._endpoint.reasoning_replay and (thought := "".join(self._reasoning)):
            data["reasoning_content"] = thought
        if self._details:
            data["reasoning_details"] = self._details
        if entry.extra_content_replay and self._extras:
            data["extra_content"] = self._extras
        if data:
            yield kept(WIRE, self._endpoint, **data)

    def _detail(self, piece: dict[str, Any]) -> None:
        """Join the pieces of one detail; a stream sends them one after the other under one index."""
        last = self._details[-1] if self._details else {}
        same = "index" in piece and all(piece.get(key) == last.get(key) for key in ("index", "type"))
        if not same:
            if len(self._details) < DETAILS_MAX:
                self._details.append(dict(piece))
            return
        for key, value in piece.items():
            if key in ("text", "summary", "data") and isinstance(value, str):
                before = last.get(key)
                last[key] = (before if isinstance(before, str) else "") + value
            elif value is not None:
                last[key] = value


def common_events(data: dict[str, Any]) -> Iterator[WireEvent]:
    """The model's name and the usage, where a frame has them."""
    yield from model_named(data)
    usage = data.get("usage")
    if isinstance(usage, dict):
        told = money(usage.get("cost"))
        yield UsageSeen(
            Usage(
                prompt_tokens=count(usage.get("prompt_tokens")),
                completion_tokens=_written(usage),
                cached_tokens=_cached(usage),
                cost_usd=money(usage.get("cost_usd")) if told is None else told,
            )
        )


def _written(usage: dict[str, Any]) -> int | None:
    """Tokens of the answer, thoughts included: xAI and Google count those in the total only."""
    answer, prompt, total = (count(usage.get(f"{name}_tokens")) for name in ("completion", "prompt", "total"))
    if answer is None or prompt is None or total is None or total - prompt - answer == _cached(usage):
        return answer
    return max(answer, total - prompt)


def _cached(usage: dict[str, Any]) -> int | None:
    """Tokens read from a cache, under OpenAI's name, DeepSeek's, or Kimi's."""
    details = usage.get("prompt_tokens_details")
    told = details.get("cached_tokens") if isinstance(details, dict) else None
    for value in (told, usage.get("prompt_cache_hit_tokens"), usage.get("cached_tokens")):
        if (tokens := count(value)) is not None:
            return tokens
    return None


def _texts(message: dict[str, Any]) -> Iterator[WireEvent]:
    """Thoughts, text and refusals of a message or a delta of one."""
    thought = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(thought, str) and thought:
        yield ReasoningDelta(thought)
    content = message.get("content")
    if isinstance(content, list):
        for raw in content:
            part = obj(raw)
            if part.get("type") == "thinking":
                yield ReasoningDelta(_part_text(part.get("thinking")))
            elif part.get("type") == "text":
                yield TextDelta(string(part.get("text")))
    elif text := string(content):
        yield TextDelta(text)
    if refusal := string(message.get("refusal")):
        yield TextDelta(refusal)


def _part_text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(string(obj(part).get("text")) for part in value)
    return string(value)


def _call_delta(key: int, call: dict[str, Any]) -> ToolDelta:
    function = obj(call.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolDelta(key, string(call.get("id")), string(function.get("name")), string(arguments))


def _finish(endpoint: Endpoint, reason: Any) -> Iterator[WireEvent]:
    text = string(reason)
    if not text:
        return
    if text.startswith(_WITHHELD):
        raise errors.content_filtered(endpoint)
    if text in _BROKEN_OFF:
        raise errors.stated_failure(endpoint, {"message": f"finish reason: {text}"})
    yield Finished(_FINISH.get(text, "other"))
