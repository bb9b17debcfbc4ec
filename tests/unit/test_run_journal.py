"""What a screen that polls gets of a run: its state, the events it does not have, and nothing twice."""

from typing import Any

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from webbrain.core.limits import SESSION_MIRROR_EVENTS, STREAMED_TEXT_CHARS
from webbrain.host.memory import Gate
from webbrain.testing.scripted import Stream, call


async def _ask(bench: Bench, action: str, **params: Any) -> dict[str, Any]:
    return await bench.app.handle_legacy({"target": "background", "action": action, "tabId": TAB, **params})


async def test_what_was_acknowledged_is_not_told_again() -> None:
    bench = Bench(call("read_page"), "Here.")
    await bench.run("What?", "ask")
    first = await _ask(bench, "agent_run_state")
    seqs = [event["seq"] for event in first["events"]]
    assert seqs == sorted(seqs)
    assert (first["ackedSeq"], first["truncatedBeforeSeq"]) == (0, 0)
    acked = await _ask(bench, "agent_run_ack", seq=seqs[-2])
    assert acked == {"ok": True, "ackedSeq": seqs[-2]}
    later = await _ask(bench, "agent_run_state")
    assert [event["seq"] for event in later["events"]] == seqs[-1:]
    assert later["ackedSeq"] == seqs[-2]
    # An older acknowledgement takes nothing back, and one of the future is none.
    assert (await _ask(bench, "agent_run_ack", seq=1))["ackedSeq"] == seqs[-2]
    assert (await _ask(bench, "agent_run_ack", seq=seqs[-1] + 1))["code"] == "bad_params"
    assert (await _ask(bench, "agent_run_ack", seq="1"))["code"] == "bad_params"
    # The panel, which is no such screen, gets everything.
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert [event["seq"] for event in opened["events"]] == seqs


async def test_more_than_the_window_holds_is_said_to_be_cut() -> None:
    bench = Bench()
    for number in range(SESSION_MIRROR_EVENTS // 4 + 1):
        bench.model.steps = [f"Answer {number}."]
        await bench.run(f"Question {number}?", "ask")
    state = await _ask(bench, "agent_run_state")
    assert len(state["events"]) == SESSION_MIRROR_EVENTS
    assert state["truncatedBeforeSeq"] == state["events"][0]["seq"] > 1
    await _ask(bench, "agent_run_ack", seq=state["seq"])
    assert (await _ask(bench, "agent_run_state"))["truncatedBeforeSeq"] == 0


async def test_text_that_is_streaming_can_be_rebuilt_after_its_pieces_were_acknowledged() -> None:
    gate = Gate()
    bench = Bench(Stream("It costs ", "four", gate=gate))
    await bench.start("How much?", "ask")
    await gate.reached()
    state = await _ask(bench, "agent_run_state")
    assert (state["status"], state["text"]) == ("running", "It costs ")
    await _ask(bench, "agent_run_ack", seq=state["seq"])
    state = await _ask(bench, "agent_run_state")
    assert (state["events"], state["text"]) == ([], "It costs ")
    assert len(state["text"]) <= STREAMED_TEXT_CHARS
    gate.release()
    await bench.end()
    state = await _ask(bench, "agent_run_state")
    assert (state["text"], state["finalContent"]) == ("", "It costs four")


async def test_a_plan_that_waits_and_what_became_of_it() -> None:
    bench = Bench("never", plans=True)
    bench.host.clock.hold()
    bench.host.settings.values |= {"planBeforeActMode": "strict", "planReviewMode": "always"}
    bench.model.plan = {"request_kind": "execute", "requires_state_change": True, "confidence": 0.1}
    await bench.start()
    shown = await bench.until("plan_review")
    state = await _ask(bench, "agent_run_state")
    assert (state["pendingPlanId"], state["lastPlanResolution"]) == (shown["planId"], None)
    await _ask(bench, "plan_response", planId=shown["planId"], approved=False)
    await bench.end()
    state = await _ask(bench, "agent_run_state")
    assert state["pendingPlanId"] is None
    assert state["lastPlanResolution"]["decision"] == "rejected"
