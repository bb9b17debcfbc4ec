"""One picture of a tab's viewport, small enough for every model service."""

from dataclasses import dataclass
from typing import Final

from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.jpeg import jpeg_size
from webbrain.host.protocols import Host

BASE64_CHARS: Final = 1_398_100
"""The most characters of base64 a picture may have: a megabyte of JPEG, which every service takes."""
BEST_QUALITY: Final = 75
WORST_QUALITY: Final = 10
QUALITY_STEP: Final = 5
SMALLER: Final = 0.75
"""By how much a picture shrinks that is too long even at the worst quality."""
SMALLEST_SCALE: Final = 0.1
REGIONS: Final = 400
"""The most places of a picture that are drawn over."""
REGION_SIDES: Final = ("x", "y", "width", "height")
REGIONS_TIMEOUT: Final = 3.0
VIEWPORT_TIMEOUT: Final = 3.0
"""Seconds to wait for the page to say how large its viewport is; the picture itself tells as well."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A JPEG as a data URL. Sizes are its pixels, ``scale`` is pixels per CSS pixel of the viewport."""

    data_url: str
    width: int
    height: int
    scale: float


async def capture(host: Host, tab_id: int, *, longest: int, redact: bool = False) -> Shot:
    """Take a picture whose longest side is at most ``longest`` pixels.

    ``redact`` draws over what is better not seen; if that fails, the picture stays as it is. Quality goes
    down until it fits into ``BASE64_CHARS``, then the size. Raises ``BridgeError`` like
    ``Pictures.capture``, with ``bad_picture`` for something that is none.
    """
    regions = await _regions(host, tab_id) if redact else []
    sides = await _viewport(host, tab_id)
    scale = min(1.0, longest / max(sides)) if sides else 1.0
    shot = await _fitting(host, tab_id, scale)
    if max(shot.width, shot.height) > longest:
        # The page did not say how large it is, or was wrong.
        shot = await _fitting(host, tab_id, scale * longest / max(shot.width, shot.height))
    if redact:
        # The page may have moved meanwhile: what was there before and what is there now are both covered.
        shot = await _masked(host, shot, [*regions, *await _regions(host, tab_id)])
    return shot


async def _fitting(host: Host, tab_id: int, scale: float) -> Shot:
    while True:
        for quality in range(BEST_QUALITY, WORST_QUALITY - 1, -QUALITY_STEP):
            data_url = await host.pictures.capture(tab_id, quality=quality, scale=scale)
            if len(data_url) - data_url.find(",") - 1 <= BASE64_CHARS:
                return Shot(data_url, *_size(data_url), scale)
        scale *= SMALLER
        if scale < SMALLEST_SCALE:
            raise BridgeError("The picture stays too large at every quality.", code="bad_picture")


async def _regions(host: Host, tab_id: int) -> list[dict[str, int]]:
    """What is better not seen, in CSS pixels of the viewport; nothing if the page does not say."""
    try:
        answer = await host.page.call(
            tab_id, "redaction_regions", {"textInputs": True}, timeout=REGIONS_TIMEOUT
        )
    except WebBrainError:
        return []
    found = answer.get("regions")
    return [
        {side: int(region[side]) for side in REGION_SIDES}
        for region in (found if isinstance(found, list) else [])
        if isinstance(region, dict) and all(isinstance(region.get(side), int) for side in REGION_SIDES)
    ]


async def _masked(host: Host, shot: Shot, regions: list[dict[str, int]]) -> Shot:
    unique = list({tuple(region.values()): region for region in regions}.values())[:REGIONS]
    if not unique:
        return shot
    try:
        masked = await host.pictures.mask(
            shot.data_url, regions=unique, scale=shot.scale, quality=BEST_QUALITY
        )
        return Shot(masked, *_size(masked), shot.scale)
    except WebBrainError:
        return shot


def _size(data_url: str) -> tuple[int, int]:
    size = jpeg_size(data_url)
    if size is None:
        raise BridgeError("The browser gave something that is not a picture.", code="bad_picture")
    return size


async def _viewport(host: Host, tab_id: int) -> tuple[int, int] | None:
    try:
        answer = await host.page.call(tab_id, "viewport", {}, timeout=VIEWPORT_TIMEOUT)
    except WebBrainError:
        return None
    sides = answer.get("width"), answer.get("height")
    if all(isinstance(side, int | float) and not isinstance(side, bool) and side > 0 for side in sides):
        return int(sides[0]), int(sides[1])  # type: ignore[arg-type]  # both are numbers, as just seen
    return None
