"""Tables in IndexedDB: entries that may be replaced, beside the append-only records of ``Store``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from webbrain.host.rpc import Connection

Table = Literal["runs", "events", "shots", "conversations"]
"""``runs`` and ``conversations`` hold one entry per id and are listed by time (their ``startedAt`` and
``updatedAt``, milliseconds since 1970); ``events`` and ``shots`` hold numbered entries under a run's id."""

TABLE_TIMEOUT: Final = 60.0
READ_LIMIT: Final = 10_000
"""Entries in one answer of the store."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in ``table`` under ``id``, or under ``id`` and the number ``n``."""

    table: Table
    id: str
    value: dict[str, Any]
    n: int | None = None


class Tables(Protocol):
    """Raises ``BridgeError`` with code ``store_failed`` and ``data["reason"]``: ``full``, ``newer``,
    ``broken``."""

    async def put(self, entries: Sequence[Entry]) -> None:
        """Store all of them or none, replacing what stands in their places."""
        ...

    async def get(self, table: Table, ids: Sequence[str]) -> list[dict[str, Any] | None]:
        """The entries of those ids, in order, ``None`` where there is none."""
        ...

    async def newest(
        self, table: Table, limit: int, before: tuple[float, str] | None = None
    ) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
        """Entries with their ids, newest first, and whether there are more.

        ``before`` is the time and the id of the last entry that the caller has.
        """
        ...

    async def under(
        self, table: Table, owner: str, after: int = 0, limit: int = READ_LIMIT
    ) -> list[tuple[int, dict[str, Any]]]:
        """The numbered entries under the id ``owner`` above ``after``, in order."""
        ...

    async def delete(self, tables: Sequence[Table], ids: Sequence[str] | None) -> None:
        """Remove, from all of ``tables`` at once, what stands under these ids; everything for ``None``."""
        ...


class BridgeTables:
    """The supervisor's tables."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, entries: Sequence[Entry]) -> None:
        await self._call("table.put", {"entries": [_wire(entry) for entry in entries]})

    async def get(self, table: Table, ids: Sequence[str]) -> list[dict[str, Any] | None]:
        return list((await self._call("table.get", {"table": table, "ids": list(ids)}))["values"])

    async def newest(
        self, table: Table, limit: int, before: tuple[float, str] | None = None
    ) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
        found: list[tuple[str, dict[str, Any]]] = []
        field = {"runs": "startedAt", "conversations": "updatedAt"}[table]
        more = True
        while more and len(found) < limit:
            params: dict[str, Any] = {"table": table, "limit": min(limit - len(found), READ_LIMIT)}
            if before:
                params["before"] = {"time": before[0], "id": before[1]}
            answer = await self._call("table.newest", params)
            found += [(str(key), value) for key, value in answer["entries"]]
            # One answer holds as much as a frame may; the rest is asked for.
            more = bool(answer["more"] and answer["entries"])
            if found:
                before = (found[-1][1][field], found[-1][0])
        return found, more

    async def under(
        self, table: Table, owner: str, after: int = 0, limit: int = READ_LIMIT
    ) -> list[tuple[int, dict[str, Any]]]:
        found: list[tuple[int, dict[str, Any]]] = []
        while len(found) < limit:
            rest = min(limit - len(found), READ_LIMIT)
            params = {"table": table, "id": owner, "after": after, "limit": rest}
            answer = await self._call("table.under", params)
            found += [(int(n), value) for n, value in answer["entries"]]
            if not answer["more"] or not answer["entries"]:
                break
            after = found[-1][0]
        return found

    async def delete(self, tables: Sequence[Table], ids: Sequence[str] | None) -> None:
        params: dict[str, Any] = {"tables": list(tables)}
        if ids is not None:
            params["ids"] = list(ids)
        await self._call("table.delete", params)

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        return await self._connection.call(method, params, timeout=TABLE_TIMEOUT)


def _wire(entry: Entry) -> dict[str, Any]:
    wire: dict[str, Any] = {"table": entry.table, "id": entry.id, "value": entry.value}
    return wire if entry.n is None else wire | {"n": entry.n}
