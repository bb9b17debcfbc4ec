"""Plans in the built extension: looked at, edited, refused, missing; and questions with a time limit."""

from collections.abc import Iterator

import pytest

from tests.support.port import Port
from tests.support.screens import Panel
from tests.support.script import call, done, on_ref, say, see
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall, Reply
from webbrain.testing.planning import PLAN, plan_text

RUN = "[data-card=plan] [data-option=approved]"
CANCEL = "[data-card=plan] [data-option=rejected]"


@pytest.fixture(scope="module")
def port(module_stage: Stage) -> Port:
    """The way to the settings; it leaves every card to the panel."""
    found = Port(module_stage.browser)
    found.answer_cards("")
    return found


@pytest.fixture(autouse=True)
def plain(stage: Stage, port: Port) -> Iterator[None]:
    """Every test leaves planning as it was."""
    before = stage.model.plan
    yield
    stage.model.plan = before
    _settings(port, planBeforeActMode="try", planReviewMode="confidence", clarifyTimeoutSec=60)


def _settings(port: Port, **values: object) -> None:
    port.call("settings.set", values=values)


def _plans(stage: Stage, *answers: str | dict[str, object]) -> None:
    left = list(answers)

    def plan(model_call: ModelCall) -> Answer:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, str):
            return Reply(answer)
        return Reply(plan_text(model_call.response_schema, **answer))

    stage.model.plan = plan


def _card(panel: Panel) -> None:
    panel.approves = False  # the test answers for itself
    panel.page.wait_for("section[data-card=plan][data-ready=true]", timeout=60)


def test_an_unsure_plan_waits_and_is_edited(stage: Stage) -> None:
    """The person changes the plan; it is there again in a reopened panel, and the model gets theirs."""
    _plans(stage, {"confidence": 0.4, "steps": ["Look at the shop", "Order a teapot"]})
    _, panel = stage.open("/")
    stage.plan(see(), done("Looked."))
    panel.send("Look around in this shop for me, please.", "act")
    _card(panel)
    assert not stage.model.calls, "nothing is asked of the agent before the plan is answered"
    panel.reload()
    _card(panel)
    panel.page.click("[data-action=edit]")
    panel.page.click('[data-field="step-1"]')
    panel.page.press("End")
    panel.page.keys(" but do not pay")
    panel.page.click(RUN)
    turn = panel.wait_over()
    assert turn.status == "completed"
    sent = str(stage.model.calls[0].turns)
    assert "Order a teapot but do not pay" in sent
    assert "Approved plan" in sent
    assert panel.page.exists('[data-card=plan][data-answer="edited"]')
    stage.settled()


@pytest.mark.same_in_firefox
def test_a_cancelled_plan_does_nothing(stage: Stage) -> None:
    _plans(stage, {"confidence": 0.4, "requires_state_change": True})
    _, panel = stage.open("/")
    panel.send("Order a teapot.", "act")
    _card(panel)
    panel.page.click(CANCEL)
    turn = panel.wait_over()
    assert turn.status == "stopped"
    assert not stage.model.calls
    assert not stage.shop.submissions


def test_stop_withdraws_a_plan(stage: Stage) -> None:
    _plans(stage, {"confidence": 0.4})
    _, panel = stage.open("/")
    panel.send("Order a teapot.", "act")
    _card(panel)
    panel.stop()
    assert panel.page.exists('[data-card=plan][data-answer="withdrawn"]')
    assert not stage.model.calls


@pytest.mark.same_in_firefox
def test_without_a_plan_the_turn_only_reads(stage: Stage) -> None:
    """Try: the model answers nonsense twice, so it may only read, and the person is told."""
    _plans(stage, "I would rather not.", "Really not.", dict(PLAN))
    _, panel = stage.open("/")
    stage.plan(see(), say("There are teapots."))
    panel.send("What is there?", "act")
    turn = panel.wait_over()
    assert turn.status == "completed"
    assert any("only read" in warning for warning in turn.warnings)
    tools = stage.model.calls[0].tools
    assert "read_page" in tools
    assert not {"click_ax", "navigate", "set_field"} & set(tools)
    stage.settled()


@pytest.mark.same_in_firefox
def test_strict_stops_without_a_plan(stage: Stage, port: Port) -> None:
    _settings(port, planBeforeActMode="strict")
    _plans(stage, "I would rather not.")
    _, panel = stage.open("/")
    panel.send("What is there?", "act")
    turn = panel.wait_over()
    assert turn.error == "plan_failed"
    assert len(stage.model.plans[-2:]) == 2
    assert not stage.model.calls


@pytest.mark.same_in_firefox
def test_json_in_a_fence_with_a_trailing_comma(stage: Stage) -> None:
    """A structured answer as some models give it is read all the same."""
    fenced = 'Here it is:\n```json\n{"summary": "Look", "steps": ["Look at it",], "confidence": 90,}\n```'
    _plans(stage, fenced)
    before = len(stage.model.plans)
    _, panel = stage.open("/")
    stage.plan(see(), done("Looked."))
    panel.send("Look at this page, please.", "act")
    assert panel.wait_over().status == "completed"
    assert len(stage.model.plans) == before + 1
    stage.settled()


@pytest.mark.same_in_firefox
def test_done_that_says_what_is_still_to_be_done(stage: Stage) -> None:
    """Success with "next I will" in it is not shown as success unchecked: it is asked once more."""
    _, panel = stage.open("/")
    stage.plan(see(), done("The shop is open. Next I will click the teapot."), done("Half of it.", "partial"))
    panel.send("Look at the teapot.", "act")
    turn = panel.wait_over()
    assert "Half of it." in turn.text
    assert "Next I will" not in turn.text
    stage.settled()


@pytest.mark.same_in_firefox
def test_several_tasks_in_one_prompt(stage: Stage) -> None:
    """Done after one of three: it is asked whether all steps are done, and the rest follows."""
    steps = ["Open the teapot", "Open the stool", "Open the page about the shop", "Say what was seen"]
    _plans(stage, {"requires_state_change": True, "steps": steps})
    _, panel = stage.open("/")
    shop = stage.shop.url
    stage.plan(
        call("navigate", url=f"{shop}/order?product=blue-teapot"),
        done("All three were opened."),
        call("navigate", url=f"{shop}/order?product=oak-stool"),
        call("navigate", url=f"{shop}/about"),
        done("All three pages were opened."),
    )
    panel.send("Open the teapot, then the stool, then the page about the shop.", "act")
    turn = panel.wait_over()
    assert [step["tool"] for step in turn.steps].count("navigate") == 3
    assert "All three pages" in turn.text
    stage.settled()


def test_a_question_that_nobody_answers_is_no_consent(stage: Stage, port: Port) -> None:
    """The clock answers; the form is not even asked about, and the shop hears nothing."""
    _settings(port, clarifyTimeoutSec=2)
    _, panel = stage.open("/order?product=blue-teapot")
    stage.plan(
        see(),
        call("clarify", question="Send it now?", options=["Yes, send it", "No"]),
        on_ref("click_ax", "Place order", "button"),
        done("Nothing was sent, because nobody answered.", "partial"),
    )
    panel.send("Prepare the order.", "act")
    panel.page.wait_for("section[data-card=clarify]", timeout=60)
    turn = panel.wait_over()
    assert panel.page.exists('[data-card=clarify][data-source="timeout"]')
    assert not stage.shop.submissions
    assert "needs_answer" in str(stage.model.calls[-1].turns)
    assert "Nothing was sent" in turn.text
    stage.settled()


@pytest.mark.same_in_firefox
def test_a_question_is_answered_in_own_words(stage: Stage) -> None:
    _, panel = stage.open("/")
    stage.plan(see(), call("clarify", question="Which one?", options=["Teapot", "Stool"]), done("Noted."))
    panel.send("Choose one.", "act")
    panel.page.wait_for("section[data-card=clarify][data-ready=true]", timeout=60)
    panel.page.type("[data-field=answer]", "The lid alone")
    panel.page.press("Enter")
    panel.wait_over()
    assert "The lid alone" in str(stage.model.calls[-1].turns)
    stage.settled()
