"""What the history keeps of a conversation to list and search it, made from the conversation's records.

Records may be damaged, cut short, older or newer: what cannot be read is passed over.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.agent.records import event_of
from webbrain.core.events import RunEvent
from webbrain.services.transcript import title_of

TEXTS: Final = ("title", "tabUrl", "text")
NUMBERS: Final = ("startedAt", "updatedAt", "turns")
SEARCHED_CHARS: Final = 40_000
"""Of a conversation, the newest; an index, not a copy."""
SEARCHED_MESSAGE_CHARS: Final = 8_000
ADDRESS_CHARS: Final = 300
FOUND_BEFORE: Final = 30
FOUND_AFTER: Final = 70
"""Characters around what was found."""
FILE_LISTS: Final = ("files", "images", "documents")
FILE_IDS: Final = ("pictureId", "file_id")
"""Where records name pictures and documents that are kept by themselves."""

Clean = Callable[[str], str]


def take_events(events: list[RunEvent], records: Iterable[Any]) -> None:
    """Append the events among ``records``: each number once, pieces of streamed text joined."""
    for record in records:
        if not isinstance(record, Mapping) or record.get("kind") != "event":
            continue
        event = event_of(record.get("event"))
        last = events[-1] if events else None
        if event is None or (last is not None and event.seq <= last.seq):
            continue
        if event.type == "text_delta" and last is not None and last.type == "text_delta":
            whole = str(last.data["delta"]) + str(event.data["delta"])
            events[-1] = event.model_copy(update={"data": {"delta": whole}})
        else:
            events.append(event)


def entry_of(events: Sequence[RunEvent], clean: Clean, address: str = "") -> dict[str, Any] | None:
    """The entry of a conversation; ``None`` if nobody said anything in it."""
    asked = [event for event in events if event.type == "user_message"]
    words = [clean(str(event.data["text"])) for event in asked if not event.data["continued"]]
    if not words:
        return None
    texts = [
        clean(str(event.data["text" if event.type == "user_message" else "content"]))
        for event in events
        if event.type in ("user_message", "text")
    ]
    searched = "\n".join(" ".join(text.split())[:SEARCHED_MESSAGE_CHARS] for text in texts if text.strip())
    return {
        "title": title_of(words[0]),
        "startedAt": asked[0].at,
        "updatedAt": events[-1].at,
        "turns": len(words),
        "tabUrl": address,
        "text": searched[-SEARCHED_CHARS:],
    }


def usable(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is whole; one that is not is made anew."""
    texts = all(isinstance(entry.get(key), str) for key in TEXTS)
    return texts and all(isinstance(entry.get(key), int | float) for key in NUMBERS)


def matches(entry: Mapping[str, Any], words: Sequence[str]) -> bool:
    """Whether every word stands somewhere in the entry. ``words`` are casefolded."""
    if not words:
        return True
    text = f"{entry['title']}\n{entry['tabUrl']}\n{entry['text']}".casefold()
    return all(word in text for word in words)


def found_in(text: str, words: Sequence[str]) -> str:
    """The surroundings of the first of ``words`` that stands in ``text``, in one line."""
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    if not places:
        return ""
    # Folding may change lengths, so the place is where to look, and near enough to show.
    start = max(min(places) - FOUND_BEFORE, 0)
    end = min(places) + FOUND_AFTER
    told = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{told}{'…' if end < len(text) else ''}"


def address_of(url: str) -> str:
    """An address without what may be secret in it: no name, password, query and fragment."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return ""
    return f"{parts.scheme}://{host}{port}{parts.path}"[:ADDRESS_CHARS]


def files_of(records: Iterable[Any]) -> set[str]:
    """Ids of the pictures and documents that belong to a conversation with these records."""
    found = set[str]()
    for record in records:
        message, data = _part(record, "message"), _part(_part(record, "event"), "data")
        parts = [part for place in (message, data) for name in FILE_LISTS for part in _list(place, name)]
        ids = [part.get(name) for part in (data, *parts) for name in FILE_IDS]
        found |= {file_id for file_id in ids if isinstance(file_id, str) and file_id}
    return found


def _part(value: Any, name: str) -> Mapping[str, Any]:
    part = value.get(name) if isinstance(value, Mapping) else None
    return part if isinstance(part, Mapping) else {}


def _list(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    parts = value.get(name)
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []
