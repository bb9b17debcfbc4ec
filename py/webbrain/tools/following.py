"""Where a tab went after something was done to it, and what else came of it: new tabs, downloads, dialogs.

The browser says by itself when a page begins to load, so an action that leads nowhere costs no waiting.
"""

from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.core.limits import PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Tab
from webbrain.host.reach import BrowserEvent
from webbrain.tools.base import ToolContext
from webbrain.tools.dialogs import WAITS
from webbrain.tools.state import Dialog, DialogOpen, unless_dialog

START_GRACE_LIKELY: Final = 1.0
"""How long after an action a navigation may still begin, where the page said that it navigates or a form was
sent. Without such a sign nothing is waited for."""
LOAD_WAIT: Final = 10.0
"""How long a page that an action opened may take to load before the action answers anyway."""
TABS_TOLD: Final = 5
DOWNLOADS_TOLD: Final = 5
FILENAME_CHARS: Final = 200

NEW_PAGE_NOTE: Final = (
    "The tab shows a new page after this. Refs from before are void: read the page before the next action."
)
SAME_PAGE_NOTE: Final = "The address changed without a new page being loaded; what is shown may be new."
STILL_LOADING_NOTE: Final = "The page is still loading; what you read now may be incomplete."
TAB_CLOSED_NOTE: Final = "The tab closed itself after this. Finish and tell the user what was done."
NEW_TAB_NOTE: Final = (
    "This opened tab {tab}. The run still works in tab {here}: switch_tab to go on in the new one, and do "
    "not open it a second time."
)
NEW_TAB_LOADS_NOTE: Final = "Tab {tab} is still loading; that takes as long as it takes, and it is open."
DOWNLOAD_NOTE: Final = "A download began; list_downloads tells when it is complete."


async def settle(
    ctx: ToolContext, before: Tab, grace: float, load_wait: float, *, since: int | None = None
) -> tuple[Tab, bool]:
    """Wait up to ``grace`` seconds for a navigation to begin and then ``load_wait`` for it to finish.

    ``since`` is the place in the run's signals from which on a navigation counts. Return the tab as it is
    then, and whether a page was loaded or the address changed. A dialog ends the waiting.
    """
    state, clock = ctx.state, ctx.host.clock
    mark = state.signals.mark if since is None else since
    tab = await ctx.host.browser.get_tab(ctx.tab_id)
    waited = False
    if tab.url == before.url and not _phases(ctx, mark) and state.dialog is None and grace > 0:
        waited = True
        await state.signals.first(lambda event: _ends_grace(ctx, event), clock.sleep(grace), since=mark)
    begun = clock.monotonic()
    if _phases(ctx, mark)[-1:] == ["started"] and state.dialog is None:
        waited = True
        await state.signals.first(
            lambda event: _ends_start(ctx, event), clock.sleep(load_wait), since=state.signals.mark
        )
    if waited:
        tab = await ctx.host.browser.get_tab(ctx.tab_id)
    moved = new_document(ctx, mark) or tab.url != before.url
    # Alone, "loading" may also mean that the page never finished, or that a frame of it loads.
    if tab.status == "loading" and (moved or (grace > 0 and before.status != "loading")):
        moved = True
        # A server that was silent up to here does not get the whole time again.
        left = max(load_wait - (clock.monotonic() - begun), 0.0)
        try:
            tab = await unless_dialog(state, ctx.host.browser.wait_loaded(ctx.tab_id, left))
        except DialogOpen:
            tab = await ctx.host.browser.get_tab(ctx.tab_id)
    return tab, moved


def new_document(ctx: ToolContext, since: int) -> bool:
    """Whether the run's tab has begun to show another document, perhaps of the same address."""
    return "committed" in _phases(ctx, since)


def only_address_changed(ctx: ToolContext, since: int) -> bool:
    """Whether the page changed its address by itself, so that its document, and every reference, lives on."""
    return "same_document" in _phases(ctx, since) and not new_document(ctx, since)


async def follow(ctx: ToolContext, before: Tab, result: ToolResult, grace: float, since: int) -> None:
    """Wait for what an action led to and report it on ``result``."""
    try:
        tab, moved = await settle(ctx, before, grace, LOAD_WAIT, since=since)
    except BridgeError as error:
        if error.code != "no_tab":
            raise
        result.data["tabClosed"] = True
        if ctx.state.tab_id == ctx.tab_id:
            result.notes.append(TAB_CLOSED_NOTE)
    else:
        if moved:
            add_move(before, tab, result, same_page=only_address_changed(ctx, since))
    await report(ctx, result, since)


def add_move(before: Tab, tab: Tab, result: ToolResult, *, same_page: bool = False) -> None:
    """Report where the tab is now."""
    result.data["pageUrlChanged"] = tab.url != before.url
    result.data["previousUrl"] = before.url[:PAGE_URL_CHARS]
    result.data["currentUrl"] = tab.url[:PAGE_URL_CHARS]
    result.summary = f"{result.summary}, new address" if same_page else f"{result.summary}, new page"
    result.notes.append(SAME_PAGE_NOTE if same_page else NEW_PAGE_NOTE)
    if tab.status == "loading":
        result.data["stillLoading"] = True
        result.notes.append(STILL_LOADING_NOTE)


async def report(ctx: ToolContext, result: ToolResult, since: int) -> None:
    """Put what the browser told since then on ``result``: new tabs, downloads, an open dialog."""
    tabs = opened_since(ctx, since)[:TABS_TOLD]
    if tabs:
        told = [await _new_tab(ctx, tab_id, result) for tab_id in tabs]
        result.data |= {"newTab": told[0]} if len(told) == 1 else {"newTabs": told}
        result.summary = f"{result.summary}, new tab"
    downloads = [event for event in ctx.state.signals.since(since) if event.kind == "download_created"]
    if downloads:
        told = [_download(event) for event in downloads[:DOWNLOADS_TOLD]]
        result.data |= {"download": told[0]} if len(told) == 1 else {"downloads": told}
        result.summary = f"{result.summary}, download"
        result.notes.append(DOWNLOAD_NOTE)
    if ctx.state.dialog is not None:
        add_dialog(result, ctx.state.dialog)


def add_dialog(result: ToolResult, dialog: Dialog) -> None:
    """Report the dialog that keeps the page from going on."""
    result.data["dialog"] = dialog.as_data()
    result.summary = f"{result.summary}, {dialog.type} open"
    result.notes.append(WAITS)


def opened_since(ctx: ToolContext, since: int) -> list[int]:
    """The tabs of this run that were opened since then and are open still."""
    told = (
        int(event.data["tabId"]) for event in ctx.state.signals.since(since) if event.kind == "tab_opened"
    )
    return [tab_id for tab_id in dict.fromkeys(told) if tab_id in ctx.state.opened]


async def _new_tab(ctx: ToolContext, tab_id: int, result: ToolResult) -> dict[str, Any]:
    url, loading = ctx.state.opened[tab_id], True
    try:
        tab = await ctx.host.browser.get_tab(tab_id)
    except BridgeError:
        pass
    else:
        url, loading = tab.url or url, tab.status == "loading"
    result.notes.append(NEW_TAB_NOTE.format(tab=tab_id, here=ctx.tab_id))
    if loading:
        result.notes.append(NEW_TAB_LOADS_NOTE.format(tab=tab_id))
    return {"tabId": tab_id, "url": url[:PAGE_URL_CHARS]}


def _download(event: BrowserEvent) -> dict[str, Any]:
    filename = str(event.data.get("filename") or "").replace("\\", "/").rsplit("/", 1)[-1]
    told = {"id": event.data.get("id"), "url": str(event.data.get("url") or "")[:PAGE_URL_CHARS]}
    return {**told, "filename": filename[:FILENAME_CHARS]} if filename else told


def _phases(ctx: ToolContext, since: int) -> list[str]:
    """The steps of navigations of the run's tab since then."""
    return [
        str(event.data.get("phase"))
        for event in ctx.state.signals.since(since)
        if event.kind == "navigation" and event.tab_id == ctx.tab_id
    ]


def _ends_grace(ctx: ToolContext, event: BrowserEvent) -> bool:
    """Whether this shows what an action led to, so that nothing more need be waited for."""
    if event.kind in ("navigation", "tab_removed"):
        return event.tab_id == ctx.tab_id
    return event.kind in ("tab_opened", "download_created") or ctx.state.dialog is not None


def _ends_start(ctx: ToolContext, event: BrowserEvent) -> bool:
    """Whether a navigation that had begun came to something."""
    if event.kind in ("navigation", "tab_removed"):
        return event.tab_id == ctx.tab_id and event.data.get("phase") != "started"
    return event.kind == "download_created" or ctx.state.dialog is not None
