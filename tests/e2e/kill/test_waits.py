"""A model that takes its time: the service worker ends meanwhile, the run and its tab do not."""

import os
import time
from typing import Final, cast

import pytest

from tests.support.browsers.chromium import Chromium
from tests.support.port import Port
from tests.support.script import done, on_ref, say, see
from tests.support.stage import CHROMIUM_ONLY, Stage, browser, engine, module_stage, stage
from webbrain.testing.chat import Reply, Stall

__all__ = ["browser", "engine", "module_stage", "stage"]

ALL: Final = bool(os.environ.get("ALL_KILLS"))
PATIENCE_MS: Final = 600_000
SLACK: Final = 60.0
PAUSE: Final = 45.0
LONGEST: Final = 360.0
NAMED: Final = "Ada Lovelace"
MAILED: Final = "ada@example.org"
VALUES: Final = "[document.querySelector('#f-name').value, document.querySelector('#f-email').value]"


@pytest.mark.parametrize("engine", CHROMIUM_ONLY, scope="module", indirect=True)
def test_the_run_knows_its_tab_after_a_long_pause(stage: Stage) -> None:
    """A step, 45 seconds of nothing, another step, and another tab in front all the while.

    A debugger keeps the service worker alive, and so does our own alarm, which comes about as often as the
    browser looks for idle workers. So it is ended here, and what the alarm starts is another one.
    """
    browser = cast(Chromium, stage.browser)
    tab, panel = stage.open("/order?product=oak-stool")
    other = stage.open_tab("/order?product=blue-teapot")
    fill = on_ref("set_field", "E-mail address", text=MAILED)
    stage.plan(see(), on_ref("set_field", "Full name", text=NAMED))
    stage.plan(lambda call: Stall("pause", cast(Reply, fill(call))), see(), done("Both are in."))
    panel.send("Fill in the name, then the address for mail.", "act")
    stage.model.wait_for_calls(3)
    began = time.monotonic()
    assert tab.page.eval(VALUES) == [NAMED, ""]
    before = browser.kill_service_worker()
    assert before > 0
    while time.monotonic() - began < PAUSE:
        assert panel.last().status == "running"  # type: ignore[union-attr]
        time.sleep(1)
    assert browser.service_worker_started() != before
    stage.model.release("pause")
    turn = panel.wait_over(SLACK)
    assert (turn.status, turn.warnings) == ("completed", []), turn
    assert [step["state"] for step in turn.steps] == ["ok"] * 5, turn.steps
    assert tab.page.eval(VALUES) == [NAMED, MAILED]
    assert other.page.eval(VALUES) == ["", ""]
    stage.settled()


@pytest.mark.skipif(not ALL, reason="it waits for six minutes; make test-kill")
def test_a_slow_model_is_waited_for(stage: Stage) -> None:
    port = Port(stage.browser)
    port.call("settings.set", values={"requestTimeoutMs": PATIENCE_MS})
    _, panel = stage.open("/about")
    stage.plan(Stall("slow", Reply("Here at last.")))
    panel.send("Take your time?", "ask")
    panel.wait_running()
    stage.model.wait_for_calls(1)
    began = time.monotonic()
    while time.monotonic() - began < LONGEST:
        assert panel.last().status == "running"  # type: ignore[union-attr]
        time.sleep(5)
    stage.model.release("slow")
    turn = panel.wait_turn("turn.status !== 'running'", SLACK)
    assert (turn.status, turn.text) == ("completed", "Here at last.")
    stage.plan(say("At once."))
    panel.send("And now?", "ask")
    panel.wait_turn("turn.answers.join().includes('At once')")
    stage.settled()
