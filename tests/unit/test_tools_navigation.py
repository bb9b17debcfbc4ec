"""navigate, go_back and go_forward."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import TAB, URL, context, page_host
from webbrain.core.errors import BridgeError
from webbrain.core.limits import NAVIGATION_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost
from webbrain.host.protocols import Tab
from webbrain.tools import registry
from webbrain.tools.following import START_GRACE_LIKELY
from webbrain.tools.opening import BadAddress, resolve

BASE = "https://shop.example/a/list?p=2#x"


@pytest.mark.parametrize(
    ("url", "base", "expected"),
    [
        ("https://other.example/x", BASE, "https://other.example/x"),
        ("HTTP://Other.example", BASE, "HTTP://Other.example"),
        ("/basket", BASE, "https://shop.example/basket"),
        ("item.html", BASE, "https://shop.example/a/item.html"),
        ("?p=3", BASE, "https://shop.example/a/list?p=3"),
        ("#top", BASE, "https://shop.example/a/list?p=2#top"),
        ("//cdn.example/x", BASE, "https://cdn.example/x"),
        ("www.other.example", BASE, "https://www.other.example"),
        ("other.example", "about:blank", "https://other.example"),
        ("other.example/x", "chrome://newtab/", "https://other.example/x"),
        ("localhost:8000/x", BASE, "http://localhost:8000/x"),
        ("shop.example:8443", BASE, "https://shop.example:8443"),
        ("http://127.0.0.1:8000/", BASE, "http://127.0.0.1:8000/"),
        (" https://other.example/ ", BASE, "https://other.example/"),
    ],
)
def test_addresses_that_are_opened(url: str, base: str, expected: str) -> None:
    assert resolve(url, base) == expected


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "chrome://settings",
        "about:config",
        "chrome-extension://abc/panel.html",
        "moz-extension://abc/panel.html",
        "blob:https://shop.example/1",
        "view-source:https://shop.example/",
        "ftp://shop.example/",
        "https://user:secret@shop.example/",
        "https://shop.example@evil.example/",
        "https://",
        "https:///x",
        "https://[::1",
        "https://a:99999/",
        "https:\\\\evil.example",
        "https://shop.example/a b",
        "mailto:a@b.example",
    ],
)
def test_addresses_that_are_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        resolve(url, BASE)


async def call(host: MemoryHost, name: str, **arguments: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(context(host), spec.args.model_validate(arguments))


async def test_navigate_reports_where_the_tab_is() -> None:
    host = page_host()
    result = await call(host, "navigate", url="/basket")
    assert result.success
    assert host.browser.visits == [(TAB, "https://shop.example/basket")]
    assert result.data["url"] == "https://shop.example/basket"
    assert "redirected" not in result.data
    assert result.notes


async def test_navigate_tells_of_a_redirect() -> None:
    host = page_host()
    go = host.browser.navigate

    async def navigate(tab_id: int, url: str) -> None:
        await go(tab_id, url)
        host.browser.move(tab_id, "https://login.example/", "Sign in")

    host.browser.navigate = navigate  # type: ignore[method-assign]
    result = await call(host, "navigate", url="/account")
    assert result.success
    assert result.data["redirected"] is True
    assert result.data["requestedUrl"] == "https://shop.example/account"
    assert (result.data["url"], result.data["title"]) == ("https://login.example/", "Sign in")


async def test_navigate_that_goes_nowhere_is_a_failure() -> None:
    """A download or a question of the page leaves the tab where it was."""
    host = page_host()

    async def navigate(tab_id: int, url: str) -> None:
        return None

    host.browser.navigate = navigate  # type: ignore[method-assign]
    result = await call(host, "navigate", url="/file.zip")
    assert not result.success
    assert result.data["code"] == "not_navigated"
    assert result.data["url"] == URL


@pytest.mark.parametrize("silent", [True, False])
async def test_navigate_to_a_page_that_never_finishes(silent: bool) -> None:
    """One that answers is only slow; one whose timers stand still perhaps shows a dialog."""
    host = page_host()
    if silent:
        host.page.on("wait_for_stable", BridgeError("No answer.", code="page_busy"))
    go = host.browser.navigate

    async def navigate(tab_id: int, url: str) -> None:
        await go(tab_id, url)
        host.browser.open(replace(host.browser.tabs()[0], status="loading"))

    host.browser.navigate = navigate  # type: ignore[method-assign]
    result = await call(host, "navigate", url="/slow")
    assert result.success
    assert result.data["stillLoading"] is True
    assert any("dialog" in note for note in result.notes) == silent


async def test_a_server_that_says_nothing_gets_its_time_once() -> None:
    """The tab shows the page from before all the while: neither the page asked for nor another one."""
    host = page_host()
    waits: list[float] = []

    async def navigate(tab_id: int, url: str) -> None:
        host.events.tell("navigation", tab_id, phase="started", url=url)
        host.browser.open(replace(host.browser.tabs()[0], status="loading"))

    async def wait_loaded(tab_id: int, timeout: float) -> Tab:
        waits.append(timeout)
        return await host.browser.get_tab(tab_id)

    host.browser.navigate = navigate  # type: ignore[method-assign]
    host.browser.wait_loaded = wait_loaded  # type: ignore[method-assign]
    result = await call(host, "navigate", url="/slow")
    assert (result.success, result.data["code"], result.data["dispatched"]) == (False, "not_answering", True)
    assert result.data["url"] == URL
    assert sum(host.clock.sleeps) + sum(waits) <= NAVIGATION_TIMEOUT + START_GRACE_LIKELY


async def test_navigate_to_a_page_that_cannot_be_read() -> None:
    host = page_host()
    host.page.on("page_state", {}, BridgeError("Error page.", code="restricted_page"))
    result = await call(host, "navigate", url="https://nowhere.example/")
    assert result.success
    assert result.data["readable"] is False
    assert any("cannot be read" in note for note in result.notes)


@pytest.mark.parametrize(
    "url", ["chrome-extension://abc/sidepanel.html?tabId=7", "moz-extension://abc/panel.html"]
)
@pytest.mark.parametrize("name", ["navigate", "go_back", "go_forward"])
async def test_extension_pages_are_never_left(name: str, url: str) -> None:
    host = page_host(url)
    arguments = {"url": "https://other.example/", "force": True} if name == "navigate" else {"force": True}
    result = await call(host, name, **arguments)
    assert result.data["code"] == "own_page"
    assert not host.browser.visits


async def test_navigate_leaves_a_page_of_the_browser() -> None:
    host = page_host("chrome://newtab/")
    result = await call(host, "navigate", url="shop.example")
    assert result.success
    assert result.data["url"] == "https://shop.example"


@pytest.mark.parametrize(
    "forms",
    [
        [{"fields": 9, "dirty": 2, "files": 0}],
        [{"fields": 9, "dirty": 1, "files": 0}, {"fields": 3, "dirty": 1, "files": 0}],
        [{"fields": 9, "dirty": 0, "files": 1}],
    ],
)
@pytest.mark.parametrize("name", ["navigate", "go_back"])
async def test_entries_are_not_lost_unasked(name: str, forms: list[dict[str, int]]) -> None:
    host = page_host()
    host.browser.move(TAB, "https://shop.example/two")
    host.page.on("page_state", {"forms": forms})
    arguments = {"url": "/three"} if name == "navigate" else {}
    refused = await call(host, name, **arguments)
    assert refused.data["code"] == "unsaved_changes"
    assert refused.data["blockedUnsavedChanges"] is True
    assert host.browser.tabs()[0].url == "https://shop.example/two"
    forced = await call(host, name, **arguments, force=True)
    assert forced.success


@pytest.mark.parametrize(
    "forms", [[{"fields": 9, "dirty": 1, "files": 0}], [], None, [1, {"dirty": "many", "files": None}]]
)
async def test_one_changed_field_is_no_work(forms: Any) -> None:
    host = page_host()
    host.page.on("page_state", {"forms": forms})
    assert (await call(host, "navigate", url="/three")).success


@pytest.mark.parametrize(
    "state",
    [
        {"forms": [], "loose": {"fields": 4, "dirty": 2, "files": 0}},
        {"forms": [{"dirty": 1, "files": 0}], "loose": {"fields": 4, "dirty": 1, "files": 0}},
        {"loose": {"fields": 1, "dirty": 0, "files": 1}},
    ],
)
async def test_entries_outside_of_forms_are_not_lost_either(state: dict[str, Any]) -> None:
    host = page_host()
    host.page.on("page_state", state)
    refused = await call(host, "navigate", url="/three")
    assert refused.data["code"] == "unsaved_changes"
    host.page.on("page_state", {"forms": [], "loose": {"fields": 4, "dirty": 1, "files": 0}})
    assert (await call(host, "navigate", url="/three")).success


async def history() -> MemoryHost:
    host = page_host()
    for page in ("two", "three"):
        host.browser.move(TAB, f"https://shop.example/{page}")
    return host


async def test_back_and_forward() -> None:
    host = await history()
    back = await call(host, "go_back", steps=2)
    assert back.success
    assert (back.data["url"], back.data["steps"]) == (URL, 2)
    assert back.data["previousUrl"] == "https://shop.example/three"
    forward = await call(host, "go_forward")
    assert forward.data["url"] == "https://shop.example/two"


async def test_back_stops_where_the_history_ends() -> None:
    host = await history()
    result = await call(host, "go_back", steps=9)
    assert result.success
    assert result.data["steps"] == 2


async def test_no_history_is_a_clear_failure() -> None:
    result = await call(page_host(), "go_back")
    assert result.data["code"] == "no_history"
    assert not result.success


async def test_back_without_movement_is_a_failure() -> None:
    host = await history()

    async def go_back(tab_id: int) -> None:
        return None

    host.browser.go_back = go_back  # type: ignore[method-assign]
    result = await call(host, "go_back")
    assert result.data["code"] == "not_navigated"
