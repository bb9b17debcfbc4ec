"""Every part of the product is killed at every crash point. No effect happens twice, and nothing is hidden.

Ten combinations run with the other tests; ``make test-kill`` runs all of them and prints a table.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from build import crash
from tests.e2e.kill.scene import POINTS, Scene, copied, new_model, steps_of
from tests.e2e.kill.world import Counter
from tests.support.browsers.open import FOLDERS
from webbrain.testing.model_server import ModelServer

pytestmark = [pytest.mark.dist]

PARTS: Final = ("service_worker", "python_worker", "offscreen", "panel", "tab", "browser", "update")
OWN_BROWSER: Final = ("browser", "update")
WEARS_OUT: Final = ("python_worker",)
"""A browser gets no second one of these: the third Worker in a row that dies young is not replaced."""
IN_FIREFOX: Final = ("python_worker", "panel", "tab", "browser", "update")
"""Its background page, which lives as long as the browser, is service worker and offscreen page in one."""
USUAL: Final = (
    ("service_worker", "before_call"),
    ("service_worker", "after_effect_before_reply"),
    ("python_worker", "after_effect_before_reply"),
    ("python_worker", "journal_not_written"),
    ("offscreen", "journal_written"),
    ("panel", "awaiting_consent"),
    ("panel", "mid_stream"),
    ("tab", "before_call"),
    ("browser", "after_effect_before_reply"),
    ("update", "after_effect_before_reply"),
)
ALL: Final = bool(os.environ.get("ALL_KILLS"))
LOOK: Final = ("get_accessibility_tree", "ok")
PRESS: Final = ("click_ax", "ok")
UNSURE: Final = ("click_ax", "unknown")
HELD_BACK: Final = ("click_ax", "failed")
"""An action that was not carried out, because nobody had looked what came of the one before it."""
END: Final = ("done", "ok")
WHOLE: Final = [LOOK, PRESS, LOOK, END]

Steps = list[tuple[str, str]]

EFFECTS_BY_THEN: Final = dict.fromkeys(POINTS, 0) | {"after_effect_before_reply": 1, "mid_stream": 1}
"""How many effects there were when the run stood at a point."""
WORKER_GONE: Final[dict[str, Steps]] = {
    "before_call": [LOOK, UNSURE, LOOK, PRESS, LOOK, END],
    "after_effect_before_reply": [LOOK, UNSURE, LOOK, END],
}
"""The service worker carries a call to the page. Cut off there it is looked into, and done again if it had
not happened; at every other point the run notices nothing."""
CUT_OFF: Final[dict[str, Steps]] = {
    "before_call": [LOOK, UNSURE],
    "after_effect_before_reply": [LOOK, UNSURE],
    "mid_stream": [LOOK, PRESS],
    "awaiting_consent": [LOOK],
    "journal_written": [LOOK, UNSURE],
    "journal_not_written": [LOOK],
}
"""What a run that ended with Python shows of itself: the last step on record, and nothing that is not so."""
TAB_GONE: Final = CUT_OFF | {
    "journal_written": [LOOK, HELD_BACK],
    "journal_not_written": [LOOK, HELD_BACK],
}
"""What a run shows whose tab was closed. Python lives and knows that the page was not asked."""

LOOKED_INTO: Final[Steps] = [HELD_BACK, LOOK, END]
DONE_AGAIN: Final[Steps] = [HELD_BACK, LOOK, PRESS, LOOK, END]
DONE_NOW: Final[Steps] = [PRESS, LOOK, END]
GOES_ON: Final[dict[str, Steps]] = {
    "before_call": LOOKED_INTO,
    "after_effect_before_reply": LOOKED_INTO,
    "mid_stream": LOOKED_INTO,
    "awaiting_consent": DONE_NOW,
    "journal_written": DONE_AGAIN,
    "journal_not_written": DONE_NOW,
}
"""What the run does that goes on by itself. The model presses at once, whatever it is told: it is held back
until it has looked what became of its press. A call on its way to the page is carried out all the same."""
CONTINUED: Final = dict.fromkeys(POINTS, DONE_AGAIN) | {
    "after_effect_before_reply": LOOKED_INTO,
    "mid_stream": LOOKED_INTO,
}
"""The same at a person's word, in a new browser or a new version: nothing lived on, and the page has no
element by the old reference any more."""
LATER: Final = 1.0
"""Seconds after the end of a run in which nothing may happen any more."""

CHROMIUM: Final = [
    pytest.param("chromium", part, point, marks=pytest.mark.chromium, id=f"chromium-{part}-{point}")
    for part in PARTS
    for point in POINTS
    if ALL or (part, point) in USUAL
]
FIREFOX: Final = [
    pytest.param("firefox", part, point, marks=pytest.mark.firefox, id=f"firefox-{part}-{point}")
    for part in IN_FIREFOX
    for point in POINTS
    if ALL
]


@dataclass
class Rooms:
    """What all cells use, and the browsers that outlive them, by name."""

    counter: Counter
    model: ModelServer
    shared: dict[str, Scene] = field(default_factory=dict)

    def scene(self, engine: str, folder: Path, profile: Path | None = None) -> Scene:
        """A browser of its own."""
        return Scene(engine, folder, profile, self.counter, self.model)


@pytest.fixture(scope="module")
def rooms() -> Iterator[Rooms]:
    crash.build()
    with Counter() as counter, new_model() as model:
        made = Rooms(counter, model)
        try:
            yield made
        finally:
            for scene in made.shared.values():
                scene.close()


@pytest.fixture
def scene(rooms: Rooms, engine: str, part: str, tmp_path: Path) -> Iterator[Scene]:
    """A browser for the cell: one of its own if the cell ends it."""
    if part in OWN_BROWSER:
        own = rooms.scene(engine, copied(engine, tmp_path), tmp_path / "profile")
        try:
            yield own
        finally:
            own.close()
        return
    if engine not in rooms.shared:
        rooms.shared[engine] = rooms.scene(engine, crash.TARGET / FOLDERS[engine])
    shared = rooms.shared[engine]
    try:
        yield shared
    finally:
        if shared.sound and part not in WEARS_OUT:
            shared.clear()
        else:
            rooms.shared.pop(engine).close()


@pytest.mark.parametrize(("engine", "part", "point"), CHROMIUM + FIREFOX)
def test_kill(scene: Scene, engine: str, part: str, point: str) -> None:
    scene.begin(point)
    assert scene.effects == EFFECTS_BY_THEN[point]
    scene.kill(part)
    scene.release()
    if part == "tab":
        _tab_gone(scene, point)
    elif part in ("panel", "service_worker"):
        _nothing_lost(scene, WORKER_GONE.get(point, WHOLE) if part == "service_worker" else WHOLE)
    else:
        _interrupted(scene, part, point)
    if part != "tab":
        assert scene.effects == 1
        # Whoever had been asked was asked again, or still, and nothing happened before the answer.
        assert scene.cards == ([0] if point == "awaiting_consent" else [])
    assert scene.faults() == []
    scene.sound = True


def _nothing_lost(scene: Scene, steps: Steps) -> None:
    """The run itself lives on."""
    (turn,) = scene.finish()
    assert steps_of(turn) == steps


def _interrupted(scene: Scene, part: str, point: str) -> None:
    """The run is shown as interrupted at its last step, and goes on: by itself, or at a person's word."""
    by_itself = part not in OWN_BROWSER
    scene.wait_first("interrupted")
    if not by_itself:
        (turn,) = scene.panel.turns()
        assert steps_of(turn) == CUT_OFF[point]
        assert scene.effects == EFFECTS_BY_THEN[point]
        scene.panel.page.click("[data-action=continue]")
    first, second = scene.finish()
    assert (first.status, second.status) == ("interrupted", "completed")
    assert steps_of(first) == CUT_OFF[point]
    assert bool(second.warnings) == by_itself
    assert steps_of(second) == (GOES_ON if by_itself else CONTINUED)[point]


def _tab_gone(scene: Scene, point: str) -> None:
    """Nothing more happens, and the run says how it ended and what became of its last action."""
    scene.wait_first("failed")
    (turn,) = scene.panel.turns()
    assert turn.error == "no_tab"
    assert steps_of(turn) == TAB_GONE[point]
    assert scene.cards == []
    time.sleep(LATER)
    assert scene.effects == EFFECTS_BY_THEN[point]
