"""The Chat Completions wire format, as OpenAI documents it and as compatible servers bend it."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from webbrain.core.messages import DocumentPart, ImagePart, Message, ModelRequest
from webbrain.providers import held
from webbrain.providers.chat_events import WIRE, ChatDecoder, common_events, whole_answer
from webbrain.providers.config import Endpoint
from webbrain.providers.extra_body import merged
from webbrain.providers.history import normalise
from webbrain.providers.reasoning import chat_fields
from webbrain.providers.schemas import for_gemini
from webbrain.providers.wire import (
    Learned,
    StreamDecoder,
    WireEvent,
    WireRequest,
    effort_for,
    newer_openai,
    replayed,
)

ACKNOWLEDGED: Final = "Understood."
UNNAMED: Final = "document.pdf"


class OpenAIChat:
    """Messages to request, stream or body to events. Holds nothing."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """Build the ``POST``."""
        body = self.body(endpoint, request, learned, stream=stream)
        body = merged(body, endpoint.extra_body) | learned.demanded
        for field in learned.omit:
            body.pop(field, None)
        return WireRequest(self.url(endpoint), endpoint.headers(), body)

    def url(self, endpoint: Endpoint) -> str:
        """Where the request goes."""
        return endpoint.url("/chat/completions")

    def body(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> dict[str, Any]:
        """The body before the user's own fields and what the service refused."""
        entry, named = endpoint.entry, self.named(endpoint)
        body: dict[str, Any] = {}
        if named.info.model:
            body["model"] = named.info.model
        body["messages"] = _messages(endpoint, request)
        body["stream"] = stream
        if stream and entry.usage_in_stream:
            body["stream_options"] = {"include_usage": True}
        if request.temperature is not None and _has_temperature(named):
            body["temperature"] = request.temperature
        body[learned.limit_field or _limit_field(named)] = request.max_tokens
        if request.tools and request.tool_choice != "none" and entry.tools:
            body["tools"] = [_tool(tool, endpoint) for tool in request.tools]
            body["tool_choice"] = request.tool_choice
            if stream and entry.tool_stream:
                body["tool_stream"] = True
        body |= held.chat_fields(endpoint, request)
        return body | chat_fields(entry.thinking, effort_for(request, endpoint), named.info.model)

    def named(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint as far as the name of its model says anything."""
        return endpoint

    def decoder(self, endpoint: Endpoint) -> StreamDecoder:
        """Read ``chat.completion.chunk`` events up to ``[DONE]``."""
        return ChatDecoder(endpoint, self.common)

    def whole(self, endpoint: Endpoint, body: dict[str, Any]) -> Iterable[WireEvent]:
        """Read a ``chat.completion`` object."""
        return whole_answer(endpoint, body, self.common)

    def common(self, data: dict[str, Any]) -> Iterator[WireEvent]:
        """Read what every frame may carry."""
        return common_events(data)


def _messages(endpoint: Endpoint, request: ModelRequest) -> list[dict[str, Any]]:
    info = endpoint.info
    conversation = normalise(
        request.messages, pictures=info.supports_vision, documents=info.supports_documents
    )
    turns: list[dict[str, Any]] = []
    if conversation.system:
        turns.append({"role": endpoint.system_role, "content": conversation.system})
    users = [place for place, turn in enumerate(conversation.turns) if turn.role == "user"]
    previous = ""
    for place, turn in enumerate(conversation.turns):
        if previous == "tool" and turn.role == "user" and _wants_answer_first(endpoint):
            turns.append({"role": "assistant", "content": ACKNOWLEDGED})
        turns.append(_turn(turn, endpoint, in_loop=place > users[-1]))
        previous = turn.role
    return turns


def _has_temperature(endpoint: Endpoint) -> bool:
    if endpoint.entry.temperature == "omit":
        return False
    return endpoint.info.local or not newer_openai(endpoint.info.model)


def _limit_field(endpoint: Endpoint) -> str:
    if endpoint.limit_field != "auto":
        return endpoint.limit_field
    newer = not endpoint.info.local and newer_openai(endpoint.info.model)
    return "max_completion_tokens" if newer else "max_tokens"


def _turn(turn: Message, endpoint: Endpoint, *, in_loop: bool) -> dict[str, Any]:
    if turn.role == "tool":
        return {
            "role": "tool",
            "tool_call_id": _call_id(turn.tool_call_id or "", endpoint),
            "content": turn.content,
        }
    if turn.role == "assistant":
        return _assistant(turn, endpoint, in_loop=in_loop)
    if not turn.images and not turn.documents:
        return {"role": "user", "content": turn.content}
    parts: list[dict[str, Any]] = [{"type": "text", "text": turn.content}] if turn.content else []
    parts += [_picture(image) for image in turn.images]
    parts += [_document(document) for document in turn.documents]
    return {"role": "user", "content": parts}


def _picture(image: ImagePart) -> dict[str, Any]:
    source = {"url": image.data_url}
    if image.detail != "auto":
        # Not every server knows the field, so it is sent only if the user chose one.
        source["detail"] = image.detail
    return {"type": "image_url", "image_url": source}


def _document(document: DocumentPart) -> dict[str, Any]:
    name = document.name.strip() or UNNAMED
    return {"type": "file", "file": {"filename": name, "file_data": document.data_url}}


def _wants_answer_first(endpoint: Endpoint) -> bool:
    """Whether the user may not speak right after tool results: some services, and chat templates of local
    models that insist on turns."""
    return endpoint.info.local or not endpoint.entry.user_after_tool


def _assistant(turn: Message, endpoint: Endpoint, *, in_loop: bool) -> dict[str, Any]:
    """``in_loop``: the user has not spoken since."""
    # The cloud's own form is null beside tool calls; chat templates of local models want a text.
    nothing = "" if endpoint.info.local else None
    out: dict[str, Any] = {"role": "assistant", "content": turn.content or nothing}
    replay = replayed(turn, WIRE, endpoint)
    wanted = endpoint.reasoning_replay == "calls" or (endpoint.reasoning_replay == "loop" and in_loop)
    thought = replay.get("reasoning_content")
    if wanted and turn.tool_calls and thought and isinstance(thought, str):
        out["reasoning_content"] = thought
    details = replay.get("reasoning_details")
    if endpoint.entry.reasoning_details_replay and details and isinstance(details, list):
        out["reasoning_details"] = [detail for detail in details if isinstance(detail, dict)]
    extras = replay.get("extra_content") if endpoint.entry.extra_content_replay else None
    if turn.tool_calls:
        calls: list[dict[str, Any]] = []
        for call in turn.tool_calls:
            function = {"name": call.name, "arguments": call.arguments}
            item: dict[str, Any] = {
                "id": _call_id(call.id, endpoint),
                "type": "function",
                "function": function,
            }
            if isinstance(extras, dict) and call.id in extras:
                item["extra_content"] = extras[call.id]
            elif endpoint.entry.signature_stand_in and not extras and not calls:
                # Only the first call of a turn is signed, and a turn without any signature is refused.
                signature = {"thought_signature": endpoint.entry.signature_stand_in}
                item["extra_content"] = {"google": signature}
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
