"""What is due at once, run many at a time.

The loop of Pyodide gives each callback a task of the browser's own: a function is wrapped for JavaScript,
sent through a message channel, called back on a stack of its own, and let go of. A step of a run makes some
eighty callbacks, most of which do next to nothing. Here they wait in a line, and one task of the browser's
runs the line to its end, unless that takes long: then messages and timers of the browser get their turn.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any, Final

SLICE: Final = 0.005
"""Seconds after which the browser gets its turn; a single callback is never cut short."""


class ReadyLine:
    """The callbacks of one loop that are due, in order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._later = loop.call_soon
        self._line: deque[asyncio.Handle] = deque()
        self._booked = False
        """Whether the browser will call :meth:`_run`."""

    def install(self) -> None:
        """Take the place of the loop's own ``call_soon``."""
        self._loop.call_soon = self.call_soon  # type: ignore[method-assign, assignment]

    def call_soon(
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """As ``asyncio.AbstractEventLoop.call_soon``."""
        handle = asyncio.Handle(callback, args, self._loop, context)
        self._line.append(handle)
        self._book()
        return handle

    def _book(self) -> None:
        if not self._booked:
            self._booked = True
            self._later(self._run)

    def _run(self) -> None:
        # Booked until the end: who is called and has something to add needs no other task.
        end = time.monotonic() + SLICE
        try:
            while self._line:
                handle = self._line.popleft()
                if not handle.cancelled():
                    handle._run()
                if time.monotonic() >= end:
                    break
        finally:
            self._booked = False
            if self._line:
                self._book()
