"""What is kept of runs besides their conversations: which are going on, and which wait for a tab.

The stream ``open-runs`` lists runs that have not ended, so that a start after a death finds them without
reading everything. The stream ``interrupted-runs`` lists conversations whose run was cut off together with
what said which tab shows them, as a restart of the browser and an update do: the next panel on the same site
shows it, and the person decides whether it goes on.
"""

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.core.errors import WebBrainError
from webbrain.host.protocols import Host
from webbrain.policy.taint import UNKNOWN, origin_of

OPEN_RUNS: Final = "open-runs"
INTERRUPTED_RUNS: Final = "interrupted-runs"
WAITS_SECONDS: Final = 86_400.0
"""How long a conversation waits for a tab; afterwards it is found in the history only."""
MOST_WAITING: Final = 20
"""The oldest give way."""
ID_CHARS: Final = 100
"""Longer names of conversations and runs are none of ours."""


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that had not ended when the list was read."""

    run_id: str
    conversation_id: str
    tab_id: int


def open_runs(records: Iterable[Any]) -> list[OpenRun]:
    """The runs that began and did not end, as far as the list can be read."""
    begun: dict[str, OpenRun] = {}
    for record in records:
        if not isinstance(record, dict) or not is_id(record.get("runId")):
            continue
        run_id, tab_id = record["runId"], record.get("tabId")
        if record.get("open") is False:
            begun.pop(run_id, None)
        elif record.get("open") is True and is_id(record.get("conversationId")) and type(tab_id) is int:
            begun[run_id] = OpenRun(run_id, record["conversationId"], tab_id)
    return list(begun.values())


def is_id(value: Any) -> bool:
    """Whether this can be the name of a conversation or a run."""
    return isinstance(value, str) and 0 < len(value) <= ID_CHARS


@dataclass(frozen=True, slots=True)
class _Waiting:
    conversation_id: str
    tab_id: int
    at: float
    origins: tuple[str, ...]


class WaitingRuns:
    """Conversations that wait for a tab. A store that refuses is as one that has none."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = asyncio.Lock()

    async def add(self, journal: Journal) -> None:
        """Let the conversation wait for a tab that shows one of the sites it was about."""
        origins = sorted({message.origin for message in journal.messages} - {"", UNKNOWN})
        record = {
            "conversationId": journal.conversation_id,
            "tabId": journal.tab_id,
            "at": self._host.clock.now(),
            "origins": origins,
        }
        with contextlib.suppress(WebBrainError):
            await self._host.store.append(INTERRUPTED_RUNS, [record])

    async def take(self, tab_id: int) -> str | None:
        """The conversation that waits for a tab like this one; it waits no longer."""
        async with self._lock:
            with contextlib.suppress(WebBrainError):
                waiting = _waiting(record for _, record in await self._host.store.read(INTERRUPTED_RUNS))
                if waiting:
                    return await self._taken(tab_id, waiting)
        return None

    async def _taken(self, tab_id: int, waiting: list[_Waiting]) -> str | None:
        origin = origin_of((await self._host.browser.get_tab(tab_id)).url)
        since = self._host.clock.now() - WAITS_SECONDS
        kept = [one for one in waiting if one.at >= since][-MOST_WAITING:]
        fitting = [one for one in kept if origin in one.origins]
        if not fitting and len(kept) == len(waiting):
            return None
        # Of several the one that was on this very tab, or the newest.
        found = max(fitting, key=lambda one: (one.tab_id == tab_id, one.at), default=None)
        await self._host.store.delete(INTERRUPTED_RUNS)
        rest = [_record(one) for one in kept if one is not found]
        if rest:
            await self._host.store.append(INTERRUPTED_RUNS, rest)
        return found.conversation_id if found else None


def _waiting(records: Iterable[Any]) -> list[_Waiting]:
    found = []
    for record in records:
        if not isinstance(record, dict) or not is_id(record.get("conversationId")):
            continue
        tab_id, at, origins = record.get("tabId"), record.get("at"), record.get("origins")
        if type(tab_id) is int and isinstance(at, int | float) and isinstance(origins, list):
            texts = tuple(origin for origin in origins if isinstance(origin, str))
            found.append(_Waiting(record["conversationId"], tab_id, float(at), texts))
    return found


def _record(one: _Waiting) -> dict[str, Any]:
    return {
        "conversationId": one.conversation_id,
        "tabId": one.tab_id,
        "at": one.at,
        "origins": list(one.origins),
    }
