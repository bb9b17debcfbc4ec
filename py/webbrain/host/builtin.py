"""The browser's own language model: the supervisor page has it, the Worker that Python runs in has not."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, get_args

from webbrain.core.errors import BridgeError
from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.rpc import Connection, Stream

Availability = Literal["unsupported", "unavailable", "downloadable", "downloading", "available"]
"""The browser's own words, and ``unsupported`` for browsers that do not know such a thing."""

LONGEST_CALL: Final = 300.0
"""Seconds the supervisor waits for any call; a session is made within them or not at all."""


@dataclass(frozen=True, slots=True)
class BuiltinStatus:
    """Whether there is a model. ``context_window`` (tokens) is known once it has answered something."""

    availability: Availability
    context_window: int | None = None


@dataclass(frozen=True, slots=True)
class BuiltinPiece:
    """A piece of an answer, or, without text, the tokens that prompt and answer took together."""

    text: str = ""
    used: int | None = None


class BuiltinAnswer(Protocol):
    """An answer that has begun. Leaving it unread or closing it stops the model."""

    @property
    def context_window(self) -> int | None:
        """Tokens that the model takes."""
        ...

    def pieces(self) -> AsyncIterator[BuiltinPiece]:
        """The answer as it comes. Raises ``BridgeError``: ``net_stalled``, ``builtin_too_long``,
        ``builtin_filtered``, ``builtin_schema`` (it does not take this schema), ``api_error``.
        """
        ...

    async def close(self) -> None:
        """Stop what is left."""
        ...


class BuiltinModel(Protocol):
    """The Prompt API of Chrome and its relatives."""

    async def status(self) -> BuiltinStatus:
        """Never raises for a browser that has no such model."""
        ...

    async def prompt(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None,
        temperature: float | None,
        first_timeout: float,
        stall_timeout: float,
    ) -> BuiltinAnswer:
        """Ask, and return once the model is ready to answer.

        ``messages`` are ``{role, content}``; the last is the user's, a system message only comes first. Time
        limits are seconds, to the first piece and between two. Raises ``BridgeError``:
        ``builtin_unavailable``, ``builtin_not_downloaded``, ``builtin_too_long``, ``api_error``.
        """
        ...


class _Answer:
    def __init__(self, connection: Connection, head: Mapping[str, Any], stream_id: str, stream: Stream):
        window = head.get("contextWindow")
        self.context_window: int | None = window if isinstance(window, int) else None
        self._connection = connection
        self._id = stream_id
        self._stream = stream

    async def pieces(self) -> AsyncIterator[BuiltinPiece]:
        rest = b""
        try:
            async for chunk in self._stream:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    yield _piece(line)
        finally:
            await self.close()

    async def close(self) -> None:
        self._connection.close_stream(self._id)


class BridgeBuiltin:
    """See ``BuiltinModel``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def status(self) -> BuiltinStatus:
        found = await self._connection.call("builtin.status", {}, timeout=BRIDGE_CALL_TIMEOUT)
        word, window = found.get("availability"), found.get("contextWindow")
        availability: Availability = word if word in get_args(Availability) else "unavailable"
        return BuiltinStatus(availability, int(window) if isinstance(window, int | float) else None)

    async def prompt(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None,
        temperature: float | None,
        first_timeout: float,
        stall_timeout: float,
    ) -> BuiltinAnswer:
        params = {
            "messages": [dict(message) for message in messages],
            "schema": None if schema is None else dict(schema),
            "temperature": temperature,
            "firstMs": round(first_timeout * 1000),
            "stallMs": round(stall_timeout * 1000),
        }
        timeout = min(first_timeout, LONGEST_CALL)
        head, stream_id, stream = await self._connection.call_stream(
            "builtin.prompt", params, timeout=timeout
        )
        return _Answer(self._connection, head, stream_id, stream)


def _piece(line: bytes) -> BuiltinPiece:
    try:
        value = json.loads(line)
        text, used = value.get("text", ""), value.get("used")
    except (ValueError, AttributeError):
        raise BridgeError("The built-in model answered in a way that cannot be read.") from None
    return BuiltinPiece(str(text), int(used) if isinstance(used, int | float) else None)
