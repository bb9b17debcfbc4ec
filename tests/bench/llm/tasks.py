"""Tasks and what fulfils them, as data; :mod:`tests.bench.llm.generator` makes them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Query = Mapping[str, str]
Pages = Mapping[str, str | Callable[[Query], str]]
"""Last part of the address to the page, or to what makes it of a query."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that the server was told: a button that was pressed, or a form that came."""

    kind: Literal["pressed", "sent"]
    name: str
    values: tuple[tuple[str, str], ...] = ()
    """Of a form: its fields by name, without those that are empty."""


def sent(form: str, values: Mapping[str, str]) -> Effect:
    """A form with these fields."""
    kept = {key: " ".join(value.split()) for key, value in values.items()}
    return Effect("sent", form, tuple(sorted((key, value) for key, value in kept.items() if value)))


@dataclass(frozen=True, slots=True)
class Fact:
    """What an answer must say, in one of these ways, and what it must not say of other things."""

    ways: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be so when the run is over. Whatever else the server was told of is too much."""

    effects: tuple[Effect, ...] = ()
    path: str = ""
    """The page that the tab must show."""
    controls: Mapping[str, str] | None = None
    """The state of all controls of that page, by name: value, ``yes`` for what is ticked, or nothing."""
    fact: Fact | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """One step of the shortest way, in the words of the page."""

    kind: Literal["click", "fill", "choose", "say"]
    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One of the twenty."""

    number: int
    kind: str
    text: str
    pages: Pages
    start: str
    wanted: Wanted
    way: tuple[Move, ...]
    """How it can be done, without the final word; ends with ``say`` where an answer is asked for."""
    mode: Literal["act", "ask"] = "act"
