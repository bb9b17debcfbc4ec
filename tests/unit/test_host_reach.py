"""The real host's reach beyond one page, against a browser that is a table of answers."""

import asyncio
import base64
from typing import Any

import pytest

from tests.support.table_browser import NOBODY, TAB, FakeBrowser, hurry
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host import pictures, windows
from webbrain.host.pictures import size_of
from webbrain.host.protocols import Capabilities
from webbrain.host.reach import BrowserEvent, Frame

FRAMES = [
    {"frameId": 7, "parentFrameId": 0, "url": "https://ad.example/"},
    {"frameId": 0, "parentFrameId": -1, "url": "https://shop.example/"},
    {"frameId": 9, "parentFrameId": -1, "url": "https://next.example/", "documentLifecycle": "prerender"},
]
CHROME = Capabilities(browser="chrome", cdp=True)
FIREFOX = Capabilities(browser="firefox", captures_background_tabs=True)


def jpeg(width: int, height: int) -> str:
    """The smallest thing with the size of a JPEG, behind a segment that is to be skipped."""
    size = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    data = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08" + size + b"\x01\x01\x11\x00\xff\xd9"
    return "data:image/jpeg;base64," + base64.b64encode(data).decode()


@pytest.fixture
async def chrome(monkeypatch: pytest.MonkeyPatch) -> FakeBrowser:
    hurry(monkeypatch)
    monkeypatch.setattr(pictures, "OFTEN_PAUSE", 0.001)
    monkeypatch.setattr(windows, "SETTLE_TIME", 0.02)
    browser = FakeBrowser(CHROME)
    browser.answers |= {
        "debugger.attach": None,
        "debugger.sendCommand": {},
        "debugger.detach": None,
        "tabs.get": {**TAB, "width": 800, "height": 600},
        "tabs.getZoom": 1,
        "webNavigation.getAllFrames": lambda _: FRAMES,
    }
    return browser


@pytest.fixture
async def firefox(chrome: FakeBrowser) -> FakeBrowser:
    browser = FakeBrowser(FIREFOX)
    browser.answers |= chrome.answers
    return browser


def sent(browser: FakeBrowser) -> list[str]:
    return [params["method"] for params in browser.done("debugger.sendCommand")]


# --- events ---


async def test_events_reach_everybody_until_they_stop_listening(chrome: FakeBrowser) -> None:
    heard: list[list[BrowserEvent]] = [[], []]

    def fail(event: BrowserEvent) -> None:
        raise ZeroDivisionError

    chrome.host.events.listen(fail)
    ends = [chrome.host.events.listen(one.append) for one in heard]
    told = {"kind": "tab_opened", "tabId": 1, "data": {"tabId": 2, "url": "https://a.example/"}}
    chrome.host.events.receive(told)
    ends[0]()
    ends[0]()
    chrome.host.events.receive({"kind": "download_changed", "tabId": -1, "data": {"id": 3}})
    chrome.host.events.receive({"kind": "nonsense"})
    assert heard[0] == [BrowserEvent("tab_opened", 1, {"tabId": 2, "url": "https://a.example/"})]
    assert [event.kind for event in heard[1]] == ["tab_opened", "download_changed"]


# --- debugger ---


async def test_attaching_happens_once_even_for_two_at_a_time(chrome: FakeBrowser) -> None:
    debugger = chrome.host.debugger
    await asyncio.gather(debugger.attach(1), debugger.attach(1))
    await debugger.attach(1)
    assert len(chrome.done("debugger.attach")) == 1
    assert sent(chrome) == ["Page.enable", "Network.enable"]
    assert debugger.attached(1)
    assert not debugger.attached(2)


async def test_an_attachment_of_an_earlier_life_is_taken_over(chrome: FakeBrowser) -> None:
    chrome.answers["debugger.attach"] = ("debugger_attached", "Another debugger is already attached.")
    await chrome.host.debugger.attach(1)
    assert chrome.host.debugger.attached(1)


@pytest.mark.parametrize(
    ("attach", "command", "reason"),
    [
        (("restricted_page", "Cannot access contents"), {}, "forbidden"),
        (("api_error", "Cannot attach to this target."), {}, "forbidden"),
        (("debugger_attached", "Another."), ("debugger_detached", "Debugger is not attached."), "taken"),
    ],
)
async def test_a_refused_attachment_says_why(
    chrome: FakeBrowser, attach: Any, command: Any, reason: str
) -> None:
    chrome.answers |= {"debugger.attach": attach, "debugger.sendCommand": command}
    with pytest.raises(BridgeError) as caught:
        await chrome.host.debugger.attach(1)
    assert (caught.value.code, caught.value.data) == ("debugger_refused", {"reason": reason})
    assert not chrome.host.debugger.attached(1)


async def test_the_browsers_own_pages_are_not_even_tried(chrome: FakeBrowser) -> None:
    chrome.answers["tabs.get"] = {**TAB, "url": "chrome-extension://abc/settings.html"}
    with pytest.raises(BridgeError) as caught:
        await chrome.host.debugger.attach(1)
    assert caught.value.data == {"reason": "forbidden"}
    assert chrome.done("debugger.attach") == []


@pytest.mark.parametrize("url", ["", "about:blank"])
async def test_a_tab_that_is_still_empty_can_be_attached(chrome: FakeBrowser, url: str) -> None:
    chrome.answers["tabs.get"] = {**TAB, "url": url}
    await chrome.host.debugger.attach(1)
    assert chrome.host.debugger.attached(1)


@pytest.mark.parametrize("kind", ["debugger_detached", "tab_removed"])
async def test_the_end_of_a_session_is_noticed_by_its_event(chrome: FakeBrowser, kind: str) -> None:
    await chrome.host.debugger.attach(1)
    chrome.host.events.receive({"kind": kind, "tabId": 1, "data": {"reason": "canceled_by_user"}})
    with pytest.raises(BridgeError) as caught:
        await chrome.host.debugger.send(1, "Page.captureScreenshot")
    assert (caught.value.code, caught.value.data) == ("debugger_detached", {"sent": False})
    await chrome.host.debugger.attach(1)
    assert len(chrome.done("debugger.attach")) == 2


@pytest.mark.parametrize(
    ("said", "was_sent"),
    [("Debugger is not attached to the tab.", False), ("Detached while handling.", True)],
)
async def test_the_end_of_a_session_is_noticed_by_a_command(
    chrome: FakeBrowser, said: str, was_sent: bool
) -> None:
    await chrome.host.debugger.attach(1)
    chrome.answers["debugger.sendCommand"] = ("debugger_detached", said)
    with pytest.raises(BridgeError) as caught:
        await chrome.host.debugger.send(1, "Input.insertText", {"text": "x"})
    assert (caught.value.code, caught.value.data) == ("debugger_detached", {"sent": was_sent})
    assert not chrome.host.debugger.attached(1)


async def test_input_that_is_cut_off_may_have_happened(chrome: FakeBrowser) -> None:
    await chrome.host.debugger.attach(1)
    chrome.answers["debugger.sendCommand"] = ("outcome_unknown", "Restarted.")
    with pytest.raises(OutcomeUnknown):
        await chrome.host.debugger.send(1, "Input.dispatchMouseEvent", {"type": "mousePressed"})
    assert sent(chrome)[2:] == ["Input.dispatchMouseEvent"]
    with pytest.raises(BridgeError):
        await chrome.host.debugger.send(1, "Page.captureScreenshot")


async def test_detaching_twice_or_too_late_is_no_error(chrome: FakeBrowser) -> None:
    await chrome.host.debugger.attach(1)
    await chrome.host.debugger.detach(1)
    chrome.answers["debugger.detach"] = ("debugger_detached", "Debugger is not attached.")
    await chrome.host.debugger.detach(1)
    assert not chrome.host.debugger.attached(1)


async def test_without_the_capability_there_is_no_debugger(firefox: FakeBrowser) -> None:
    for work in (
        firefox.host.debugger.attach(1),
        firefox.host.debugger.send(1, "Page.enable"),
        firefox.host.debugger.detach(1),
    ):
        with pytest.raises(BridgeError) as caught:
            await work
        assert caught.value.code == "not_available"
    assert firefox.calls == []


# --- frames and tabs ---


async def test_frames_begin_with_the_page_and_leave_out_what_is_not_shown(chrome: FakeBrowser) -> None:
    assert await chrome.host.browser.frames(1) == [
        Frame(0, -1, "https://shop.example/"),
        Frame(7, 0, "https://ad.example/"),
    ]
    chrome.answers["webNavigation.getAllFrames"] = None
    with pytest.raises(BridgeError) as caught:
        await chrome.host.browser.frames(1)
    assert caught.value.code == "no_tab"


@pytest.mark.parametrize("effect", [False, True])
@pytest.mark.parametrize("frame_id", [7, 8, 9])
async def test_a_frame_that_cannot_be_reached_is_gone_or_closed(
    chrome: FakeBrowser, frame_id: int, effect: bool
) -> None:
    chrome.page(NOBODY, ping=NOBODY)
    chrome.answers["scripting.executeScript"] = ("no_frame", "No frame with id.")
    with pytest.raises(BridgeError) as caught:
        await chrome.host.page.call(1, "frame_read", {}, timeout=5, frame_id=frame_id, effect=effect)
    assert caught.value.code == ("restricted_page" if frame_id == 7 else "no_frame")
    assert chrome.actions().count("frame_read") == (0 if effect else 1)


async def test_a_page_without_a_frame_at_its_top_is_just_being_replaced(chrome: FakeBrowser) -> None:
    chrome.page(NOBODY, {"success": True})
    chrome.answers["scripting.executeScript"] = ("no_frame", "No frame with id 0.")
    assert await chrome.host.page.call(1, "tree", {}, timeout=5) == {"success": True}


@pytest.mark.parametrize("at_first", ["", "about:blank"])
async def test_a_new_tab_is_waited_for_and_not_taken_for_the_empty_one(
    chrome: FakeBrowser, at_first: str
) -> None:
    chrome.answers["tabs.create"] = {"id": 4, "windowId": 5}
    tab = await chrome.host.browser.open_tab("https://a.example/", beside=1)
    (params,) = chrome.done("tabs.create")
    assert params["createProperties"] == {
        "url": "https://a.example/",
        "active": False,
        "windowId": 5,
        "openerTabId": 1,
    }
    assert (tab.id, tab.window_id, tab.active, tab.status) == (4, 5, False, "loading")
    empty, there = {**TAB, "id": 4, "url": at_first}, {**TAB, "id": 4, "url": "https://a.example/"}
    chrome.answers["tabs.get"] = [empty, empty, there]
    assert (await chrome.host.browser.wait_loaded(4, 5)).url == "https://a.example/"


@pytest.mark.parametrize("url", ["chrome://settings/", "javascript:alert(1)", "file:///etc/passwd"])
async def test_only_web_addresses_are_opened(chrome: FakeBrowser, url: str) -> None:
    with pytest.raises(BridgeError) as caught:
        await chrome.host.browser.open_tab(url, beside=1)
    assert caught.value.code == "restricted_page"
    assert chrome.done("tabs.create") == []


async def test_a_tab_that_is_gone_is_as_closed_as_can_be(chrome: FakeBrowser) -> None:
    chrome.answers["tabs.remove"] = ("no_tab", "No tab with id 4.")
    await chrome.host.browser.close_tab(4)
    chrome.answers["tabs.remove"] = ("api_error", "Tabs cannot be edited right now.")
    with pytest.raises(BridgeError):
        await chrome.host.browser.close_tab(4)


# --- downloads ---

ROW = {"id": 3, "url": "https://a.example/f", "filename": "/d/f", "state": "complete", "totalBytes": 5}


async def test_a_download_of_an_address(chrome: FakeBrowser) -> None:
    chrome.answers["downloads.download"] = 3
    assert await chrome.host.downloads.start("https://a.example/f", filename="sub/f") == 3
    (params,) = chrome.done("downloads.download")
    assert params["options"] == {
        "url": "https://a.example/f",
        "filename": "sub/f",
        "conflictAction": "uniquify",
        "saveAs": False,
    }


async def test_content_is_saved_from_an_address_that_is_let_go_afterwards(chrome: FakeBrowser) -> None:
    blob = "blob:chrome-extension://abc/1"
    chrome.answers |= {
        "blob.create": {"url": blob},
        "downloads.download": 3,
        "downloads.search": lambda _: [{**ROW, "state": "in_progress"}],
    }
    await chrome.host.downloads.start("data:text/plain;charset=utf-8;base64,aGVsbG8=")
    assert chrome.bodies == [b"hello"]
    assert chrome.done("downloads.download")[0]["options"]["url"] == blob
    chrome.host.events.receive(
        {"kind": "download_changed", "tabId": -1, "data": {"id": 4, "state": "complete"}}
    )
    assert chrome.events == []
    chrome.host.events.receive(
        {"kind": "download_changed", "tabId": -1, "data": {"id": 3, "state": "complete"}}
    )
    assert chrome.events == [{"url": blob}]


async def test_content_whose_download_is_over_at_once_is_let_go_too(chrome: FakeBrowser) -> None:
    chrome.answers |= {
        "blob.create": {"url": "blob:x"},
        "downloads.download": 3,
        "downloads.search": lambda _: [ROW],
    }
    await chrome.host.downloads.start("data:,hi%20there")
    assert chrome.bodies == [b"hi there"]
    assert chrome.events == [{"url": "blob:x"}]


async def test_a_download_that_is_refused_says_so_and_keeps_nothing(chrome: FakeBrowser) -> None:
    chrome.answers |= {
        "blob.create": {"url": "blob:x"},
        "downloads.download": ("api_error", "Invalid filename"),
    }
    with pytest.raises(BridgeError) as caught:
        await chrome.host.downloads.start("data:,hi")
    assert caught.value.code == "download_refused"
    assert chrome.events == [{"url": "blob:x"}]
    chrome.answers["downloads.download"] = ("outcome_unknown", "Restarted.")
    with pytest.raises(OutcomeUnknown):
        await chrome.host.downloads.start("https://a.example/f")


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "blob:https://a.example/1", "ftp://a/", "https://a/" + "x" * 17_000, "data:x"],
)
async def test_other_addresses_are_not_downloaded(chrome: FakeBrowser, url: str) -> None:
    with pytest.raises(BridgeError) as caught:
        await chrome.host.downloads.start(url)
    assert caught.value.code == "bad_params"
    assert chrome.calls == []


async def test_the_list_of_downloads(chrome: FakeBrowser) -> None:
    chrome.answers["downloads.search"] = lambda params: [] if params["query"].get("id") == 9 else [ROW]
    newest = await chrome.host.downloads.search(limit=2)
    assert chrome.done("downloads.search")[0]["query"] == {"orderBy": ["-startTime"], "limit": 2}
    assert (newest[0].id, newest[0].final_url, newest[0].total_bytes) == (3, "https://a.example/f", 5)
    assert [row.id for row in await chrome.host.downloads.search(ids=[3, 9])] == [3]


# --- windows ---

WINDOW = {"id": 5, "left": 0, "top": 0, "width": 900, "height": 700, "state": "normal", "type": "normal"}


async def test_a_maximised_window_is_restored_before_it_gets_its_size(chrome: FakeBrowser) -> None:
    chrome.answers["windows.get"] = [{**WINDOW, "state": "maximized", "width": 1366}, WINDOW]
    chrome.answers["windows.update"] = {"id": 5}
    window = await chrome.host.windows.resize(5, width=900, height=700, left=3)
    assert [params["updateInfo"] for params in chrome.done("windows.update")] == [
        {"state": "normal"},
        {"width": 900, "height": 700, "left": 3},
    ]
    assert (window.width, window.state) == (900, "normal")


async def test_a_window_that_takes_another_size_is_reported_as_it_is(chrome: FakeBrowser) -> None:
    chrome.answers |= {"windows.get": WINDOW, "windows.update": {"id": 5}}
    window = await chrome.host.windows.resize(5, width=100, height=100)
    assert (window.width, window.height) == (900, 700)


# --- pictures ---


async def test_a_picture_of_what_a_window_shows(chrome: FakeBrowser) -> None:
    chrome.answers["tabs.captureVisibleTab"] = jpeg(800, 600)
    assert size_of(await chrome.host.pictures.capture(1, quality=60)) == (800, 600)
    (params,) = chrome.done("tabs.captureVisibleTab")
    assert params == {"windowId": 5, "options": {"format": "jpeg", "quality": 60}}


async def test_a_tab_in_the_background_is_not_pictured_without_the_debugger(chrome: FakeBrowser) -> None:
    chrome.answers["tabs.get"] = {**TAB, "active": False}
    with pytest.raises(BridgeError) as caught:
        await chrome.host.pictures.capture(1)
    assert caught.value.code == "not_visible"
    assert chrome.done("tabs.captureVisibleTab") == []


@pytest.mark.parametrize("change", [{"active": False}, {"windowId": 6}])
async def test_a_picture_of_another_tab_is_never_given_away(chrome: FakeBrowser, change: Any) -> None:
    chrome.answers["tabs.get"] = [TAB, {**TAB, **change}]
    chrome.answers["tabs.captureVisibleTab"] = jpeg(800, 600)
    with pytest.raises(BridgeError) as caught:
        await chrome.host.pictures.capture(1)
    assert caught.value.code == "not_visible"


async def test_too_many_pictures_a_second_are_waited_for(chrome: FakeBrowser) -> None:
    often = ("api_error", f"This request exceeds the {pictures.TOO_OFTEN} quota.")
    chrome.answers["tabs.captureVisibleTab"] = [often, often, jpeg(800, 600)]
    assert await chrome.host.pictures.capture(1)
    chrome.answers["tabs.captureVisibleTab"] = often
    with pytest.raises(BridgeError):
        await chrome.host.pictures.capture(1)


async def test_the_debugger_pictures_background_tabs(chrome: FakeBrowser) -> None:
    chrome.answers["tabs.get"] = {**TAB, "active": False, "width": 800}
    await chrome.host.debugger.attach(1)
    chrome.answers["debugger.sendCommand"] = {"data": jpeg(800, 600).partition(",")[2]}
    assert size_of(await chrome.host.pictures.capture(1)) == (800, 600)
    assert chrome.done("tabs.captureVisibleTab") == []


async def test_a_picture_has_the_size_of_the_page_whatever_the_screen_has(chrome: FakeBrowser) -> None:
    chrome.answers["tabs.captureVisibleTab"] = jpeg(1600, 1200)
    chrome.answers["tabs.getZoom"] = 1.25
    chrome.answers["image.resize"] = {"image": jpeg(320, 240)}
    assert size_of(await chrome.host.pictures.capture(1, scale=0.5, quality=70)) == (320, 240)
    (params,) = chrome.done("image.resize")
    assert {key: params[key] for key in ("width", "height", "quality")} == {
        "width": 320,
        "height": 240,
        "quality": 70,
    }


async def test_firefox_draws_any_tab_at_any_scale(firefox: FakeBrowser) -> None:
    answers = {"tabs.get": {**TAB, "active": False}, "tabs.captureTab": jpeg(400, 300), "tabs.getZoom": 2}
    firefox.answers |= answers
    assert size_of(await firefox.host.pictures.capture(1, scale=0.5)) == (400, 300)
    (params,) = firefox.done("tabs.captureTab")
    assert params == {"tabId": 1, "options": {"format": "jpeg", "quality": 75, "scale": 0.25}}


async def test_the_browsers_own_pages_are_not_pictured(chrome: FakeBrowser, firefox: FakeBrowser) -> None:
    for browser in (chrome, firefox):
        browser.answers["tabs.get"] = {**TAB, "url": "about:logins"}
        with pytest.raises(BridgeError) as caught:
            await browser.host.pictures.capture(1)
        assert caught.value.code == "restricted_page"


async def test_a_page_that_is_not_drawn_is_busy(chrome: FakeBrowser) -> None:
    for method in ("tabs.captureVisibleTab", "debugger.sendCommand"):
        chrome.answers[method] = ("timeout", "No answer in time.")
        with pytest.raises(BridgeError) as caught:
            await chrome.host.pictures.capture(1)
        assert caught.value.code == "page_busy"
        chrome.answers["debugger.sendCommand"] = {}
        await chrome.host.debugger.attach(1)


@pytest.mark.parametrize("answer", [None, "data:image/png;base64,AAAA", "data:image/jpeg;base64,AAAA"])
async def test_what_is_no_picture_is_no_answer(chrome: FakeBrowser, answer: Any) -> None:
    chrome.answers["tabs.captureVisibleTab"] = answer
    with pytest.raises(BridgeError) as caught:
        await chrome.host.pictures.capture(1)
    assert caught.value.code == "api_error"
