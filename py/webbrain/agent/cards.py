"""Questions that only a person answers. A card never times out, and anything but its "yes" means no."""

import asyncio
from typing import Final

from webbrain.agent.journal import Journal
from webbrain.core.errors import WebBrainError
from webbrain.core.events import Card, CardResolved

WITHDRAWN: Final = "cancelled"
ANSWER_CHARS: Final = 200


class Cards:
    """The open cards of one run."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._open: dict[str, asyncio.Future[str]] = {}

    @property
    def waiting(self) -> bool:
        """True while the run waits for a person."""
        return bool(self._open)

    async def ask(self, card: Card) -> str:
        """Show ``card`` and return the answer. Cancelling withdraws it."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open[card.card_id] = answer
        self._journal.emit(card)
        try:
            return await answer
        finally:
            self._withdraw(card.card_id)

    def answer(self, card_id: str, answer: str) -> None:
        """Deliver what the person chose; raise ``card_gone`` if nobody waits for it any more."""
        waiting = self._open.pop(card_id, None)
        if waiting is None or waiting.done():
            raise WebBrainError("This question is no longer open.", code="card_gone")
        self._journal.emit(CardResolved(card_id=card_id, answer=answer[:ANSWER_CHARS]))
        waiting.set_result(answer)

    def _withdraw(self, card_id: str) -> None:
        if self._open.pop(card_id, None) is not None:
            self._journal.emit(CardResolved(card_id=card_id, answer=WITHDRAWN))
