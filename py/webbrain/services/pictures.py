"""The pictures that were taken, for screens: kept beside the conversations, fetched one by one.

Events name a picture by its id, so that a conversation with a hundred of them opens as fast as one with
none. Each picture is a stream ``picture:<id>`` of the store; the stream ``pictures`` lists them, oldest
first, and the oldest go once there are more than ``PICTURES_KEPT``.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from webbrain.core.errors import WebBrainError
from webbrain.core.ids import new_id
from webbrain.host.protocols import Host

LIST: Final = "pictures"
PICTURES_KEPT: Final = 300
IN_MEMORY: Final = 6
"""The newest pictures, which a screen asks for at once, need no store."""


def _stream(picture_id: str) -> str:
    return f"picture:{picture_id}"


def ids_in(records: Iterable[tuple[int, Mapping[str, Any]]]) -> list[str]:
    """The ids in the records of a list, as far as they can be read."""
    return [record["id"] for _, record in records if isinstance(record.get("id"), str)]


class PictureStore:
    """One per app."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._newest: dict[str, str] = {}
        self._listed: list[str] | None = None
        self._writing = asyncio.Lock()

    async def keep(self, data_url: str) -> str:
        """Keep a picture and return its id. A store that refuses costs the picture later, not the run now."""
        picture_id = new_id("pic")
        self._newest[picture_id] = data_url
        for old in list(self._newest)[:-IN_MEMORY]:
            del self._newest[old]
        with contextlib.suppress(WebBrainError):
            async with self._writing:
                await self._write(picture_id, data_url)
        return picture_id

    async def get(self, picture_id: str) -> str:
        """The picture as a data URL; empty if it is gone."""
        if picture_id in self._newest:
            return self._newest[picture_id]
        try:
            records = await self._host.store.read(_stream(picture_id), 0, 1)
        except WebBrainError:
            return ""
        return str(records[0][1].get("dataUrl", "")) if records else ""

    async def remove(self, goes: Callable[[str], bool]) -> None:
        """Remove the pictures whose ids ``goes`` names; raise ``WebBrainError`` if the store refuses."""
        async with self._writing:
            for picture_id in [one for one in self._newest if goes(one)]:
                del self._newest[picture_id]
            listed = await self._list()
            gone = [one for one in listed if goes(one)]
            if not gone:
                return
            self._listed = [one for one in listed if not goes(one)]
            await self._host.store.delete(LIST)
            await self._host.store.append(LIST, [{"id": kept} for kept in self._listed])
            for picture_id in gone:
                await self._host.store.delete(_stream(picture_id))

    async def _list(self) -> list[str]:
        if self._listed is None:
            self._listed = ids_in(await self._host.store.read(LIST))
        return self._listed

    async def _write(self, picture_id: str, data_url: str) -> None:
        store = self._host.store
        self._listed = await self._list()
        await store.append(_stream(picture_id), [{"dataUrl": data_url}])
        self._listed.append(picture_id)
        if len(self._listed) <= PICTURES_KEPT:
            await store.append(LIST, [{"id": picture_id}])
            return
        # The list is written anew with room below the limit, so that this happens seldom.
        room = PICTURES_KEPT - PICTURES_KEPT // 10
        old, self._listed = self._listed[:-room], self._listed[-room:]
        await store.delete(LIST)
        await store.append(LIST, [{"id": kept} for kept in self._listed])
        for gone in old:
            await store.delete(_stream(gone))
