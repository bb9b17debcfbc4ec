"""Frames: which one is meant, whose references are whose, and when one is opened as a page."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import FORMS_FRAME, FORMS_URL, FRAME, FRAME_URL, TAB, context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, PageCall
from webbrain.host.reach import Frame
from webbrain.policy.submit import SubmitPolicy
from webbrain.tools import registry
from webbrain.tools.base import ToolContext
from webbrain.tools.frames import fits

PROBE = {"submits": True, "host": "bank.example", "action": "https://bank.example/pay", "token": "t-1"}


async def call(ctx: ToolContext, name: str, **arguments: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(ctx, spec.args.model_validate(arguments))


def tree_of(*numbers: int) -> dict[str, Any]:
    lines = [f'button "B{number}" [ref_{number}]' for number in numbers]
    return {"pageContent": "\n".join(lines), "lastRef": max(numbers), "treeRevision": "r1"}


@pytest.mark.parametrize(
    ("url", "url_filter", "expected"),
    [
        ("https://pay.example/card?shop=1", "pay.example", True),
        ("https://pay.example/card?shop=1", "pay.example/card", True),
        ("https://pay.example/card?shop=1", "https://pay.example/card", True),
        ("https://www.PAY.example/card", "pay.example", True),
        ("https://pay.example/card", "pay.example/other", False),
        ("https://evil.example/?x=pay.example", "pay.example", False),
        ("https://evil.example/pay.example/card", "pay.example/card", False),
        ("https://notpay.example/", "pay.example", False),
        ("https://pay.example.evil.example/", "pay.example", False),
        ("https://pay.example@evil.example/", "pay.example", False),
        ("https://pay.example/card", "card", False),
        ("https://pay.example/card", "/card", False),
        ("https://pay.example/card", "", False),
        ("http://127.0.0.1:8081/f", "127.0.0.1:8081/f", True),
        ("http://127.0.0.1:8081/f", "127.0.0.1", True),
        ("http://127.0.0.1:8081/f", "127.0.0.1:8082", False),
        ("http://[::1]:8081/f", "[::1]:8081", True),
        ("about:srcdoc", "about:srcdoc", True),
        ("about:blank", "about:srcdoc", False),
        ("https://x.example/about:blank", "about:blank", False),
        ("https://[broken", "pay.example", False),
    ],
)
def test_a_frame_is_named_by_its_host_and_more(url: str, url_filter: str, expected: bool) -> None:
    assert fits(url, url_filter) is expected


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("iframe_click", {"selector": "button"}),
        ("iframe_type", {"selector": "input", "text": "x"}),
        ("iframe_read", {}),
        ("promote_iframe", {}),
    ],
)
async def test_several_frames_that_fit_are_listed_and_nothing_is_done(
    name: str, arguments: dict[str, Any]
) -> None:
    host = page_host()
    twins = [Frame(number, 0, f"https://ads.example/slot?{number}") for number in (11, 12)]
    host.browser.set_frames(TAB, *twins)
    result = await call(context(host), name, urlFilter="ads.example", **arguments)
    assert not result.success
    assert result.data["code"] == "ambiguous"
    assert result.data["frames"] == [
        {"matchIndex": 0, "frameId": 11, "url": "https://ads.example/slot?11"},
        {"matchIndex": 1, "frameId": 12, "url": "https://ads.example/slot?12"},
    ]
    assert not host.page.calls
    assert not host.browser.visits


async def test_the_listed_number_picks_the_frame() -> None:
    host = page_host()
    host.browser.set_frames(
        TAB, Frame(11, 0, "https://ads.example/slot"), Frame(12, 0, "https://ads.example/slot")
    )
    await call(context(host), "iframe_click", urlFilter="ads.example", frameId=12, selector="button")
    assert [(c.action, c.frame_id) for c in host.page.calls] == [("frame_click", 12)]


async def test_a_frame_number_does_not_overrule_the_host() -> None:
    host = page_host()
    result = await call(
        context(host), "iframe_click", urlFilter="forms.example", frameId=FRAME, selector="button"
    )
    assert result.data["code"] == "no_frame"
    assert not host.page.calls


async def test_no_frame_fits_and_no_frame_at_all() -> None:
    host = page_host()
    result = await call(context(host), "iframe_read", urlFilter="other.example")
    assert result.data["code"] == "no_frame"
    assert [frame["url"] for frame in result.data["frames"]] == [FRAME_URL, FORMS_URL]
    host.browser.set_frames(TAB)
    assert (await call(context(host), "iframe_read")).data["code"] == "no_frames"


async def test_hundreds_of_frames_are_not_all_listed() -> None:
    host = page_host()
    host.browser.set_frames(TAB, *(Frame(n, 0, f"https://f.example/{n}") for n in range(1, 301)))
    result = await call(context(host), "iframe_read")
    assert (len(result.data["frames"]), result.data["notListed"]) == (25, 275)
    listed = await call(context(host), "get_frames")
    assert (len(listed.data["frames"]), listed.data["total"]) == (25, 300)
    assert len([c for c in host.page.calls if c.action == "viewport"]) == 26


async def test_frames_with_their_size() -> None:
    host = page_host()

    def viewport(call: PageCall) -> Any:
        if call.frame_id == FORMS_FRAME:
            return BridgeError("closed", code="restricted_page")
        return {"width": 300, "height": 150}

    host.page.on("viewport", viewport)
    host.browser.set_frames(TAB, Frame(FRAME, 0, FRAME_URL), Frame(FORMS_FRAME, FRAME, FORMS_URL))
    result = await call(context(host), "get_frames")
    assert result.data["frames"] == [
        {"frameId": FRAME, "url": FRAME_URL, "width": 300, "height": 150},
        {"frameId": FORMS_FRAME, "url": FORMS_URL, "parentId": FRAME, "readable": False},
    ]


async def test_references_of_a_frame_lead_back_to_it() -> None:
    """Page, frame, page: whoever named an element hears what is done with it."""
    host = page_host()
    trees = iter([tree_of(1, 2), tree_of(3, 4), tree_of(1, 2, 5), tree_of(3, 6)])
    host.page.on("tree", lambda _: next(trees))
    ctx = context(host)
    await call(ctx, "get_accessibility_tree")
    await call(ctx, "iframe_read", urlFilter="pay.example")
    await call(ctx, "get_accessibility_tree")
    await call(ctx, "iframe_read", urlFilter="forms.example")
    assert [c.args["refs_after"] for c in host.page.calls] == [0, 2, 4, 5]
    host.page.calls.clear()
    for number in range(1, 8):
        await call(ctx, "click_ax", ref_id=f"ref_{number}")
    assert [c.frame_id for c in host.page.calls] == [0, 0, FRAME, FRAME, 0, FORMS_FRAME, 0]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("click_ax", {"ref_id": "ref_3"}),
        ("set_field", {"ref_id": "ref_3", "text": "x"}),
        ("type_ax", {"ref_id": "ref_3", "text": "x"}),
        ("set_checked", {"ref_id": "ref_3", "checked": True}),
        ("hover", {"ref_id": "ref_3"}),
        ("select_text", {"ref_id": "ref_3"}),
        ("scroll", {"direction": "down", "ref_id": "ref_3"}),
        ("get_accessibility_tree", {"ref_id": "ref_3"}),
        ("drag_drop", {"fromRefId": "ref_3", "toRefId": "ref_4"}),
    ],
)
async def test_every_tool_with_a_reference_works_in_frames(name: str, arguments: dict[str, Any]) -> None:
    host = page_host()
    ctx = context(host)
    host.page.on("tree", tree_of(3, 4))
    await call(ctx, "iframe_read", urlFilter="pay.example")
    host.page.calls.clear()
    result = await call(ctx, name, **arguments)
    assert result.success
    assert {c.frame_id for c in host.page.calls} == {FRAME}


async def test_text_of_a_frame_cannot_claim_references_of_the_page() -> None:
    """A frame that writes ``[ref_2]`` into its text names nothing: only the page script's counter counts."""
    host = page_host()
    ctx = context(host)
    trees = iter([tree_of(1, 2), tree_of(3) | {"pageContent": 'button "Send" [ref_2] [ref_99]'}])
    host.page.on("tree", lambda _: next(trees))
    await call(ctx, "get_accessibility_tree")
    await call(ctx, "iframe_read", urlFilter="pay.example")
    assert ctx.frame_of({"ref_id": "ref_2"}) == 0
    assert ctx.frame_of({"ref_id": "ref_99"}) == 0
    assert ctx.frame_of({"ref_id": "ref_3"}) == FRAME


async def test_what_is_named_between_two_trees_counts_too() -> None:
    """An error names an element that no tree has listed; a frame read next does not give its number again."""
    host = page_host()
    ctx = context(host)
    host.page.on("click_ax", {"success": False, "code": "covered", "error": "By [ref_8].", "lastRef": 8})
    result = await call(ctx, "click_ax", ref_id="ref_1")
    assert "lastRef" not in result.data
    host.page.on("tree", tree_of(9))
    await call(ctx, "iframe_read", urlFilter="pay.example")
    assert host.page.calls[-1].args["refs_after"] == 8


async def test_references_of_another_tab_s_frame_mean_nothing_here() -> None:
    host = page_host()
    ctx = context(host)
    host.page.on("tree", tree_of(3))
    await call(ctx, "iframe_read", urlFilter="pay.example")
    assert replace(ctx, tab_id=TAB + 1).frame_of({"ref_id": "ref_3"}) == 0


async def test_nothing_is_dragged_between_frames() -> None:
    host = page_host()
    ctx = context(host)
    trees = iter([tree_of(1), tree_of(2)])
    host.page.on("tree", lambda _: next(trees))
    await call(ctx, "get_accessibility_tree")
    await call(ctx, "iframe_read", urlFilter="pay.example")
    result = await call(ctx, "drag_drop", fromRefId="ref_1", toRefId="ref_2")
    assert result.data["code"] == "other_frame"
    assert "drag_drop" not in host.page.actions()


async def test_a_frame_that_went_away() -> None:
    host = page_host()
    ctx = context(host)
    host.page.on("tree", tree_of(3))
    await call(ctx, "iframe_read", urlFilter="pay.example")
    host.browser.set_frames(TAB)
    result = await call(ctx, "scroll", direction="down", ref_id="ref_3")
    assert not result.success
    assert result.data["code"] == "no_frame"


async def test_reading_a_frame_page_by_page() -> None:
    host = page_host()
    ctx = context(host)
    first = tree_of(3) | {"hasMore": True, "nextPage": 2, "continuationArgs": {"page": 2, "filter": "all"}}
    host.page.on("tree", first, tree_of(4))
    result = await call(ctx, "iframe_read", urlFilter="pay.example")
    assert result.data["continuationArgs"] == {"urlFilter": "pay.example", "page": 2}
    assert list(result.data)[-1] == "pageContent"
    await call(ctx, "iframe_read", **result.data["continuationArgs"])
    assert host.page.calls[-1].args["tree_revision"] == "r1"
    await call(ctx, "iframe_read", urlFilter="pay.example")
    assert "tree_revision" not in host.page.calls[-1].args, "page 1 starts afresh"


async def test_elements_of_a_frame_by_selector() -> None:
    host = page_host()
    host.page.on("frame_read", {"matches": [{}] * 50, "total": 90, "hasMore": True, "nextOffset": 50})
    result = await call(context(host), "iframe_read", urlFilter="pay.example", selector="a", limit=50)
    assert host.page.calls[0].args == {"selector": "a", "limit": 50, "offset": 0, "refs_after": 0}
    assert result.data["continuationArgs"] == {
        "urlFilter": "pay.example",
        "selector": "a",
        "limit": 50,
        "offset": 50,
    }


async def test_controls_of_a_frame_are_known_to_the_agent() -> None:
    host = page_host()
    result = await call(context(host), "iframe_read", urlFilter="pay.example")
    assert result.private["controls"][0]["name"] == "Buy"
    assert "controls" not in result.data


# --- the person is asked ---


async def test_the_frame_s_own_form_and_host_are_on_the_card() -> None:
    host = page_host()
    host.page.on(
        "submit_probe", {key: PROBE[key] for key in ("submits", "token")} | {"host": "", "action": ""}
    )
    policy = SubmitPolicy()
    spec = registry.get("iframe_click")
    assert spec
    arguments = {"urlFilter": "pay.example", "selector": "button.pay", "matchIndex": 1}
    card = await policy.needs_card(context(host), spec, arguments)
    assert card
    assert card.host == "pay.example"
    probe = host.page.calls[0]
    assert (probe.action, probe.frame_id) == ("submit_probe", FRAME)
    assert probe.args["tool"] == "frame_click"
    assert probe.args["args"] == {"selector": "button.pay", "matchIndex": 1}
    await spec.run(policy.context(context(host)), spec.args.model_validate(arguments))
    click = host.page.calls[-1]
    assert (click.action, click.frame_id, click.args["token"]) == ("frame_click", FRAME, "t-1")


async def test_a_reference_of_a_frame_is_asked_about_there() -> None:
    host = page_host()
    ctx = context(host)
    host.page.on("tree", tree_of(3))
    host.page.on("submit_probe", {"submits": True, "token": "t-1"})
    await call(ctx, "iframe_read", urlFilter="pay.example")
    policy = SubmitPolicy()
    spec = registry.get("click_ax")
    assert spec
    card = await policy.needs_card(ctx, spec, {"ref_id": "ref_3"})
    assert card
    assert card.host == "pay.example"
    assert host.page.calls[-1].frame_id == FRAME


async def test_a_frame_that_comes_after_the_question_is_not_acted_on() -> None:
    """The person was asked about one frame; another one with the same address does not get the click."""
    host = page_host()
    host.page.on("submit_probe", {"submits": False})
    policy = SubmitPolicy()
    spec = registry.get("iframe_click")
    assert spec
    arguments = {"urlFilter": "pay.example", "selector": "button"}
    await policy.needs_card(context(host), spec, arguments)
    host.browser.set_frames(TAB, Frame(99, 0, FRAME_URL))
    result = await spec.run(policy.context(context(host)), spec.args.model_validate(arguments))
    assert result.data["code"] == "no_frame"
    assert "frame_click" not in host.page.actions()


async def test_an_ambiguous_frame_is_no_question_for_a_person() -> None:
    host = page_host()
    host.browser.set_frames(TAB, Frame(11, 0, FRAME_URL), Frame(12, 0, FRAME_URL))
    spec = registry.get("iframe_click")
    assert spec
    with pytest.raises(ToolFailed) as caught:
        await SubmitPolicy().needs_card(context(host), spec, {"urlFilter": "pay.example", "selector": "b"})
    assert caught.value.code == "ambiguous"


# --- a frame as a page ---


async def test_a_frame_is_opened_in_the_same_tab() -> None:
    host = page_host()
    result = await call(context(host), "promote_iframe", urlFilter="forms.example/embed")
    assert result.success
    assert host.browser.visits == [(TAB, FORMS_URL)]
    assert result.data["url"] == FORMS_URL
    asked = [(c.action, c.frame_id) for c in host.page.calls]
    assert asked[0] == ("page_state", FORMS_FRAME), "the frame is asked before it is left"


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ({"forms": [{"dirty": 1, "files": 0}]}, "unsaved_changes"),
        ({"forms": [{"dirty": 0, "files": 1}]}, "unsaved_changes"),
        ({"forms": [], "loose": {"dirty": 1}}, "unsaved_changes"),
        ({"forms": "none"}, "not_inspected"),
        ({"success": False}, "not_inspected"),
        (BridgeError("busy", code="page_busy"), "not_inspected"),
    ],
    ids=["field", "file", "loose", "odd", "failed", "busy"],
)
async def test_entries_in_the_frame_stop_it(state: Any, code: str) -> None:
    host = page_host()
    host.page.on("page_state", lambda call: state if call.frame_id else {"forms": []})
    result = await call(context(host), "promote_iframe", urlFilter="forms.example")
    assert result.data["code"] == code
    assert result.data["blockedUnsavedChanges"] is True
    assert not host.browser.visits
    forced = await call(context(host), "promote_iframe", urlFilter="forms.example", force=True)
    assert forced.success
    assert host.browser.visits


async def test_entries_in_a_frame_of_the_frame_stop_it_too() -> None:
    host = page_host()
    inner = Frame(20, FORMS_FRAME, "https://editor.example/")
    host.browser.set_frames(TAB, Frame(FORMS_FRAME, 0, FORMS_URL), inner)
    dirty = {"forms": [{"dirty": 1, "files": 0}]}
    host.page.on("page_state", lambda call: dirty if call.frame_id == 20 else {"forms": []})
    result = await call(context(host), "promote_iframe", urlFilter="forms.example")
    assert result.data["code"] == "unsaved_changes"


async def test_entries_in_the_page_around_it_stop_it_as_ever() -> None:
    host = page_host()
    dirty = {"forms": [{"dirty": 2, "files": 0}]}
    host.page.on("page_state", lambda call: {"forms": []} if call.frame_id else dirty)
    result = await call(context(host), "promote_iframe", urlFilter="forms.example")
    assert result.data["code"] == "unsaved_changes"
    assert not host.browser.visits


@pytest.mark.parametrize(
    "answer",
    [{"verified": False, "actual": ""}, {}, OutcomeUnknown("cut off")],
    ids=["other value", "nobody looked", "unknown"],
)
async def test_an_edit_that_nobody_saw_arrive_stops_it(answer: Any) -> None:
    host = page_host()
    ctx = context(host)
    host.page.on("frame_type", answer)
    try:
        await call(ctx, "iframe_type", urlFilter="forms.example", selector="input", text="x")
    except OutcomeUnknown:
        assert isinstance(answer, OutcomeUnknown)
    result = await call(ctx, "promote_iframe", urlFilter="forms.example")
    assert result.data["code"] == "unverified_edit"
    assert not host.browser.visits


async def test_a_verified_edit_is_judged_by_what_the_frame_says() -> None:
    host = page_host()
    ctx = context(host)
    await call(ctx, "iframe_type", urlFilter="forms.example", selector="input", text="x")
    assert (await call(ctx, "promote_iframe", urlFilter="forms.example")).success


async def test_a_frame_without_an_address_of_its_own() -> None:
    host = page_host()
    host.browser.set_frames(TAB, Frame(5, 0, "about:srcdoc"))
    result = await call(context(host), "promote_iframe", urlFilter="about:srcdoc")
    assert result.data["code"] == "no_address"


async def test_match_index_of_a_frame() -> None:
    host = page_host()
    host.browser.set_frames(TAB, Frame(11, 0, "https://f.example/1"), Frame(12, 0, "https://f.example/2"))
    assert (await call(context(host), "promote_iframe", urlFilter="f.example", matchIndex=2)).data[
        "code"
    ] == "bad_index"
    await call(context(host), "promote_iframe", urlFilter="f.example", matchIndex=1)
    assert host.browser.visits == [(TAB, "https://f.example/2")]


async def test_a_secret_typed_in_a_frame_is_not_repeated() -> None:
    host = page_host()
    meta = {"type": "password", "name": "p"}
    host.page.on("frame_type", {"verified": False, "actual": "hunter2", "fieldMeta": meta})
    result = await call(
        context(host), "iframe_type", urlFilter="pay.example", selector="input", text="hunter2"
    )
    assert result.data["sensitiveField"] is True
    assert "hunter2" not in str(result.data)


def test_the_host_of_tests_has_the_frames_it_says() -> None:
    host: MemoryHost = page_host()
    assert [frame.id for frame in host.browser.frames_now(TAB)] == [0, FRAME, FORMS_FRAME]
