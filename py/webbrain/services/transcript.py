"""A conversation as a Markdown text, as a person would want to read it again: questions, answers, and one
line for each step.

Everything in it was written by a person, a model or a page, and will be opened by some program that draws
Markdown. So pictures and HTML are written out as text: neither may fetch anything from an address that a page
put there. Secrets are taken out by the caller's ``clean``.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

from webbrain import __version__
from webbrain.core.events import RunEvent

LINE_CHARS: Final = 300
"""Of a step, a warning, or a card's question."""
TITLE_CHARS: Final = 90
SLUG_CHARS: Final = 50

STATUSES: Final = {
    "stopped": "Stopped",
    "failed": "Failed",
    "max_steps": "Step limit reached",
    "cost_limit": "Spending allowance used up",
    "interrupted": "Interrupted",
}
UNDONE: Final = {
    "pending": "open",
    "acted": "done, not checked",
    "skipped": "skipped",
    "failed": "failed",
    "unknown": "not known whether it happened",
}
OUTCOMES: Final = {"success": "Done", "partial": "Done in part", "failed": "Not done"}
DECISIONS: Final = {
    "approved": "approved",
    "edited": "changed and approved",
    "rejected": "rejected",
    "expired": "not answered in time",
    "withdrawn": "withdrawn",
}
MODES: Final = {"ask": "Ask", "act": "Act", "dev": "Dev"}

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|~])")
_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file to save."""

    filename: str
    markdown: str


def title_of(text: str) -> str:
    """The beginning of a request, in one line."""
    words = " ".join(text.split())
    if len(words) <= TITLE_CHARS:
        return words
    return f"{words[:TITLE_CHARS].rsplit(' ', 1)[0].rstrip(' ,;:')}…"


def transcript(
    events: Sequence[RunEvent],
    *,
    now: float,
    address: str = "",
    clean: Callable[[str], str] = lambda text: text,
    zone: tzinfo | None = None,
) -> Transcript:
    """Write ``events`` of one conversation down. ``now`` is in seconds since 1970; ``zone`` ``None`` means
    this computer's own.
    """
    teller = _Teller(clean, zone)
    asked = [event for event in events if event.type == "user_message"]
    said = [str(event.data["text"]) for event in asked if event.data["text"]]
    title = title_of(clean(said[0])) if said else "Conversation"
    begun = teller.when(asked[0].at if asked else now * 1000)
    head = [f"# {_plain(title)}", "", f"- Begun {begun:%Y-%m-%d %H:%M} ({_zone(begun)})"]
    if asked:
        head.append(f"- Last change {teller.when(events[-1].at):%Y-%m-%d %H:%M}")
    if address:
        head.append(f"- Page: {_plain(clean(address))}")
    written = teller.when(now * 1000)
    head.append(f"- Exported {written:%Y-%m-%d %H:%M} by WebBrain {__version__}")
    body = [line for turn in _turns(events) for line in teller.turn(turn)]
    text = "\n".join([*head, "", *body]).rstrip() + "\n"
    return Transcript(f"webbrain-{begun:%Y-%m-%d}-{_slug(title)}.md", text)


def _turns(events: Sequence[RunEvent]) -> Iterator[list[RunEvent]]:
    """The events of each run, in order."""
    runs: dict[str, list[RunEvent]] = {}
    for event in events:
        runs.setdefault(event.run_id, []).append(event)
    yield from runs.values()


def _slug(title: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return _NOT_SLUG.sub("-", ascii_only)[:SLUG_CHARS].strip("-") or "conversation"


def _zone(moment: datetime) -> str:
    offset = moment.strftime("%z")
    return f"UTC{offset[:3]}:{offset[3:5]}" if offset.strip("+-0") else "UTC"


def _plain(text: str, limit: int = LINE_CHARS) -> str:
    """One line in which nothing is markup."""
    line = " ".join(text.split())
    line = line if len(line) <= limit else f"{line[:limit].rstrip()}…"
    return _SPECIAL.sub(r"\\\1", line)


def harmless(text: str) -> str:
    """Markdown without pictures and HTML. Code stays as it is."""
    lines, fence = [], ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            line = _TAG.sub("&lt;", line.replace("![", "!\\["))
        lines.append(line)
    if fence:
        lines.append(fence)
    return "\n".join(lines)


class _Teller:
    """Writes turns."""

    def __init__(self, clean: Callable[[str], str], zone: tzinfo | None) -> None:
        self._clean = clean
        self._zone = zone

    def when(self, at: float) -> datetime:
        return datetime.fromtimestamp(at / 1000, UTC).astimezone(self._zone)

    def turn(self, events: list[RunEvent]) -> list[str]:
        """The lines of one run."""
        results = {event.data["callId"]: event for event in events if event.type == "tool_result"}
        answers = {event.data["cardId"]: event for event in events if event.type == "card_resolved"}
        plans = {event.data["planId"]: event for event in events if event.type == "plan_resolved"}
        lines: list[str] = []
        in_list = False
        for place, event in enumerate(events):
            line = self._line(event, results, answers, plans)
            if line:
                lines += [line] if in_list else ["", line]
                in_list = True
                continue
            block = self._block(event, events[place + 1 :])
            if block:
                lines += ["", *block]
                in_list = False
        return [*lines, ""]

    def _line(
        self,
        event: RunEvent,
        results: dict[str, RunEvent],
        answers: dict[str, RunEvent],
        plans: dict[str, RunEvent],
    ) -> str:
        """What stands in the list of steps."""
        data = event.data
        at = f"{self.when(event.at):%H:%M:%S}"
        match event.type:
            case "tool_call":
                told = self._plain(str(data["label"] or data["name"]))
                return f"- {at} {told}: {_went(results.get(data['callId']))}"
            case "clarify":
                told = self._plain(f"{data['title']} {data['question']}")
                return f"- {at} Question: {told} → {self._plain(_answer(data, answers.get(data['cardId'])))}"
            case "plan_review" | "plan_auto_approved":
                resolved = plans.get(data["planId"])
                how = DECISIONS.get(resolved.data["decision"], "") if resolved else ""
                steps = [f"  {n}. {self._plain(step)}" for n, step in enumerate(data["steps"], 1)]
                how = how or ("carried out" if event.type == "plan_auto_approved" else "not answered")
                return "\n".join([f"- {at} Plan ({how}): {self._plain(data['summary'])}", *steps])
            case "warning":
                return f"- {at} Note: {self._plain(str(data['message']))}"
            case "context_compacted":
                return f"- {at} Older messages were summarised to save room"
        return ""

    def _block(self, event: RunEvent, later: list[RunEvent]) -> list[str]:
        """What stands by itself."""
        data = event.data
        match event.type:
            case "user_message":
                return self._question(event)
            case "text":
                said = [harmless(self._clean(str(data["content"])).strip())] if data["content"] else []
                return said + self._undone(data.get("undone") or [])
            case "text_delta" if not any(one.type in ("text", "text_delta") for one in later):
                return [harmless(self._clean(str(data["delta"])).strip())]
            case "error":
                return [f"**Error:** {self._plain(str(data['message']))}"]
            case "max_steps_reached":
                return [f"*The step limit was reached after {data['steps']} steps.*"]
            case "run_complete":
                return [f"*{_ending(data)}*"]
        return []

    def _question(self, event: RunEvent) -> list[str]:
        data = event.data
        mode = MODES.get(str(data["mode"]), "")
        at = f"{self.when(event.at):%H:%M}"
        if data["continued"]:
            return [f"## {at} Continue ({mode})"]
        quoted = harmless(self._clean(str(data["text"])).strip()).splitlines()
        lines = [f"## {at} You ({mode})", "", *(f"> {line}".rstrip() for line in quoted)]
        names = ", ".join(self._plain(str(file["name"])) for file in data["files"])
        return [*lines, "", f"Attached: {names}"] if names else lines

    def _undone(self, items: list[dict[str, Any]]) -> list[str]:
        """What the record says was not done."""
        if not items:
            return []
        lines = [
            f"- and {item['count']} more"
            if item["status"] == "more"
            else f"- {self._plain(str(item['label']))} ({UNDONE[item['status']]})"
            + (f": {self._plain(str(item['reason']))}" if item["reason"] else "")
            for item in items
        ]
        return ["\n".join(["*Not done, as the record shows:*", "", *lines])]

    def _plain(self, text: str) -> str:
        return _plain(self._clean(text))


def _went(result: RunEvent | None) -> str:
    if result is None:
        return "no result"
    if result.data["unknown"]:
        return "outcome unknown"
    return "ok" if result.data["ok"] else "failed"


def _answer(card: dict[str, Any], resolved: RunEvent | None) -> str:
    """What a person answered, in the words of the card."""
    if resolved is None:
        return "not answered"
    answer = str(resolved.data["answer"])
    if answer == "text":
        told = str(resolved.data["text"])
    else:
        told = next((str(one["label"]) for one in card["options"] if one["id"] == answer), answer)
    return f"{told} (nobody answered)" if resolved.data["source"] == "timeout" else told


def _ending(data: dict[str, Any]) -> str:
    status = str(data["status"])
    how = (
        OUTCOMES.get(str(data["outcome"]), "Answered")
        if status == "completed"
        else STATUSES.get(status, status)
    )
    parts = [how]
    if data["steps"]:
        parts.append(f"{data['steps']} step{'s' if data['steps'] != 1 else ''}")
    if data["durationMs"]:
        parts.append(f"{data['durationMs'] / 1000:.1f} s")
    if data["costUsd"] is not None:
        parts.append(f"${data['costUsd']:.4f}")
    return ", ".join(parts)
