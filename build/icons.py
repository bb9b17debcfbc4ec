"""Draws the extension's mark as PNG files: a W of five joined points, white on a rounded square.

The same points are drawn by ``js/ui/shared/icons.jsx`` on the screens. A few lines of geometry and the
standard library keep an image tool, and binary files nobody can review, out of the repository.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise

SIZES = (16, 32, 48, 128)
"""Edge lengths in pixels: what Chrome and Firefox ask for in toolbar, list of extensions and store."""

_UNIT = 24
"""The drawing is made on a square of this size, the view box of the screens' mark."""

_POINTS = ((5.0, 7.5), (8.6, 16.5), (12.0, 9.5), (15.4, 16.5), (19.0, 7.5))
_LINE_WIDTH = 1.7
_POINT_RADIUS = 1.75
_CORNER = 5.5
_TOP, _BOTTOM = (0x14, 0x83, 0x6C), (0x0A, 0x54, 0x46)
_INK = (0xFF, 0xFF, 0xFF)

_SAMPLES = 3
"""Samples per pixel and axis; their average gives smooth edges."""


def draw(size: int) -> bytes:
    """Return the mark as a PNG file of ``size`` x ``size`` pixels."""
    rows = b"".join(b"\0" + b"".join(_pixel(x, y, size) for x in range(size)) for y in range(size))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunks(size, rows))


def _chunks(size: int, rows: bytes) -> Iterator[bytes]:
    eight_bits, rgba = 8, 6
    header = struct.pack(">IIBBBBB", size, size, eight_bits, rgba, 0, 0, 0)
    for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
        yield struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _pixel(x: int, y: int, size: int) -> bytes:
    scale = _UNIT / size
    steps = [(step + 0.5) / _SAMPLES for step in range(_SAMPLES)]
    colours = [_colour((x + dx) * scale, (y + dy) * scale) for dy in steps for dx in steps]
    covered = [colour for colour in colours if colour]
    if not covered:
        return bytes(4)
    mean = [round(sum(colour[channel] for colour in covered) / len(covered)) for channel in range(3)]
    return bytes([*mean, round(255 * len(covered) / len(colours))])


def _colour(x: float, y: float) -> tuple[int, ...] | None:
    """Return the colour at a point of the drawing, ``None`` outside the rounded square."""
    inner_x = min(max(x, _CORNER), _UNIT - _CORNER)
    inner_y = min(max(y, _CORNER), _UNIT - _CORNER)
    if math.hypot(x - inner_x, y - inner_y) > _CORNER:
        return None
    if any(math.dist((x, y), point) <= _POINT_RADIUS for point in _POINTS):
        return _INK
    if any(_distance(x, y, *start, *end) <= _LINE_WIDTH / 2 for start, end in pairwise(_POINTS)):
        return _INK
    return tuple(round(top + (bottom - top) * y / _UNIT) for top, bottom in zip(_TOP, _BOTTOM, strict=True))


def _distance(x: float, y: float, x1: float, y1: float, x2: float, y2: float) -> float:
    """Return the distance of a point from a line segment."""
    along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    along = min(max(along, 0.0), 1.0)
    return math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1))
