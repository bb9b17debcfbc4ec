"""What only Chromium has: a service worker and an offscreen document, which may be ended at any moment.

Firefox's background page is both of them and lives as long as the browser.
"""

import time
from typing import cast

import pytest

from tests.support.browsers.chromium import Chromium
from tests.support.script import call, done, on_ref, say, see
from tests.support.stage import CHROMIUM_ONLY, Stage

KILLS = 5
NOTICED = 60.0
"""A Worker that does not answer is replaced after 5 s; the rest is for a busy machine."""


@pytest.fixture(scope="module", params=CHROMIUM_ONLY)
def engine(request: pytest.FixtureRequest) -> str:
    """Chromium only."""
    return str(request.param)


def chromium(stage: Stage) -> Chromium:
    """The browser of a test that only Chromium can run: Firefox has no service worker here."""
    return cast(Chromium, stage.browser)


def test_service_worker_killed_five_times(stage: Stage) -> None:
    """Each time while a bridge call is open. A new one answers, as its start time proves; the run goes on."""
    browser = chromium(stage)
    names = [f"kill{number}" for number in range(KILLS)]
    _, panel = stage.open(f"/hold/{','.join(names)}")
    stage.plan(*(call("wait_for_element", selector=f"#go-{name}", timeout=30_000) for name in names))
    stage.plan(done("All of them appeared."))
    panel.send("Wait for all of them.", "act")
    for number, name in enumerate(names):
        panel.wait_turn(
            f"turn.steps.length === {number + 1} && turn.steps.at(-1).state === 'running'",
            what=f"call {number + 1} to be open",
        )
        before = browser.kill_service_worker()
        assert before > 0
        after = _new_worker(browser, before)
        assert after > before
        stage.shop.release(name)
        panel.wait_turn(f"turn.steps[{number}].state !== 'running'", what=f"call {number + 1} to end")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert [step["state"] for step in turn.steps[:KILLS]] == ["ok"] * KILLS
    stage.settled()


def _new_worker(browser: Chromium, before: float) -> float:
    end = time.monotonic() + NOTICED
    while time.monotonic() < end:
        if (started := browser.service_worker_started()) > before:
            return started
        time.sleep(0.05)
    raise TimeoutError("no new service worker started")


def test_service_worker_killed_under_an_action(stage: Stage) -> None:
    """An action cut off half-way is not repeated: the shop hears of the order at most once."""
    browser = chromium(stage)
    _, panel = stage.open("/order?product=blue-teapot")
    for name, value in _order(stage):
        stage.plan(see(), on_ref("set_field", name, text=value))
    stage.plan(see(), on_ref("click_ax", "Lisbon", "option"), see())
    stage.plan(on_ref("click_ax", stage.shop.words.labels["terms"], "checkbox"), see())
    stage.plan(on_ref("click_ax", "Place order", "button"), see(), done("Ordered."))
    panel.send(stage.shop.task, "act")
    panel.wait_card()
    browser.kill_service_worker()
    panel.answer("once")
    turn = panel.wait_over()
    assert len(stage.shop.submissions) <= 1
    assert turn.status == "completed", turn
    assert stage.shop.fulfilled(), f"{turn.steps} {stage.shop.submissions}"


def _order(stage: Stage) -> list[tuple[str, str]]:
    labels, order = stage.shop.words.labels, stage.shop.expected
    return [
        (labels["name"], order.name),
        (labels["email"], order.email),
        (labels["date"], order.date),
        (labels["quantity"], str(order.quantity)),
        (labels["city"], order.city),
    ]


def test_python_that_hangs_is_replaced(stage: Stage) -> None:
    """An endless loop inside the Worker: the heart beat notices and a new one takes over."""
    browser = chromium(stage)
    _, panel = stage.open("/about")
    stage.plan(say("Before."))
    panel.send("One?", "ask")
    panel.wait_turn("turn.answers.join().includes('Before')")
    before = browser.python_started()
    assert before > 0
    browser.hang_python()
    end = time.monotonic() + NOTICED
    while browser.python_started() in (0.0, before):
        assert time.monotonic() < end, "the hanging Worker was not replaced"
        time.sleep(0.2)
    panel.wait_ready()
    stage.plan(say("After."))
    panel.send("Two?", "ask")
    panel.wait_turn("turn.answers.join().includes('After')")
    assert len(panel.turns()) == 2
    stage.settled()


def test_offscreen_document_closed(stage: Stage) -> None:
    """Python's whole home is gone: the panel has it made again, and the conversation is there."""
    browser = chromium(stage)
    _, panel = stage.open("/about")
    stage.plan(say("Before."))
    panel.send("One?", "ask")
    panel.wait_turn("turn.answers.join().includes('Before')")
    panel.wait_over()
    browser.close_host()
    panel.page.wait("true")
    stage.plan(say("After."))
    panel.wait_ready()
    panel.send("Two?", "ask")
    panel.wait_turn("turn.answers.join().includes('After')")
    assert [turn.text for turn in panel.turns()] == ["Before.", "After."]
    stage.settled()
