"""The loop: what is sent, what is done with the answer, and how a run ends."""

from tests.support.agent import Bench, types, well_formed
from webbrain.testing.scripted import call


async def test_a_task_to_its_end() -> None:
    bench = Bench(
        call("get_accessibility_tree"),
        call("click_ax", ref_id="ref_1"),
        call("done", summary="Bought.", outcome="success"),
    )
    events = await bench.run("Buy tea")
    assert types(events) == [
        "user_message",
        "thinking",
        "tool_call",
        "tool_result",
        "thinking",
        "tool_call",
        "tool_result",
        "thinking",
        "tool_call",
        "tool_result",
        "text",
        "run_complete",
    ]
    assert events[-1]["data"]["status"] == "completed"
    assert events[-1]["data"]["outcome"] == "success"
    assert events[-1]["data"]["steps"] == 3
    assert events[-1]["data"]["promptTokens"] == 30
    assert bench.last("text") == {"content": "Bought.", "replace": True, "final": True}
    assert well_formed(bench.history)
    assert [event["seq"] for event in bench.events()] == list(range(1, len(bench.events()) + 1))
