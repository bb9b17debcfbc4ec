"""Checks what is stored: every record can be read, numbers grow, and nothing that began has no end."""

import json
from typing import Any, Final

from tests.support.browsers import Browser
from webbrain.agent.records import event_of, message_of

PAIRS: Final = {"tool_call": "tool_result", "clarify": "card_resolved", "user_message": "run_complete"}
"""What begins, and what ends it."""
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


def faults(streams: dict[str, list[tuple[int, Any]]], *, running: bool = False) -> list[str]:
    """What is wrong with them; empty if nothing is. ``running``: a run may be going on."""
    found = []
    for stream, records in streams.items():
        numbers = [number for number, _ in records]
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            found.append(f"{stream}: the records are numbered {numbers}")
        if stream.startswith("conv"):
            found += [f"{stream}: {fault}" for fault in _of_conversation(records, running)]
    return found


def _of_conversation(records: list[tuple[int, Any]], running: bool) -> list[str]:
    found, seqs, types = [], [], []
    for number, record in records:
        kind = record.get("kind")
        if kind == "event":
            event = event_of(record.get("event"))
            if event is None:
                found.append(f"record {number} is no event: {json.dumps(record)[:200]}")
            else:
                seqs.append(event.seq)
                types.append(event.type)
        elif kind == "message" and message_of(record) is None:
            found.append(f"record {number} is no message: {json.dumps(record)[:200]}")
        elif not isinstance(kind, str):
            found.append(f"record {number} has no kind")
    if seqs != sorted(seqs):
        found.append(f"the events are numbered {seqs}")
    for begun, ended in (
        ("tool_call", "tool_result"),
        ("clarify", "card_resolved"),
        ("user_message", "run_complete"),
    ):
        if types.count(begun) != types.count(ended) and not running:
            found.append(f"{types.count(begun)} {begun}, {types.count(ended)} {ended}")
    return found
