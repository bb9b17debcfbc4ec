"""Every part of the product is killed at every crash point. No effect happens twice, and nothing is hidden.

Ten combinations run with the other tests; ``make test-kill`` runs all of them and prints a table.
"""

import os
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
IN_FIREFOX: Final = ("python_worker", "panel", "tab", "update")
"""Its background page is service worker and offscreen page in one, and a temporary add-on does not outlive
the browser."""
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
IN_FLIGHT: Final = ("before_call", "after_effect_before_reply", "journal_written")
"""Points at which the beginning of an action is on record and its end is not."""
WHOLE: Final = ["get_accessibility_tree", "click_ax", "get_accessibility_tree", "done"]

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
    yield rooms.shared[engine]
    rooms.shared[engine].clear()


@pytest.mark.parametrize(("engine", "part", "point"), CHROMIUM + FIREFOX)
def test_kill(scene: Scene, engine: str, part: str, point: str) -> None:
    scene.begin(point)
    effects_before = scene.counter.count(scene.name)
    assert effects_before == (1 if point in ("after_effect_before_reply", "mid_stream") else 0)
    scene.kill(part)
    scene.release()
    if part == "tab":
        _tab_gone(scene, effects_before)
    elif part in ("panel", "service_worker"):
        _nothing_lost(scene, part, point)
    else:
        _interrupted(scene, part, point)
    assert scene.faults() == []


def _nothing_lost(scene: Scene, part: str, point: str) -> None:
    """The run itself lives on."""
    turns = scene.finish()
    assert len(turns) == 1
    assert scene.counter.count(scene.name) == 1
    steps = steps_of(turns)
    tools = [tool for tool, _ in steps]
    if part == "service_worker" and ("click_ax", "unknown") in steps:
        # The call was cut off under way: looked into, and done again only if it had not happened.
        assert point in IN_FLIGHT
        again = 0 if point == "after_effect_before_reply" else 2
        assert tools == [*WHOLE[:3], *WHOLE[1:3][:again], "done"]
    else:
        assert tools == WHOLE


def _interrupted(scene: Scene, part: str, point: str) -> None:
    """The run is shown as interrupted at its last step, and goes on: by itself, or at a person's word."""
    by_itself = part not in OWN_BROWSER
    turns = scene.finish(done=lambda turn: turn.status == ("completed" if by_itself else "interrupted"))
    if not by_itself:
        assert len(turns) == 1
        scene.panel.page.click("[data-action=continue]")
        turns = scene.finish()
    first, second = turns
    assert (first.status, second.status) == ("interrupted", "completed")
    assert second.warnings if by_itself else not second.warnings
    states = [state for tool, state in steps_of([first]) if tool == "click_ax"]
    assert states == (["unknown"] if point in IN_FLIGHT else ["ok"] if point == "mid_stream" else states)
    if point in IN_FLIGHT:  # the model pressed at once, and was held back until it had looked
        pressed = [(tool, state) for tool, state in steps_of([second])][:2]
        assert pressed == [("click_ax", "failed"), ("get_accessibility_tree", "ok")]
    assert scene.counter.count(scene.name) == 1


def _tab_gone(scene: Scene, effects: int) -> None:
    """Nothing more happens, and the run says how it ended."""
    turns = scene.finish(done=lambda turn: turn.over)
    assert turns[-1].status in ("stopped", "failed", "interrupted"), turns
    assert scene.counter.count(scene.name) <= max(1, effects)
