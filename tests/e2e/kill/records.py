"""Checks what is stored: every record can be read, numbers grow, and nothing that began has no end."""

import json
from collections import Counter
from typing import Any, Final

from tests.support.browsers import Browser
from webbrain.agent.records import event_of, message_of
from webbrain.core.events import RunEvent
from webbrain.core.messages import Message
from webbrain.services.interrupted import OPEN_RUNS, open_runs

PAIRS: Final = (
    ("tool_call", "tool_result", "callId"),
    ("clarify", "card_resolved", "cardId"),
    ("plan_review", "plan_resolved", "planId"),
    ("user_message", "run_complete", ""),
)
"""Events that begin something, those that end it, and the field that says what; without one it is the run."""
READ: Final = """(async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await done(indexedDB.open('webbrain_journal'));
  const store = database.transaction('records').objectStore('records');
  const [keys, values] = [await done(store.getAllKeys()), await done(store.getAll())];
  database.close();
  return keys.map((key, index) => [key[0], key[1], values[index]]);
})()"""


def stored(browser: Browser) -> dict[str, list[tuple[int, Any]]]:
    """All records by stream."""
    streams: dict[str, list[tuple[int, Any]]] = {}
    for stream, number, record in browser.control.eval(READ):
        streams.setdefault(stream, []).append((number, record))
    return streams


def faults(streams: dict[str, list[tuple[int, Any]]]) -> list[str]:
    """What is wrong with them while no run goes on; empty if nothing is."""
    found = []
    for stream, records in streams.items():
        numbers = [number for number, _ in records]
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            found.append(f"{stream}: the records are numbered {numbers}")
        if stream.startswith("conv"):
            found += [f"{stream}: {fault}" for fault in _of_conversation([record for _, record in records])]
    left = open_runs([record for _, record in streams.get(OPEN_RUNS, [])])
    found += [f"{run.run_id} is on the list of runs that go on" for run in left]
    return found


def _of_conversation(records: list[Any]) -> list[str]:
    found = []
    events: dict[int, RunEvent] = {}
    messages: dict[int, Message] = {}
    for place, record in enumerate(records):
        kind = record.get("kind")
        shown = json.dumps(record)[:200]
        if kind == "event":
            event = event_of(record.get("event"))
            if event is None:
                found.append(f"record {place} is no event: {shown}")
            elif event.seq in events and events[event.seq] != event:
                found.append(f"there are two events {event.seq}: {shown}")
            elif events and event.seq < max(events):
                found.append(f"event {event.seq} comes after {max(events)}")
            else:
                events[event.seq] = event
        elif kind == "message":
            message = message_of(record)
            if message is None:
                found.append(f"record {place} is no message: {shown}")
            elif message[0] in messages and messages[message[0]] != message[2]:
                found.append(f"there are two messages {message[0]}: {shown}")
            else:
                messages[message[0]] = message[2]
        elif not isinstance(kind, str):
            found.append(f"record {place} has no kind")
    return found + _ends(list(events.values())) + _answers(messages)


def _ends(events: list[RunEvent]) -> list[str]:
    """What began and has no end, or more than one, or ended without a beginning."""
    found = []
    for begun, ended, key in PAIRS:

        def of(kind: str, key: str = key) -> Counter[str]:
            return Counter(str(one.data[key] if key else one.run_id) for one in events if one.type == kind)

        for name in (one := of(begun)) | (other := of(ended)):
            if (one[name], other[name]) != (1, 1):
                found.append(f"{name} has {one[name]} {begun} and {other[name]} {ended}")
    return found


def _answers(messages: dict[int, Message]) -> list[str]:
    """Which messages are missing, and which calls of the model have no answer: no service takes those."""
    found = []
    if list(messages) != list(range(1, len(messages) + 1)):
        found.append(f"the messages are numbered {list(messages)}")
    asked = Counter(call.id for message in messages.values() for call in message.tool_calls)
    answered = Counter(message.tool_call_id for message in messages.values() if message.role == "tool")
    if asked != answered:
        found.append(f"calls in the messages: {dict(asked)}, answers: {dict(answered)}")
    return found
