"""Stores what a recorder noted down: a little later, without secrets, and never in the way of the run."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from webbrain.agent.exchanges import MARGIN, message_view
from webbrain.core.errors import BridgeError
from webbrain.core.messages import Message
from webbrain.host.protocols import Clock
from webbrain.host.tables import Entry
from webbrain.policy.redaction import StrictRedactor

TEXT_CHARS: Final = 20_000
"""A longer text is kept as its beginning and its length."""
WRITE_PERIOD: Final = 1.0
"""Seconds in which what happens is collected before it is stored."""
WRITE_CHARS: Final = 4_000_000
"""Characters stored in one go; the last event may go beyond."""
WAITING: Final = 400
"""Events that may wait for a store that does not take them."""
FAILURES: Final = 3
"""After so many refusals in a row the recording ends; after the first if the storage is full."""
RUN_CHARS: Final = 100_000_000
"""What one recording may take; what comes after is counted and not kept."""

_log = logging.getLogger(__name__)

Row = dict[str, Any]


class Shelf(Protocol):
    """Where recordings are stored. Makes room for them if it must."""

    async def put(self, run_id: str, entries: list[Entry], chars: int) -> None:
        """Store entries that take ``chars`` characters more. Raises ``BridgeError``."""
        ...

    async def events(self, run_id: str) -> list[tuple[int, Row]]:
        """What is stored of the run's events."""
        ...

    def ended(self, run_id: str, *, whole: bool) -> None:
        """The recording is over; ``whole`` is false if it could not be stored to its end."""
        ...


@dataclass(frozen=True, slots=True)
class Noted:
    """An event that waits to be stored, with the id of its picture."""

    n: int
    event: Row
    picture: str = ""


class Writer:
    """One per recording. ``row`` is the run as it is listed, which its recorder keeps up to date."""

    def __init__(
        self,
        shelf: Shelf,
        clock: Clock,
        redactor: StrictRedactor,
        picture: Callable[[str], Awaitable[str]],
        row: Row,
    ) -> None:
        """``picture`` gives a picture's data URL by its id, empty if it is gone."""
        self.row = row
        self.broken = False
        self._shelf = shelf
        self._clock = clock
        self._redactor = redactor
        self._picture = picture
        self._waiting: dict[int, Noted] = {}
        self._known = 0
        self._stored = False
        self._closed = asyncio.Event()
        self._failures = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def run_id(self) -> str:
        """The run that is recorded."""
        return str(self.row["runId"])

    def note(self, noted: Noted) -> None:
        """Store this soon, in the place of an event of the same number."""
        if self.broken:
            return
        if len(self._waiting) >= WAITING:
            self.break_off("More happens than can be stored.")
            return
        self._waiting[noted.n] = noted
        self.wake()

    def close(self) -> None:
        """Everything is noted: store the rest and the run as it ended."""
        self._closed.set()
        self.wake()

    def wake(self) -> None:
        """See to it that what waits is stored, and the run is listed."""
        if not self.broken and (self._task is None or self._task.done()):
            self._task = asyncio.ensure_future(self._run())

    async def saved(self) -> None:
        """Wait until everything is stored, or the recording broke off."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    def break_off(self, why: str) -> None:
        """The run goes on without its recording."""
        if self.broken:
            return
        self.broken = True
        self._waiting.clear()
        _log.warning("The recording of a run ended early: %s", why)
        self._shelf.ended(self.run_id, whole=False)

    async def _run(self) -> None:
        try:
            while not self.broken:
                if self._stored:
                    await self._collect()
                closing = self._closed.is_set()
                if await self._write() and not self._waiting and closing is self._closed.is_set():
                    break
            if self._closed.is_set() and not self.broken:
                self._shelf.ended(self.run_id, whole=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, the run has nothing to do with it
            self.break_off(repr(error))

    async def _collect(self) -> None:
        """Let more come together. The end of the run does not wait: a death right after it is none of it."""
        waits = [
            asyncio.ensure_future(self._clock.sleep(WRITE_PERIOD)),
            asyncio.ensure_future(self._closed.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _write(self) -> bool:
        """Store what waits and the run itself; what is refused goes on waiting, and the answer is false."""
        await self._clean_again()
        taken, entries, chars = await self._batch()
        entries.append(Entry("runs", self.run_id, self._listed()))
        try:
            await self._shelf.put(self.run_id, entries, chars)
        except Exception as error:
            self._failures += 1
            if is_full(error) or self._failures >= FAILURES:
                raise
            _log.warning("A part of a recording was not stored: %s", error)
            self.row["chars"] -= chars
            for noted in taken:
                self._waiting.setdefault(noted.n, noted)
            await self._clock.sleep(WRITE_PERIOD)
            return False
        self._failures = 0
        self._stored = True
        return True

    async def _batch(self) -> tuple[list[Noted], list[Entry], int]:
        """What is taken off the list for one write, the same ready to be stored, and its characters."""
        taken: list[Noted] = []
        entries: list[Entry] = []
        chars = 0
        while self._waiting and chars <= WRITE_CHARS:
            noted = self._waiting.pop(next(iter(self._waiting)))
            taken.append(noted)
            keeper = _Keeper(self._redactor.text)
            event = keeper.kept(noted.event)
            image = await self._picture(noted.picture) if noted.picture else ""
            if noted.picture and not image:
                event["data"]["missing"] = True
            size = keeper.chars + len(image)
            if self.row["chars"] + size > RUN_CHARS:
                self.row["cutOff"] = True
                continue
            self.row["chars"] += size
            chars += size
            entries.append(Entry("events", self.run_id, event, noted.n))
            if image:
                entries.append(Entry("shots", self.run_id, {"dataUrl": image}, noted.n))
            await asyncio.sleep(0)  # whoever else has something to do comes first
        return taken, entries, chars

    async def _clean_again(self) -> None:
        """A secret that became known only now is taken out of what is stored already."""
        self._redactor.text("")
        if self._redactor.known == self._known:
            return
        self._known = self._redactor.known
        if not self._stored:
            return
        changed = [
            Entry("events", self.run_id, clean, n)
            for n, event in await self._shelf.events(self.run_id)
            if (clean := self._redactor.value(event)) != event
        ]
        if changed:
            await self._shelf.put(self.run_id, changed, 0)

    def _listed(self) -> Row:
        row = self._redactor.value(self.row)
        assert isinstance(row, dict)
        for key in ("userMessage", "finalContent"):
            row[key] = row[key][:TEXT_CHARS]
        return row


def is_full(error: Exception) -> bool:
    """Whether there is no room, and nothing left that could make some: asking again would only put off the
    word that the user is owed."""
    return isinstance(error, BridgeError) and error.data.get("reason") == "full"


class _Keeper:
    """Makes of an event what is stored: JSON, without secrets, long texts cut. Counts characters."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._clean = clean
        self.chars = 0

    def kept(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self._clean(key): self.kept(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.kept(item) for item in value]
        if isinstance(value, Message):
            return self.kept(message_view(value))
        return value

    def _text(self, text: str) -> Any:
        if len(text) <= TEXT_CHARS:
            self.chars += len(text)
            return self._clean(text)
        # Secrets go first, so that none is cut in two and passes for something else.
        self.chars += TEXT_CHARS
        head = self._clean(text[: TEXT_CHARS + MARGIN])[:TEXT_CHARS]
        return {"_truncated": True, "length": len(text), "head": head}
