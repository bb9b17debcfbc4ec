"""The same commit is not pressed twice within a moment: an order placed twice is two orders.

Same is what has the same name, in the same tab, at the same address, with the same values in its form, and is
not known to be another element (a list may have many buttons named "Add to cart"). A press that surely did
not happen does not count.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webbrain.core.errors import ToolFailed
from webbrain.core.results import ToolResult

SECONDS: Final = 45.0
REMEMBERED: Final = 50

BLOCKED: Final = (
    "This was pressed {seconds} seconds ago on the same page with the same values, so it was not pressed "
    "again: it may be sent already. Look at the page for what came of it first."
)
ONCE_ONLY: Final = (
    "This sends or commits something, so it is pressed once in a call, and was not pressed now: leave out "
    "count."
)


@dataclass(frozen=True, slots=True)
class Press:
    """A press that commits something."""

    tab_id: int
    url: str
    name: str
    values: str
    ref: str
    at: float = 0.0

    def same_as(self, other: "Press") -> bool:
        """Whether this may be the same thing once more."""
        if (self.tab_id, self.url, self.name, self.values) != (
            other.tab_id,
            other.url,
            other.name,
            other.values,
        ):
            return False
        return not (self.ref and other.ref and self.ref != other.ref)


def press_of(tab_id: int, url: str, probe: Mapping[str, Any], args: Mapping[str, Any]) -> Press:
    """The press that a call comes down to, as the page describes it."""
    name = " ".join(str(probe.get("control") or args.get("text") or "").split()).casefold()
    values = json.dumps(probe.get("fields") or [], sort_keys=True, default=str)
    return Press(tab_id, url, name, values, str(args.get("ref_id") or ""))


def refuse_double(args: Mapping[str, Any]) -> None:
    """Raise ``ToolFailed`` for a double click on what commits something: who lets it be sent once does not
    mean twice."""
    if int(args.get("count") or 1) > 1:
        raise ToolFailed(ONCE_ONLY, code="press_once", data={"dispatched": False})


class Repeats:
    """The presses of one run."""

    def __init__(self) -> None:
        self._presses: list[Press] = []

    def check(self, press: Press, now: float) -> None:
        """Raise ``ToolFailed`` (``blocked_duplicate_submit``) if it was pressed within the last 45 seconds.

        ``now`` is a time of the monotonic clock, in seconds.
        """
        for earlier in reversed(self._presses):
            seconds = now - earlier.at
            if seconds < SECONDS and press.same_as(earlier):
                raise ToolFailed(
                    BLOCKED.format(seconds=round(seconds)),
                    code="blocked_duplicate_submit",
                    data={
                        "blockedDuplicateSubmit": True,
                        "dispatched": False,
                        "previousClickUrl": earlier.url,
                        "currentUrl": press.url,
                        "secondsSincePrevious": round(seconds),
                    },
                )

    def add(self, press: Press) -> None:
        """It is about to be pressed."""
        self._presses = [*self._presses[-REMEMBERED:], press]

    def take_back(self, press: Press, result: ToolResult) -> None:
        """Forget it if its result says that it was not pressed."""
        untouched = not result.success and result.data.get("code") != "outcome_unknown"
        if untouched or result.data.get("dispatched") is False:
            self._presses = [one for one in self._presses if one is not press]
