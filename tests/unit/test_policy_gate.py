"""The gate: who is asked what, and what an answer is worth."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.approve import allow
from tests.support.gate import CLICK, SENDING, TYPE, WORK, Person, code, shop, tool
from tests.support.toolbox import FRAME, TAB, context
from webbrain.core.types import Capability, Mode
from webbrain.host.reach import Frame
from webbrain.policy import grants
from webbrain.policy.gate import Gate
from webbrain.policy.grants import PERMISSIONS, SWITCH, Leave, Need
from webbrain.services.settings import FIELDS
from webbrain.tools.state import Dialog, DialogType

# --- the ordinary grant ---


async def test_one_card_lets_the_task_click_type_and_open_pages_of_a_host() -> None:
    ada = Person()
    for name, args in (
        ("click_ax", CLICK),
        ("set_field", TYPE),
        ("press_keys", {"key": "Enter"}),
        ("navigate", {"url": "/other"}),
        ("go_back", {}),
        ("type_text", {"text": "x"}),
    ):
        assert await ada.call(name, **args) is None
    assert ada.asked() == [("work", "shop.example")]
    card = ada.cards[0]
    assert "shop.example" in card.question
    assert ("Action", "Click “View my portfolio”") in [(d.label, d.value) for d in card.details]
    assert [option.id for option in card.options] == ["once", "always", "deny", "never"]


@pytest.mark.parametrize(
    "name", ["get_accessibility_tree", "scroll", "hover", "select_text", "done", "close_tab"]
)
async def test_reading_and_the_agent_s_own_business_ask_nothing(name: str) -> None:
    ada = Person()
    assert await ada.call(name, ref_id="ref_1", tab_id=9, direction="down") is None
    assert ada.cards == []


async def test_for_what_needs_nothing_nothing_is_looked_up() -> None:
    ada = Person()
    looked: list[str] = []
    ada.host.hook = looked.append
    assert await ada.call("get_accessibility_tree") is None
    assert looked == []
    await ada.call("click_ax", **CLICK)
    assert looked, "what needs leave is looked into"


@pytest.mark.parametrize("key", ["Tab", "Escape"])
async def test_keys_that_do_nothing_lasting_are_free(key: str) -> None:
    ada = Person()
    assert await ada.call("press_keys", key=key) is None
    assert ada.cards == []


async def test_the_card_of_a_dialog_says_what_the_dialog_says() -> None:
    ada = Person()
    ada.ctx.state.dialogs[TAB] = Dialog(TAB, "prompt", "Delete everything?\nThere is no way back.", "no")
    assert await ada.call("answer_dialog", accept=True, text="yes") is None
    lines = {line.label: line.value for line in ada.cards[0].details}
    assert lines["Dialog"] == "Delete everything?\nThere is no way back."
    assert lines["Enter"] == "yes"
    ada = Person()
    ada.ctx.state.dialogs[TAB] = Dialog(TAB, "confirm", "Delete everything?")
    assert await ada.call("answer_dialog", accept=False) is None
    assert ada.cards == []


@pytest.mark.parametrize("kind", ["confirm", "prompt"])
async def test_a_yes_to_a_page_s_question_is_asked_about_each_time(kind: DialogType) -> None:
    """However harmless the control was called behind which the page asks."""
    ada = Person()
    await ada.call("click_ax", **CLICK)
    for number in (2, 3):
        ada.ctx.state.dialogs[TAB] = Dialog(TAB, kind, "Delete everything?")
        assert await ada.call("answer_dialog", accept=True) is None
        assert len(ada.cards) == number
        assert ada.cards[-1].title == "Press “OK”?"
        assert "Delete everything?" in [line.value for line in ada.cards[-1].details]
    ada.answers = ["deny"]
    assert code(await ada.call("answer_dialog", accept=True)) == "denied"


@pytest.mark.parametrize("kind", ["alert", "beforeunload"])
async def test_what_asks_nothing_needs_the_ordinary_grant(kind: DialogType) -> None:
    ada = Person()
    await ada.call("click_ax", **CLICK)
    ada.ctx.state.dialogs[TAB] = Dialog(TAB, kind, "Welcome!")
    assert await ada.call("answer_dialog", accept=True) is None
    assert len(ada.cards) == 1


async def test_the_answer_is_for_the_dialog_that_was_shown() -> None:
    ada = Person()
    dialogs = ada.ctx.state.dialogs
    dialogs[TAB] = Dialog(TAB, "confirm", "Continue?")
    ada.thinking = lambda: dialogs.update({TAB: Dialog(TAB, "confirm", "Delete everything?")})
    assert code(await ada.call("answer_dialog", accept=True)) == "changed_since_asked"


async def test_no_is_remembered_for_the_task_and_for_all_that_the_card_spoke_of() -> None:
    ada = Person("deny")
    assert code(await ada.call("click_ax", **CLICK)) == "denied"
    assert code(await ada.call("set_field", **TYPE)) == "denied"
    assert code(await ada.call("navigate", url="/other")) == "denied"
    assert len(ada.cards) == 1


@pytest.mark.parametrize("answer", ["", "yes", "ONCE", "allow", "timeout", "cancelled", "once "])
async def test_whatever_is_no_option_is_no(answer: str) -> None:
    ada = Person(answer)
    assert code(await ada.call("click_ax", **CLICK)) == "denied"


async def test_an_answer_nobody_waits_for_does_nothing() -> None:
    ada = Person()
    assert await ada.gate.answered("always") is None
    assert await grants.stored(ada.host) == []


async def test_always_is_stored_and_counts_in_other_tabs_and_tasks() -> None:
    ada = Person("always")
    assert await ada.call("click_ax", **CLICK) is None
    assert {
        (grant["capability"], grant["host"], grant["action"])
        for grant in ada.host.settings.values[PERMISSIONS]
    } == {(capability.value, "shop.example", "allow") for capability in WORK}
    later = Person(host=ada.host)
    assert await later.call("set_field", **TYPE) is None
    assert later.cards == []


async def test_never_is_stored_too_and_a_denial_wins() -> None:
    ada = Person("never")
    assert code(await ada.call("click_ax", **CLICK)) == "denied"
    allow(ada.host, "shop.example")
    later = Person(host=ada.host)
    assert code(await later.call("click_ax", **CLICK)) == "denied"
    assert later.cards == []


async def test_what_is_revoked_while_a_task_runs_counts_at_once() -> None:
    ada = Person(host=shop())
    allow(ada.host, "shop.example")
    assert await ada.call("click_ax", **CLICK) is None
    assert await grants.forget(ada.host, None, "shop.example") == 3
    assert await ada.call("click_ax", **CLICK) is None
    assert len(ada.cards) == 1


def granted(capability: str = "click", host: str = "shop.example", action: str = "allow") -> dict[str, str]:
    return {"capability": capability, "host": host, "action": action}


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "x",
        {},
        [1],
        [{"host": "shop.example"}],
        [granted(host="")],
        [granted("everything")],
        [granted(action="yes")],
        [granted(host="*")],
    ],
)
async def test_damaged_or_wild_grants_grant_nothing(stored: Any) -> None:
    ada = Person(host=shop())
    ada.host.settings.values[PERMISSIONS] = stored
    await ada.call("click_ax", **CLICK)
    assert len(ada.cards) == 1


async def test_two_tasks_that_store_at_once_lose_nothing() -> None:
    host = shop()
    await asyncio.gather(
        *(grants.remember(host, [Need(Capability.CLICK, f"h{n}.example")], allow=True) for n in range(10))
    )
    assert len(await grants.stored(host)) == 10


async def test_www_is_the_same_host_and_another_port_is_not() -> None:
    allow(host := shop(url="https://www.shop.example/"), "shop.example")
    ada = Person(host=host)
    assert await ada.call("click_ax", **CLICK) is None
    assert ada.cards == []
    allow(other := shop(url="https://shop.example:8443/"), "shop.example")
    ada = Person(host=other)
    await ada.call("click_ax", **CLICK)
    assert ada.asked() == [("work", "shop.example:8443")]


@pytest.mark.parametrize("url", ["about:blank", "file:///home/ada/x.html", "data:text/html,x", ""])
async def test_an_unknown_origin_is_refused(url: str) -> None:
    ada = Person(host=shop(url=url))
    assert code(await ada.call("set_field", **TYPE)) == "no_host"
    assert ada.cards == []


# --- opening pages ---


async def test_what_the_user_typed_is_opened_without_a_question() -> None:
    ada = Person()
    ada.said = "Compare tea on https://news.example/tea and at prices.example, please."
    assert await ada.call("navigate", url="https://news.example/tea") is None
    assert await ada.call("navigate", url="https://www.prices.example/") is None
    assert ada.cards == []
    assert await ada.call("navigate", url="https://evil.example/") is None
    assert ada.asked() == [("open", "evil.example")]
    assert ada.cards[0].details[0].value == "https://evil.example/"
    assert await ada.call("navigate", url="https://evil.example/more") is None
    assert len(ada.cards) == 1


async def test_a_host_in_an_e_mail_address_was_not_asked_for() -> None:
    ada = Person()
    ada.said = "Write to ada@bank.example"
    await ada.call("navigate", url="https://bank.example/")
    assert ada.asked() == [("open", "bank.example")]


async def test_a_step_back_is_charged_to_the_page() -> None:
    ada = Person()
    assert await ada.call("go_back") is None
    assert ada.asked() == [("work", "shop.example")]


# --- frames ---


async def test_what_happens_in_a_frame_is_charged_to_the_frame() -> None:
    allow(host := shop(), "shop.example")
    ada = Person(host=host)
    assert await ada.call("iframe_type", urlFilter="pay.example", selector="input", text="4") is None
    assert ada.asked() == [("work", "pay.example")]
    assert ada.gate is not None


async def test_the_frame_that_was_asked_about_is_the_one_that_is_used() -> None:
    ada = Person()
    spec, args = tool("iframe_type"), {"urlFilter": "pay.example", "selector": "input", "text": "4"}
    assert await ada.gate.needs_card(ada.ctx, spec, args)
    await ada.gate.answered("once")
    assert await ada.gate.needs_card(ada.ctx, spec, args) is None
    assert ada.gate.context(ada.ctx).frame_id == FRAME


async def test_a_frame_counts_for_its_own_call_only() -> None:
    ada = Person()
    await ada.call("iframe_click", urlFilter="pay.example", selector="button")
    await ada.call("iframe_read", urlFilter="forms.example")
    assert ada.gate.context(ada.ctx).frame_id is None


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("about:srcdoc", "shop.example"),
        ("about:blank", "shop.example"),
        ("blob:https://cdn.example/1-2", "cdn.example"),
        ("data:text/html,x", None),
        ("", "shop.example"),
    ],
)
async def test_frames_without_an_address(url: str, asked: str | None) -> None:
    host = shop()
    host.browser.set_frames(TAB, Frame(FRAME, 0, url))
    ada = Person(host=host)
    ctx = replace(ada.ctx, frame_id=FRAME)
    ada.ctx = ctx
    result = await ada.call("type_ax", **TYPE)
    assert ada.asked() == ([("work", asked)] if asked else [])
    assert code(result) == ("" if asked else "no_host")


# --- switches ---


async def test_the_master_switch_removes_questions_but_not_the_address_guard() -> None:
    ada = Person(host=shop(SENDING))
    ada.host.settings.values[SWITCH] = False
    assert await ada.call("click_ax", **CLICK) is None
    assert await ada.call("download_files", url="https://a.example/1") is None
    assert ada.cards == []
    assert code(await ada.call("fetch_url", url="https://a.example/", method="POST")) == "requires_api_allow"


def test_the_switch_is_a_setting() -> None:
    assert SWITCH in FIELDS
    assert FIELDS[SWITCH].default is True


async def test_an_unattended_run_asks_unless_its_owner_waived_that() -> None:
    ada = Person()
    ada.gate = Gate(Leave(asks=False))
    assert await ada.call("click_ax", **CLICK) is None
    assert ada.cards == []


async def test_without_the_gate_nothing_is_asked() -> None:
    ada = Person(host=shop(SENDING))
    ada.gate = Gate(enabled=False)
    assert await ada.call("click_ax", **CLICK) is None
    assert await ada.call("download_files", url="https://a.example/1") is None
    assert ada.cards == []


async def test_ask_mode_is_asked_about_the_network_and_has_nothing_else() -> None:
    ada = Person()
    ada.ctx = context(ada.host, mode=Mode.ASK)
    assert await ada.call("fetch_url", url="https://news.example/") is None
    assert ada.asked() == [("read", "news.example")]
