"""Where it shows what came of a call, and what is still owed a look.

An action that counts, or of which nobody knows whether it happened, is owed a look at the place where it
shows: at the page, at the list of downloads, or at the server that got a request. What else a tool reads
says nothing about it. Places are on record beside the events: a new Worker knows what the old one had seen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.core.types import Capability
from webbrain.policy.egress import is_write
from webbrain.policy.taint import origin_of
from webbrain.tools.base import DOWNLOADS, PAGE, ToolSpec

SERVER: Final = "server "
"""Before the origin of a request's address: the place that only that server, or a page, can tell of."""


@dataclass(slots=True)
class Owed:
    """An action that somebody must look after."""

    call_id: str
    place: str
    turn: int
    """The answer of the model that asked for it; -1 if another run did."""
    frame: int = 0
    unknown: bool = False
    """Nobody knows whether it happened."""
    unseen: bool = False
    """The run was interrupted before anybody had looked what came of it."""
    label: str = ""
    counts: bool = True
    """A claim of success must wait for the look; not where the action belongs to an earlier task."""
    seen: bool = False
    """Its place was looked at. In a frame that may not be enough to pay for it."""


def changes(spec: ToolSpec, args: Mapping[str, Any]) -> bool:
    """Whether a call asks to change something outside the agent."""
    return spec.effect or (spec.capability is Capability.NETWORK and is_write(_method(args)))


def place_of(spec: ToolSpec, args: Mapping[str, Any]) -> str:
    """Where it shows what comes of an action."""
    if spec.capability is Capability.DOWNLOAD:
        return DOWNLOADS
    return _server(args) if spec.capability is Capability.NETWORK else PAGE


def seen_by(spec: ToolSpec, args: Mapping[str, Any]) -> str:
    """The place that a call looks at; empty if it looks at none."""
    if changes(spec, args):
        return ""
    if spec.capability is Capability.NETWORK and args.get("url"):
        return _server(args)
    return spec.shows


def shows(seen: str, place: str) -> bool:
    """Whether who looked at ``seen`` has looked at ``place``. What a request did shows on pages as well."""
    return bool(seen) and (seen == place or (seen == PAGE and place.startswith(SERVER)))


def left_unknown(journal: Journal) -> list[Owed]:
    """The actions of which nobody knows whether they happened, and that nobody has looked after since."""
    found: list[Owed] = []
    labels: dict[str, str] = {}
    places: dict[str, str] = {}
    for event in journal.events:
        if event.type == "user_message" and not event.data.get("continued"):
            for owed in found:
                owed.counts = False
        elif event.type == "tool_call":
            call_id = str(event.data["callId"])
            labels[call_id] = str(event.data["label"] or event.data["name"])
            places[call_id] = journal.places.get(event.seq, PAGE)
        elif event.type == "tool_result":
            call_id = str(event.data["callId"])
            if event.data["unknown"]:
                place = places.get(call_id, PAGE)
                found.append(Owed(call_id, place, -1, unknown=True, label=labels.get(call_id, "")))
            elif seen := journal.places.get(event.seq, ""):
                found = [owed for owed in found if not shows(seen, owed.place)]
    return found


def last_actions(journal: Journal) -> Iterator[Owed]:
    """The newest action of the newest task at each place, whoever may have looked after it."""
    places: set[str] = set()
    looked: set[str] = set()
    interrupted = False
    for event in reversed(journal.events):
        if event.type == "user_message" and not event.data.get("continued"):
            return
        if event.type == "run_complete":
            interrupted = interrupted or event.data["status"] == "interrupted"
        elif event.type == "tool_result":
            looked.add(journal.places.get(event.seq, ""))
        place = journal.places.get(event.seq, PAGE)
        if event.seq in journal.effects and place not in places:
            places.add(place)
            unseen = interrupted and not any(shows(seen, place) for seen in looked)
            yield Owed(str(event.data["callId"]), place, -1, unseen=unseen)


def _method(args: Mapping[str, Any]) -> str:
    return str(args.get("method") or "GET")


def _server(args: Mapping[str, Any]) -> str:
    """A relative address stays without an origin: the tab's own."""
    url = str(args.get("url") or "")
    return SERVER + (origin_of(url) if "://" in url else "")
