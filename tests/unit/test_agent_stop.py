"""Stop, at every point where a run can be interrupted, and the cards a run waits for."""

import asyncio
import time
from typing import Any

import pytest

from tests.support.agent import PROBE_NO, PROBE_YES, Bench, offering, types, well_formed
from tests.support.toolbox import TAB
from webbrain.core.errors import ProviderFailed, WebBrainError
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.memory import Gate, MemoryHost
from webbrain.testing.scripted import Stream, call
from webbrain.tools.base import ToolArgs, spec

STOP_LIMIT = 1.0
"""Seconds a Stop may take: the promise of the product, with nothing but this process to wait for."""


def scenario(host: MemoryHost | None = None) -> Bench:
    """A run with a read, an effect, a submit card, a transient failure and an end."""
    bench = Bench(
        call("get_accessibility_tree"),
        [call("set_field", ref_id="ref_2", text="Ada"), call("click_ax", ref_id="ref_1")],
        ProviderFailed("Busy.", code="overloaded", transient=True),
        call("read_page"),
        call("done", summary="Ordered.", outcome="success"),
        host=host,
    )
    bench.host.page.on("submit_probe", PROBE_YES)
    return bench


async def _answer_cards(bench: Bench) -> None:
    card = await bench.until("clarify")
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})


async def _count_points() -> list[str]:
    bench = scenario()
    points: list[str] = []
    accepted = asyncio.ensure_future(bench.start())
    bench.host.hook = points.append  # type: ignore[assignment]
    await accepted
    await _answer_cards(bench)
    await bench.end()
    assert bench.last("run_complete")["status"] == "completed"
    return points


POINTS = asyncio.run(_count_points())
"""Every call of the host that the scenario makes, in order."""


def test_the_scenario_has_every_kind_of_point() -> None:
    assert {"page.tree", "page.set_field", "page.submit_probe", "page.click_ax", "clock.sleep"} <= set(POINTS)
    assert {"store.append", "browser.get_tab"} <= set(POINTS)


@pytest.mark.parametrize("place", range(len(POINTS)), ids=lambda n: f"{n}-{POINTS[n]}")
async def test_stop_at_every_point(place: int) -> None:
    bench = scenario()
    seen = 0
    reached = asyncio.Event()

    async def hang(_: str) -> None:
        nonlocal seen
        seen += 1
        if seen - 1 == place:
            reached.set()
            await asyncio.sleep(0 if POINTS[place].startswith(("store", "session", "settings")) else 3_600)

    bench.host.hook = hang
    person = asyncio.ensure_future(_answer_cards(bench))
    await bench.start()
    await asyncio.wait_for(reached.wait(), 20)
    began = time.monotonic()
    stopped = await bench.stop()
    took = time.monotonic() - began
    bench.host.hook = None
    person.cancel()
    assert took < STOP_LIMIT
    await bench.end()
    # After the last look at the page come the end and its storing; only there may a Stop come too late.
    late = place > max(index for index, name in enumerate(POINTS) if name.startswith(("page", "browser")))
    assert bench.last("run_complete")["status"] == "stopped" or late
    assert stopped or late
    assert len(bench.events("run_complete")) == 1
    _whole(bench)
    # The next message works, with the history as it is.
    bench.model.steps = ["Here."]
    bench.host.page.on("submit_probe", PROBE_NO)
    await bench.run("And now?", "ask")
    assert bench.last("run_complete")["status"] == "completed"
    assert well_formed(bench.request.messages)


def _whole(bench: Bench) -> None:
    assert well_formed(bench.history)
    assert any("Buy tea" in message.content for message in bench.history if message.role == "user")
    started = [event["data"]["callId"] for event in bench.events("tool_call")]
    finished = [event["data"]["callId"] for event in bench.events("tool_result")]
    assert started == finished
    asked = [event["data"]["cardId"] for event in bench.events("clarify")]
    resolved = [event["data"]["cardId"] for event in bench.events("card_resolved")]
    assert asked == resolved


async def test_an_effect_in_flight_is_unknown_after_a_stop() -> None:
    bench = Bench([call("click_ax", ref_id="ref_1"), call("click_ax", ref_id="ref_2")])
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    assert await bench.stop()
    results = [message.content for message in bench.history if message.role == "tool"]
    assert "outcome_unknown" in results[0]
    assert "not known whether this happened" in results[0]
    assert "before this was started" in results[1]
    assert bench.last("tool_result")["unknown"] is True


async def test_a_read_in_flight_is_merely_cancelled() -> None:
    bench = Bench(call("read_page"))
    gate = bench.host.page.block("read_page")
    await bench.start("x", "ask")
    await gate.reached()
    await bench.stop()
    assert "outcome_unknown" not in bench.history[-2].content
    assert bench.last("tool_result")["unknown"] is False


async def test_stop_in_the_middle_of_a_stream_keeps_what_was_shown() -> None:
    gate = Gate()
    bench = Bench(Stream("It costs ", "four", gate=gate))
    await bench.start("How much?", "ask")
    await gate.reached()
    assert await bench.stop()
    assert bench.last("text") == {"content": "It costs", "replace": True, "final": True, "undone": []}
    assert bench.history[-1].content == "It costs"


async def test_stop_while_the_model_thinks() -> None:
    gate = Gate()
    bench = Bench(gate, "never")
    await bench.start("x", "ask")
    await gate.reached()
    began = time.monotonic()
    await bench.stop()
    assert time.monotonic() - began < STOP_LIMIT
    assert types(bench.events())[-1] == "run_complete"


async def test_stop_during_the_pause_before_a_repeat() -> None:
    bench = Bench(ProviderFailed("Busy.", code="overloaded", transient=True), "never")
    bench.host.clock.hold()
    await bench.start("x", "ask")
    await bench.until("waiting")
    while 2.0 not in bench.host.clock.sleeps:
        await asyncio.sleep(0)
    await bench.stop()
    assert len(bench.model.requests) == 1


async def test_a_tool_that_ignores_its_cancellation_cannot_hold_up_a_stop() -> None:
    release = asyncio.Event()
    entered = asyncio.Event()

    class Args(ToolArgs):
        """Linger."""

    async def run(ctx: Any, args: Any) -> ToolResult:
        entered.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return ToolResult.ok()

    lingering = spec(
        "linger",
        args=Args,
        run=run,
        modes=Mode,
        tiers=Tier,
        capability=Capability.NONE,
        untrusted=False,
        effect=True,
        label="Linger",
    )
    bench = Bench(call("linger"), tools_for=offering(lingering))
    await bench.start("x", "act")
    await entered.wait()
    began = time.monotonic()
    await bench.stop()
    assert time.monotonic() - began < STOP_LIMIT
    assert well_formed(bench.history)
    release.set()


async def test_stop_with_a_store_that_hangs_tells_screens_at_once() -> None:
    gate = Gate()
    bench = Bench(gate, "never")
    await bench.start("x", "ask")
    await gate.reached()
    forever = Gate()
    bench.host.hook = lambda name: forever.wait() if name == "store.append" else None
    began = time.monotonic()
    stop = asyncio.ensure_future(bench.stop())
    await bench.until("run_complete")
    assert time.monotonic() - began < STOP_LIMIT
    forever.release()
    bench.host.hook = None
    assert await stop


async def test_stop_before_the_run_took_its_first_step() -> None:
    bench = Bench("never")
    conversation = await bench.app.conversations.of(TAB)
    run = await bench.app._new_run(conversation, "r1", Mode.ASK, "Hello", ())
    bench.app.runs.start(TAB, run, lambda: None)
    assert await bench.stop()
    assert types(bench.events()) == ["user_message", "run_complete"]
    assert bench.history[0].content == "Hello"


async def test_stopping_twice_and_stopping_nothing() -> None:
    gate = Gate()
    bench = Bench(gate, "never")
    await bench.start("x", "ask")
    await gate.reached()
    assert await asyncio.gather(bench.stop(), bench.stop()) == [True, True]
    assert await bench.stop() is False
    assert len(bench.events("run_complete")) == 1


# --- cards ---


async def test_a_submit_waits_for_a_yes() -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"), "Ordered.")
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start()
    card = await bench.until("clarify")
    assert card["kind"] == "submit"
    assert card["host"] == "shop.example"
    assert "click_ax" not in bench.host.page.actions()
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["running"] is True
    assert opened["run"]["status"] == "awaiting_card"
    assert opened["events"][-1]["data"]["cardId"] == card["cardId"]
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
    await bench.end()
    click = bench.host.page.calls[-1]
    assert click.action == "click_ax"
    assert click.args["token"] == "t1"
    assert types(bench.events()).index("card_resolved") < types(bench.events()).index("tool_call")


@pytest.mark.parametrize("answer", ["deny", "", "yes", "ONCE", "once "])
async def test_anything_but_yes_means_no(answer: str) -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"), "Then not.")
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start()
    card = await bench.until("clarify")
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": answer})
    await bench.end()
    assert "click_ax" not in bench.host.page.actions()
    assert '"code":"denied"' in bench.request.messages[-1].content
    assert bench.last("run_complete")["status"] == "completed"


async def test_without_the_policy_the_submit_happens() -> None:
    """The control: it is the policy, and nothing else, that the tests above see at work."""

    bench = Bench(call("click_ax", ref_id="ref_1"), "Ordered.", confirm=lambda _leave: ())
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.run()
    assert bench.events("clarify") == []
    assert "click_ax" in bench.host.page.actions()


async def test_a_card_is_answered_once_and_only_by_its_own_id() -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"), call("click_ax", ref_id="ref_2"), "Ordered.")
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start()
    first = await bench.until("clarify")
    with pytest.raises(WebBrainError) as wrong:
        await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": "card_other", "answer": "once"})
    with pytest.raises(WebBrainError) as elsewhere:
        await bench.app.handle_ui("card.answer", {"tabId": 99, "cardId": first["cardId"], "answer": "once"})
    assert (wrong.value.code, elsewhere.value.code) == ("card_gone", "card_gone")
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": first["cardId"], "answer": "deny"})
    second = await bench.until("clarify", lambda data: data["cardId"] != first["cardId"])
    with pytest.raises(WebBrainError) as again:
        await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": first["cardId"], "answer": "once"})
    assert again.value.code == "card_gone"
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": second["cardId"], "answer": "deny"})
    await bench.end()
    assert "click_ax" not in bench.host.page.actions()


async def test_a_stop_withdraws_the_card() -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"))
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start()
    card = await bench.until("clarify")
    await bench.stop()
    resolved = bench.last("card_resolved")
    assert (resolved["cardId"], resolved["answer"]) == (card["cardId"], "cancelled")
    assert "click_ax" not in bench.host.page.actions()
    with pytest.raises(WebBrainError, match="no longer open"):
        await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})


async def test_a_page_that_cannot_say_gets_no_click() -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"), "Then not.")
    bench.host.page.on("submit_probe", {"success": False, "code": "stale", "error": "No such element."})
    await bench.run()
    assert "click_ax" not in bench.host.page.actions()
    assert "No such element" in bench.request.messages[-1].content
