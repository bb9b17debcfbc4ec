"""A browser that is a table of answers, at the far end of the real host's bridge."""

import asyncio
import json
from typing import Any

import pytest

from webbrain.host import page, rpc, tabs
from webbrain.host.bridge import BridgeHost
from webbrain.host.protocols import Capabilities
from webbrain.host.rpc import Connection

TAB = {
    "id": 1,
    "url": "https://shop.example/",
    "title": "Shop",
    "windowId": 5,
    "active": True,
    "status": "complete",
}
NOBODY = ("no_receiver", "Receiving end does not exist.")
GONE = ("page_gone", "The message channel closed.")

Answer = Any


class FakeBrowser:
    """Supervisor and executor in one. An answer is a value, a ``(code, message)``, ``SILENT``, or a function
    of the params that returns one; of a list one is used after the other, and the last stays."""

    SILENT = object()

    def __init__(self, capabilities: Capabilities | None = None) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.events: list[dict[str, Any]] = []
        self.cancelled: list[str] = []
        self.answers: dict[str, Answer] = {
            "tabs.get": TAB,
            "tabs.update": {"id": 1},
            "scripting.executeScript": [],
        }
        self.bodies: list[bytes] = []
        self.connection = Connection(self, 1, self._refuse)
        self.host = BridgeHost(self.connection, capabilities or Capabilities(browser="chrome"))

    async def _refuse(self, method: str, params: dict[str, Any]) -> None:
        raise AssertionError(method)

    def send(self, text: str, buffers: Any) -> None:
        frame = json.loads(text)
        self.bodies += buffers
        if frame["kind"] == "event":
            self.events.append(frame["params"])
        elif frame["kind"] == "cancel":
            self.cancelled.append(frame["id"])
        else:
            self.calls.append((frame["method"], frame["params"]))
            self._answer(frame)

    def _answer(self, frame: dict[str, Any]) -> None:
        answer = self._of(frame["method"], frame["params"])
        if answer is self.SILENT:
            return
        if isinstance(answer, tuple):
            self.feed(kind="error", id=frame["id"], error={"code": answer[0], "message": answer[1]})
        else:
            self.feed(kind="reply", id=frame["id"], result=answer)

    def _of(self, method: str, params: dict[str, Any]) -> Answer:
        answer = self.answers.get(method, ("not_allowed", method))
        if isinstance(answer, list) and method != "scripting.executeScript":
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        return answer(params) if callable(answer) else answer

    def feed(self, buffers: tuple[bytes, ...] = (), **frame: Any) -> None:
        text = json.dumps({"target": "python", "epoch": 1, **frame})
        asyncio.get_running_loop().call_soon(self.connection.receive, text, buffers)

    def page(self, *answers: Answer, ping: Answer = None) -> None:
        """What the page answers, action by action; pings have an answer of their own."""
        queue = list(answers)

        def respond(params: dict[str, Any]) -> Answer:
            if params["message"]["action"] == "ping":
                found = ping if ping is not None else {"success": True}
                return found(params) if callable(found) else found
            return queue.pop(0) if len(queue) > 1 else queue[0]

        self.answers["tabs.sendMessage"] = respond

    def done(self, method: str) -> list[dict[str, Any]]:
        return [params for name, params in self.calls if name == method]

    def actions(self) -> list[str]:
        return [params["message"]["action"] for params in self.done("tabs.sendMessage")]


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the host's pauses be short enough for a test."""
    for module, name, value in (
        (tabs, "POLL_INTERVAL", 0.001),
        (tabs, "NAVIGATION_START", 0.02),
        (page, "WATCH_INTERVAL", 0.005),
        (rpc, "GRACE", 0.02),
    ):
        monkeypatch.setattr(module, name, value)
