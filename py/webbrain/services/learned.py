"""What services taught us about their limits, kept over restarts of the agent.

``storage.local`` holds ``providerLearned``: provider id to a list of
``{baseUrl, model, omit, limitField, demanded, blind, at}``, ``at`` being when something was last learned, in
milliseconds. A service may accept tomorrow what it refuses today, so everything is forgotten after a while,
and at once when the user saves or removes that service.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.host.protocols import Host
from webbrain.providers.config import Endpoint
from webbrain.providers.refusals import DEMANDS, OPTIONAL_FIELDS
from webbrain.providers.wire import LIMIT_FIELDS, Learned

LEARNED_KEY: Final = "providerLearned"
BELIEVED_DAYS: Final = 14
BELIEVED_MS: Final = BELIEVED_DAYS * 86_400_000
MODELS_MAX: Final = 20
"""Models remembered per service; those that taught us something longest ago are forgotten first."""
SERVICES_MAX: Final = 50

Key = tuple[str, str, str]
"""Provider, address, model."""


class LearnedStore:
    """One per app: hands out the ``Learned`` of each model, and stores it when it grows."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: dict[Key, tuple[float, Learned]] = {}
        self._loading: asyncio.Task[None] | None = None
        self._writer: asyncio.Task[None] | None = None
        self._stale = False

    async def of(self, endpoint: Endpoint) -> Learned:
        """What is remembered of this model at this address; shared by all who ask."""
        await self._load()
        key = (endpoint.entry.id, endpoint.base_url, endpoint.info.model)
        at, learned = self._known.get(key, (0.0, None))
        if learned is None or self._expired(at):
            learned = Learned()
            self._remember(key, self._now(), learned)
        return learned

    async def forget(self, provider_id: str) -> None:
        """Forget all of a service."""
        await self._load()
        gone = [key for key in self._known if key[0] == provider_id]
        for key in gone:
            self._known.pop(key)[1].on_change = None
        if gone:
            self._changed()

    async def saved(self) -> None:
        """Wait until what was learned is stored, or the store refused."""
        while self._writer is not None and not self._writer.done():
            await asyncio.wait({self._writer})

    def _remember(self, key: Key, at: float, learned: Learned) -> None:
        self._known[key] = (at, learned)

        def grown() -> None:
            self._known[key] = (self._now(), learned)
            self._changed()

        learned.on_change = grown

    def _now(self) -> float:
        return round(self._host.clock.now() * 1000)

    def _expired(self, at: float) -> bool:
        return not 0 <= self._now() - at <= BELIEVED_MS

    async def _load(self) -> None:
        """Read what was stored, once. A store that refuses is asked again by whoever needs it next."""
        if self._loading is None or (self._loading.done() and self._loading.exception() is not None):
            self._loading = asyncio.ensure_future(self._read())
        try:
            await asyncio.shield(self._loading)
        except BridgeError:
            # To learn it again costs one refused request.
            return

    async def _read(self) -> None:
        stored = (await self._host.settings.get([LEARNED_KEY])).get(LEARNED_KEY)
        for key, at, learned in _rows(stored):
            if key not in self._known and not self._expired(at):
                self._remember(key, at, learned)

    def _changed(self) -> None:
        self._stale = True
        if self._writer is None or self._writer.done():
            self._writer = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        try:
            await self._load()
            while self._stale:
                self._stale = False
                await self._host.settings.set({LEARNED_KEY: self._stored()})
        except BridgeError:
            # It is remembered in memory all the same; what is learned next tries to store it again.
            self._stale = True

    def _stored(self) -> dict[str, Any]:
        newest = sorted(self._known.items(), key=lambda item: item[1][0], reverse=True)
        out: dict[str, list[dict[str, Any]]] = {}
        for (provider, base_url, model), (at, learned) in newest:
            if learned == Learned() or self._expired(at):
                continue
            if provider not in out and len(out) >= SERVICES_MAX:
                continue
            rows = out.setdefault(provider, [])
            if len(rows) < MODELS_MAX:
                rows.append({"baseUrl": base_url, "model": model, "at": at, **_row(learned)})
        return out


def _row(learned: Learned) -> dict[str, Any]:
    return {
        "omit": sorted(learned.omit),
        "limitField": learned.limit_field,
        "demanded": learned.demanded,
        "blind": learned.blind,
    }


def _rows(stored: Any) -> Iterator[tuple[Key, float, Learned]]:
    """What is stored, as far as it can have come from here."""
    for provider, rows in stored.items() if isinstance(stored, dict) else ():
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and isinstance(row.get("at"), int | float):
                key = (str(provider), str(row.get("baseUrl", "")), str(row.get("model", "")))
                yield key, float(row["at"]), _learned(row)


def _learned(row: Mapping[str, Any]) -> Learned:
    omit, demanded = row.get("omit"), row.get("demanded")
    limit = row.get("limitField")
    return Learned(
        omit=set(omit) & set(OPTIONAL_FIELDS) if isinstance(omit, list) else set(),
        limit_field=limit if limit in LIMIT_FIELDS else "",
        demanded={
            name: DEMANDS[name]
            for name, value in (demanded.items() if isinstance(demanded, dict) else ())
            if name in DEMANDS and value == DEMANDS[name]
        },
        blind=row.get("blind") is True,
    )
