"""``make bench-growth``: what a run of 300 steps costs as it grows, in Chromium with the built extension.

    python -m tests.bench.growth [STEPS]

Half of the steps read a page of 7 KB that shows something else each time, the others press what shows the
next; every tenth is a look at the page as a picture. Printed are the time between an answer of the model and
its next request, the length of the requests, and the private memory of the extension's process. Nothing
fails on a figure here; what is missed is said.
"""

import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from tests.bench.memory import extension_processes, private_dirty
from tests.support.approve import allow_in
from tests.support.browsers import Browser, open_browser
from tests.support.port import Port
from tests.support.screens import Panel
from tests.support.script import call, done, see
from tests.support.small_site import SmallSite
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer

STEPS: Final = 300
EDGE: Final = 50
"""So many steps at the beginning and at the end are compared."""
LOOK_EVERY: Final = 10
RATIO_TARGET: Final = 1.2
RATIO_LIMIT: Final = 1.5
MEMORY_TARGET: Final = 150.0
"""Megabytes that the process may grow by."""
WINDOW: Final = 128_000
"""Tokens that the model is known to take."""
CHARS_PER_TOKEN: Final = 4
PAGES_TOKENS: Final = 8_000
"""A request with several pages in it has at least so many."""
PER_STEP: Final = 2.0
"""Seconds that a step may take before the bench gives up."""
MODEL: Final = "gpt-4o-mini"
"""Known by its name to read pictures."""

PAGE: Final = """<!doctype html><title>Shelves</title><main></main><script>
let shelf = 0;
function show() {
  shelf++;
  const goods = Array.from({length: 110}, (_, row) =>
    `<li><button>Kettle ${shelf}-${row}, copper, ${row * 7 % 93} francs</button></li>`);
  document.querySelector('main').innerHTML =
    `<button onclick="show()">Shelf after ${shelf}</button><ul>${goods.join('')}</ul>`;
}
show();
</script>"""


@dataclass
class Growth:
    """A model that goes on for so many steps, and what was measured meanwhile."""

    steps: int
    asked: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)
    """Step, and megabytes then."""
    pages: int = 0

    def think(self, model_call: ModelCall) -> Answer:
        """The next step, or the end."""
        self.asked.append(time.perf_counter())
        self.tokens.append(sum(len(turn.text) for turn in model_call.turns) // CHARS_PER_TOKEN)
        step = len(self.asked)
        if step % EDGE == 1:
            self.memory.append((step, sum(map(private_dirty, extension_processes()))))
        answer = self._answer(step)
        self.answered.append(time.perf_counter())
        return answer

    def _answer(self, step: int) -> Answer:
        if step >= self.steps:
            return done("Enough was read.", "partial")
        if step % LOOK_EVERY == 0:
            return call("inspect_viewport")
        if step % 2:
            return see(maxChars=16_000)
        self.pages += 1
        return call("click", text=f"Shelf after {self.pages}")

    @property
    def costs(self) -> list[float]:
        """Milliseconds between each answer and the next request."""
        return [
            (asked - answered) * 1000 for answered, asked in zip(self.answered, self.asked[1:], strict=False)
        ]


def main() -> int:
    """Measure and print; 1 if the run did not get to its end."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
    with ExitStack() as stack:
        browser: Browser = open_browser("chromium")
        stack.callback(browser.close)
        growth = run(browser, steps, stack)
    report(growth)
    return 0 if len(growth.asked) >= steps else 1


def run(browser: Browser, steps: int, stack: ExitStack) -> Growth:
    """Do the long run with a panel open, as a person has it."""
    growth = Growth(steps)
    model = stack.enter_context(ModelServer(growth.think, model=MODEL))
    site = stack.enter_context(SmallSite({"/": PAGE}))
    port = Port(browser)
    # What answers at an address of this computer is else taken to be a small model with a small window.
    config = {"baseUrl": model.url, "model": model.model, "promptTier": "full", "contextWindow": WINDOW}
    port.call("providers.save", id="custom", config=config)
    port.call("providers.activate", id="custom")
    port.call("settings.set", values={"maxAgentSteps": 0, "autoScreenshot": "off"})
    allow_in(browser, site.url)
    panel = Panel(browser, browser.open_tab(f"{site.url}/"))
    browser.control.goto("about:blank")  # the page for our own questions is one of the extension's too
    panel.approves = True
    panel.send("Read all shelves, one after the other.", "act")
    panel.wait_over(steps * PER_STEP)
    return growth


def report(growth: Growth) -> None:
    """The curve, and how it stands to what was promised."""
    costs = growth.costs
    print(f"{len(growth.asked)} requests")
    print(f"{'steps':>12} {'median':>10} {'mean':>10} {'most':>10} {'tokens':>10} {'memory':>10}")
    memory = dict(growth.memory)
    for start in range(0, len(costs), EDGE):
        part = costs[start : start + EDGE]
        held = memory.get(start + 1, 0.0)
        print(
            f"{start + 1:>5} to {start + len(part):>3} {statistics.median(part):>7.1f} ms"
            f" {statistics.fmean(part):>7.1f} ms {max(part):>7.1f} ms"
            f" {max(growth.tokens[start : start + EDGE]):>10} {held:>7.1f} MB"
        )
    if len(costs) >= 2 * EDGE:
        ratio = statistics.median(costs[-EDGE:]) / statistics.median(costs[:EDGE])
        verdict = "met" if ratio <= RATIO_TARGET else "missed" if ratio > RATIO_LIMIT else "within the limit"
        print(f"last {EDGE} steps against the first {EDGE}: x {ratio:.2f} (target {RATIO_TARGET}: {verdict})")
    sizes = [megabytes for _, megabytes in growth.memory]
    grown = max(sizes, default=0.0) - (sizes[0] if sizes else 0.0)
    word = "met" if grown < MEMORY_TARGET else "missed"
    print(f"the extension's process grew by at most {grown:.0f} MB (target {MEMORY_TARGET:.0f}: {word})")
    most = max(growth.tokens, default=0)
    word = "met" if most < WINDOW else "missed"
    print(f"the longest request had about {most} tokens, without tools (window {WINDOW}: {word})")
    if most < PAGES_TOKENS:
        print("the pages did not reach the model: what was measured is another run than was meant")


if __name__ == "__main__":
    sys.exit(main())
