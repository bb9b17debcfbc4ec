"""Plans that a person looks at: who is asked, and what each answer does to the run."""

import asyncio

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from tests.unit.test_planner_run import CLICK, DONE, READ, answer, bench, pinned, reviewed
from webbrain.agent.planner_review import REVIEW_TIMEOUT
from webbrain.agent.planner_text import APPROVED
from webbrain.core.errors import WebBrainError
from webbrain.core.types import Mode
from webbrain.services.mirrors import Mirror
from webbrain.testing.scripted import ScriptedModel

# --- review ---


@pytest.mark.parametrize(
    ("review", "threshold", "confidence", "shown"),
    [
        ("confidence", 75, 0.75, False),
        ("confidence", 75, 0.74, True),
        ("confidence", 99, 0.95, True),
        ("always", 75, 1.0, True),
        ("never", 75, 0.0, False),
    ],
)
async def test_who_looks_at_a_plan(review: str, threshold: int, confidence: float, shown: bool) -> None:
    settings = {"planReviewMode": review, "planReviewConfidenceThreshold": threshold}
    made = bench(READ, DONE, plan={"confidence": confidence}, **settings)
    await made.start()
    if shown:
        await answer(made, "approved")
    await made.end()
    assert bool(made.events("plan_review")) is shown
    assert bool(made.events("plan_auto_approved")) is not shown
    assert (f"{APPROVED}." in pinned(made)) is shown


async def test_nothing_is_done_before_the_answer() -> None:
    made = bench(CLICK, DONE, planReviewMode="always", plan={"requires_state_change": True})
    made.host.clock.hold()
    await made.start()
    await made.until("plan_review")
    for _ in range(50):
        await asyncio.sleep(0)
    assert not made.model.requests
    opened = await made.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["run"]["status"] == "awaiting_plan"
    assert [e["type"] for e in opened["events"]][-1] == "plan_review", "a panel that is opened again shows it"
    journal = (await made.app.conversations.of(TAB)).journal
    assert Mirror().run_state(journal, Mode.ACT)["status"] == "awaiting_plan"
    await answer(made, "approved")
    await made.end()
    assert made.last("plan_resolved")["decision"] == "approved"
    assert made.last("run_complete")["outcome"] == "success"
    assert Mirror().run_state(journal, Mode.ACT)["status"] == "completed"


async def test_an_edited_plan_is_what_the_model_gets() -> None:
    made = bench(READ, DONE, planReviewMode="always")
    await reviewed(made, "edited", summary="Buy two teas.", steps=["Find green tea", "Take two"])
    assert "Buy two teas." in pinned(made)
    assert "2. Take two" in pinned(made)
    assert "Look at the page" not in pinned(made)
    assert made.last("plan_resolved")["decision"] == "edited"


async def test_a_plan_rewritten_as_text() -> None:
    made = bench(READ, DONE, planReviewMode="always")
    await reviewed(made, "edited", text="Only look.\n- at tea")
    assert "Only look.\n- at tea]" in pinned(made)
    assert "Look at the page" not in pinned(made)


async def test_an_empty_edit_is_refused_and_the_card_stays() -> None:
    made = bench(READ, DONE, planReviewMode="always")
    await made.start()
    for edit in (
        {"steps": [" "]},
        {"summary": " "},
        {"text": "  "},
        {"steps": ["x"] * 13},
        {"text": "x" * 7501},
    ):
        with pytest.raises(WebBrainError) as refused:
            await answer(made, "edited", **edit)
        assert refused.value.code == "bad_params"
    await answer(made, "approved")
    await made.end()
    assert made.last("run_complete")["outcome"] == "success"


@pytest.mark.parametrize("decision", ["rejected", "expired", "withdrawn"])
async def test_a_plan_that_is_not_approved_does_nothing(decision: str) -> None:
    made = bench(CLICK, DONE, planReviewMode="always")
    made.host.clock.hold()
    await made.start()
    if decision == "rejected":
        await answer(made, "rejected")
    elif decision == "expired":
        await made.until("plan_review")
        await asyncio.sleep(0.01)
        made.host.clock.advance(REVIEW_TIMEOUT)
    else:
        await made.until("plan_review")
        await made.stop()
    await made.end()
    assert made.last("plan_resolved")["decision"] == decision
    assert made.last("run_complete")["status"] == "stopped"
    assert not made.model.requests
    assert "click_ax" not in made.host.page.actions()
    assert bool(made.events("warning")) is (decision == "expired")


async def test_an_answer_that_comes_too_late_or_twice() -> None:
    made = bench(READ, DONE, planReviewMode="always")
    await made.start()
    await answer(made, "approved")
    await made.end()
    with pytest.raises(WebBrainError) as gone:
        await answer(made, "approved")
    assert gone.value.code == "plan_gone"


async def test_a_plan_that_was_open_when_everything_died_is_withdrawn() -> None:
    made = bench(READ, DONE, planReviewMode="always")
    await made.start()
    await made.stored("plan_review")
    after = Bench(host=made.host.successor(), model=ScriptedModel(), plans=True)
    await after.app.start()
    opened = await after.app.handle_ui("panel.open", {"tabId": TAB})
    decisions = [e["data"]["decision"] for e in opened["events"] if e["type"] == "plan_resolved"]
    assert decisions == ["withdrawn"]
    assert not opened["running"]


async def test_the_older_message_answers_a_plan() -> None:
    made = bench(READ, DONE, planReviewMode="always")
    await made.start()
    shown = await made.until("plan_review")
    message = {"action": "plan_response", "tabId": TAB, "planId": shown["planId"], "approved": True}
    assert await made.app.handle_legacy(message) == {"ok": True}
    await made.end()
    assert made.last("plan_resolved")["decision"] == "approved"
