"""Episodes in a browser: the test's driver sets the page up, the run goes through the panel's own port."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.miniwob.oracle import Oracle, Part, task_text
from tests.bench.miniwob.suite import Suite
from tests.support.browsers import Browser, Page, Tab, open_browser
from tests.support.browsers.base import wait_until
from tests.support.browsers.firefox import Firefox
from tests.support.browsers.open import extension_folder
from tests.support.port import Port
from webbrain.testing.model_server import ModelServer

WIDTH, HEIGHT = 500, 420
"""The suite's pages are 160 by 210 pixels; calendars and menus hang out of them."""
EPISODE_MS = 120_000
"""The page's own clock, which ends an episode as lost."""
RUN_SECONDS = 100.0
"""A run that takes longer is stopped: less than the page's clock, to tell the two apart."""
LOOK = 0.05
SETTLE = 0.06
"""After the run, for a judge that a page calls a moment later."""


@dataclass
class Row:
    """How an episode went."""

    task: str
    seed: int
    ok: bool = False
    reason: str = ""
    """Why it failed, in words that are equal for equal causes; empty if it did not."""
    detail: str = ""
    goal: str = ""
    raw: float = 0.0
    done: bool = False
    calls: int = 0
    seconds: float = 0.0
    cards: int = 0
    log: list[str] = field(default_factory=list)


@dataclass
class Slot:
    """A window in which one episode at a time is played."""

    tab: Tab
    row: Row | None = None
    number: int = 0
    part: Part | None = None
    request: str = ""
    started: float = 0.0


class Driver:
    """One browser with the extension, and some windows."""

    def __init__(
        self, browser: Browser, port: Port, suite: Suite, pages: str, oracle: Oracle, windows: int
    ) -> None:
        self._browser = browser
        self._port = port
        self._suite = suite
        self._pages = pages
        self._oracle = oracle
        self._slots = [Slot(self._window()) for _ in range(windows)]
        self.seconds: dict[str, list[float]] = {}
        """What the steps took, by tool."""

    def play(self, episodes: list[tuple[str, int]]) -> Iterator[Row]:
        """Play them all; yield each as it ends."""
        waiting = episodes[::-1]
        while waiting or any(slot.row for slot in self._slots):
            for index, slot in enumerate(self._slots):
                if slot.row is None and waiting:
                    task, seed = waiting.pop()
                    problem = self._start(slot, task, seed)
                    if problem is not None:
                        yield problem
                        self._slots[index] = Slot(self._replaced(slot))
            time.sleep(LOOK)
            over = self._port.ended()
            for slot in self._slots:
                if slot.row is None:
                    continue
                if slot.request in over:
                    yield self._end(slot)
                elif time.monotonic() - slot.started > RUN_SECONDS:
                    self._port.call("chat.abort", tabId=slot.tab.id)
                    yield self._end(slot)

    def _start(self, slot: Slot, task: str, seed: int) -> Row | None:
        """Set the page up and start a run on it; a row that says so if that fails."""
        row, page = Row(task, seed), slot.tab.page
        try:
            page.goto(f"{self._pages}/miniwob/{task}.html")
            page.wait("globalThis.core && core.cover_div && true")
            row.goal = page.eval(f"({self._suite.setup})({json.dumps([seed, EPISODE_MS, True])})")
            page.wait("WOB_TASK_READY")
            self._port.call("conversation.clear", tabId=slot.tab.id)
            slot.number, slot.part = self._oracle.cast(self._suite.policies[task], row.goal)
            slot.request = f"miniwob-{slot.number}"
            text = task_text(slot.number, row.goal)
            self._port.call("chat.start", tabId=slot.tab.id, text=text, mode="act", requestId=slot.request)
        except Exception as error:
            row.reason, row.detail = "the episode could not begin", f"{type(error).__name__}: {error}"
            return row
        slot.row, slot.started = row, time.monotonic()
        return None

    def _end(self, slot: Slot) -> Row:
        row, part = slot.row, slot.part
        assert row is not None
        assert part is not None
        row.seconds = round(time.monotonic() - slot.started, 2)
        time.sleep(SETTLE)
        self._oracle.dismiss(slot.number)
        slot.row = None
        told = self._port.told(slot.request)
        self._port.forget(slot.request)
        row.calls, row.log = len(part.calls), part.log
        row.cards = sum(event["type"] == "clarify" for event in told)
        for tool, times in part.seconds.items():
            self.seconds.setdefault(tool, []).extend(times)
        try:
            judged = slot.tab.page.eval("window.__mw")
        except Exception as error:
            row.reason, row.detail = "the page is gone", f"{type(error).__name__}: {error}"
            return row
        row.done, row.raw = bool(judged["done"]), float(judged["raw"])
        row.ok = row.done and row.raw >= 0.99
        if not row.ok:
            row.reason, row.detail = _why(row, part, told)
        return row

    def _window(self) -> Tab:
        """A tab in a window of its own: what is not shown is not drawn, and its timers are slowed down."""
        before = {tab["id"] for tab in self._browser.tabs()}
        page = self._browser.open_page("about:blank", window=True)
        page.set_viewport(WIDTH, HEIGHT)
        new = wait_until(
            lambda: [tab["id"] for tab in self._browser.tabs() if tab["id"] not in before],
            10,
            lambda: "a new window",
        )
        return Tab(page, new[0])

    def _replaced(self, slot: Slot) -> Tab:
        _close(slot.tab.page)
        return self._window()


@contextmanager
def driver(name: str, suite: Suite, pages: str, windows: int) -> Iterator[Driver]:
    """A browser that is ready to play, with the oracle chosen as its model."""
    oracle = Oracle()
    # Windows that are not in front take the focus as well, as they do in Playwright's Chromium.
    browser = (
        Firefox(extension_folder(name), preferences={"focusmanager.testmode": True})
        if name == "firefox"
        else open_browser(name)
    )
    try:
        with ModelServer(oracle, model="oracle") as model:
            # All requests of hours of episodes are of no use to anybody.
            model.calls = _Nothing()
            port = Port(browser)
            port.choose_model(model.url, model.model, {"maxAgentSteps": 0})
            yield Driver(browser, port, suite, pages, oracle, windows)
            if model.refused:
                raise RuntimeError(f"a strict service would refuse: {model.refused[:3]}")
    finally:
        browser.close()


def _why(row: Row, part: Part, told: list[dict[str, Any]]) -> tuple[str, str]:
    data = {event["type"]: event["data"] for event in told}
    if "run_complete" not in data:
        return "run too slow", f"stopped after {RUN_SECONDS:.0f} s"
    if data["run_complete"]["status"] != "completed":
        failed = data.get("error", {})
        return f"run {data['run_complete']['status']}", f"{failed.get('code')}: {failed.get('message')}"
    if part.missing:
        return f"no tool {part.missing[0]}", part.gave_up
    if part.gave_up:
        return "the policy gave up", part.gave_up
    if row.done:
        return "judged wrong", f"raw reward {row.raw}"
    return "not finished", "the policy did all it wanted and the page saw no end"


def _close(page: Page) -> None:
    try:
        page.close()
    except Exception as error:
        print(f"a window would not close: {error}")


class _Nothing(list[Any]):
    """A list that keeps nothing."""

    def append(self, item: Any) -> None:
        """Count it, for ``wait_for_calls`` is not used here."""


def write(rows: list[Row], folder: Path) -> None:
    """Put what was said in episodes that failed into a file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.txt"):
        old.unlink()
    for row in rows:
        if not row.ok:
            head = f"{row.task} seed {row.seed}: {row.reason}: {row.detail}\ngoal: {row.goal}\n\n"
            (folder / f"{row.task}-{row.seed}.txt").write_text(head + "\n".join(row.log), encoding="utf-8")
