"""What is done about a model service that refuses for now: wait as long as it asks, then try again.

A service that says when (``Retry-After``) is obeyed. Without that the pauses grow, because services count
requests that come too early against the account.
"""

from typing import Final

from webbrain.agent.journal import Journal
from webbrain.core.errors import ProviderFailed
from webbrain.core.events import Waiting
from webbrain.core.limits import TRANSIENT_RETRY_DELAY
from webbrain.host.protocols import Clock

PAUSES: Final = (TRANSIENT_RETRY_DELAY, 8.0, 20.0)
"""Seconds before each repeat; the last one counts for all that follow."""
LONGEST_PAUSE: Final = 300.0
"""Seconds: a service that wants a longer pause is not waited for; the person decides."""
REPEATS: Final = 1
REPEATS_WHEN_BUSY: Final = 3
BUSY: Final = frozenset({"rate_limited", "overloaded", "offline"})
"""Failures that pass by themselves: they are worth more than one repeat."""


class Patience:
    """For one answer of the model. Cancelling a wait (Stop) ends it at once."""

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self._clock = clock
        self._journal = journal
        self._repeats = 0

    async def wait(self, failure: ProviderFailed) -> bool:
        """Tell screens and wait; false if there is nothing to wait for, or no end to it in sight."""
        pause = self._pause(failure)
        if pause is None:
            return False
        self._repeats += 1
        self._journal.emit(
            Waiting(
                code=failure.code,
                message=failure.message,
                seconds=round(pause, 1),
                until=round((self._clock.now() + pause) * 1000),
                attempt=self._repeats,
            )
        )
        await self._clock.sleep(pause)
        return True

    def _pause(self, failure: ProviderFailed) -> float | None:
        """Seconds until the next repeat, ``None`` for none: ours, or what was asked for if that is longer."""
        repeats = REPEATS_WHEN_BUSY if failure.code in BUSY else REPEATS
        if not failure.transient or self._repeats >= repeats:
            return None
        asked = failure.data.get("retry_after")
        ours = PAUSES[min(self._repeats, len(PAUSES) - 1)]
        pause = max(ours, float(asked)) if isinstance(asked, int | float) else ours
        return pause if pause <= LONGEST_PAUSE else None
