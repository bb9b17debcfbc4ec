"""A step of a long run costs what one of a short run does. ``make bench-growth`` measures it in a browser."""

from dataclasses import replace

import pytest

from tests.support.growth import long_run
from webbrain.agent import context
from webbrain.testing.scripted import INFO

STEPS = 300
FROM_THE_START = 1.5
"""The last steps against the very first ones, which have next to no history. Measured 1.2."""
FLAT = 1.35
"""Measured 1.1. What grows with the history grows beyond, as the control shows."""
FILLED = 100
"""After so many steps the history a model sees is as long as it becomes."""


async def test_steps_cost_the_same_once_the_history_is_full() -> None:
    curve = await long_run(STEPS)
    assert curve.status == "completed"
    assert len(curve.costs) >= STEPS - 1
    assert curve.growth(0) < FROM_THE_START, curve.costs
    assert curve.growth(FILLED) < FLAT, curve.costs
    assert max(curve.tokens) < curve.window * context.FILL


async def test_a_history_that_is_never_shortened_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: what is measured above does grow if nothing is folded."""
    monkeypatch.setattr(context, "MOST_MESSAGES", 1_000_000)
    monkeypatch.setattr(context, "MOST_CHARS", 1_000_000_000)
    curve = await long_run(STEPS, info=replace(INFO, supports_vision=True, context_window=100_000_000))
    assert curve.growth(0) > FROM_THE_START, curve.costs
    assert curve.growth(FILLED) > FLAT, curve.costs
    assert max(curve.tokens) > INFO.context_window
