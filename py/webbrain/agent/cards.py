"""Questions that only a person answers. A card that asks for leave never times out, and anything but its
"yes" means no; a question of the model's own may be answered by the clock, and then counts as no consent.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.core.errors import WebBrainError
from webbrain.core.events import Card, CardResolved
from webbrain.host.protocols import Clock
from webbrain.tools.person import Source

WITHDRAWN: Final = "cancelled"
TEXT: Final = "text"
"""The answer that stands for one in the person's own words."""
ANSWER_CHARS: Final = 200
TEXT_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen on a card: an option's id or ``TEXT``, and then the words."""

    answer: str
    text: str = ""
    source: Source = "user"


class Cards:
    """The open cards of one run."""

    def __init__(self, journal: Journal, on_change: Callable[[bool], None] | None = None) -> None:
        """``on_change`` is told whether the run waits for a person now."""
        self._journal = journal
        self._open: dict[str, asyncio.Future[Choice]] = {}
        self._on_change = on_change or (lambda _: None)

    @property
    def waiting(self) -> bool:
        """True while the run waits for a person."""
        return bool(self._open)

    async def ask(self, card: Card) -> str:
        """Show ``card`` and return the answer. Cancelling withdraws it."""
        waiting = self._show(card)
        try:
            return (await waiting).answer
        finally:
            self._withdraw(card.card_id)

    async def choose(self, card: Card, clock: Clock, *, wait: bool) -> Choice:
        """The same for a question that may be answered by the clock after ``card.seconds`` (0: never), or at
        once without ``wait``: its first option is taken then, if it has any.
        """
        first = card.options[0].id if card.options else ""
        waiting = self._show(card)
        timer = asyncio.ensure_future(clock.sleep(card.seconds)) if wait and card.seconds else None
        try:
            if wait:
                either: set[asyncio.Future[Any]] = {waiting, timer} if timer else {waiting}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                return waiting.result()
            self._resolve(card.card_id, Choice(first, source="timeout" if wait else "auto"))
            return waiting.result()
        finally:
            if timer:
                timer.cancel()
            self._withdraw(card.card_id)

    def answer(self, card_id: str, answer: str, text: str = "") -> None:
        """Deliver what the person chose, ``TEXT`` with their own ``text`` where a card takes it. Raise
        ``card_gone`` if nobody waits for it any more."""
        waiting = self._open.get(card_id)
        if waiting is None or waiting.done():
            raise WebBrainError("This question is no longer open.", code="card_gone")
        self._resolve(card_id, Choice(answer, text.strip()[:TEXT_CHARS]))

    def _show(self, card: Card) -> asyncio.Future[Choice]:
        waiting: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self._open[card.card_id] = waiting
        self._journal.emit(card)
        self._journal.flush()
        self._on_change(True)
        return waiting

    def _resolve(self, card_id: str, choice: Choice) -> None:
        waiting = self._open.pop(card_id)
        told = CardResolved(
            card_id=card_id,
            answer=choice.answer[:ANSWER_CHARS],
            text=choice.text[:ANSWER_CHARS],
            source=choice.source,
        )
        self._journal.emit(told)
        waiting.set_result(choice)
        self._on_change(self.waiting)

    def _withdraw(self, card_id: str) -> None:
        if self._open.pop(card_id, None) is not None:
            self._journal.emit(CardResolved(card_id=card_id, answer=WITHDRAWN))
            self._on_change(self.waiting)
