"""What the parts of the memory host share: gates, taps, scripted answers, events. See ``memory.py``."""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from webbrain.host.reach import BrowserEvent, EventKind

Hook = Callable[[str], Awaitable[None] | None]
"""Called with the name of the host call about to happen, e.g. ``page.click_ax`` or ``store.append``."""


class Gate:
    """Holds whoever waits at it until :meth:`release`; ``await gate.reached()`` until somebody does."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._open = asyncio.Event()

    async def reached(self) -> None:
        """Wait until a call hangs at the gate."""
        await self._reached.wait()

    def release(self) -> None:
        """Let everybody through, now and later."""
        self._open.set()

    async def wait(self) -> None:
        """Hang here."""
        self._reached.set()
        await self._open.wait()


class Taps:
    """Where every call of every part passes by."""

    def __init__(self) -> None:
        self.hook: Hook | None = None

    async def reach(self, name: str) -> None:
        """Run the test's hook, then give way to the other tasks, as a real border does."""
        if self.hook is not None:
            waiting = self.hook(name)
            if waiting is not None:
                await waiting
        await asyncio.sleep(0)


class Answers:
    """Answers by name: used in order, the last one for ever."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._left = list(answers)

    async def next(self, call: Any) -> Any:
        answer = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        if callable(answer):
            answer = answer(call)
            if inspect.isawaitable(answer):
                answer = await answer
        if isinstance(answer, BaseException):
            raise answer
        return answer


def json_copy(value: Any) -> Any:
    """Copy by way of JSON text, so that what could not cross the real border does not cross this one."""
    return json.loads(json.dumps(value))


class MemoryEvents:
    """Browser events that a test tells. ``told`` keeps all of them."""

    def __init__(self) -> None:
        self._hearers: list[Callable[[BrowserEvent], None]] = []
        self.told: list[BrowserEvent] = []

    def tell(self, kind: EventKind, tab_id: int = -1, **data: Any) -> None:
        """The browser does something by itself; who listens hears of it at once."""
        event = BrowserEvent(kind, tab_id, json_copy(data))
        self.told.append(event)
        for hear in list(self._hearers):
            hear(event)

    def listen(self, hear: Callable[[BrowserEvent], None]) -> Callable[[], None]:
        self._hearers.append(hear)

        def end() -> None:
            if hear in self._hearers:
                self._hearers.remove(hear)

        return end

    @property
    def listeners(self) -> int:
        """How many listen now; a run that is over leaves nobody behind."""
        return len(self._hearers)
