"""What a person waits for besides the model: from sending to the first request, between an answer and the
next request, and for a click."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise

from tests.bench.builds import open_builds, ready
from tests.bench.starts import TIMES
from tests.bench.table import Table, percentile
from tests.support.approve import allow_in
from tests.support.browsers import Browser, Tab
from tests.support.browsers.base import wait_until
from tests.support.browsers.chromium import Chromium
from tests.support.port import Port
from tests.support.screens import Panel
from tests.support.script import call, done, say, see
from tests.support.small_site import SmallSite
from tests.support.stage import choose_model
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer, Stamp
from webbrain.testing.planning import plan_text

STEPS = 100
"""Half of them read the page, half of them press."""
EDGE = 20
"""Of either kind so many at the beginning are not counted: the content script comes into the page with the
first, and the browser compiles what Python needs while the next ones run."""
RUN_TIMEOUT = 240.0
LOOK_SECONDS = 1.0
"""Between two looks at the panel, which cost time in the very process that is measured."""

WARM_TARGET = 13.0
AFTER_STOP_TARGET = 40.0
STEP_TARGET = 14.0
STEP_95_TARGET = 27.0
CLICK_TARGET = 60.0

PAGE = """<!doctype html><title>Small form</title><main><h1>Settings of a shelf</h1><form>
<label>Name <input name=name value=Kettles></label> <label>Row <input name=row value=4></label>
<label>Kind <select name=kind><option>Copper<option selected>Steel</select></label>
<label><input type=checkbox name=open> Open to all</label></form>
<button onclick="show()">Show 1</button> <p role=status>Nothing yet</p></main><script>
let n = 1;
const [button, status] = document.querySelectorAll("button, p");
function show() {
  status.textContent = "Shown: " + n++;
  button.textContent = "Show " + n;
}
</script>"""

NOTE_KEYS = """(addEventListener('keydown', (event) => {
  if (event.key === 'Enter') globalThis.__sent = performance.timeOrigin + performance.now();
}, {capture: true}), true)"""


class Stand:
    """A browser with a model that notes when it is asked, and a tab on a small page."""

    def __init__(self, browser: Browser, stack: ExitStack) -> None:
        self.browser = browser
        self.think: Callable[[ModelCall], Answer] = lambda _: say("Fine.")
        self.model = stack.enter_context(ModelServer(lambda asked: self.think(asked), plan=_plan))
        self.site = stack.enter_context(SmallSite({"/": PAGE}))
        choose_model(browser, self.model)
        allow_in(browser, self.site.url)
        self.tab: Tab = browser.open_tab(f"{self.site.url}/")
        self.panel = self.open_panel()

    def open_panel(self) -> Panel:
        """A panel that notes when Enter was pressed."""
        panel = Panel(self.browser, self.tab)
        panel.page.eval(NOTE_KEYS)
        return panel

    @property
    def stamps(self) -> list[Stamp]:
        """Of the requests of the newest run, those for plans too."""
        return self.model.stamps

    def run(self, text: str, mode: str = "act") -> None:
        """Send a message and let the run come to its end."""
        self.stamps.clear()
        self.panel.send(text, mode)
        # Until then the newest run that the panel shows is the one before.
        wait_until(lambda: self.stamps, RUN_TIMEOUT, lambda: "the model to be asked")
        wait_until(self._is_over, RUN_TIMEOUT, lambda: "the run to end")

    def _is_over(self) -> bool:
        time.sleep(LOOK_SECONDS)
        turn = self.panel.last()
        if turn is not None and turn.status == "running" and turn.card:
            self.panel.answer("approved" if turn.card_kind == "plan" else "once")
        return turn is not None and turn.status != "running"

    def send(self, mode: str) -> float:
        """Send a message and let it be answered; return milliseconds from the key to the first request."""
        self.run("What is this?", mode)
        return (self.stamps[0].arrived - float(self.panel.page.eval("globalThis.__sent")) / 1000) * 1000


def _plan(model_call: ModelCall) -> Answer:
    return say(plan_text(model_call.response_schema))


def measure(table: Table, name: str) -> None:
    """All builds in turns."""
    with open_builds(name) as browsers, ExitStack() as stack:
        stands = {build: Stand(browser, stack) for build, browser in browsers.items()}
        _sends(table, stands)
        for build, stand in stands.items():
            _steps(table, build, stand)


def _sends(table: Table, stands: dict[str, Stand]) -> None:
    warm = {
        mode: table.row(f"sending to the first request, warm, {mode}", "ms", WARM_TARGET)
        for mode in ("act", "ask")
    }
    stopped = table.row("  after the service worker was stopped", "ms", AFTER_STOP_TARGET)
    cold = table.row("  just after the extension was loaded")
    for stand in stands.values():
        stand.send("act")
        stand.send("ask")
    for _ in range(TIMES):
        for build, stand in stands.items():
            for mode, row in warm.items():
                row.add(build, stand.send(mode))
    for _ in range(TIMES):
        for build, stand in stands.items():
            if isinstance(stand.browser, Chromium):
                stand.browser.kill_service_worker()
                stopped.add(build, stand.send("act"))
    for _ in range(TIMES):
        for build, stand in stands.items():
            stand.browser.reload_extension()
            ready(stand.browser)
            stand.panel = stand.open_panel()
            cold.add(build, stand.send("act"))


def _steps(table: Table, build: str, stand: Stand) -> None:
    """A run that reads and presses in turns, so that no step is one of a circle."""
    count = 0

    def think(_: ModelCall) -> Answer:
        nonlocal count
        count += 1
        if count > STEPS:
            return done("Enough.", "partial")
        return call("click", text=f"Show {count // 2}") if count % 2 == 0 else see()

    stand.think = think
    port = Port(stand.browser)
    stand.run("Go on until told to stop.")
    # Before the first step come the plan and the first request.
    stamps = stand.stamps[-STEPS - 1 :]
    costs = [(after.arrived - before.answered) * 1000 for before, after in pairwise(stamps)]
    if count <= STEPS:
        print(f"  {build}: the run ended after {count} steps", flush=True)
    reads, presses = costs[::2][EDGE:], costs[1::2][EDGE:]
    table.row("answer to next request, small page, reading it", "ms", STEP_TARGET).add(build, *reads)
    table.row("  95 of 100", "ms", STEP_95_TARGET).add(build, percentile(reads, 0.95))
    table.row("answer to next request, click by text that shows", "ms").add(build, *presses)
    clicks = [float(data["durationMs"]) for data in port.results("click")]
    table.row("  of it: the click itself", "ms", CLICK_TARGET).add(build, *clicks[EDGE:])
