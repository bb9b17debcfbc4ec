"""The Converse wire format of AWS Bedrock. Signing is in sigv4.py, framing of streams in event_stream.py."""

import itertools
import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from webbrain.core.bounded_json import loads
from webbrain.core.messages import Message, ModelRequest
from webbrain.providers import errors
from webbrain.providers.anthropic import takes_temperature
from webbrain.providers.config import Endpoint
from webbrain.providers.event_stream import EXCEPTION
from webbrain.providers.extra_body import merged
from webbrain.providers.history import (
    DOCUMENT_LEFT_OUT,
    NOTHING_SAID,
    PICTURE_LEFT_OUT,
    normalise,
    without_calls,
)
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
    data_url,
    frame,
    items,
    kept,
    obj,
    place,
    replayed,
    string,
    usage_beside,
)

WIRE: Final = "bedrock"

_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
_WITHHELD: Final = frozenset({"guardrail_intervened", "content_filtered"})
_MALFORMED: Final = frozenset({"malformed_tool_use", "malformed_model_output"})
_STATUS: Final = {
    "throttlingException": 429,
    "serviceUnavailableException": 503,
    "internalServerException": 500,
    "modelStreamErrorException": 500,
    "modelTimeoutException": 408,
    "validationException": 400,
    "accessDeniedException": 403,
}
"""The status each failure would have had before the stream began."""
_PICTURES: Final = frozenset({"jpeg", "png", "gif", "webp"})


class BedrockConverse:
    """Messages to request, stream or body to events. Holds nothing."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """Build ``POST /model/{id}/converse`` or ``converse-stream``, not yet signed."""
        info = endpoint.info
        conversation = normalise(
            request.messages,
            pictures=info.supports_vision,
            documents=info.supports_documents,
            plain_ids=True,
        )
        tools = bool(request.tools) and request.tool_choice != "none" and endpoint.entry.tools
        # A conversation with calls in it is refused if no tools are offered.
        turns = conversation.turns if tools else without_calls(conversation.turns)
        blocks = partial(_blocks, endpoint, itertools.count(1))
        body: dict[str, Any] = {"messages": alternating(turns, blocks)}
        if conversation.system:
            body["system"] = [{"text": conversation.system}]
        body["inferenceConfig"] = {"maxTokens": request.max_tokens}
        takes = takes_temperature(endpoint.info.model) and "temperature" not in learned.omit
        if request.temperature is not None and takes:
            body["inferenceConfig"]["temperature"] = request.temperature
        if tools:
            specs = [
                {"name": t.name, "description": t.description, "inputSchema": {"json": t.parameters}}
                for t in request.tools
            ]
            body["toolConfig"] = {"tools": [{"toolSpec": spec} for spec in specs]}
            if request.tool_choice == "required":
                body["toolConfig"]["toolChoice"] = {"any": {}}
        model = quote(endpoint.info.model, safe="")
        url = f"{endpoint.base_url}/model/{model}/converse{'-stream' if stream else ''}"
        headers = {**endpoint.headers(), "Accept": "application/json"}
        if stream:
            headers["Accept"] = "application/vnd.amazon.eventstream"
        return WireRequest(url, headers, merged(body, endpoint.extra_body))

    def decoder(self, endpoint: Endpoint) -> StreamDecoder:
        """Read events up to ``metadata``, which comes after ``messageStop`` and tells the usage."""
        return _Decoder(endpoint)

    def whole(self, endpoint: Endpoint, body: dict[str, Any]) -> Iterable[WireEvent]:
        """Read the answer of ``converse``."""
        message = obj(obj(body.get("output")).get("message"))
        if not isinstance(message.get("content"), list):
            raise StreamBroken("an answer without content")
        thoughts: list[dict[str, Any]] = []
        for key, raw in enumerate(items(message["content"])):
            block = obj(raw)
            if "text" in block:
                yield TextDelta(string(block["text"]))
            elif "toolUse" in block:
                use = obj(block["toolUse"])
                arguments = json.dumps(obj(use.get("input")), ensure_ascii=False)
                yield ToolDelta(key, string(use.get("toolUseId")), string(use.get("name")), arguments)
            elif "reasoningContent" in block:
                thought = obj(block["reasoningContent"])
                thoughts.append(thought)
                yield ReasoningDelta(string(obj(thought.get("reasoningText")).get("text")))
        yield from _usage(body.get("usage"))
        yield from _replay(endpoint, thoughts)
        yield from _finish(endpoint, body.get("stopReason"))
        yield Terminal()


class _Decoder:
    """Follows the content blocks of one stream."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._open: set[int] = set()
        self._thoughts: dict[int, dict[str, Any]] = {}
        self._stopped = False

    def feed(self, event: SseEvent) -> Iterator[WireEvent]:
        """Turn one frame into events; kinds this version does not know are skipped."""
        if event.event.startswith(EXCEPTION):
            raise _exception(self._endpoint, event)
        data = frame(event.data)
        match event.event:
            case "contentBlockStart":
                yield from self._start(place(data, "contentBlockIndex"), obj(data.get("start")))
            case "contentBlockDelta":
                yield from self._delta(place(data, "contentBlockIndex"), obj(data.get("delta")))
            case "contentBlockStop":
                self._open.discard(place(data, "contentBlockIndex"))
            case "messageStop":
                if self._open:
                    raise StreamBroken("the message ends inside a tool call")
                self._stopped = True
                yield from _finish(self._endpoint, data.get("stopReason"))
            case "metadata":
                if not self._stopped:
                    raise StreamBroken("the stream ends before its message")
                yield from _usage(data.get("usage"))
                order = sorted(self._thoughts)
                yield from _replay(self._endpoint, [self._thoughts[index] for index in order])
                yield Terminal()

    def end(self) -> Iterable[WireEvent]:
        """Nothing: the metadata are always sent."""
        return ()

    def _start(self, index: int, start: dict[str, Any]) -> Iterator[WireEvent]:
        if "toolUse" in start:
            if index in self._open:
                raise StreamBroken("a content block begins twice")
            self._open.add(index)
            use = obj(start["toolUse"])
            yield ToolDelta(index, string(use.get("toolUseId")), string(use.get("name")))

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[WireEvent]:
        if "text" in delta:
            yield TextDelta(string(delta["text"]))
        elif "toolUse" in delta:
            if index not in self._open:
                raise StreamBroken("a piece of a call that never began")
            yield ToolDelta(index, arguments=string(obj(delta["toolUse"]).get("input")))
        elif "reasoningContent" in delta:
            part = obj(delta["reasoningContent"])
            thought = self._thoughts.setdefault(index, {})
            if "redactedContent" in part:
                thought["redactedContent"] = part["redactedContent"]
                return
            text = thought.setdefault("reasoningText", {"text": ""})
            text["text"] += string(part.get("text"))
            if signature := string(part.get("signature")):
                text["signature"] = text.get("signature", "") + signature
            yield ReasoningDelta(string(part.get("text")))


def _blocks(endpoint: Endpoint, numbers: Iterator[int], turn: Message) -> list[dict[str, Any]]:
    """``numbers`` of documents: their names must differ, and a file's own name may not hold any character,
    nor should it, which the service takes for an invitation to inject something."""
    if turn.role == "tool":
        result = {"toolUseId": turn.tool_call_id or "", "content": [{"text": turn.content}]}
        return [{"toolResult": result}]
    blocks: list[dict[str, Any]] = []
    thoughts = replayed(turn, WIRE, endpoint).get("thinking")
    for thought in thoughts if isinstance(thoughts, list) else ():
        if _is_signed(thought):
            blocks.append({"reasoningContent": dict(thought)})
    for image in turn.images:
        media, data = data_url(image.data_url)
        kind = media.removeprefix("image/").replace("jpg", "jpeg")
        if kind in _PICTURES:
            blocks.append({"image": {"format": kind, "source": {"bytes": data}}})
        else:
            blocks.append({"text": PICTURE_LEFT_OUT})
    for document in turn.documents:
        media, data = data_url(document.data_url)
        if media == "application/pdf":
            name = f"document {next(numbers)}"
            blocks.append({"document": {"format": "pdf", "name": name, "source": {"bytes": data}}})
        else:
            blocks.append({"text": DOCUMENT_LEFT_OUT})
    if turn.documents and not turn.content.strip():
        blocks.append({"text": NOTHING_SAID})  # a document needs a text beside it
    if turn.content.strip():
        blocks.append({"text": turn.content.rstrip() if turn.role == "assistant" else turn.content})
    for call in turn.tool_calls:
        use = {"toolUseId": call.id, "name": call.name, "input": json.loads(call.arguments)}
        blocks.append({"toolUse": use})
    return blocks


def _exception(endpoint: Endpoint, event: SseEvent) -> Exception:
    name = event.event.removeprefix(EXCEPTION)
    try:
        value = loads(event.data)
    except (ValueError, RecursionError):
        value = None
    words = value.get("message") if isinstance(value, dict) else None
    said = words if isinstance(words, str) and words else event.data
    return errors.stated_failure(endpoint, {"message": f"{name}: {said}", "code": _STATUS.get(name)})


def _usage(raw: Any) -> Iterator[WireEvent]:
    if isinstance(raw, dict):
        names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
        yield usage_beside(raw, *names)


def _replay(endpoint: Endpoint, thoughts: list[dict[str, Any]]) -> Iterator[WireEvent]:
    """Thoughts that are signed must come back; those that are not may not."""
    if signed := [thought for thought in thoughts if _is_signed(thought)]:
        yield kept(WIRE, endpoint, thinking=signed)


def _is_signed(thought: Any) -> bool:
    match thought:
        case {"redactedContent": str()}:
            return True
        case {"reasoningText": {"text": str(), "signature": str(signature)}}:
            return bool(signature)
    return False


def _finish(endpoint: Endpoint, reason: Any) -> Iterator[WireEvent]:
    text = string(reason)
    if text in _WITHHELD:
        raise errors.content_filtered(endpoint)
    if text in _MALFORMED:
        raise errors.stated_failure(endpoint, {"message": f"stop reason: {text}"})
    yield Finished(_FINISH.get(text, "other"))
