"""Doing something to a page and seeing what came of it.

A click may load a new page, at once, a moment later, or while the page is still answering; it may open a
dialog and answer never, open a tab, begin a download, or do nothing at all. Whoever acts is told which.

Most actions are made by the page. What a page cannot make (a real pointer over it, a real drag, real keys)
goes through the debugger where there is one. A page-made click that changed nothing may be followed by one
real press, by rules that keep anything from happening twice.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import PAGE_ACTION_TIMEOUT, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Tab
from webbrain.host.reach import BrowserEvent
from webbrain.tools import trusted
from webbrain.tools.base import ToolContext
from webbrain.tools.following import (
    LOAD_WAIT,
    START_GRACE_LIKELY,
    add_dialog,
    add_move,
    follow,
    new_document,
    opened_since,
    report,
    settle,
)
from webbrain.tools.problems import PERHAPS_DIALOG, from_page
from webbrain.tools.silence import answered
from webbrain.tools.state import DialogOpen

ACTING_TIMEOUT: Final = PAGE_ACTION_TIMEOUT + LOAD_WAIT + 5.0
"""Time limit of a tool that acts: the page's own limit, the load, and some air."""
CALLS_REMEMBERED: Final = 50
"""Calls of which is remembered that they opened a tab, or were pressed a second time."""

SILENT: Final = frozenset({"page_gone", "page_busy", "timeout"})
"""Codes after which nobody knows whether an effect happened."""
CUT_SHORT: Final = frozenset({"timeout", "page_script_error"})
"""Codes with which the page's side itself says that it did not get to the end of an action."""
REAL_INPUT: Final = frozenset({"hover", "drag_drop", "press_keys"})
"""Actions that only the browser's own input does as a person would. Clicks at a place are among them."""
RETRIED: Final = frozenset({"click_ax", "click"})
"""Actions that one real press may follow if they changed nothing."""

UNKNOWN: Final = (
    "The page went away or stopped answering while this ran, so it may or may not have happened. "
    "Read the page to see which before you do it again."
)
DIALOG_SUMMARY: Final = "dialog opened"
ALREADY_OPEN: Final = (
    "The same call opened tab {tab} before, and that tab is still open. It was not done again: use "
    "switch_tab to go on there. If you want a second one, close the first with close_tab."
)
LEFT: Final = "page changed during the action"
NEW_FRAME_NOTE: Final = (
    "The frame shows a new page after this. Refs of the old one are void: read it with iframe_read to see "
    "what came of it."
)
PRESSED_TWICE_NOTE: Final = (
    "The page's own click changed nothing, so one real press followed; what is reported came of that."
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an action goes: the tab as it was before, and the frame, 0 for the page itself."""

    tab: Tab
    frame: int = 0
    frame_url: str = ""

    @classmethod
    async def of(cls, ctx: ToolContext, tab: Tab, args: Mapping[str, Any]) -> "_Place":
        """The place that these arguments mean."""
        frame = ctx.frame_of(args)
        if not frame:
            return cls(tab)
        frames = await ctx.host.browser.frames(ctx.tab_id)
        return cls(tab, frame, next((one.url for one in frames if one.id == frame), ""))


async def act(
    ctx: ToolContext, action: str, args: Mapping[str, Any], *, summary: str, submits: bool = False
) -> ToolResult:
    """Do something to the page, pass its answer on, and report what it led to.

    ``submits`` gives a navigation more time to begin. Raise ``OutcomeUnknown`` if the page went away or fell
    silent and nothing shows what became of the action.
    """
    since = ctx.state.signals.mark
    before = await ctx.host.browser.get_tab(ctx.tab_id)
    sent = {key: value for key, value in args.items() if value is not None}
    place = await _Place.of(ctx, before, sent)
    call = _key(before, action, sent)
    repeated = _opened_before(ctx, call)
    if repeated is not None:
        return repeated
    if ctx.submit_token:
        sent["token"] = ctx.submit_token
    try:
        answer = await _perform(ctx, action, sent, call, since)
    except DialogOpen as stopped:
        result = ToolResult.ok(DIALOG_SUMMARY, dispatched=True)
        await report(ctx, result, since)
        if "dialog" not in result.data:
            add_dialog(result, stopped.dialog)
        return result
    except OutcomeUnknown as error:
        return await _page_left(ctx, place, error, since, submits=submits)
    except BridgeError as error:
        if error.code not in SILENT:
            raise
        return await _page_left(ctx, place, error, since, submits=submits)
    if answer.get("success") is not True and answer.get("code") in CUT_SHORT:
        raise OutcomeUnknown(UNKNOWN)
    result = from_page(answer, summary)
    if result.success:
        likely = submits or bool(answer.get("navigates"))
        await follow(ctx, before, result, START_GRACE_LIKELY if likely else 0.0, since)
        opened = opened_since(ctx, since)
        if opened:
            _remember(ctx, "opened_by", call, opened)
    return result


async def _perform(
    ctx: ToolContext, action: str, sent: Mapping[str, Any], call: str, since: int
) -> dict[str, Any]:
    """Do the action by the first means that is there; return the page's answer."""
    if (action in REAL_INPUT or (action == "click" and "x" in sent)) and await trusted.usable(ctx, sent):
        try:
            return await trusted.perform(ctx, action, sent)
        except trusted.NotPossible:
            pass  # nothing was sent, so the page may do it
    answer = await answered(ctx, action, sent)
    retry = answer.pop("retry", None)
    eligible = isinstance(retry, Mapping) and retry.get("eligible") is True
    if action not in RETRIED or not eligible or answer.get("success") is not True:
        return answer
    if trusted.has_changed(answer):
        return answer
    if _something_happened(ctx, since) or call in ctx.state.memory.get("pressed_again", {}):
        return answer
    if not await trusted.usable(ctx, sent):
        return answer
    _remember(ctx, "pressed_again", call, True)
    try:
        pressed = await trusted.perform(ctx, action, sent)
    except trusted.NotPossible:
        return answer
    if pressed.get("success") is True and trusted.has_changed(pressed):
        ctx.state.notes.append(PRESSED_TWICE_NOTE)
        return {**answer, **pressed}
    return answer


def _something_happened(ctx: ToolContext, since: int) -> bool:
    """Whether the browser saw a sign that the click was taken in, though the page shows nothing yet: a link
    may also load a frame beside it.
    """
    for event in ctx.state.signals.since(since):
        if event.kind in ("tab_opened", "download_created"):
            return True
        if event.tab_id != ctx.tab_id:
            continue
        # The debugger reports only requests that may change something on a server.
        request = event.kind == "cdp" and event.data.get("method") == "Network.requestWillBeSent"
        if event.kind in ("navigation", "frame_navigation") or request:
            return True
    return False


def _key(tab: Tab, action: str, sent: Mapping[str, Any]) -> str:
    """What makes two calls the same: the page, the action and its arguments."""
    return f"{tab.id} {tab.url} {action} {json.dumps(sent, sort_keys=True, default=str)}"


def _remember(ctx: ToolContext, about: str, call: str, value: Any) -> None:
    known: dict[str, Any] = ctx.state.memory.setdefault(about, {})
    known[call] = value
    for oldest in list(known)[:-CALLS_REMEMBERED]:
        del known[oldest]


def _opened_before(ctx: ToolContext, call: str) -> ToolResult | None:
    """A refusal if this very call has opened a tab that is there and that the run has not been to."""
    opened = ctx.state.memory.get("opened_by", {}).get(call, [])
    waiting = [tab for tab in opened if tab in ctx.state.opened and tab not in ctx.state.visited]
    if not waiting:
        return None
    place = {"tabId": waiting[0], "url": ctx.state.opened[waiting[0]][:PAGE_URL_CHARS]}
    message = ALREADY_OPEN.format(tab=waiting[0])
    return ToolResult.error(message, code="already_open", newTab=place, dispatched=False)


async def _page_left(
    ctx: ToolContext, place: _Place, error: Exception, since: int, *, submits: bool
) -> ToolResult:
    """The document did not live to answer. A new address is proof enough that the action was taken in; for a
    form that a person let go, a new document at the same address is as well.
    """
    if place.frame:
        event = await _new_document(ctx, place, since, submits=submits)
        if event is not None:
            result = ToolResult.ok(LEFT, dispatched=True, verified=False)
            result.data["frameUrl"] = str(event.data.get("url") or "")[:PAGE_URL_CHARS]
            result.notes.append(NEW_FRAME_NOTE)
            await report(ctx, result, since)
            return result
    before = place.tab
    grace = 0.0 if place.frame else START_GRACE_LIKELY
    tab, _ = await settle(ctx, before, grace, LOAD_WAIT, since=since)
    sent = submits and not place.frame and new_document(ctx, since)
    if tab.url == before.url and not sent:
        if isinstance(error, trusted.InputLost):
            raise error
        seen = ctx.tab_id in ctx.state.debugged
        raise OutcomeUnknown(UNKNOWN if seen else f"{UNKNOWN} {PERHAPS_DIALOG}") from error
    result = ToolResult.ok(LEFT, dispatched=True, verified=False)
    add_move(before, tab, result)
    result.summary = LEFT
    await report(ctx, result, since)
    return result


async def _new_document(ctx: ToolContext, place: _Place, since: int, *, submits: bool) -> BrowserEvent | None:
    """The event of the frame's next document, if what it shows can be what the action led to."""

    def fits(event: BrowserEvent) -> bool:
        if event.kind != "frame_navigation" or event.tab_id != ctx.tab_id:
            return False
        if event.data.get("frameId") != place.frame:
            return False
        return submits or event.data.get("url") != place.frame_url

    sleep = ctx.host.clock.sleep(START_GRACE_LIKELY)
    return await ctx.state.signals.first(fits, sleep, since=since)
