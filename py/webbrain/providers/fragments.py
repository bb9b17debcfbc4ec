"""The JSON of a request, put together from parts that were written before.

A step of a run repeats nearly all of the request before it: the list of tools, and every message but the
newest. What a part is kept under is all of its value, in the form of ``marshal``: there ``1``, ``1.0`` and
``true`` differ, and so does another order of keys. A part that was changed is thus another part, whoever
changed it and wherever; nobody has to say so. Making that form takes a tenth of the time of writing JSON.
"""

import json
import marshal
from collections.abc import Mapping
from typing import Any, Final

LARGEST_PART: Final = 100_000
"""Bytes of a part that is kept. Larger ones hold pictures, and writing those is copying them."""
KEPT_BYTES: Final = 1_000_000
"""Of all parts that are kept, with what they are kept under."""
WHOLE_KEPT: Final = 8
"""Values of other fields that are kept, for all runs together."""
BY_ITEM: Final = frozenset({"messages", "input"})
"""Fields whose value grows by some items with every step; any other is one part."""
FORM: Final = 2
"""The newest version of ``marshal``'s form that is the same for equal values: later ones tell of shared
objects."""


def encode(body: Mapping[str, Any]) -> bytes:
    """Compact UTF-8 JSON; key order is kept, because grammars made from schemas follow it."""
    # Lone surrogates (cut emoji in page text) have no UTF-8 form; a question mark is better than a dead run.
    return _written(body)


class Fragments:
    """Writes one request after the other. What the newest one has no use for is forgotten."""

    def __init__(self) -> None:
        self._kept: dict[bytes, bytes] = {}
        self._fresh: dict[bytes, bytes] = {}
        self.size = 0
        """Bytes that are kept."""
        self.reused = 0
        """How often a part was not written anew."""

    def encode(self, body: Mapping[str, Any]) -> bytes:
        """The same as :func:`encode`, byte for byte."""
        self._fresh, self.size = {}, 0
        fields = [b"%b:%b" % (_written(name), self._field(name, value)) for name, value in body.items()]
        self._kept = self._fresh
        return b"{%b}" % b",".join(fields)

    def _field(self, name: str, value: Any) -> bytes:
        if type(value) is list and name in BY_ITEM:
            return b"[%b]" % b",".join(map(self._part, value))
        return _whole(value) if type(value) in (dict, list) else _written(value)

    def _part(self, value: Any) -> bytes:
        try:
            form = marshal.dumps(value, FORM)
        except ValueError:  # none of the plain values of JSON
            return _written(value)
        text = self._fresh.get(form) or self._kept.get(form)
        if text is not None:
            self.reused += 1
        else:
            text = _written(value)
            if len(form) > LARGEST_PART:
                return text
        if form not in self._fresh and self.size + len(form) + len(text) <= KEPT_BYTES:
            self._fresh[form] = text
            self.size += len(form) + len(text)
        return text


_wholes: dict[bytes, bytes] = {}
"""For all runs alike, the newest last: most of them offer the same tools."""


def _whole(value: Any) -> bytes:
    try:
        form = marshal.dumps(value, FORM)
    except ValueError:
        return _written(value)
    if len(form) > LARGEST_PART:
        return _written(value)
    text = _wholes.pop(form, None) or _written(value)
    _wholes[form] = text
    if len(_wholes) > WHOLE_KEPT:
        del _wholes[next(iter(_wholes))]
    return text


def _written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
