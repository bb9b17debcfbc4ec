"""Documents that a person attached, kept for as long as a conversation may need them again.

Each is a stream ``document:<id>`` of pieces, since no frame holds a whole one; the stream ``documents`` lists
them, oldest first, and only the newest are kept. Without them a model could not be given its document again
after the Worker was replaced.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from webbrain.core.errors import WebBrainError
from webbrain.core.ids import new_id
from webbrain.host.protocols import Host
from webbrain.services.pictures import ids_in

LIST: Final = "documents"
DOCUMENTS_KEPT: Final = 10
PIECE_CHARS: Final = 4_000_000
"""Characters of one record; a frame of the bridge has 16 million."""


def _stream(file_id: str) -> str:
    return f"document:{file_id}"


class DocumentStore:
    """One per app."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._writing = asyncio.Lock()

    async def keep(self, data_url: str) -> str:
        """Keep a document and return its id. A store that refuses costs a later run, not this one."""
        file_id = new_id("doc")
        with contextlib.suppress(WebBrainError):
            async with self._writing:
                await self._write(file_id, data_url)
        return file_id

    async def get(self, file_id: str) -> str:
        """The document as a data URL; empty if it is gone or not whole."""
        store, pieces, whole = self._host.store, list[str](), 0
        try:
            while found := await store.read(_stream(file_id), len(pieces), 1):
                pieces.append(str(found[0][1].get("piece", "")))
                whole = int(found[0][1].get("chars", 0))
        except WebBrainError:
            return ""
        text = "".join(pieces)
        return text if len(text) == whole else ""

    async def remove(self, goes: Callable[[str], bool]) -> None:
        """Remove the documents whose ids ``goes`` names; raise ``WebBrainError`` if the store refuses."""
        store = self._host.store
        async with self._writing:
            listed = ids_in(await store.read(LIST))
            gone = [one for one in listed if goes(one)]
            if not gone:
                return
            await store.delete(LIST)
            await store.append(LIST, [{"id": kept} for kept in listed if not goes(kept)])
            for file_id in gone:
                await store.delete(_stream(file_id))

    async def _write(self, file_id: str, data_url: str) -> None:
        store = self._host.store
        for start in range(0, len(data_url), PIECE_CHARS):
            piece = {"piece": data_url[start : start + PIECE_CHARS], "chars": len(data_url)}
            await store.append(_stream(file_id), [piece])
        await store.append(LIST, [{"id": file_id}])
        listed = ids_in(await store.read(LIST))
        if len(listed) <= DOCUMENTS_KEPT:
            return
        await store.delete(LIST)
        await store.append(LIST, [{"id": kept} for kept in listed[-DOCUMENTS_KEPT:]])
        for gone in listed[:-DOCUMENTS_KEPT]:
            await store.delete(_stream(gone))
