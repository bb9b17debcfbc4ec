"""Frames, deadlines, cancellation and streams, against a supervisor that is a list."""

import asyncio
import json
import time
from typing import Any

import pytest

from webbrain.core.bounded_json import OBJECT_KEYS
from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.host.rpc import BUFFERS, FRAME_CHARS, KEPT_DEADLINES, Connection

EPOCH = 3


class Wire:
    """The other end: keeps what was sent, and feeds frames back."""

    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.answer: Any = {"ok": True}
        self.connection = Connection(self, EPOCH, self.handle)

    def send(self, text: str, buffers: Any) -> None:
        self.sent.append((json.loads(text), list(buffers)))

    async def handle(self, method: str, params: dict[str, Any]) -> Any:
        self.calls.append((method, params))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def feed(self, buffers: tuple[bytes, ...] = (), **frame: Any) -> None:
        text = json.dumps({"target": "python", "epoch": EPOCH, **frame}, separators=(",", ":"))
        self.connection.receive(text, buffers)

    async def frame(self, count: int = 1) -> dict[str, Any]:
        """The ``count``-th frame sent, as soon as it is there."""
        async with asyncio.timeout(5):
            while len(self.sent) < count:
                await asyncio.sleep(0)
        return self.sent[count - 1][0]


@pytest.fixture
async def wire() -> Wire:
    return Wire()


async def test_call_carries_id_deadline_and_epoch_and_gets_its_own_answer(wire: Wire) -> None:
    first = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
    second = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 2}, timeout=10))
    await wire.frame(2)
    (one, _), (two, _) = wire.sent
    assert one["target"] == "executor"
    assert one["epoch"] == EPOCH
    assert one["params"] == {"tabId": 1}
    assert abs(one["deadline"] - (time.time() + 10) * 1000) < 2_000
    assert one["id"] != two["id"]
    wire.feed(kind="reply", id=two["id"], result="second")
    wire.feed(kind="reply", id=one["id"], result="first")
    assert (await first, await second) == ("first", "second")


async def test_supervisor_calls_go_to_the_supervisor(wire: Wire) -> None:
    call = asyncio.create_task(wire.connection.call("store.streams", {}, timeout=10))
    assert (await wire.frame())["target"] == "host"
    call.cancel()


async def test_error_frame_becomes_bridge_error(wire: Wire) -> None:
    call = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
    sent = await wire.frame()
    wire.feed(kind="error", id=sent["id"], error={"code": "no_tab", "message": "Gone.", "data": {"a": 1}})
    with pytest.raises(BridgeError, match="Gone") as caught:
        await call
    assert (caught.value.code, caught.value.data) == ("no_tab", {"a": 1})


async def test_frames_of_a_replaced_worker_are_dropped(wire: Wire) -> None:
    call = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
    sent = await wire.frame()
    wire.feed(kind="reply", id=sent["id"], result="old", epoch=EPOCH - 1)
    await asyncio.sleep(0)
    assert not call.done()
    wire.feed(kind="reply", id=sent["id"], result="new")
    assert await call == "new"


async def test_cancelling_tells_the_other_side_and_waits_for_nothing(wire: Wire) -> None:
    call = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
    sent = await wire.frame()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    cancel = wire.sent[1][0]
    assert (cancel["kind"], cancel["id"]) == ("cancel", sent["id"])
    wire.feed(kind="reply", id=sent["id"], result="late")  # must not disturb anybody


async def test_silence_is_a_timeout(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrain.host.rpc.GRACE", 0.0)
    with pytest.raises(BridgeError) as caught:
        await wire.connection.call("tabs.get", {"tabId": 1}, timeout=0.01)
    assert caught.value.code == "timeout"
    assert wire.sent[-1][0]["kind"] == "cancel"


async def test_too_large_a_call_is_refused_before_it_is_sent(wire: Wire) -> None:
    with pytest.raises(BridgeError) as caught:
        await wire.connection.call("storage.local.set", {"x": "y" * FRAME_CHARS}, timeout=10)
    assert caught.value.code == "too_large"
    assert wire.sent == []


async def test_too_large_an_answer_fails_its_caller(wire: Wire) -> None:
    call = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
    sent = await wire.frame()
    wire.feed(kind="reply", id=sent["id"], result="y" * FRAME_CHARS)
    with pytest.raises(BridgeError) as caught:
        await call
    assert caught.value.code == "too_large"


async def test_an_object_with_countless_keys_fails_its_caller(wire: Wire) -> None:
    call = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
    sent = await wire.frame()
    wire.feed(kind="reply", id=sent["id"], result={f"k{n}": n for n in range(OBJECT_KEYS + 1)})
    with pytest.raises(BridgeError):
        await call


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"epoch":3}', '{"epoch":3,"kind":"reply"}'])
async def test_bad_frames_are_dropped(wire: Wire, text: str) -> None:
    wire.connection.receive(text, ())


async def test_ping_is_answered_by_the_event_loop(wire: Wire) -> None:
    wire.feed(kind="call", id="h1", method="ping")
    assert wire.sent == []
    reply = await wire.frame()
    assert (reply["kind"], reply["id"], reply["result"]) == ("reply", "h1", "pong")


async def test_calls_from_outside_are_answered(wire: Wire) -> None:
    wire.feed(kind="call", id="h1", method="ui", params={"method": "settings.get"})
    reply = await wire.frame()
    assert (reply["kind"], reply["result"]) == ("reply", {"ok": True})
    wire.answer = ToolFailed("No.", code="nope")
    wire.feed(kind="call", id="h2", method="ui")
    assert (await wire.frame(2))["error"] == {"code": "nope", "message": "No.", "data": {}}
    wire.answer = ZeroDivisionError("by zero")
    wire.feed(kind="call", id="h3", method="ui")
    assert (await wire.frame(3))["error"]["code"] == "internal_error"
    wire.answer = {"not json": float("nan")}
    wire.feed(kind="call", id="h4", method="ui")
    assert (await wire.frame(4))["error"]["code"] == "internal_error"


async def test_a_call_brings_its_buffers_along(wire: Wire) -> None:
    wire.feed((b"one", b"two"), kind="call", id="h1", method="ui", params={"method": "chat.start"})
    wire.feed(kind="call", id="h2", method="ui", params={"method": "panel.open"})
    await wire.frame(2)
    assert wire.calls == [
        ("ui", {"method": "chat.start", BUFFERS: [b"one", b"two"]}),
        ("ui", {"method": "panel.open"}),
    ]


async def test_events_are_handled_but_not_answered(wire: Wire) -> None:
    wire.feed(kind="event", method="browser_event", params={"tabId": 4})
    async with asyncio.timeout(5):
        while not wire.calls:
            await asyncio.sleep(0)
    assert wire.calls == [("browser_event", {"tabId": 4})]
    assert wire.sent == []


async def start_stream(wire: Wire) -> tuple[str, Any]:
    call = asyncio.create_task(wire.connection.call_stream("http.send", {}, timeout=10, buffers=[b"body"]))
    sent = await wire.frame()
    assert wire.sent[0][1] == [b"body"]
    # The first chunk comes right behind the reply, before the caller runs again.
    wire.feed(kind="reply", id=sent["id"], result={"status": 200})
    wire.feed(kind="chunk", id=sent["id"], buffers=(b"one",))
    head, stream_id, stream = await call
    assert head == {"status": 200}
    return stream_id, stream


async def test_chunks_come_in_order_and_end(wire: Wire) -> None:
    stream_id, stream = await start_stream(wire)
    wire.feed(kind="chunk", id=stream_id, buffers=(b"two",))
    wire.feed(kind="chunk", id=stream_id, done=True)
    assert [piece async for piece in stream] == [b"one", b"two"]
    wire.connection.close_stream(stream_id)
    assert len(wire.sent) == 1, "a stream that has ended is not cancelled"


async def test_a_fault_in_a_stream_comes_after_its_pieces(wire: Wire) -> None:
    stream_id, stream = await start_stream(wire)
    wire.feed(kind="chunk", id=stream_id, error={"code": "net_cut", "message": "Cut."})
    pieces = aiter(stream)
    assert await anext(pieces) == b"one"
    with pytest.raises(BridgeError) as caught:
        await anext(pieces)
    assert caught.value.code == "net_cut"


async def test_closing_a_stream_cancels_it_once(wire: Wire) -> None:
    stream_id, stream = await start_stream(wire)
    wire.connection.close_stream(stream_id)
    wire.connection.close_stream(stream_id)
    assert [frame["kind"] for frame, _ in wire.sent] == ["call", "cancel"]
    with pytest.raises(BridgeError):
        [piece async for piece in stream]


async def test_each_call_has_its_own_deadline(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrain.host.rpc.GRACE", 0.0)
    slow = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=30))
    late = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 2}, timeout=0.04))
    soon = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 3}, timeout=0.02))
    await wire.frame(3)
    for call in (soon, late):
        with pytest.raises(BridgeError, match="No answer"):
            await call
    assert not slow.done()
    wire.feed(kind="reply", id=wire.sent[0][0]["id"], result="slow")
    assert await slow == "slow"


async def test_calls_that_are_answered_need_no_timers_and_leave_nothing(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    timers: list[float] = []
    real = loop.call_later

    def counted(delay: float, *rest: Any, **more: Any) -> asyncio.Handle:
        timers.append(delay)
        return real(delay, *rest, **more)

    monkeypatch.setattr(loop, "call_later", counted)
    for number in range(1_000):
        call = asyncio.create_task(wire.connection.call("tabs.get", {"tabId": 1}, timeout=10))
        sent = await wire.frame(number + 1)
        wire.feed(kind="reply", id=sent["id"], result=number)
        assert await call == number
    assert len(timers) == 1
    assert len(wire.connection._deadlines._heap) <= KEPT_DEADLINES + 1


async def test_a_deadline_comes_where_the_clock_refuses_what_has_passed(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrain.host.rpc.GRACE", 0.0)
    loop = asyncio.get_running_loop()
    real = loop.call_later

    def strict(delay: float, *rest: Any, **more: Any) -> asyncio.Handle:
        if delay < 0:
            raise ValueError("Can't schedule in the past")
        return real(delay / 2, *rest, **more)  # and goes off too early

    monkeypatch.setattr(loop, "call_later", strict)
    with pytest.raises(BridgeError, match="No answer"):
        await wire.connection.call("tabs.get", {"tabId": 1}, timeout=0.02)
