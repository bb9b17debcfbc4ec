"""The gate and what commits: forms, presses made twice, and answers that are void."""

from typing import Any

import pytest

from tests.support.approve import allow
from tests.support.gate import CLICK, ORDINARY, SENDING, TYPE, Person, code, shop, tool
from tests.support.toolbox import FRAME, FRAME_URL, TAB, URL
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, Tab
from webbrain.host.reach import Frame
from webbrain.policy.grants import SWITCH

# --- forms and commits ---


async def test_a_form_is_asked_about_every_time_and_that_is_leave_for_the_click() -> None:
    ada = Person(host=shop(SENDING))
    assert await ada.call("click_ax", **CLICK) is None
    ada.host.page.on(
        "submit_probe", {**SENDING, "fields": [{"label": "Name", "value": "Bob", "masked": False}]}
    )
    assert await ada.call("click_ax", **CLICK) is None
    assert [card.ask for card in ada.cards] == ["submit", "submit"]
    assert [field.value for card in ada.cards for field in card.fields] == ["Ada", "Bob"]
    assert [option.id for option in ada.cards[0].options] == ["once", "deny"]


async def test_a_host_that_is_allowed_for_good_may_not_send_forms_unasked() -> None:
    allow(host := shop(SENDING), "shop.example")
    ada = Person(host=host)
    await ada.call("click_ax", **CLICK)
    assert [card.kind for card in ada.cards] == ["submit"]


async def test_filling_in_and_sending_asks_for_both_in_turn() -> None:
    ada = Person(host=shop(SENDING))
    assert await ada.call("set_field", **TYPE, submit=True) is None
    assert [card.ask for card in ada.cards] == ["work", "submit"]


async def test_in_a_frame_the_form_s_yes_is_not_leave_for_the_frame() -> None:
    ada = Person(host=shop(SENDING))
    assert await ada.call("iframe_click", urlFilter="pay.example", selector="button") is None
    assert ada.asked() == [("work", "pay.example"), ("submit", "shop.example")]


async def test_a_control_that_commits_is_asked_about_without_a_form_too() -> None:
    probe = {**ORDINARY, "commits": True, "control": "Send", "token": "t-2"}
    ada = Person(host=shop(probe))
    assert await ada.call("click_ax", **CLICK) is None
    assert [card.ask for card in ada.cards] == ["press"]
    assert ada.cards[0].title == "Press “Send”?"


async def test_on_a_denied_host_forms_are_not_even_asked_about() -> None:
    ada = Person("deny")
    await ada.call("set_field", **TYPE)
    ada.host.page.on("submit_probe", SENDING)
    assert code(await ada.call("click_ax", **CLICK)) == "denied"
    assert len(ada.cards) == 1


async def test_the_very_same_form_is_not_asked_about_again_after_a_no() -> None:
    ada = Person("deny", host=shop(SENDING))
    assert code(await ada.call("click_ax", **CLICK)) == "denied"
    assert code(await ada.call("click_ax", **CLICK)) == "denied"
    assert len(ada.cards) == 1
    ada.host.page.on("submit_probe", {**SENDING, "fields": []})
    await ada.call("click_ax", **CLICK)
    assert len(ada.cards) == 2, "with other values it is another question"


# --- sent twice ---


async def test_the_same_commit_is_not_pressed_twice_in_a_moment() -> None:
    ada = Person(host=shop(SENDING))
    assert await ada.call("click_ax", **CLICK) is None
    again = await ada.call("click_ax", **CLICK)
    assert again is not None
    assert again.data["blockedDuplicateSubmit"] is True
    assert again.data["dispatched"] is False
    assert {"previousClickUrl", "currentUrl", "secondsSincePrevious"} <= set(again.data)
    ada.host.clock.advance(46)
    assert await ada.call("click_ax", **CLICK) is None


@pytest.mark.parametrize(
    ("probe", "args"),
    [
        ({**SENDING, "fields": []}, CLICK),
        ({**SENDING, "control": "Send"}, CLICK),
        (SENDING, {"ref_id": "ref_7"}),
    ],
)
async def test_other_values_names_and_elements_are_no_repeat(probe: Any, args: dict[str, Any]) -> None:
    ada = Person(host=shop(SENDING))
    await ada.call("click_ax", **CLICK)
    ada.host.page.on("submit_probe", probe)
    assert await ada.call("click_ax", **args) is None


async def test_a_press_that_did_not_happen_is_no_repeat() -> None:
    ada = Person(host=shop(SENDING))
    args = dict(CLICK)
    while await ada.gate.needs_card(ada.ctx, tool("click_ax"), args):
        await ada.gate.answered("once")
    ada.gate.ended(ToolResult.error("Something lies over it.", "covered"))
    assert await ada.call("click_ax", **CLICK) is None


async def test_with_the_switch_off_the_repeat_is_still_blocked() -> None:
    ada = Person(host=shop(SENDING))
    ada.host.settings.values[SWITCH] = False
    assert await ada.call("click_ax", **CLICK) is None
    assert code(await ada.call("click_ax", **CLICK)) == "blocked_duplicate_submit"
    assert ada.cards == []


# --- void questions ---


def navigated(host: MemoryHost, url: str) -> None:
    host.browser.move(TAB, url)
    host.events.tell("navigation", TAB, phase="committed", url=url)


async def test_a_new_document_voids_the_answer_even_at_the_same_address() -> None:
    ada = Person()
    ada.thinking = lambda: ada.host.events.tell("navigation", TAB, phase="committed", url=URL)
    assert code(await ada.call("click_ax", **CLICK)) == "changed_since_asked"


@pytest.mark.parametrize("url", ["https://evil.example/", "https://shop.example/other"])
async def test_another_page_voids_the_answer(url: str) -> None:
    ada = Person()
    ada.thinking = lambda: navigated(ada.host, url)
    assert code(await ada.call("set_field", **TYPE)) == "changed_since_asked"


async def test_another_site_voids_what_opens_pages_too() -> None:
    ada = Person()
    ada.thinking = lambda: navigated(ada.host, "https://evil.example/")
    assert code(await ada.call("navigate", url="https://news.example/")) == "changed_since_asked"


async def test_a_control_that_turned_into_another_voids_the_answer() -> None:
    ada = Person()
    ada.thinking = lambda: ada.host.page.on("submit_probe", {**ORDINARY, "control": "Delete everything"})
    assert code(await ada.call("click_ax", **CLICK)) == "changed_since_asked"


async def test_a_control_that_begins_to_send_voids_the_answer() -> None:
    ada = Person()
    ada.thinking = lambda: ada.host.page.on("submit_probe", {**SENDING, "control": ORDINARY["control"]})
    assert code(await ada.call("click_ax", **CLICK)) == "changed_since_asked"


async def test_a_frame_with_another_document_voids_the_answer() -> None:
    args = {"urlFilter": "pay.example", "selector": "input", "text": "4"}
    ada = Person()
    ada.thinking = lambda: ada.host.events.tell("frame_navigation", TAB, frameId=FRAME, url=FRAME_URL)
    assert code(await ada.call("iframe_type", **args)) == "changed_since_asked"
    ada = Person()
    ada.thinking = lambda: ada.host.browser.set_frames(TAB, Frame(FRAME, 0, "https://pay.example/other"))
    assert code(await ada.call("iframe_type", **args)) == "changed_since_asked"


async def test_the_tab_s_end_and_another_tab_void_the_answer() -> None:
    ada = Person()
    ada.host.browser.open(Tab(9, "https://shop.example/", "Shop"))
    ada.thinking = lambda: setattr(ada.ctx.state, "tab_id", 9)
    assert code(await ada.call("click_ax", **CLICK)) == "changed_since_asked"


async def test_a_jump_within_the_page_and_events_of_other_tabs_void_nothing() -> None:
    ada = Person()

    def think() -> None:
        ada.host.browser.open(Tab(TAB, f"{URL}#reviews", "Shop"))
        ada.host.events.tell("navigation", TAB, phase="same_document", url=f"{URL}#reviews")
        ada.host.events.tell("navigation", 99, phase="committed", url="https://evil.example/")

    ada.thinking = think
    assert await ada.call("click_ax", **CLICK) is None


async def test_a_void_yes_is_no_grant_for_the_call_but_one_for_the_host_it_named() -> None:
    ada = Person()
    ada.thinking = lambda: navigated(ada.host, "https://evil.example/")
    await ada.call("click_ax", **CLICK)
    ada.thinking = None
    await ada.call("click_ax", **CLICK)
    assert ada.asked() == [("work", "shop.example"), ("work", "evil.example")]
