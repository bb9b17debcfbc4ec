"""The mark on the toolbar button while a question waits: a closed panel must not hide it."""

import asyncio
import logging
from typing import Final

from webbrain.core.errors import WebBrainError
from webbrain.host.protocols import Host

MARK: Final = "?"

_log = logging.getLogger(__name__)


class Badge:
    """Shows how many tabs wait for an answer."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._waiting: set[int] = set()
        self._wanted = ""
        self._shown: str | None = None
        self._work: asyncio.Task[None] | None = None

    def waits(self, tab_id: int, waiting: bool) -> None:
        """The run of that tab waits for a person, or no longer does. Never blocks."""
        if waiting:
            self._waiting.add(tab_id)
        else:
            self._waiting.discard(tab_id)
        count = len(self._waiting)
        self._wanted = "" if not count else MARK if count == 1 else str(count)
        if self._work is None or self._work.done():
            self._work = asyncio.ensure_future(self._show())

    async def clear(self) -> None:
        """Nothing waits: what an earlier Worker left there goes."""
        self._waiting.clear()
        self._wanted, self._shown = "", None
        await self._show()

    async def _show(self) -> None:
        while self._shown != self._wanted:
            text = self._wanted
            try:
                await self._host.toolbar.mark(text)
            except WebBrainError as error:
                _log.warning("The toolbar button cannot be marked: %s", error.message)
                return
            self._shown = text
