"""A service that charges and one that is busy: what a person sees, and that nothing is called unasked."""

import json
from collections.abc import Iterator

import pytest

from tests.support.screens import Settings
from tests.support.script import say
from tests.support.stage import Stage
from webbrain.testing.chat import Refusal
from webbrain.testing.openai_wire import error

pytestmark = pytest.mark.same_in_firefox

SOON = 5.0


@pytest.fixture
def paid(stage: Stage) -> Iterator[Settings]:
    """A service with list prices is in use; afterwards the free one again, with nothing spent."""
    settings = Settings(stage.browser)
    settings.use("openai", apiKey="sk-test-0123456789abcdef", model="gpt-4o", baseUrl=stage.model.url)
    yield settings
    allow(settings, 10)
    settings.page.click("[data-action=reset-spending]")
    settings.page.eval("location.hash = '#providers'")
    settings.use("custom", baseUrl=stage.model.url)
    settings.close()


def allow(settings: Settings, usd: float) -> None:
    """Set the allowance of the session on the settings page."""
    field = json.dumps("#setting-costAllowanceSessionUsd")
    settings.page.eval("location.hash = '#general'")
    settings.page.reload()
    settings.page.wait_for("#spending")
    settings.page.eval(
        f"(() => {{ const el = document.querySelector({field}); el.value = {usd!r};"
        " el.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    settings.page.wait(
        "!!document.querySelector('[data-setting=costAllowanceSessionUsd] .setting-state.ok')",
        what="the allowance to be saved",
    )


def test_a_used_up_allowance_stops_the_next_call(stage: Stage, paid: Settings) -> None:
    """The first answer says what it cost; the second is not asked for until a person makes room."""
    allow(paid, 0.000001)
    _, panel = stage.open("/about")
    stage.plan(say("First."), say("Second."))
    panel.send("Hello?", "ask")
    assert panel.wait_over().status == "completed"
    assert panel.page.eval("Number(document.querySelector('[data-cost]').dataset.cost)") > 0
    panel.send("And again?")
    turn = panel.wait_turn("turn.status === 'cost_limit'")
    assert turn.error == "cost_limit"
    assert len(stage.model.calls) == 1
    allow(paid, 10)
    panel.page.click("[data-action=continue]")
    panel.wait_turn("turn.answers.join().includes('Second.')")
    stage.settled()


def test_a_wait_is_counted_down_and_stop_ends_it(stage: Stage) -> None:
    """A service that wants a minute gets it, unless a person has enough."""
    _, panel = stage.open("/about")
    stage.plan(Refusal(429, error("Rate limit reached"), {"Retry-After": "60"}))
    panel.send("Hello?", "ask")
    panel.page.wait_for(".pause-time")
    first = panel.page.eval("document.querySelector('.pause-time').innerText")
    panel.page.wait(
        f"document.querySelector('.pause-time').innerText !== {json.dumps(first)}",
        what="the countdown to move",
    )
    assert panel.stop() < SOON
    turn = panel.last()
    assert turn is not None
    assert turn.status == "stopped"
    assert not panel.page.exists(".pause")
    assert len(stage.model.calls) == 1
