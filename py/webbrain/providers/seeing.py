"""Does this model read pictures? It gets one with a random number in it and must say the number."""

import base64
import re
import secrets
import struct
import zlib
from typing import Final

from webbrain.core.messages import ImagePart, Message, ModelReply, ModelRequest
from webbrain.providers.base import ModelClient
from webbrain.providers.room import with_room

DIGITS: Final = 4
TOKENS: Final = 1_024
"""Models may think before they answer; thoughts count."""
QUESTION: Final = f"The picture shows a number of {DIGITS} digits. Answer with that number and nothing else."

_FONT: Final = {
    "0": "01110 10001 10011 10101 11001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "3": "11111 00010 00100 00010 00001 10001 01110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
}
"""Digits as rows of dots, seven of five."""
_DOT: Final = 12
"""Pixels of a dot's side."""
_MARGIN: Final = 3
"""Dots of white around the number."""


async def reads_pictures(client: ModelClient) -> tuple[bool, str, bool]:
    """Ask the model for the number in a picture; return whether it was right, the model that answered, and
    whether its answer was cut off.

    Raises ``ProviderFailed``.
    """
    number = "".join(secrets.choice("0123456789") for _ in range(DIGITS))
    picture = ImagePart(data_url=picture_of(number))
    question = Message(role="user", content=QUESTION, images=[picture])
    asked = ModelRequest(messages=[question], temperature=0.0, max_tokens=TOKENS)
    reply, cut = await with_room(client, asked, lambda reply: _says(reply, number))
    if reply is None:
        return False, client.info.model, cut
    return client.info.supports_vision and _says(reply, number), reply.model or client.info.model, cut


def _says(reply: ModelReply, number: str) -> bool:
    return number in re.sub(r"[\s,.*_-]", "", reply.text)


def picture_of(number: str) -> str:
    """A PNG ``data:`` address that shows the digits in black on white."""
    rows = [
        " 00 ".join(_FONT[digit].split(" ")[row] for digit in number).replace(" ", "") for row in range(7)
    ]
    width = len(rows[0])
    blank = "0" * (width + 2 * _MARGIN)
    dots = [blank] * _MARGIN + ["0" * _MARGIN + row + "0" * _MARGIN for row in rows] + [blank] * _MARGIN
    lines = []
    for row in dots:
        # A scan line begins with the number of its filter: none.
        line = b"\x00" + b"".join((b"\x00" if dot == "1" else b"\xff") * _DOT for dot in row)
        lines += [line] * _DOT
    header = struct.pack(">IIBBBBB", len(blank) * _DOT, len(dots) * _DOT, 8, 0, 0, 0, 0)
    chunks = (("IHDR", header), ("IDAT", zlib.compress(b"".join(lines))), ("IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind.encode(), data) for kind, data in chunks)
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
