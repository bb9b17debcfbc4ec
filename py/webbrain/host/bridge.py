"""The real host: every protocol of ``host.protocols`` over the bridge to the browser."""

import asyncio
import logging
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host.builtin import BridgeBuiltin
from webbrain.host.debugger import BridgeDebugger
from webbrain.host.downloads import BridgeDownloads
from webbrain.host.events import BridgeEvents
from webbrain.host.page import BridgePage
from webbrain.host.pdf import BridgePdfs
from webbrain.host.pictures import BridgePictures
from webbrain.host.protocols import Capabilities, HttpRequest, HttpResponse, KeyValue, Tab
from webbrain.host.reach import Frame
from webbrain.host.requests import BridgeRequests
from webbrain.host.rpc import Connection
from webbrain.host.tables import BridgeTables
from webbrain.host.tabs import Tabs
from webbrain.host.toolbar import BridgeToolbar
from webbrain.host.values import BridgeKeyValue, RememberedValues
from webbrain.host.windows import BridgeWindows

HISTORY_TIMEOUT: Final = 3.0
"""Seconds a page may take to say that it takes a step in its history."""
STORE_TIMEOUT: Final = 60.0
STORE_READ_LIMIT: Final = 10_000
SETTINGS_CHANGED: Final = "settings_changed"
"""The event that concerns the host alone."""
OPENABLE: Final = ("http://", "https://", "about:blank")

_log = logging.getLogger(__name__)


class BridgeBrowser:
    """Tabs and navigation."""

    def __init__(self, tabs: Tabs, page: BridgePage) -> None:
        self._tabs = tabs
        self._page = page

    async def get_tab(self, tab_id: int) -> Tab:
        return _tab(await self._tabs.get(tab_id))

    async def active_tab(self) -> Tab | None:
        found = await self._tabs.query({"active": True, "lastFocusedWindow": True, "windowType": "normal"})
        if not found:
            # The focus is in a window that is none of the user's ordinary ones (a pop-up, developer tools).
            found = await self._tabs.query({"active": True, "windowType": "normal"})
        newest = max(found, key=lambda tab: float(tab.get("lastAccessed", 0)), default=None)
        return _tab(newest) if newest else None

    async def navigate(self, tab_id: int, url: str) -> None:
        if not url.startswith(OPENABLE):
            raise BridgeError("Only http and https addresses can be opened.", code="restricted_page")
        before = await self._tabs.get(tab_id)
        self._tabs.leaves(before)
        try:
            await self._tabs.act("tabs.update", {"tabId": tab_id, "updateProperties": {"url": url}})
        except OutcomeUnknown:
            # The answer was lost; the tab itself shows whether the call arrived.
            if not await self._tabs.has_left(tab_id, str(before.get("url", ""))):
                raise

    async def go_back(self, tab_id: int) -> None:
        await self._step(tab_id, -1, "tabs.goBack")

    async def go_forward(self, tab_id: int) -> None:
        await self._step(tab_id, 1, "tabs.goForward")

    async def wait_loaded(self, tab_id: int, timeout: float) -> Tab:
        return _tab(await self._tabs.loaded(tab_id, timeout))

    async def frames(self, tab_id: int) -> list[Frame]:
        found = [
            Frame(int(raw["frameId"]), int(raw.get("parentFrameId", -1)), str(raw.get("url", "")))
            for raw in await self._tabs.frames(tab_id)
        ]
        return sorted(found, key=lambda frame: frame.id != 0)

    async def open_tab(self, url: str, *, beside: int, active: bool = False) -> Tab:
        if not url.startswith(OPENABLE):
            raise BridgeError("Only http and https addresses can be opened.", code="restricted_page")
        window = int((await self._tabs.get(beside))["windowId"])
        properties = {"url": url, "active": active, "windowId": window, "openerTabId": beside}
        made = await self._tabs.act("tabs.create", {"createProperties": properties})
        self._tabs.leaves({"id": made["id"], "url": ""})
        return Tab(int(made["id"]), url, "", window_id=window, active=active, status="loading")

    async def opened_from(self, tab_id: int) -> list[Tab]:
        found = await self._tabs.query({"windowType": "normal"})
        return [
            _tab({**raw, "url": raw.get("pendingUrl") or raw.get("url", "")})
            for raw in found
            if raw.get("openerTabId") == tab_id
        ]

    async def close_tab(self, tab_id: int) -> None:
        try:
            await self._tabs.act("tabs.remove", {"tabId": tab_id})
        except BridgeError as error:
            if error.code != "no_tab":
                raise

    async def _step(self, tab_id: int, delta: int, method: str) -> None:
        """Take one step in the tab's history, by the page's own history if it can be reached.

        Chrome's ``tabs.goBack`` skips every page on which no person clicked or typed, which are all pages
        that only an agent has used. ``history.go`` does not.
        """
        before = str((await self._tabs.get(tab_id)).get("url", ""))
        if not await self._page_steps(tab_id, delta):
            await self._tabs.act(method, {"tabId": tab_id})
        if not await self._tabs.has_left(tab_id, before):
            raise BridgeError("There is no page to go to in this tab's history.", code="no_history")

    async def _page_steps(self, tab_id: int, delta: int) -> bool:
        """Whether the page itself was told to take the step."""
        try:
            answer = await self._page.call(
                tab_id, "history_step", {"delta": delta}, timeout=HISTORY_TIMEOUT, effect=True
            )
        except BridgeError:
            return False
        except OutcomeUnknown as error:
            # A page that went away under the call did so because of the step. A page that hangs is left by
            # the browser's own button.
            return error.data.get("cause") == "page_gone"
        return bool(answer.get("success"))


class BridgeResponse:
    """A response whose body comes as chunks. Dropping it unread stops the transfer."""

    def __init__(
        self, head: Mapping[str, Any], body: AsyncIterator[bytes], close: Callable[[], None]
    ) -> None:
        self.status: int = int(head["status"])
        self.url: str = str(head["url"])
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
            "follow": request.follow,
            "cookies": request.cookies,
        }
        buffers = [request.body] if request.body is not None else []
        head, stream_id, stream = await self._connection.call_stream(
            "http.send", params, timeout=request.headers_timeout, buffers=buffers
        )
        connection = self._connection
        return BridgeResponse(head, aiter(stream), lambda: connection.close_stream(stream_id))


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
        tabs = Tabs(connection)
        self.page = BridgePage(connection, tabs)
        self.browser = BridgeBrowser(tabs, self.page)
        self.http = BridgeHttp(connection)
        local = BridgeKeyValue(connection, "local")
        # Firefox keeps settings where it tells nobody of changes (js/bridge/vault.js).
        self.settings: KeyValue = local
        self._remembered = RememberedValues(local) if capabilities.browser == "chrome" else None
        if self._remembered:
            self.settings = self._remembered
        self.session = BridgeKeyValue(connection, "session")
        self.store = BridgeStore(connection)
        self.tables = BridgeTables(connection)
        self.clock = SystemClock()
        self.ui = BridgeUi(connection)
        self.events = BridgeEvents()
        self.debugger = BridgeDebugger(connection, tabs, capabilities)
        self.downloads = BridgeDownloads(connection)
        self.windows = BridgeWindows(connection)
        self.pictures = BridgePictures(connection, tabs, self.debugger, capabilities)
        self.pdfs = BridgePdfs(connection)
        self.toolbar = BridgeToolbar(connection, capabilities.browser)
        self.builtin = BridgeBuiltin(connection)
        self.requests = BridgeRequests(connection)
        self.events.listen(self.page.hear)
        self.events.listen(self.debugger.hear)
        self.events.listen(self.downloads.hear)

    def receive_event(self, params: Mapping[str, Any]) -> None:
        """Take one ``browser_event`` of the supervisor."""
        if params.get("kind") != SETTINGS_CHANGED:
            self.events.receive(params)
        elif self._remembered:
            self._remembered.changed(params.get("data") or {})


def _tab(raw: Mapping[str, Any]) -> Tab:
    return Tab(
        id=int(raw["id"]),
        url=str(raw.get("url", "")),
        title=str(raw.get("title", "")),
        window_id=int(raw.get("windowId", 0)),
        active=bool(raw.get("active", False)),
        status="loading" if raw.get("status") == "loading" else "complete",
    )
