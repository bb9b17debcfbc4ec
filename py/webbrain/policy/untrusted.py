"""The boundary around text that a page, a file or a server wrote.

Such text reaches a model only between two tags that carry the same random id. Whatever inside looks like one
of these tags, in any case, spacing, width or borrowed alphabet, is replaced, so that a page cannot close the
boundary and speak as somebody else. All wrapping happens here.
"""

# ruff: noqa: RUF001 - the table of borrowed letters is the point

import re
import unicodedata
from typing import Final

TAG: Final = "untrusted_page_content"
REPLACEMENT: Final = "[tag removed]"

_BLANK: Final = "\x00"
"""Stands for a character that is not seen (zero width, soft hyphen, combining mark)."""
_ST: Final = "\x01"
"""Stands for the ligatures that spell "st"."""

_LETTERS: Final[dict[str, str]] = {
    "a": "аαɑ@4",
    "c": "сϲ",
    "d": "ԁ",
    "e": "еεє3",
    "g": "ɡց",
    "n": "ոո",
    "o": "оοօ0",
    "p": "рρ",
    "r": "гᴦ",
    "s": "ѕ$5",
    "t": "тτ7",
    "u": "υսц",
    "_": "-‐‑‒–—―−‗.·",
    "<": "‹〈⟨⟪《«˂ᐸ❮❬≺",
    ">": "›〉⟩⟫》»˃ᐳ❯❭≻",
    "/": "⁄∕╱⧸",
}
"""Ours to theirs: characters that can pass for one of the tag's. Case, width and style are folded
beforehand."""

_FOLD: Final[dict[int, str]] = {ord(theirs): ours for ours, many in _LETTERS.items() for theirs in many}

_GAP: Final = r"[\x00\s]{0,3}"
_JOINT: Final = r"(?:[\x00\s_]|\\[nrt]){0,6}"


def _spelled(word: str) -> str:
    letters = _GAP.join(word)
    return letters.replace(f"s{_GAP}t", f"(?:s{_GAP}t|\\x01)")


_NAME: Final = _JOINT.join(_spelled(word) for word in TAG.split("_"))
_OPENING: Final = r"(?:<|&lt;?|&#0{0,6}60;?|&#x0{0,6}3c;?|\\{1,2}u003c|\\{1,2}x3c|%3c|\[|\{|\()"
_SLASH: Final = r"(?:[\x00\s/\\]|&#0{0,6}47;?|&#x0{0,6}2f;?|&sol;|%2f){0,8}"
_REST: Final = r"(?:[^<>\n\[\]]{0,80}?(?:>|&gt;?|&#0{0,6}62;?|&#x0{0,6}3e;?|\\{1,2}u003e|%3e|\]))?"
_OUR_TAG: Final = re.compile(rf'</?{TAG} id="[^"\n]{{1,32}}">\n?')
_BARE_NAME: Final = re.escape(TAG)
_TAG_LIKE: Final = re.compile(f"{_OPENING}{_SLASH}{_NAME}{_REST}|{_BARE_NAME}")


def wrap(text: str, nonce: str) -> str:
    """Enclose ``text`` between tags with the id ``nonce``; look-alikes inside are replaced."""
    return f"{opening(nonce)}\n{neutralise(text, nonce)}\n{closing(nonce)}"


def opening(nonce: str) -> str:
    """The tag that starts untrusted text."""
    return f'<{TAG} id="{nonce}">'


def closing(nonce: str) -> str:
    """The tag that ends it; it repeats the id, which a page cannot know."""
    return f'</{TAG} id="{nonce}">'


def bare(text: str) -> str:
    """``text`` without the tags around such parts, for what is wrapped as a whole."""
    return _OUR_TAG.sub("", text).strip()


def cut(text: str, limit: int) -> str:
    """The first ``limit`` characters of a text with such parts in it, and how much is missing. What was open
    at that place is closed, and what we said after the last closing tag stays.
    """
    if len(text) <= limit:
        return text
    head = text[:limit]
    ids = re.findall(rf'<{TAG} id="([^"\n]{{1,32}})">', head)
    closings = [closing(id_) for id_ in ids if closing(id_) not in head]
    ours = text.rpartition(closings[-1])[2] if closings and closings[-1] in text else ""
    left_out = f"[{len(text) - limit - len(ours)} characters left out to save room]"
    return "\n".join([head, left_out, *closings]) + ours


def overhead(nonce: str) -> int:
    """How many characters :func:`wrap` adds."""
    return len(wrap("", nonce))


def neutralise(text: str, nonce: str = "") -> str:
    """Replace everything that looks like one of our tags. The text never grows."""
    folded = _fold(text)
    if "u" in folded and "t" in folded:
        pieces: list[str] = []
        end = 0
        for match in _TAG_LIKE.finditer(folded):
            pieces += (text[end : match.start()], REPLACEMENT)
            end = match.end()
        text = "".join((*pieces, text[end:]))
    return text.replace(nonce, "[id removed]"[: len(nonce)]) if nonce else text


def _fold(text: str) -> str:
    """``text`` with each character replaced by the plain one it can pass for; positions stay the same."""
    table: dict[int, str] = {}
    for character in set(text):
        plain = _plain(character)
        if plain != character:
            table[ord(character)] = plain
    return text.translate(table)


def _plain(character: str) -> str:
    if character in "\ufb05\ufb06":
        return _ST
    category = unicodedata.category(character)
    if category in ("Cf", "Mn", "Me") or (category == "Cc" and not character.isspace()):
        return _BLANK
    folded = unicodedata.normalize("NFKD", character)
    base = "".join(part for part in folded if not unicodedata.combining(part)) or folded
    lowered = base.casefold()
    if len(lowered) != 1:
        return character
    return _FOLD.get(ord(lowered), lowered)
