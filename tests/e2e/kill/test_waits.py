"""A model that takes its time: the service worker ends meanwhile, the run does not."""

import os
import time
from typing import Final

import pytest

from tests.support.port import Port
from tests.support.script import say
from tests.support.stage import Stage, browser, engine, module_stage, stage
from webbrain.testing.chat import Reply, Stall

__all__ = ["browser", "engine", "module_stage", "stage"]

ALL: Final = bool(os.environ.get("ALL_KILLS"))
pytestmark = pytest.mark.skipif(not ALL, reason="it waits for minutes; make test-kill")

PATIENCE_MS: Final = 600_000
SLACK: Final = 60.0


@pytest.mark.parametrize("seconds", [45, 360])
def test_a_slow_model_is_waited_for(stage: Stage, seconds: int) -> None:
    port = Port(stage.browser)
    port.call("settings.set", values={"requestTimeoutMs": PATIENCE_MS})
    _, panel = stage.open("/about")
    gate = f"slow-{seconds}"
    stage.plan(Stall(gate, Reply("Here at last.")))
    panel.send("Take your time?", "ask")
    panel.wait_running()
    stage.model.wait_for_calls(1)
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        assert panel.last().status == "running"  # type: ignore[union-attr]
        time.sleep(5)
    stage.model.release(gate)
    turn = panel.wait_turn("turn.status !== 'running'", SLACK)
    assert (turn.status, turn.text) == ("completed", "Here at last.")
    stage.plan(say("At once."))
    panel.send("And now?", "ask")
    panel.wait_turn("turn.answers.join().includes('At once')")
    stage.settled()
