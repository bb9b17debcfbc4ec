"""What a model has written itself, in the arguments of its calls.

It comes back: a list it keeps, a field that holds what was typed, an error that repeats what was not found.
None of that is the word of a page. An address that the model wrote is offered by nobody, and text that a
result merely repeats is not for that reason known to the site the result speaks of.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.core.bounded_json import loads
from webbrain.core.messages import ToolCall
from webbrain.policy.encodings import views

ECHO: Final = 6
"""Letters and digits of the shortest repetition that counts."""
TELLING: Final = 8
"""From so many on it counts whatever it is; shorter ones count if two of them are digits."""
MOST_CHARS: Final = 40_000
"""Squashed characters kept of one argument's name; the oldest go first."""
MOST_NAMES: Final = 60
"""Names of arguments that are kept apart; what comes after them shares a place."""
MOST_CALLS: Final = 32
"""Newest calls whose words are known by themselves. Results follow at once."""
MOST_TEXT_CHARS: Final = 20_000
"""Of one argument."""
MOST_TEXTS: Final = 400
"""Texts in one call's arguments that are looked at."""
OTHERS: Final = "*"


@dataclass(slots=True)
class Written:
    """The memory of one conversation. ``squash`` is how texts are compared (``policy.taint.squash``)."""

    squash: Callable[[str], str]
    _streams: dict[str, str] = field(default_factory=dict)
    """By the argument's name everything in the order it was written: what is typed piece by piece stands in
    one piece in the field."""
    _read: str = ""
    """The same texts with their encodings taken off."""
    _calls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The words of the newest calls, every reading by itself."""
    _texts: dict[str, frozenset[str]] = field(default_factory=dict)
    """Their texts, each as a whole and however short."""

    def take(self, call: ToolCall) -> None:
        """A model wrote this."""
        words: list[str] = []
        whole: set[str] = set()
        for name, text in _texts(call.arguments):
            text = text[:MOST_TEXT_CHARS]
            key = name if name in self._streams or len(self._streams) < MOST_NAMES else OTHERS
            plain = self.squash(text)
            whole.add(plain)
            self._streams[key] = (self._streams.get(key, "") + plain)[-MOST_CHARS:]
            read = [self.squash(view.text) for view in views(text)] if len(plain) >= ECHO else []
            read = [one for one in dict.fromkeys([plain, *read]) if len(one) >= ECHO]
            self._read = "\n".join([self._read, *(one for one in read if one != plain)])[-MOST_CHARS:]
            words += read
        self._calls.pop(call.id, None)  # some services give every answer's calls the same ids
        self._calls[call.id], self._texts[call.id] = tuple(words), frozenset(whole)
        if len(self._calls) > MOST_CALLS:
            oldest = next(iter(self._calls))
            del self._calls[oldest], self._texts[oldest]

    def offered(self, call_id: str | None, answer: str) -> bool:
        """Whether an answer to a call is one of the texts that the call gave."""
        return self.squash(answer) in self._texts.get(call_id or "", ())

    def wrote(self, link: str) -> bool:
        """Whether the model wrote this address before, in one piece or in several."""
        bare = self.squash(link.partition("://")[2])
        return bare in self._read or any(bare in stream for stream in self._streams.values())

    def repeated(self, call_id: str | None, piece: str) -> list[str]:
        """What of ``piece``, the squashed result of a call, the call itself had said, the longest stretches
        first."""
        words = self._calls.get(call_id or "", ())
        grams = {word[start : start + ECHO] for word in words for start in range(len(word) - ECHO + 1)}
        found: set[str] = set()
        start = 0
        while grams and start + ECHO <= len(piece):
            length = _longest(piece, start, words) if piece[start : start + ECHO] in grams else 0
            stretch = piece[start : start + length]
            if length >= TELLING or sum(letter.isdigit() for letter in stretch) >= 2:
                found.add(stretch)
            start += length or 1
        return sorted(found, key=len, reverse=True)


def _longest(piece: str, start: int, words: tuple[str, ...]) -> int:
    """How much of ``piece`` from ``start`` stands in one of ``words``."""
    best = ECHO
    for word in words:
        high = min(len(word), len(piece) - start)
        if high <= best or piece[start : start + best + 1] not in word:
            continue
        low = best + 1
        while low < high:
            middle = (low + high + 1) // 2
            if piece[start : start + middle] in word:
                low = middle
            else:
                high = middle - 1
        best = low
    return best


def _texts(arguments: str) -> Iterator[tuple[str, str]]:
    """Every text in a call's arguments with the name it stands under."""
    try:
        value = loads(arguments)
    except (ValueError, RecursionError):
        value = arguments
    stack: list[tuple[str, Any]] = [(OTHERS, value)]
    seen = 0
    while stack and seen < MOST_TEXTS:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack += [(str(key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            stack += [(name, item) for item in reversed(value)]
        elif isinstance(value, str):
            seen += 1
            yield name, value
