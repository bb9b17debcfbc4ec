"""JSON from outside: objects with countless keys are refused before they become dictionaries.

The hash seed of a restored interpreter is public (docs/boot.md), so who writes the keys can choose thousands
that collide, and a dictionary of them takes time that grows with their square.
"""

import json
from typing import Any, Final

OBJECT_KEYS: Final = 4_000
"""Keys of one JSON object; with this many that all collide it takes a second."""


def loads(text: str) -> Any:
    """``json.loads``; raise ``ValueError`` also for an object of more than ``OBJECT_KEYS`` keys."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > OBJECT_KEYS:
        raise ValueError(f"an object in it has {len(pairs)} keys")
    return dict(pairs)
