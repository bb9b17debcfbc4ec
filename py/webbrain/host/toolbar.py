"""The toolbar button over the bridge."""

from typing import Final

from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.rpc import Connection

COLOUR: Final = "#a34a00"
"""Copper, as everything of ours that waits for a person to let it act."""
METHODS: Final = {"chrome": "action", "firefox": "browserAction"}
"""What browsers call the button: in Firefox it is that of Manifest V2."""


class BridgeToolbar:
    """Marks the button."""

    def __init__(self, connection: Connection, browser: str) -> None:
        self._connection = connection
        self._api = METHODS.get(browser, METHODS["chrome"])

    async def mark(self, text: str) -> None:
        if text:
            await self._call("setBadgeBackgroundColor", {"details": {"color": COLOUR}})
        await self._call("setBadgeText", {"details": {"text": text}})

    async def _call(self, method: str, params: dict[str, object]) -> None:
        await self._connection.call(f"{self._api}.{method}", params, timeout=BRIDGE_CALL_TIMEOUT)
