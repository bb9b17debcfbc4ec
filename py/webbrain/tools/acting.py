"""Doing something to a page and seeing where the tab stands afterwards.

A click may load a new page, at once, a moment later, or while the page is still answering. Whoever acts
waits, for a bounded time, for a navigation that started, so that the next read sees the new page and not the
dying one.
"""

from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import PAGE_ACTION_TIMEOUT, PAGE_TITLE_CHARS, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Tab
from webbrain.tools.base import ToolContext
from webbrain.tools.problems import from_page

POLL_INTERVAL: Final = 0.05
START_GRACE: Final = 0.2
"""How long after an action a navigation may still begin."""
START_GRACE_LIKELY: Final = 1.0
"""The same where the page said that it navigates, and after a submit."""
LOAD_WAIT: Final = 10.0
"""How long a page that an action opened may take to load before the action answers anyway."""
ACTING_TIMEOUT: Final = PAGE_ACTION_TIMEOUT + LOAD_WAIT + 5.0
"""Time limit of a tool that acts: the page's own limit, the load, and some air."""
PROBE_TIMEOUT: Final = 3.0
"""For the questions asked around a navigation; without an answer the navigation goes on."""
UNSAVED_FIELDS: Final = 2
"""Changed fields from which on leaving a page needs ``force``; one changed field is often a search box."""

SILENT: Final = frozenset({"page_gone", "page_busy", "timeout"})
"""Codes after which nobody knows whether an effect happened."""

CUT_SHORT: Final = frozenset({"timeout", "page_script_error"})
"""Codes with which the page's side itself says that it did not get to the end of an action."""

EXTENSION_SCHEMES: Final = ("chrome-extension:", "moz-extension:")

UNKNOWN: Final = (
    "The page went away or stopped answering while this ran, so it may or may not have happened. "
    "Read the page to see which before you do it again."
)
NEW_PAGE_NOTE: Final = (
    "The tab shows a new page after this. Refs from before are void: read the page before the next action."
)
STILL_LOADING_NOTE: Final = "The page is still loading; what you read now may be incomplete."
TAB_CLOSED_NOTE: Final = "The tab closed itself after this. Finish and tell the user what was done."


async def act(
    ctx: ToolContext, action: str, args: Mapping[str, Any], *, summary: str, submits: bool = False
) -> ToolResult:
    """Send an effect to the page, pass its answer on, and wait for a navigation that it started.

    ``submits`` gives such a navigation more time to begin. Raise ``OutcomeUnknown`` if the page went away or
    fell silent and nothing shows what became of the action.
    """
    before = await ctx.host.browser.get_tab(ctx.tab_id)
    sent = {key: value for key, value in args.items() if value is not None}
    if ctx.submit_token:
        sent["token"] = ctx.submit_token
    try:
        answer = await ctx.page(action, sent, effect=True)
    except OutcomeUnknown as error:
        return await _page_left(ctx, before, error)
    except BridgeError as error:
        if error.code not in SILENT:
            raise
        return await _page_left(ctx, before, error)
    if answer.get("success") is not True and answer.get("code") in CUT_SHORT:
        raise OutcomeUnknown(UNKNOWN)
    result = from_page(answer, summary)
    if result.success:
        likely = submits or bool(answer.get("navigates"))
        await _follow(ctx, before, result, START_GRACE_LIKELY if likely else START_GRACE)
    return result


async def settle(ctx: ToolContext, before: Tab, grace: float, load_wait: float) -> tuple[Tab, bool]:
    """Wait up to ``grace`` seconds for a navigation to begin and ``load_wait`` for it to finish.

    Return the tab as it is then, and whether a load was seen or the address changed.
    """
    clock = ctx.host.clock
    deadline = clock.monotonic() + grace
    tab = await ctx.host.browser.get_tab(ctx.tab_id)
    while tab.status != "loading" and tab.url == before.url and clock.monotonic() < deadline:
        await clock.sleep(POLL_INTERVAL)
        tab = await ctx.host.browser.get_tab(ctx.tab_id)
    loading = tab.status == "loading"
    if loading:
        tab = await ctx.host.browser.wait_loaded(ctx.tab_id, load_wait)
    return tab, loading or tab.url != before.url


def place(tab: Tab) -> dict[str, Any]:
    """Where a tab is, capped for a result."""
    return {"url": tab.url[:PAGE_URL_CHARS], "title": tab.title[:PAGE_TITLE_CHARS]}


async def unsaved_work(ctx: ToolContext) -> dict[str, int] | None:
    """Entries that leaving the page would lose, or ``None`` if there are none worth asking about."""
    try:
        state = await ctx.page("page_state", {}, timeout=PROBE_TIMEOUT)
    except BridgeError:
        return None
    forms = state.get("forms")
    forms = [form for form in forms if isinstance(form, Mapping)] if isinstance(forms, list) else []
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


async def arrive(ctx: ToolContext, tab: Tab, result: ToolResult) -> ToolResult:
    """Say on a navigation's result whether the page it ended at is loaded and can be read."""
    result.notes.append(NEW_PAGE_NOTE)
    if tab.status == "loading":
        result.data["stillLoading"] = True
        result.notes.append(STILL_LOADING_NOTE)
    try:
        await ctx.page("page_state", {}, timeout=PROBE_TIMEOUT)
    except BridgeError as error:
        if error.code == "restricted_page":
            result.data["readable"] = False
            result.notes.append(
                "The page cannot be read: it failed to load, or the browser keeps extensions out of it."
            )
    return result


async def _follow(ctx: ToolContext, before: Tab, result: ToolResult, grace: float) -> None:
    try:
        tab, moved = await settle(ctx, before, grace, LOAD_WAIT)
    except BridgeError as error:
        if error.code != "no_tab":
            raise
        result.data["tabClosed"] = True
        result.notes.append(TAB_CLOSED_NOTE)
        return
    if moved:
        _add_move(before, tab, result)


def _add_move(before: Tab, tab: Tab, result: ToolResult) -> None:
    result.data["pageUrlChanged"] = tab.url != before.url
    result.data["previousUrl"] = before.url[:PAGE_URL_CHARS]
    result.data["currentUrl"] = tab.url[:PAGE_URL_CHARS]
    result.summary = f"{result.summary}, new page"
    result.notes.append(NEW_PAGE_NOTE)
    if tab.status == "loading":
        result.data["stillLoading"] = True
        result.notes.append(STILL_LOADING_NOTE)


async def _page_left(ctx: ToolContext, before: Tab, error: Exception) -> ToolResult:
    """The page did not live to answer. A new address is proof enough that the action was taken in."""
    tab, _ = await settle(ctx, before, START_GRACE_LIKELY, LOAD_WAIT)
    if tab.url == before.url:
        raise OutcomeUnknown(UNKNOWN) from error
    result = ToolResult.ok("page changed during the action", dispatched=True, verified=False)
    _add_move(before, tab, result)
    result.summary = "page changed during the action"
    return result


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
