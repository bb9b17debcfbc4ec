"""Output items of the Responses format as they may go back into a request.

Facts of the service with ``store: false``: it looks up an item that has an id but not its content, so
reasoning without its encrypted content must go; then the items beside it must lose their ids, or they ask
for their reasoning; reasoning that nothing follows is refused; fields that are null are refused.
"""

from typing import Any, Final

from webbrain.core.bounded_json import loads
from webbrain.core.messages import Message

_KINDS: Final = frozenset({"message", "reasoning", "function_call"})


def replayable(items: Any) -> list[dict[str, Any]]:
    """The items that a request may hold, in order; none if there is nothing but thoughts left."""
    if not isinstance(items, list):
        return []
    kept: list[dict[str, Any]] = []
    lost_reasoning = False
    for item in items:
        if not isinstance(item, dict) or item.get("type") not in _KINDS:
            continue
        if item["type"] == "reasoning" and not item.get("encrypted_content"):
            lost_reasoning = True
            continue
        kept.append({key: value for key, value in item.items() if value is not None})
    while kept and kept[-1]["type"] == "reasoning":
        kept.pop()
    if lost_reasoning:
        kept = [{key: value for key, value in item.items() if key != "id"} for item in kept]
    return kept


def same_calls(items: list[dict[str, Any]], turn: Message) -> bool:
    """Whether the items still say what the turn says: it may have been trimmed, its ids changed, its
    arguments mended, or a secret taken out of them."""
    made = [item for item in items if item["type"] == "function_call"]
    if [(item.get("call_id"), item.get("name")) for item in made] != [
        (call.id, call.name) for call in turn.tool_calls
    ]:
        return False
    pairs = zip(made, turn.tool_calls, strict=True)
    return all(_same(item.get("arguments"), call.arguments) for item, call in pairs)


def _same(sent: Any, kept: str) -> bool:
    """``kept`` is the text of an object, ``sent`` what the model wrote."""
    if sent == kept:
        return True
    try:
        return isinstance(sent, str) and bool(loads(sent) == loads(kept))
    except (ValueError, RecursionError):
        return False
