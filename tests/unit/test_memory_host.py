"""The in-memory host behaves like the real border: it cuts off, refuses, restricts and records."""

import asyncio

import pytest

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host.memory import CUT, STALL, Gate, MemoryHost, Reply, Tab
from webbrain.host.protocols import Capabilities, Host, HttpRequest
from webbrain.host.reach import BrowserEvent, Download, Frame


def make() -> MemoryHost:
    return MemoryHost(
        tabs=[Tab(1, "https://shop.example/", "Shop", active=True), Tab(2, "chrome://flags/", "F")]
    )


def test_satisfies_the_protocol() -> None:
    host: Host = make()
    assert host.capabilities.browser == "memory"


async def test_answers_in_order_and_the_last_stays() -> None:
    host = make()
    host.page.on("tree", {"page": 1}, lambda call: {"page": call.args["page"]})
    seen = [await host.page.call(1, "tree", {"page": n}, timeout=5) for n in (9, 2, 3)]
    assert [answer["page"] for answer in seen] == [1, 2, 3]
    assert all(answer["success"] for answer in seen)
    assert host.page.actions() == ["tree"] * 3


async def test_refusals_of_pages() -> None:
    host = make()
    with pytest.raises(BridgeError) as gone:
        await host.page.call(7, "tree", {}, timeout=5)
    with pytest.raises(BridgeError) as restricted:
        await host.page.call(2, "tree", {}, timeout=5)
    unknown = await host.page.call(1, "nonsense", {}, timeout=5)
    assert (gone.value.code, restricted.value.code) == ("no_tab", "restricted_page")
    assert unknown["success"] is False


@pytest.mark.parametrize(("effect", "error"), [(True, OutcomeUnknown), (False, BridgeError)])
async def test_a_silent_page(effect: bool, error: type[Exception]) -> None:
    host = make()
    host.page.on("click_ax", {})
    host.page.block("click_ax")
    with pytest.raises(error):
        await host.page.call(1, "click_ax", {}, timeout=0.01, effect=effect)


async def test_a_blocked_call_goes_on_when_released() -> None:
    host = make()
    host.page.on("click_ax", {"changed": []})
    gate = host.page.block("click_ax")
    call = asyncio.ensure_future(host.page.call(1, "click_ax", {}, timeout=60))
    await gate.reached()
    assert not call.done()
    gate.release()
    assert (await call)["success"]


async def test_history() -> None:
    host = make()
    await host.browser.navigate(1, "https://a.example/")
    await host.browser.go_back(1)
    assert (await host.browser.get_tab(1)).url == "https://shop.example/"
    await host.browser.go_forward(1)
    assert (await host.browser.get_tab(1)).url == "https://a.example/"
    with pytest.raises(BridgeError, match="history"):
        await host.browser.go_forward(1)


async def test_streams_stall_and_break() -> None:
    host = make()
    gate = Gate()
    gate.release()
    host.http.on("GET", "https://x.example/*", Reply(chunks=[b"a", gate, b"b", CUT]), Reply(chunks=[STALL]))
    response = await host.http.send(HttpRequest("GET", "https://x.example/1"))
    got: list[bytes] = []

    async def read_all() -> None:
        async for chunk in response.chunks():
            got.append(chunk)

    with pytest.raises(BridgeError) as cut:
        await read_all()
    with pytest.raises(BridgeError) as stalled:
        await (await host.http.send(HttpRequest("GET", "https://x.example/2"))).read(10)
    with pytest.raises(BridgeError) as refused:
        await host.http.send(HttpRequest("GET", "https://elsewhere.example/"))
    assert b"".join(got) == b"ab"
    assert [e.value.code for e in (cut, stalled, refused)] == ["net_cut", "net_stalled", "net_refused"]


async def test_a_successor_finds_what_was_stored_and_nothing_later() -> None:
    host = make()
    await host.store.append("c1", [{"a": 1}, {"a": 2}])
    await host.session.set({"k": 1})
    later, restarted = host.successor(), host.successor(keep_session=False)
    await host.store.append("c1", [{"a": 3}])
    assert await later.store.read("c1", after=1) == [(2, {"a": 2})]
    assert (await later.session.get()) == {"k": 1}
    assert (await restarted.session.get()) == {}


async def test_held_time_moves_only_when_told() -> None:
    host = make()
    host.clock.hold()
    sleeper = asyncio.ensure_future(host.clock.sleep(2))
    while not host.clock.sleeps:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    host.clock.advance(1.5)
    await asyncio.sleep(0)
    assert not sleeper.done()
    host.clock.advance(0.5)
    await sleeper


async def test_values_cross_as_json() -> None:
    host = make()
    with pytest.raises(TypeError):
        await host.session.set({"k": object()})


async def test_ui_until_sees_past_and_future_events() -> None:
    host = make()
    host.ui.emit("a", {"n": 1})
    assert await host.ui.until(lambda event, params: event == "a") == {"n": 1}
    waiting = asyncio.ensure_future(host.ui.until(lambda event, params: event == "b"))
    await asyncio.sleep(0)
    host.ui.emit("b", {"n": 2})
    assert await waiting == {"n": 2}


async def test_frames_are_those_a_test_sets() -> None:
    host = make()
    host.page.on("frame_read", lambda call: {"frame": call.frame_id})
    host.browser.set_frames(1, Frame(7, 0, "https://ad.example/"))
    assert [frame.id for frame in await host.browser.frames(1)] == [0, 7]
    assert (await host.page.call(1, "frame_read", {}, timeout=5, frame_id=7))["frame"] == 7
    with pytest.raises(BridgeError) as gone:
        await host.page.call(1, "frame_read", {}, timeout=5, frame_id=8)
    assert gone.value.code == "no_frame"


async def test_tabs_that_come_and_go_are_told() -> None:
    host = make()
    heard: list[BrowserEvent] = []
    end = host.events.listen(heard.append)
    host.browser.pop_up(1, Tab(5, "https://shop.example/terms", "Terms"))
    opened = await host.browser.open_tab("https://a.example/", beside=1)
    await host.browser.close_tab(opened.id)
    await host.browser.close_tab(opened.id)
    host.browser.move(1, "https://shop.example/cart")
    assert [(event.kind, event.tab_id) for event in heard[:2]] == [
        ("tab_opened", 1),
        ("tab_removed", opened.id),
    ]
    assert [event.data["phase"] for event in heard[2:]] == ["started", "committed", "completed"]
    assert host.browser.opened == [(opened.id, "https://a.example/", 1)]
    end()
    host.browser.close(1)
    assert len(heard) == 5
    assert host.events.listeners == 0


async def test_a_debugger_reports_while_it_is_attached() -> None:
    host = MemoryHost(tabs=[Tab(1, "https://a/", "A")], capabilities=Capabilities("memory", cdp=True))
    host.debugger.on("Page.captureScreenshot", {"data": "x"})
    host.debugger.report(1, "Page.javascriptDialogOpening", type="alert", message="?")
    with pytest.raises(BridgeError) as detached:
        await host.debugger.send(1, "Input.insertText", {"text": "x"})
    await host.debugger.attach(1)
    await host.debugger.attach(1)
    assert await host.debugger.send(1, "Input.insertText", {"text": "x"}) == {}
    assert await host.debugger.send(1, "Page.captureScreenshot") == {"data": "x"}
    host.debugger.report(1, "Page.javascriptDialogOpening", type="alert", message="!")
    host.debugger.cancel(1)
    assert detached.value.code == "debugger_detached"
    assert host.debugger.attachments == [1]
    assert host.debugger.commands_of("Input.insertText") == [{"text": "x"}]
    assert [(event.kind, dict(event.data)) for event in host.events.told] == [
        ("cdp", {"method": "Page.javascriptDialogOpening", "params": {"type": "alert", "message": "!"}}),
        ("debugger_detached", {"reason": "canceled_by_user"}),
    ]
    assert not host.debugger.attached(1)
    host.debugger.refuse = BridgeError("No.", code="debugger_refused", data={"reason": "taken"})
    with pytest.raises(BridgeError) as refused:
        await host.debugger.attach(1)
    assert refused.value.code == "debugger_refused"


async def test_no_debugger_without_the_capability() -> None:
    with pytest.raises(BridgeError) as refused:
        await make().debugger.attach(1)
    assert refused.value.code == "not_available"


async def test_downloads_begin_end_and_fail() -> None:
    host = make()
    host.downloads.add(Download(7, "https://a/x", "https://a/x", "/d/x", "complete"))
    host.downloads.refuse("https://bad.example/*")
    number = await host.downloads.start("https://a/report.pdf?v=2")
    host.downloads.end(number, bytes_received=9)
    other = await host.downloads.start("https://a/big")
    await host.downloads.cancel(other)
    found = await host.downloads.search(limit=2)
    assert [(row.state, row.error) for row in found] == [("interrupted", "USER_CANCELED"), ("complete", "")]
    assert found[1].filename.endswith("/report.pdf")
    assert [row.id for row in await host.downloads.search(ids=[7, 99])] == [7]
    with pytest.raises(BridgeError) as refused:
        await host.downloads.start("https://bad.example/x")
    assert refused.value.code == "download_refused"


async def test_windows_pictures_and_pdfs() -> None:
    host = MemoryHost(
        tabs=[Tab(1, "https://a/", "A", window_id=3, active=True), Tab(2, "https://b/", "B", 3)]
    )
    window = await host.windows.resize(3, width=100, height=700)
    assert (window.width, window.height) == (500, 700)
    with pytest.raises(BridgeError) as no_window:
        await host.windows.get(9)
    assert (await host.pictures.capture(1, scale=0.5)).startswith("data:image/jpeg;base64,")
    with pytest.raises(BridgeError) as hidden:
        await host.pictures.capture(2)
    assert host.pictures.taken == [(1, 75, 0.5)]
    pages = {"from_page": 1, "to_page": 2, "max_chars": 10, "timeout": 5.0}
    with pytest.raises(BridgeError) as broken:
        await host.pdfs.read(b"x", **pages)  # type: ignore[arg-type]
    host.pdfs.on({"totalPages": 1})
    assert await host.pdfs.read(b"%PDF", **pages) == {"totalPages": 1}  # type: ignore[arg-type]
    assert [error.value.code for error in (no_window, hidden, broken)] == [
        "no_window",
        "not_visible",
        "pdf_broken",
    ]


async def test_a_response_says_where_it_comes_from() -> None:
    host = make()
    host.http.on("GET", "https://a/", Reply(url="https://b/"), Reply())
    answers = [await host.http.send(HttpRequest("GET", "https://a/", follow=True)) for _ in range(2)]
    assert [answer.url for answer in answers] == ["https://b/", "https://a/"]
