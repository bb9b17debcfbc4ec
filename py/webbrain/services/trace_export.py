"""Recordings as files: Markdown to read, JSON (``webbrain-trace/1``) for programs, both made in parts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from webbrain import __version__

FORMAT: Final = "webbrain-trace/1"
UNAVAILABLE: Final = "unavailable"
"""What an older build did not write down."""
ARGUMENT_CHARS: Final = 300
RESULT_CHARS: Final = 600
TEXT_CHARS: Final = 2_000
"""Of a message or an answer in Markdown."""

FACTS: Final = (
    ("Status", "status"),
    ("Outcome", "outcome"),
    ("Mode", "mode"),
    ("Page", "tabUrl"),
    ("Page title", "tabTitle"),
    ("Model", "model"),
    ("Service", "providerLabel"),
    ("Steps", "stepCount"),
    ("Prompt tokens", "promptTokens"),
    ("Completion tokens", "completionTokens"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A run and some of its events."""

    row: Mapping[str, Any]
    events: Sequence[Mapping[str, Any]]
    first: bool
    last: bool


def json_part(part: Part, now: int) -> str:
    """A part of the JSON file; all parts put together are the file. ``now`` is milliseconds since 1970."""
    text = ",".join(json.dumps(event, ensure_ascii=False) for event in part.events)
    if part.first:
        head = {
            "schema": FORMAT,
            "exportedByWebBrainVersion": __version__,
            "recordedByWebBrainVersion": part.row.get("recordingVersion") or UNAVAILABLE,
            "exportedAt": now,
            "run": dict(part.row),
        }
        text = f'{json.dumps(head, ensure_ascii=False)[:-1]}, "events": [{text}'
    elif text:
        text = "," + text
    return text + ("]}\n" if part.last else "")


def markdown_part(part: Part, now: int) -> str:
    """A part of the Markdown file."""
    lines = _head(part.row, now) if part.first else []
    for event in part.events:
        lines += _event(event)
    if part.first and part.last and not part.events:
        lines.append("Nothing was recorded of what happened in this run.")
    if part.last and part.row.get("finalContent"):
        lines += ["## Answer", "", _cut(str(part.row["finalContent"]), TEXT_CHARS), ""]
    return "\n".join(lines) + "\n"


def _head(row: Mapping[str, Any], now: int) -> list[str]:
    lines = [
        f"# Run {row.get('runId', UNAVAILABLE)}",
        "",
        _fence(_cut(str(row.get("userMessage") or UNAVAILABLE), TEXT_CHARS)),
        "",
        f"- Started: {_time(row.get('startedAt'))}",
        f"- Ended: {_time(row.get('endedAt'))}",
        f"- Duration: {_seconds(row.get('durationMs'))}",
    ]
    lines += [f"- {label}: {_inline(row.get(name))}" for label, name in FACTS if row.get(name) != ""]
    cost = row.get("totalCost")
    if cost is not None:
        lines.append(f"- Cost: ${cost:.4f}{' (estimated)' if row.get('costEstimated') else ''}")
    if row.get("cutOff"):
        lines.append("- The recording reached its limit; what came after is missing.")
    lines += [
        f"- Recorded by WebBrain: {row.get('recordingVersion') or UNAVAILABLE}",
        f"- Exported by WebBrain: {__version__}, {_time(now)}",
        "",
    ]
    return lines


def _event(event: Mapping[str, Any]) -> list[str]:
    data = event.get("data")
    data = data if isinstance(data, Mapping) else {}
    title, body = _told(str(event.get("type")), data)
    step = f", step {event['step']}" if event.get("step") else ""
    return [f"## {event.get('n')}. {title}", "", f"{_time(event.get('at'))}{step}", "", *body]


def _told(kind: str, data: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The title of an event and its lines."""
    match kind:
        case "llm_request":
            lines = [f"{data.get('messagesBefore', 0)} messages as before, and these:", ""]
            for message in data.get("messages") or ():
                lines += [f"**{message.get('role')}**", "", _fence(_text(message, TEXT_CHARS)), ""]
            return f"Request to {_inline(data.get('model'))}", lines
        case "llm_response":
            usage = data.get("usage") or {}
            facts = (
                f"{_seconds(data.get('durationMs'))}, {usage.get('promptTokens')} + "
                f"{usage.get('completionTokens')} tokens, {data.get('finish')}"
            )
            return "Answer", [facts, "", _fence(_text(data, TEXT_CHARS)), ""]
        case "tool":
            ended = "done" if data.get("ok") else "failed"
            tool_facts = [
                "no result" if data.get("state") == "running" else ended,
                "outcome unknown" if data.get("unknown") else "",
                _seconds(data.get("durationMs")),
            ]
            lines = [
                ", ".join(filter(None, tool_facts)),
                "",
                _fence(_cut(_whole(data.get("args")), ARGUMENT_CHARS)),
                "",
            ]
            if data.get("result") is not None:
                lines += [_fence(_cut(_whole(data["result"]), RESULT_CHARS)), ""]
            return f"Tool {_inline(data.get('name'))}", lines
        case "screenshot":
            lines = [f"{data.get('width')} x {data.get('height')} pixels ({data.get('reason')})", ""]
            if data.get("description"):
                lines += [_fence(_cut(_whole(data["description"]), TEXT_CHARS)), ""]
            return "Picture of the page", lines
        case "error":
            told = "\n".join(str(data[name]) for name in ("code", "message", "detail") if data.get(name))
            return "Error", [_fence(_cut(told, TEXT_CHARS)), ""]
        case "vision_sub_call":
            return "Vision model", [_fence(_text(data, TEXT_CHARS)), ""]
    rest = {name: value for name, value in data.items() if name != "what"}
    return f"Note: {_inline(data.get('what') or kind)}", [_fence(_cut(_json(rest), RESULT_CHARS)), ""]


def _text(data: Mapping[str, Any], limit: int) -> str:
    """What a message or an answer says, its calls below."""
    lines = [_whole(data[name]) for name in ("content", "text") if data.get(name)]
    if data.get("error"):
        lines.append(_json(data["error"]))
    text = _cut("\n".join(lines), limit)
    for call in data.get("toolCalls") or ():
        arguments = _cut(_whole(call.get("arguments")), ARGUMENT_CHARS)
        text += f"\n→ {call.get('name')} {arguments}"
    return text.strip()


def _whole(value: Any) -> str:
    """A text, or what is left of one that was too long to be kept."""
    if isinstance(value, Mapping) and value.get("_truncated"):
        return f"{value.get('head', '')}… ({value.get('length')} characters)"
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _fence(text: str) -> str:
    """The text as a block that it cannot end by itself."""
    longest = max((len(run) for run in _ticks(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _ticks(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split() if run]


def _inline(value: Any) -> str:
    """A fact in a line of its own: no line breaks, nothing that Markdown takes for markup."""
    text = UNAVAILABLE if value is None or value == "" else str(value)
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in " ".join(text.split()))


def _time(ms: Any) -> str:
    if not isinstance(ms, int | float):
        return UNAVAILABLE
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _seconds(ms: Any) -> str:
    return f"{ms / 1000:.1f} s" if isinstance(ms, int | float) else UNAVAILABLE
