"""The hands: what they ask of the page, what they refuse, and who is asked before a form goes out."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.toolbox import TAB, context, page_host
from webbrain.core.errors import ModelMayRetry, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost
from webbrain.policy.submit import SubmitPolicy, may_submit
from webbrain.tools import registry, sight
from webbrain.tools.base import ToolContext, ToolSpec


def tool(name: str) -> ToolSpec:
    found = registry.get(name)
    assert found
    return found


async def call(ctx: ToolContext, name: str, **arguments: Any) -> ToolResult:
    return await tool(name).run(ctx, tool(name).args.model_validate(arguments))


def sent(host: MemoryHost, action: str) -> list[dict[str, Any]]:
    return [call.args for call in host.page.calls if call.action == action]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"text": "Buy"}, {"text": "Buy"}),
        ({"text": "Buy", "textMatch": "prefix"}, {"text": "Buy", "textMatch": "prefix"}),
        ({"selector": "#buy", "count": 2}, {"selector": "#buy", "count": 2}),
        ({"index": 0}, {"index": 0}),
        ({"x": 10, "y": 0}, {"x": 10, "y": 0}),
        ({"x": 0, "y": 300.5}, {"x": 0, "y": 300.5}),
    ],
)
async def test_click_by_one_thing(arguments: dict[str, Any], expected: dict[str, Any]) -> None:
    host = page_host()
    result = await call(context(host), "click", **arguments)
    assert result.success
    assert sent(host, "click") == [expected]
    assert host.page.calls[-1].effect


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"count": 2},
        {"text": "Buy", "selector": "#buy"},
        {"text": "Buy", "index": 0},
        {"x": 5},
        {"y": 5},
        {"text": "Buy", "y": 5},
        {"index": 1, "x": 5, "y": 5},
    ],
)
async def test_click_needs_exactly_one_target(arguments: dict[str, Any]) -> None:
    host = page_host()
    with pytest.raises(ModelMayRetry, match="exactly one"):
        await call(context(host), "click", **arguments)
    assert not host.page.calls


@pytest.mark.parametrize(("x", "y"), [(0.5, 0.25), (0, 0), (1, 1), (0, 0.9)])
async def test_fractions_of_the_viewport_are_no_coordinates(x: float, y: float) -> None:
    host = page_host()
    result = await call(context(host), "click", x=x, y=y)
    assert result.data["code"] == "normalised_coordinates"
    assert not host.page.calls


async def test_places_in_a_picture_become_css_pixels() -> None:
    host = page_host()
    ctx = context(host)
    sight.remember(ctx.state, sight.Look("shot_1", TAB, 600, 400, 0.5))
    await call(ctx, "click", x=100, y=50, capture_id="shot_1")
    assert sent(host, "click") == [{"x": 200, "y": 100}]


async def test_the_question_about_a_click_is_put_for_the_same_place() -> None:
    host = page_host()
    host.page.on("submit_probe", {"submits": False})
    ctx = context(host)
    sight.remember(ctx.state, sight.Look("shot_1", TAB, 600, 400, 0.5))
    given = {"x": 100.0, "y": 50.0, "capture_id": "shot_1", "count": 1}
    await SubmitPolicy().needs_card(ctx, tool("click"), given)
    assert sent(host, "submit_probe") == [{"tool": "click", "args": {"x": 200, "y": 100}}]


async def test_an_unknown_picture_is_the_model_s_mistake() -> None:
    host = page_host()
    with pytest.raises(ModelMayRetry):
        await call(context(host), "click", x=100, y=50, capture_id="shot_9")
    assert not host.page.calls


async def test_candidates_are_passed_on() -> None:
    host = page_host()
    candidates = [{"index": 0, "text": "Buy tea"}, {"index": 4, "text": "Buy cups"}]
    answer = {"success": False, "code": "ambiguous", "error": "Two fit.", "candidates": candidates}
    host.page.on("click", answer)
    result = await call(context(host), "click", text="Buy")
    assert not result.success
    assert result.data["candidates"] == candidates


async def test_click_ax_sends_what_differs_from_an_ordinary_click() -> None:
    host = page_host()
    await call(context(host), "click_ax", ref_id="ref_1")
    await call(context(host), "click_ax", ref_id="ref_1", count=2, add=True)
    assert sent(host, "click_ax") == [{"ref_id": "ref_1"}, {"ref_id": "ref_1", "count": 2, "add": True}]


@pytest.mark.parametrize(
    ("arguments", "fine"),
    [
        ({"toRefId": "ref_2"}, True),
        ({"dx": 40}, True),
        ({"dy": -3.5}, True),
        ({"toRefId": "ref_2", "dx": 5, "dy": 5}, True),
        ({}, False),
        ({"dx": 0, "dy": 0}, False),
    ],
)
async def test_a_drag_needs_somewhere_to_go(arguments: dict[str, Any], fine: bool) -> None:
    host = page_host()
    if fine:
        await call(context(host), "drag_drop", fromRefId="ref_1", **arguments)
        assert sent(host, "drag_drop") == [{"fromRefId": "ref_1", "steps": 10, **arguments}]
    else:
        with pytest.raises(ModelMayRetry, match="toRefId"):
            await call(context(host), "drag_drop", fromRefId="ref_1", **arguments)
        assert not host.page.calls


async def test_typing_at_the_focus_and_by_selector() -> None:
    host = page_host()
    await call(context(host), "type_text", text="ls")
    await call(context(host), "type_text", text="ls", selector="#prompt", clear=True)
    assert sent(host, "type_text") == [
        {"text": "ls", "clear": False},
        {"text": "ls", "selector": "#prompt", "clear": True},
    ]


async def test_a_secret_typed_at_the_focus_is_not_repeated() -> None:
    host = page_host()
    host.page.on("type_text", {"actual": "hunter2", "fieldMeta": {"type": "password"}})
    result = await call(context(host), "type_text", text="hunter2")
    assert "hunter2" not in str(result.data)


async def test_a_box_that_did_not_stay_ticked() -> None:
    host = page_host()
    answer = {
        "success": False,
        "code": "not_verified",
        "error": "The box is not ticked.",
        "checkedAfter": False,
    }
    host.page.on("set_checked", answer)
    result = await call(context(host), "set_checked", ref_id="ref_1", checked=True)
    assert not result.success
    assert result.data["checkedAfter"] is False


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("click", {"index": -1}),
        ("click", {"text": ""}),
        ("click", {"text": "x", "count": 3}),
        ("press_keys", {"key": "Enter", "repeat": 2}),
        ("press_keys", {"key": "Tab", "repeat": 26}),
        ("press_keys", {"key": "a"}),
        ("drag_drop", {"fromRefId": "ref_1", "steps": 0}),
        ("set_checked", {"ref_id": "ref_1", "checked": "perhaps"}),
        ("iframe_click", {"urlFilter": "", "selector": "a"}),
        ("iframe_click", {"urlFilter": "a.example", "selector": "a", "matchIndex": -1}),
        ("find_text", {"text": ""}),
        ("find_text", {"text": "x" * 501}),
        ("wait_for_stable", {"timeout": 20_001}),
        ("resize_window", {"width": 319, "height": 600}),
        ("resize_window", {"width": 800, "height": 10_001}),
    ],
)
def test_limits_hold_although_models_are_not_told_all_of_them(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        tool(name).args.model_validate(arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        ("click", {"text": "Send"}, True),
        ("click", {"x": 100, "y": 5}, True),
        ("click_ax", {"ref_id": "ref_1"}, True),
        ("set_checked", {"ref_id": "ref_1", "checked": True}, True),
        ("drag_drop", {"fromRefId": "ref_1", "dx": 5}, True),
        ("iframe_click", {"urlFilter": "pay.example", "selector": "b"}, True),
        ("press_keys", {"key": "Enter", "repeat": 1}, True),
        ("press_keys", {"key": "Tab", "repeat": 1}, False),
        ("hover", {"ref_id": "ref_1"}, False),
        ("type_text", {"text": "a\nb"}, False),
        ("iframe_type", {"urlFilter": "pay.example", "selector": "b", "text": "x"}, False),
        ("select_text", {"ref_id": "ref_1"}, False),
    ],
)
async def test_who_is_asked_about_forms(name: str, arguments: dict[str, Any], asked: bool) -> None:
    host = page_host()
    host.page.on("submit_probe", {"submits": True, "token": "t-1", "control": "Send"})
    assert may_submit(tool(name), arguments) is asked
    card = await SubmitPolicy().needs_card(context(host), tool(name), arguments)
    assert (card is not None) is asked
    assert host.page.actions() == (["submit_probe"] if asked else [])


async def test_a_click_that_the_page_cannot_place_is_not_done() -> None:
    """What the probe says of the target becomes the call's result: candidates, a frame in the way."""
    host = page_host()
    refusal = {"success": False, "code": "in_frame", "error": "This place is inside an embedded frame."}
    host.page.on("submit_probe", refusal)
    with pytest.raises(ToolFailed) as caught:
        await SubmitPolicy().needs_card(context(host), tool("click"), {"x": 100, "y": 5})
    assert caught.value.code == "in_frame"
    assert host.page.actions() == ["submit_probe"]
