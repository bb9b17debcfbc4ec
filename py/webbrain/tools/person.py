"""The person in front of the panel, as far as a tool may turn to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Source = Literal["user", "timeout", "auto"]
"""Who answered: the person, nobody in time, or nobody because the user wants no questions."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, in words. Unless it came from the user it is a guess and no consent to anything."""

    text: str
    source: Source


class Person(Protocol):
    """Asks on a card of the panel."""

    async def choose(self, question: str, options: Sequence[str], reason: str) -> Answer:
        """Ask and wait for as long as the user's settings say."""
        ...
