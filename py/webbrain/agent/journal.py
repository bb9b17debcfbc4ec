"""What happened in a conversation: events for screens, messages for models, both kept in the store.

Everything that changes the journal is synchronous, so a cancelled run never leaves half a change behind;
only waiting for durability is a coroutine (:meth:`Journal.saved`), and cancelling that wait does not cancel
the write.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from webbrain.agent.records import Order, event_of, folding_of, message_of
from webbrain.core.errors import WebBrainError
from webbrain.core.events import NAMES, Event, RunEvent
from webbrain.core.events import Warning as RunWarning
from webbrain.core.messages import ImagePart, Message, ToolCall
from webbrain.host.protocols import Host
from webbrain.policy.redaction import Redactor
from webbrain.policy.taint import Taint

DELTA_PERIOD: Final = 0.2
"""Seconds between two records of text that is still streaming."""
WRITE_PERIOD: Final = 0.02
"""Seconds after which a record is on its way to the store, if nobody was in a hurry."""
SAVE_TIMEOUT: Final = 10.0
"""Seconds that anybody waits for the store before going on with a warning."""
RETRY_SECONDS: Final = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Pauses after which what the store refused is offered again by itself; each new record does so as well."""
UNSAVED: Final = "unsaved:"
"""Before a conversation's id: the key in the session's storage of records that the store refused."""
MOST_NOTES: Final = 1_000
"""How far the number of a note may be ahead of the one before it; more is a damaged one."""
DAMAGED: Final = "records_damaged"
"""Code of the warning that a part of the conversation could not be read."""

NOTED: Final = ("scratchpad", "rows")
"""Kinds of records that are kept for whoever understands them."""

Record = dict[str, Any]


class Watcher(Protocol):
    """Somebody who keeps what happens in a run. Must not raise."""

    def saw(self, event: RunEvent, whole: str) -> None:
        """An event was told; ``whole`` is what it holds a part of, if there is more."""
        ...


class Journal:
    """The record of one conversation, in memory and in the store's stream of the same name.

    Records are ``{"kind": "event", "event": RunEvent, "effect"?: true, "place"?: str}``, ``{"kind":
    "message", "n": number, "runId": ..., "message": Message}``, and ``{"kind": "folded", ...}`` with what
    ``ContextGuard.restore`` takes. A write whose outcome the store could not tell is repeated;
    readers know a second copy by ``seq``, ``n`` and ``k``.
    """

    def __init__(
        self, host: Host, tab_id: int, conversation_id: str, on_change: Callable[[], None] | None = None
    ) -> None:
        self.tab_id = tab_id
        self.conversation_id = conversation_id
        self.events: list[RunEvent] = []
        self.messages: list[Message] = []
        self.run_id = ""
        self.request_id = ""
        self.effects: set[int] = set()
        """Sequence numbers of the events that began a call which changes something."""
        self.places: dict[int, str] = {}
        """By sequence number: where it shows what came of the call that the event began, or which place the
        call looked at that it ended (``agent.evidence``)."""
        self.spoken: set[str] = set()
        """Runs of which the history has at least one message."""
        self.folded: dict[str, Any] | None = None
        """The newest folding of older messages that the store has, as ``ContextGuard.restore`` takes it."""
        self.held: dict[str, Any] = {}
        """What the newest task is held to, as ``ExecutionGuard.restore`` takes it."""
        self.noted: list[Record] = []
        """What :meth:`note` recorded, in order, as it was read; nobody has looked at it yet."""
        self.failing = False
        """True from a refused write until the next good one."""
        self.on_storing: Callable[[bool], None] | None = None
        """Told at once of each refused write (false), and of the first good one after it (true)."""
        self.damaged = 0
        """Records of the conversation that could not be read."""
        self.taint = Taint()
        """What the models of this conversation have seen; :meth:`learn` keeps it up to date."""
        self._redactor = Redactor(self.taint)
        self._host = host
        self._seq = 0
        self._number = 0
        self._notes = 0
        self._seqs, self._numbers = Order(), Order()
        self._on_change = on_change or (lambda: None)
        self.watcher: Watcher | None = None
        """Told of every event of the run under way."""
        self._pending: list[Record] = []
        self._writer: asyncio.Task[None] | None = None
        self._unhurried: asyncio.Handle | None = None
        self._retrying: asyncio.Task[None] | None = None
        self._parked = False
        self._delta = ""
        self._delta_timer: asyncio.Task[None] | None = None
        self._call_ids: set[str] = set()

    @property
    def seq(self) -> int:
        """Sequence number of the newest event."""
        return self._seq

    def begin(self, run_id: str, request_id: str) -> None:
        """Events from now on belong to this run."""
        self.run_id = run_id
        self.request_id = request_id

    def emit(self, event: Event, *, effect: bool = False, place: str = "", whole: str = "") -> RunEvent:
        """Tell screens and record it. ``effect`` marks the start of a call that changes something, ``place``
        says where that shows or what was looked at; ``whole`` is, for the watcher alone, what the event holds
        a part of."""
        self._close_delta()
        name = NAMES[type(event)]
        told = self._tell(name, self._redactor.value(event.model_dump(mode="json", by_alias=True)))
        self.events.append(told)
        record: Record = {"kind": "event", "event": _wire(told)}
        if effect:
            record["effect"] = True
            self.effects.add(told.seq)
        if place:
            record["place"] = self.places[told.seq] = place
        self._write(record)
        if self.watcher is not None:
            self.watcher.saw(told, whole)
        return told

    def tell(self, event: Event, request_id: str) -> None:
        """Tell screens of a request that became no run. Nothing is recorded, and no number is used up."""
        told = self._event(NAMES[type(event)], event.model_dump(mode="json", by_alias=True))
        outside = told.model_copy(update={"run_id": "", "request_id": request_id})
        self._host.ui.emit("agent_update", _wire(outside))

    def delta(self, text: str) -> None:
        """Tell screens of a piece of streaming text; it is recorded at most every ``DELTA_PERIOD``."""
        if not text:
            return
        told = self._tell("text_delta", {"delta": text})
        last = self.events[-1] if self.events else None
        if last is not None and last.type == "text_delta" and last.run_id == self.run_id:
            self.events[-1] = told.model_copy(update={"data": {"delta": last.data["delta"] + text}})
        else:
            self.events.append(told)
        self._delta += text
        if self._delta_timer is None:
            self._delta_timer = asyncio.ensure_future(self._record_delta_later())

    def add(self, message: Message) -> None:
        """Add a message to the history that models see."""
        if message.role == "tool":
            message = message.model_copy(update={"content": self._redactor.text(message.content)})
        self.messages.append(message)
        self._call_ids.update(call.id for call in message.tool_calls)
        self._write_message(message)

    def redacted(self, text: str) -> str:
        """``text`` without the secrets that are known here."""
        return self._redactor.text(text)

    def learn(self) -> Taint:
        """The memory of what models have seen, with everything in the history learned."""
        self.taint.catch_up(self.messages)
        return self.taint

    def knows_call(self, call_id: str) -> bool:
        """True if a call of that id was made in this conversation."""
        return call_id in self._call_ids

    def write(self, record: Mapping[str, Any]) -> None:
        """Record something else that a reader of the stream needs, e.g. how the conversation began."""
        self._write(dict(record))

    def hold(self, held: Mapping[str, Any]) -> None:
        """Record what the task is held to, or what of that has changed."""
        self._write({"kind": "held", **self._redactor.value(dict(held))})

    def note(self, record: Record) -> None:
        """Record what the agent keeps for itself; ``kind`` is one of ``NOTED``."""
        self._notes += 1
        self._write({**self._redactor.value(record), "k": self._notes})

    def flush(self) -> None:
        """Let everything so far go to the store before anything that begins from now on."""
        self._kick()

    def retry(self) -> None:
        """Try again to write what the store refused."""
        self._kick()

    async def saved(self, timeout: float = SAVE_TIMEOUT) -> bool:
        """Wait until everything so far is in the store; false if it refused or took longer than
        ``timeout``.
        """
        self._kick()
        writer = self._writer
        if writer is not None:
            await asyncio.wait({writer}, timeout=timeout)
        return not self._pending and (self._writer is None or self._writer.done())

    async def secured(self) -> bool:
        """Wait until everything so far would be found after a death; false if no storage takes it.

        Where the store refuses, the session's storage takes it meanwhile: in memory, until the browser ends.
        """
        if await self.saved():
            return True
        parked = {f"{UNSAVED}{self.conversation_id}": list(self._pending)}
        try:
            await self._host.session.set(parked)
        except WebBrainError:
            return False
        self._parked = True
        return True

    def load(self, records: Iterable[Any]) -> None:
        """Take over what the store holds of this conversation, as far as it can be read."""
        for record in records:
            if not isinstance(record, Mapping) or not self._take(record):
                self.damaged += 1
        self._arrange()

    def take_back(self, parked: Any) -> None:
        """The same with what :meth:`secured` put into the session's storage; the store gets it now."""
        for record in parked if isinstance(parked, list) else []:
            before = self._seq, self._number, self._notes
            known = not isinstance(record, Mapping) or not self._take(record)
            if not known and before != (self._seq, self._number, self._notes):
                self._write(dict(record))
            self._parked = True
        self._arrange()

    def _arrange(self) -> None:
        self.messages = arranged(self.messages)
        if self.events:
            self.begin(self.events[-1].run_id, self.events[-1].request_id)

    def tell_damage(self) -> None:
        """Say once that a part of the conversation is missing."""
        told = any(event.type == "warning" and event.data["code"] == DAMAGED for event in self.events)
        if self.damaged and self.events and not told:
            self.emit(
                RunWarning(
                    code=DAMAGED,
                    message="A part of this conversation could not be read from storage and is missing.",
                )
            )

    def _take(self, record: Mapping[str, Any]) -> bool:
        """Take over one record; false if it cannot be read."""
        kind = record.get("kind")
        if kind == "event":
            event = event_of(record.get("event"))
            if event is None or not self._seqs.fits(event.seq, self._seq):
                return False
            own = {"tab_id": self.tab_id, "conversation_id": self.conversation_id}
            place = record.get("place")
            self._take_event(
                event.model_copy(update=own),
                record.get("effect") is True,
                place if isinstance(place, str) else "",
            )
            return True
        if kind == "message":
            found = message_of(record)
            if found is None or not self._numbers.fits(found[0], self._number):
                return False
            if found[0] > self._number:
                self._number, run_id, message = found
                self.spoken.add(run_id)
                self.messages.append(message)
                self._call_ids.update(call.id for call in message.tool_calls)
            return True
        if kind == "folded":
            # A folding speaks of messages by their places, which are not the same if one is missing.
            folding = folding_of(record)
            self.folded = None if self.damaged else folding
            return folding is not None
        if kind in NOTED:
            number = record.get("k")
            if type(number) is not int or not 0 < number <= self._notes + MOST_NOTES:
                return False
            if number > self._notes:
                self._notes = number
                self.noted.append(dict(record))
        if kind == "held":
            self.held |= {key: value for key, value in record.items() if key != "kind"}
        return isinstance(kind, str)

    def orphans(self) -> list[ToolCall]:
        """Calls that models asked for and that have no result in the history, in order."""
        answered = {message.tool_call_id for message in self.messages if message.role == "tool"}
        return [call for message in self.messages for call in message.tool_calls if call.id not in answered]

    def answer_orphan(self, call: ToolCall, content: str) -> None:
        """Put a result for ``call`` into the history, behind the results of its siblings."""
        message = Message(role="tool", content=content, tool_call_id=call.id, name=call.name)
        self.messages = arranged([*self.messages, message])
        self._write_message(message)

    def round_off(self, text: str) -> None:
        """If results are the last thing in the history, let the assistant say ``text``: some chat templates
        refuse a user's message right behind them."""
        if self.messages and self.messages[-1].role == "tool":
            self.add(Message(role="assistant", content=text))

    def _take_event(self, event: RunEvent, effect: bool, place: str) -> None:
        if event.seq <= self._seq:
            return
        self._seq = event.seq
        if effect:
            self.effects.add(event.seq)
        if place:
            self.places[event.seq] = place
        last = self.events[-1] if self.events else None
        if event.type == "text_delta" and last is not None and last.type == "text_delta":
            whole = last.data["delta"] + event.data["delta"]
            self.events[-1] = event.model_copy(update={"data": {"delta": whole}})
        else:
            self.events.append(event)

    def _tell(self, name: str, data: dict[str, Any]) -> RunEvent:
        self._seq += 1
        event = self._event(name, data)
        self._host.ui.emit("agent_update", _wire(event))
        self._on_change()
        return event

    def _event(self, name: str, data: dict[str, Any]) -> RunEvent:
        return RunEvent(
            tab_id=self.tab_id,
            conversation_id=self.conversation_id,
            run_id=self.run_id,
            request_id=self.request_id,
            seq=self._seq,
            type=name,
            at=round(self._host.clock.now() * 1000),
            data=data,
        )

    # --- writing ---

    async def _record_delta_later(self) -> None:
        await self._host.clock.sleep(DELTA_PERIOD)
        self._delta_timer = None
        self._record_delta()

    def _record_delta(self) -> None:
        if self._delta:
            event = self.events[-1].model_copy(update={"data": {"delta": self._redactor.text(self._delta)}})
            self._delta = ""
            self._write({"kind": "event", "event": _wire(event)})

    def _close_delta(self) -> None:
        if self._delta_timer is not None:
            self._delta_timer.cancel()
            self._delta_timer = None
        self._record_delta()

    def _write_message(self, message: Message) -> None:
        self._number += 1
        self.spoken.add(self.run_id)
        self._write(
            {
                "kind": "message",
                "n": self._number,
                "runId": self.run_id,
                "message": self._redactor.value(_without_pictures(message).model_dump(mode="json")),
            }
        )

    def _write(self, record: Record) -> None:
        """Put a record into the line. What belongs together goes in one write; see :meth:`flush`."""
        self._pending.append(record)
        if self._unhurried is None:
            self._unhurried = asyncio.get_running_loop().call_later(WRITE_PERIOD, self._kick)

    def _kick(self) -> None:
        if self._unhurried is not None:
            self._unhurried.cancel()
            self._unhurried = None
        if self._pending and (self._writer is None or self._writer.done()):
            self._writer = asyncio.ensure_future(self._write_all())

    async def _write_all(self) -> None:
        while self._pending:
            batch = list(self._pending)
            try:
                await self._host.store.append(self.conversation_id, batch)
            except WebBrainError:
                self.failing = True
                self._tell_storing(False)
                self._retry_later()
                return
            del self._pending[: len(batch)]
            if self.failing:
                self.failing = False
                self._tell_storing(True)
        if self._parked:
            await self._unpark()

    def _tell_storing(self, stores: bool) -> None:
        if self.on_storing is not None:
            self.on_storing(stores)

    def _retry_later(self) -> None:
        if self._retrying is None or self._retrying.done():
            self._retrying = asyncio.ensure_future(self._retry_for_a_while())

    async def _retry_for_a_while(self) -> None:
        for pause in RETRY_SECONDS:
            await self._host.clock.sleep(pause)
            if await self.saved():
                return

    async def _unpark(self) -> None:
        with contextlib.suppress(WebBrainError):  # a second copy does no harm: readers know it by its number
            await self._host.session.remove([f"{UNSAVED}{self.conversation_id}"])
            self._parked = False


def _without_pictures(message: Message) -> Message:
    """The message as it is stored: pictures and documents are large, and those that may be sent to a model
    again, because a person attached them, are kept by themselves."""
    if not message.images and not message.documents:
        return message
    update = {
        "images": [ImagePart(data_url="", file_id=part.file_id) for part in message.images],
        "documents": [part.model_copy(update={"data_url": ""}) for part in message.documents],
    }
    return message.model_copy(update=update)


def _wire(event: RunEvent) -> dict[str, Any]:
    return event.model_dump(mode="json", by_alias=True)


def arranged(messages: Iterable[Message]) -> list[Message]:
    """Put every result right behind the call it answers; drop results of calls that nobody made."""
    messages = list(messages)
    answers: dict[str, Message] = {}
    for message in messages:
        if message.role == "tool" and message.tool_call_id is not None:
            answers.setdefault(message.tool_call_id, message)
    out: list[Message] = []
    for message in messages:
        if message.role != "tool":
            out.append(message)
            out.extend(answers[call.id] for call in message.tool_calls if call.id in answers)
    return out
