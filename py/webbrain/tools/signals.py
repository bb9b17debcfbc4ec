"""What the browser reports while a run works, in order, and waiting for it.

A call that hangs because of something the browser has reported (a dialog, a closed tab) is not waited for to
its deadline, and a call that changed something is told what else came of it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from webbrain.host.reach import BrowserEvent

KEPT: Final = 400
"""Events remembered; a call looks back at most to its own beginning."""

Result = TypeVar("Result")
Check = Callable[[BrowserEvent], bool]


class Interrupted(Exception):
    """The awaited work was given up because of ``event``."""

    def __init__(self, event: BrowserEvent) -> None:
        super().__init__(event.kind)
        self.event = event


class Signals:
    """The log of one run's browser events."""

    def __init__(self) -> None:
        self._events: deque[BrowserEvent] = deque(maxlen=KEPT)
        self._count = 0
        self._hearers: list[Callable[[BrowserEvent], None]] = []

    @property
    def mark(self) -> int:
        """A place in the log: what is reported from now on is ``since`` it."""
        return self._count

    def add(self, event: BrowserEvent) -> None:
        """Take up an event and tell whoever waits for one."""
        self._events.append(event)
        self._count += 1
        for hear in list(self._hearers):
            hear(event)

    def since(self, mark: int) -> list[BrowserEvent]:
        """The events after ``mark``, oldest first."""
        newer = self._count - mark
        return list(self._events)[-newer:] if newer > 0 else []

    async def unless(self, work: Awaitable[Result], check: Check) -> Result:
        """Await ``work``; give it up and raise ``Interrupted`` at the first event that passes ``check``.

        Work that is given up is cancelled and not waited for.
        """
        task = asyncio.ensure_future(work)
        heard: asyncio.Future[BrowserEvent] = asyncio.get_running_loop().create_future()

        def hear(event: BrowserEvent) -> None:
            if not heard.done() and check(event):
                heard.set_result(event)

        self._hearers.append(hear)
        try:
            both: set[asyncio.Future[Any]] = {task, heard}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise Interrupted(heard.result())
        finally:
            self._hearers.remove(hear)
            heard.cancel()
            if not task.done():
                task.add_done_callback(_consume)
                task.cancel()

    async def first(self, check: Check, sleep: Awaitable[None], *, since: int) -> BrowserEvent | None:
        """The first event after ``since`` that passes, or ``None`` if ``sleep`` ends before there is one."""
        found = self._find(check, since)
        if found is not None:
            drop(sleep)
            return found
        try:
            await self.unless(sleep, check)
        except Interrupted as interruption:
            return interruption.event
        return self._find(check, since)

    def _find(self, check: Check, since: int) -> BrowserEvent | None:
        return next((event for event in self.since(since) if check(event)), None)


def drop(work: Awaitable[object]) -> None:
    """Close a coroutine that is not awaited after all."""
    close = getattr(work, "close", None)
    if close is not None:
        close()


def _consume(task: asyncio.Future[Any]) -> None:
    """Look at the outcome that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
