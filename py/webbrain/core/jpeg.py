"""How large a JPEG is, read off its header: nothing is decoded."""

import base64
import binascii
from typing import Final

_STANDALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length (ITU-T T.81, table B.1)."""
_FRAME: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a frame header, which tells the size."""


def jpeg_size(data_url: str) -> tuple[int, int] | None:
    """Width and height in pixels of a JPEG ``data:`` address; ``None`` if it is none."""
    head, _, body = data_url.partition(",")
    try:
        data = base64.b64decode(body, validate=True) if head.startswith("data:image/jpeg") else b""
    except binascii.Error:
        return None
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAME:
            height, width = (int.from_bytes(data[place : place + 2], "big") for place in (at + 5, at + 7))
            return (width, height) if width and height else None
        if marker == 0xFF:
            at += 1
        elif marker in _STANDALONE:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
