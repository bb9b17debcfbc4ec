"""The panel is a window on the run, not its owner: closing or reloading it changes nothing."""

from tests.support.script import call, done, say
from tests.support.stage import Stage


def test_panel_reloaded_during_a_run(stage: Stage) -> None:
    """The run goes on, the panel shows all of it again, and nothing happens twice."""
    _, panel = stage.open("/hold/reload")
    stage.plan(call("wait_for_element", selector="#go-reload", timeout=30_000), done("It appeared."))
    panel.send("Wait for it.", "act")
    panel.wait_turn("turn.steps.some((step) => step.state === 'running')")
    panel.reload()
    turn = panel.wait_running()
    assert "Wait for it." in turn.question
    assert [step["tool"] for step in turn.steps] == ["wait_for_element"]
    stage.shop.release("reload")
    turn = panel.wait_over()
    assert turn.status == "completed"
    assert "It appeared." in turn.text
    assert len(panel.turns()) == 1
    stage.settled()


def test_panel_reloaded_while_text_streams(stage: Stage) -> None:
    """What was written before the reload is there after it, once."""
    _, panel = stage.open("/about")
    stage.plan(say("alpha beta gamma delta", gate="stream", before_gate=4))
    panel.send("Speak.", "ask")
    panel.wait_turn("turn.answers.join('').includes('alpha beta')")
    panel.reload()
    panel.wait_turn("turn.answers.join('').includes('alpha beta')")
    stage.model.release("stream")
    turn = panel.wait_over()
    assert turn.text.split() == ["alpha", "beta", "gamma", "delta"]
    stage.settled()


def test_panel_closed_and_opened_again(stage: Stage) -> None:
    """The run ends without anybody watching; the conversation is there for the next panel."""
    tab, panel = stage.open("/hold/closed")
    stage.plan(call("wait_for_element", selector="#go-closed", timeout=30_000), done("Finished alone."))
    panel.send("Wait for it.", "act")
    panel.wait_turn("turn.steps.some((step) => step.state === 'running')")
    stage.panels.remove(panel)
    panel.close()
    stage.shop.release("closed")
    stage.model.wait_for_calls(2)
    again = stage.open_panel(tab)
    turn = again.wait_over()
    assert "Finished alone." in turn.text
    assert "Wait for it." in turn.question
    stage.settled()


def test_two_tabs_run_at_once(stage: Stage) -> None:
    """Each tab has its own conversation and its own page, and neither waits for the other."""
    _, first = stage.open("/hold/first")
    _, second = stage.open("/hold/second")

    def think(request: object) -> object:
        text = " ".join(turn.text for turn in request.turns if turn.role == "user")  # type: ignore[attr-defined]
        name = "first" if "number one" in text else "second"
        if request.turns[-1].role == "tool":  # type: ignore[attr-defined]
            return done(f"The {name} appeared.")
        return call("wait_for_element", selector=f"#go-{name}", timeout=30_000)

    stage.plan(*[think] * 4)
    first.send("This is number one.", "act")
    first.wait_turn("turn.steps.some((step) => step.state === 'running')")
    second.send("This is number two.", "act")
    second.wait_turn("turn.steps.some((step) => step.state === 'running')")
    stage.shop.release("second")
    assert "The second appeared." in second.wait_over().text
    assert first.last().status == "running"  # type: ignore[union-attr]
    stage.shop.release("first")
    assert "The first appeared." in first.wait_over().text
    assert len(first.turns()) == len(second.turns()) == 1
    stage.settled()


def test_two_panels_of_one_tab_show_the_same(stage: Stage) -> None:
    """A message sent in one is seen in the other."""
    tab, one = stage.open("/about")
    other = stage.open_panel(tab)
    stage.plan(say("Seen by both."))
    one.send("Hello?", "ask")
    one.wait_turn("turn.answers.join().includes('Seen by both')")
    other.wait_turn("turn.answers.join().includes('Seen by both')")
    stage.settled()


def test_new_conversation_forgets_the_old_one(stage: Stage) -> None:
    """Clear begins anew for the model too."""
    _, panel = stage.open("/about")
    stage.plan(say("Old answer."), say("New answer."))
    panel.send("Old question?", "ask")
    panel.wait_turn("turn.answers.join().includes('Old answer')")
    panel.wait_over()
    panel.clear()
    panel.send("New question?")
    panel.wait_turn("turn.answers.join().includes('New answer')")
    assert "Old" not in " ".join(turn.text for turn in stage.model.calls[1].turns)
    stage.settled()
