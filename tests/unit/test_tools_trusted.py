"""Input through the debugger: when it is used, when it must not be, and what becomes of a lost debugger."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import FRAME, TAB, URL, context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, PageCall
from webbrain.host.protocols import Capabilities, Tab
from webbrain.host.reach import Download
from webbrain.tools.acting import act
from webbrain.tools.base import ToolContext
from webbrain.tools.debugging import attach, detach_all

CDP = Capabilities(browser="memory", cdp=True)
NOTHING = {"changed": ["nothing"], "retry": {"eligible": True}}
LANDED = {"changed": ['dialog "Basket" opened'], "ref_id": "ref_1"}
AIMED = {"aim": "a1", "points": [{"x": 40, "y": 30}], "ref_id": "ref_1"}
MOUSE = "Input.dispatchMouseEvent"
KEY = "Input.dispatchKeyEvent"


async def attached(*, active: bool = True) -> tuple[MemoryHost, ToolContext]:
    """A host whose tab is in front and attached to, whose page can aim."""
    host = page_host(capabilities=CDP)
    host.browser.open(Tab(TAB, URL, "Shop", active=active))
    host.page.on("aim", AIMED)
    host.page.on("landed", LANDED)
    host.page.on("click_ax", NOTHING)
    host.page.on("hover", {"changed": ["made by the page"]})
    ctx = context(host)
    assert await attach(host, ctx.state, TAB)
    return host, ctx


async def click(ctx: ToolContext, ref: str = "ref_1") -> ToolResult:
    return await act(ctx, "click_ax", {"ref_id": ref}, summary="clicked")


def mouse(host: MemoryHost) -> list[str]:
    return [params["type"] for params in host.debugger.commands_of(MOUSE)]


# --- attaching ---


async def test_nothing_is_attached_to_where_there_is_no_debugger() -> None:
    host = page_host()
    assert await attach(host, context(host).state, TAB) is False


async def test_a_refusal_is_told_once_and_remembered() -> None:
    host = page_host(capabilities=CDP)
    host.debugger.refuse = BridgeError("No.", code="debugger_refused", data={"reason": "taken"})
    ctx = context(host)
    told: list[str] = []
    ctx.state.warn = lambda code, message: told.append(code)
    assert not await attach(host, ctx.state, TAB)
    host.debugger.refuse = None
    assert not await attach(host, ctx.state, TAB)
    assert told == ["debugger_refused"]
    assert host.debugger.attachments == []


async def test_a_page_where_it_is_forbidden_does_not_end_it_for_the_run() -> None:
    host = page_host(capabilities=CDP)
    host.debugger.refuse = BridgeError("No.", code="debugger_refused", data={"reason": "forbidden"})
    ctx = context(host)
    assert not await attach(host, ctx.state, TAB)
    host.debugger.refuse = None
    assert await attach(host, ctx.state, TAB)


async def test_a_page_that_stands_still_is_tried_once() -> None:
    host = page_host(capabilities=CDP)
    ctx = context(host)
    host.debugger.refuse = BridgeError("No answer.", code="timeout")
    assert not await attach(host, ctx.state, TAB)
    host.debugger.refuse = None
    assert not await attach(host, ctx.state, TAB), "each try costs seconds"
    host.browser.move(TAB, "https://shop.example/next")
    assert await attach(host, ctx.state, TAB), "the control: another page is another matter"


async def test_a_cancel_of_the_user_is_respected_and_told_once() -> None:
    host, ctx = await attached()
    told: list[str] = []
    ctx.state.warn = lambda code, message: told.append(code)
    host.debugger.cancel(TAB)
    assert not await attach(host, ctx.state, TAB)
    assert told == ["debugger_cancelled"]
    assert host.debugger.attachments == [TAB]


async def test_a_debugger_that_the_browser_ended_is_attached_again() -> None:
    host, ctx = await attached()
    host.debugger.cancel(TAB, "target_closed")
    assert await attach(host, ctx.state, TAB)
    assert host.debugger.attachments == [TAB, TAB]


async def test_in_the_end_all_is_let_go() -> None:
    host, ctx = await attached()
    await detach_all(host, ctx.state)
    assert host.debugger.detachments == [TAB]
    assert not host.debugger.attached(TAB)


# --- the one press that may follow a click ---


async def test_a_click_that_changed_nothing_is_followed_by_one_real_press() -> None:
    host, ctx = await attached()
    result = await click(ctx)
    assert host.page.actions() == ["click_ax", "aim", "landed"]
    assert mouse(host) == ["mouseMoved", "mousePressed", "mouseReleased"]
    assert result.data["changed"] == LANDED["changed"]
    assert "retry" not in result.data


async def test_never_a_second_one_on_the_same_element() -> None:
    host, ctx = await attached()
    host.page.on("landed", {"changed": ["nothing"]})
    first = await click(ctx)
    await click(ctx)
    assert first.data["changed"] == ["nothing"]
    assert mouse(host).count("mousePressed") == 1
    await click(ctx, "ref_2")
    assert mouse(host).count("mousePressed") == 2, "the control: another element has its own"


@pytest.mark.parametrize(
    "answer",
    [
        {"changed": ["nothing"]},
        {"changed": ["nothing"], "retry": {"eligible": False, "why": "checkbox"}},
        {"changed": ["aria-expanded"], "retry": {"eligible": True}},
        {"success": False, "code": "covered", "error": "A banner covers it.", "retry": {"eligible": True}},
    ],
    ids=["no word of it", "not eligible", "changed", "failed"],
)
async def test_no_press_without_the_page_s_leave(answer: dict[str, Any]) -> None:
    host, ctx = await attached()
    host.page.on("click_ax", answer)
    result = await click(ctx)
    assert host.debugger.commands_of(MOUSE) == []
    assert "retry" not in result.data


def requests(host: MemoryHost) -> None:
    params = {"requestId": "1", "type": "XHR", "method": "POST", "url": f"{URL}/add"}
    host.events.tell("cdp", TAB, method="Network.requestWillBeSent", params=params)


def opens_a_tab(host: MemoryHost) -> None:
    host.browser.pop_up(TAB, Tab(31, "https://shop.example/size", "Size"))


def downloads(host: MemoryHost) -> None:
    host.downloads.add(Download(5, URL, URL, "bill.pdf", "in_progress"))


def navigates(host: MemoryHost) -> None:
    host.events.tell("navigation", TAB, phase="started", url="https://shop.example/slow")


@pytest.mark.parametrize("happens", [requests, opens_a_tab, downloads, navigates])
async def test_no_press_where_something_else_shows_that_the_click_arrived(happens: Any) -> None:
    host, ctx = await attached()

    def reply(_: PageCall) -> dict[str, Any]:
        happens(host)
        return NOTHING

    host.page.on("click_ax", reply)
    await click(ctx)
    assert host.debugger.commands_of(MOUSE) == []


async def test_what_happens_in_another_tab_forbids_nothing() -> None:
    """The control: only signs of this tab count."""
    host, ctx = await attached()
    host.browser.open(Tab(99, "https://mail.example/", "Mail"))

    def reply(_: PageCall) -> dict[str, Any]:
        host.events.tell("navigation", 99, phase="started", url="https://mail.example/2")
        return NOTHING

    host.page.on("click_ax", reply)
    await click(ctx)
    assert mouse(host).count("mousePressed") == 1


async def test_no_press_in_a_tab_that_is_not_in_front() -> None:
    host, ctx = await attached(active=False)
    assert (await click(ctx)).data["changed"] == ["nothing"]
    assert host.debugger.commands_of(MOUSE) == []


async def test_no_press_without_a_debugger() -> None:
    host = page_host()
    host.page.on("click_ax", NOTHING)
    assert (await click(context(host))).success
    assert host.page.actions() == ["click_ax"]


async def test_a_press_that_the_page_does_not_aim_at_is_not_made() -> None:
    host, ctx = await attached()
    host.page.on("aim", {"success": False, "code": "not_eligible", "error": "Something changed meanwhile."})
    result = await click(ctx)
    assert result.data["changed"] == ["nothing"]
    assert host.debugger.commands_of(MOUSE) == []


# --- what the page cannot make ---


async def test_hovering_moves_the_mouse_and_presses_nothing() -> None:
    host, ctx = await attached()
    result = await act(ctx, "hover", {"ref_id": "ref_1"}, summary="hovered")
    assert mouse(host) == ["mouseMoved"]
    assert host.debugger.commands_of(MOUSE)[0] | {"x": 40.0, "y": 30.0} == host.debugger.commands_of(MOUSE)[0]
    assert result.data["changed"] == LANDED["changed"]
    assert "hover" not in host.page.actions()


async def test_a_click_at_a_place_is_a_real_one() -> None:
    host, ctx = await attached()
    await act(ctx, "click", {"x": 40, "y": 30, "count": 2}, summary="clicked")
    assert [p["clickCount"] for p in host.debugger.commands_of(MOUSE) if "clickCount" in p] == [1, 1, 2, 2]
    assert "click" not in host.page.actions()


async def test_the_token_goes_along() -> None:
    host, _ = await attached()
    token = context(host, submit_token="t-9")
    token.state.debugged.add(TAB)
    await act(token, "press_keys", {"key": "Enter"}, summary="pressed", submits=True)
    aim = next(sent for sent in host.page.calls if sent.action == "aim")
    assert aim.args == {"tool": "press_keys", "args": {"key": "Enter", "token": "t-9"}}


async def test_keys_are_real_keys() -> None:
    host, ctx = await attached()
    host.page.on("aim", {"aim": "a1", "points": []})
    await act(ctx, "press_keys", {"key": "ArrowDown", "repeat": 2}, summary="pressed")
    await act(ctx, "press_keys", {"key": "Enter"}, summary="pressed")
    sent = [(p["type"], p["key"], p.get("text")) for p in host.debugger.commands_of(KEY)]
    assert sent == [
        ("rawKeyDown", "ArrowDown", None),
        ("keyUp", "ArrowDown", None),
        ("rawKeyDown", "ArrowDown", None),
        ("keyUp", "ArrowDown", None),
        ("keyDown", "Enter", "\r"),
        ("keyUp", "Enter", None),
    ]


async def test_dragging_moves_in_steps() -> None:
    host, ctx = await attached()
    host.page.on("aim", {"aim": "a1", "points": [{"x": 0, "y": 0}, {"x": 100, "y": 50}]})
    args = {"fromRefId": "ref_1", "toRefId": "ref_2", "steps": 5}
    await act(ctx, "drag_drop", args, summary="dragged")
    moves = [(p["x"], p["y"]) for p in host.debugger.commands_of(MOUSE) if p["type"] == "mouseMoved"]
    assert moves == [(0, 0), (20, 10), (40, 20), (60, 30), (80, 40), (100, 50)]
    assert mouse(host)[1] == "mousePressed"
    assert mouse(host)[-1] == "mouseReleased"
    switched = [p["enabled"] for p in host.debugger.commands_of("Input.setInterceptDrags")]
    assert switched == [True, False], "the user's own drags are the user's again"


async def test_a_drag_of_the_browser_s_own_kind_is_dropped() -> None:
    host, ctx = await attached()
    host.page.on("aim", {"aim": "a1", "points": [{"x": 0, "y": 0}, {"x": 100, "y": 50}]})

    def moved(params: dict[str, Any]) -> dict[str, Any]:
        if params["type"] == "mouseMoved" and params.get("buttons"):
            host.debugger.report(TAB, "Input.dragIntercepted", data={"items": []})
        return {}

    host.debugger.on(MOUSE, moved)
    args = {"fromRefId": "ref_1", "toRefId": "ref_2", "steps": 5}
    await act(ctx, "drag_drop", args, summary="dragged")
    dragged = [p["type"] for p in host.debugger.commands_of("Input.dispatchDragEvent")]
    assert dragged == ["dragEnter", "dragOver", "dragOver", "drop"]


async def test_a_drag_that_breaks_off_lets_go_of_the_button() -> None:
    host, ctx = await attached()
    host.page.on("aim", {"aim": "a1", "points": [{"x": 0, "y": 0}, {"x": 100, "y": 50}]})
    host.page.on("landed", {"changed": ["nothing"]})

    def breaks(params: dict[str, Any]) -> dict[str, Any]:
        if params["type"] == "mouseMoved" and params["x"] > 0:
            raise BridgeError("Bad.", code="api_error")
        return {}

    host.debugger.on(MOUSE, breaks)
    with pytest.raises(OutcomeUnknown):
        await act(ctx, "drag_drop", {"fromRefId": "ref_1", "toRefId": "ref_2"}, summary="dragged")
    assert mouse(host)[-1] == "mouseReleased"
    assert host.debugger.commands_of("Input.setInterceptDrags")[-1] == {"enabled": False}


async def test_a_frame_s_element_is_left_to_its_page() -> None:
    host, ctx = await attached()
    await act(replace(ctx, frame_id=FRAME), "hover", {"ref_id": "ref_1"}, summary="hovered")
    assert host.debugger.commands_of(MOUSE) == []
    assert host.page.actions() == ["hover"]


async def test_a_page_script_that_cannot_aim_does_it_itself() -> None:
    host, ctx = await attached()
    host.page.on("aim", {"success": False, "code": "unknown_action", "error": "No such action."})
    result = await act(ctx, "hover", {"ref_id": "ref_1"}, summary="hovered")
    assert result.data["changed"] == ["made by the page"]


# --- a lost debugger ---

GONE = BridgeError("Debugger is not attached.", code="debugger_detached", data={"sent": False})
CUT = BridgeError("Detached while handling command.", code="debugger_detached", data={"sent": True})


def failing(host: MemoryHost, kind: str, error: Exception, *, once: bool = False) -> None:
    left = [error] if once else [error] * 99

    def reply(params: dict[str, Any]) -> dict[str, Any]:
        if params["type"] == kind and left:
            host.debugger.cancel(TAB, "target_closed")
            raise left.pop()
        return {}

    host.debugger.on(MOUSE, reply)


async def test_lost_before_the_press_it_is_attached_to_again() -> None:
    host, ctx = await attached()
    failing(host, "mouseMoved", GONE, once=True)
    result = await act(ctx, "click", {"x": 40, "y": 30}, summary="clicked")
    assert result.success
    assert host.debugger.attachments == [TAB, TAB]
    assert mouse(host) == ["mouseMoved", "mouseMoved", "mousePressed", "mouseReleased"]


async def test_lost_for_good_before_the_press_the_page_does_it() -> None:
    host, ctx = await attached()
    failing(host, "mouseMoved", GONE)
    result = await act(ctx, "hover", {"ref_id": "ref_1"}, summary="hovered")
    assert result.data["changed"] == ["made by the page"]


async def test_a_press_that_never_left_is_made_by_the_page() -> None:
    host, ctx = await attached()
    host.page.on("click", {"changed": ["made by the page"]})
    failing(host, "mousePressed", GONE)
    result = await act(ctx, "click", {"x": 40, "y": 30}, summary="clicked")
    assert result.data["changed"] == ["made by the page"]


@pytest.mark.parametrize("kind", ["mousePressed", "mouseReleased"])
async def test_lost_during_the_press_and_nothing_shows_it(kind: str) -> None:
    host, ctx = await attached()
    host.page.on("landed", {"changed": ["nothing"]})
    failing(host, kind, CUT)
    with pytest.raises(OutcomeUnknown, match="debugger was lost"):
        await act(ctx, "click", {"x": 40, "y": 30}, summary="clicked")
    assert "click" not in host.page.actions(), "it may have arrived, so it is not done again"


async def test_lost_during_the_press_and_the_page_shows_that_it_arrived() -> None:
    host, ctx = await attached()
    failing(host, "mouseReleased", CUT)
    result = await act(ctx, "click", {"x": 40, "y": 30}, summary="clicked")
    assert result.data["changed"] == LANDED["changed"]
    assert any("lost" in note for note in ctx.state.notes)


async def test_a_release_that_never_left_after_a_press_that_did() -> None:
    host, ctx = await attached()
    host.page.on("landed", {"changed": ["nothing"]})
    failing(host, "mouseReleased", GONE)
    with pytest.raises(OutcomeUnknown):
        await act(ctx, "click", {"x": 40, "y": 30}, summary="clicked")


async def test_a_window_that_takes_no_input_is_left_to_the_page() -> None:
    host, ctx = await attached()
    host.debugger.on(MOUSE, OutcomeUnknown("No answer."))
    result = await act(ctx, "hover", {"ref_id": "ref_1"}, summary="hovered")
    assert result.data["changed"] == ["made by the page"]


async def test_a_real_press_that_opens_a_dialog_answers_at_once() -> None:
    host, ctx = await attached()

    async def reply(params: dict[str, Any]) -> dict[str, Any]:
        if params["type"] == "mouseReleased":
            host.debugger.report(TAB, "Page.javascriptDialogOpening", type="alert", message="Hi")
            await asyncio.Event().wait()
        return {}

    host.debugger.on(MOUSE, reply)
    async with asyncio.timeout(2):
        result = await act(ctx, "click", {"x": 40, "y": 30}, summary="clicked")
    assert result.data["dialog"] == {"type": "alert", "message": "Hi"}
