"""What goes wrong for people with runs that do not end well, by the numbers of ``tests/pages/cases``.

101 circles of two calls, 102 "done" that speaks of what is still to be done, 104 several tasks in one
prompt, 105 an ordinary press near a composer. What dies or is closed in between (93 to 98) is tried with the
built extension.
"""

from typing import Any

import pytest

from tests.support.agent import PROBE_NO, Bench, end
from tests.support.gate import ORDINARY
from tests.support.toolbox import page_host
from webbrain.agent import planner_guard
from webbrain.policy import loops
from webbrain.testing.scripted import ScriptedModel, call

THREE = {
    "request_kind": "execute",
    "requires_state_change": True,
    "steps": ["Order the tea", "Order the cups", "Order the pot"],
}
PARTS = [{"id": name, "status": "pending"} for name in ("tea", "cups", "pot")]
ALL = call("done", summary="Tea, cups and pot are in the basket.", outcome="success")


def refused(bench: Bench) -> list[str]:
    return [m.content for m in bench.history if m.role == "tool" and "blocked_done" in m.content]


async def test_101_a_circle_of_two_calls_is_noticed_in_act() -> None:
    bench = Bench(*[call("read_page"), call("get_selection")] * 20)
    await bench.run("Find the price")
    assert bench.last("error")["code"] == "loop"
    told = [message.content for message in bench.history if message.role == "tool"]
    assert any(loops.REPEATED in text for text in told), "told before it is stopped"


@pytest.mark.parametrize("planned", [True, False], ids=["with a plan", "without one"])
async def test_102_done_that_says_what_comes_next_is_no_success(planned: bool) -> None:
    future = call("done", summary="The form is filled in. Next I will click Submit.", outcome="success")
    press = call("click_ax", ref_id="ref_1")
    model = ScriptedModel(press, call("read_page"), future, future, future, plan={"request_kind": "execute"})
    bench = Bench(model=model, plans=planned)
    await bench.run("Send the form")
    assert len(refused(bench)) == 2
    assert planner_guard.STILL_TO_DO in refused(bench)[0]
    assert bench.last("run_complete")["outcome"] == "partial"


async def test_104_two_of_three_tasks_are_asked_about() -> None:
    bench = Bench(
        model=ScriptedModel(call("click_ax", ref_id="ref_1"), ALL, end("Only the tea."), plan=THREE),
        plans=True,
    )
    await bench.run("Order the tea, the cups and the pot")
    assert planner_guard.STEPS_OPEN in refused(bench)[0]
    assert bench.last("run_complete")["outcome"] == "partial"


async def test_104_and_a_list_says_which_are_missing() -> None:
    settled: Any = [{"id": name, "status": "processed"} for name in ("tea", "cups")]
    bench = Bench(
        call("progress_update", items=PARTS),
        call("progress_update", items=settled),
        ALL,
        end("Two of three."),
    )
    await bench.run("Order the tea, the cups and the pot")
    assert '"id":"pot"' in refused(bench)[0]
    assert [item["label"] for item in bench.last("text")["undone"]] == ["pot"]


async def test_105_an_ordinary_press_is_neither_asked_about_nor_owed_a_look() -> None:
    host = page_host()
    bench = Bench(
        call("click", text="View my portfolio"),
        call("done", summary="It is open.", outcome="success"),
        host=host,
    )
    host.page.on("submit_probe", {**PROBE_NO, **ORDINARY})
    await bench.run("Open my portfolio")
    assert bench.events("clarify") == []
    assert refused(bench) == []
    assert bench.last("run_complete")["outcome"] == "success"
