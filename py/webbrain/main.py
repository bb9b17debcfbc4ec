"""Entry inside the Worker: builds host and app on the running event loop and carries frames.

Imported when the memory snapshot is made, started after it was restored: nothing here may touch an event
loop, a clock or JavaScript at import time.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from webbrain.app import App
from webbrain.core.errors import BridgeError
from webbrain.host.bridge import BridgeHost
from webbrain.host.protocols import Capabilities
from webbrain.host.ready import ReadyLine
from webbrain.host.rpc import BUFFERS, Connection


class WorkerTransport:
    """Frames to the supervisor through ``post(text, buffers)`` of worker.js, which copies the buffers."""

    def __init__(self, post: Any) -> None:
        self._post = post

    def send(self, text: str, buffers: Sequence[bytes]) -> None:
        if buffers:
            self._post(text, list(buffers))
        else:
            self._post(text)


class Router:
    """What the supervisor may call."""

    app: App
    host: BridgeHost

    async def handle(self, method: str, params: dict[str, Any]) -> Any:
        """Answer one call; raise ``WebBrainError``."""
        match method:
            case "ui":
                asked, buffers = params.get("params") or {}, params.get(BUFFERS, ())
                return await self.app.handle_ui(str(params["method"]), asked, buffers)
            case "legacy":
                return await self.app.handle_legacy(params)
            case "browser_event":
                self.host.receive_event(params)
                if params.get("kind") == "tab_removed":
                    self.app.tab_removed(int(params["tabId"]))
                return None
        raise BridgeError(f"Python has no call {method}.", code="not_allowed")


async def start(post: Any, listen: Any, options: str) -> str:
    """Start the agent and return its boot phases as JSON; from then on it takes calls of screens.

    ``post(text, buffers)`` sends a frame, ``listen(function)`` names the function that takes frames.
    ``options`` is JSON: ``{epoch, browser, capabilities}``.
    """
    ReadyLine(asyncio.get_running_loop()).install()
    given = json.loads(options)
    router = Router()
    connection = Connection(WorkerTransport(post), int(given["epoch"]), router.handle)
    host = BridgeHost(connection, Capabilities(browser=given["browser"], **given["capabilities"]))
    router.host = host
    router.app = App(host)

    def receive(text: str, buffers: Any) -> None:
        connection.receive(text, [buffer.to_bytes() for buffer in buffers])

    listen(receive)
    return json.dumps(await router.app.start())
