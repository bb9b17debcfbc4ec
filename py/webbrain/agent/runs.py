"""Many runs at once, at most one per tab, each an asyncio task.

A run belongs to the tab whose conversation it is part of, and may work in another one. Both are taken.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from webbrain.agent.run import Run
from webbrain.core.errors import WebBrainError

STOP_TIMEOUT: Final = 3.0
"""Seconds that a Stop waits for the run's last words. The run itself needs far less; a stuck store may not.
"""
SHARED: Final = (
    "A task that was started in another tab is at work in this one. Wait until it is done, or stop it there."
)


class Runs:
    """The runs that are going on now."""

    def __init__(self) -> None:
        self._runs: dict[int, tuple[Run, asyncio.Task[None]]] = {}

    def active(self, tab_id: int) -> Run | None:
        """The run on that tab, if there is one that has not said how it ended."""
        entry = self._runs.get(tab_id)
        return entry[0] if entry and not entry[0].closed else None

    def busy(self, tab_id: int) -> bool:
        """Whether the tab has a run, be it one that is only being stored."""
        return tab_id in self._runs

    async def make_room(self, tab_id: int) -> None:
        """Raise ``run_active`` if the tab has a run; one that is only being stored is waited for."""
        if self.active(tab_id) is None:
            await self.wait(tab_id)
        self._refuse_second(tab_id)

    def _refuse_second(self, tab_id: int) -> None:
        if tab_id in self._runs:
            raise WebBrainError("A task is already running on this tab.", code="run_active")

    def refuse_shared(self, tab_id: int) -> None:
        """Raise ``tab_in_use`` if the run of another tab works in this one."""
        if any(home != tab_id and run.tab_id == tab_id for home, run in self._going_on()):
            raise WebBrainError(SHARED, code="tab_in_use")

    def _going_on(self) -> list[tuple[int, Run]]:
        return [(home, run) for home, (run, _) in self._runs.items() if not run.closed]

    def start(self, tab_id: int, run: Run, on_end: Callable[[], None]) -> None:
        """Start ``run``. ``on_end`` is called once it is over, however it ended."""
        self._refuse_second(tab_id)
        self.refuse_shared(tab_id)
        run.keep_out_of(
            lambda other: any(
                one is not run and other in (home, one.tab_id) for home, one in self._going_on()
            )
        )
        run.begin()
        task = asyncio.ensure_future(run.execute())
        self._runs[tab_id] = (run, task)

        def ended(_: asyncio.Future[None]) -> None:
            # A task that is cancelled before its first step never runs at all.
            run.close("stopped")
            del self._runs[tab_id]
            on_end()

        task.add_done_callback(ended)

    async def stop(self, tab_id: int, *, closed: bool = False) -> bool:
        """Stop the run on that tab and wait for its end; false if there was none. Stopping twice is
        harmless. ``closed``: the tab is gone, and the run says that instead of having been stopped.
        """
        entry = self._runs.get(tab_id)
        if entry is None:
            return False
        run, task = entry
        if not run.closed:
            if closed:
                run.tab_closed()
            task.cancel()
        await asyncio.wait({task}, timeout=STOP_TIMEOUT)
        return True

    async def wait(self, tab_id: int) -> None:
        """Wait until the tab has no run."""
        while tab_id in self._runs:
            await asyncio.wait({self._runs[tab_id][1]})
            await asyncio.sleep(0)  # for the callback that takes it off the list
