"""The in-memory host behaves like the real border: it cuts off, refuses, restricts and records."""

import asyncio

import pytest

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host.memory import CUT, STALL, Gate, MemoryHost, Reply, Tab
from webbrain.host.protocols import Host, HttpRequest


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
