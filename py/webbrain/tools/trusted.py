"""Input through the debugger, which a page cannot tell from a person's: the page aims, the browser presses.

``aim`` finds the place and starts to watch, the debugger moves, presses or types, ``landed`` says what came
of it. Nothing is pressed twice: where it is not known whether a press arrived, the outcome is unknown unless
the page shows that it did.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.tools.base import ToolContext
from webbrain.tools.debugging import attach
from webbrain.tools.state import unless_dialog

MOVE_TIMEOUT: Final = 1.5
"""Seconds for moving the mouse. A tab that takes no input at all (its window is hidden) answers nothing."""
PRESS_TIMEOUT: Final = 10.0
DRAG_STEPS: Final = 10
MOST_DRAG_STEPS: Final = 50
DRAG_WAIT: Final = 0.1
"""Seconds in which a drag that was begun is reported."""
DRAG_START: Final = 3
"""Mouse moves after the press by which a page begins a drag."""
MOST_REPEATS: Final = 50
RELEASE: Final[Mapping[str, Any]] = {
    "type": "mouseReleased",
    "button": "left",
    "buttons": 0,
    "clickCount": 1,
}

KEYS: Final[Mapping[str, tuple[int, str]]] = {
    "Enter": (13, "\r"),
    "Tab": (9, ""),
    "Escape": (27, ""),
    "Backspace": (8, ""),
    "Delete": (46, ""),
    "Home": (36, ""),
    "End": (35, ""),
    "PageUp": (33, ""),
    "PageDown": (34, ""),
    "ArrowLeft": (37, ""),
    "ArrowUp": (38, ""),
    "ArrowRight": (39, ""),
    "ArrowDown": (40, ""),
}
"""Keys by name: Windows key code and the text they type."""

LOST: Final = (
    "The browser's debugger was lost during this, and nothing on the page shows that it arrived. It may have "
    "happened or not: read the page before you do it again."
)
LOST_NOTE: Final = "The browser's debugger was lost during this; what the page shows is what is reported."

Point = tuple[float, float]


class NotPossible(Exception):
    """Input could not be sent, and surely nothing of it arrived."""


class InputLost(OutcomeUnknown):
    """Input may have arrived or not, and the page does not show it."""

    def __init__(self) -> None:
        super().__init__(LOST)


class _MaybeLost(Exception):
    """Input was on its way and nobody knows whether it arrived. ``detached``: for want of a debugger."""

    def __init__(self, *, detached: bool) -> None:
        super().__init__()
        self.detached = detached


async def usable(ctx: ToolContext, args: Mapping[str, Any]) -> bool:
    """Whether the run's tab takes trusted input now: the debugger is attached and the tab is in front."""
    if ctx.frame_of(args) or ctx.tab_id not in ctx.state.debugged:
        return False
    if not await attach(ctx.host, ctx.state, ctx.tab_id):
        return False
    return (await ctx.host.browser.get_tab(ctx.tab_id)).active


async def perform(ctx: ToolContext, action: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Do ``action`` by trusted input and return what the page says of it, as it answers page-made actions.

    Raise ``NotPossible`` if nothing was sent, ``InputLost`` if something may have been and the page does not
    show it, ``DialogOpen`` if it opened a dialog.
    """
    aimed = await _aim(ctx, action, args)
    if aimed.get("success") is not True:
        return aimed
    try:
        await _input(ctx, action, args, aimed)
    except NotPossible:
        await _stop_watching(ctx, aimed)
        raise
    except _MaybeLost as lost:
        return await _what_shows(ctx, aimed, lost)
    return await ctx.page("landed", {"aim": aimed["aim"]}, timeout=PAGE_READ_TIMEOUT)


async def _aim(ctx: ToolContext, action: str, args: Mapping[str, Any]) -> dict[str, Any]:
    aimed = await ctx.page("aim", {"tool": action, "args": dict(args)}, timeout=PAGE_READ_TIMEOUT)
    if aimed.get("code") == "unknown_action":
        raise NotPossible
    return aimed


async def _input(ctx: ToolContext, action: str, args: Mapping[str, Any], aimed: Mapping[str, Any]) -> None:
    if action == "press_keys":
        await _keys(ctx, str(args.get("key")), int(args.get("repeat") or 1))
        return
    points = _points(aimed)
    await _arrive(ctx, points[0])
    if action == "hover":
        return
    if action == "drag_drop":
        steps = int(args.get("steps") or DRAG_STEPS)
        await _drag(ctx, points, steps, native=aimed.get("draggable") is not False)
        return
    for count in range(1, int(args.get("count") or 1) + 1):
        button: dict[str, Any] = {"button": "left", "clickCount": count}
        await _mouse(ctx, "mousePressed", points[0], begun=count > 1, buttons=1, **button)
        await _mouse(ctx, "mouseReleased", points[0], begun=True, buttons=0, **button)


async def _arrive(ctx: ToolContext, point: Point) -> None:
    """Move the mouse there; a lost debugger is attached again once, for a move alone does nothing twice."""
    for last in (False, True):
        try:
            await _mouse(ctx, "mouseMoved", point, timeout=MOVE_TIMEOUT)
            return
        except (_MaybeLost, NotPossible) as error:
            if last or (isinstance(error, _MaybeLost) and not error.detached):
                raise NotPossible from error
        if not await attach(ctx.host, ctx.state, ctx.tab_id):
            raise NotPossible


async def _drag(ctx: ToolContext, points: Sequence[Point], steps: int, *, native: bool) -> None:
    """Press at the first point, move to the last and let go. ``native``: the browser may make a drag of its
    own of it, which is then carried on with its data."""
    start, end = points[0], points[-1]
    steps = min(max(steps, DRAG_START + 1), MOST_DRAG_STEPS)
    signals = ctx.state.signals
    since = signals.mark
    await _send(ctx, "Input.setInterceptDrags", {"enabled": True})
    try:
        await _mouse(ctx, "mousePressed", start, button="left", buttons=1, clickCount=1)
        data: Any = None
        for step in range(1, steps + 1):
            at = _between(start, end, step / steps)
            if data is not None:
                await _drag_event(ctx, "dragOver", at, data)
                continue
            await _mouse(ctx, "mouseMoved", at, begun=True, button="left", buttons=1)
            if step == DRAG_START and native:
                begun = await signals.first(
                    lambda event: event.data.get("method") == "Input.dragIntercepted",
                    ctx.host.clock.sleep(DRAG_WAIT),
                    since=since,
                )
                if begun is not None:
                    data = (begun.data.get("params") or {}).get("data")
                    await _drag_event(ctx, "dragEnter", at, data)
        if data is not None:
            await _drag_event(ctx, "drop", end, data)
        await _mouse(ctx, "mouseReleased", end, begun=True, button="left", buttons=0, clickCount=1)
    except _MaybeLost as lost:
        if not lost.detached:
            await _quietly(ctx, "Input.dispatchMouseEvent", {**RELEASE, "x": end[0], "y": end[1]})
        raise
    finally:
        await _quietly(ctx, "Input.setInterceptDrags", {"enabled": False})


async def _quietly(ctx: ToolContext, method: str, params: Mapping[str, Any]) -> None:
    """Put things back as they were as far as that is possible."""
    try:
        await ctx.host.debugger.send(ctx.tab_id, method, params, timeout=MOVE_TIMEOUT)
    except (BridgeError, OutcomeUnknown):
        return  # a debugger that is gone holds nothing


async def _keys(ctx: ToolContext, key: str, repeat: int) -> None:
    if key not in KEYS:
        raise NotPossible
    number, text = KEYS[key]
    known = {"key": key, "code": key, "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number}
    for turn in range(min(repeat, MOST_REPEATS)):
        down = {"type": "keyDown", "text": text, "unmodifiedText": text} if text else {"type": "rawKeyDown"}
        await _send(ctx, "Input.dispatchKeyEvent", {**known, **down}, begun=turn > 0)
        await _send(ctx, "Input.dispatchKeyEvent", {**known, "type": "keyUp"}, begun=True)


async def _mouse(
    ctx: ToolContext,
    kind: str,
    point: Point,
    *,
    begun: bool = False,
    timeout: float = PRESS_TIMEOUT,
    **more: Any,
) -> None:
    params = {"type": kind, "x": point[0], "y": point[1], **more}
    await _send(ctx, "Input.dispatchMouseEvent", params, begun=begun, timeout=timeout)


async def _drag_event(ctx: ToolContext, kind: str, point: Point, data: Any) -> None:
    params = {"type": kind, "x": point[0], "y": point[1], "data": data}
    await _send(ctx, "Input.dispatchDragEvent", params, begun=True)


async def _send(
    ctx: ToolContext,
    method: str,
    params: Mapping[str, Any],
    *,
    begun: bool = False,
    timeout: float = PRESS_TIMEOUT,
) -> None:
    """One command. ``begun`` says that what it belongs to has already arrived in part."""
    try:
        await unless_dialog(ctx.state, ctx.host.debugger.send(ctx.tab_id, method, params, timeout=timeout))
    except OutcomeUnknown as error:
        raise _MaybeLost(detached=False) from error
    except BridgeError as error:
        detached = error.code == "debugger_detached"
        if detached and error.data.get("sent") is False and not begun:
            raise NotPossible from error
        raise _MaybeLost(detached=detached) from error


async def _stop_watching(ctx: ToolContext, aimed: Mapping[str, Any]) -> None:
    """Tell the page that nothing will land."""
    try:
        await ctx.page("landed", {"aim": aimed["aim"]}, timeout=PAGE_READ_TIMEOUT)
    except BridgeError:
        return  # a page that is gone watches nothing


async def _what_shows(ctx: ToolContext, aimed: Mapping[str, Any], lost: Exception) -> dict[str, Any]:
    """What the page shows of input that may not have arrived; raise ``OutcomeUnknown`` if nothing."""
    try:
        answer = await ctx.page("landed", {"aim": aimed["aim"]}, timeout=PAGE_READ_TIMEOUT)
    except BridgeError as error:
        raise InputLost from error
    if answer.get("success") is not True or not has_changed(answer):
        raise InputLost from lost
    ctx.state.notes.append(LOST_NOTE)
    return answer


def has_changed(answer: Mapping[str, Any]) -> bool:
    """Whether the page says that an action changed something."""
    changed = answer.get("changed")
    return isinstance(changed, list) and bool(changed) and changed != ["nothing"]


def _points(aimed: Mapping[str, Any]) -> list[Point]:
    found = aimed.get("points")
    points = [
        (float(point["x"]), float(point["y"]))
        for point in (found if isinstance(found, list) else [])
        if isinstance(point, Mapping)
        and isinstance(point.get("x"), int | float)
        and isinstance(point.get("y"), int | float)
    ]
    if not points:
        raise NotPossible
    return points


def _between(start: Point, end: Point, share: float) -> Point:
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
