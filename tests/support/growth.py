"""A long run against the memory host: what a step costs as the history grows, counted in calls of functions.

The page shows something else whenever it is read; every tenth step is a look at it as a picture. Nobody is
waited for, so what is left is the agent's own work. Calls are counted, not timed: the count is the same on a
busy machine.
"""

import asyncio
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import FrameType
from typing import Any, Final

from tests.support.agent import Bench
from tests.support.toolbox import TAB, page_host
from webbrain.core.messages import ModelReply, ModelRequest, ToolCall, Usage
from webbrain.host.memory import MemoryHost
from webbrain.prompts import prompt
from webbrain.providers.base import ModelInfo
from webbrain.testing.scripted import INFO, call

ROWS: Final = 110
"""Lines of a page's tree: about 7 KB."""
LOOK_EVERY: Final = 10
EDGE: Final = 50
"""So many steps at the beginning and at the end of a run are compared."""
CHARS_PER_TOKEN: Final = 4
SECOND: Final = 1.0
SEES: Final = replace(INFO, supports_vision=True)


def shelf(number: int, rows: int = ROWS) -> str:
    """The tree of a page that shows goods of its own for every number."""
    lines = [f'heading "Shelf {number}" level=1']
    lines += [
        f'button "Kettle {number}-{row}, copper, {row * 7 % 93} francs" [ref_{number * rows + row}]'
        for row in range(rows)
    ]
    return "\n".join(lines)


def next_call(step: int) -> ToolCall:
    """What the model of a long run asks for: it reads, presses something it has read, and at times looks."""
    if step % LOOK_EVERY == LOOK_EVERY - 1:
        return call("inspect_viewport")
    if step % 2:
        return call("click_ax", ref_id=f"ref_{(step // 2 + 1) * ROWS + step % ROWS}")
    return call("get_accessibility_tree")


@dataclass
class Paced:
    """A model that goes on until it was asked ``steps`` times, and notes how much was done before each."""

    steps: int
    info: ModelInfo
    called: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    """Of each request, as estimated by its characters."""
    on_request: Callable[[], None] = lambda: None
    count: Callable[[], int] = lambda: 0
    summaries: int = 0

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """The next step, or the end."""
        usage = Usage(prompt_tokens=10, completion_tokens=5)
        if request.messages[0].content == prompt("summarise"):
            self.summaries += 1
            return ModelReply(text="So far the shelves were read.", usage=usage)
        self.on_request()
        self.called.append(self.count())
        self.tokens.append(sum(len(one.content) for one in request.messages) // CHARS_PER_TOKEN)
        step = len(self.called)
        if step >= self.steps:
            return ModelReply(text="All shelves were read.", usage=usage)
        return ModelReply(tool_calls=[next_call(step - 1)], usage=usage, finish="tool_calls")


@dataclass(frozen=True)
class Curve:
    """What a run cost. ``costs`` are calls of functions in each step."""

    costs: list[int]
    tokens: list[int]
    window: int
    summaries: int
    status: str

    def growth(self, filled: int) -> float:
        """Median cost of the last steps, as a multiple of that of those behind step ``filled``."""
        return statistics.median(self.costs[-EDGE:]) / statistics.median(self.costs[filled : filled + EDGE])


def _at_the_pace_of_a_model(host: MemoryHost) -> Callable[[], None]:
    """Let a second pass with each request, and whoever sleeps as long wake then: once a second the agent
    writes its mirrors. Shorter pauses of a step are none here.
    """
    clock = host.clock
    sleepers: list[asyncio.Event] = []

    async def sleep(seconds: float) -> None:
        if seconds < SECOND:
            clock.advance(max(seconds, 0.0))
            await asyncio.sleep(0)
            return
        sleepers.append(asyncio.Event())
        await sleepers[-1].wait()

    def tick() -> None:
        clock.advance(SECOND)
        while sleepers:
            sleepers.pop().set()

    clock.sleep = sleep  # type: ignore[method-assign]
    return tick


@contextmanager
def _counting() -> Iterator[Callable[[], int]]:
    """Count every call of a function, those of built-in ones too, from now on."""
    calls = 0

    def hear(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1

    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        yield lambda: calls
    finally:
        sys.setprofile(before)


def _control(number: int) -> dict[str, Any]:
    return {"ref": f"ref_{number}", "role": "button", "name": f"Kettle {number}", "can": ["click"]}


async def long_run(steps: int, info: ModelInfo = SEES) -> Curve:
    """Do a run of so many steps."""
    reads = 0

    def tree(_: Any) -> dict[str, Any]:
        nonlocal reads
        reads += 1
        return {
            "pageContent": shelf(reads),
            "hasMore": False,
            "truncated": False,
            "page": 1,
            "treeRevision": f"r{reads}",
            "controls": [
                {
                    "ref": f"ref_{reads * ROWS + row}",
                    "role": "button",
                    "name": f"Kettle {row}",
                    "can": ["click"],
                }
                for row in range(ROWS)
            ],
        }

    host = page_host()
    host.page.on("tree", tree)
    model = Paced(steps, info)
    model.on_request = _at_the_pace_of_a_model(host)
    bench = Bench(host=host, model=model)  # type: ignore[arg-type]
    await bench.app.settings.save({"maxAgentSteps": 0, "autoScreenshot": "off"})
    accepted = await bench.start("Read all shelves.")
    with _counting() as model.count:
        await bench.app.runs.wait(TAB)
    await bench.app.settled()
    events = bench.events(run_id=accepted["runId"])
    costs = [after - before for before, after in pairwise(model.called)]
    status = str(events[-1]["data"]["status"])
    return Curve(costs, model.tokens, model.info.context_window, model.summaries, status)
