"""The browser's debugging protocol for a tab. What may be asked of it is the enum in methods.json."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.protocols import Capabilities
from webbrain.host.reach import BrowserEvent
from webbrain.host.rpc import Connection
from webbrain.host.tabs import Tabs, restricted, unknown_if_cut_off

PROTOCOL: Final = "1.3"
ATTACH_TIMEOUT: Final = 5.0
SILENT_COMMANDS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("Page.enable", {}),
    # Only the reports of requests are wanted: without these limits the renderer keeps a copy of every body,
    # and every report has the request's own in it (0 would mean no limit).
    ("Network.enable", {"maxTotalBufferSize": 1, "maxResourceBufferSize": 1, "maxPostDataSize": 1}),
)
"""What is switched on when a tab is attached. None of it shows in the page."""
EMPTY_PAGE: Final = "about:blank"
REFUSALS: Final = frozenset({"restricted_page", "api_error", "debugger_detached"})
NOT_SENT: Final = "is not attached"
"""What Chrome says of a command that it had no session for. One under way is "detached while handling"."""


class BridgeDebugger:
    """Attachments by tab, as far as this Worker knows of them.

    The browser keeps an attachment over the death of the service worker and of the Worker, so that attaching
    again is no error. One command at a time is on its way to attach or detach a tab.
    """

    def __init__(self, connection: Connection, tabs: Tabs, capabilities: Capabilities) -> None:
        self._connection = connection
        self._tabs = tabs
        self._capabilities = capabilities
        self._attached: set[int] = set()
        self._locks: dict[int, asyncio.Lock] = {}

    def hear(self, event: BrowserEvent) -> None:
        """Browser events that end an attachment."""
        if event.kind in ("debugger_detached", "tab_removed"):
            self._attached.discard(event.tab_id)
            lock = self._locks.get(event.tab_id)
            if event.kind == "tab_removed" and lock is not None and not lock.locked():
                del self._locks[event.tab_id]

    async def attach(self, tab_id: int) -> None:
        self._demand()
        async with self._lock(tab_id):
            if tab_id in self._attached:
                return
            tab = await self._tabs.get(tab_id)
            url = str(tab.get("url") or tab.get("pendingUrl") or EMPTY_PAGE)
            if url != EMPTY_PAGE and restricted(url):
                raise _refused("it is one of the browser's own pages", "forbidden")
            target = {"tabId": tab_id}
            try:
                await self._attach(target)
                for method, params in SILENT_COMMANDS:
                    await self._command(target, method, params, ATTACH_TIMEOUT)
            except BridgeError as error:
                if error.code not in REFUSALS:
                    raise
                # A session that is said to be there and is not is somebody else's.
                reason = "taken" if error.code == "debugger_detached" else "forbidden"
                raise _refused(error.message, reason) from error
            self._attached.add(tab_id)

    async def detach(self, tab_id: int) -> None:
        self._demand()
        async with self._lock(tab_id):
            self._attached.discard(tab_id)
            # A tab that is gone, or was never attached, is as detached as can be.
            with suppress(BridgeError):
                await self._connection.call(
                    "debugger.detach", {"target": {"tabId": tab_id}}, timeout=BRIDGE_CALL_TIMEOUT
                )

    def attached(self, tab_id: int) -> bool:
        return tab_id in self._attached

    async def send(
        self, tab_id: int, method: str, params: Mapping[str, Any] | None = None, *, timeout: float = 10.0
    ) -> dict[str, Any]:
        self._demand()
        if tab_id not in self._attached:
            raise _detached("The debugger is not attached to this tab.", sent=False)
        try:
            return await self._command({"tabId": tab_id}, method, params or {}, timeout)
        except BridgeError as error:
            if error.code in ("debugger_detached", "no_tab"):
                self._attached.discard(tab_id)
            if error.code == "debugger_detached":
                raise _detached(error.message, sent=NOT_SENT not in error.message) from error
            if method.startswith("Input."):
                raise unknown_if_cut_off(error) from error
            raise

    async def _attach(self, target: Mapping[str, int]) -> None:
        params = {"target": target, "requiredVersion": PROTOCOL}
        try:
            await self._connection.call("debugger.attach", params, timeout=ATTACH_TIMEOUT)
        except BridgeError as error:
            # Chrome says so only of our own attachment; developer tools beside us do no harm.
            if error.code != "debugger_attached":
                raise

    async def _command(
        self, target: Mapping[str, int], method: str, params: Mapping[str, Any], timeout: float
    ) -> dict[str, Any]:
        call = {"target": target, "method": method, "commandParams": params}
        answer = await self._connection.call("debugger.sendCommand", call, timeout=timeout)
        return dict(answer or {})

    def _lock(self, tab_id: int) -> asyncio.Lock:
        return self._locks.setdefault(tab_id, asyncio.Lock())

    def _demand(self) -> None:
        if not self._capabilities.cdp:
            raise BridgeError("This browser has no debugger for extensions.", code="not_available")


def _refused(why: str, reason: str) -> BridgeError:
    sentence = f"The browser does not let this tab be debugged: {why}"
    return BridgeError(sentence, code="debugger_refused", data={"reason": reason})


def _detached(message: str, *, sent: bool) -> BridgeError:
    return BridgeError(message, code="debugger_detached", data={"sent": sent})
