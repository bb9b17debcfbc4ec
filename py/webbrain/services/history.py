"""The conversations that are stored: listed, searched, opened again, exported, deleted.

The table ``conversations`` has an entry for each conversation in which somebody said something: ``{title,
startedAt, updatedAt, turns, tabUrl, text}``, ``text`` being what is searched. The conversation itself is its
stream (see ``conversations``); an entry can be made from it again at any time, which is done for streams that
have none when the list is first asked for.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

from webbrain.agent.journal import UNSAVED, Journal
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.events import RunEvent
from webbrain.host.protocols import Host
from webbrain.host.tables import Entry
from webbrain.policy.credentials import masked
from webbrain.policy.redaction import REDACTED, pattern_of
from webbrain.services.conversations import Conversation, Conversations
from webbrain.services.documents import DocumentStore
from webbrain.services.history_entries import (
    Clean,
    address_of,
    entry_of,
    files_of,
    found_in,
    matches,
    take_events,
    usable,
)
from webbrain.services.pictures import PictureStore
from webbrain.services.secrets import stored_secrets
from webbrain.services.transcript import Transcript, transcript

PREFIX: Final = "conv_"
"""What the names of conversations' streams begin with."""
PAGE: Final = 50
"""Conversations in one answer, if the caller does not say."""
BATCH: Final = 100
"""Entries that are looked through at once."""
READ_BATCH: Final = 2_000
SAVE_TIMEOUT: Final = 2.0
KEEP_DELAY: Final = 1.0
"""Seconds after which the beginning or end of a run is listed: other work goes first."""
Answer = dict[str, Any]


class History:
    """One per app. ``running`` says whether a task runs on a tab; ``leave`` gives a tab a new conversation in
    the place of the one it shows, or raises ``run_active``.
    """

    def __init__(
        self,
        host: Host,
        conversations: Conversations,
        pictures: PictureStore,
        documents: DocumentStore,
        running: Callable[[int], bool],
        leave: Callable[[int], Awaitable[None]],
    ) -> None:
        self._host = host
        self._conversations = conversations
        self._pictures = pictures
        self._documents = documents
        self._running = running
        self._leave = leave
        self._changing = asyncio.Lock()
        self._deleted: set[str] = set()
        self._indexing: asyncio.Task[None] | None = None
        self._timers: dict[str, tuple[Conversation, asyncio.TimerHandle]] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    # --- the index ---

    def keep_soon(self, conversation: Conversation) -> None:
        """Bring the entry of a conversation up to date in ``KEEP_DELAY``; nobody waits for that."""
        self._forget_timer(conversation.id)
        timer = asyncio.get_running_loop().call_later(KEEP_DELAY, self._keep_now, conversation)
        self._timers[conversation.id] = (conversation, timer)

    def _keep_now(self, conversation: Conversation) -> None:
        self._forget_timer(conversation.id)
        task = asyncio.ensure_future(self.keep(conversation))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    def _forget_timer(self, conversation_id: str) -> None:
        if conversation_id in self._timers:
            self._timers.pop(conversation_id)[1].cancel()

    async def keep(self, conversation: Conversation) -> None:
        """Bring the entry of a conversation up to date. A store that refuses costs it until the next time."""
        clean = await self._clean(conversation.journal)
        with contextlib.suppress(WebBrainError):
            async with self._changing:
                if conversation.id in self._deleted:
                    return
                (old,) = await self._host.tables.get("conversations", [conversation.id])
                address = str((old or {}).get("tabUrl", "")) or await self._address(conversation.tab_id)
                entry = entry_of(conversation.journal.events, clean, address)
                if entry is not None:
                    await self._host.tables.put([Entry("conversations", conversation.id, entry)])
        self._changed()

    async def _address(self, tab_id: int) -> str:
        try:
            return address_of((await self._host.browser.get_tab(tab_id)).url)
        except BridgeError:
            return ""

    def _index_once(self) -> None:
        if self._indexing is None:
            self._indexing = asyncio.ensure_future(self._index_missing())

    async def settled(self) -> None:
        """Do now what was to be done soon, and wait until everything that is stored is listed."""
        for conversation, _ in list(self._timers.values()):
            self._keep_now(conversation)
        waited = {*self._keeping, *([self._indexing] if self._indexing else [])}
        if waited:
            await asyncio.wait(waited)

    async def _index_missing(self) -> None:
        """Make the entries that are missing: of conversations of earlier versions, or after a refused write.
        A conversation in which nobody said anything is removed unless a tab shows it.
        """
        made = False
        try:
            streams = await self._streams()
            shown = await self._conversations.shown()
            listed = {conversation_id async for conversation_id, _ in self._entries()}
            clean = await self._clean()
            for conversation_id in streams:
                if conversation_id not in listed:
                    made |= await self._index(conversation_id, clean, empty_stays=conversation_id in shown)
        except WebBrainError:
            self._indexing = None  # the next list tries again
        if made:
            self._changed()

    async def _index(self, conversation_id: str, clean: Clean, *, empty_stays: bool) -> bool:
        async with self._changing:
            (old,) = await self._host.tables.get("conversations", [conversation_id])
            if conversation_id in self._deleted or (old is not None and usable(old)):
                return False
            entry = entry_of(await self._stored_events(conversation_id), clean)
            if entry is not None:
                await self._host.tables.put([Entry("conversations", conversation_id, entry)])
            elif not empty_stays and await self._is_blank(conversation_id):
                await self._host.store.delete(conversation_id)
            return entry is not None

    async def _is_blank(self, conversation_id: str) -> bool:
        """Whether a conversation was opened and nothing more. What cannot be read is not nothing."""
        batches = [batch async for batch in self._records(conversation_id)]
        return all(isinstance(one, dict) and one.get("kind") == "open" for batch in batches for one in batch)

    async def _streams(self) -> list[str]:
        """The ids of all conversations that are stored."""
        return [name for name in await self._host.store.streams() if name.startswith(PREFIX)]

    def _changed(self) -> None:
        self._host.ui.emit("history_changed", {})

    async def _entries(
        self, before: tuple[float, str] | None = None
    ) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """All entries that can be used, newest first."""
        more = True
        while more:
            found, more = await self._host.tables.newest("conversations", BATCH, before)
            for conversation_id, entry in found:
                if usable(entry):
                    yield conversation_id, entry
            if not found:
                return
            before = (float(found[-1][1]["updatedAt"]), found[-1][0])

    # --- what screens ask ---

    async def entries(
        self, query: str = "", before: tuple[float, str] | None = None, limit: int = PAGE
    ) -> Answer:
        """``history.list``: what has every word of ``query`` in its title, address or texts."""
        self._index_once()
        words = query.casefold().split()
        shown = await self._conversations.shown()
        found: list[Answer] = []
        more = False
        async for conversation_id, entry in self._entries(before):
            if not matches(entry, words):
                continue
            if len(found) == limit:
                more = True
                break
            tab_id = shown.get(conversation_id)
            found.append(
                {
                    "id": conversation_id,
                    **{key: entry[key] for key in ("title", "startedAt", "updatedAt", "turns", "tabUrl")},
                    "tabId": tab_id,
                    "running": tab_id is not None and self._running(tab_id),
                    "found": found_in(str(entry["text"]), words) if words else "",
                }
            )
        indexing = self._indexing is not None and not self._indexing.done()
        return {"conversations": found, "more": more, "indexing": indexing}

    async def open(self, tab_id: int, conversation_id: str) -> Answer:
        """``history.open``: go on with a conversation on a tab; nothing may run there. One that another tab
        shows stays there, and ``tabId`` of the answer is that tab.
        """
        there = await self._conversations.shown_on(conversation_id)
        if there is None:
            conversation = await self._conversations.show(tab_id, conversation_id)
            if conversation is None:
                await self._forget_entry(conversation_id)
                raise WebBrainError("This conversation is not stored any more.", code="conversation_gone")
            self._host.ui.emit("conversation_opened", {"tabId": tab_id, "conversationId": conversation_id})
        return {"ok": True, "tabId": tab_id if there is None else there, "conversationId": conversation_id}

    async def export(self, conversation_id: str) -> Answer:
        """``history.export``: a file to save."""
        journal = self._conversations.journal_of(conversation_id)
        events = journal.events if journal is not None else await self._stored_events(conversation_id)
        if not any(event.type == "user_message" for event in events):
            raise WebBrainError("There is nothing in this conversation yet.", code="nothing_to_export")
        (entry,) = await self._host.tables.get("conversations", [conversation_id])
        address = str((entry or {}).get("tabUrl", ""))
        clean = await self._clean(journal)
        file: Transcript = transcript(events, now=self._host.clock.now(), address=address, clean=clean)
        return {"filename": file.filename, "markdown": file.markdown}

    async def delete(self, conversation_id: str) -> Answer:
        """``history.delete`` of one, with its pictures and documents. One that a task works in is refused."""
        tab_id = await self._conversations.shown_on(conversation_id)
        async with self._changing:
            if tab_id is not None:
                await self._leave(tab_id)
            files = await self._files(conversation_id)
            await self._remove(conversation_id)
        await self._remove_files(lambda one: one in files)
        return {"ok": True, "deleted": 1, "kept": 0}

    async def delete_all(self) -> Answer:
        """``history.delete`` of all but those that a task works in."""
        async with self._changing:
            listed = {conversation_id async for conversation_id, _ in self._entries()}
            kept = set[str]()
            for conversation_id in await self._conversations.shown():
                tab_id = await self._conversations.shown_on(conversation_id)
                try:
                    if tab_id is not None:
                        await self._leave(tab_id)
                except WebBrainError:
                    kept.add(conversation_id)
            files = set[str]()
            for conversation_id in kept:
                files |= await self._files(conversation_id)
            # Tabs that were left show other conversations by now, which stay as well.
            gone = {*await self._streams(), *listed} - set(await self._conversations.shown())
            for conversation_id in gone:
                await self._remove(conversation_id)
        await self._remove_files(lambda one: one not in files)
        return {"ok": True, "deleted": len(listed & gone), "kept": len(listed & kept)}

    async def _files(self, conversation_id: str) -> set[str]:
        journal = self._conversations.journal_of(conversation_id)
        if journal is not None:
            await journal.saved(SAVE_TIMEOUT)
        return {file async for batch in self._records(conversation_id) for file in files_of(batch)}

    async def _remove_files(self, goes: Callable[[str], bool]) -> None:
        await self._pictures.remove(goes)
        await self._documents.remove(goes)
        self._changed()

    async def _remove(self, conversation_id: str) -> None:
        # The stream first: an entry without a stream is found out, a stream without an entry would be listed.
        await self._host.store.delete(conversation_id)
        await self._forget_entry(conversation_id)
        self._deleted.add(conversation_id)
        await self._host.session.remove([f"{UNSAVED}{conversation_id}"])

    async def _forget_entry(self, conversation_id: str) -> None:
        await self._host.tables.delete(["conversations"], [conversation_id])

    async def _stored_events(self, conversation_id: str) -> list[RunEvent]:
        """The events of a stored conversation, as far as they can be read."""
        events: list[RunEvent] = []
        async for batch in self._records(conversation_id):
            take_events(events, batch)
        return events

    async def _records(self, conversation_id: str) -> AsyncIterator[list[Any]]:
        after = 0
        while batch := await self._host.store.read(conversation_id, after, READ_BATCH):
            after = batch[-1][0]
            yield [record for _, record in batch]

    async def _clean(self, journal: Journal | None = None) -> Clean:
        """Takes out what is known to be secret, and what looks like it."""
        try:
            secrets = await stored_secrets(self._host)
        except WebBrainError:
            secrets = []
        if journal is not None:
            secrets += [secret.text for secret in journal.taint.secrets]
        known = pattern_of(secrets)
        return lambda text: masked(known.sub(REDACTED, text) if known else text)
