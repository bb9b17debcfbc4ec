"""The Chat Completions wire format, as OpenAI documents it and as compatible servers bend it."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from webbrain.core.messages import ImagePart, Message, ModelRequest, Usage
from webbrain.providers import errors
from webbrain.providers.config import Endpoint
from webbrain.providers.history import normalise
from webbrain.providers.schemas import for_gemini
from webbrain.providers.sse import SseEvent
from webbrain.providers.wire import (
    Finish,
    Finished,
    Learned,
    ModelNamed,
    ReasoningDelta,
    Replay,
    StreamBroken,
    StreamDecoder,
    Terminal,
    TextDelta,
    ToolDelta,
    UsageSeen,
    WireEvent,
    WireRequest,
    count,
    encode,
    frame,
    items,
    obj,
    string,
)

WIRE: Final = "openai_chat"
ACKNOWLEDGED: Final = "Understood."

_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}
# These models count their hidden thinking in the limit, under its newer name, and have no temperature to set.
_NEWER_OPENAI = re.compile(r"(?:gpt-5|gpt-4\.1|o1|o3|o4)")


class OpenAIChat:
    """Messages to request, stream or body to events. Holds nothing."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """Build ``POST {base}/chat/completions``."""
        entry = endpoint.entry
        conversation = normalise(request.messages, pictures=endpoint.info.supports_vision)
        body: dict[str, Any] = {}
        if endpoint.info.model:
            body["model"] = endpoint.info.model
        turns = [{"role": "system", "content": conversation.system}] if conversation.system else []
        previous = ""
        for turn in conversation.turns:
            if previous == "tool" and turn.role == "user" and _wants_answer_first(endpoint):
                turns.append({"role": "assistant", "content": ACKNOWLEDGED})
            turns.append(_turn(turn, endpoint))
            previous = turn.role
        body["messages"] = turns
        body["stream"] = stream
        if stream and entry.usage_in_stream:
            body["stream_options"] = {"include_usage": True}
        if request.temperature is not None and _has_temperature(endpoint):
            body["temperature"] = request.temperature
        body[learned.limit_field or _limit_field(endpoint)] = request.max_tokens
        if request.tools and request.tool_choice != "none":
            body["tools"] = [_tool(tool, endpoint) for tool in request.tools]
            body["tool_choice"] = request.tool_choice
            if stream and entry.tool_stream:
                body["tool_stream"] = True
        if request.response_schema is not None and entry.structured == "response_format":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": request.response_schema},
            }
        for field in learned.omit:
            body.pop(field, None)
        return WireRequest(endpoint.url("/chat/completions"), endpoint.headers(), encode(body))

    def decoder(self, endpoint: Endpoint) -> StreamDecoder:
        """Read ``chat.completion.chunk`` events up to ``[DONE]``."""
        return _Decoder(endpoint)

    def whole(self, endpoint: Endpoint, body: dict[str, Any]) -> Iterable[WireEvent]:
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
        yield from _common(body)
        yield from _texts(message)
        extras: dict[str, Any] = {}
        for key, raw in enumerate(items(message.get("tool_calls"))):
            call = obj(raw)
            delta = _call_delta(key, call)
            if call.get("extra_content") and delta.id:
                extras[delta.id] = call["extra_content"]
            yield delta
        yield from _replay(endpoint, message.get("reasoning_content"), extras)
        yield from _finish(endpoint, choice.get("finish_reason"))
        yield Terminal()


class _Decoder:
    """Merges tool call fragments whatever a server does with their index."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._keys: dict[int, int] = {}
        self._ids: dict[int, str] = {}
        self._reasoning: list[str] = []
        self._extras: dict[str, Any] = {}

    def feed(self, event: SseEvent) -> Iterator[WireEvent]:
        """Turn one frame into events."""
        if event.data.strip() == "[DONE]":
            yield from _replay(self._endpoint, "".join(self._reasoning), self._extras)
            yield Terminal()
            return
        data = frame(event.data)
        if data.get("error") or event.event == "error":
            raise errors.stated_failure(self._endpoint, data.get("error") or data)
        yield from _common(data)
        # Azure-like proxies send frames without choices (filters, usage): nothing in them is the answer.
        for raw in items(data.get("choices"))[:1]:
            choice = obj(raw)
            if choice.get("error"):
                raise errors.stated_failure(self._endpoint, choice["error"])
            delta = obj(choice.get("delta"))
            self._reasoning.append(string(delta.get("reasoning_content")))
            yield from _texts(delta)
            for fragment in items(delta.get("tool_calls")):
                yield self._fragment(obj(fragment))
            yield from _finish(self._endpoint, choice.get("finish_reason"))

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
        if fragment.get("extra_content") and call_id:
            self._extras[call_id] = fragment["extra_content"]
        return _call_delta(key, fragment)


def _has_temperature(endpoint: Endpoint) -> bool:
    if endpoint.entry.temperature == "omit":
        return False
    return endpoint.info.local or not _NEWER_OPENAI.match(endpoint.info.model)


def _limit_field(endpoint: Endpoint) -> str:
    if endpoint.entry.limit_field != "auto":
        return endpoint.entry.limit_field
    newer = not endpoint.info.local and _NEWER_OPENAI.match(endpoint.info.model)
    return "max_completion_tokens" if newer else "max_tokens"


def _turn(turn: Message, endpoint: Endpoint) -> dict[str, Any]:
    if turn.role == "tool":
        return {
            "role": "tool",
            "tool_call_id": _call_id(turn.tool_call_id or "", endpoint),
            "content": turn.content,
        }
    if turn.role == "assistant":
        return _assistant(turn, endpoint)
    if not turn.images:
        return {"role": "user", "content": turn.content}
    parts: list[dict[str, Any]] = [{"type": "text", "text": turn.content}] if turn.content else []
    parts += [_picture(image) for image in turn.images]
    return {"role": "user", "content": parts}


def _picture(image: ImagePart) -> dict[str, Any]:
    source = {"url": image.data_url}
    if image.detail != "auto":
        # Not every server knows the field, so it is sent only if the user chose one.
        source["detail"] = image.detail
    return {"type": "image_url", "image_url": source}


def _wants_answer_first(endpoint: Endpoint) -> bool:
    """Whether the user may not speak right after tool results: some services, and chat templates of local
    models that insist on turns."""
    return endpoint.info.local or not endpoint.entry.user_after_tool


def _assistant(turn: Message, endpoint: Endpoint) -> dict[str, Any]:
    # The cloud's own form is null beside tool calls; chat templates of local models want a text.
    nothing = "" if endpoint.info.local else None
    out: dict[str, Any] = {"role": "assistant", "content": turn.content or nothing}
    replay = turn.replay or {}
    if not (replay.get("wire") == WIRE and replay.get("model") == endpoint.info.model):
        replay = {}
    if endpoint.reasoning_replay and replay.get("reasoning_content") and turn.tool_calls:
        out["reasoning_content"] = replay["reasoning_content"]
    extras = replay.get("extra_content") if endpoint.entry.extra_content_replay else None
    if turn.tool_calls:
        calls = []
        for call in turn.tool_calls:
            function = {"name": call.name, "arguments": call.arguments}
            item: dict[str, Any] = {
                "id": _call_id(call.id, endpoint),
                "type": "function",
                "function": function,
            }
            if isinstance(extras, dict) and call.id in extras:
                item["extra_content"] = extras[call.id]
            calls.append(item)
        out["tool_calls"] = calls
    return out


def _call_id(call_id: str, endpoint: Endpoint) -> str:
    if not endpoint.entry.short_call_ids or re.fullmatch(r"[a-zA-Z0-9]{9}", call_id):
        return call_id
    return hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:9]


def _tool(tool: Any, endpoint: Endpoint) -> dict[str, Any]:
    parameters = tool.parameters
    if endpoint.entry.schema_dialect == "gemini":
        parameters = for_gemini(parameters)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _common(data: dict[str, Any]) -> Iterator[WireEvent]:
    if isinstance(data.get("model"), str) and data["model"]:
        yield ModelNamed(data["model"])
    usage = data.get("usage")
    if isinstance(usage, dict):
        details = usage.get("prompt_tokens_details")
        cached = (
            details.get("cached_tokens")
            if isinstance(details, dict)
            else usage.get("prompt_cache_hit_tokens")
        )
        cost = usage.get("cost", usage.get("cost_usd"))
        yield UsageSeen(
            Usage(
                prompt_tokens=count(usage.get("prompt_tokens")),
                completion_tokens=count(usage.get("completion_tokens")),
                cached_tokens=count(cached),
                cost_usd=float(cost)
                if isinstance(cost, int | float) and not isinstance(cost, bool)
                else None,
            )
        )


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


def _replay(endpoint: Endpoint, reasoning: Any, extras: dict[str, Any]) -> Iterator[WireEvent]:
    data: dict[str, Any] = {}
    if endpoint.reasoning_replay and isinstance(reasoning, str) and reasoning:
        data["reasoning_content"] = reasoning
    if endpoint.entry.extra_content_replay and extras:
        data["extra_content"] = extras
    if data:
        yield Replay({"wire": WIRE, "model": endpoint.info.model, **data})


def _finish(endpoint: Endpoint, reason: Any) -> Iterator[WireEvent]:
    text = string(reason)
    if not text:
        return
    if text == "content_filter":
        raise errors.content_filtered(endpoint)
    if text == "error":
        raise errors.stated_failure(endpoint, {"message": "finish reason: error"})
    yield Finished(_FINISH.get(text, "other"))
