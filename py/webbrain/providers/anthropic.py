"""The Anthropic Messages wire format."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

from webbrain.core.messages import Message, ModelRequest
from webbrain.providers import errors, thoughts
from webbrain.providers.config import Endpoint
from webbrain.providers.extra_body import merged
from webbrain.providers.history import DOCUMENT_LEFT_OUT, PICTURE_LEFT_OUT, normalise
from webbrain.providers.reasoning import anthropic_fields
from webbrain.providers.sse import SseEvent
from webbrain.providers.wire import (
    Finish,
    Finished,
    Learned,
    ReasoningDelta,
    StreamBroken,
    StreamDecoder,
    Terminal,
    TextDelta,
    ToolDelta,
    WireEvent,
    WireRequest,
    alternating,
    count,
    data_url,
    effort_for,
    frame,
    items,
    kept,
    model_named,
    obj,
    place,
    replayed,
    string,
    usage_beside,
)

WIRE: Final = "anthropic"
VERSION: Final = "2023-06-01"
TITLE_CHARS: Final = 200
_CACHE: Final = {"type": "ephemeral"}
_MODEL = re.compile(r"claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2})(?!\d))?")

_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class Anthropic:
    """Messages to request, stream or body to events. Holds nothing."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """Build ``POST {base}/v1/messages`` with cache marks on tools, system text and the newest turn."""
        model = endpoint.info.model
        conversation = normalise(
            request.messages,
            pictures=endpoint.info.supports_vision,
            documents=endpoint.info.supports_documents,
            plain_ids=True,
        )
        body: dict[str, Any] = {"model": model, "max_tokens": request.max_tokens}
        if tools := _tools(request, conversation.turns):
            tools[-1]["cache_control"] = _CACHE
            body["tools"] = tools
            choice = request.tool_choice if request.tools else "none"
            body["tool_choice"] = {"type": "any" if choice == "required" else choice}
        thinking = anthropic_fields(effort_for(request, endpoint), adaptive=_thinks_adaptively(model))
        wanted = "thinking" not in learned.omit and _may_think(conversation.turns, endpoint)
        if thinking and wanted:
            body |= thinking
            # Thoughts count in the limit, and a forced call leaves no room for them.
            body["max_tokens"] += thinking["thinking"].get("budget_tokens", 0)
            if body.get("tool_choice") == {"type": "any"}:
                body["tool_choice"] = {"type": "auto"}
        if conversation.system:
            body["system"] = [{"type": "text", "text": conversation.system, "cache_control": _CACHE}]
        body["messages"] = alternating(conversation.turns, partial(_blocks, endpoint))
        # Each step repeats the conversation and adds to it: marking its end makes the next step read it
        # cheaply.
        body["messages"][-1]["content"][-1]["cache_control"] = _CACHE
        if request.temperature is not None and takes_temperature(model) and "thinking" not in body:
            body["temperature"] = request.temperature
        body["stream"] = stream
        body = merged(body, endpoint.extra_body)
        for field in learned.omit:
            body.pop(field, None)
        return WireRequest(endpoint.url("/messages"), headers(endpoint), body)

    def decoder(self, endpoint: Endpoint) -> StreamDecoder:
        """Read Messages stream events up to ``message_stop``."""
        return _Decoder(endpoint)

    def whole(self, endpoint: Endpoint, body: dict[str, Any]) -> Iterable[WireEvent]:
        """Read a ``message`` object."""
        if body.get("type") == "error" or body.get("error"):
            raise errors.stated_failure(endpoint, body.get("error") or body)
        if not isinstance(body.get("content"), list):
            raise StreamBroken("an answer without content")
        yield from model_named(body)
        yield from _usage(body.get("usage"))
        blocks = [obj(raw) for raw in items(body.get("content"))]
        for key, block in enumerate(blocks):
            kind = block.get("type")
            if kind == "text":
                yield TextDelta(string(block.get("text")))
            elif kind == "thinking":
                yield ReasoningDelta(string(block.get("thinking")))
            elif kind == "tool_use":
                arguments = json.dumps(obj(block.get("input")), ensure_ascii=False)
                yield ToolDelta(key, string(block.get("id")), string(block.get("name")), arguments)
        yield from _replay(endpoint, blocks)
        yield from _finish(endpoint, body.get("stop_reason"))
        yield Terminal()


class _Decoder:
    """Follows the content blocks of one stream."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._blocks: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, list[str]] = {}
        self._open: set[int] = set()
        self._counts: dict[str, int] = {}

    def feed(self, event: SseEvent) -> Iterator[WireEvent]:
        """Turn one frame into events; kinds this version does not know are skipped, as the format asks."""
        data = frame(event.data)
        kind = string(data.get("type"))
        if kind == "error" or event.event == "error":
            raise errors.stated_failure(self._endpoint, data.get("error") or data)
        if kind == "message_start":
            message = obj(data.get("message"))
            yield from model_named(message)
            yield from self._usage(message.get("usage"))
        elif kind == "content_block_start":
            yield from self._start(place(data, "index"), obj(data.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._delta(place(data, "index"), obj(data.get("delta")))
        elif kind == "content_block_stop":
            self._open.discard(place(data, "index"))
        elif kind == "message_delta":
            yield from self._usage(data.get("usage"))
            yield from _finish(self._endpoint, obj(data.get("delta")).get("stop_reason"))
        elif kind == "message_stop":
            if self._open:
                raise StreamBroken("the message ends inside a tool call")
            for index, texts in self._texts.items():
                self._blocks[index]["text"] = "".join(texts)
            yield from _replay(self._endpoint, [self._blocks[index] for index in sorted(self._blocks)])
            yield Terminal()

    def end(self) -> Iterable[WireEvent]:
        """Nothing: ``message_stop`` is always sent."""
        return ()

    def _usage(self, raw: Any) -> Iterator[WireEvent]:
        """Counts are repeated in later events, sometimes as zero: the largest one is right."""
        if isinstance(raw, dict):
            for name, value in raw.items():
                number = count(value)
                if number is not None:
                    self._counts[name] = max(number, self._counts.get(name, 0))
            yield from _usage(self._counts)

    def _start(self, index: int, block: dict[str, Any]) -> Iterator[WireEvent]:
        if index in self._blocks:
            raise StreamBroken("a content block begins twice")
        self._blocks[index] = dict(block)
        kind = block.get("type")
        if kind == "text" and (text := string(block.get("text"))):
            self._texts[index] = [text]
            yield TextDelta(text)
        elif kind == "tool_use":
            self._open.add(index)
            first = obj(block.get("input"))
            arguments = json.dumps(first, ensure_ascii=False) if first else ""
            yield ToolDelta(index, string(block.get("id")), string(block.get("name")), arguments)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[WireEvent]:
        block = self._blocks.get(index)
        if block is None:
            raise StreamBroken("a piece of a content block that never began")
        kind = delta.get("type")
        if kind == "text_delta":
            self._texts.setdefault(index, []).append(string(delta.get("text")))
            yield TextDelta(self._texts[index][-1])
        elif kind == "input_json_delta":
            if block.get("type") == "tool_use":
                yield ToolDelta(index, arguments=string(delta.get("partial_json")))
        elif kind == "thinking_delta":
            text = string(delta.get("thinking"))
            block["thinking"] = string(block.get("thinking")) + text
            yield ReasoningDelta(text)
        elif kind == "signature_delta":
            block["signature"] = string(block.get("signature")) + string(delta.get("signature"))


def headers(endpoint: Endpoint) -> dict[str, str]:
    """Request headers, the key included."""
    return {
        **endpoint.headers(),
        "anthropic-version": VERSION,
        "anthropic-dangerous-direct-browser-access": "true",
    }


def takes_temperature(model: str) -> bool:
    """False for Opus from 4.7 and every family from 5: they refuse the field."""
    family, version = _version(model)
    return version < (5, 0) and not (family == "opus" and version >= (4, 7))


def _thinks_adaptively(model: str) -> bool:
    """True for models that measure their thinking themselves, from 4.6."""
    return _version(model)[1] >= (4, 6)


def _may_think(turns: list[Message], endpoint: Endpoint) -> bool:
    """False while calls are under way that were made without thinking, or by another model: the service
    wants the thoughts of such turns back."""
    for turn in reversed(turns):
        if turn.role == "user":
            return True
        if turn.role == "assistant" and not thoughts.signed(replayed(turn, WIRE, endpoint)):
            return False
    return True


def _version(model: str) -> tuple[str, tuple[int, int]]:
    match = _MODEL.search(model.lower())
    return (match[1], (int(match[2]), int(match[3] or 0))) if match else ("", (0, 0))


def _tools(request: ModelRequest, turns: list[Message]) -> list[dict[str, Any]]:
    """The tools on offer; if there are none, the names the conversation has calls of: without any tools a
    conversation with calls in it is refused."""
    if request.tools:
        return [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
    names = dict.fromkeys(call.name for turn in turns for call in turn.tool_calls)
    return [{"name": name, "input_schema": {"type": "object"}} for name in names]


def _blocks(endpoint: Endpoint, turn: Message) -> list[dict[str, Any]]:
    if turn.role == "tool":
        return [{"type": "tool_result", "tool_use_id": turn.tool_call_id, "content": turn.content}]
    blocks: list[dict[str, Any]] = []
    if turn.role == "assistant":
        kept_back = replayed(turn, WIRE, endpoint)
        if (as_it_came := thoughts.in_order(kept_back, turn)) is not None:
            return as_it_came
        blocks += thoughts.signed(kept_back)
    for image in turn.images:
        media, data = data_url(image.data_url)
        if media:
            source = {"type": "base64", "media_type": media, "data": data}
            blocks.append({"type": "image", "source": source})
        else:
            blocks.append({"type": "text", "text": PICTURE_LEFT_OUT})
    for document in turn.documents:
        media, data = data_url(document.data_url)
        if media == "application/pdf":
            source = {"type": "base64", "media_type": media, "data": data}
            title = {"title": document.name[:TITLE_CHARS]} if document.name.strip() else {}
            blocks.append({"type": "document", "source": source, **title})
        else:
            blocks.append({"type": "text", "text": DOCUMENT_LEFT_OUT})
    if turn.content.strip():
        # Trailing white space of an assistant text is refused by the service.
        text = turn.content.rstrip() if turn.role == "assistant" else turn.content
        blocks.append({"type": "text", "text": text})
    blocks += [thoughts.call_block(call) for call in turn.tool_calls]
    return blocks


def _usage(raw: Any) -> Iterator[WireEvent]:
    if isinstance(raw, dict):
        names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        yield usage_beside(raw, *names)


def _replay(endpoint: Endpoint, blocks: list[dict[str, Any]]) -> Iterator[WireEvent]:
    if data := thoughts.kept_of(blocks):
        yield kept(WIRE, endpoint, **data)


def _finish(endpoint: Endpoint, reason: Any) -> Iterator[WireEvent]:
    text = string(reason)
    if not text:
        return
    if text == "refusal":
        raise errors.content_filtered(endpoint)
    yield Finished(_FINISH.get(text, "other"))
