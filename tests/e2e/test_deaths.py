"""Python dies mid-run. No effect happens twice, nothing is lost."""

from tests.support.script import call, done, on_ref, say, see
from tests.support.stage import Stage

NOTICED = 60.0
"""A Worker that does not answer is replaced after 5 s; the rest is for a busy machine."""


def test_python_killed_during_a_run(stage: Stage) -> None:
    """The run is shown as interrupted and goes on by itself; the conversation is intact."""
    tab, panel = stage.open("/order?product=oak-stool")
    stage.plan(say("First answer."))
    panel.send("First question?", "ask")
    panel.wait_turn("turn.answers.join().includes('First answer')")
    panel.wait_over()
    stage.plan(see(), on_ref("set_field", "Full name", text="Ada Lovelace"))
    stage.plan(call("wait_for_element", selector="#never", timeout=30_000))
    panel.send("Fill in the name.", "act")
    panel.wait_turn("turn.steps.at(-1)?.tool === 'wait_for_element'", what="the last call to be open")
    stage.plan(see(), done("The name is filled in.", "partial"))
    stage.browser.kill_python()
    panel.wait_turn("turn.status === 'completed' && turn.warnings.length", NOTICED, "the run to go on")
    first, died, resumed = panel.turns()
    assert [one.status for one in (first, died, resumed)] == ["completed", "interrupted", "completed"]
    assert all(step["state"] != "running" for step in died.steps)
    assert [one.question.splitlines()[-1] for one in (first, died)] == [
        "First question?",
        "Fill in the name.",
    ]
    assert tab.page.eval("document.querySelector('#f-name').value") == "Ada Lovelace"
    stage.plan(say("Alive again."))
    panel.send("Are you there?", "ask")
    panel.wait_turn("turn.answers.join().includes('Alive again')")
    history = [turn.text for turn in stage.model.calls[-1].turns]
    assert any("First answer." in text for text in history)
    assert any("Fill in the name." in text for text in history)
    stage.settled()


def test_python_killed_while_the_form_goes_out(stage: Stage) -> None:
    """The effect is counted at most once, even though nobody knows whether it happened."""
    _, panel = stage.open("/order?product=blue-teapot")
    stage.plan(see(), on_ref("click_ax", "Place order", "button"))
    panel.send("Order it.", "act")
    panel.wait_card()
    panel.answer("once")
    stage.plan(see(), done("See what it shows.", "partial"))
    stage.browser.kill_python()
    panel.wait_turn("turn.status === 'completed'", NOTICED, "the run to go on and end")
    assert len(stage.shop.submissions) <= 1
    stage.plan(say("Let us see."))
    panel.send("What happened?", "ask")
    panel.wait_turn("turn.answers.join().includes('Let us see')")
    assert len(stage.shop.submissions) <= 1
