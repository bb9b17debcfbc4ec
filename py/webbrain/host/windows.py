"""Browser windows."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.reach import Window
from webbrain.host.rpc import Connection

SETTLE_TIME: Final = 1.0
"""Seconds a window manager may take to give a window its new bounds, or others of its own choice."""
POLL_INTERVAL: Final = 0.05
NORMAL: Final = "normal"


class BridgeWindows:
    """Looks at windows and changes their bounds."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, window_id: int) -> Window:
        return _window(
            await self._connection.call("windows.get", {"windowId": window_id}, timeout=BRIDGE_CALL_TIMEOUT)
        )

    async def resize(
        self, window_id: int, *, width: int, height: int, left: int | None = None, top: int | None = None
    ) -> Window:
        if (await self.get(window_id)).state != NORMAL:
            # Bounds of a maximised or minimised window are refused or forgotten.
            await self._update(window_id, {"state": NORMAL})
        bounds = {"width": width, "height": height}
        bounds |= {name: place for name, place in (("left", left), ("top", top)) if place is not None}
        await self._update(window_id, bounds)
        end = time.monotonic() + SETTLE_TIME
        while True:
            window = await self.get(window_id)
            if (window.width, window.height) == (width, height) or time.monotonic() >= end:
                return window
            await asyncio.sleep(POLL_INTERVAL)

    async def _update(self, window_id: int, info: Mapping[str, Any]) -> None:
        await self._connection.call(
            "windows.update", {"windowId": window_id, "updateInfo": info}, timeout=BRIDGE_CALL_TIMEOUT
        )


def _window(raw: Mapping[str, Any]) -> Window:
    return Window(
        id=int(raw["id"]),
        left=int(raw.get("left", 0)),
        top=int(raw.get("top", 0)),
        width=int(raw.get("width", 0)),
        height=int(raw.get("height", 0)),
        state=str(raw.get("state", NORMAL)),
        type=str(raw.get("type", NORMAL)),
        focused=bool(raw.get("focused", False)),
    )
