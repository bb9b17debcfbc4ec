"""What a run writes down for itself: a scratchpad and a list of the items of a long task.

Both outlive the shortening of the conversation, a Continue and the death of the Worker (``agent.pins``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

Status = Literal["pending", "acted", "processed", "skipped", "failed"]
"""Of an item: ``acted`` means that something was done and nobody has looked yet."""
OPEN: Final[tuple[Status, ...]] = ("pending", "acted")
"""An item in one of these keeps a task from having succeeded."""
NOT_DONE: Final[tuple[Status, ...]] = ("skipped", "failed")
"""Settled, and not as the task wanted it."""


@dataclass(frozen=True, slots=True)
class Written:
    """The scratchpad after a note: its length, and how many of its oldest characters went."""

    chars: int
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Updated:
    """What came of an update. ``counts`` are of the whole list, by status."""

    session: str
    updated: int
    counts: dict[str, int]
    unresolved: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Rows:
    """A part of the rows that were asked for; ``total`` of them there are."""

    session: str
    rows: list[dict[str, Any]]
    total: int
    counts: dict[str, int]


class Notebook(Protocol):
    """The run's own records."""

    def write(self, text: str, *, replace: bool) -> Written:
        """Add a note, or put it in the place of all others."""
        ...

    def update(self, items: Sequence[Mapping[str, Any]], *, session: str, reopen: bool) -> Updated:
        """Add or change rows of the list. ``session`` names an earlier task's list to go on with."""
        ...

    def read(
        self,
        *,
        status: Status | None,
        session: str,
        everything: bool,
        task_only: bool,
        limit: int,
        offset: int,
    ) -> Rows:
        """Rows of the current list, of another one, or of all lists."""
        ...
