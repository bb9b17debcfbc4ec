"""Tools that hang Python's thread, in the builds for tests (``build/crash.py``); what is shipped has none.

A test names one of :data:`WAYS` in ``storage.session``; the next call of a tool then does that in the tool's
place.
"""

import dataclasses
import re
import sys
from collections.abc import Callable
from typing import Any, Final

from webbrain.agent.calls import Caller
from webbrain.core.results import ToolResult
from webbrain.tools.base import ToolContext, ToolSpec

STUCK: Final = "WEBBRAIN_CRASH_stuck"
DEEP: Final = 1_000_000


def _loop() -> None:
    while True:
        pass


def _expression() -> None:
    """Backtracking that doubles with every letter: it would take longer than there is time."""
    re.match(r"(a|a)*b", "a" * 60)


def _recursion() -> None:
    """So deep that the interpreter's own guard is off, through built-in code, which fills the stack."""
    sys.setrecursionlimit(2 * DEEP)

    def dive(depth: int) -> int:
        return max(map(dive, [depth - 1])) if depth else 0

    dive(DEEP)


WAYS: Final[dict[str, Callable[[], None]]] = {
    "loop": _loop,
    "expression": _expression,
    "recursion": _recursion,
}


def install() -> None:
    """Let tools get stuck if a test wants it."""
    really = Caller._result_of

    async def result_of(self: Caller, spec: ToolSpec, args: Any, ctx: ToolContext) -> tuple[ToolResult, bool]:
        way = (await self.host.session.get([STUCK])).get(STUCK)
        if way not in WAYS:
            return await really(self, spec, args, ctx)
        await self.host.session.remove([STUCK])

        async def run(ctx: ToolContext, args: Any) -> ToolResult:
            WAYS[way]()
            return ToolResult.ok("not stuck")

        return await really(self, dataclasses.replace(spec, run=run), args, ctx)

    Caller._result_of = result_of  # type: ignore[method-assign]
