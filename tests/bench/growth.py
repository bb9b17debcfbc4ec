"""``make bench-growth``: what a run of 300 steps costs as it grows, in Chromium with the built extension.

    python -m tests.bench.growth [STEPS]

Half of the steps read a page of 7 KB that shows something else each time, the others press what shows the
next; every tenth is a look at the page as a picture. Printed are the time between an answer of the model and
its next request, the processor's time for it, the length of the requests, and the private memory of the
extension's process. On a machine that has other work the first of these says little, so there the second is
held to the limit. It ends with 1 if a limit is missed, or if the run was not the one that was meant: each
page and each picture that the model asked for has to be in its next request.
"""

import json
import os
import re
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from tests.bench.memory import PROC, extension_processes, private_dirty
from tests.support.approve import allow_in
from tests.support.browsers import Browser, open_browser
from tests.support.port import Port
from tests.support.screens import Panel
from tests.support.script import call, done, see
from tests.support.small_site import SmallSite
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer

STEPS: Final = 300
BUSY: Final = 0.5
"""Tasks per processor, over the last minute, from which on a machine counts as busy."""
EDGE: Final = 50
"""So many steps at the beginning and at the end are compared."""
LOOK_EVERY: Final = 10
RATIO_LIMIT: Final = 1.5
MEMORY_LIMIT: Final = 150.0
"""Megabytes that the process may grow by."""
WINDOW: Final = 128_000
"""Tokens that the model is known to take."""
CHARS_PER_TOKEN: Final = 4
PICTURE_TOKENS: Final = 1_500
"""What a picture is taken to cost; its bytes are no text."""
READ_CHARS: Final = 12_000
"""As much of a page as one read may return."""
PAGE_CHARS: Final = 6_000
"""A page that was read has at least so many."""
PICTURE: Final = re.compile(r"data:image/[^\"]+")
PER_STEP: Final = 4.0
"""Seconds that a step may take before the bench gives up."""
MODEL: Final = "gpt-4o-mini"
"""Known by its name to read pictures."""

GOODS: Final = 110
PAGE_SHARE: Final = 0.8
"""So much of the goods at least is on a page that counts as read."""
PAGE: Final = """<!doctype html><title>Shelves</title><main></main><script>
let shelf = 0;
function show() {
  shelf++;
  const goods = Array.from({length: GOODS}, (_, row) =>
    `<li><button>Kettle ${shelf}-${row}, copper, ${row * 7 % 93} francs</button></li>`);
  document.querySelector('main').innerHTML =
    `<button onclick="show()">Shelf after ${shelf}</button><ul>${goods.join('')}</ul>`;
}
show();
</script>""".replace("GOODS", str(GOODS))


@dataclass
class Growth:
    """A model that goes on for so many steps, and what was measured meanwhile."""

    steps: int
    asked: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)
    """Step, and megabytes then."""
    processor: list[tuple[int, float]] = field(default_factory=list)
    """Step, and the milliseconds that the extension's process had used by then."""
    busy: bool = False
    """Whether the machine had other work when the run began."""
    shelf: int = 1
    """Which one the page shows."""
    read: int = 0
    """Which one was read last."""
    wanted: str = ""
    """What the newest answer asked to be shown: ``page``, ``picture`` or nothing."""
    shown: dict[str, int] = field(default_factory=lambda: {"page": 0, "picture": 0})
    missing: list[str] = field(default_factory=list)
    """What was asked for and did not come with the next request."""
    ending: str = ""
    """How the run ended, as the panel says it."""
    most_pages: int = 0
    """Whole pages in one request, at most."""

    def think(self, model_call: ModelCall) -> Answer:
        """The next step, or the end."""
        self.asked.append(time.perf_counter())
        step = len(self.asked)
        self._look_at(model_call, step)
        if step % EDGE == 1 or step == self.steps:
            processes = extension_processes()
            self.memory.append((step, sum(map(private_dirty, processes))))
            self.processor.append((step, sum(map(_processor_ms, processes))))
        answer = self._answer(step)
        self.answered.append(time.perf_counter())
        return answer

    def _look_at(self, model_call: ModelCall, step: int) -> None:
        """Measure a request, and see whether it has what the answer before it asked for."""
        pictures = len(PICTURE.findall(text := json.dumps(model_call.body)))
        self.tokens.append(len(PICTURE.sub("", text)) // CHARS_PER_TOKEN + pictures * PICTURE_TOKENS)
        results = [turn.text for turn in model_call.turns if turn.role == "tool"]
        self.most_pages = max(self.most_pages, sum(len(result) >= PAGE_CHARS for result in results))
        newest = results[-1] if results else ""
        goods = newest.count(f"Kettle {self.shelf}-")
        came = {
            "page": len(newest) >= PAGE_CHARS and goods >= GOODS * PAGE_SHARE,
            "picture": pictures > 0 and _newest_has_picture(model_call.body),
        }
        if not self.wanted:
            return
        if came[self.wanted]:
            self.shown[self.wanted] += 1
        else:
            self.missing.append(f"request {step}: no {self.wanted}, but {newest[:200]!r}")

    def _answer(self, step: int) -> Answer:
        self.wanted = ""
        if step >= self.steps:
            return done("Enough was read.", "partial")
        if step % LOOK_EVERY == 0:
            self.wanted = "picture"
            return call("inspect_viewport")
        if self.read < self.shelf:
            self.read, self.wanted = self.shelf, "page"
            return see(maxChars=READ_CHARS)
        self.shelf += 1
        return call("click", text=f"Shelf after {self.shelf - 1}")

    @property
    def passed(self) -> float:
        """Median time of the last steps, as a multiple of that of the first."""
        costs = self.costs
        return statistics.median(costs[-EDGE:]) / statistics.median(costs[:EDGE]) if costs else 0.0

    @property
    def used(self) -> list[float]:
        """Milliseconds of the processor for a step, of each stretch between two measurements."""
        return [
            (after - before) / (step - begun)
            for (begun, before), (step, after) in pairwise(self.processor)
            if step > begun
        ]

    @property
    def ratio(self) -> float:
        """What the last steps cost as a multiple of the first: in time, or on a busy machine in work."""
        if not self.busy:
            return self.passed
        return self.used[-1] / self.used[0] if self.used else 0.0

    @property
    def grown(self) -> float:
        """Megabytes by which the process was larger than at the start, at most."""
        sizes = [megabytes for _, megabytes in self.memory]
        return max(sizes, default=0.0) - (sizes[0] if sizes else 0.0)

    @property
    def costs(self) -> list[float]:
        """Milliseconds between each answer and the next request."""
        return [
            (asked - answered) * 1000 for answered, asked in zip(self.answered, self.asked[1:], strict=False)
        ]


def main() -> int:
    """Measure and print; 1 if a limit is missed or the run was another than was meant."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
    with ExitStack() as stack:
        browser: Browser = open_browser("chromium")
        stack.callback(browser.close)
        growth = run(browser, steps, stack)
    print_curve(growth)
    missed = list(misses(growth))
    print("\n".join(f"MISSED: {what}" for what in missed) or "every limit is met")
    return 1 if missed else 0


def run(browser: Browser, steps: int, stack: ExitStack) -> Growth:
    """Do the long run with a panel open, as a person has it."""
    growth = Growth(steps, busy=os.getloadavg()[0] > BUSY * (os.cpu_count() or 1))
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
    turn = panel.wait_over(steps * PER_STEP)
    growth.ending = f"{turn.status}: {turn.error_text or turn.text}"
    return growth


def print_curve(growth: Growth) -> None:
    """What each fifty steps cost, and how long the requests and the process became."""
    costs = growth.costs
    print(f"{len(growth.asked)} requests, on a {'busy' if growth.busy else 'quiet'} machine")
    heads = ("median", "mean", "most", "processor", "tokens", "memory")
    print(f"{'steps':>12} {' '.join(f'{head:>10}' for head in heads)}")
    memory, used = dict(growth.memory), [*growth.used, 0.0]
    for start in range(0, len(costs), EDGE):
        part = costs[start : start + EDGE]
        held = memory.get(start + 1, 0.0)
        print(
            f"{start + 1:>5} to {start + len(part):>3} {statistics.median(part):>7.1f} ms"
            f" {statistics.fmean(part):>7.1f} ms {max(part):>7.1f} ms {used[start // EDGE]:>7.1f} ms"
            f" {max(growth.tokens[start : start + EDGE]):>10} {held:>7.1f} MB"
        )
    print(
        f"last {EDGE} steps against the first {EDGE}: x {growth.passed:.2f} in time, held to the limit:"
        f" x {growth.ratio:.2f} (at most {RATIO_LIMIT})"
    )
    print(f"the extension's process grew by {growth.grown:.0f} MB (less than {MEMORY_LIMIT:.0f})")
    print(f"the longest request had about {max(growth.tokens, default=0)} tokens (window {WINDOW})")
    print(
        f"{growth.shown['page']} pages and {growth.shown['picture']} pictures came when they were asked for,"
        f" up to {growth.most_pages} pages at once"
    )


def misses(growth: Growth) -> Iterator[str]:
    """What is not as it has to be."""
    if len(growth.asked) < growth.steps:
        yield f"the run ended after {len(growth.asked)} of {growth.steps} requests; {growth.ending}"
    if growth.missing:
        yield f"{len(growth.missing)} pages or pictures did not reach the model; {growth.missing[0]}"
    if not all(growth.shown.values()):
        yield f"no page or no picture was shown: {growth.shown}"
    if growth.ratio > RATIO_LIMIT:
        yield f"the last {EDGE} steps cost {growth.ratio:.2f} times as much as the first {EDGE}"
    if growth.grown >= MEMORY_LIMIT:
        yield f"the process grew by {growth.grown:.0f} MB"
    if max(growth.tokens, default=0) >= WINDOW:
        yield f"a request had {max(growth.tokens)} tokens"


def _processor_ms(pid: int) -> float:
    """What a process has used of the processor since it began."""
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _newest_has_picture(body: dict[str, Any]) -> bool:
    """Whether a picture came with the newest results, not only with older ones."""
    messages = body["messages"]
    asked = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    return bool(PICTURE.search(json.dumps(messages[asked[-1] :]))) if asked else False


if __name__ == "__main__":
    sys.exit(main())
