"""Model calls as they can be kept: who watches them, and what of a request is worth writing down.

A request repeats the whole history, so that only what is new since the request before it is kept; that way a
long run costs as much per step as a short one. Pictures and documents are named, not kept.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from webbrain.core.errors import WebBrainError
from webbrain.core.messages import Message, ModelReply, ModelRequest, Usage
from webbrain.providers.base import ModelInfo

_log = logging.getLogger(__name__)

Kind = Literal["llm", "vision"]
"""``vision``: the separate model that describes pictures."""
MARGIN: Final = 600
"""Characters kept beyond a cut until secrets are taken out, so that none is cut in two and overlooked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is being sent. ``fresh`` are its messages without the first ``kept``, which the request
    before it had too. Images are left out of them."""

    info: ModelInfo
    kind: Kind
    kept: int
    fresh: tuple[Message, ...]
    tools: tuple[str, ...]
    temperature: float | None
    max_tokens: int
    schema: bool
    """The answer must fit a JSON schema."""


class Witness(Protocol):
    """Somebody who is told of every model call. What is raised there never reaches the call."""

    def asked(self, asked: Asked) -> object:
        """A request goes out. What is returned comes back with the answer."""
        ...

    def answered(self, token: object, reply: ModelReply) -> None:
        """It was answered; the reply's usage is complete."""
        ...

    def failed(self, token: object, error: BaseException) -> None:
        """There is no answer: a failure, or a cancellation."""
        ...


class Witnesses:
    """The witnesses of one account. Keeps what the last request of each kind looked like."""

    def __init__(self, witnesses: Sequence[Witness]) -> None:
        self._witnesses = witnesses
        self._before: dict[Kind, list[int]] = {}

    def asked(self, info: ModelInfo, request: ModelRequest, kind: Kind) -> list[object]:
        """Tell all of them; return their tokens."""
        if not self._witnesses:
            return []
        try:
            asked = self._asked(info, request, kind)
        except Exception:  # noqa: BLE001 - whatever it is, the call goes out
            _log.exception("A request could not be written down.")
            return []
        return [_safely(witness.asked, asked) for witness in self._witnesses]

    def answered(self, tokens: list[object], reply: ModelReply) -> None:
        """Pass the answer on."""
        for witness, token in zip(self._witnesses, tokens, strict=False):
            _safely(witness.answered, token, reply)

    def failed(self, tokens: list[object], error: BaseException) -> None:
        """Pass the failure on."""
        for witness, token in zip(self._witnesses, tokens, strict=False):
            _safely(witness.failed, token, error)

    def _asked(self, info: ModelInfo, request: ModelRequest, kind: Kind) -> Asked:
        marks = [_mark(message) for message in request.messages]
        before = self._before.get(kind, [])
        kept = 0
        for mine, other in zip(marks, before, strict=False):
            if mine != other:
                break
            kept += 1
        self._before[kind] = marks
        return Asked(
            info=info,
            kind=kind,
            kept=kept,
            fresh=tuple(without_data(message) for message in request.messages[kept:]),
            tools=tuple(tool.name for tool in request.tools),
            temperature=request.temperature,
            max_tokens=request.max_tokens,
            schema=request.response_schema is not None,
        )


def _mark(message: Message) -> int:
    """Equal for equal messages. Texts remember their hash, so that this costs next to nothing."""
    calls = tuple((call.id, call.name, call.arguments) for call in message.tool_calls)
    return hash((message.role, message.content, message.tool_call_id, calls))


def _safely(tell: Any, *args: Any) -> object:
    try:
        return tell(*args)
    except Exception:  # noqa: BLE001 - it watches, and must not disturb
        _log.exception("A witness of model calls failed.")
        return None


def without_data(message: Message) -> Message:
    """The message without the content of its pictures and documents, so that keeping it keeps none of them
    in memory."""
    if not message.images and not message.documents and message.replay is None:
        return message
    update: dict[str, Any] = {
        "images": [part.model_copy(update={"data_url": ""}) for part in message.images],
        "documents": [part.model_copy(update={"data_url": ""}) for part in message.documents],
        "replay": None,
    }
    return message.model_copy(update=update)


def message_view(message: Message) -> dict[str, Any]:
    """A message as JSON, as it is kept."""
    view: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        view["toolCalls"] = [call.model_dump() for call in message.tool_calls]
    if message.role == "tool":
        view |= {"toolCallId": message.tool_call_id, "name": message.name}
    if message.images:
        view["images"] = len(message.images)
    if message.documents:
        view["documents"] = [part.name for part in message.documents]
    return view


def reply_view(reply: ModelReply) -> dict[str, Any]:
    """An answer as JSON, as it is kept."""
    view: dict[str, Any] = {"model": reply.model, "finish": reply.finish, "text": reply.text}
    if reply.reasoning:
        view["reasoning"] = reply.reasoning
    if reply.tool_calls:
        view["toolCalls"] = [call.model_dump() for call in reply.tool_calls]
    return view | {"usage": usage_view(reply.usage), "costUsd": reply.usage.cost_usd}


def usage_view(usage: Usage) -> dict[str, Any]:
    """Tokens of one call."""
    return {
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "estimated": usage.estimated,
    }


def failure_view(error: BaseException) -> dict[str, Any]:
    """Why there was no answer."""
    if isinstance(error, WebBrainError):
        detail = "\n\n".join(str(error.data[key]) for key in ("hint", "detail") if error.data.get(key))
        return {"code": error.code, "message": error.message, "detail": detail}
    if type(error).__name__ == "CancelledError":
        return {"code": "cancelled", "message": "The call was given up before its answer came.", "detail": ""}
    return {"code": "internal_error", "message": type(error).__name__, "detail": str(error)}
