"""The list of a task's items and how far each is, so that a long task drops none and does none twice.

A row belongs to a session: the list of one task. ``processed``, ``skipped`` and ``failed`` are locked: a
model that has lost the thread must say ``reopen`` to take them up again. Ids, labels and reasons are words of
models and of pages; whoever shows them to a model wraps them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from webbrain.agent.enrich import plain
from webbrain.tools.notebook import NOT_DONE, OPEN, Rows, Status, Updated

ID_CHARS: Final = 160
LABEL_CHARS: Final = 220
URL_CHARS: Final = 500
ACTION_CHARS: Final = 40
REASON_CHARS: Final = 300
FIELDS: Final = 20
FIELD_NAME_CHARS: Final = 60
FIELD_CHARS: Final = 500
ROWS: Final = 1_000
"""In one conversation. A row more is refused, and said to be."""
UNRESOLVED_TOLD: Final = 20
BLOCK_TOLD: Final = 12
"""Rows named to a model whose claim of success is refused."""
SUMMARY_ROWS: Final = 18
"""Rows in the summary that stays in sight."""
WARNINGS: Final = 10

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
LOCKED: Final[tuple[Status, ...]] = ("processed", *NOT_DONE)
"""Changed only with ``reopen``."""
_URGENT: Final[Mapping[str, int]] = {"pending": 0, "acted": 1, "failed": 2, "skipped": 3, "processed": 4}


@dataclass(frozen=True, slots=True)
class Row:
    """One item. ``at`` grows with every change of any row."""

    session: str
    id: str
    label: str = ""
    url: str = ""
    action: str = ""
    status: Status = "pending"
    fields: dict[str, str] = field(default_factory=dict)
    """By its name, what was found out, e.g. ``price: 84 EUR``."""
    reason: str = ""
    at: int = 0
    task: str = ""
    """The task that changed it last."""

    def view(self) -> dict[str, Any]:
        """The row for a model, without what it does not have."""
        told = {
            "id": self.id,
            "label": self.label,
            "status": self.status,
            "action": self.action,
            "url": self.url,
            "reason": self.reason,
            "fields": [*self.fields.values()],
        }
        return {key: value for key, value in told.items() if value}

    def record(self) -> dict[str, Any]:
        """The row as it is stored."""
        return {**self.view(), "session": self.session, "task": self.task}


class Ledger:
    """The lists of one conversation. A task begins with :meth:`begin`; a Continue does not."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        self._at = 0
        self._task = "1"
        self._session = "1"

    @property
    def task(self) -> str:
        """The task under way."""
        return self._task

    @property
    def session(self) -> str:
        """The list that is worked on now."""
        return self._session

    def begin(self, task: str) -> None:
        """A run for this task begins: with the list it worked on before, or one of its own."""
        own = [row for row in self._rows.values() if row.task == task]
        self._task = task
        self._session = max(own, key=lambda row: row.at).session if own else task

    def update(
        self, items: Sequence[Mapping[str, Any]], *, session: str = "", reopen: bool = False
    ) -> tuple[Updated, list[Row]]:
        """Add or change rows; also return those that are different now."""
        warnings: list[str] = []
        if session and session != self._session:
            if any(row.session == session for row in self._rows.values()):
                self._session = session
            else:
                warnings.append(
                    f"There is no list {session[:ID_CHARS]}; the rows went into list {self._session}."
                )
        changed: dict[str, Row] = {}
        for item in items:
            row, problem = self._changed(item, reopen=reopen)
            if problem:
                warnings.append(problem)
            if row is not None:
                changed[row.id] = row
                self._rows[row.session, row.id] = row
        told = [{"id": row.id, "status": row.status} for row in self.unresolved()[:UNRESOLVED_TOLD]]
        return Updated(self._session, len(changed), self.counts(), told, warnings[:WARNINGS]), [
            *changed.values()
        ]

    def restore(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take over rows that were stored, oldest first; what is no row is left out."""
        for kept in rows:
            session, id_ = kept.get("session"), kept.get("id")
            if not isinstance(session, str) or not isinstance(id_, str) or kept.get("status") not in STATUSES:
                continue
            values = {name: _text(kept.get(name), limit) for name, limit in _TEXTS.items()}
            self._at += 1
            self._rows[session, id_] = Row(
                session,
                id_,
                **values,
                status=kept["status"],
                fields=_fields(kept.get("fields")),
                at=self._at,
                task=_text(kept.get("task"), ID_CHARS),
            )

    def read(
        self,
        *,
        status: Status | None = None,
        session: str = "",
        everything: bool = False,
        task_only: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Rows:
        """Rows in the order they were first written down."""
        wanted = session or self._session
        found = [row for row in self._rows.values() if everything or row.session == wanted]
        counts = _counts(found)
        found = [row for row in found if status in (None, row.status)]
        found = [row for row in found if not task_only or row.task == self._task]
        rows = [
            {**row.view(), **({"sessionId": row.session} if everything else {})}
            for row in found[offset : offset + limit]
        ]
        return Rows(wanted, rows, len(found), counts)

    def rows(self) -> list[Row]:
        """The rows of the list that is worked on."""
        return [row for row in self._rows.values() if row.session == self._session]

    def counts(self) -> dict[str, int]:
        """How many rows of the list are how far, and ``total``."""
        return _counts(self.rows())

    def unresolved(self) -> list[Row]:
        """Rows that are still to be done, or to be looked at."""
        return [row for row in self.rows() if row.status in OPEN]

    def not_done(self) -> list[Row]:
        """Rows that were given up."""
        return [row for row in self.rows() if row.status in NOT_DONE]

    def summary(self) -> str:
        """The list in lines, the most urgent rows first; empty if there is none."""
        rows = self.rows()
        if not rows:
            return ""
        ranked = sorted(
            rows, key=lambda row: (_URGENT[row.status], row.at if row.status in OPEN else -row.at)
        )
        counts = ", ".join(
            f"{count} {status}" for status, count in self.counts().items() if status != "total"
        )
        lines = [f"Progress list {self._session}: {len(rows)} rows, {counts}."]
        for row in ranked[:SUMMARY_ROWS]:
            said = " ".join(part for part in (row.label, f"({row.reason})" if row.reason else "") if part)
            lines.append(f"- {row.status}: {row.id}" + (f" = {said}" if said and said != row.id else ""))
        if len(rows) > SUMMARY_ROWS:
            lines.append(f"- and {len(rows) - SUMMARY_ROWS} more")
        return "\n".join(lines)

    def _changed(self, item: Mapping[str, Any], *, reopen: bool) -> tuple[Row | None, str]:
        """The row that an item makes, if it changes anything, and what is wrong with the item."""
        id_ = _text(item.get("id") or item.get("label"), ID_CHARS)
        if not id_:
            return None, "An item without id and label was left out."
        known = self._rows.get((self._session, id_))
        if known is None and len(self._rows) >= ROWS:
            return None, f"The list is full ({ROWS} rows); {id_} was left out."
        before = known or Row(self._session, id_)
        wanted = item.get("status")
        status: Status = wanted if wanted in STATUSES else before.status
        if known is not None and known.status in LOCKED and not reopen:
            if status != known.status:
                return None, f"{id_} is {known.status} already and stays so; reopen: true takes it up again."
            status = known.status
        texts = {name: _text(item.get(name), limit) for name, limit in _TEXTS.items()}
        row = replace(
            before,
            label=texts["label"] or before.label,
            url=texts["url"] or before.url,
            action=texts["action"] or before.action,
            reason=texts["reason"] or before.reason,
            status=status,
            fields=dict([*before.fields.items(), *_fields(item.get("fields")).items()][:FIELDS]),
        )
        if known is not None and status != known.status and not texts["reason"]:
            row = replace(row, reason="")  # that of the state it was in
        if row == known:
            return None, ""
        self._at += 1
        row = replace(row, at=self._at, task=self._task)
        missing = status in NOT_DONE and not row.reason
        return row, f"{id_} is {status}: give the reason." if missing else ""


_TEXTS: Final[Mapping[str, int]] = {
    "label": LABEL_CHARS,
    "url": URL_CHARS,
    "action": ACTION_CHARS,
    "reason": REASON_CHARS,
}


def _counts(rows: Iterable[Row]) -> dict[str, int]:
    states = [row.status for row in rows]
    return {**{status: states.count(status) for status in STATUSES if status in states}, "total": len(states)}


def _text(value: Any, limit: int) -> str:
    return plain(str(value))[:limit].strip() if isinstance(value, str | int | float) else ""


def _fields(value: Any) -> dict[str, str]:
    """Texts of the form ``name: value`` by their names; one without a name stands for itself."""
    texts = [_text(item, FIELD_CHARS) for item in value] if isinstance(value, Sequence) else []
    named = {text.partition(":")[0][:FIELD_NAME_CHARS].casefold(): text for text in texts if text}
    return dict([*named.items()][:FIELDS])
