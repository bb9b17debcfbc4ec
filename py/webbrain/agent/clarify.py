"""A question of the model's to the person: its card, the time it waits, and what its answer is worth."""

from collections.abc import Sequence
from typing import Final

from webbrain.agent.cards import TEXT, Cards
from webbrain.agent.planner_guard import ExecutionGuard
from webbrain.core.events import Card, CardOption
from webbrain.core.ids import new_id
from webbrain.host.protocols import Clock
from webbrain.policy.untrusted import neutralise
from webbrain.tools.person import Answer
from webbrain.tools.state import RunState

NEVER: Final = -1
"""Seconds in the settings that stand for "wait until it is answered"; so does more than ``LONGEST``."""
LONGEST: Final = 1_200
DEFAULT: Final = 60
TITLE: Final = "A question for you"
NO_ANSWER: Final = "(no answer)"


class Clarifier:
    """Asks in one run. ``seconds`` 0: nobody is bothered, the first option is taken at once.

    An answer that did not come from the person leaves the run *unanswered*: the permission gate then lets
    nothing consequential happen before they answer a question. It holds over a Continue.
    """

    def __init__(
        self, cards: Cards, clock: Clock, state: RunState, guard: ExecutionGuard, seconds: int
    ) -> None:
        self._cards = cards
        self._clock = clock
        self._state = state
        self._guard = guard
        self._seconds = seconds if 0 <= seconds <= LONGEST else NEVER
        state.unanswered = guard.unanswered

    async def choose(self, question: str, options: Sequence[str], reason: str) -> Answer:
        """See ``tools.person.Person``."""
        texts = {f"option_{number}": text for number, text in enumerate(options, 1)}
        card = Card(
            card_id=new_id("ask"),
            kind="clarify",
            title=TITLE,
            question="\n\n".join(part for part in (question, reason) if part),
            options=[CardOption(id=key, label=text) for key, text in texts.items()],
            seconds=max(self._seconds, 0),
            free_text=True,
        )
        choice = await self._cards.choose(card, self._clock, wait=self._seconds != 0)
        unanswered = choice.source != "user"
        self._state.unanswered = self._guard.unanswered = unanswered
        said = choice.text if choice.answer == TEXT else texts.get(choice.answer, NO_ANSWER)
        return Answer(neutralise(said), choice.source)
