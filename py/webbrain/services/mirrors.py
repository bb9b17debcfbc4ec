"""What ``storage.session`` holds of a conversation beside the store: its newest events, and the newest run.

A mirror is written every few seconds while a run goes on, so an event is made small once, and the state of
the run is brought up to date by the events that came since.
"""

from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.core.events import RunEvent
from webbrain.core.limits import LAST_ERROR_CHARS, SESSION_MIRROR_EVENTS, STREAMED_TEXT_CHARS
from webbrain.core.types import Mode

MIRROR_CHARS: Final = 200_000
"""Characters of events that one tab's mirror may hold; ``storage.session`` has 10 MB for all tabs."""
MESSAGE_TEXT_CHARS: Final = 2_000


class Mirror:
    """The mirror of one conversation."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[RunEvent, dict[str, Any], int]] = {}
        self._run_id = ""
        self._read = 0
        self._first: RunEvent | None = None
        self._newest: dict[str, RunEvent] = {}
        self._cards: set[str] = set()
        self._planned: dict[str, Any] | None = None
        self.acked = 0
        """The newest event of which a screen that polls has said that it has it."""
        self._plans: set[str] = set()

    def events(self, events: list[RunEvent]) -> list[dict[str, Any]]:
        """The newest events within the mirror's caps, oldest first, without arguments, results and long
        texts.
        """
        made: dict[int, tuple[RunEvent, dict[str, Any], int]] = {}
        room = MIRROR_CHARS
        for event in reversed(events[-SESSION_MIRROR_EVENTS:]):
            known = self._made.get(event.seq)
            if known is None or known[0] is not event:
                small = _small(event)
                known = (event, small, len(str(small)))
            room -= known[2]
            if room < 0:
                break
            made[event.seq] = known
        self._made = made
        return [small for _, small, _ in reversed(made.values())]

    def run_state(self, journal: Journal, mode: Mode) -> dict[str, Any]:
        """The state of the newest run, under the names of ``runUi``."""
        self._catch_up(journal)
        end, error, final = (self._newest.get(name) for name in ("run_complete", "error", "text"))
        waits = "awaiting_plan" if self._plans else "awaiting_card" if self._cards else "running"
        going_on = waits if self._first else "idle"
        last = journal.events[-1] if journal.events else None
        streaming = last is not None and last.type == "text_delta" and last.run_id == journal.run_id
        return {
            "tabId": journal.tab_id,
            "conversationId": journal.conversation_id,
            "runId": journal.run_id,
            "requestId": journal.request_id,
            "status": end.data["status"] if end else going_on,
            "mode": mode.value,
            "seq": journal.seq,
            "ackedSeq": min(self.acked, journal.seq),
            "truncatedBeforeSeq": self._truncated_before(journal),
            "pendingPlanId": next(iter(self._plans), None),
            "lastPlanResolution": self._planned,
            "text": str(last.data["delta"])[-STREAMED_TEXT_CHARS:] if streaming and last else "",
            "startedAt": self._first.at if self._first else None,
            "endedAt": end.at if end else None,
            "hadError": error is not None,
            "lastError": str(error.data["message"])[:LAST_ERROR_CHARS] if error else "",
            "successfulDone": bool(end and end.data["outcome"] == "success"),
            "finalContent": str(final.data["content"])[:STREAMED_TEXT_CHARS] if final else "",
        }

    def replay(self, journal: Journal, after: int) -> list[RunEvent]:
        """The newest events that a screen does not have yet, at most as many as the window holds."""
        newest = journal.events[-SESSION_MIRROR_EVENTS:]
        return [event for event in newest if event.seq > max(after, self.acked)]

    def _truncated_before(self, journal: Journal) -> int:
        """Number of the oldest event in the window if there are older ones that nobody has said to have."""
        events = journal.events
        if len(events) <= SESSION_MIRROR_EVENTS:
            return 0
        oldest = events[-SESSION_MIRROR_EVENTS]
        return oldest.seq if oldest.seq > self.acked + 1 else 0

    def _catch_up(self, journal: Journal) -> None:
        events = journal.events
        if journal.run_id != self._run_id or self._read > len(events):
            self._run_id, self._read = journal.run_id, 0
            self._first, self._newest, self._cards, self._plans = None, {}, set(), set()
            self._planned = None
        # The newest event may be replaced by a longer one of the same kind, which says nothing new here.
        for event in events[self._read :]:
            if event.run_id == self._run_id:
                self._take(event)
        self._read = len(events)

    def _take(self, event: RunEvent) -> None:
        self._first = self._first or event
        if event.type in ("run_complete", "error") or (event.type == "text" and event.data["final"]):
            self._newest[event.type] = event
        elif event.type == "clarify":
            self._cards.add(event.data["cardId"])
        elif event.type == "card_resolved":
            self._cards.discard(event.data["cardId"])
        elif event.type == "plan_review":
            self._plans.add(event.data["planId"])
        elif event.type == "plan_resolved":
            self._plans.discard(event.data["planId"])
            self._planned = dict(event.data)


def mirrored(events: list[RunEvent]) -> list[dict[str, Any]]:
    """What a mirror would hold of these events."""
    return Mirror().events(events)


def _small(event: RunEvent) -> dict[str, Any]:
    small = event.model_dump(mode="json", by_alias=True)
    small["data"] = _short(event.type, small["data"])
    return small


def _short(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    if kind == "tool_call":
        return {**data, "args": "{}"}
    if kind == "tool_result":
        return {**data, "result": "{}"}
    limit = STREAMED_TEXT_CHARS if kind in ("text", "text_delta") else MESSAGE_TEXT_CHARS
    return {key: value[:limit] if isinstance(value, str) else value for key, value in data.items()}
