"""Storage areas of the browser as the host's small stores, one of them remembered."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.rpc import Connection

MOST_REMEMBERED: Final = 2_000_000
"""Characters of JSON that are remembered; settings, grants and providers take a hundredth of that."""
ABSENT: Final = ""
"""In the place of a value's JSON: there is none."""


class BridgeKeyValue:
    """A storage area of the browser: ``local`` or ``session``."""

    def __init__(self, connection: Connection, area: str) -> None:
        self._connection = connection
        self._area = area

    async def get(self, keys: Sequence[str] | None = None) -> dict[str, Any]:
        params = {"keys": None if keys is None else list(keys)}
        return dict(
            await self._connection.call(f"storage.{self._area}.get", params, timeout=BRIDGE_CALL_TIMEOUT)
        )

    async def set(self, values: Mapping[str, Any]) -> None:
        params = {"items": dict(values)}
        await self._connection.call(f"storage.{self._area}.set", params, timeout=BRIDGE_CALL_TIMEOUT)

    async def remove(self, keys: Sequence[str]) -> None:
        params = {"keys": list(keys)}
        await self._connection.call(f"storage.{self._area}.remove", params, timeout=BRIDGE_CALL_TIMEOUT)


class RememberedValues:
    """An area whose values are remembered, for browsers that tell of every change (:meth:`changed`).

    What is remembered of a key is dropped whenever it is written, by us or by somebody else, and while a
    question about it is under way; it is remembered again when the area itself has said what it is. So what
    :meth:`get` answers was stored once everything that we wrote, and were told of, was.
    """

    def __init__(self, area: BridgeKeyValue) -> None:
        self._area = area
        self._known: dict[str, str] = {}
        """JSON by key: whoever gets a value may change it."""
        self._chars = 0
        self._changes: dict[str, int] = {}
        """By key that was written: how often. There are as many as there are settings."""

    async def get(self, keys: Sequence[str] | None = None) -> dict[str, Any]:
        if keys is None:
            return await self._area.get()
        missing = [key for key in keys if key not in self._known]
        if missing:
            before = {key: self._changes.get(key, 0) for key in missing}
            found = await self._area.get(missing)
            for key in missing:
                if self._changes.get(key, 0) == before[key]:
                    self._remember(key, json.dumps(found[key]) if key in found else ABSENT)
        else:
            found = {}
        known = {key: self._known[key] for key in keys if key not in found and key in self._known}
        return found | {key: json.loads(text) for key, text in known.items() if text != ABSENT}

    async def set(self, values: Mapping[str, Any]) -> None:
        now = self._forget(values)
        await self._area.set(values)
        for key, value in values.items():
            if self._changes[key] == now[key]:
                self._remember(key, json.dumps(value))

    async def remove(self, keys: Sequence[str]) -> None:
        self._forget(keys)
        await self._area.remove(keys)

    def changed(self, values: Mapping[str, Any]) -> None:
        """The browser tells of new values (``None``: removed), also of those that we wrote ourselves."""
        for key, value in values.items():
            text = ABSENT if value is None else json.dumps(value)
            # Of our own writes only the newest is remembered: an earlier one that is told of late differs.
            if self._known.get(key) != text:
                self._forget([key])

    def _forget(self, keys: Iterable[str]) -> dict[str, int]:
        """Drop what is remembered of the keys; return how often each was written."""
        now = {}
        for key in keys:
            self._chars -= len(self._known.pop(key, ""))
            now[key] = self._changes[key] = self._changes.get(key, 0) + 1
        return now

    def _remember(self, key: str, text: str) -> None:
        if self._chars + len(text) > MOST_REMEMBERED:
            return
        self._chars += len(text) - len(self._known.get(key, ""))
        self._known[key] = text
