"""Messages that a person typed while a task was running: one queue per conversation.

The queue is read off the journal, so it outlives the panel and Python: ``queued_message`` puts a message in,
``queued_removed`` takes it out, and a run that has the message's id as its request is the message being sent.
The next one starts by itself once a run ended well. After a Stop or a failure nothing that was written
before it is sent by itself any more: it is *held*, and a person sends it or takes it out. A run that was
only paused (step limit, allowance, interruption) holds nothing: what waits goes on waiting until the task
was continued.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.agent.runs import Runs
from webbrain.core.errors import WebBrainError
from webbrain.core.events import QueuedMessage, QueuedRemoved
from webbrain.core.types import Mode
from webbrain.services.conversations import Conversation, Conversations

MOST: Final = 20
"""Messages that may wait on one tab."""
HOLDING: Final = frozenset({"stopped", "failed"})
"""How a run ends after which nothing that waits is sent by itself; nor after one that says it failed."""
SAVE_TIMEOUT: Final = 2.0
"""Seconds that an accepted message waits for the store before it is answered anyway."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits. ``held``: a person has to send it."""

    id: str
    text: str
    mode: str
    held: bool = False

    def view(self) -> dict[str, Any]:
        """As screens get it."""
        return {"id": self.id, "text": self.text, "mode": self.mode, "held": self.held}


def waiting(journal: Journal) -> list[Queued]:
    """The messages that wait in a conversation, in their order."""
    out: dict[str, Queued] = {}
    for event in journal.events:
        data = event.data
        match event.type:
            case "queued_message":
                out.pop(data["id"], None)
                out[data["id"]] = Queued(data["id"], data["text"], data["mode"], bool(data.get("held")))
            case "queued_removed":
                out.pop(data["id"], None)
            case "user_message":
                out.pop(event.request_id, None)
            case "run_complete" if data["status"] in HOLDING or data["outcome"] == "failed":
                out = {key: replace(queued, held=True) for key, queued in out.items()}
    return list(out.values())


def ended_well(journal: Journal) -> bool:
    """Whether the newest run did what it was asked to, as far as it says; true if there was none."""
    for event in reversed(journal.events):
        if event.type == "user_message":
            return False
        if event.type == "run_complete":
            return bool(event.data["status"] == "completed" and event.data["outcome"] != "failed")
    return True


Start = Callable[[int, str, Mode, str], Awaitable[Any]]
"""Starts a run: tab, request, mode, text."""


class MessageQueue:
    """One per app."""

    def __init__(self, conversations: Conversations, runs: Runs, start: Start) -> None:
        self._conversations = conversations
        self._runs = runs
        self._start = start
        self._going_on: set[int] = set()
        """Tabs whose next message is about to be sent."""
        self._words: dict[str, str] = {}
        """What was typed, by id: the record of it has known secrets taken out."""

    async def add(self, tab_id: int, id_: str, text: str, mode: Mode) -> dict[str, Any]:
        """Put a message at the end of the queue, or one of it there again. With nothing running that it could
        wait for it is sent at once, unless the run before did not end well.
        """
        conversation = await self._conversations.of(tab_id)
        journal = conversation.journal
        if conversation.run_of(id_) is not None:
            return {"ok": True, "waits": False}
        if len([queued for queued in waiting(journal) if queued.id != id_]) >= MOST:
            raise WebBrainError(f"{MOST} messages wait already.", code="queue_full")
        idle = not self._runs.busy(tab_id) and tab_id not in self._going_on
        held = idle and not ended_well(journal)
        self._words[id_] = text
        journal.emit(QueuedMessage(id=id_, text=text, mode=mode.value, held=held))
        await journal.saved(SAVE_TIMEOUT)
        if idle and not held:
            await self.go_on(conversation)
        return {"ok": True, "waits": any(queued.id == id_ for queued in waiting(journal))}

    async def remove(self, tab_id: int, id_: str) -> dict[str, Any]:
        """Take a message out; ``removed`` is false if it does not wait (any more)."""
        journal = (await self._conversations.of(tab_id)).journal
        found = any(queued.id == id_ for queued in waiting(journal))
        if found:
            self._words.pop(id_, None)
            journal.emit(QueuedRemoved(id=id_))
            await journal.saved(SAVE_TIMEOUT)
        return {"ok": True, "removed": found}

    def view(self, conversation: Conversation) -> list[dict[str, Any]]:
        """What waits, for a screen that opens. A message that nobody would send any more, because Python died
        before it could, is held from now on.
        """
        journal, tab_id = conversation.journal, conversation.tab_id
        idle = not self._runs.busy(tab_id) and tab_id not in self._going_on
        if idle and ended_well(journal):
            for queued in waiting(journal):
                if not queued.held:
                    self._hold(journal, queued)
        return [queued.view() for queued in waiting(journal)]

    def run_ended(self, conversation: Conversation) -> Coroutine[Any, Any, None]:
        """A run is over: what is returned sends the next message, if there is one and it may be sent."""
        self._going_on.add(conversation.tab_id)
        return self.go_on(conversation)

    async def go_on(self, conversation: Conversation) -> None:
        """Send the next message if the newest run ended well."""
        tab_id, journal = conversation.tab_id, conversation.journal
        self._going_on.add(tab_id)
        try:
            shown = self._conversations.at_hand(tab_id) is conversation
            next_ = next((queued for queued in waiting(journal) if not queued.held), None)
            if not shown or next_ is None or not ended_well(journal):
                return
            try:
                text = self._words.get(next_.id, next_.text)
                await self._start(tab_id, next_.id, Mode(next_.mode), text)
            except WebBrainError as error:
                if error.code != "run_active":  # else somebody was quicker, and it waits for that run
                    self._hold(journal, next_)
            else:
                self._words.pop(next_.id, None)
        finally:
            self._going_on.discard(tab_id)

    def _hold(self, journal: Journal, queued: Queued) -> None:
        journal.emit(QueuedMessage(id=queued.id, text=queued.text, mode=Mode(queued.mode).value, held=True))
