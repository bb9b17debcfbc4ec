"""Numbers of element references, so that one of an earlier document means nothing in a later one."""

import re
from collections.abc import Iterable
from typing import Any, Final

HIGHEST: Final = 900_000_000
"""The page's side takes no number above this one."""

_REF: Final = re.compile(r"\bref_([1-9]\d{0,8})\b")


class RefNumbers:
    """The highest reference number met so far in a conversation.

    The page numbers a document it never read before from there, so that numbers stay small and no old
    reference fits a new document.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Start from what the history ``texts`` mention."""
        self.highest = 0
        for text in texts:
            for number in _REF.findall(text):
                self._meet(int(number))

    def learn(self, answer: Any) -> None:
        """Take over ``lastRef``, the highest number a page says it has given, from its answer to ``tree``."""
        last = answer.get("lastRef") if isinstance(answer, dict) else None
        if isinstance(last, int) and not isinstance(last, bool):
            self._meet(last)

    def _meet(self, number: int) -> None:
        if self.highest < number <= HIGHEST:
            self.highest = number
