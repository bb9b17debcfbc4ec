"""Stop ends a run at any moment: the target is under a second, the limit allows for a busy machine."""

from tests.support.script import call, on_ref, say, see
from tests.support.stage import Stage
from webbrain.testing.chat import Stall

SOON = 5.0


def test_stop_while_the_answer_streams(stage: Stage) -> None:
    """The transfer is aborted, what was written stays, and the next message works."""
    _, panel = stage.open("/about")
    before = stage.model.aborted
    stage.plan(say("one two three four five", gate="never-1", before_gate=4))
    panel.send("Count.", "ask")
    panel.wait_turn("turn.answers.join('').includes('one two')")
    seconds = panel.stop()
    assert seconds < SOON
    stage.model.wait_for_abort(before + 1)
    turn = panel.last()
    assert turn is not None
    assert turn.status == "stopped"
    assert "one two" in turn.text
    stage.plan(say("Here again."))
    panel.send("And now?")
    assert "Here again." in panel.wait_turn("turn.answers.join().includes('Here again')").text
    stage.settled()


def test_stop_before_the_model_answers(stage: Stage) -> None:
    """A model that says nothing at all does not hold a person up."""
    _, panel = stage.open("/about")
    before = stage.model.aborted
    stage.plan(Stall("never-2"))
    panel.send("Anybody there?", "ask")
    stage.model.wait_for_calls(1)
    assert panel.stop() < SOON
    stage.model.wait_for_abort(before + 1)
    assert panel.last().status == "stopped"  # type: ignore[union-attr]


def test_stop_while_a_tool_runs(stage: Stage) -> None:
    """The call gets a result all the same: the conversation stays one that a model service takes."""
    _, panel = stage.open("/hold/stop")
    stage.plan(call("wait_for_element", selector="#go-stop", timeout=30_000))
    panel.send("Wait for it.", "act")
    panel.wait_turn("turn.steps.some((step) => step.state === 'running')", what="the tool to run")
    assert panel.stop() < SOON
    turn = panel.last()
    assert turn is not None
    assert turn.status == "stopped"
    assert all(step["state"] != "running" for step in turn.steps)
    stage.plan(say("Stopped, then."))
    panel.send("Well?")
    panel.wait_turn("turn.answers.join().includes('Stopped, then')")
    stage.settled()
    stage.shop.release("stop")


def test_stop_while_a_card_waits(stage: Stage) -> None:
    """The card goes away, nothing is sent."""
    _, panel = stage.open("/order?product=oak-stool")
    stage.plan(see(), on_ref("click_ax", "Place order", "button"))
    panel.send("Order it.", "act")
    panel.wait_card()
    assert panel.stop() < SOON
    assert panel.last().status == "stopped"  # type: ignore[union-attr]
    assert not panel.page.exists("section[data-card]")
    assert not stage.shop.submissions


def test_escape_stops_too(stage: Stage) -> None:
    """Keyboard only."""
    _, panel = stage.open("/about")
    stage.plan(Stall("never-3"))
    panel.send("Hello?", "ask")
    stage.model.wait_for_calls(1)
    panel.page.press("Escape")
    assert panel.wait_over().status == "stopped"


def test_tab_closed_during_a_run_ends_it(stage: Stage) -> None:
    """The page is gone under the agent: the run ends, other tabs go on."""
    tab, panel = stage.open("/hold/gone")
    _, other = stage.open("/about")
    stage.plan(call("wait_for_element", selector="#go-gone", timeout=30_000))
    panel.send("Wait.", "act")
    panel.wait_turn("turn.steps.some((step) => step.state === 'running')")
    stage.browser.close_tab(tab)
    assert panel.wait_over().status in ("failed", "stopped")
    stage.script.clear()
    stage.plan(say("Still here."))
    other.send("Are you there?", "ask")
    other.wait_turn("turn.answers.join().includes('Still here')")
