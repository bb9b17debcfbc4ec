"""Other ways to write a text, undone: what an address says once its encodings are taken off.

Used to look *for* something in what leaves, so it never fails and never decides: whatever can be read another
way is read that way too, and what comes out as noise is passed over.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

DEPTH: Final = 3
"""Encodings inside each other that are undone, percent encoding not counted."""
PERCENT_DEPTH: Final = 4
MOST_VIEWS: Final = 64
"""Readings of single words of one text that are looked at."""
MOST_JOINED: Final = 64
"""And readings of all its words together, each by one encoding, so that no crowd of words hides one."""
PRINTABLE_SHARE: Final = 0.85
"""Share of printable characters from which on a decoded text counts as one."""
SHORTEST: Final = 4
"""Characters of the shortest decoded text of any interest."""

Reader = Callable[[str], Iterator[str]]

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{6,}")
_BASE32: Final = re.compile(r"(?:[A-Z2-7]{8,}|[a-z2-7]{8,})")
_HEX: Final = re.compile(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,%._-]{0,2}){4,}")
_HEX_BYTE: Final = re.compile(r"(?:0x|\\x)?([0-9a-fA-F]{2})")
_CODES: Final = re.compile(r"(?:\d{2,3}[\s,;.:_-]{1,2}){3,}\d{2,3}")
_TAGS: Final = 0xE0000
_SELECTORS: Final = range(0xFE00, 0xFE10)
_MORE_SELECTORS: Final = range(0xE0100, 0xE01F0)
_LOOKS: Final = str.maketrans(
    "авекмнорстухіјѕһԁԛԝԍαβεικνορτυχγηωօսոհզցıɑɡʟ",
    "abekmhopctyxijshdqwgabeikvoptuxynwouuhqgiagl",
)
"""Small letters of Cyrillic, Greek and Armenian, and odd Latin ones."""
_ESCAPES: Final = re.compile(r"(?:%|\\)u\{?00([0-9a-fA-F]{2})\}?")


@dataclass(frozen=True, slots=True)
class View:
    """One reading of a text. ``how`` names the encodings that were taken off, for people."""

    text: str
    how: str = ""


def views(text: str) -> list[View]:
    """``text`` itself and every other reading of it, the plain ones first."""
    found: dict[str, View] = {}
    layer = [View(_unquoted(text))]
    joined: list[View] = []
    singles = together = 0
    for depth in range(DEPTH + 1):
        fresh = []
        for view in joined:
            if view.text and view.text not in found and together < MOST_JOINED:
                found[view.text] = view
                fresh.append(view)
                together += 1
        for view in layer:
            if view.text and view.text not in found and singles < MOST_VIEWS:
                found[view.text] = view
                fresh.append(view)
                singles += 1
        if depth == DEPTH:
            break
        readers = {**_CODINGS, **_TRICKS} if depth == 0 else _CODINGS
        layer, joined = [], []
        for view in fresh:
            for name, reads in _readings(view.text, readers):
                layer += [_under(view, name, read) for read in reads]
                joined += [_under(view, name, " ".join(reads))] if reads else []
    return list(found.values())


def _under(view: View, name: str, read: str) -> View:
    return View(_unquoted(read), f"{view.how}, {name}" if view.how else name)


def _readings(text: str, readers: dict[str, Reader]) -> Iterator[tuple[str, list[str]]]:
    """By the name of each encoding what it was taken off of, in order."""
    for name, reader in readers.items():
        yield name, [read for read in reader(text) if len(read) >= SHORTEST and read != text]


def _unquoted(text: str) -> str:
    """Without percent encoding, however often it was applied; a plus is a blank, as in queries."""
    for _ in range(PERCENT_DEPTH):
        if "%" not in text:
            break
        plain = unquote(_ESCAPES.sub(lambda found: chr(int(found[1], 16)), text))
        if plain == text:
            break
        text = plain
    return text


def _base64(text: str) -> Iterator[str]:
    for found in _BASE64.findall(text):
        for start in range(4):
            yield from _text(_from_base64(found[start:]))


def _from_base64(text: str) -> bytes:
    plain = text.replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (ValueError, binascii.Error):
        return b""


def _base32(text: str) -> Iterator[str]:
    for found in _BASE32.findall(text):
        plain = found.upper()
        plain = plain[: len(plain) - len(plain) % 8 + {2: 2, 4: 4, 5: 5, 7: 7}.get(len(plain) % 8, 0)]
        try:
            yield from _text(base64.b32decode(plain + "=" * (-len(plain) % 8)))
        except (ValueError, binascii.Error):
            continue


def _hex(text: str) -> Iterator[str]:
    for found in _HEX.findall(text):
        digits = "".join(_HEX_BYTE.findall(found))
        yield from _text(bytes.fromhex(digits))


def _codes(text: str) -> Iterator[str]:
    for found in _CODES.findall(text):
        numbers = [int(number) for number in re.findall(r"\d{2,3}", found)]
        if all(32 <= number < 256 for number in numbers):
            yield bytes(numbers).decode("latin-1")


def _escapes(text: str) -> Iterator[str]:
    plain = html.unescape(_ESCAPES.sub(lambda found: chr(int(found[1], 16)), text))
    if plain != text:
        yield plain


def _reversed(text: str) -> Iterator[str]:
    yield text[::-1]


def _rot13(text: str) -> Iterator[str]:
    yield codecs.encode(text, "rot13")


def _hidden(text: str) -> Iterator[str]:
    """Letters written as characters that show nothing: tags, and the bytes of variation selectors."""
    codes = [ord(letter) for letter in text if letter > "\u2fff"]
    yield "".join(chr(code - _TAGS) for code in codes if _TAGS + 32 <= code < _TAGS + 127)
    selected = (_selected(code) for code in codes)
    yield from _text(bytes(byte for byte in selected if byte is not None))


def _selected(code: int) -> int | None:
    """The byte that a variation selector may stand for."""
    if code in _SELECTORS:
        return code - _SELECTORS.start
    return code - _MORE_SELECTORS.start + len(_SELECTORS) if code in _MORE_SELECTORS else None


def _look_alikes(text: str) -> Iterator[str]:
    """Letters without accents, and those of other alphabets as the Latin ones they look like."""
    if not text.isascii():
        bare = unicodedata.normalize("NFKD", text.casefold())
        yield "".join(letter for letter in bare if not unicodedata.combining(letter)).translate(_LOOKS)


def _text(body: bytes) -> Iterator[str]:
    """``body`` as text if it is some: UTF-8, or UTF-16 as its zeros show."""
    if not body:
        return
    if body.count(0) * 3 > len(body):
        body = body.replace(b"\0", b"")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    printable = sum((letter.isprintable() and letter.isascii()) or letter.isalnum() for letter in text)
    if printable >= PRINTABLE_SHARE * len(text):
        yield text


_CODINGS: Final[dict[str, Reader]] = {
    "base64": _base64,
    "hexadecimal": _hex,
    "base32": _base32,
    "character codes": _codes,
    "escapes": _escapes,
}
"""Encodings, which are undone inside each other."""
_TRICKS: Final[dict[str, Reader]] = {
    "reversed": _reversed,
    "ROT13": _rot13,
    "hidden characters": _hidden,
    "look-alikes": _look_alikes,
}
