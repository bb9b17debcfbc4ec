"""Tables of entries in memory. See ``memory.py``."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

from webbrain.host.memory_parts import Taps, json_copy
from webbrain.host.tables import READ_LIMIT, Entry, Table

Key = tuple[str, int | None]
TIMES: Final = {"runs": "startedAt", "conversations": "updatedAt"}


class MemoryTables:
    """Entries by table and key. ``fail`` set to an exception makes every change raise it."""

    def __init__(self, taps: Taps, data: Mapping[str, Mapping[Key, dict[str, Any]]] | None = None) -> None:
        self._taps = taps
        self.data: dict[str, dict[Key, dict[str, Any]]] = copy.deepcopy(
            {name: dict(entries) for name, entries in (data or {}).items()}
        )
        self.fail: Exception | None = None

    async def put(self, entries: Sequence[Entry]) -> None:
        await self._taps.reach("table.put")
        if self.fail:
            raise self.fail
        for entry in entries:
            self.data.setdefault(entry.table, {})[entry.id, entry.n] = json_copy(entry.value)

    async def get(self, table: Table, ids: Sequence[str]) -> list[dict[str, Any] | None]:
        await self._taps.reach("table.get")
        return [copy.deepcopy(self.data.get(table, {}).get((key, None))) for key in ids]

    async def newest(
        self, table: Table, limit: int, before: tuple[float, str] | None = None
    ) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
        await self._taps.reach("table.newest")
        field = TIMES[table]
        found = sorted(
            ((value[field], key) for (key, _), value in self.data.get(table, {}).items() if field in value),
            reverse=True,
        )
        if before:
            found = [place for place in found if place < before]
        entries = [(key, copy.deepcopy(self.data[table][key, None])) for _, key in found[:limit]]
        return entries, len(found) > limit

    async def under(
        self, table: Table, owner: str, after: int = 0, limit: int = READ_LIMIT
    ) -> list[tuple[int, dict[str, Any]]]:
        await self._taps.reach("table.under")
        entries = self.data.get(table, {}).items()
        found = [(n, value) for (key, n), value in entries if key == owner and n is not None and n > after]
        return copy.deepcopy(sorted(found, key=lambda entry: entry[0])[:limit])

    async def delete(self, tables: Sequence[Table], ids: Sequence[str] | None) -> None:
        await self._taps.reach("table.delete")
        if self.fail:
            raise self.fail
        for table in tables:
            kept = {} if ids is None else self.data.get(table, {})
            self.data[table] = {key: value for key, value in kept.items() if key[0] not in (ids or ())}
