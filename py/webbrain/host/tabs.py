"""Looking at tabs, waiting for them, and judging what the browser says of them."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.core.tasks import begun, consume
from webbrain.host.rpc import Connection

POLL_INTERVAL: Final = 0.05
"""Seconds between two looks at a tab that is loading."""
NAVIGATION_START: Final = 1.0
"""Seconds in which a navigation that was asked for shows in the tab. Firefox still reports the old page as
complete for a moment, and a step in an empty history is no error there but simply does nothing."""

NEW_TAB: Final = ("", "about:blank")
"""Addresses of a tab that was just made, whatever it is to load; Firefox calls it complete."""

WEB_SCHEMES: Final = ("http:", "https:", "file:")
"""Pages of all other schemes (chrome:, about:, view-source:, other extensions) are closed to extensions."""
STORE_PAGES: Final = (
    "https://chromewebstore.google.com/",
    "https://chrome.google.com/webstore",
    "https://addons.mozilla.org/",
    "https://microsoftedge.microsoft.com/addons",
)
CUT_OFF: Final = frozenset({"page_gone", "page_busy", "timeout", "outcome_unknown"})
"""Codes that leave open whether the other side did what it was asked."""


def restricted(url: str) -> bool:
    """Return whether browsers keep extensions out of this address, whatever permissions they have."""
    return not url.startswith(WEB_SCHEMES) or url.startswith(STORE_PAGES)


def unknown_if_cut_off(error: BridgeError) -> BridgeError | OutcomeUnknown:
    """``error`` itself, or ``OutcomeUnknown`` if it does not tell whether the call was carried out."""
    if error.code not in CUT_OFF:
        return error
    return OutcomeUnknown(
        f"It is not known whether this happened: {error.message}", data={"cause": error.code, **error.data}
    )


class Tabs:
    """Looking at tabs and waiting for them; browser and page share it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._left: dict[int, str] = {}
        """Address each tab was at when a navigation was asked for, until it is waited for."""
        self._looks: dict[int, asyncio.Future[dict[str, Any]]] = {}
        """By tab: the question about it that is not answered yet."""

    async def get(self, tab_id: int) -> dict[str, Any]:
        """The tab with the fields the table lets through; ``no_tab`` if it is gone. Who asks while the same
        question is under way shares its answer."""
        look = self._looks.get(tab_id)
        if look is None:
            call = self._connection.call("tabs.get", {"tabId": tab_id}, timeout=BRIDGE_CALL_TIMEOUT)
            look = begun(call)
            if not look.done():
                self._looks[tab_id] = look
                look.add_done_callback(lambda _: self._looks.pop(tab_id, None))
                look.add_done_callback(consume)
        # Whoever gives up waiting takes the answer from nobody else.
        return dict(await asyncio.shield(look))

    async def query(self, info: Mapping[str, Any]) -> list[dict[str, Any]]:
        """All tabs that fit."""
        found = await self._connection.call("tabs.query", {"queryInfo": info}, timeout=BRIDGE_CALL_TIMEOUT)
        return list(found)

    async def frames(self, tab_id: int) -> list[dict[str, Any]]:
        """The frames that the tab shows now, in the browser's own words."""
        found = await self._connection.call(
            "webNavigation.getAllFrames", {"details": {"tabId": tab_id}}, timeout=BRIDGE_CALL_TIMEOUT
        )
        if found is None:
            raise BridgeError(f"Tab {tab_id} is gone.", code="no_tab")
        # Pages that are only made ready, or kept for a step back, have frames too.
        return [frame for frame in found if frame.get("documentLifecycle", "active") == "active"]

    async def act(self, method: str, params: Mapping[str, Any]) -> Any:
        """Do something that must not be done twice; return what the browser says of it."""
        try:
            return await self._connection.call(method, params, timeout=BRIDGE_CALL_TIMEOUT)
        except BridgeError as error:
            raise unknown_if_cut_off(error) from error

    def leaves(self, tab: Mapping[str, Any]) -> None:
        """Note that this tab was asked to load something, so that :meth:`loaded` does not take the old page
        for the new one."""
        self._left[int(tab["id"])] = str(tab.get("url", ""))

    async def has_left(self, tab_id: int, url: str, seconds: float = NAVIGATION_START) -> bool:
        """Wait until the tab begins to leave ``url``; say whether it did."""
        return _has_left(await self._look(tab_id, lambda tab: _has_left(tab, url), seconds), url)

    async def loaded(self, tab_id: int, timeout: float) -> dict[str, Any]:
        """The tab once it stopped loading, or as it is after ``timeout`` seconds."""
        end = time.monotonic() + timeout
        left = self._left.pop(tab_id, None)
        if left is not None:
            await self.has_left(tab_id, left, min(NAVIGATION_START, timeout))
        return await self._look(tab_id, _is_loaded, end - time.monotonic())

    async def _look(
        self, tab_id: int, enough: Callable[[dict[str, Any]], bool], seconds: float
    ) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while True:
            tab = await self.get(tab_id)
            if enough(tab) or time.monotonic() >= end:
                return tab
            await asyncio.sleep(POLL_INTERVAL)


def _has_left(tab: Mapping[str, Any], url: str) -> bool:
    if tab.get("status") == "loading" or tab.get("pendingUrl"):
        return True
    here = tab.get("url", "")
    return here != url and (url not in NEW_TAB or here not in NEW_TAB)


def _is_loaded(tab: Mapping[str, Any]) -> bool:
    asleep = tab.get("discarded") or tab.get("status") == "unloaded"
    return not asleep and tab.get("status") != "loading" and not tab.get("pendingUrl")
