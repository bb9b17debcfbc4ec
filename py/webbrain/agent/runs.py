"""Many runs at once, at most one per tab, each an asyncio task."""

import asyncio
from collections.abc import Callable
from typing import Final

from webbrain.agent.run import Run
from webbrain.core.errors import WebBrainError

STOP_TIMEOUT: Final = 3.0
"""Seconds that a Stop waits for the run's last words. The run itself needs far less; a stuck store may not.
"""


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

    def start(self, tab_id: int, run: Run, on_end: Callable[[], None]) -> None:
        """Start ``run``. ``on_end`` is called once it is over, however it ended."""
        self._refuse_second(tab_id)
        run.begin()
        task = asyncio.ensure_future(run.execute())
        self._runs[tab_id] = (run, task)

        def ended(_: asyncio.Future[None]) -> None:
            # A task that is cancelled before its first step never runs at all.
            run.close("stopped")
            del self._runs[tab_id]
            on_end()

        task.add_done_callback(ended)

    async def stop(self, tab_id: int) -> bool:
        """Stop the run on that tab and wait for its end; false if there was none. Stopping twice is
        harmless.
        """
        entry = self._runs.get(tab_id)
        if entry is None:
            return False
        run, task = entry
        if not run.closed:
            task.cancel()
        await asyncio.wait({task}, timeout=STOP_TIMEOUT)
        return True

    async def wait(self, tab_id: int) -> None:
        """Wait until the tab has no run."""
        while tab_id in self._runs:
            await asyncio.wait({self._runs[tab_id][1]})
            await asyncio.sleep(0)  # for the callback that takes it off the list
