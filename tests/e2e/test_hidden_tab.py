"""A tab that a tool opened for itself does not stay when Python dies.

In a browser of its own: a Worker that dies a third time within minutes is not started again.
"""

from tests.e2e.test_deaths import NOTICED
from tests.support.browsers.base import wait_until
from tests.support.script import call, done
from tests.support.stage import Stage
from tests.support.tool_runs import allow_local_network


def test_python_killed_while_it_looks_at_a_hidden_tab(stage: Stage) -> None:
    """The next start closes the tab that the dead one had opened for itself."""
    _, panel = stage.open("/about")
    allow_local_network(stage.browser)
    hidden = f"{stage.shop.url}/hold/hidden"

    def shown() -> list[int]:
        return [tab["id"] for tab in stage.browser.tabs() if tab["url"] == hidden]

    stage.plan(call("research_url", url=hidden, timeout=30_000))
    panel.send("Look it up.", "act")
    panel.wait_card()
    panel.answer("once")
    wait_until(shown, NOTICED, lambda: f"the hidden tab among {stage.browser.tabs()}")
    stage.plan(done("I could not look it up.", "failed"))
    stage.browser.kill_python()
    panel.wait_turn("turn.status === 'completed'", NOTICED, "the run to go on")
    assert panel.turns()[0].status == "interrupted"
    wait_until(lambda: not shown(), NOTICED, lambda: "the hidden tab to be closed")
    stage.shop.release("hidden")
