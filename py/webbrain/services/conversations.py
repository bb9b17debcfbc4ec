"""Conversations: one per tab at a time, kept in the store, found again after whatever died.

The store's stream of a conversation holds all of it. ``storage.session`` says which conversation a tab
shows (``agentConv:<tab>``) and mirrors what screens show (``tabChat:<tab>``) and the run (``runUi:<tab>``),
capped. The stream ``open-runs`` lists runs that have not ended, so that a start after a death finds them
without reading everything.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.agent.attachments import AtHand
from webbrain.agent.completion import Completion
from webbrain.agent.context import ContextGuard
from webbrain.agent.journal import UNSAVED, Journal
from webbrain.agent.pins import Pins
from webbrain.agent.planner_guard import ExecutionGuard
from webbrain.agent.recovery import Interrupted, interrupt
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.ids import new_id
from webbrain.core.types import Mode
from webbrain.host.protocols import Host
from webbrain.policy.grants import Need
from webbrain.services.interrupted import OPEN_RUNS, OpenRun, WaitingRuns, is_id, open_runs
from webbrain.services.mirrors import Mirror

SHOWS: Final = "agentConv:"
"""Before a tab's number: the key in the session's storage of the conversation that the tab shows."""
MIRROR_PERIOD: Final = 3.0
"""Seconds between two writes of a tab's mirror. It may have 200 KB, which Python writes as JSON and the
browser carries through two processes, while a step of the run may be under way."""
PANEL_EVENTS: Final = 2_000
"""Events that a screen gets when it opens; older ones stay in the store."""
READ_BATCH: Final = 2_000


@dataclass(slots=True)
class Conversation:
    """What is known of a tab's conversation."""

    id: str
    tab_id: int
    mode: Mode
    journal: Journal
    guard: ContextGuard = field(default_factory=ContextGuard)
    allow_api: bool = False
    """The user gave ``/allow-api``: requests that change data may be asked for."""
    api_news: bool = False
    """The model is to be told of that once."""
    execution: ExecutionGuard = field(default_factory=ExecutionGuard)
    """What the newest task is held to."""
    once: dict[Need, bool] = field(default_factory=dict)
    """What was granted or denied until the user's next message."""
    attached: AtHand = field(default_factory=AtHand)
    """The files of its messages, as long as this Worker lives."""
    mirror: Mirror = field(default_factory=Mirror)
    completion: Completion = field(init=False)
    """What the newest task's claims can rest on, with the run's own notes."""

    def __post_init__(self) -> None:
        self.completion = Completion(Pins(self.journal))
        self.guard.pins = self.completion.pins.block

    def take_api_news(self) -> bool:
        """Whether the model must still be told that it may ask for requests that change data."""
        news, self.api_news = self.api_news, False
        return news

    def last_run(self) -> tuple[str, str] | None:
        """``(run_id, request_id)`` of the newest run."""
        return (self.journal.run_id, self.journal.request_id) if self.journal.run_id else None

    def run_of(self, request_id: str) -> str | None:
        """The run that a request started, if it was accepted before."""
        return next(
            (
                event.run_id
                for event in reversed(self.journal.events)
                if event.type == "user_message" and event.request_id == request_id
            ),
            None,
        )

    def for_panel(self) -> list[dict[str, Any]]:
        """The newest events, from the start of a turn on."""
        events = self.journal.events[-PANEL_EVENTS:]
        if len(events) < len(self.journal.events):
            turns = [index for index, event in enumerate(events) if event.type == "user_message"]
            events = events[turns[0] :] if turns else events
        return [event.model_dump(mode="json", by_alias=True) for event in events]


@dataclass(frozen=True, slots=True)
class Died:
    """A run that a death had cut off."""

    conversation: Conversation
    run: Interrupted
    here: bool
    """Whether its tab still shows its conversation: the browser has gone on all the while."""


class Conversations:
    """Finds, makes, stores and recovers conversations."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: dict[int, Conversation] = {}
        self._locks: dict[int, asyncio.Lock] = {}
        self._mirrors: dict[int, asyncio.Task[None]] = {}
        self._open_runs = 0
        self._waiting = WaitingRuns(host)
        self._kept: dict[int, str] | None = None
        self.on_recovered: Callable[[Conversation], None] | None = None
        """Told of each conversation whose run had to be marked as interrupted."""

    async def of(self, tab_id: int) -> Conversation:
        """The conversation of a tab: the one at hand, the stored one, or a new one."""
        async with self._locks.setdefault(tab_id, asyncio.Lock()):
            known = self._known.get(tab_id)
            if known is None:
                known = await self._stored(tab_id) or await self._waiting_for(tab_id)
                if known is None:
                    known = await self._new(tab_id, Mode.ASK)
                else:
                    # Nothing runs in a conversation that had to be read first, whatever it says.
                    interrupt(known.journal, known.journal.run_id)
            return known

    def at_hand(self, tab_id: int) -> Conversation | None:
        """The conversation of a tab if it is loaded."""
        return self._known.get(tab_id)

    async def clear(self, tab_id: int) -> Conversation:
        """Begin a new conversation on the tab, in the same mode. The old one stays in the store."""
        old = await self.of(tab_id)
        async with self._locks.setdefault(tab_id, asyncio.Lock()):
            return await self._new(tab_id, old.mode)

    async def set_mode(self, tab_id: int, mode: Mode) -> None:
        """Remember the tab's mode."""
        conversation = await self.of(tab_id)
        conversation.mode = mode
        await self._remember(conversation)

    async def allow_api(self, tab_id: int, allow: bool) -> None:
        """Remember whether requests that change data may be asked for in this conversation."""
        conversation = await self.of(tab_id)
        conversation.allow_api = conversation.api_news = allow
        await self._remember(conversation)

    async def forget_tab(self, tab_id: int) -> None:
        """The tab is closed: drop what belongs to it alone."""
        mirror = self._mirrors.pop(tab_id, None)
        if mirror is not None:
            mirror.cancel()
        self._known.pop(tab_id, None)
        self._locks.pop(tab_id, None)
        if self._kept:
            self._kept.pop(tab_id, None)
        await self._host.session.remove([f"{name}:{tab_id}" for name in ("agentConv", "tabChat", "runUi")])

    # --- conversations of the history ---

    async def shown(self) -> dict[str, int]:
        """Which tab shows a conversation, by the conversation's id."""
        if self._kept is None:
            kept = await self._host.session.get()
            self._kept = {
                int(key.removeprefix(SHOWS)): str(value.get("conversationId"))
                for key, value in kept.items()
                if key.startswith(SHOWS) and isinstance(value, dict)
            }
        known = {tab_id: conversation.id for tab_id, conversation in self._known.items()}
        return {conversation_id: tab_id for tab_id, conversation_id in (self._kept | known).items()}

    async def shown_on(self, conversation_id: str) -> int | None:
        """The tab that shows a conversation and is there."""
        tab_id = (await self.shown()).get(conversation_id)
        if tab_id is not None:
            try:
                await self._host.browser.get_tab(tab_id)
            except BridgeError as error:
                if error.code == "no_tab":
                    await self.forget_tab(tab_id)
                    return None
        return tab_id

    def journal_of(self, conversation_id: str) -> Journal | None:
        """The journal of a conversation that is loaded."""
        known = self._known.values()
        return next((one.journal for one in known if one.id == conversation_id), None)

    async def show(self, tab_id: int, conversation_id: str) -> Conversation | None:
        """Let the tab go on with a stored conversation, in the mode of its newest request. Nobody may work on
        the tab, and no tab may show the conversation. ``None`` if there is nothing stored of it.
        """
        before = await self.of(tab_id)
        async with self._locks.setdefault(tab_id, asyncio.Lock()):
            shown = await self._load(conversation_id, tab_id, before.mode)
            asked = [event for event in shown.journal.events if event.type == "user_message"]
            if not asked:
                return None
            mode = asked[-1].data["mode"]
            shown.mode = Mode(mode) if mode in (Mode.ASK, Mode.ACT) else before.mode
            interrupt(shown.journal, shown.journal.run_id)
            self._known[tab_id] = shown
            await self._remember(shown)
            self._mirror_soon(tab_id, conversation_id)
        return shown

    # --- runs ---

    async def run_begins(self, conversation: Conversation, run_id: str, request_id: str) -> None:
        """Put the run on the list of open ones before it does anything."""
        self._open_runs += 1
        record = {
            "open": True,
            "runId": run_id,
            "requestId": request_id,
            "conversationId": conversation.id,
            "tabId": conversation.tab_id,
        }
        with contextlib.suppress(WebBrainError):  # the run says itself, and visibly, that the store refuses
            await self._host.store.append(OPEN_RUNS, [record])

    async def run_ends(self, run_id: str) -> None:
        """Take the run off the list. With nothing left open the list itself goes, so it never grows."""
        self._open_runs -= 1
        try:
            if self._open_runs <= 0:
                await self._host.store.delete(OPEN_RUNS)
            else:
                await self._host.store.append(OPEN_RUNS, [{"open": False, "runId": run_id}])
        except WebBrainError:
            return  # at worst the next start looks at a run that ended properly, and finds nothing to mend

    async def _let_go(self, tab_id: int) -> None:
        """An attached debugger outlives the Worker that attached it; its run does not."""
        if self._host.capabilities.cdp:
            with contextlib.suppress(BridgeError):
                await self._host.debugger.detach(tab_id)

    async def recover(self) -> list[Died]:
        """Mark every run that was going on when Python died as interrupted, and return them."""
        records = [record for _, record in await self._host.store.read(OPEN_RUNS)]
        died = []
        whole = True
        for run in open_runs(records):
            with contextlib.suppress(BridgeError):
                found = await self._closed(run)
                whole = await found.conversation.journal.saved() and whole
                died.append(found)
                await self._let_go(run.tab_id)
        # What could not be stored is found again by the next start.
        if records and whole:
            await self._host.store.delete(OPEN_RUNS)
        return died

    async def _closed(self, run: OpenRun) -> Died:
        """Close one run that was cut off, unless it had ended."""
        known = self._known.get(run.tab_id) or await self._stored(run.tab_id)
        here = known is not None and known.id == run.conversation_id
        if known is None or not here:
            if known is not None:
                interrupt(known.journal, known.journal.run_id)
            known = await self._load(run.conversation_id, run.tab_id, Mode.ASK)
        closed = interrupt(known.journal, run.run_id)
        if closed is not None and not here:
            await self._waiting.add(known.journal)
        if self.on_recovered is not None:
            self.on_recovered(known)
        return Died(known, closed or Interrupted(run.run_id, resumes=False), here)

    # --- storing ---

    async def _stored(self, tab_id: int) -> Conversation | None:
        key = f"agentConv:{tab_id}"
        kept = (await self._host.session.get([key])).get(key)
        if not isinstance(kept, dict) or not is_id(kept.get("conversationId")):
            return None
        mode = kept.get("mode")
        known = await self._load(
            kept["conversationId"], tab_id, Mode(mode) if mode in (Mode.ASK, Mode.ACT) else Mode.ASK
        )
        known.allow_api = kept.get("allowApi") is True
        self._known[tab_id] = known
        return known

    async def _load(self, conversation_id: str, tab_id: int, mode: Mode) -> Conversation:
        """Read a conversation as it is."""
        journal = self._journal(tab_id, conversation_id)
        after = 0
        while batch := await self._host.store.read(conversation_id, after, READ_BATCH):
            journal.load(record for _, record in batch)
            after = batch[-1][0]
        await self._load_session(journal)
        journal.tell_damage()
        conversation = Conversation(conversation_id, tab_id, mode, journal)
        if journal.folded is not None and journal.folded["upto"] <= len(journal.messages):
            conversation.guard.restore(**journal.folded)
        conversation.execution.restore(journal.held)
        return conversation

    async def _load_session(self, journal: Journal) -> None:
        """Take what the store refused to take; if it lost the conversation, show at least what the mirror
        has."""
        unsaved, mirror = f"{UNSAVED}{journal.conversation_id}", f"tabChat:{journal.tab_id}"
        kept = await self._host.session.get([unsaved, mirror])
        journal.take_back(kept.get(unsaved))
        shown = kept.get(mirror)
        if journal.events or not isinstance(shown, dict):
            return
        events = shown.get("events")
        if shown.get("conversationId") == journal.conversation_id and isinstance(events, list):
            journal.load({"kind": "event", "event": event} for event in events)

    async def _waiting_for(self, tab_id: int) -> Conversation | None:
        """A conversation that was cut off together with its tab, and is about the site this one shows."""
        conversation_id = await self._waiting.take(tab_id)
        if conversation_id is None or any(one.id == conversation_id for one in self._known.values()):
            return None
        known = await self._load(conversation_id, tab_id, Mode.ASK)
        asked = [event for event in known.journal.events if event.type == "user_message"]
        if not asked:
            return None
        known.mode = Mode.ACT if asked[-1].data["mode"] == Mode.ACT else Mode.ASK
        self._known[tab_id] = known
        await self._remember(known)
        return known

    async def _new(self, tab_id: int, mode: Mode) -> Conversation:
        conversation_id = new_id("conv")
        conversation = Conversation(conversation_id, tab_id, mode, self._journal(tab_id, conversation_id))
        self._known[tab_id] = conversation
        conversation.journal.write(
            {"kind": "open", "tabId": tab_id, "at": round(self._host.clock.now() * 1000)}
        )
        await self._remember(conversation)
        self._mirror_soon(tab_id, conversation_id)
        return conversation

    def _journal(self, tab_id: int, conversation_id: str) -> Journal:
        return Journal(
            self._host, tab_id, conversation_id, lambda: self._mirror_soon(tab_id, conversation_id)
        )

    async def _remember(self, conversation: Conversation) -> None:
        """Note which conversation the tab shows. If that is refused now, the mirror notes it later."""
        try:
            await self._host.session.set(_shown(conversation))
        except WebBrainError:
            self._mirror_soon(conversation.tab_id, conversation.id)

    # --- mirrors ---

    def _mirror_soon(self, tab_id: int, conversation_id: str) -> None:
        known = self._known.get(tab_id)
        if known is not None and known.id == conversation_id and tab_id not in self._mirrors:
            self._mirrors[tab_id] = asyncio.ensure_future(self._mirror(tab_id))

    async def _mirror(self, tab_id: int) -> None:
        await self._host.clock.sleep(MIRROR_PERIOD)
        self._mirrors.pop(tab_id, None)
        conversation = self._known.get(tab_id)
        if conversation is None:
            return
        journal, mirror = conversation.journal, conversation.mirror
        chat = {"conversationId": conversation.id, "events": mirror.events(journal.events)}
        run = mirror.run_state(journal, conversation.mode)
        with contextlib.suppress(WebBrainError):  # a copy: the store has the original
            mirrored = {f"tabChat:{tab_id}": chat, f"runUi:{tab_id}": run}
            await self._host.session.set({**_shown(conversation), **mirrored})


def _shown(conversation: Conversation) -> dict[str, Any]:
    value = {
        "conversationId": conversation.id,
        "mode": conversation.mode.value,
        "allowApi": conversation.allow_api,
    }
    return {f"{SHOWS}{conversation.tab_id}": value}
