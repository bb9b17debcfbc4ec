"""Leaving a page: what would be lost by it, what the page itself asks, and where the tab ends."""

from collections.abc import Awaitable, Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.limits import PAGE_TITLE_CHARS, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Tab
from webbrain.tools.base import ToolContext
from webbrain.tools.dialogs import answer
from webbrain.tools.following import (
    LOAD_WAIT,
    NEW_PAGE_NOTE,
    START_GRACE_LIKELY,
    STILL_LOADING_NOTE,
    report,
    settle,
)
from webbrain.tools.problems import PERHAPS_DIALOG
from webbrain.tools.silence import stands_still
from webbrain.tools.state import DialogOpen, unless_dialog

PROBE_TIMEOUT: Final = 3.0
"""For the questions asked around a navigation; without an answer the navigation goes on."""
UNSAVED_FIELDS: Final = 2
"""Changed fields from which on leaving a page needs ``force``; one changed field is often a search box."""

EXTENSION_SCHEMES: Final = ("chrome-extension:", "moz-extension:")

STAYED: Final = (
    "The page asked whether it may be left, because entries may be lost, and it was kept. Finish or submit "
    "it first. Repeat with force=true only if you saw that it was sent, or if the user wants it discarded."
)
UNREADABLE_NOTE: Final = (
    "The page cannot be read: it failed to load, or the browser keeps extensions out of it."
)


def place(tab: Tab) -> dict[str, Any]:
    """Where a tab is, capped for a result."""
    return {"url": tab.url[:PAGE_URL_CHARS], "title": tab.title[:PAGE_TITLE_CHARS]}


async def unsaved_work(ctx: ToolContext) -> dict[str, int] | None:
    """Entries that leaving the page would lose, or ``None`` if there are none worth asking about."""
    try:
        state = await ctx.page("page_state", {}, timeout=PROBE_TIMEOUT)
    except (BridgeError, DialogOpen):
        return None
    forms = state.get("forms")
    places = [*(forms if isinstance(forms, list) else []), state.get("loose")]
    forms = [place for place in places if isinstance(place, Mapping)]
    fields, files = (sum(_count(form.get(key)) for form in forms) for key in ("dirty", "files"))
    return {"fields": fields, "files": files} if fields >= UNSAVED_FIELDS or files else None


async def refusal_to_leave(ctx: ToolContext, tab: Tab, *, force: bool) -> ToolResult | None:
    """Why this page must not be left by the agent, or ``None`` if it may."""
    if tab.url.startswith(EXTENSION_SCHEMES):
        return ToolResult.error(
            "This tab shows a page of an extension, which is never left. Ask the user for a web page.",
            code="own_page",
        )
    unsaved = None if force else await unsaved_work(ctx)
    if unsaved:
        return ToolResult.error(
            "Leaving this page may lose what was entered in it. Finish or submit it first. Repeat with "
            "force=true if you saw that it was sent, or if the user wants it discarded.",
            code="unsaved_changes",
            blockedUnsavedChanges=True,
            **unsaved,
        )
    return None


async def leave(
    ctx: ToolContext,
    before: Tab,
    departure: Awaitable[None],
    *,
    force: bool,
    load_wait: float = LOAD_WAIT,
) -> tuple[Tab, bool]:
    """Start leaving the page by ``departure`` and wait for the next one, as ``following.settle`` does.

    If the page itself asks whether to leave (``beforeunload``), only ``force`` says yes; else ``ToolFailed``
    is raised and the page is still there.
    """
    state = ctx.state
    since = state.signals.mark
    try:
        await unless_dialog(state, departure)
    except DialogOpen:
        tab, moved = before, False
    else:
        tab, moved = await settle(ctx, before, START_GRACE_LIKELY, load_wait, since=since)
    dialog = state.dialogs.get(ctx.tab_id)
    if dialog is None or dialog.type != "beforeunload":
        return tab, moved
    await answer(ctx.host, state, dialog, accept=force)
    if not force:
        raise ToolFailed(STAYED, code="unsaved_changes", data={"blockedUnsavedChanges": True})
    return await settle(ctx, before, START_GRACE_LIKELY, load_wait, since=since)


async def arrive(ctx: ToolContext, tab: Tab, result: ToolResult) -> ToolResult:
    """Say on a navigation's result whether the page it ended at is loaded and can be read."""
    result.notes.append(NEW_PAGE_NOTE)
    if tab.status == "loading":
        result.data["stillLoading"] = True
        result.notes.append(STILL_LOADING_NOTE)
        # A dialog that opens while the page loads holds it up for ever.
        if await stands_still(ctx):
            result.data["silent"] = True
            result.notes.append(PERHAPS_DIALOG)
    try:
        await ctx.page("page_state", {}, timeout=PROBE_TIMEOUT)
    except DialogOpen:
        await report(ctx, result, ctx.state.signals.mark)
    except BridgeError as error:
        if error.code == "restricted_page":
            result.data["readable"] = False
            result.notes.append(UNREADABLE_NOTE)
    return result


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
