"""Tool results as a model reads them: JSON, capped, wrapped where a page had a say in them.

Cutting goes from what hurts least: long texts first, then long lists, then the end of the JSON itself. What
is our own (notes) and the boundary around the page's text are never cut.
"""

import json
from bisect import bisect_right
from typing import Any, Final

from webbrain.core.limits import TOOL_RESULT_CHARS, TOOL_RESULT_CHARS_WIDE_TREE
from webbrain.core.results import ToolResult
from webbrain.policy import untrusted
from webbrain.tools.base import ToolSpec

TEXT_FLOOR: Final = 4_000
"""Texts are cut to this length before lists are touched."""
SHORT_TEXT: Final = 400
"""The length to which texts are cut when shorter lists did not help either."""
SHORTEST_TEXT: Final = 40
NOTE: Final = "\n[note] "
"""How each of our sentences behind a result begins; ``prompts/untrusted.md`` says that they are ours."""
NOTES_CHARS: Final = 1_200
MARKER_ROOM: Final = 40
"""Space for the words that say how much was cut."""
CUT_NOTE: Final = "The result was too long and was cut to fit. Ask for a smaller part to see the rest."


def cap_for(spec: ToolSpec, result: ToolResult) -> int:
    """How many characters the model may get: more for a tree that was asked and allowed to be wide."""
    if spec.name == "get_accessibility_tree" and result.private.get("wide") is True:
        return TOOL_RESULT_CHARS_WIDE_TREE
    return TOOL_RESULT_CHARS


def render_result(spec: ToolSpec, result: ToolResult, *, cap: int = TOOL_RESULT_CHARS, nonce: str) -> str:
    """The text of a tool message, at most ``cap`` characters.

    JSON, inside the untrusted boundary if the tool's specification says so; notes stand after it, outside,
    and so does what we say of a call that we refused.
    ``nonce`` must be new for every result.
    """
    payload = {"success": result.success, **result.data}
    said = result.notes
    if spec.untrusted and result.refusal:
        said = [str(payload.pop("error", "")), *said]
    notes = _notes(said)
    room = cap - len(notes) - (untrusted.overhead(nonce) if spec.untrusted else 0)
    text = to_json(payload)
    if len(text) > room:
        notes = _notes([*said, CUT_NOTE])
        room = cap - len(notes) - (untrusted.overhead(nonce) if spec.untrusted else 0)
        text = shortened(payload, room)
    return (untrusted.wrap(text, nonce) if spec.untrusted else text) + notes


def to_json(value: Any) -> str:
    """Compact JSON with every character as itself; what is not JSON becomes text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def shortened(payload: dict[str, Any], room: int) -> str:
    """``payload`` as JSON of at most ``room`` characters; valid JSON unless nothing else helps."""
    payload = _clipped(payload, max(room, 0))
    for floor in (TEXT_FLOOR, SHORT_TEXT, SHORTEST_TEXT):
        payload = _clipped(payload, _longest_texts(payload, room, floor))
        text = to_json(payload)
        while len(text) > room and _cut_a_list(payload):
            text = to_json(payload)
        if len(text) <= room:
            return text
    marker = f"…[cut: {len(text)} characters in all]"
    return text[: max(room - len(marker), 0)] + marker[: max(room, 0)]


def _longest_texts(payload: dict[str, Any], room: int, floor: int) -> int:
    """The greatest length, not below ``floor``, to which all texts may be cut so that ``payload`` fits."""
    lengths = range(floor, max(room, floor) + 1)
    fitting = bisect_right(lengths, room, key=lambda limit: len(to_json(_clipped(payload, limit))))
    return lengths[max(fitting - 1, 0)]


def _clipped(value: Any, limit: int) -> Any:
    """A copy in which no text is longer than ``limit``, save for the words that say how much is missing."""
    if isinstance(value, str):
        whole = value.whole if isinstance(value, _Cut) else len(value)
        if len(value) <= limit + MARKER_ROOM or isinstance(value, _LeftOut):
            return value
        return _Cut.of(value[:limit], whole)
    if isinstance(value, dict):
        return {key: _clipped(item, limit) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clipped(item, limit) for item in value]
    return value


Slot = tuple[Any, Any]
"""A container and the key in it."""


def _cut_a_list(payload: dict[str, Any]) -> bool:
    """Halve the list that takes the most room."""
    slots = [(box, key) for box, key in _slots(payload) if isinstance(box[key], list)]
    slots = [(box, key) for box, key in slots if len(box[key]) > 2]
    if not slots:
        return False
    box, key = max(slots, key=lambda slot: len(to_json(slot[0][slot[1]])))
    items: list[Any] = box[key]
    marker = items[-1] if isinstance(items[-1], _LeftOut) else None
    kept = items[:-1] if marker else items
    half = len(kept) // 2
    box[key] = [*kept[:half], _LeftOut.of(len(kept) - half + (marker.items if marker else 0))]
    return True


class _Cut(str):
    """A shortened text that remembers how long the whole was, so that it can be shortened again."""

    whole: int

    @classmethod
    def of(cls, start: str, whole: int) -> "_Cut":
        text = cls(f"{start}…[{whole - len(start)} more characters cut]")
        text.whole = whole
        return text


class _LeftOut(str):
    """The marker at the end of a shortened list; a type of its own, so that no page's text passes for it."""

    items: int

    @classmethod
    def of(cls, count: int) -> "_LeftOut":
        marker = cls(f"…[{count} more items cut]")
        marker.items = count
        return marker


def _slots(value: Any) -> list[Slot]:
    """Every place in a JSON value that holds another value, without recursion."""
    found: list[Slot] = []
    stack = [value]
    while stack:
        box = stack.pop()
        keys = box.keys() if isinstance(box, dict) else range(len(box))
        for key in list(keys):
            found.append((box, key))
            if isinstance(box[key], (dict, list)):
                stack.append(box[key])
    return found


def _notes(notes: list[str]) -> str:
    """Our own sentences, each once, on lines of their own after the result."""
    text = "".join(f"{NOTE}{note}" for note in dict.fromkeys(notes) if note)
    return text if len(text) <= NOTES_CHARS else text[: NOTES_CHARS - 1] + "…"
