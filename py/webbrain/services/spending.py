"""What was spent so far, and the allowances that stop the next paid call.

``storage.session`` holds ``spendSession`` (dollars since the browser started), ``storage.local`` holds
``spend``: ``{usd, since}``, since when in milliseconds. Amounts grow in memory first, so that runs side by
side cannot overlook each other, and are stored a moment later, when the next request of their run is under
way.
"""

import asyncio
from typing import Any, Final

from webbrain.core.errors import BridgeError, CostLimit
from webbrain.host.protocols import Host
from webbrain.services.settings import SettingsService

SESSION_KEY: Final = "spendSession"
TOTAL_KEY: Final = "spend"
STORE_SECONDS: Final = 0.5
"""After an amount was booked both sums are stored. Somebody waits between an answer and the next request of
its run, and each storage is a way through the browser and back."""


class SpendingService:
    """One per app: the ``Purse`` of all runs."""

    def __init__(self, host: Host, settings: SettingsService) -> None:
        self._host = host
        self._settings = settings
        self._loading: asyncio.Task[None] | None = None
        self._session = 0.0
        self._total = 0.0
        self._since = 0.0
        self._writer: asyncio.Task[None] | None = None
        self._stale = False

    async def admit(self) -> None:
        """Raise ``CostLimit`` if an allowance is used up."""
        await self._load()
        settings = await self._settings.load()
        for spent, limit, name in (
            (self._session, settings.cost_allowance_session_usd, "this browser session"),
            (self._total, settings.cost_allowance_total_usd, "all sessions together"),
        ):
            if 0 < limit <= spent:
                raise CostLimit(
                    f"The allowance for {name} is used up: ${spent:.2f} of ${limit:.2f}.",
                    data={
                        "hint": "Raise it in the settings, or reset what was spent, and continue. "
                        "Models on your own machine cost nothing."
                    },
                )

    def book(self, usd: float) -> None:
        """Add to what was spent."""
        self._session += usd
        self._total += usd
        self._since = self._since or self._now()
        self._changed()

    async def view(self) -> dict[str, Any]:
        """``spending.get``"""
        await self._load()
        return self._view()

    async def reset(self) -> dict[str, Any]:
        """``spending.reset``: begin at zero, both sums."""
        await self._load()
        self._session, self._total, self._since = 0.0, 0.0, self._now()
        self._changed()
        await self.saved()
        return {"ok": True, **self._view()}

    async def saved(self) -> None:
        """Wait until what was booked is stored, or the store refused."""
        while self._writer is not None and not self._writer.done():
            await asyncio.wait({self._writer})

    def _view(self) -> dict[str, Any]:
        return {"sessionUsd": self._session, "totalUsd": self._total, "since": self._since or None}

    def _now(self) -> float:
        return round(self._host.clock.now() * 1000)

    async def _load(self) -> None:
        """Read what was stored, once. Somebody who is cancelled meanwhile does not cancel it for others."""
        if self._loading is None or (self._loading.done() and self._loading.exception() is not None):
            self._loading = asyncio.ensure_future(self._read())
        await asyncio.shield(self._loading)

    async def _read(self) -> None:
        session = (await self._host.session.get([SESSION_KEY])).get(SESSION_KEY)
        stored = (await self._host.settings.get([TOTAL_KEY])).get(TOTAL_KEY)
        total = stored if isinstance(stored, dict) else {}
        self._session += _amount(session)
        self._total += _amount(total.get("usd"))
        self._since = _amount(total.get("since")) or self._since

    def _changed(self) -> None:
        self._host.ui.emit("spending_changed", self._view())
        self._stale = True
        if self._writer is None or self._writer.done():
            self._writer = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        try:
            await self._load()
            await self._host.clock.sleep(STORE_SECONDS)
            while self._stale:
                self._stale = False
                await self._host.session.set({SESSION_KEY: self._session})
                await self._host.settings.set({TOTAL_KEY: {"usd": self._total, "since": self._since}})
        except BridgeError:
            # It counts in memory all the same; the next amount tries to store both sums again.
            self._stale = True


def _amount(value: Any) -> float:
    """A stored number, 0 for anything that is none."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return float(value) if usable else 0.0
