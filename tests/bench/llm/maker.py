"""What the makers of tasks share: one place, one look, and draws that never repeat a word on a page."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from tests.bench.llm import html, words
from tests.bench.llm.tasks import Move, Query, Task, Wanted

T = TypeVar("T")
LINKS = (3, 5)
FILLERS = (1, 3)
STARTS = ("Welcome", "Today", "Overview", "At a glance", "Notice board")


class Maker:
    """The means of making one task."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.look = html.Look(
            place=self.one(words.PLACES),
            links=tuple(self.some(words.PAGES, *LINKS)),
            fillers=tuple(self.some(words.FILLERS, *FILLERS)),
            menu_first=self.chance(0.7),
        )
        self.title = self.one(STARTS)
        self.start = html.slug(self.title)
        self._labels: dict[str, str] = {}

    def one(self, items: Iterable[T]) -> T:
        """Any of them."""
        return self.rng.choice(list(items))

    def some(self, items: Iterable[T], least: int, most: int) -> list[T]:
        """Several different ones, in any order."""
        return self.rng.sample(list(items), self.rng.randint(least, most))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All, in any order."""
        return self.some(items, len(items), len(items))

    def chance(self, share: float = 0.5) -> bool:
        """True that often."""
        return self.rng.random() < share

    def label(self, field: str, *, again: bool = False) -> str:
        """How this site calls a field; ``again`` says what it was called."""
        if not again:
            self._labels[field] = self.one(words.LABELS[field])
        return self._labels[field]

    def page(self, title: str, body: str) -> str:
        """A page of the site."""
        return html.page(self.look, title, body)

    def paragraph(self) -> str:
        """A sentence that no task is about."""
        return f"<p>{self.one([line for line in words.FILLERS if line not in self.look.fillers])}</p>"

    def pressing(self, name: str) -> str:
        """A button that says so when it was pressed; some change nothing that can be seen."""
        says = self.one(words.SAID_AFTER).format(name=name) if self.chance(0.8) else ""
        return html.button(name, says)

    def task(
        self,
        text: str,
        pages: Mapping[str, str | Callable[[Query], str]],
        wanted: Wanted,
        way: tuple[Move, ...],
        mode: Literal["act", "ask"] = "act",
    ) -> Task:
        """The task with every page that the menu leads to."""
        others = {html.slug(name): self.page(name, self.paragraph()) for name in self.look.links}
        return Task(0, "", text, {**others, **pages}, self.start, wanted, way, mode)
