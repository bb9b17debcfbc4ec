"""Watches, if the user wants it, what requests the presses of a run make, and says when one is enough."""

from contextlib import suppress
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Host
from webbrain.host.requests import WITH_BODIES
from webbrain.policy.shortcuts import PRESSES, Shortcuts
from webbrain.tools.base import ToolSpec
from webbrain.tools.state import RunState

FETCH: Final = "fetch_url"
SWITCH: Final = "apiObserverEnabled"
"""Storage key of ``Settings.api_observer_enabled``; a test pins the two to each other."""


class ApiObserver:
    """The observer of one run; without ``on`` it does nothing at all."""

    def __init__(self, host: Host, *, on: bool, may_write: bool) -> None:
        self._host = host
        self._on = on
        self._may_write = may_write
        self._tabs: dict[int, Shortcuts] = {}
        self._debugged: set[int] = set()

    async def before(self, state: RunState, spec: ToolSpec) -> None:
        """A call is about to be made: from the first press in a tab on, its requests are kept account of."""
        if not self._on or spec.name not in PRESSES:
            return
        with suppress(BridgeError, OutcomeUnknown):
            if (await self._host.settings.get([SWITCH])).get(SWITCH) is not True:
                self._on = False
                await self.end()  # it was switched off meanwhile
                return
            if state.tab_id not in self._tabs:
                await self._host.requests.watch(state.tab_id)
                self._tabs[state.tab_id] = Shortcuts(may_write=self._may_write)
            if state.tab_id in state.debugged and state.tab_id not in self._debugged:
                await self._host.debugger.send(state.tab_id, "Network.enable", WITH_BODIES)
                self._debugged.add(state.tab_id)
            self._tabs[state.tab_id].pressed(self._host.clock.monotonic())

    async def after(self, tab_id: int, spec: ToolSpec, given: dict[str, Any], result: ToolResult) -> None:
        """A call was made in that tab: add to its result what the presses so far come down to."""
        shortcuts = self._tabs.get(tab_id)
        if shortcuts is None:
            return
        if spec.name == FETCH and not result.success:
            shortcuts.failed(str(given.get("method") or "GET"), str(given.get("url") or ""))
        if spec.name not in PRESSES:
            return
        with suppress(BridgeError, OutcomeUnknown):
            seen = await self._host.requests.seen(tab_id)
            found = shortcuts.judge(self._host.clock.monotonic(), seen)
            if found is not None:
                result.data["apiShortcut"] = found.data
                result.notes.append(found.note)

    async def end(self) -> None:
        """The run is over: nothing is watched any more, and nothing kept."""
        tabs, self._tabs = list(self._tabs), {}
        for tab_id in tabs:
            with suppress(BridgeError, OutcomeUnknown):
                await self._host.requests.forget(tab_id)
