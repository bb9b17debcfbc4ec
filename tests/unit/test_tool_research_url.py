"""research_url: a hidden tab that is always closed, and never leads where it must not."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import TAB, context, page_host
from webbrain.app import App
from webbrain.core.errors import BridgeError
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost
from webbrain.host.protocols import Tab
from webbrain.policy.results import cap_for, render_result
from webbrain.tools import hidden_tabs
from webbrain.tools.research_url import SPEC, Args

URL = "https://news.example/tea"
FORBIDDEN = "http://169.254.169.254/"


def host_with(text: str = "All about tea", url: str = URL, links: int = 2) -> MemoryHost:
    host = page_host()
    host.page.on(
        "read_page", {"url": url, "title": "Tea", "text": text, "originalLength": 9_000, "hasMore": True}
    )
    found = [{"text": f"Link {number}", "url": f"{URL}/{number}" + "x" * 200} for number in range(links)]
    host.page.on("links", {"url": url, "title": "Tea", "links": found})
    return host


async def research(host: MemoryHost, url: str = URL, **args: Any) -> ToolResult:
    return await SPEC.run(context(host), Args.model_validate({"url": url, **args}))


def assert_closed(host: MemoryHost) -> None:
    assert host.browser.closed == [number for number, _, _ in host.browser.opened]
    assert [tab.id for tab in host.browser.tabs()] == [TAB]


async def test_it_reads_and_closes() -> None:
    host = host_with()
    result = await research(host)
    assert result.success
    assert result.data["text"] == "All about tea"
    assert result.data["truncated"] is True
    assert [link["text"] for link in result.data["links"]] == ["Link 0", "Link 1"]
    assert host.browser.opened == [(8, URL, TAB)]
    assert {call.tab_id for call in host.page.calls} == {8}, "the run's own tab is left alone"
    assert 0.8 in host.clock.sleeps
    assert_closed(host)


async def test_a_page_that_draws_itself_late_is_looked_at_again() -> None:
    host = host_with()
    empty, full = ({"url": URL, "title": "Tea", "text": text, "hasMore": False} for text in ("", "tea " * 60))
    host.page.on("read_page", empty, empty, full)
    result = await research(host)
    assert result.data["text"].startswith("tea tea")
    assert len([call for call in host.page.calls if call.action == "read_page"]) == 3
    assert_closed(host)


async def test_text_and_links_fit_into_a_result() -> None:
    host = host_with('"quoted"\n' * 660, links=30)
    result = await research(host)
    text = render_result(SPEC, result, cap=cap_for(SPEC, result), nonce="0123abcd")
    assert "more characters cut" not in text
    assert len(text) <= 8_000
    assert result.data["links"]


async def test_a_forbidden_address_opens_no_tab() -> None:
    host = host_with()
    assert (await research(host, FORBIDDEN)).data["code"] == "forbidden_address"
    assert not host.browser.opened


@pytest.mark.parametrize("where", ["tab", "page", "links"])
async def test_a_redirect_to_a_forbidden_address_shows_nothing(where: str) -> None:
    host = host_with("secret", url=FORBIDDEN if where == "page" else URL)
    if where == "links":
        host.page.on("links", {"url": FORBIDDEN, "links": []})
    if where == "tab":
        open_tab = host.browser.open_tab

        async def redirected(url: str, *, beside: int, active: bool = False) -> Any:
            tab = await open_tab(url, beside=beside, active=active)
            host.browser.open(replace(tab, url=FORBIDDEN))
            return tab

        host.browser.open_tab = redirected  # type: ignore[method-assign]
    result = await research(host)
    assert result.data["code"] == "forbidden_address"
    assert "secret" not in str(result.data)
    assert_closed(host)


@pytest.mark.parametrize("action", ["read_page", "links"])
@pytest.mark.parametrize(
    "answer", [BridgeError("busy", code="page_busy"), {"success": False}, RuntimeError("bug")]
)
async def test_whatever_the_page_does_the_tab_is_closed(action: str, answer: Any) -> None:
    host = host_with()
    host.page.on(action, answer)
    with contextlib.suppress(RuntimeError):
        assert not (await research(host)).success
    assert_closed(host)


@pytest.mark.parametrize("place", ["browser.wait_loaded", "clock.sleep", "page.read_page", "page.links"])
async def test_a_stop_closes_the_tab(place: str) -> None:
    host = host_with()
    reached, never = asyncio.Event(), asyncio.Event()

    async def hang(name: str) -> None:
        if name == place:
            reached.set()
            await never.wait()

    host.hook = hang
    task = asyncio.create_task(research(host))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert_closed(host)


async def test_a_stop_while_the_tab_opens_closes_it_once_it_is_there() -> None:
    host = host_with()
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def hang(name: str) -> None:
        if name == "browser.open_tab":
            reached.set()
            await go_on.wait()

    host.hook = hang
    task = asyncio.create_task(research(host))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not host.browser.opened
    go_on.set()
    async with asyncio.timeout(5):
        while not host.browser.closed:
            await asyncio.sleep(0)
    assert_closed(host)


async def test_a_second_stop_does_not_leave_the_tab() -> None:
    host = host_with()
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def hang(name: str) -> None:
        if name == "browser.close_tab":
            reached.set()
            await go_on.wait()

    host.hook = hang
    task = asyncio.create_task(research(host))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    async with asyncio.timeout(5):
        while not host.browser.closed:
            await asyncio.sleep(0)
    assert_closed(host)


async def test_a_tab_that_the_user_closed_is_no_problem() -> None:
    host = host_with()

    async def gone(tab_id: int) -> None:
        raise BridgeError("gone", code="no_tab")

    host.browser.close_tab = gone  # type: ignore[method-assign]
    assert (await research(host)).success


# --- the Worker dies in between ---


async def dead_after_opening() -> MemoryHost:
    """A browser in which a Worker died while it looked at a page."""
    host = host_with()
    host.page.on("read_page", lambda _: asyncio.Event().wait())
    task = asyncio.ensure_future(research(host))
    while not host.page.calls:
        await asyncio.sleep(0)
    close = host.browser.close_tab

    async def never(tab_id: int) -> None:
        await asyncio.Event().wait()

    host.browser.close_tab = never  # type: ignore[method-assign]
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, TimeoutError):
        await asyncio.wait_for(task, 0.01)
    host.browser.close_tab = close  # type: ignore[method-assign]
    assert [tab.id for tab in host.browser.tabs()] == [TAB, 8]
    return host


async def test_the_next_start_closes_what_a_worker_left_open() -> None:
    host = await dead_after_opening()
    await App(host).start()
    assert_closed(host)
    assert not await host.session.get()


async def test_a_tab_that_a_person_looks_at_is_left_alone() -> None:
    host = await dead_after_opening()
    host.browser.open(replace(host.browser.tabs()[1], active=True))
    await App(host).start()
    assert [tab.id for tab in host.browser.tabs()] == [TAB, 8]
    assert not await host.session.get(), "it is theirs now"


async def test_nothing_is_kept_of_a_tab_that_was_closed() -> None:
    host = host_with()
    await research(host)
    assert not await host.session.get()


async def test_a_session_that_keeps_nothing_hinders_nothing() -> None:
    host = host_with()
    host.session.fail = BridgeError("Full.", code="store_failed")
    assert (await research(host)).success
    assert_closed(host)


async def test_of_several_tabs_opened_at_once_none_is_forgotten() -> None:
    host = host_with()
    tabs = await asyncio.gather(*(hidden_tabs.open_tab(host, URL, beside=TAB) for _ in range(3)))
    assert (await host.session.get())[hidden_tabs.KEY] == [tab.id for tab in tabs]
    await asyncio.gather(*(hidden_tabs.close_tab(host, tab.id) for tab in tabs[:2]))
    assert (await host.session.get())[hidden_tabs.KEY] == [tabs[2].id]
    await hidden_tabs.close_left_behind(host)
    assert_closed(host)


async def dead_before_noting(host: MemoryHost) -> None:
    """A Worker dies when the tab stands there and its id is not yet written down."""
    keep = host.session.set

    async def dies_with_its_tab(values: Mapping[str, Any]) -> None:
        if host.browser.opened:
            await asyncio.Event().wait()
        await keep(values)

    host.session.set = dies_with_its_tab  # type: ignore[method-assign]
    task = asyncio.ensure_future(hidden_tabs.open_tab(host, URL, beside=TAB))
    while not host.browser.opened:
        await asyncio.sleep(0)
    task.cancel()
    host.session.set = keep  # type: ignore[method-assign]


async def test_a_death_between_the_opening_and_its_note_leaves_no_tab() -> None:
    host = host_with()
    host.browser.pop_up(TAB, Tab(5, URL, "A person's own, at the same address"))
    await dead_before_noting(host)
    host.browser.pop_up(TAB, Tab(99, f"{URL}/1", "One that the person opened since"))
    assert [tab.id for tab in host.browser.tabs()] == [TAB, 5, 8, 99]
    await App(host).start()
    assert [tab.id for tab in host.browser.tabs()] == [TAB, 5, 99]
    assert not await host.session.get()


async def test_a_tab_that_the_browser_refuses_is_not_waited_for() -> None:
    host = host_with()
    with pytest.raises(BridgeError):
        await hidden_tabs.open_tab(host, "file:///etc/hosts", beside=TAB)
    assert not await host.session.get()


@pytest.mark.parametrize("damaged", ["8", {"8": 1}, ["x", None, True], [{"url": URL, "beside": TAB}]])
async def test_a_damaged_note_closes_nothing(damaged: object) -> None:
    host = host_with()
    await host.session.set({hidden_tabs.KEY: damaged})
    await hidden_tabs.close_left_behind(host)
    assert [tab.id for tab in host.browser.tabs()] == [TAB]
