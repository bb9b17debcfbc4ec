"""One picture of a tab's viewport, small enough for every model service."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final

from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.host.protocols import Host

BASE64_CHARS: Final = 1_398_100
"""The most characters of base64 a picture may have: a megabyte of JPEG, which every service takes."""
BEST_QUALITY: Final = 75
WORST_QUALITY: Final = 10
QUALITY_STEP: Final = 5
SMALLER: Final = 0.75
"""By how much a picture shrinks that is too long even at the worst quality."""
SMALLEST_SCALE: Final = 0.1
VIEWPORT_TIMEOUT: Final = 3.0
"""Seconds to wait for the page to say how large its viewport is; the picture itself tells as well."""

_STANDALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers without a length."""
_FRAME: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers of a frame header, which holds the size."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A JPEG as a data URL. Sizes are its pixels, ``scale`` is pixels per CSS pixel of the viewport."""

    data_url: str
    width: int
    height: int
    scale: float


async def capture(host: Host, tab_id: int, *, longest: int) -> Shot:
    """Take a picture whose longest side is at most ``longest`` pixels.

    Quality goes down until it fits into ``BASE64_CHARS``, then the size. Raises ``BridgeError`` like
    ``Pictures.capture``, with ``bad_picture`` for something that is none.
    """
    sides = await _viewport(host, tab_id)
    scale = min(1.0, longest / max(sides)) if sides else 1.0
    shot = await _fitting(host, tab_id, scale)
    if max(shot.width, shot.height) > longest:
        # The page did not say how large it is, or was wrong.
        shot = await _fitting(host, tab_id, scale * longest / max(shot.width, shot.height))
    return shot


async def _fitting(host: Host, tab_id: int, scale: float) -> Shot:
    while True:
        for quality in range(BEST_QUALITY, WORST_QUALITY - 1, -QUALITY_STEP):
            data_url = await host.pictures.capture(tab_id, quality=quality, scale=scale)
            if len(data_url) - data_url.find(",") - 1 <= BASE64_CHARS:
                width, height = jpeg_size(data_url)
                return Shot(data_url, width, height, scale)
        scale *= SMALLER
        if scale < SMALLEST_SCALE:
            raise BridgeError("The picture stays too large at every quality.", code="bad_picture")


async def _viewport(host: Host, tab_id: int) -> tuple[int, int] | None:
    try:
        answer = await host.page.call(tab_id, "viewport", {}, timeout=VIEWPORT_TIMEOUT)
    except WebBrainError:
        return None
    sides = answer.get("width"), answer.get("height")
    if all(isinstance(side, int | float) and not isinstance(side, bool) and side > 0 for side in sides):
        return int(sides[0]), int(sides[1])  # type: ignore[arg-type]  # both are numbers, as just seen
    return None


def jpeg_size(data_url: str) -> tuple[int, int]:
    """Width and height of a JPEG ``data:`` address, read off its frame header; ``bad_picture`` if it is
    none."""
    head, _, body = data_url.partition(",")
    try:
        data = base64.b64decode(body, validate=True) if head.startswith("data:image/jpeg") else b""
    except binascii.Error:
        data = b""
    place = 2
    while data[:2] == b"\xff\xd8" and place + 9 <= len(data):
        if data[place] != 0xFF:
            break
        marker = data[place + 1]
        if marker in _STANDALONE or marker == 0xFF:
            place += 1 if marker == 0xFF else 2
        elif marker in _FRAME:
            height, width = (int.from_bytes(data[at : at + 2], "big") for at in (place + 5, place + 7))
            if width and height:
                return width, height
            break
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    raise BridgeError("The browser gave something that is not a picture.", code="bad_picture")
