"""Downloads, and requests of our own."""

import base64
from pathlib import Path

import pytest

from tests.e2e.reach.asking import code_of
from tests.support.browsers import Browser
from tests.support.browsers.base import DEADLINE, wait_until
from tests.support.outside import HostOutside
from tests.support.small_site import SmallSite
from webbrain.host.protocols import HttpRequest

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
        wait_until(
            lambda: browser.eval_in_host(f"() => {gone}"), DEADLINE, lambda: "the address to be let go"
        )


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
