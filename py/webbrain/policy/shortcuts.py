"""Sees that presses on a page come down to a request that could be made at once.

Two signs: the same address asked for after two presses, each time within three seconds; and, over a minute,
requests of one shape, whose addresses differ in numbers and names only. What is judged here are times and
addresses; nothing is asked of anybody.
"""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from webbrain.host.requests import SeenRequest
from webbrain.policy.egress import is_write

PRESSES: Final = frozenset({"click_ax", "click"})
"""Tools whose calls are presses."""
FOLLOWS: Final = 3.0
"""Seconds after a press in which a request counts as its doing."""
ENOUGH: Final = 2
"""Presses from which a request is worth a word."""
AGAIN: Final = 2
"""More presses of a shape until it is worth one more."""
SHAPES_FOR: Final = 60.0
PRESSES_KEPT: Final = 24
EXAMPLES: Final = 2

SAME: Final = (
    "Several of your presses made the page send the same request (apiShortcut). If you are to do this again, "
    "fetch_url with its url, method and replayRequestId does it in one call. Otherwise go on with the page."
)
ALIKE: Final = (
    "Your presses make the page send requests of one shape (apiShortcut). If more of the same is to be done, "
    "fetch_url can do it for the addresses that follow the same pattern. Otherwise go on with the page."
)

MASKED: Final = "%E2%80%A2"
"""What an address has where a secret was."""
_ID: Final = re.compile(r"\d+|[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|(?=[\w-]*\d)[\w-]{6,}", re.IGNORECASE)


def shape_of(method: str, url: str) -> str:
    """A request without what tells one thing from another: ids in the path, values of the query."""
    parts = urlsplit(url)
    path = "/".join(":id" if _ID.fullmatch(part) else part for part in parts.path.split("/"))
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{method} {parts.scheme}://{parts.netloc}{path}{'?' if names else ''}{'&'.join(names)}"


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What may be told of presses: ``data`` is the page's word and belongs inside the boundary, ``note`` is
    ours."""

    data: dict[str, Any]
    note: str


@dataclass(slots=True)
class Shortcuts:
    """The presses of one run on one tab, by the clock of whoever asks (seconds)."""

    may_write: bool = False
    """Requests that change data may be made in this conversation; otherwise nobody is pointed to them."""
    _presses: deque[float] = field(default_factory=lambda: deque(maxlen=PRESSES_KEPT))
    _told: set[str] = field(default_factory=set)
    _told_shapes: dict[str, int] = field(default_factory=dict)
    _disabled: set[str] = field(default_factory=set)

    def pressed(self, at: float) -> None:
        """A press begins."""
        self._presses.append(at)

    def failed(self, method: str, url: str) -> None:
        """A request that was made this way failed: its shape is not spoken of again."""
        self._disabled.add(shape_of(method, url))

    def judge(self, now: float, seen: Sequence[SeenRequest]) -> Shortcut | None:
        """What the presses so far come down to, if that is worth a word now."""
        usable = [one for one in seen if self._usable(one)]
        by_press = [list(self._after(place, now, usable)) for place in range(len(self._presses))]
        followed = {one.id for press in by_press for one in press}
        # What the page also asks for when nobody pressed anything is a habit of its own.
        habits = {_key(one) for one in usable if one.id not in followed}
        by_press = [[one for one in press if _key(one) not in habits] for press in by_press]
        return self._same(by_press) or self._alike(now, by_press)

    def _usable(self, one: SeenRequest) -> bool:
        # A body is nobody's to make up: without an id such a request cannot be made.
        makes_sense = one.replayable or not (is_write(one.method) or one.has_body or MASKED in one.url)
        return (
            makes_sense
            and (self.may_write or not is_write(one.method))
            and shape_of(one.method, one.url) not in self._disabled
        )

    def _after(self, place: int, now: float, seen: Iterable[SeenRequest]) -> Iterable[SeenRequest]:
        begin = self._presses[place]
        end = begin + FOLLOWS
        if place + 1 < len(self._presses):
            end = min(end, self._presses[place + 1])
        return (one for one in seen if begin <= now - one.ago < end)

    def _same(self, by_press: list[list[SeenRequest]]) -> Shortcut | None:
        for one in reversed(by_press[-1] if by_press else []):
            key = _key(one)
            count = sum(any(_key(two) == key for two in press) for press in by_press)
            if count >= ENOUGH and key not in self._told:
                self._told.add(key)
                data = {"method": one.method, "url": one.url, "presses": count}
                if one.replayable:
                    data["replayRequestId"] = one.id
                return Shortcut(data, SAME)
        return None

    def _alike(self, now: float, by_press: list[list[SeenRequest]]) -> Shortcut | None:
        found: dict[str, list[SeenRequest]] = {}
        for press in by_press:
            first = {shape_of(one.method, one.url): one for one in reversed(press)}
            for shape, one in first.items():
                if one.ago <= SHAPES_FOR and not one.has_body and MASKED not in one.url:
                    found.setdefault(shape, []).append(one)
        for shape, ones in found.items():
            urls = list(dict.fromkeys(one.url for one in ones))
            told = self._told_shapes.get(shape, 0)
            if len(urls) >= ENOUGH and len(ones) >= (told + AGAIN if told else ENOUGH):
                self._told_shapes[shape] = len(ones)
                data = {"method": ones[0].method, "urls": urls[-EXAMPLES:], "presses": len(ones)}
                return Shortcut(data, ALIKE)
        return None


def _key(one: SeenRequest) -> str:
    return f"{one.method} {one.url}"
