"""The real host against a browser that is a table of answers."""

import asyncio
import gc
import re
from typing import Any

import pytest

from tests.support.table_browser import GONE, NOBODY, TAB, FakeBrowser, hurry
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host import bridge, rpc, tabs
from webbrain.host import page as pages
from webbrain.host.protocols import HttpRequest
from webbrain.host.tables import Entry


@pytest.fixture
async def browser(monkeypatch: pytest.MonkeyPatch) -> FakeBrowser:
    hurry(monkeypatch)
    return FakeBrowser()


def code_of(caught: pytest.ExceptionInfo[Any]) -> str:
    return str(caught.value.code)


# --- the page ---


async def test_one_message_for_a_question(browser: FakeBrowser) -> None:
    browser.page({"success": True, "pageContent": "x"})
    answer = await browser.host.page.call(1, "tree", {"filter": "all"}, timeout=5)
    assert answer == {"success": True, "pageContent": "x"}
    message = {"target": "content", "action": "tree", "args": {"filter": "all"}}
    assert browser.calls == [
        ("tabs.sendMessage", {"tabId": 1, "message": message, "options": {"frameId": 0}})
    ]


async def test_the_script_is_injected_when_nobody_listens(browser: FakeBrowser) -> None:
    browser.page(NOBODY, {"success": True})
    assert await browser.host.page.call(1, "tree", {}, timeout=5, frame_id=7) == {"success": True}
    (params,) = browser.done("scripting.executeScript")
    assert params["injection"] == {
        "target": {"tabId": 1, "frameIds": [7]},
        "files": ["js/content.js"],
        "injectImmediately": True,
    }


async def test_an_effect_is_sent_once_to_a_page_that_listens(browser: FakeBrowser) -> None:
    browser.page({"success": True})
    await browser.host.page.call(1, "click_ax", {"ref_id": "ref_1"}, timeout=5, effect=True)
    assert browser.actions() == ["ping", "click_ax"]


NAVIGATION = {"kind": "navigation", "tabId": 1, "data": {"phase": "started", "url": TAB["url"]}}


async def test_a_page_that_has_just_answered_is_not_asked_whether_it_listens(browser: FakeBrowser) -> None:
    browser.page({"success": True})
    await browser.host.page.call(1, "submit_probe", {}, timeout=5)
    await browser.host.page.call(1, "click_ax", {}, timeout=5, effect=True)
    assert browser.actions() == ["submit_probe", "click_ax"]


@pytest.mark.parametrize("since", ["navigation", "time", "frame", "tab"])
async def test_it_is_asked_once_it_may_be_another(
    browser: FakeBrowser, since: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.page({"success": True}, ping=NOBODY)
    await browser.host.page.call(1, "submit_probe", {}, timeout=5)
    if since == "navigation":
        browser.host.events.receive(NAVIGATION)
    if since == "time":
        monkeypatch.setattr(pages, "KNOWN_SECONDS", 0.0)
    await browser.host.page.call(
        2 if since == "tab" else 1, "click_ax", {}, timeout=5, effect=True, frame_id=int(since == "frame")
    )
    assert browser.actions() == ["submit_probe", "ping", "click_ax"]
    assert browser.done("scripting.executeScript")


async def test_an_answer_of_the_page_before_says_nothing_of_the_next(browser: FakeBrowser) -> None:
    browser.page(FakeBrowser.SILENT, {"success": True})
    asked = asyncio.create_task(browser.host.page.call(1, "tree", {}, timeout=60))
    async with asyncio.timeout(5):
        while not browser.calls:
            await asyncio.sleep(0)
    browser.host.events.receive(NAVIGATION)
    browser.feed(kind="reply", id="p1", result={"success": True})
    await asked
    await browser.host.page.call(1, "click_ax", {}, timeout=5, effect=True)
    assert browser.actions() == ["tree", "ping", "click_ax"]


async def test_of_countless_tabs_few_are_remembered(browser: FakeBrowser) -> None:
    browser.page({"success": True})
    for tab_id in range(3 * pages.MOST_TABS):
        await browser.host.page.call(tab_id, "tree", {}, timeout=5)
    assert len(browser.host.page._answered) <= pages.MOST_TABS


async def test_an_effect_waits_for_the_script(browser: FakeBrowser) -> None:
    browser.page({"success": True}, ping=NOBODY)
    await browser.host.page.call(1, "click_ax", {}, timeout=5, effect=True)
    assert [name for name, _ in browser.calls if name != "tabs.get"] == [
        "tabs.sendMessage",
        "scripting.executeScript",
        "tabs.sendMessage",
    ]


@pytest.mark.parametrize("fault", [NOBODY, GONE, ("outcome_unknown", "Restarted."), ("timeout", "Late.")])
async def test_an_effect_that_is_cut_off_is_unknown_and_never_repeated(
    browser: FakeBrowser, fault: tuple[str, str]
) -> None:
    browser.page(fault)
    with pytest.raises(OutcomeUnknown):
        await browser.host.page.call(1, "click_ax", {}, timeout=5, effect=True)
    assert browser.actions().count("click_ax") == 1


@pytest.mark.parametrize("fault", [GONE, ("outcome_unknown", "Restarted.")])
async def test_a_question_that_is_cut_off_is_asked_once_more(
    browser: FakeBrowser, fault: tuple[str, str]
) -> None:
    browser.page(fault, {"success": True})
    assert await browser.host.page.call(1, "tree", {}, timeout=5) == {"success": True}
    assert browser.actions().count("tree") == 2


async def test_a_page_that_keeps_going_away_is_given_up(browser: FakeBrowser) -> None:
    browser.page(GONE)
    with pytest.raises(BridgeError) as caught:
        await browser.host.page.call(1, "tree", {}, timeout=5)
    assert code_of(caught) == "page_gone"
    assert browser.actions().count("tree") == 2


async def test_a_busy_page_is_no_reason_to_ask_again(browser: FakeBrowser) -> None:
    browser.page(("timeout", "No answer in time."))
    with pytest.raises(BridgeError) as caught:
        await browser.host.page.call(1, "tree", {}, timeout=5)
    assert code_of(caught) == "page_busy"
    assert browser.actions() == ["tree"]


async def test_an_effect_on_a_busy_page_is_not_even_sent(browser: FakeBrowser) -> None:
    browser.page({"success": True}, ping=("timeout", "No answer in time."))
    with pytest.raises(BridgeError) as caught:
        await browser.host.page.call(1, "click_ax", {}, timeout=5, effect=True)
    assert code_of(caught) == "page_busy"
    assert browser.actions() == ["ping"]


async def test_a_silent_page_that_was_replaced_is_noticed(browser: FakeBrowser) -> None:
    pings = [{"success": True}, {"success": True}, NOBODY]
    browser.page(FakeBrowser.SILENT, ping=lambda _: pings.pop(0))
    with pytest.raises(OutcomeUnknown) as caught:
        await browser.host.page.call(1, "click_ax", {}, timeout=60, effect=True)
    assert caught.value.data["cause"] == "page_gone"


async def test_a_slow_page_is_waited_for(browser: FakeBrowser) -> None:
    browser.page(FakeBrowser.SILENT)
    call = asyncio.create_task(browser.host.page.call(1, "wait_for_element", {}, timeout=60))
    async with asyncio.timeout(5):
        while browser.actions().count("ping") < 3:
            await asyncio.sleep(0.001)
    assert not call.done()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.sleep(0)
    assert browser.cancelled, "the other side is told"


@pytest.mark.parametrize(
    "url",
    [
        "chrome://settings/",
        "about:config",
        "view-source:https://shop.example/",
        "chrome-extension://abc/sidepanel.html",
        "moz-extension://abc/sidepanel.html",
        "devtools://devtools/",
        "https://chromewebstore.google.com/detail/x",
        "https://addons.mozilla.org/firefox/",
    ],
)
@pytest.mark.parametrize("fault", [NOBODY, GONE, None])
async def test_closed_pages_are_named(browser: FakeBrowser, url: str, fault: Any) -> None:
    browser.answers["tabs.get"] = {**TAB, "url": url}
    browser.page(fault, ping=NOBODY)
    for effect in (False, True):
        with pytest.raises(BridgeError) as caught:
            await browser.host.page.call(1, "tree", {}, timeout=5, effect=effect)
        assert code_of(caught) == "restricted_page"
    assert not browser.done("scripting.executeScript")


async def test_what_the_browser_refuses_is_passed_on(browser: FakeBrowser) -> None:
    browser.page(NOBODY)
    browser.answers["scripting.executeScript"] = ("restricted_page", "Frame is showing error page")
    with pytest.raises(BridgeError) as caught:
        await browser.host.page.call(1, "tree", {}, timeout=5)
    assert code_of(caught) == "restricted_page"


async def test_a_sleeping_tab_is_woken(browser: FakeBrowser) -> None:
    asleep = {**TAB, "status": "unloaded", "discarded": True}
    browser.answers["tabs.get"] = [asleep, asleep, {**TAB, "status": "loading"}, TAB]
    browser.answers["tabs.reload"] = None
    browser.page(NOBODY, {"success": True})
    assert await browser.host.page.call(1, "tree", {}, timeout=5) == {"success": True}
    assert [name for name, _ in browser.calls].index("tabs.reload") < [
        name for name, _ in browser.calls
    ].index("scripting.executeScript")


async def test_an_answer_that_is_no_object_is_an_error(browser: FakeBrowser) -> None:
    browser.page("hello")
    with pytest.raises(BridgeError) as caught:
        await browser.host.page.call(1, "tree", {}, timeout=5)
    assert code_of(caught) == "api_error"


# --- tabs ---


async def test_a_tab_is_what_the_browser_says(browser: FakeBrowser) -> None:
    tab = await browser.host.browser.get_tab(1)
    assert (tab.id, tab.url, tab.window_id, tab.active, tab.status) == (1, TAB["url"], 5, True, "complete")


async def test_who_asks_for_a_tab_meanwhile_shares_the_answer(browser: FakeBrowser) -> None:
    first, second, gives_up = (asyncio.create_task(browser.host.browser.get_tab(1)) for _ in range(3))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).url == (await gives_up).url == TAB["url"]
    assert len(browser.done("tabs.get")) == 1
    browser.answers["tabs.get"] = {**TAB, "url": "https://shop.example/next"}
    assert (await browser.host.browser.get_tab(1)).url.endswith("next"), "an answer is not kept"


async def test_a_gone_tab(browser: FakeBrowser) -> None:
    browser.answers["tabs.get"] = ("no_tab", "No tab with id: 1.")
    with pytest.raises(BridgeError) as caught:
        await browser.host.browser.get_tab(1)
    assert code_of(caught) == "no_tab"


async def test_the_active_tab_of_an_ordinary_window(browser: FakeBrowser) -> None:
    older, newer = {**TAB, "id": 2, "lastAccessed": 1.0}, {**TAB, "id": 3, "lastAccessed": 2.0}
    browser.answers["tabs.query"] = lambda params: (
        [] if "lastFocusedWindow" in params["queryInfo"] else [older, newer]
    )
    found = await browser.host.browser.active_tab()
    assert found is not None
    assert found.id == 3
    browser.answers["tabs.query"] = lambda _: []
    assert await browser.host.browser.active_tab() is None


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "chrome://settings", "file:///etc/passwd", "data:text/html,x", ""]
)
async def test_only_web_addresses_are_opened(browser: FakeBrowser, url: str) -> None:
    with pytest.raises(BridgeError) as caught:
        await browser.host.browser.navigate(1, url)
    assert code_of(caught) == "restricted_page"
    assert browser.calls == []


async def test_waiting_does_not_take_the_old_page_for_the_new(browser: FakeBrowser) -> None:
    there = {**TAB, "url": "https://shop.example/cart", "title": "Cart"}
    browser.answers["tabs.get"] = [
        TAB,
        TAB,
        TAB,
        {**TAB, "status": "loading"},
        {**TAB, "pendingUrl": "x"},
        there,
    ]
    await browser.host.browser.navigate(1, there["url"])
    assert (await browser.host.browser.wait_loaded(1, 5)).title == "Cart"


async def test_a_page_that_never_finishes_is_returned_as_it_is(browser: FakeBrowser) -> None:
    browser.answers["tabs.get"] = {**TAB, "status": "loading"}
    assert (await browser.host.browser.wait_loaded(1, 0.02)).status == "loading"


async def test_a_navigation_cut_off_is_unknown(browser: FakeBrowser) -> None:
    browser.answers["tabs.update"] = ("outcome_unknown", "Restarted.")
    with pytest.raises(OutcomeUnknown):
        await browser.host.browser.navigate(1, "https://x.example/")


async def test_a_navigation_cut_off_that_can_be_seen_has_happened(browser: FakeBrowser) -> None:
    browser.answers["tabs.update"] = ("outcome_unknown", "Restarted.")
    browser.answers["tabs.get"] = [TAB, TAB, {**TAB, "status": "loading"}]
    await browser.host.browser.navigate(1, "https://x.example/")
    assert len(browser.done("tabs.update")) == 1


async def test_going_back_goes_through_the_page(browser: FakeBrowser) -> None:
    browser.page({"success": True})
    browser.answers["tabs.get"] = [TAB, {**TAB, "url": "https://shop.example/before"}]
    await browser.host.browser.go_back(1)
    assert browser.done("tabs.sendMessage")[-1]["message"]["args"] == {"delta": -1}
    assert not browser.done("tabs.goBack")


async def test_going_forward_from_a_page_that_cannot_be_reached(browser: FakeBrowser) -> None:
    closed = {**TAB, "url": "chrome-error://chromewebdata/"}
    browser.page(NOBODY, ping=NOBODY)
    browser.answers |= {"tabs.get": [closed, closed, TAB], "tabs.goForward": None}
    await browser.host.browser.go_forward(1)
    assert browser.done("tabs.goForward") == [{"tabId": 1}]


async def test_a_step_that_changes_nothing_had_nowhere_to_go(browser: FakeBrowser) -> None:
    browser.page({"success": True})
    with pytest.raises(BridgeError) as caught:
        await browser.host.browser.go_back(1)
    assert code_of(caught) == "no_history"


# --- http ---


async def begin(browser: FakeBrowser, **more: Any) -> Any:
    browser.answers["http.send"] = {
        "status": 200,
        "url": "https://api.example/",
        "headers": {"content-type": "text/plain"},
        "stream": "p1",
    }
    request = HttpRequest("POST", "https://api.example/", {"x-api-key": "k"}, b"body", **more)
    return await browser.host.http.send(request)


async def test_a_request_carries_its_body_beside_the_frame(browser: FakeBrowser) -> None:
    response = await begin(browser, headers_timeout=7.5, stall_timeout=3)
    assert (response.status, response.headers) == (200, {"content-type": "text/plain"})
    assert browser.bodies == [b"body"]
    (params,) = browser.done("http.send")
    assert (params["headersTimeoutMs"], params["stallTimeoutMs"]) == (7500, 3000)
    assert (params["follow"], params["cookies"]) == (False, False), "neither without being asked"


async def test_redirects_and_cookies_when_they_are_asked_for(browser: FakeBrowser) -> None:
    response = await begin(browser, follow=True, cookies=True)
    (params,) = browser.done("http.send")
    assert (params["follow"], params["cookies"]) == (True, True)
    assert response.url == "https://api.example/"


async def test_the_body_as_it_comes(browser: FakeBrowser) -> None:
    response = await begin(browser)
    browser.feed((b"one",), kind="chunk", id="p1")
    browser.feed((b"two",), kind="chunk", id="p1")
    browser.feed(kind="chunk", id="p1", done=True)
    assert [piece async for piece in response.chunks()] == [b"one", b"two"]
    await response.close()
    assert browser.cancelled == []


async def test_a_body_over_its_limit_is_aborted(browser: FakeBrowser) -> None:
    response = await begin(browser)
    browser.feed((b"x" * 11,), kind="chunk", id="p1")
    with pytest.raises(BridgeError) as caught:
        await response.read(10)
    assert code_of(caught) == "too_large"
    assert browser.cancelled == ["p1"]


async def test_a_transfer_that_stalls(browser: FakeBrowser) -> None:
    response = await begin(browser)
    browser.feed(
        kind="chunk", id="p1", error={"code": "net_stalled", "message": "The server stopped sending."}
    )
    with pytest.raises(BridgeError) as caught:
        await response.read(100)
    assert code_of(caught) == "net_stalled"


async def test_leaving_a_body_unread_aborts_it(browser: FakeBrowser) -> None:
    response = await begin(browser)
    del response
    gc.collect()
    assert browser.cancelled == ["p1"]


async def test_cancelling_a_read_and_closing_aborts_it_once(browser: FakeBrowser) -> None:
    response = await begin(browser)
    reading = asyncio.create_task(response.read(100))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await response.close()
    await response.close()
    assert browser.cancelled == ["p1"]


# --- stores, clock, screens ---


async def test_storage_areas(browser: FakeBrowser) -> None:
    for area, store in (("local", browser.host.settings), ("session", browser.host.session)):
        browser.answers |= {
            f"storage.{area}.get": {"a": 1},
            f"storage.{area}.set": None,
            f"storage.{area}.remove": None,
        }
        assert await store.get(["a", "b"]) == {"a": 1}
        await store.get()
        await store.set({"a": 2})
        await store.remove(["a"])
        assert browser.done(f"storage.{area}.get") == [{"keys": ["a", "b"]}, {"keys": None}]
        assert browser.done(f"storage.{area}.set") == [{"items": {"a": 2}}]


async def test_a_long_stream_is_read_in_parts(browser: FakeBrowser) -> None:
    everything = [[seq, {"n": seq}] for seq in range(1, 8)]

    def part(params: dict[str, Any]) -> Any:
        newer = [record for record in everything if record[0] > params["after"]]
        return {"records": newer[: min(3, params["limit"])], "more": len(newer) > 3}

    browser.answers["store.read"] = part
    assert await browser.host.store.read("c1") == [(seq, record) for seq, record in everything]
    assert [seq for seq, _ in await browser.host.store.read("c1", after=2, limit=4)] == [3, 4, 5, 6]
    assert await browser.host.store.read("c1", after=7) == []


async def test_the_store_appends_and_forgets(browser: FakeBrowser) -> None:
    browser.answers |= {
        "store.append": {"seq": 2},
        "store.streams": {"streams": ["c1"]},
        "store.delete": {"ok": True},
    }
    assert await browser.host.store.append("c1", [{"a": 1}, {"a": 2}]) == 2
    assert await browser.host.store.streams() == ["c1"]
    await browser.host.store.delete("c1")
    assert browser.done("store.delete") == [{"stream": "c1"}]


async def test_tables_are_asked_for_in_parts(browser: FakeBrowser) -> None:
    kept = {f"run_{n}": {"startedAt": n} for n in range(1, 8)}

    def newest(params: dict[str, Any]) -> Any:
        last = params.get("before", {"time": 99})["time"]
        older = sorted(
            (entry["startedAt"] for entry in kept.values() if entry["startedAt"] < last), reverse=True
        )
        part = older[: min(3, params["limit"])]
        return {"entries": [[f"run_{n}", {"startedAt": n}] for n in part], "more": len(older) > len(part)}

    def under(params: dict[str, Any]) -> Any:
        newer = [n for n in range(1, 8) if n > params["after"]]
        part = newer[: min(3, params["limit"])]
        return {"entries": [[n, {"n": n}] for n in part], "more": len(newer) > len(part)}

    browser.answers |= {"table.newest": newest, "table.under": under}
    tables = browser.host.tables
    assert await tables.newest("runs", 100) == (
        [(f"run_{n}", {"startedAt": n}) for n in range(7, 0, -1)],
        False,
    )
    assert await tables.newest("runs", 4, (6, "run_6")) == (
        [(f"run_{n}", {"startedAt": n}) for n in (5, 4, 3, 2)],
        True,
    )
    assert [n for n, _ in await tables.under("events", "run_1", after=2)] == [3, 4, 5, 6, 7]
    assert [n for n, _ in await tables.under("events", "run_1", limit=5)] == [1, 2, 3, 4, 5]


async def test_tables_are_filled_and_emptied(browser: FakeBrowser) -> None:
    browser.answers |= {
        "table.put": {"ok": True},
        "table.get": {"values": [{"a": 1}, None]},
        "table.delete": {"ok": True},
    }
    tables = browser.host.tables
    await tables.put([Entry("runs", "r1", {"a": 1}), Entry("events", "r1", {"b": 2}, 0)])
    assert browser.done("table.put") == [
        {
            "entries": [
                {"table": "runs", "id": "r1", "value": {"a": 1}},
                {"table": "events", "id": "r1", "value": {"b": 2}, "n": 0},
            ]
        }
    ]
    assert await tables.get("runs", ["r1", "r2"]) == [{"a": 1}, None]
    await tables.delete(["runs", "events"], ["r1"])
    await tables.delete(["runs"], None)
    assert browser.done("table.delete") == [
        {"tables": ["runs", "events"], "ids": ["r1"]},
        {"tables": ["runs"]},
    ]


async def test_the_clock_says_the_users_time_with_its_zone(browser: FakeBrowser) -> None:
    said = browser.host.clock.local_time()
    assert re.fullmatch(r"[A-Z][a-z]+day \d{4}-\d\d-\d\d \d\d:\d\d \(UTC[+-]\d\d:\d\d\)", said), said


async def test_an_event_for_the_screens_never_fails(browser: FakeBrowser) -> None:
    browser.host.ui.emit("agent_update", {"seq": 1})
    browser.host.ui.emit("agent_update", {"seq": float("nan")})
    browser.host.ui.emit("agent_update", {"text": "x" * rpc.FRAME_CHARS})
    assert browser.events == [{"event": "agent_update", "params": {"seq": 1}}]


def test_addresses_that_can_be_opened_are_not_restricted() -> None:
    assert not any(tabs.restricted(f"{start}x") for start in bridge.OPENABLE if start.startswith("http"))
