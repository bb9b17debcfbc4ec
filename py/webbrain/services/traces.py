"""Recordings of runs, for the user's own eyes: made only if the user switched them on, kept on this computer.

The tables ``runs``, ``events`` and ``shots`` hold them (docs/traces.md). All of them together take at most
``ALL_CHARS``; the oldest go first, and the user is told of that once per session of the browser.
"""

import asyncio
import logging
from typing import Any, Final

from webbrain import __version__
from webbrain.agent.journal import Journal
from webbrain.agent.recording import Recorder, new_row
from webbrain.agent.recording_writer import Row, Writer
from webbrain.agent.run_options import RunOptions
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.events import Warning as RunWarning
from webbrain.host.protocols import Host
from webbrain.host.tables import Entry, Table
from webbrain.policy.redaction import StrictRedactor
from webbrain.services.pictures import PictureStore
from webbrain.services.trace_export import Part, json_part, markdown_part

TABLES: Final[tuple[Table, ...]] = ("runs", "events", "shots")
ALL_CHARS: Final = 300_000_000
"""Characters of all recordings together."""
SPARE: Final = 0.1
"""Part of ``ALL_CHARS`` that is freed when room is made, so that this happens seldom."""
FULL_CHARS: Final = 20_000_000
"""Characters that are freed when the browser itself has no room."""
LIST_PAGE: Final = 50
EVENT_PAGE: Final = 200
"""Events that a screen gets at once."""
EXPORT_PAGE: Final = 100
"""Events in one part of an exported file."""
LISTED_CHARS: Final = 300
SCREEN_CHARS: Final = 4_000
"""Of one text that a screen gets; an exported file has all of it."""
TOLD_KEY: Final = "tracesDropped"
DROPPED: Final = (
    "The recordings of runs took all the room they may have, so the oldest were deleted. "
    "You find them in the settings under Recordings."
)
STOPPED: Final = "This run is not recorded to its end: {why}"
NO_ROOM: Final = "the browser's storage is full."
REFUSED: Final = "the browser's storage refuses."

_log = logging.getLogger(__name__)


class TraceService:
    """One per app: the ``Shelf`` of all recorders, and what screens ask about recordings."""

    def __init__(self, host: Host, pictures: PictureStore) -> None:
        self._host = host
        self._pictures = pictures
        self._live: dict[str, tuple[Recorder, Journal]] = {}
        self._sizes: dict[str, int] | None = None
        """Characters by run, the oldest first."""
        self._room = asyncio.Lock()
        self._gone: set[str] = set()
        """Runs that were deleted while they were being recorded."""
        self._why: dict[str, str] = {}
        self._untold = False
        """Recordings were deleted and the user does not know yet."""

    def recorder(self, journal: Journal, options: RunOptions) -> Recorder:
        """Record the run that is about to begin."""
        host = self._host
        run_id = options.run_id
        row = new_row(options, journal.conversation_id, round(host.clock.now() * 1000), __version__)
        secrets = journal.taint.secrets
        redactor = StrictRedactor(lambda: secrets)
        writer = Writer(self, host.clock, redactor, self._pictures.get, row)
        recorder = Recorder(writer, host.clock)
        self._live[run_id] = (recorder, journal)
        return recorder

    async def saved(self) -> None:
        """Wait until everything that was noted down is stored."""
        for recorder, _ in list(self._live.values()):
            await recorder.writer.saved()

    # --- the shelf ---

    async def put(self, run_id: str, entries: list[Entry], chars: int) -> None:
        """Store a part of a recording, after making room for it. Raises ``BridgeError``."""
        if run_id in self._gone:
            raise BridgeError("The recording was deleted.", code="trace_gone")
        async with self._room:
            sizes = await self._known_sizes()
            new = run_id not in sizes
            sizes[run_id] = sizes.get(run_id, 0) + chars
            await self._add_place(run_id, entries)
            if sum(sizes.values()) > ALL_CHARS:
                await self._drop(sum(sizes.values()) - round(ALL_CHARS * (1 - SPARE)), run_id)
            try:
                await self._host.tables.put(entries)
            except BridgeError as error:
                if error.data.get("reason") != "full" or not await self._drop(FULL_CHARS, run_id):
                    sizes[run_id] -= chars
                    self._why[run_id] = NO_ROOM if error.data.get("reason") == "full" else REFUSED
                    raise
                await self._host.tables.put(entries)
        if new:
            self._changed()
        if self._untold:
            await self._tell_dropped(run_id)

    async def events(self, run_id: str) -> list[tuple[int, Row]]:
        """What is stored of a run's events."""
        return await self._host.tables.under("events", run_id)

    def ended(self, run_id: str, *, whole: bool) -> None:
        """A recording is over."""
        live = self._live.pop(run_id, None)
        why = self._why.pop(run_id, "")
        if live is not None and not whole and run_id not in self._gone:
            _tell(live[1], run_id, "trace_stopped", STOPPED.format(why=why or REFUSED))
        self._gone.discard(run_id)
        self._changed()

    async def _add_place(self, run_id: str, entries: list[Entry]) -> None:
        """Put where the run takes place into its row, which only knows the tab."""
        live = self._live.get(run_id)
        if live is None or live[0].row["tabUrl"]:
            return
        recorder, journal = live
        try:
            tab = await self._host.browser.get_tab(journal.tab_id)
        except WebBrainError:
            return
        secrets = journal.taint.secrets
        redactor = StrictRedactor(lambda: secrets)
        place = {
            "tabUrl": redactor.text(tab.url)[:SCREEN_CHARS],
            "tabTitle": redactor.text(tab.title)[:LISTED_CHARS],
        }
        recorder.row |= place
        for entry in entries:
            if entry.table == "runs":
                entry.value.update(place)

    async def _known_sizes(self) -> dict[str, int]:
        if self._sizes is None:
            runs, _ = await self._host.tables.newest("runs", 10_000)
            self._sizes = {run_id: _int(row.get("chars")) for run_id, row in reversed(runs)}
        return self._sizes

    async def _drop(self, chars: int, keep: str) -> bool:
        """Delete the oldest recordings until so much is free; false if there was nothing to delete."""
        sizes = await self._known_sizes()
        doomed: list[str] = []
        for run_id, size in sizes.items():
            if chars <= 0:
                break
            if run_id != keep and run_id not in self._live:
                doomed.append(run_id)
                chars -= size
        if not doomed:
            return False
        await self._host.tables.delete(TABLES, doomed)
        for run_id in doomed:
            del sizes[run_id]
        self._untold = True
        self._changed()
        return True

    async def _tell_dropped(self, run_id: str) -> None:
        """Tell the user, once per session of the browser, in a conversation whose run is not over."""
        live = self._live.get(run_id)
        try:
            known = bool(await self._host.session.get([TOLD_KEY]))
            if known or (live is not None and _tell(live[1], run_id, "traces_dropped", DROPPED)):
                self._untold = False
                await self._host.session.set({TOLD_KEY: True})
        except BridgeError:
            _log.warning("The user could not be told that recordings were deleted.")

    def _changed(self) -> None:
        self._host.ui.emit("traces_changed", {})

    # --- what screens ask ---

    async def list(self, before: tuple[float, str] | None) -> dict[str, Any]:
        """``traces.list``: the newest first."""
        runs, more = await self._host.tables.newest("runs", LIST_PAGE, before)
        sizes = await self._known_sizes()
        return {
            "runs": [self._view(run_id, row, LISTED_CHARS) for run_id, row in runs],
            "more": more,
            "total": {"runs": len(sizes), "chars": sum(sizes.values()), "limit": ALL_CHARS},
        }

    async def read(self, run_id: str, after: int) -> dict[str, Any]:
        """``traces.read``: a run and a part of its events, long texts cut."""
        row = await self._row(run_id)
        events = await self._host.tables.under("events", run_id, after, EVENT_PAGE + 1)
        return {
            "run": self._view(run_id, row, SCREEN_CHARS),
            "events": [_short(event) for _, event in events[:EVENT_PAGE]],
            "more": len(events) > EVENT_PAGE,
        }

    async def shot(self, run_id: str, n: int) -> dict[str, Any]:
        """``traces.shot``: the picture of an event; empty if it is gone."""
        return {"dataUrl": await self._image(run_id, n)}

    async def export(self, run_id: str, form: str, after: int, redactor: StrictRedactor) -> dict[str, Any]:
        """``traces.export``: a part of the file, and where the next one begins (null: this was the last)."""
        row = redactor.value(self._listed(run_id, await self._row(run_id)))
        found = await self._host.tables.under("events", run_id, after, EXPORT_PAGE + 1)
        events = redactor.value([event for _, event in found[:EXPORT_PAGE]])
        last = found[EXPORT_PAGE - 1][0] if len(found) > EXPORT_PAGE else None
        part = Part(row=row, events=events, first=after == 0, last=last is None)
        if form == "json":
            for event in events:
                if event.get("type") == "screenshot":
                    event["image"] = await self._image(run_id, _int(event.get("n")))
        text = (json_part if form == "json" else markdown_part)(part, round(self._host.clock.now() * 1000))
        name = f"webbrain-trace-{run_id}.{'json' if form == 'json' else 'md'}"
        return {"filename": name, "text": text, "next": last}

    async def delete(self, run_id: str | None) -> dict[str, Any]:
        """``traces.delete``: one recording, or all of them. One that is being made ends with it."""
        async with self._room:
            doomed = [run_id] if run_id is not None else list(self._live)
            self._gone.update(one for one in doomed if one in self._live)
            await self._host.tables.delete(TABLES, None if run_id is None else [run_id])
            if run_id is None:
                self._sizes = {}
            elif self._sizes:
                self._sizes.pop(run_id, None)
        for one in doomed:
            if one in self._live:
                self._live[one][0].writer.break_off("It was deleted.")
        self._changed()
        return {"ok": True}

    async def _row(self, run_id: str) -> Row:
        row = (await self._host.tables.get("runs", [run_id]))[0]
        if row is None:
            raise WebBrainError("This recording is gone.", code="trace_gone")
        return row

    async def _image(self, run_id: str, n: int) -> str:
        found = await self._host.tables.under("shots", run_id, n - 1, 1)
        return str(found[0][1].get("dataUrl", "")) if found and found[0][0] == n else ""

    def _listed(self, run_id: str, row: Row) -> Row:
        """The row, told as interrupted if nobody is making the recording any more."""
        running = row.get("status") == "running" and run_id not in self._live
        return {**row, "runId": run_id, **({"status": "interrupted"} if running else {})}

    def _view(self, run_id: str, row: Row, limit: int) -> Row:
        cut = {name: str(row.get(name, ""))[:limit] for name in ("userMessage", "finalContent")}
        return {**self._listed(run_id, row), **cut, "legacy": not row.get("recordingVersion")}


def _tell(journal: Journal, run_id: str, code: str, message: str) -> bool:
    """Put a warning into the conversation, if the run is still the one under way there."""
    over = any(
        event.type == "run_complete" and event.run_id == run_id for event in reversed(journal.events[-20:])
    )
    if over or journal.run_id != run_id:
        return False
    journal.emit(RunWarning(code=code, message=message))
    return True


def _short(value: Any) -> Any:
    """The same with every text cut to what a screen shows."""
    if isinstance(value, str):
        return value if len(value) <= SCREEN_CHARS else value[:SCREEN_CHARS] + "…"
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value] if isinstance(value, list) else value


def _int(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
