"""Fields the user adds to every request: checked where they are entered, laid over the body where it is made.

What the agent itself decides (which conversation, which tools, how long, streamed or not) cannot be
replaced from there.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

EXTRA_BODY_CHARS: Final = 20_000
DEPTH_MAX: Final = 20

RESERVED: Final = frozenset(
    {
        "model",
        "messages",
        "input",
        "instructions",
        "system",
        "tools",
        "tool_choice",
        "toolConfig",
        "inferenceConfig",
        "stream",
        "store",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "__proto__",
        "constructor",
        "prototype",
    }
)


def parse_extra(text: str) -> dict[str, Any]:
    """The fields as an object. Raises ``ValueError`` whose text says what is wrong, for the form."""
    if not text.strip():
        return {}
    if len(text) > EXTRA_BODY_CHARS:
        raise ValueError(f"At most {EXTRA_BODY_CHARS} characters, please.")
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        raise ValueError('This is not JSON. It looks like {"top_p": 0.9}.') from None
    if not isinstance(value, dict):
        raise ValueError('Enter a JSON object, such as {"top_p": 0.9}.')
    if reserved := sorted(set(value) & RESERVED):
        raise ValueError(f"“{reserved[0]}” is decided by the agent and cannot be set here.")
    if _depth(value) > DEPTH_MAX:
        raise ValueError("This is nested too deeply.")
    return value


def merged(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """``extra`` laid over ``body``, objects into objects; reserved names stay as they are in ``body``."""
    allowed = {key: value for key, value in extra.items() if key not in RESERVED}
    return _merge(body, allowed)


def _merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(under)
    for key, value in over.items():
        below = out.get(key)
        out[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return out


def _depth(value: Any) -> int:
    """Depth of nesting, counted without recursion."""
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        deepest = max(deepest, depth)
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        waiting += [(child, depth + 1) for child in children]
    return deepest
