"""The real host: every protocol of ``host.protocols`` over the bridge to the browser."""

import asyncio
import logging
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import BRIDGE_CALL_TIMEOUT, NAVIGATION_TIMEOUT
from webbrain.host.protocols import Capabilities, HttpRequest, HttpResponse, Tab
from webbrain.host.rpc import Connection

POLL_INTERVAL: Final = 0.05
"""Seconds between two looks at a tab that is loading."""
NAVIGATION_START: Final = 1.0
"""Seconds in which a navigation that was asked for shows in the tab. Firefox still reports the old page as
complete for a moment, and a step in an empty history is no error there but simply does nothing."""
STORE_TIMEOUT: Final = 60.0
STORE_READ_LIMIT: Final = 10_000
INJECTION_TIMEOUT: Final = 10.0
CONTENT_SCRIPT: Final = "js/content.js"

WEB_SCHEMES: Final = ("http:", "https:", "file:")
"""Pages of all other schemes (chrome:, about:, view-source:, other extensions) are closed to extensions."""
OPENABLE: Final = ("http://", "https://", "about:blank")
STORE_PAGES: Final = (
    "https://chromewebstore.google.com/",
    "https://chrome.google.com/webstore",
    "https://addons.mozilla.org/",
    "https://microsoftedge.microsoft.com/addons",
)
CUT_OFF: Final = frozenset({"page_gone", "page_busy", "timeout", "outcome_unknown"})
"""Codes that leave open whether the other side did what it was asked."""

_log = logging.getLogger(__name__)


def restricted(url: str) -> bool:
    """Return whether browsers keep extensions out of this address, whatever permissions they have."""
    return not url.startswith(WEB_SCHEMES) or url.startswith(STORE_PAGES)


class BridgeBrowser:
    """Tabs and navigation by rows of the bridge's table."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._left: dict[int, str] = {}
        """Address each tab was at when a navigation was asked for, until it is waited for."""

    async def get_tab(self, tab_id: int) -> Tab:
        return _tab(await self._get(tab_id))

    async def active_tab(self) -> Tab | None:
        found = await self._query({"active": True, "lastFocusedWindow": True, "windowType": "normal"})
        if not found:
            # The focus is in a window that is none of the user's ordinary ones (a pop-up, developer tools).
            found = await self._query({"active": True, "windowType": "normal"})
        newest = max(found, key=lambda tab: float(tab.get("lastAccessed", 0)), default=None)
        return _tab(newest) if newest else None

    async def navigate(self, tab_id: int, url: str) -> None:
        if not url.startswith(OPENABLE):
            raise BridgeError("Only http and https addresses can be opened.", code="restricted_page")
        self._left[tab_id] = str((await self._get(tab_id)).get("url", ""))
        await self._act("tabs.update", {"tabId": tab_id, "updateProperties": {"url": url}})

    async def go_back(self, tab_id: int) -> None:
        await self._step("tabs.goBack", tab_id)

    async def go_forward(self, tab_id: int) -> None:
        await self._step("tabs.goForward", tab_id)

    async def wait_loaded(self, tab_id: int, timeout: float) -> Tab:
        end = time.monotonic() + timeout
        left = self._left.pop(tab_id, None)
        if left is not None:
            await self._look(tab_id, lambda tab: _has_left(tab, left), min(NAVIGATION_START, timeout))
        return _tab(await self._look(tab_id, _is_loaded, max(end - time.monotonic(), 0)))

    async def reload(self, tab_id: int) -> None:
        """Load the tab's page again, as for a tab the browser has put to sleep."""
        await self._act("tabs.reload", {"tabId": tab_id})

    async def raw_tab(self, tab_id: int) -> dict[str, Any]:
        """The tab with all the fields the table lets through; ``no_tab`` if it is gone."""
        return await self._get(tab_id)

    async def _step(self, method: str, tab_id: int) -> None:
        before = str((await self._get(tab_id)).get("url", ""))
        await self._act(method, {"tabId": tab_id})
        tab = await self._look(tab_id, lambda tab: _has_left(tab, before), NAVIGATION_START)
        if not _has_left(tab, before):
            raise BridgeError("There is no page to go to in this tab's history.", code="no_history")

    async def _act(self, method: str, params: Mapping[str, Any]) -> None:
        try:
            await self._connection.call(method, params, timeout=BRIDGE_CALL_TIMEOUT)
        except BridgeError as error:
            raise _unknown_if_cut_off(error) from error

    async def _look(
        self, tab_id: int, enough: Callable[[dict[str, Any]], bool], seconds: float
    ) -> dict[str, Any]:
        """Look at the tab until it is as wanted or the time is over; return it as it is then."""
        end = time.monotonic() + seconds
        while True:
            tab = await self._get(tab_id)
            if enough(tab) or time.monotonic() >= end:
                return tab
            await asyncio.sleep(POLL_INTERVAL)

    async def _get(self, tab_id: int) -> dict[str, Any]:
        tab = await self._connection.call("tabs.get", {"tabId": tab_id}, timeout=BRIDGE_CALL_TIMEOUT)
        return dict(tab)

    async def _query(self, info: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = await self._connection.call("tabs.query", {"queryInfo": info}, timeout=BRIDGE_CALL_TIMEOUT)
        return list(found)


class BridgePage:
    """Messages to the content script, which is injected when nobody answers."""

    def __init__(self, connection: Connection, browser: BridgeBrowser) -> None:
        self._connection = connection
        self._browser = browser

    async def call(
        self,
        tab_id: int,
        action: str,
        args: Mapping[str, Any],
        *,
        timeout: float,
        effect: bool = False,
        frame_id: int = 0,
    ) -> dict[str, Any]:
        end = time.monotonic() + timeout
        try:
            return await self._deliver(tab_id, action, args, end, frame_id)
        except BridgeError as error:
            if error.code not in CUT_OFF:
                raise
            if effect:
                raise _unknown_if_cut_off(error) from error
            if error.code in ("page_busy", "timeout"):
                raise
        # The page went away under a call that changes nothing: ask the page that comes next.
        await self._browser.wait_loaded(tab_id, min(NAVIGATION_TIMEOUT, max(end - time.monotonic(), 0)))
        return await self._deliver(tab_id, action, args, end, frame_id)

    async def _deliver(
        self, tab_id: int, action: str, args: Mapping[str, Any], end: float, frame_id: int
    ) -> dict[str, Any]:
        """Send the message; inject the content script and send it once more if nobody was there to get it."""
        try:
            return await self._send(tab_id, action, args, end, frame_id)
        except BridgeError as error:
            if error.code not in ("no_receiver", "page_gone"):
                raise
            await self._prepare(tab_id)
            if error.code == "page_gone":
                raise
        await self._inject(tab_id, frame_id)
        try:
            return await self._send(tab_id, action, args, end, frame_id)
        except BridgeError as error:
            if error.code == "no_receiver":
                raise BridgeError("The page changed while it was being read.", code="page_gone") from error
            raise

    async def _send(
        self, tab_id: int, action: str, args: Mapping[str, Any], end: float, frame_id: int
    ) -> dict[str, Any]:
        params = {
            "tabId": tab_id,
            "message": {"target": "content", "action": action, "args": args},
            "options": {"frameId": frame_id},
        }
        timeout = max(end - time.monotonic(), 0.0)
        try:
            answer = await self._connection.call("tabs.sendMessage", params, timeout=timeout)
        except BridgeError as error:
            if error.code == "timeout":
                raise BridgeError("The page did not answer in time.", code="page_busy") from error
            raise
        if answer is None:
            # One of our own screens has this tab: it hears messages to pages and leaves them alone.
            raise BridgeError("Nobody in the page answered.", code="no_receiver")
        if not isinstance(answer, dict):
            raise BridgeError("The page's answer is not an object.", code="api_error")
        return answer

    async def _inject(self, tab_id: int, frame_id: int) -> None:
        injection = {
            "target": {"tabId": tab_id, "frameIds": [frame_id]},
            "files": [CONTENT_SCRIPT],
            "injectImmediately": True,
        }
        await self._connection.call(
            "scripting.executeScript", {"injection": injection}, timeout=INJECTION_TIMEOUT
        )

    async def _prepare(self, tab_id: int) -> None:
        """Refuse a page that is closed to extensions, and wake one that the browser has put to sleep."""
        tab = await self._browser.raw_tab(tab_id)
        # Without an address there is nothing to judge by; the browser's own refusal follows.
        if (url := str(tab.get("url", ""))) and restricted(url):
            raise BridgeError("The browser keeps extensions out of this page.", code="restricted_page")
        if tab.get("discarded"):
            await self._browser.reload(tab_id)
            await self._browser.wait_loaded(tab_id, NAVIGATION_TIMEOUT)


class BridgeResponse:
    """A response whose body comes as chunks. Dropping it unread stops the transfer."""

    def __init__(
        self, head: Mapping[str, Any], body: AsyncIterator[bytes], close: Callable[[], None]
    ) -> None:
        self.status: int = int(head["status"])
        self.headers: Mapping[str, str] = dict(head["headers"])
        self._body = body
        self._close = weakref.finalize(self, close)

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._body:
                yield piece
        finally:
            self._close()

    async def read(self, limit: int) -> bytes:
        whole = bytearray()
        async for piece in self._body:
            whole += piece
            if len(whole) > limit:
                await self.close()
                raise BridgeError(f"The answer has more than {limit} bytes.", code="too_large")
        return bytes(whole)

    async def close(self) -> None:
        self._close()


class BridgeHttp:
    """Fetch through the supervisor page."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def send(self, request: HttpRequest) -> HttpResponse:
        params = {
            "method": request.method,
            "url": request.url,
            "headers": dict(request.headers),
            "headersTimeoutMs": round(request.headers_timeout * 1000),
            "stallTimeoutMs": round(request.stall_timeout * 1000),
        }
        buffers = [request.body] if request.body is not None else []
        head, stream_id, stream = await self._connection.call_stream(
            "http.send", params, timeout=request.headers_timeout, buffers=buffers
        )
        connection = self._connection
        return BridgeResponse(head, aiter(stream), lambda: connection.close_stream(stream_id))


class BridgeKeyValue:
    """A storage area of the browser: ``local`` or ``session``."""

    def __init__(self, connection: Connection, area: str) -> None:
        self._connection = connection
        self._area = area

    async def get(self, keys: Sequence[str] | None = None) -> dict[str, Any]:
        params = {"keys": None if keys is None else list(keys)}
        return dict(
            await self._connection.call(f"storage.{self._area}.get", params, timeout=BRIDGE_CALL_TIMEOUT)
        )

    async def set(self, values: Mapping[str, Any]) -> None:
        params = {"items": dict(values)}
        await self._connection.call(f"storage.{self._area}.set", params, timeout=BRIDGE_CALL_TIMEOUT)

    async def remove(self, keys: Sequence[str]) -> None:
        params = {"keys": list(keys)}
        await self._connection.call(f"storage.{self._area}.remove", params, timeout=BRIDGE_CALL_TIMEOUT)


class BridgeStore:
    """The supervisor's append-only records in IndexedDB."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def append(self, stream: str, records: Sequence[Mapping[str, Any]]) -> int:
        params = {"stream": stream, "records": [dict(record) for record in records]}
        return int((await self._connection.call("store.append", params, timeout=STORE_TIMEOUT))["seq"])

    async def read(
        self, stream: str, after: int = 0, limit: int = STORE_READ_LIMIT
    ) -> list[tuple[int, dict[str, Any]]]:
        found: list[tuple[int, dict[str, Any]]] = []
        while len(found) < limit:
            rest = min(limit - len(found), STORE_READ_LIMIT)
            params = {"stream": stream, "after": after, "limit": rest}
            answer = await self._connection.call("store.read", params, timeout=STORE_TIMEOUT)
            found += [(int(seq), record) for seq, record in answer["records"]]
            # One answer holds as much as a frame may; the rest is asked for.
            if not answer["more"] or not answer["records"]:
                break
            after = found[-1][0]
        return found

    async def streams(self) -> list[str]:
        return list((await self._connection.call("store.streams", {}, timeout=STORE_TIMEOUT))["streams"])

    async def delete(self, stream: str) -> None:
        await self._connection.call("store.delete", {"stream": stream}, timeout=STORE_TIMEOUT)


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def local_time(self) -> str:
        here = datetime.now().astimezone()
        offset = here.strftime("%z")
        return f"{here:%A %Y-%m-%d %H:%M} (UTC{offset[:3]}:{offset[3:]})"

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class BridgeUi:
    """Events to our own screens."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def emit(self, event: str, params: Mapping[str, Any]) -> None:
        try:
            self._connection.event("ui.emit", {"event": event, "params": dict(params)})
        except (BridgeError, TypeError, ValueError):
            _log.exception("An event for the screens cannot be sent: %s", event)


class BridgeHost:
    """All of it over one connection."""

    def __init__(self, connection: Connection, capabilities: Capabilities) -> None:
        self.capabilities = capabilities
        self.browser = BridgeBrowser(connection)
        self.page = BridgePage(connection, self.browser)
        self.http = BridgeHttp(connection)
        self.settings = BridgeKeyValue(connection, "local")
        self.session = BridgeKeyValue(connection, "session")
        self.store = BridgeStore(connection)
        self.clock = SystemClock()
        self.ui = BridgeUi(connection)


def _tab(raw: Mapping[str, Any]) -> Tab:
    return Tab(
        id=int(raw["id"]),
        url=str(raw.get("url", "")),
        title=str(raw.get("title", "")),
        window_id=int(raw.get("windowId", 0)),
        active=bool(raw.get("active", False)),
        status="loading" if raw.get("status") == "loading" else "complete",
    )


def _has_left(tab: Mapping[str, Any], url: str) -> bool:
    return tab.get("status") == "loading" or bool(tab.get("pendingUrl")) or tab.get("url", "") != url


def _is_loaded(tab: Mapping[str, Any]) -> bool:
    asleep = tab.get("discarded") or tab.get("status") == "unloaded"
    return not asleep and tab.get("status") != "loading" and not tab.get("pendingUrl")


def _unknown_if_cut_off(error: BridgeError) -> BridgeError | OutcomeUnknown:
    if error.code not in CUT_OFF:
        return error
    return OutcomeUnknown(
        f"It is not known whether this happened: {error.message}", data={"cause": error.code, **error.data}
    )
