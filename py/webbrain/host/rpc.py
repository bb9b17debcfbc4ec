"""Frames over a transport: calls with ids and deadlines, cancellation, streams, calls from the other side.

Knows nothing of browsers; ``bridge.py`` builds the host's protocols on it. The frames are described in
docs/protocol.md.
"""

import asyncio
import heapq
import json
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from webbrain.core.bounded_json import loads
from webbrain.core.errors import BridgeError, Bug, WebBrainError

FRAME_CHARS: Final = 16_000_000
"""Characters of one frame's JSON, either way; bigger things travel as buffers."""
BUFFER_BYTES: Final = 64_000_000
"""Bytes of all buffers beside one frame."""
BUFFERS: Final = "buffers"
"""The parameter under which a handler finds the buffers that came beside a call."""
KEPT_DEADLINES: Final = 200
"""Deadlines of calls that were answered are thrown away when there are so many."""
GRACE: Final = 2.0
"""Seconds the supervisor gets on top of a deadline: its own answer says more than our time-out."""

SUPERVISOR_CALLS: Final = frozenset(
    {
        "blob.create",
        "builtin.prompt",
        "builtin.status",
        "http.cancel",
        "http.send",
        "image.mask",
        "image.resize",
        "pdf.read",
        "requests.describe",
        "requests.forget",
        "requests.list",
        "requests.replay",
        "requests.watch",
        "store.append",
        "store.delete",
        "store.read",
        "store.streams",
        "table.delete",
        "table.get",
        "table.newest",
        "table.put",
        "table.under",
    }
)
"""Calls the supervisor page answers itself. All others are rows of methods.json, for the executor."""

_log = logging.getLogger(__name__)

Handler = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Answers a call from the supervisor: ``(method, params)`` to a JSON value."""


class Transport(Protocol):
    """Carries frames to the supervisor page. Those the other way come in through ``Connection.receive``."""

    def send(self, text: str, buffers: Sequence[bytes]) -> None:
        """Send without waiting."""
        ...


class Stream:
    """Pieces of a body that follow a reply, in order."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[bytes | BridgeError | None] = asyncio.Queue()
        self.ended = False

    def put(self, piece: bytes | BridgeError | None) -> None:
        """Add a piece; ``None`` is the end, an error is the end too."""
        self._pieces.put_nowait(piece)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while not self.ended:
            piece = await self._pieces.get()
            if isinstance(piece, bytes):
                yield piece
            else:
                self.ended = True
                if piece is not None:
                    raise piece


class _Deadlines:
    """Raises ``TimeoutError`` in calls whose time is up, all by one timer: in the browser a timer that is
    cancelled goes on living until its time has come."""

    def __init__(self, waiting: Mapping[str, asyncio.Future[Any]]) -> None:
        self._waiting = waiting
        self._loop = asyncio.get_running_loop()
        self._heap: list[tuple[float, str]] = []
        self._timer: asyncio.Handle | None = None
        self._rings = math.inf
        """When the timer goes off, by the loop's clock."""

    def add(self, seconds: float, call_id: str) -> None:
        """The call's time is up in so many seconds."""
        if len(self._heap) > KEPT_DEADLINES and len(self._heap) > 2 * len(self._waiting):
            self._heap = [entry for entry in self._heap if entry[1] in self._waiting]
            heapq.heapify(self._heap)
        when = self._loop.time() + seconds
        heapq.heappush(self._heap, (when, call_id))
        if when < self._rings:
            self._set_timer(when)

    def _set_timer(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings = when
        # The browser's loop refuses times that have passed.
        self._timer = self._loop.call_later(max(when - self._loop.time(), 0), self._ring)

    def _ring(self) -> None:
        self._timer, self._rings = None, math.inf
        now = self._loop.time()
        while self._heap and (self._heap[0][0] <= now or self._heap[0][1] not in self._waiting):
            answer = self._waiting.get(heapq.heappop(self._heap)[1])
            if answer is not None and not answer.done():
                answer.set_exception(TimeoutError())
        if self._heap:
            self._set_timer(self._heap[0][0])


class Connection:
    """One Worker's end of the bridge.

    Make it inside a running event loop. ``epoch`` is this Worker's number: frames of another are dropped.
    """

    def __init__(
        self, transport: Transport, epoch: int, handler: Handler, *, now: Callable[[], float] = time.time
    ) -> None:
        self._transport = transport
        self._epoch = epoch
        self._handler = handler
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._last_id = 0
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._streams: dict[str, Stream] = {}
        self._served: set[asyncio.Task[None]] = set()
        self._deadlines = _Deadlines(self._waiting)

    async def call(
        self, method: str, params: Mapping[str, Any], *, timeout: float, buffers: Sequence[bytes] = ()
    ) -> Any:
        """Return the result of a call.

        Raise ``BridgeError`` with the code of the answer, or ``timeout`` after ``timeout`` seconds. When the
        coroutine is cancelled the other side is told, and nothing is waited for.
        """
        result, _ = await self._call(method, params, timeout, buffers, None)
        return result

    async def call_stream(
        self, method: str, params: Mapping[str, Any], *, timeout: float, buffers: Sequence[bytes] = ()
    ) -> tuple[Any, str, Stream]:
        """Like :meth:`call`, for a reply that is followed by chunks; give the id to :meth:`close_stream`."""
        stream = Stream()
        result, call_id = await self._call(method, params, timeout, buffers, stream)
        return result, call_id, stream

    def close_stream(self, stream_id: str) -> None:
        """Stop a stream that is still running; what was already closed or has ended is left alone."""
        stream = self._streams.pop(stream_id, None)
        if stream is not None:
            self._send({"target": "host", "kind": "cancel", "id": stream_id})
            stream.put(BridgeError("The transfer was closed.", code="cancelled"))

    def event(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the supervisor something that has no answer."""
        self._send({"target": "host", "kind": "event", "method": method, "params": params})

    def receive(self, text: str, buffers: Sequence[bytes]) -> None:
        """Take a frame from the supervisor. Never raises: a bad frame is logged and dropped."""
        try:
            frame = _decode(text)
        except ValueError as error:
            _log.error("Dropped a frame that cannot be read: %s", error)
            self._fail_unread(text)
            return
        if frame.get("epoch") != self._epoch:
            return
        match frame.get("kind"):
            case "reply" | "error":
                self._settle(frame)
            case "chunk":
                self._chunk(frame, buffers)
            case "call" if frame.get("method") == "ping":
                # Answered by the event loop, not from here: the supervisor asks whether the loop still turns.
                self._loop.call_soon(self._reply, frame.get("id"), "pong")
            case "call" | "event":
                if buffers:
                    frame["params"] = {**(frame.get("params") or {}), BUFFERS: list(buffers)}
                self._serve(frame)

    async def _call(
        self,
        method: str,
        params: Mapping[str, Any],
        timeout: float,
        buffers: Sequence[bytes],
        stream: Stream | None,
    ) -> tuple[Any, str]:
        self._last_id += 1
        call_id = f"p{self._last_id}"
        target = "host" if method in SUPERVISOR_CALLS else "executor"
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._waiting[call_id] = answer
        if stream is not None:
            # Before the call goes out: chunks may follow the reply before the caller runs again.
            self._streams[call_id] = stream
        try:
            self._send(
                {
                    "target": target,
                    "kind": "call",
                    "id": call_id,
                    "method": method,
                    "params": params,
                    "deadline": round((self._now() + timeout) * 1000),
                },
                buffers,
            )
            self._deadlines.add(timeout + GRACE, call_id)
            return await answer, call_id
        except BaseException as error:
            self._streams.pop(call_id, None)
            if isinstance(error, TimeoutError | asyncio.CancelledError):
                self._send({"target": target, "kind": "cancel", "id": call_id})
            if isinstance(error, TimeoutError):
                raise BridgeError(f"No answer to {method} in time.", code="timeout") from None
            raise
        finally:
            self._waiting.pop(call_id, None)

    def _settle(self, frame: dict[str, Any]) -> None:
        answer = self._waiting.get(str(frame.get("id")))
        if answer is None or answer.done():
            return
        if frame["kind"] == "reply":
            answer.set_result(frame.get("result"))
        else:
            answer.set_exception(_error(frame.get("error")))

    def _fail_unread(self, text: str) -> None:
        """A reply too large to read still has its caller waiting, whose id stands near the beginning."""
        for call_id, answer in self._waiting.items():
            if f'"id":"{call_id}"' in text[:200] and not answer.done():
                answer.set_exception(BridgeError("The answer is too large to be read.", code="too_large"))

    def _chunk(self, frame: dict[str, Any], buffers: Sequence[bytes]) -> None:
        stream_id = str(frame.get("id"))
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        for piece in buffers:
            stream.put(piece)
        if frame.get("error") or frame.get("done"):
            del self._streams[stream_id]
            stream.put(_error(frame["error"]) if frame.get("error") else None)

    def _serve(self, frame: dict[str, Any]) -> None:
        task = self._loop.create_task(self._answer(frame))
        self._served.add(task)
        task.add_done_callback(self._served.discard)

    async def _answer(self, frame: dict[str, Any]) -> None:
        call_id, method = frame.get("id"), str(frame.get("method"))
        try:
            result = await self._handler(method, frame.get("params") or {})
            if call_id is not None:
                self._reply(call_id, result)
        except WebBrainError as error:
            self._refuse(call_id, error)
        except Exception as error:  # noqa: BLE001 - whatever went wrong inside, the caller gets an answer
            _log.exception("The call %s failed", method)
            self._refuse(call_id, Bug(f"{type(error).__name__}: {error}"[:500]))

    def _reply(self, call_id: str | None, result: Any) -> None:
        self._send({"target": "host", "kind": "reply", "id": call_id, "result": result})

    def _refuse(self, call_id: str | None, error: WebBrainError) -> None:
        if call_id is not None:
            body = {"code": error.code, "message": error.message, "data": error.data}
            self._send({"target": "host", "kind": "error", "id": call_id, "error": body})

    def _send(self, frame: dict[str, Any], buffers: Sequence[bytes] = ()) -> None:
        frame["epoch"] = self._epoch
        if buffers:
            frame["buffers"] = len(buffers)
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if len(text) > FRAME_CHARS or sum(map(len, buffers)) > BUFFER_BYTES:
            raise BridgeError("This is too large to send to the browser.", code="too_large")
        self._transport.send(text, buffers)


def _decode(text: str) -> dict[str, Any]:
    if len(text) > FRAME_CHARS:
        raise ValueError(f"it has {len(text)} characters")
    frame = loads(text)
    if not isinstance(frame, dict):
        raise ValueError("it is not an object")
    return frame


def _error(body: Any) -> BridgeError:
    if not isinstance(body, dict):
        return BridgeError("The bridge answered an error without saying which.", code="api_error")
    return BridgeError(
        str(body.get("message", "")), code=str(body.get("code", "api_error")), data=body.get("data") or None
    )
