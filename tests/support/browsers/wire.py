"""JSON commands and events over a WebSocket: what the DevTools protocol and WebDriver BiDi have in common."""

import itertools
import json
import queue
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

COMMAND_TIMEOUT = 60.0


class CommandFailed(RuntimeError):
    """The browser refused a command."""


class Wire:
    """A connection that sends commands and hands events to ``on_event`` in its reader thread."""

    def __init__(self, address: str, on_event: Callable[[dict[str, Any]], None]) -> None:
        self._stack = ExitStack()
        self._socket = self._stack.enter_context(
            connect(address, max_size=None, compression=None, open_timeout=COMMAND_TIMEOUT)
        )
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._pending: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._reader = threading.Thread(target=self._read, daemon=True, name="browser-wire")
        self._reader.start()

    def send(
        self, method: str, params: dict[str, Any], timeout: float = COMMAND_TIMEOUT, **extra: Any
    ) -> Any:
        """Send a command and return its result; ``extra`` are fields beside the method (a session's id)."""
        number, answer = next(self._ids), queue.SimpleQueue[dict[str, Any]]()
        self._pending[number] = answer
        try:
            self._socket.send(json.dumps({"id": number, "method": method, "params": params, **extra}))
            message = answer.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"{method} gave no answer in {timeout:.0f} s") from None
        except ConnectionClosed:
            raise CommandFailed(f"{method}: the connection is closed") from None
        finally:
            del self._pending[number]
        if "error" in message:
            # BiDi has the sentence beside the error's name, the DevTools protocol inside the error.
            error = message["error"]
            reason = error["message"] if isinstance(error, dict) else f"{error}: {message.get('message')}"
            raise CommandFailed(f"{method}: {reason}")
        return message["result"]

    def post(self, method: str, params: dict[str, Any], **extra: Any) -> None:
        """Send a command without waiting for its answer; may be used in ``on_event``."""
        self._socket.send(json.dumps({"id": next(self._ids), "method": method, "params": params, **extra}))

    def close(self) -> None:
        """Close the connection."""
        self._stack.close()

    def _read(self) -> None:
        try:
            for raw in self._socket:
                message = json.loads(raw)
                if "id" not in message:
                    self._on_event(message)
                elif answer := self._pending.get(message["id"]):
                    answer.put(message)
        except ConnectionClosed:
            pass
        for answer in list(self._pending.values()):
            answer.put({"error": "closed", "message": "the connection is closed"})
