"""The tabs of one run from its beginning to its end: what happens in them, and what is left of them."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from webbrain.agent.api_observer import ApiObserver
from webbrain.agent.enrich import clean
from webbrain.agent.page import read_page
from webbrain.agent.turns import PageView
from webbrain.core.errors import BridgeError
from webbrain.core.events import OpenTab, RunEvent
from webbrain.core.events import Warning as RunWarning
from webbrain.core.limits import PAGE_URL_CHARS
from webbrain.core.refs import RefNumbers
from webbrain.core.types import Capability
from webbrain.host.protocols import Host
from webbrain.host.reach import BrowserEvent
from webbrain.policy.taint import origin_of
from webbrain.tools.base import ToolSpec
from webbrain.tools.debugging import attach, detach_all
from webbrain.tools.dialogs import put_away
from webbrain.tools.state import DialogOpen, RunState, unless_dialog

OFF_PAGE: Final = frozenset({Capability.NETWORK, Capability.DOWNLOAD, Capability.WINDOW, Capability.SCHEDULE})
"""Capabilities whose use does not touch the page; all other effects want the debugger attached first."""
READ_TRIES: Final = 4
"""Times a page is read anew because a dialog came, or its tab went."""
TABS_LISTED: Final = 20
LEFT_OPEN: Final = "tabs_left_open"
"""Code of the warning that lists the tabs a run leaves behind."""


class RunTabs:
    """Listens to the browser for one run and keeps its :class:`RunState` true."""

    def __init__(
        self,
        host: Host,
        tab_id: int,
        warn: Callable[[str, str], None],
        *,
        observes: bool = False,
        may_write: bool = False,
    ) -> None:
        """``observes`` and ``may_write`` are those of the :class:`ApiObserver`."""
        self.state = RunState(home=tab_id, tab_id=tab_id, warn=warn)
        self.observer = ApiObserver(host, on=observes, may_write=may_write)
        self._host = host
        self._deafen: Callable[[], None] | None = None
        self._adopting: set[asyncio.Task[bool]] = set()

    def listen(self) -> None:
        """Hear of what happens in the browser from now on."""
        if self._deafen is None:
            self._deafen = self._host.events.listen(self._hear)

    async def make_ready(self, spec: ToolSpec) -> None:
        """Before a call of ``spec``: attach the debugger where it acts on the page, and put away a dialog
        that waits for another answer."""
        state = self.state
        if not spec.effect or spec.keeps_dialog:
            return
        if state.dialog is not None:
            await put_away(self._host, state)
        if spec.capability not in OFF_PAGE:
            await attach(self._host, state, state.tab_id)
        await self.observer.before(state, spec)

    def take_notes(self) -> list[str]:
        """What tools and the browser have to say to the model, once."""
        notes, self.state.notes = self.state.notes, []
        return notes

    async def gone(self) -> bool:
        """Whether the run has no tab any more. One that was opened by the run leads back to the first."""
        state = self.state
        for tab_id in dict.fromkeys((state.tab_id, state.home)):
            try:
                await self._host.browser.get_tab(tab_id)
            except BridgeError as error:
                if error.code == "no_tab":
                    continue
            state.tab_id = tab_id
            return False
        return True

    async def read(self, refs: RefNumbers) -> PageView:
        """The page, for a model that is shown it before every call. Such a model is not asked about a dialog
        in between: it is put away. A tab that closed leads back to the first."""
        state = self.state
        for _ in range(READ_TRIES - 1):
            await put_away(self._host, state)
            try:
                return await unless_dialog(state, read_page(self._host, state.tab_id, refs))
            except DialogOpen:
                continue
            except BridgeError as error:
                if error.code != "no_tab" or await self.gone():
                    raise
        return await read_page(self._host, state.tab_id, refs)

    def left_open(self) -> list[OpenTab]:
        """The tabs that came out of this run and are still there."""
        opened = list(self.state.opened.items())[:TABS_LISTED]
        return [OpenTab(tab_id=tab_id, url=clean(url, PAGE_URL_CHARS)) for tab_id, url in opened]

    async def take_over(self, tabs: list[OpenTab]) -> None:
        """Count tabs that an earlier run of the conversation left open among those of this one.

        A tab of that number with a page of another site may be any tab: browsers begin their numbers anew.
        """
        for tab in tabs:
            try:
                there = await self._host.browser.get_tab(tab.tab_id)
            except BridgeError:
                continue
            same = tab.url == clean(there.url, PAGE_URL_CHARS) or origin_of(tab.url) == origin_of(there.url)
            if tab.tab_id != self.state.home and same:
                self.state.opened[tab.tab_id] = there.url

    async def end(self) -> None:
        """Leave no dialog, no debugger and no listener behind."""
        for task in self._adopting:
            task.cancel()
        try:
            await put_away(self._host, self.state)
            await detach_all(self._host, self.state)
            await self.observer.end()
        finally:
            if self._deafen is not None:
                self._deafen()
                self._deafen = None

    def _hear(self, event: BrowserEvent) -> None:
        self.state.hear(event)
        if event.kind == "tab_opened" and self.state.debugged:
            opened = int(event.data["tabId"])
            if opened in self.state.opened:
                # A page may open a dialog while it loads, so its tab is attached to before it can.
                task = asyncio.ensure_future(attach(self._host, self.state, opened))
                self._adopting.add(task)
                task.add_done_callback(self._adopting.discard)


def told_open(tabs: list[OpenTab]) -> RunWarning:
    """The warning that lists the tabs a run leaves behind."""
    listed = ", ".join(tab.url or f"tab {tab.tab_id}" for tab in tabs)
    count = f"{len(tabs)} tabs" if len(tabs) > 1 else "a tab"
    return RunWarning(code=LEFT_OPEN, message=f"This task left {count} open: {listed}", tabs=tabs)


def open_before(events: Iterable[RunEvent], run_id: str) -> list[OpenTab]:
    """The tabs that were left open by the run before ``run_id``."""
    before, found = "", list[OpenTab]()
    for event in events:
        if event.run_id == run_id:
            break
        if event.run_id != before:
            before, found = event.run_id, []
        if event.type == "warning" and event.data.get("code") == LEFT_OPEN:
            found = [OpenTab.model_validate(tab) for tab in event.data.get("tabs", [])]
    return found
