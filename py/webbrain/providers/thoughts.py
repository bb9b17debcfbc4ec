"""Claude's thoughts: the service signs them and wants them back as they came, and where they stood.

A model may think again between its words and its calls. Where it did, the order of the answer's parts is kept
beside the thoughts; everywhere else they come first.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webbrain.core.messages import Message

Block = dict[str, Any]


def kept_of(content: Sequence[Block]) -> dict[str, Any]:
    """What of an answer's blocks has to be kept for the service; empty if it did not think."""
    thoughts = [block for block in content if _thinks(block)]
    if not thoughts:
        return {}
    kept: dict[str, Any] = {"thinking": thoughts}
    if not all(map(_thinks, content[: len(thoughts)])):
        kept["order"] = [_place(block) for block in content]
    return kept


def signed(kept: Mapping[str, Any]) -> list[Block]:
    """The thoughts that the service would take back."""
    thoughts = kept.get("thinking")
    return [dict(block) for block in thoughts if is_signed(block)] if isinstance(thoughts, list) else []


def is_signed(block: Any) -> bool:
    """Whether the service would take this block back."""
    match block:
        case {"type": "thinking", "thinking": str(), "signature": str(signature)}:
            return bool(signature)
        case {"type": "redacted_thinking", "data": str()}:
            return True
    return False


def in_order(kept: Mapping[str, Any], turn: Message) -> list[Block] | None:
    """A turn's blocks in the order of the answer; ``None`` if that is not known, or if its words or calls are
    not those of the answer any more."""
    order = kept.get("order")
    if not isinstance(order, list) or not all(isinstance(part, dict) for part in order):
        return None
    thoughts, calls = signed(kept), {call.id: call for call in turn.tool_calls}
    texts = [str(part.get("text") or "") for part in order if part.get("type") == "text"]
    made = [part.get("id") for part in order if part.get("type") == "tool_use"]
    if "".join(texts).strip() != turn.content.strip() or made != list(calls):
        return None
    if sum(map(_thinks, order)) != len(thoughts):
        return None
    return list(_blocks(order, iter(thoughts), calls))


def call_block(call: Any) -> Block:
    """A tool call as the service has it."""
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}


def _blocks(order: list[Block], thoughts: Iterator[Block], calls: Mapping[str, Any]) -> Iterator[Block]:
    for part in order:
        if _thinks(part):
            yield next(thoughts)
        elif part.get("type") == "tool_use":
            yield call_block(calls[part["id"]])
        elif text := str(part.get("text") or "").rstrip():
            yield {"type": "text", "text": text}


def _thinks(block: Block) -> bool:
    return "thinking" in str(block.get("type"))


def _place(block: Block) -> Block:
    names = {"text": ("type", "text"), "tool_use": ("type", "id")}.get(str(block.get("type")), ("type",))
    return {name: block[name] for name in names if name in block}
