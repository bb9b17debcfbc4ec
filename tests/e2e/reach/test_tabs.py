"""Frames, tabs, pictures and windows."""

import pytest

from tests.e2e.reach.asking import code_of, opened_by
from tests.support.browsers import Browser
from tests.support.browsers.base import DEADLINE, wait_until
from tests.support.outside import HostOutside
from tests.support.small_site import SmallSite
from webbrain.host.pictures import size_of


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
    assert site.other + "/inner" not in {data["url"] for data in of_tab if "phase" in data}


def test_a_frame_that_shows_another_document_is_told(
    outside: HostOutside, browser: Browser, site: SmallSite
) -> None:
    tab = browser.open_tab(site.url + "/frames")
    frame = next(
        one for one in outside.run(outside.host.browser.frames(tab.id)) if one.url == site.other + "/inner"
    )
    tab.page.eval(f"document.querySelector('iframe').src = '{site.other}/inner?next'")
    event = outside.wait_event(
        "frame_navigation", lambda event: str(event.data["url"]).endswith("/inner?next")
    )
    assert (event.tab_id, event.data["frameId"]) == (tab.id, frame.id)


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
    zoom = f"(globalThis.browser ?? chrome).tabs.setZoom({tab.id}, %s).then(() => true)"
    pictures: list[str] = []

    def halved() -> bool:
        """A bar of the browser's own may still be leaving the window, so both are taken anew."""
        browser.control.eval(zoom % 1)
        plain = size_of(outside.run(outside.host.pictures.capture(tab.id)))
        browser.control.eval(zoom % 2)
        pictures.append(outside.run(outside.host.pictures.capture(tab.id)))
        return all(
            abs(round(side / 2) - half) <= 1 for side, half in zip(plain, size_of(pictures[-1]), strict=True)
        )

    try:
        wait_until(halved, DEADLINE, lambda: "a picture of half the size")
        assert is_green(pixel(browser, pictures[-1]))
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
