"""A browser with the build that can be stopped, a counting page, a model that acts twice; and the kills."""

import itertools
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from build.crash import TARGET
from tests.e2e.kill import records
from tests.e2e.kill.world import TASKS, Counter, think
from tests.support.approve import allow_in
from tests.support.browsers import Browser, Tab, open_browser
from tests.support.browsers.base import DEADLINE, wait_until
from tests.support.browsers.chromium import Chromium
from tests.support.browsers.firefox import Firefox
from tests.support.browsers.open import FOLDERS
from tests.support.screens import Panel, Turn
from tests.support.stage import choose_model
from webbrain.testing.crash import ARMED, REACHED, RELEASED
from webbrain.testing.model_server import ModelServer

POINTS: Final = (
    "before_call",
    "after_effect_before_reply",
    "mid_stream",
    "awaiting_consent",
    "journal_written",
    "journal_not_written",
)
PATIENCE: Final = 60.0
ANSWERS_BEFORE_THE_EFFECT: Final = 3
"""Answers of the model before the one that comes after the effect: the plan, a look, the press."""
NUMBERS: Final = itertools.count(1)
"""A page of its own for each cell, whichever browser it has: the counter is one for all."""


@dataclass
class Scene:
    """One browser and what a test does with it."""

    engine: str
    folder: Path
    profile: Path | None
    counter: Counter
    model: ModelServer
    browser: Browser = field(init=False)
    tab: Tab = field(init=False)
    panel: Panel = field(init=False)
    name: str = ""
    cards: list[int] = field(default_factory=list)
    """How many effects there were when each card was answered."""
    sound: bool = True
    """Whether another cell may have this browser: not after a failure."""

    def __post_init__(self) -> None:
        self.browser = self._open()
        choose_model(self.browser, self.model)
        allow_in(self.browser, self.counter.url)

    def _open(self) -> Browser:
        return open_browser(self.engine, extension=self.folder, profile=self.profile)

    def close(self) -> None:
        """End the browser."""
        self.browser.close()

    # --- stopping ---

    def begin(self, point: str) -> None:
        """Give a task, and return once the run stands at ``point``."""
        self.name = f"{point}-{next(NUMBERS)}"
        self.sound = False
        self.cards.clear()
        self.model.calls.clear()
        self.tab = self.browser.open_tab(f"{self.counter.url}/page/{self.name}")
        self.panel = Panel(self.browser, self.tab)
        skip = ANSWERS_BEFORE_THE_EFFECT if point == "mid_stream" else 0
        armed = {"point": point, "action": "click_ax", "skip": skip}
        self._session(f"remove({json.dumps([REACHED, RELEASED])})")
        self._session(f"set({json.dumps({ARMED: armed})})")
        self.panel.send(TASKS["form" if point == "awaiting_consent" else "button"], "act")
        wait_until(
            lambda: self._get(REACHED),
            PATIENCE,
            lambda: f"{point}: {self._session(f'get({json.dumps([ARMED, RELEASED])})')} {self.panel.last()}",
        )

    def release(self) -> None:
        """Let the run go on."""
        self._session(f"set({json.dumps({RELEASED: True})})")

    def _session(self, what: str) -> Any:
        area = "(globalThis.browser ?? chrome).storage.session"
        return self.browser.control.eval(f"{area}.{what}.then((found) => found ?? true)")

    def _get(self, key: str) -> Any:
        return self._session(f"get({json.dumps([key])})").get(key)

    # --- killing ---

    def kill(self, part: str) -> None:
        """End a part, as a crash or the browser would."""
        KILLS[part](self)

    def kill_browser(self) -> None:
        """End the browser, and start it again with the same profile and the same page."""
        cast(Chromium | Firefox, self.browser).crash()
        self.browser.close()
        self.browser = self._open()
        self.tab = self.browser.open_tab(f"{self.counter.url}/page/{self.name}")
        self.panel = Panel(self.browser, self.tab)

    def update(self) -> None:
        """Put another version in the extension's place while it runs."""
        file = self.folder / "manifest.json"
        manifest = json.loads(file.read_text())
        head, _, last = manifest["version"].rpartition(".")
        manifest["version"] = f"{head}.{int(last) + 1}"
        file.write_text(json.dumps(manifest))
        self.browser.reload_extension()
        now = self.browser.control.eval("chrome.runtime.getManifest().version")
        assert now == manifest["version"]
        self.panel = Panel(self.browser, self.tab)

    def kill_tab(self) -> None:
        """Close the page the run works on."""
        self.browser.close_tab(self.tab)

    def kill_panel(self) -> None:
        """Close the panel, and open it again."""
        self.panel.close()
        self.panel = Panel(self.browser, self.tab)

    # --- looking ---

    def wait_first(self, status: str) -> None:
        """Return once the panel shows that the run of :meth:`begin` ended so."""

        def ended() -> bool:
            turns = self.panel.turns()
            return bool(turns) and turns[0].status == status

        wait_until(ended, PATIENCE, lambda: f"{status}: {self.panel.turns()}")

    def finish(self) -> list[Turn]:
        """Say yes to what is asked until the newest run is completed; return all runs the panel shows."""
        end = time.monotonic() + PATIENCE
        while True:
            last = self.panel.last()
            if last and last.status == "completed":
                return self.panel.turns()
            if last and last.card and last.status == "running":
                self.cards.append(self.effects)
                self.panel.answer("once")
            assert time.monotonic() < end, f"it does not end: {self.panel.turns()}"
            time.sleep(0.1)

    def faults(self) -> list[str]:
        """What is wrong with the records, once nothing is being written any more."""
        found: list[str] = []

        def settled() -> bool:
            found[:] = records.faults(records.stored(self.browser))
            return not found

        try:
            wait_until(settled, DEADLINE, lambda: "sound records")
        except TimeoutError:
            return found
        return []

    @property
    def effects(self) -> int:
        """How many the page of this cell had so far."""
        return self.counter.count(self.name)

    def clear(self) -> None:
        """Close what a cell opened."""
        self.panel.close()
        if any(one["id"] == self.tab.id for one in self.browser.tabs()):
            self.browser.close_tab(self.tab)


KILLS: Final[dict[str, Callable[[Scene], None]]] = {
    "service_worker": lambda scene: void(cast(Chromium, scene.browser).kill_service_worker()),
    "python_worker": lambda scene: scene.browser.kill_python(),
    "offscreen": lambda scene: cast(Chromium, scene.browser).close_host(),
    "panel": Scene.kill_panel,
    "tab": Scene.kill_tab,
    "browser": Scene.kill_browser,
    "update": Scene.update,
}


def void(_: object) -> None:
    """For what returns something that nobody wants."""


def copied(engine: str, place: Path) -> Path:
    """A copy of the build that can be stopped, for a test that changes it."""
    folder = place / "extension"
    shutil.copytree(TARGET / FOLDERS[engine], folder)
    return folder


def steps_of(turn: Turn) -> list[tuple[str, str]]:
    """``(tool, state)`` of everything the panel shows of a run, oldest first."""
    return [(step["tool"], step["state"]) for step in turn.steps]


def new_model() -> ModelServer:
    """The model of :mod:`tests.e2e.kill.world`."""
    return ModelServer(think)
