"""Tasks in a browser: a fresh tab and panel for each, typed in and answered as a person would."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.llm.judge import Evidence, judge
from tests.bench.llm.recorder import Exchange, transcript
from tests.bench.llm.report import Row
from tests.bench.llm.site import Site
from tests.bench.llm.tasks import Task
from tests.support.approve import approve
from tests.support.browsers import Browser, Tab
from tests.support.screens import Panel, Settings, Turn

PROVIDER = "llamacpp"
MODES: dict[str, dict[str, str]] = {
    "constrained": {"promptTier": "auto", "constrained": "auto"},
    "native": {"promptTier": "compact", "constrained": "off"},
}
"""What is chosen in the settings of llama.cpp: as it comes, or the same tier with the server's own tools."""

CONTROLS = """(() => {
  const found = {};
  for (const {name, type, value, checked} of document.querySelectorAll('input, select, textarea')) {
    if (!name) continue;
    if (type === 'radio') found[name] = checked ? value : found[name] ?? '';
    else found[name] = type === 'checkbox' ? (checked ? 'yes' : '') : value;
  }
  return found;
})()"""
"""The state of everything on the page that has one; see ``Wanted.controls``."""
LOOK = 0.25
"""Seconds between two looks at the panel: each costs the model's processors something."""
SETTLE = 0.2
"""For a press that the page tells the server of after the run."""


class Driver:
    """Plays tasks in one browser. ``exchanges`` gives what was said to the model since it was last asked."""

    def __init__(
        self,
        browser: Browser,
        site: Site,
        seconds: float,
        exchanges: Callable[[], list[Exchange]],
        folder: Path,
    ) -> None:
        self._browser = browser
        self._site = site
        self._seconds = seconds
        self._exchanges = exchanges
        self._folder = folder

    def choose(self, address: str, mode: str) -> None:
        """Set the model up in the settings page."""
        settings = Settings(self._browser)
        settings.open_provider(PROVIDER)
        settings.page.click(f"#form-{PROVIDER} details.advanced summary")
        settings.use(PROVIDER, baseUrl=address, **MODES[mode])
        settings.close()

    def play(self, task: Task, name: str) -> Row:
        """Do one task; ``name`` is that of the file its conversation goes to."""
        self._site.forget(task)
        self._exchanges()
        started = time.monotonic()
        tab = self._browser.open_tab(self._site.address(task))
        panel = Panel(self._browser, tab)
        try:
            panel.send(task.text, task.mode)
            turn, cards = self._follow(panel)
            seconds = time.monotonic() - started
            time.sleep(SETTLE)
            verdict = judge(task, self._evidence(task, tab, turn))
        finally:
            panel.close()
            with contextlib.suppress(Exception):  # the agent may have closed it
                tab.page.close()
        said = self._exchanges()
        steps = turn.steps if turn else []
        self._write(
            name, task, f"{verdict.reason}: {verdict.detail}" if verdict.reason else "done", steps, said
        )
        return Row(
            number=task.number,
            kind=task.kind,
            text=task.text,
            ok=verdict.ok,
            reason=verdict.reason,
            detail=verdict.detail,
            steps=len(steps),
            requests=len(said),
            seconds=round(seconds, 1),
            waited=round(sum(exchange.seconds for exchange in said), 1),
            cards=cards,
        )

    def _follow(self, panel: Panel) -> tuple[Turn | None, int]:
        """Answer cards until the run is over or its time is."""
        end, cards = time.monotonic() + self._seconds, 0
        turn = None
        while time.monotonic() < end:
            turn = panel.last()
            if turn is not None and turn.over:
                return turn, cards
            if turn is not None and turn.card:
                approve(panel)
                cards += 1
            time.sleep(LOOK)
        with contextlib.suppress(TimeoutError):
            panel.stop()
        return turn, cards

    def _evidence(self, task: Task, tab: Tab, turn: Turn | None) -> Evidence:
        return Evidence(
            effects=self._site.effects(task),
            path=tab.page.url.rsplit("/", 1)[-1].partition("?")[0],
            controls=tab.page.eval(CONTROLS),
            answer=turn.answers[-1] if turn and turn.answers else "",
            status=turn.status if turn and turn.over else "",
            error=turn.error if turn else "",
        )

    def _write(
        self, name: str, task: Task, came_of_it: str, steps: list[dict[str, Any]], said: list[Exchange]
    ) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        shown = [f"{step['state']} {step['label']} {step['summary']}" for step in steps]
        head = "\n".join([f"{task.kind}: {task.text}", came_of_it, "", *shown, "", ""])
        (self._folder / f"{name}.txt").write_text(head + transcript(said), encoding="utf-8")
