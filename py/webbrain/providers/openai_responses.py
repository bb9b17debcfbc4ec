"""The Responses wire format: items in, items out, nothing kept at the service.

Nothing is stored there (``store: false``), so a turn's items, its encrypted reasoning among them, go back as
they came. Tool calls are taken from the completed response, or pieced together if it lists nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.core.messages import DocumentPart, ImagePart, Message, ModelRequest, Usage
from webbrain.providers import errors, held
from webbrain.providers.config import Endpoint
from webbrain.providers.extra_body import merged
from webbrain.providers.history import normalise
from webbrain.providers.reasoning import responses_effort
from webbrain.providers.replayed_items import replayable, same_calls
from webbrain.providers.sse import SseEvent
from webbrain.providers.wire import (
    Finished,
    Learned,
    ReasoningDelta,
    StreamBroken,
    StreamDecoder,
    Terminal,
    TextDelta,
    ToolDelta,
    UsageSeen,
    WireEvent,
    WireRequest,
    count,
    effort_for,
    frame,
    items,
    kept,
    model_named,
    newer_openai,
    obj,
    place,
    replayed,
    string,
)

WIRE: Final = "openai_responses"
UNNAMED: Final = "document.pdf"
OUTPUT_MIN: Final = 16
"""The service refuses a smaller limit."""
_ENCRYPTED: Final = "reasoning.encrypted_content"


class OpenAIResponses:
    """Messages to request, stream or body to events. Holds nothing."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """Build ``POST {base}/responses``."""
        info = endpoint.info
        conversation = normalise(
            request.messages, pictures=info.supports_vision, documents=info.supports_documents
        )
        body: dict[str, Any] = {"model": endpoint.info.model} if endpoint.info.model else {}
        if conversation.system:
            body["instructions"] = conversation.system
        body["input"] = [item for turn in conversation.turns for item in _items(turn, endpoint)]
        body |= {"stream": stream, "max_output_tokens": max(OUTPUT_MIN, request.max_tokens)}
        newer = newer_openai(endpoint.info.model)
        if request.temperature is not None and not newer and endpoint.entry.temperature != "omit":
            body["temperature"] = request.temperature
        effort = effort_for(request, endpoint)
        if newer or effort != "auto":
            body["reasoning"] = {"effort": responses_effort(effort)}
        if request.tools and request.tool_choice != "none" and endpoint.entry.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "strict": False,
                }
                for tool in request.tools
            ]
            body["tool_choice"] = request.tool_choice
        body |= held.responses_fields(endpoint, request)
        body = merged(body, endpoint.extra_body)
        # After the user's own fields: without these two the next request could not give the items back.
        body |= {"store": False, "include": [_ENCRYPTED]}
        for name in learned.omit:
            body.pop(name, None)
        return WireRequest(endpoint.url("/responses"), endpoint.headers(), body)

    def decoder(self, endpoint: Endpoint) -> StreamDecoder:
        """Read events up to ``response.completed``."""
        return _Decoder(endpoint)

    def whole(self, endpoint: Endpoint, body: dict[str, Any]) -> Iterable[WireEvent]:
        """Read a ``response`` object."""
        if body.get("error"):
            raise errors.stated_failure(endpoint, body["error"])
        if not isinstance(body.get("output"), list):
            raise StreamBroken("an answer without output")
        output = [obj(item) for item in body["output"]]
        yield from _completed(endpoint, body, output, text_seen=False, thoughts_seen=False)


@dataclass(slots=True)
class _Call:
    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class _Decoder:
    """Shows text as it comes and keeps everything else until the response is complete."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._text = False
        self._thoughts = False
        self._calls: dict[int, _Call] = {}
        self._done: dict[int, dict[str, Any]] = {}

    def feed(self, event: SseEvent) -> Iterator[WireEvent]:
        """Turn one frame into events; kinds this version does not know are skipped."""
        if event.data.strip() == "[DONE]":
            raise StreamBroken("the stream ended before its response was complete")
        data = frame(event.data)
        kind = string(data.get("type"))
        match kind:
            case "response.created":
                yield from model_named(obj(data.get("response")))
            case "response.output_text.delta" | "response.refusal.delta":
                if text := string(data.get("delta")):
                    self._text = True
                    yield TextDelta(text)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                if text := string(data.get("delta")):
                    self._thoughts = True
                    yield ReasoningDelta(text)
            case "response.output_item.added":
                self._added(place(data, "output_index"), obj(data.get("item")))
            case "response.function_call_arguments.delta":
                self._call(data).arguments.append(string(data.get("delta")))
            case "response.function_call_arguments.done":
                call = self._call(data)
                call.arguments = [string(data.get("arguments"))]
            case "response.output_item.done":
                self._done[place(data, "output_index")] = obj(data.get("item"))
            case "response.completed":
                response = obj(data.get("response"))
                output = [obj(item) for item in items(response.get("output"))] or self._pieced()
                yield from _completed(
                    self._endpoint, response, output, text_seen=self._text, thoughts_seen=self._thoughts
                )
            case "response.incomplete" | "response.failed":
                raise _failure(self._endpoint, obj(data.get("response")))
            case "error":
                raise errors.stated_failure(self._endpoint, data.get("error") or data)
            case "":
                raise (
                    errors.stated_failure(self._endpoint, data["error"])
                    if data.get("error")
                    else StreamBroken("an event without a type")
                )

    def end(self) -> Iterable[WireEvent]:
        """Nothing: ``response.completed`` is always sent."""
        return ()

    def _added(self, index: int, item: dict[str, Any]) -> None:
        if item.get("type") == "function_call":
            if index in self._calls:
                raise StreamBroken("an item begins twice")
            first = string(item.get("arguments"))
            self._calls[index] = _Call(string(item.get("call_id")), string(item.get("name")), [first])

    def _call(self, data: dict[str, Any]) -> _Call:
        call = self._calls.get(place(data, "output_index"))
        if call is None:
            raise StreamBroken("a piece of a call that never began")
        return call

    def _pieced(self) -> list[dict[str, Any]]:
        """The output of a service that completes without repeating it."""
        if unfinished := set(self._calls) - set(self._done):
            for index in unfinished:
                call = self._calls[index]
                self._done[index] = {
                    "type": "function_call",
                    "call_id": call.call_id,
                    "name": call.name,
                    "arguments": "".join(call.arguments),
                }
        return [self._done[index] for index in sorted(self._done)]


def _completed(
    endpoint: Endpoint,
    response: dict[str, Any],
    output: list[dict[str, Any]],
    *,
    text_seen: bool,
    thoughts_seen: bool,
) -> Iterator[WireEvent]:
    """The events of a finished response; raises for one that is not."""
    if response.get("status") not in ("completed", None):
        raise _failure(endpoint, response)
    yield from model_named(response)
    yield from _usage(response.get("usage"))
    calls = False
    for key, item in enumerate(output):
        kind = item.get("type")
        if item.get("status") == "incomplete":
            raise StreamBroken("an item of a completed response is incomplete")
        if kind == "message" and not text_seen:
            for part in items(item.get("content")):
                text = obj(part).get("text") or obj(part).get("refusal")
                yield TextDelta(string(text))
        elif kind == "reasoning" and not thoughts_seen:
            for part in [*items(item.get("summary")), *items(item.get("content"))]:
                yield ReasoningDelta(string(obj(part).get("text")))
        elif kind == "function_call":
            calls = True
            yield ToolDelta(
                key, string(item.get("call_id")), string(item.get("name")), string(item.get("arguments"))
            )
    if output:
        yield kept(WIRE, endpoint, items=output)
    yield Finished("tool_calls" if calls else "stop")
    yield Terminal()


def _failure(endpoint: Endpoint, response: dict[str, Any]) -> Exception:
    """Why a response is not complete; it was billed, so it is never asked for again by itself."""
    if response.get("error"):
        return errors.stated_failure(endpoint, response["error"])
    reason = string(obj(response.get("incomplete_details")).get("reason"))
    if reason == "content_filter":
        return errors.content_filtered(endpoint)
    if reason == "max_output_tokens":
        return errors.answer_incomplete(endpoint)
    status = string(response.get("status"))
    return errors.stated_failure(endpoint, {"message": f"the response is {status} {reason}".strip()})


def _items(turn: Message, endpoint: Endpoint) -> list[dict[str, Any]]:
    """One turn as input items."""
    if turn.role == "tool":
        call_id = turn.tool_call_id or ""
        return [{"type": "function_call_output", "call_id": call_id, "output": turn.content}]
    if turn.role == "assistant":
        return _assistant(turn, endpoint)
    parts: list[dict[str, Any]] = [{"type": "input_text", "text": turn.content}] if turn.content else []
    parts += [_picture(image) for image in turn.images]
    parts += [_document(document) for document in turn.documents]
    return [{"role": "user", "content": parts}]


def _picture(image: ImagePart) -> dict[str, Any]:
    part = {"type": "input_image", "image_url": image.data_url}
    return {**part, "detail": image.detail} if image.detail != "auto" else part


def _document(document: DocumentPart) -> dict[str, Any]:
    name = document.name.strip() or UNNAMED
    return {"type": "input_file", "filename": name, "file_data": document.data_url}


def _assistant(turn: Message, endpoint: Endpoint) -> list[dict[str, Any]]:
    kept = replayable(replayed(turn, WIRE, endpoint).get("items"))
    if kept and same_calls(kept, turn):
        return kept
    out: list[dict[str, Any]] = []
    if turn.content:
        out.append({"role": "assistant", "content": [{"type": "output_text", "text": turn.content}]})
    for call in turn.tool_calls:
        out.append(
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        )
    return out


def _usage(raw: Any) -> Iterator[WireEvent]:
    if isinstance(raw, dict):
        details = raw.get("input_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        yield UsageSeen(
            Usage(
                prompt_tokens=count(raw.get("input_tokens")),
                completion_tokens=count(raw.get("output_tokens")),
                cached_tokens=count(cached),
            )
        )
