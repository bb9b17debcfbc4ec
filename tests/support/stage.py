"""A browser with the extension, a shop and a model server, ready for a scenario; fixtures for pytest.

One browser serves all tests of a module: starting one is what costs. Each test gets an empty script and an
empty record of the shop, and closes what it opened.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.approve import allow_in
from tests.support.browsers import Browser, Tab, running
from tests.support.screens import Panel, Settings
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop

RESULTS = Path(__file__).resolve().parents[2] / "test-results" / "e2e"
LOG_TAIL = 6_000

ENGINES = [
    pytest.param("chromium", marks=[pytest.mark.chromium, pytest.mark.dist]),
    pytest.param("firefox", marks=[pytest.mark.firefox, pytest.mark.dist]),
]
CHROMIUM_ONLY = ENGINES[:1]


@dataclass
class Stage:
    """Everything a scenario needs."""

    browser: Browser
    shop: Shop
    model: ModelServer
    script: Script
    asks: bool = False
    """Whether the person is to be asked before a task works on the pages that are opened."""
    tabs: list[Tab] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)

    def open(self, path: str = "/", *, wait: bool = True) -> tuple[Tab, Panel]:
        """A tab on the shop, with its panel."""
        tab = self.open_tab(path, wait=wait)
        return tab, self.open_panel(tab)

    def open_tab(self, path: str = "/", *, wait: bool = True) -> Tab:
        """A tab on the shop, or at a whole address."""
        address = path if "://" in path else self.shop.url + path
        if address.startswith("http") and not self.asks and not address.startswith(self.shop.url):
            allow_in(self.browser, address)
        tab = self.browser.open_tab(address, wait=wait)
        self.tabs.append(tab)
        return tab

    def open_panel(self, tab: Tab | int) -> Panel:
        """A panel for a tab."""
        panel = Panel(self.browser, tab)
        panel.approves = not self.asks
        self.panels.append(panel)
        return panel

    def plan(self, *answers: object) -> None:
        """Have the model answer so, in this order."""
        self.script.add(*answers)  # type: ignore[arg-type]

    def settled(self) -> None:
        """Fail if the model got a request that a strict service would refuse, or was not asked as planned."""
        assert not self.model.refused, f"a strict service would refuse: {self.model.refused}"
        assert self.script.left == 0, f"{self.script.left} planned answers were not asked for"

    def clear(self) -> None:
        """Close what a test opened and forget what it did."""
        for panel in self.panels:
            panel.close()
        for tab in self.tabs:
            if any(one["id"] == tab.id for one in self.browser.tabs()):
                self.browser.close_tab(tab)
        self.panels.clear()
        self.tabs.clear()
        self.script.clear()
        self.model.calls.clear()
        self.model.refused.clear()
        self.shop.placed.clear()
        self.shop.submissions.clear()
        self.shop.hits.clear()


def choose_model(browser: Browser, model: ModelServer) -> None:
    """Make a model server the active provider, in the settings page."""
    settings = Settings(browser)
    settings.use("custom", baseUrl=model.url, model=model.model)
    settings.close()


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The browser's name; a module may narrow it."""
    return str(request.param)


@pytest.fixture(scope="module")
def browser(engine: str) -> Iterator[Browser]:
    """A browser with the build in it, and nothing set up."""
    with running(engine) as browser:
        yield browser


@pytest.fixture(scope="module")
def module_stage(browser: Browser) -> Iterator[Stage]:
    """The stage with its model chosen in the settings."""
    script = Script()
    with Shop() as shop, ModelServer(script) as model:
        choose_model(browser, model)
        allow_in(browser, shop.url)
        yield Stage(browser, shop, model, script)


@pytest.fixture
def stage(module_stage: Stage) -> Iterator[Stage]:
    """The stage, empty before and after."""
    yield module_stage
    module_stage.clear()


def attach_evidence(item: pytest.Item, report: pytest.TestReport) -> None:
    """Put the extension's log and the panels' texts and pictures beside a failure, and in a file."""
    stage = getattr(item, "funcargs", {}).get("stage")
    browser = getattr(item, "funcargs", {}).get("browser") or getattr(stage, "browser", None)
    if browser is None:
        return
    report.sections.append(("extension log", browser.log()[-LOG_TAIL:]))
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in item.name)
    if stage is not None:
        _attach_stage(stage, report, name)
    evidence = "\n".join(f"\n===== {title} =====\n{text}" for title, text in report.sections)
    (RESULTS / f"{name}.txt").write_text(report.longreprtext + evidence, encoding="utf-8")


def _attach_stage(stage: Stage, report: pytest.TestReport, name: str) -> None:
    last = stage.model.calls[-1].turns[-3:] if stage.model.calls else ()
    said = "\n".join(f"{turn.role}: {turn.text[:1500]} {turn.calls}" for turn in last)
    counts = f"calls: {len(stage.model.calls)}, planned and not asked for: {stage.script.left}"
    report.sections.append(("model", f"refused: {stage.model.refused}; {counts}\n{said}"))
    for number, panel in enumerate(stage.panels):
        picture = RESULTS / f"{name}-{number}.png"
        try:
            panel.page.screenshot(picture)
            report.sections.append((f"panel {number}, {picture}", panel.page.text()[-2000:]))
        except Exception as error:
            report.sections.append((f"panel {number}", f"not to be seen: {error}"))
