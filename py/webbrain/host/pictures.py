"""Screenshots. They are taken by the browser and leave the page alone."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.core.jpeg import jpeg_size
from webbrain.host.debugger import BridgeDebugger
from webbrain.host.protocols import Capabilities
from webbrain.host.rpc import Connection
from webbrain.host.tabs import Tabs, restricted

CAPTURE_TIMEOUT: Final = 10.0
"""Seconds; a page that hangs or shows a dialog is not drawn any more."""
TOO_OFTEN: Final = "MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND"
"""What Chrome says of more than two pictures a second of what a window shows."""
OFTEN_PAUSE: Final = 0.6
OFTEN_TRIES: Final = 4
EXACT: Final = 1
"""Pixels a picture may differ from the size asked for, because of rounding."""
JPEG: Final = "data:image/jpeg;base64,"


class BridgePictures:
    """Pictures of a tab's viewport, by the best means that this browser has for this tab."""

    def __init__(
        self, connection: Connection, tabs: Tabs, debugger: BridgeDebugger, capabilities: Capabilities
    ) -> None:
        self._connection = connection
        self._tabs = tabs
        self._debugger = debugger
        self._capabilities = capabilities

    async def capture(self, tab_id: int, *, quality: int = 75, scale: float = 1.0) -> str:
        tab = await self._tabs.get(tab_id)
        if (url := str(tab.get("url", ""))) and restricted(url):
            raise BridgeError("The browser keeps extensions out of this page.", code="restricted_page")
        if self._capabilities.captures_background_tabs:
            # Firefox multiplies by the page's zoom too.
            options = {"format": "jpeg", "quality": quality, "scale": scale / await self._zoom(tab_id)}
            return _picture(await self._call("tabs.captureTab", {"tabId": tab_id, "options": options}))
        if self._debugger.attached(tab_id):
            picture = await self._drawn(tab_id, quality)
        else:
            picture = await self._shown(tab, quality)
        return await self._sized(picture, tab_id, quality, scale)

    async def mask(
        self, picture: str, *, regions: Sequence[Mapping[str, int]], scale: float, quality: int = 75
    ) -> str:
        params = {"image": picture, "regions": list(regions), "scale": scale, "quality": quality}
        return _picture((await self._call("image.mask", params))["image"])

    async def _drawn(self, tab_id: int, quality: int) -> str:
        """By the debugger, which has the tab drawn wherever it is."""
        params = {"format": "jpeg", "quality": quality, "optimizeForSpeed": True}
        try:
            answer = await self._debugger.send(
                tab_id, "Page.captureScreenshot", params, timeout=CAPTURE_TIMEOUT
            )
        except BridgeError as error:
            raise _busy_if_late(error) from error
        return _picture(JPEG + str(answer.get("data", "")))

    async def _shown(self, tab: dict[str, Any], quality: int) -> str:
        """What the tab's window shows, if that is this tab, before and after."""
        _demand_shown(tab)
        params = {"windowId": tab["windowId"], "options": {"format": "jpeg", "quality": quality}}
        for rest in reversed(range(OFTEN_TRIES)):
            try:
                picture = await self._call("tabs.captureVisibleTab", params)
                break
            except BridgeError as error:
                if TOO_OFTEN not in error.message or not rest:
                    raise
            await asyncio.sleep(OFTEN_PAUSE)
        # The user may have gone to another tab meanwhile: that one is none of ours to look at.
        after = await self._tabs.get(int(tab["id"]))
        _demand_shown(after)
        if after["windowId"] != tab["windowId"]:
            raise _not_visible()
        return _picture(picture)

    async def _sized(self, picture: str, tab_id: int, quality: int, scale: float) -> str:
        """The picture at ``scale`` times the CSS size of the viewport, whatever the screen's own scale is."""
        have, height = size_of(picture)
        tab = await self._tabs.get(tab_id)
        want = round(int(tab.get("width", 0)) / await self._zoom(tab_id) * scale)
        if want <= 0 or abs(have - want) <= EXACT:
            return picture
        # Only the width is taken from the tab, so that a window which is just changing distorts nothing.
        size = {"width": want, "height": max(round(height * want / have), 1), "quality": quality}
        return _picture((await self._call("image.resize", {"image": picture, **size}))["image"])

    async def _zoom(self, tab_id: int) -> float:
        return float(await self._call("tabs.getZoom", {"tabId": tab_id}) or 1)

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await self._connection.call(method, params, timeout=CAPTURE_TIMEOUT)
        except BridgeError as error:
            raise _busy_if_late(error) from error


def size_of(picture: str) -> tuple[int, int]:
    """Width and height in pixels of a JPEG ``data:`` address."""
    size = jpeg_size(picture)
    if size is None:
        raise BridgeError("The browser's picture is broken.", code="api_error")
    return size


def _picture(answer: Any) -> str:
    if not isinstance(answer, str) or not answer.startswith(JPEG):
        raise BridgeError("The browser gave no picture.", code="api_error")
    return answer


def _busy_if_late(error: BridgeError) -> BridgeError:
    if error.code != "timeout":
        return error
    return BridgeError("The page is busy, or a dialog is open in it: it cannot be drawn.", code="page_busy")


def _demand_shown(tab: dict[str, Any]) -> None:
    if not tab.get("active"):
        raise _not_visible()


def _not_visible() -> BridgeError:
    return BridgeError("This tab is not the one its window shows, so it is not drawn.", code="not_visible")
