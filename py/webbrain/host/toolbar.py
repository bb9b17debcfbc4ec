"""The toolbar button over the bridge."""

from typing import Final

from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.rpc import Connection

COLOUR: Final = "#a34a00"
"""Copper, as everything of ours that waits for a person to let it act."""


class BridgeToolbar:
    """Marks the button. In Firefox it is that of Manifest V2, under another name."""

    def __init__(self, connection: Connection, browser: str) -> None:
        self._connection = connection
        self._firefox = browser == "firefox"

    async def mark(self, text: str) -> None:
        to, patience = self._connection, BRIDGE_CALL_TIMEOUT
        words, colour = {"details": {"text": text}}, {"details": {"color": COLOUR}}
        if self._firefox:
            await to.call("browserAction.setBadgeBackgroundColor", colour, timeout=patience)
            await to.call("browserAction.setBadgeText", words, timeout=patience)
        else:
            await to.call("action.setBadgeBackgroundColor", colour, timeout=patience)
            await to.call("action.setBadgeText", words, timeout=patience)
