"""What the host lets the agent ask of a browser, asked of the finished build one call at a time."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.browsers import Browser, Tab
from tests.support.browsers.base import wait_until
from tests.support.browsers.chromium import Chromium, ChromiumPage
from tests.support.outside import HostOutside
from tests.support.small_site import SmallSite
from webbrain.core.errors import BridgeError
from webbrain.host import pictures
from webbrain.host.pictures import size_of
from webbrain.host.protocols import HttpRequest
from webbrain.host.reach import BrowserEvent

GREEN = "rgb(0, 160, 0)"
PAGES = {
    "/page": f"""<!doctype html><title>Page</title>
      <body style="margin: 0; background: {GREEN}">
      <button style="position: absolute; left: 20px; top: 20px; width: 100px; height: 40px"
        onclick="clicks = [...(globalThis.clicks ?? []), event.isTrusted]">Press</button>""",
    "/links": """<!doctype html><title>Links</title>
      <a id="blank" target="_blank" href="/page?blank">new tab</a>
      <a id="noopener" target="_blank" rel="noopener" href="/page?noopener">new tab, no opener</a>
      <a id="frame" target="_blank" href="OTHER/page?other">elsewhere</a>
      <a id="file" href="/file.bin">file</a>""",
    "/frames": """<!doctype html><title>Frames</title>
      <iframe src="OTHER/inner"></iframe><iframe id="empty"></iframe>
      <iframe srcdoc="<p>written in place</p>"></iframe>
      <iframe sandbox="allow-scripts" srcdoc="<p>in a sandbox</p>"></iframe>
      <script>
        addEventListener('load', () => {
          document.getElementById('empty').contentDocument.body.textContent = 'written by script';
        });
      </script>""",
    "/drag": """<!doctype html><title>Drag</title><body style="margin: 0">
      <div draggable="true" style="width: 100px; height: 100px; background: silver"
        ondragstart="event.dataTransfer.setData('text/plain', 'cargo')">from</div>
      <div style="position: absolute; left: 200px; top: 0; width: 100px; height: 100px; background: gold"
        ondragover="event.preventDefault()"
        ondrop="document.title = event.dataTransfer.getData('text/plain')">to</div>""",
    "/inner": "<!doctype html><title>Inner</title><p>of another origin</p>",
}


@pytest.fixture(scope="module")
def module_site() -> Iterator[SmallSite]:
    with SmallSite(PAGES) as running:
        yield running


@pytest.fixture
def site(module_site: SmallSite) -> SmallSite:
    """The server, without the requests of earlier tests."""
    module_site.requests.clear()
    module_site.release.clear()
    return module_site


@pytest.fixture(scope="module")
def module_outside(browser: Browser) -> Iterator[HostOutside]:
    outside = HostOutside(browser)
    yield outside
    outside.close()


@pytest.fixture
def outside(module_outside: HostOutside, browser: Browser) -> Iterator[HostOutside]:
    """The host, without the events of earlier tests; tabs a test leaves behind are closed."""
    before = {tab["id"] for tab in browser.tabs()}
    module_outside.events.clear()
    yield module_outside
    for tab in browser.tabs():
        if tab["id"] not in before:
            module_outside.run(module_outside.host.browser.close_tab(tab["id"]))


@pytest.fixture
def chromium(browser: Browser) -> Chromium:
    """Only Chromium lets an extension use its debugger."""
    if browser.name != "chromium":
        pytest.skip("Firefox has no debugger for extensions, as test_firefox_has_no_debugger shows")
    return cast(Chromium, browser)


def code_of(outside: HostOutside, work: Any) -> str:
    with pytest.raises(BridgeError) as caught:
        outside.run(work)
    return caught.value.code


def pixel(browser: Browser, picture: str) -> list[int]:
    """Red, green and blue near the lower right corner of a picture."""
    found: list[int] = browser.control.eval(
        f"""(async () => {{
          const bitmap = await createImageBitmap(await (await fetch({picture!r})).blob());
          const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
          pen.drawImage(bitmap, 0, 0);
          return [...pen.getImageData(bitmap.width - 20, bitmap.height - 20, 1, 1).data].slice(0, 3);
        }})()"""
    )
    return found


def is_green(colour: list[int]) -> bool:
    return all(abs(have - want) < 12 for have, want in zip(colour, (0, 160, 0), strict=True))


# --- frames ---


def test_every_frame_answers_whatever_its_origin(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    tab = browser.open_tab(site.url + "/frames")
    frames = outside.run(outside.host.browser.frames(tab.id))
    assert frames[0].url == site.url + "/frames"
    assert {frame.parent_id for frame in frames[1:]} == {0}
    texts = {
        outside.run(outside.host.page.call(tab.id, "read_page", {}, timeout=10, frame_id=frame.id))["text"]
        for frame in frames[1:]
    }
    assert texts == {"of another origin", "written by script", "written in place", "in a sandbox"}


def test_a_frame_that_is_gone_is_named(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    tab = browser.open_tab(site.url + "/frames")
    frame = outside.run(outside.host.browser.frames(tab.id))[1]
    tab.page.eval("document.querySelector('iframe').remove() ?? true")
    for effect in (False, True):
        call = outside.host.page.call(tab.id, "ping", {}, timeout=10, frame_id=frame.id, effect=effect)
        assert code_of(outside, call) == "no_frame"
    assert outside.run(outside.host.page.call(tab.id, "ping", {}, timeout=10))["success"]


def test_pieces_of_a_file_pass(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    """Files travel to a page in the arguments of its actions, some megabytes at a time."""
    tab = browser.open_tab(site.url + "/page")
    piece = "x" * 8_000_000
    call = outside.host.page.call(tab.id, "ping", {"data": piece}, timeout=30, effect=True)
    assert outside.run(call)["success"]


# --- tabs ---


def opened_by(outside: HostOutside, url: str) -> BrowserEvent:
    return outside.wait_event("tab_opened", lambda event: event.data["url"] == url)


def test_tabs_that_a_page_opens_are_told_with_their_opener(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    """Also while another tab is in front, which Chrome would name as the opener."""
    tab = browser.open_tab(site.url + "/links")
    front = browser.open_tab(site.url + "/page")
    front.page.activate()
    for link, url in (("blank", "/page?blank"), ("noopener", "/page?noopener")):
        tab.page.eval(f"document.getElementById('{link}').click()")
        assert opened_by(outside, site.url + url).tab_id == tab.id
        front.page.activate()
    tab.page.eval("document.getElementById('frame').click()")
    assert opened_by(outside, site.other + "/page?other").tab_id == tab.id
    tab.page.eval("open('/page?window', '', 'width=300,height=300') && true")
    assert opened_by(outside, site.url + "/page?window").tab_id == tab.id
    told = [event.data["tabId"] for event in outside.events if event.kind == "tab_opened"]
    assert len(set(told)) == len(told) == 4, "once for each"


def test_tabs_of_the_user_and_of_ours_are_not_told(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    tab = browser.open_tab(site.url + "/links")
    browser.control.eval("(globalThis.browser ?? chrome).tabs.create({}).then(() => true)")
    made = outside.run(outside.host.browser.open_tab(site.url + "/page", beside=tab.id))
    loaded = outside.run(outside.host.browser.wait_loaded(made.id, 20))
    assert (loaded.url, loaded.title, loaded.active) == (site.url + "/page", "Page", False)
    assert loaded.window_id == outside.run(outside.host.browser.get_tab(tab.id)).window_id
    for _ in range(2):
        outside.run(outside.host.browser.close_tab(made.id))
    assert code_of(outside, outside.host.browser.get_tab(made.id)) == "no_tab"
    outside.wait_event("tab_removed", lambda event: event.tab_id == made.id)
    assert [event for event in outside.events if event.kind == "tab_opened"] == []


def test_navigations_of_the_page_are_told_but_not_those_of_its_frames(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    tab = browser.open_tab(site.url + "/page")
    tab.page.goto(site.url + "/frames")
    tab.page.eval("history.pushState({}, '', '/frames#2') ?? true")
    outside.wait_event("navigation", lambda event: event.data["phase"] == "same_document")
    of_tab = [event.data for event in outside.events if event.tab_id == tab.id]
    phases = [data["phase"] for data in of_tab if str(data["url"]).startswith(site.url + "/frames")]
    if browser.name == "firefox":
        # A page that gets another process has begun, failed and begun again.
        phases = [phase for phase in dict.fromkeys(phases) if phase != "failed"]
    assert phases == ["started", "committed", "completed", "same_document"]
    assert site.other + "/inner" not in {data["url"] for data in of_tab}


# --- pictures ---


def test_a_picture_of_the_tab_in_front(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    tab = browser.open_tab(site.url + "/page")
    tab.page.activate()
    whole = outside.run(outside.host.pictures.capture(tab.id))
    half = outside.run(outside.host.pictures.capture(tab.id, scale=0.5, quality=90))
    assert is_green(pixel(browser, whole))
    assert is_green(pixel(browser, half))
    assert [round(side / 2) for side in size_of(whole)] == pytest.approx(list(size_of(half)), abs=1)


def test_a_picture_of_a_tab_in_the_background(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    tab = browser.open_tab(site.url + "/page")
    browser.open_tab("about:blank").page.activate()
    if outside.capabilities.cdp:
        assert code_of(outside, outside.host.pictures.capture(tab.id)) == "not_visible"
        outside.run(outside.host.debugger.attach(tab.id))
    assert is_green(pixel(browser, outside.run(outside.host.pictures.capture(tab.id))))
    assert outside.run(outside.host.browser.get_tab(tab.id)).active is False


def test_a_picture_is_measured_in_the_pages_own_pixels(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    """On a page that is shown twice as large half as many of them fit into the window."""
    tab = browser.open_tab(site.url + "/page")
    tab.page.activate()
    plain = size_of(outside.run(outside.host.pictures.capture(tab.id)))
    zoom = f"(globalThis.browser ?? chrome).tabs.setZoom({tab.id}, %s).then(() => true)"
    browser.control.eval(zoom % 2)
    try:
        zoomed = outside.run(outside.host.pictures.capture(tab.id))
        assert [round(side / 2) for side in plain] == pytest.approx(list(size_of(zoomed)), abs=1)
        assert is_green(pixel(browser, zoomed))
    finally:
        browser.control.eval(zoom % 1)


def test_our_own_pages_are_not_pictured(outside: HostOutside, browser: Browser) -> None:
    control = next(tab["id"] for tab in browser.tabs() if tab["url"].startswith(browser.origin))
    assert code_of(outside, outside.host.pictures.capture(control)) == "restricted_page"


# --- windows ---


def test_a_window_gets_another_size(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    tab = browser.open_tab(site.url + "/page")
    number = outside.run(outside.host.browser.get_tab(tab.id)).window_id
    before = outside.run(outside.host.windows.get(number))
    after = outside.run(outside.host.windows.resize(number, width=910, height=720))
    assert (after.width, after.height, after.state) == (910, 720, "normal")
    assert outside.run(outside.host.windows.get(number)) == after
    outside.run(outside.host.windows.resize(number, width=before.width, height=before.height))
    assert code_of(outside, outside.host.windows.get(987_654)) == "no_window"


# --- downloads ---


def test_a_download_of_the_page_is_told(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    tab = browser.open_tab(site.url + "/links")
    tab.page.eval("document.getElementById('file').click()")
    begun = outside.wait_event("download_created")
    assert begun.data["url"] == site.url + "/file.bin"
    outside.wait_event("download_changed", lambda event: event.data["id"] == begun.data["id"])
    (row,) = outside.run(outside.host.downloads.search(ids=[begun.data["id"]]))
    assert (row.state, row.bytes_received, row.exists) == ("complete", 5, True)
    assert Path(row.filename).read_bytes() == b"hello"
    assert outside.run(outside.host.downloads.search(limit=1)) == [row]


@pytest.mark.parametrize("kind", ["address", "content"])
def test_a_download_is_started(outside: HostOutside, site: SmallSite, browser: Browser, kind: str) -> None:
    content = base64.b64encode(b"hello").decode()
    url = site.url + "/file.bin?ours" if kind == "address" else f"data:text/plain;base64,{content}"
    number = outside.run(outside.host.downloads.start(url, filename=f"folder/{kind}.txt"))
    outside.wait_event("download_changed", lambda event: event.data["id"] == number)
    (row,) = outside.run(outside.host.downloads.search(ids=[number]))
    assert row.state == "complete"
    assert Path(row.filename).read_bytes() == b"hello"
    if browser.name == "firefox":
        # In Chromium the driver of this test gives files names of its own.
        assert row.filename.endswith(f"/folder/{kind}.txt")
    if kind == "content":
        gone = f"fetch({row.url!r}).then(() => false, () => true)"
        wait_until(lambda: browser.eval_in_host(f"() => {gone}"), 10, lambda: "the address to be let go")


def test_a_name_that_leaves_the_folder_is_refused(outside: HostOutside, site: SmallSite) -> None:
    for name in ("../x", "/etc/x", "a/../../x"):
        work = outside.host.downloads.start(site.url + "/file.bin", filename=name)
        assert code_of(outside, work) == "bad_params"


# --- http ---


def test_a_redirect_is_followed_only_when_asked(outside: HostOutside, site: SmallSite) -> None:
    request = HttpRequest("GET", site.url + "/to?/inner?led")
    assert code_of(outside, outside.host.http.send(request)) == "net_refused"
    assert site.asked("/inner?led") == []

    async def follow() -> tuple[str, bytes]:
        response = await outside.host.http.send(HttpRequest("GET", request.url, follow=True))
        return response.url, await response.read(1_000)

    url, body = outside.run(follow())
    assert url == site.other + "/inner?led"
    assert b"of another origin" in body


def test_the_head_says_where_it_led_before_any_of_the_body(outside: HostOutside, site: SmallSite) -> None:
    async def begin() -> tuple[str, bytes]:
        response = await outside.host.http.send(HttpRequest("GET", site.url + "/to?/slow", follow=True))
        url = response.url
        site.release.set()
        return url, await response.read(1_000)

    assert outside.run(begin()) == (site.other + "/slow", b"early late")


def test_cookies_go_along_only_when_asked(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    browser.open_tab(site.url + "/page")

    async def get(path: str, cookies: bool) -> None:
        response = await outside.host.http.send(HttpRequest("GET", site.url + path, cookies=cookies))
        await response.read(10_000)

    outside.run(get("/page?without", False))
    outside.run(get("/page?with", True))
    assert site.asked("/page?without") == [("GET", "")]
    assert site.asked("/page?with") == [("GET", "who=user")]


# --- debugger ---


def press(outside: HostOutside, tab: Tab, x: int = 50, y: int = 40) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        params = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        outside.run(outside.host.debugger.send(tab.id, "Input.dispatchMouseEvent", params))


def leave_dialogs(tab: Tab) -> None:
    """Keep the driver of this test from answering dialogs by itself."""
    cast(ChromiumPage, tab.page)._page.on("dialog", lambda dialog: None)


def dialog(outside: HostOutside, message: str) -> BrowserEvent:
    return outside.wait_event(
        "cdp",
        lambda event: (
            event.data["method"] == "Page.javascriptDialogOpening"
            and event.data["params"]["message"] == message
        ),
    )


def test_firefox_has_no_debugger(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    """And Chromium has one: the capability says which."""
    tab = browser.open_tab(site.url + "/page")
    if outside.capabilities.cdp:
        outside.run(outside.host.debugger.attach(tab.id))
        assert outside.host.debugger.attached(tab.id)
    else:
        assert code_of(outside, outside.host.debugger.attach(tab.id)) == "not_available"


def test_a_trusted_click(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    press(outside, tab)
    assert tab.page.eval("clicks") == [True]


def test_a_dialog_is_reported_and_answered(
    outside: HostOutside, chromium: Chromium, site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "CAPTURE_TIMEOUT", 2.0)
    tab = chromium.open_tab(site.url + "/page")
    leave_dialogs(tab)
    outside.run(outside.host.debugger.attach(tab.id))
    tab.page.eval("setTimeout(() => { globalThis.answer = prompt('Your name?', 'Nobody'); }) && true")
    event = dialog(outside, "Your name?")
    assert (event.tab_id, event.data["params"]["type"]) == (tab.id, "prompt")
    assert event.data["params"]["defaultPrompt"] == "Nobody"
    assert code_of(outside, outside.host.pictures.capture(tab.id)) == "page_busy"
    reply = {"accept": True, "promptText": "Ada"}
    outside.run(outside.host.debugger.send(tab.id, "Page.handleJavaScriptDialog", reply))
    tab.page.wait("globalThis.answer === 'Ada'")
    again = outside.host.debugger.send(tab.id, "Page.handleJavaScriptDialog", reply)
    assert code_of(outside, again) == "no_dialog"


def test_a_drag_is_reported_and_carried_on(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    """What is told of a drag is what can be sent back, and the page gets what it gave away."""
    tab = chromium.open_tab(site.url + "/drag")
    outside.run(outside.host.debugger.attach(tab.id))

    def send(method: str, **params: Any) -> None:
        outside.run(outside.host.debugger.send(tab.id, method, params))

    send("Input.setInterceptDrags", enabled=True)
    send("Input.dispatchMouseEvent", type="mousePressed", x=50, y=50, button="left", buttons=1, clickCount=1)
    for x in (60, 90):
        send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=50, button="left", buttons=1)
    event = outside.wait_event("cdp", lambda event: event.data["method"] == "Input.dragIntercepted")
    data = event.data["params"]["data"]
    for kind in ("dragEnter", "dragOver", "drop"):
        send("Input.dispatchDragEvent", type=kind, x=250, y=50, data=data)
    send("Input.dispatchMouseEvent", type="mouseReleased", x=250, y=50, button="left", clickCount=1)
    tab.page.wait("document.title === 'cargo'")


def test_requests_that_change_something_are_reported(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    tab.page.eval(
        "fetch('/inner?read')"
        ".then(() => fetch('/inner?sent', {method: 'POST', body: 'secret'})).then(() => 1)"
    )
    tab.page.eval("navigator.sendBeacon('/inner?beacon', 'secret')")
    told = [
        outside.wait_event(
            "cdp", lambda event, end=end: str(event.data["params"].get("url")).endswith(end)
        ).data
        for end in ("?sent", "?beacon")
    ]
    assert [one["params"]["method"] for one in told] == ["POST", "POST"]
    assert "secret" not in str(outside.events)
    assert "?read" not in str([event for event in outside.events if event.kind == "cdp"])


def test_the_debugger_ended_from_outside(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    chromium.control.eval(f"chrome.debugger.detach({{tabId: {tab.id}}}).then(() => true)")
    with pytest.raises(BridgeError) as caught:
        press(outside, tab)
    assert (caught.value.code, caught.value.data) == ("debugger_detached", {"sent": False})
    assert not outside.host.debugger.attached(tab.id)
    outside.run(outside.host.debugger.attach(tab.id))
    press(outside, tab)
    assert tab.page.eval("clicks") == [True]
    chromium.close_tab(tab)
    event = outside.wait_event("debugger_detached")
    assert (event.tab_id, event.data) == (tab.id, {"reason": "target_closed"})
    assert not outside.host.debugger.attached(tab.id)


def test_an_attachment_outlives_the_memory_of_it(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    """As when Python's Worker was replaced: attaching again takes the session over."""
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    outside.host.debugger.hear(BrowserEvent("debugger_detached", tab.id))
    assert not outside.host.debugger.attached(tab.id)
    outside.run(outside.host.debugger.attach(tab.id))
    press(outside, tab)
    assert tab.page.eval("clicks") == [True]


def test_our_own_pages_are_not_debugged(outside: HostOutside, chromium: Chromium) -> None:
    control = next(tab["id"] for tab in chromium.tabs() if tab["url"].startswith(chromium.origin))
    assert code_of(outside, outside.host.debugger.attach(control)) == "debugger_refused"


def test_other_commands_do_not_pass(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    for method, params in (
        ("Runtime.evaluate", {"expression": "1"}),
        ("Network.getAllCookies", {}),
        ("Page.navigate", {"url": site.url}),
    ):
        assert code_of(outside, outside.host.debugger.send(tab.id, method, params)) == "bad_params"


def test_a_killed_service_worker_loses_neither_session_nor_event(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    tab = chromium.open_tab(site.url + "/links")
    leave_dialogs(tab)
    outside.run(outside.host.debugger.attach(tab.id))
    first = chromium.kill_service_worker()
    tab.page.eval("setTimeout(() => { globalThis.answer = confirm('Still there?'); }) && true")
    dialog(outside, "Still there?")
    outside.run(outside.host.debugger.send(tab.id, "Page.handleJavaScriptDialog", {"accept": True}))
    tab.page.wait("globalThis.answer === true")
    second = chromium.service_worker_started()
    assert second > first, "it was really another one"
    chromium.kill_service_worker()
    tab.page.eval("document.getElementById('blank').click()")
    assert opened_by(outside, site.url + "/page?blank").tab_id == tab.id


def test_the_log_is_clean(browser: Browser, outside: HostOutside) -> None:
    """Nobody failed unseen while all this happened."""
    assert not re.search(r"uncaught|A listener failed|Unchecked runtime\.lastError", browser.log())
