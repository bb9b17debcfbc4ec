"""Messages typed while a task runs: sent when it ended well, kept when it was stopped, and there again."""

import pytest

from tests.support.screens import Panel
from tests.support.script import call, done, see
from tests.support.stage import Stage


def type_and_enter(panel: Panel, text: str) -> None:
    panel.page.type("#composer", text)
    panel.page.press("Enter")
    panel.page.wait("!document.querySelector('#composer').value", what="the message to be taken")


def test_they_wait_and_are_sent_in_turn(stage: Stage) -> None:
    """Also over a panel that is closed meanwhile."""
    tab, panel = stage.open("/hold/go")
    stage.plan(see(), call("wait_for_element", selector="#go-go", timeout=30_000), done("It appeared."))
    stage.plan(see(), done("Second answer."), see(), done("Third answer."))
    panel.send("Wait for it.", "act")
    panel.wait_turn("turn.steps.at(-1)?.tool === 'wait_for_element'", what="the last call to be open")
    type_and_enter(panel, "And the second?")
    type_and_enter(panel, "And the third?")
    panel.page.wait("document.querySelectorAll('[data-queued]').length === 2", what="both to wait")
    panel.close()
    stage.panels.remove(panel)
    again = stage.open_panel(tab)
    again.page.wait("document.querySelectorAll('[data-queued]').length === 2", what="both to be there again")
    stage.shop.release("go")
    again.wait_turn("turn.answers.join().includes('Third answer')")
    assert [turn.question.splitlines()[-1] for turn in again.turns()] == [
        "Wait for it.",
        "And the second?",
        "And the third?",
    ]
    assert not again.page.exists("[data-queued]")
    stage.settled()


@pytest.mark.same_in_firefox
def test_a_stop_keeps_them_for_the_person(stage: Stage) -> None:
    _, panel = stage.open("/hold/never")
    stage.plan(see(), call("wait_for_element", selector="#go-never", timeout=30_000))
    panel.send("Wait for it.", "act")
    panel.wait_turn("turn.steps.at(-1)?.tool === 'wait_for_element'", what="the last call to be open")
    type_and_enter(panel, "And then?")
    panel.page.wait_for("[data-queued]")
    panel.page.click("#stop")
    panel.wait_turn("turn.status === 'stopped'")
    panel.page.wait("document.querySelector('[data-queued]')?.dataset.held === 'true'", what="it to be held")
    assert len(panel.turns()) == 1
    stage.plan(see(), done("Then this."))
    panel.page.click("[data-queued] [data-action=send]")
    panel.wait_turn("turn.answers.join().includes('Then this')")
    assert not panel.page.exists("[data-queued]")
    stage.settled()
