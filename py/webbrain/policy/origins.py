"""The origin a grant is for, and how it is shown so that it cannot pass for another.

A grant is for a host: lower case, encoded (``xn--``), without a leading ``www.``, with its port where that
is not the usual one. A person is shown letters only where they cannot be taken for those of another script;
what could be is shown encoded.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from webbrain.host.reach import Frame
from webbrain.policy import egress

HOST_CHARS: Final = 260
LOCAL: Final = ("localhost", "127.0.0.1", "::1")

_LATIN_LOOK: Final = frozenset(
    "авеәіїјкмнорстухһԁԛԝѕзбгпьυναοριτκβγηωχմոսօցհԁօսզ"  # Cyrillic, Greek, Armenian
)
"""Letters of other alphabets that pass for Latin ones. A word made only of them is a disguise."""
_WHOLE_SCRIPTS: Final = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"CJK", "BOPOMOFO"}),
    frozenset({"CJK", "HANGUL"}),
)
"""Scripts that are written together. Others stand alone in an honest name."""
_LEFT_TO_RIGHT: Final = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "THAI", "DEVANAGARI", "BENGALI", "TAMIL"}
    | {"GEORGIAN"}
)
"""Scripts that resemble no Latin letter and run in the direction of the sentence around them."""
_ALPHABETS: Final = frozenset({"CYRILLIC", "GREEK", "ARMENIAN"})
_ODD_LATIN: Final = frozenset("ıȷĸŀſƒǃ")
_LAST_LATIN: Final = "\u024f"

INVISIBLE: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Categories of characters that show nothing, or change how others are shown (bidi controls, joiners)."""


_BLANKS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Letters, signs and marks that show nothing: fillers, joiners, variation selectors."""
_EMPTY_LINES: Final = re.compile(r"\n{4,}")
"""More than anybody writes: they would push what follows out of sight."""
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»\u2039\u203a「」『』", '"'))


def key_of(url: str) -> str:
    """What a grant for this address is for: ``shop.example``, ``127.0.0.1:8000``.

    Raise ``egress.Refused`` for what has no host: about:, file:, data:, browser pages.
    """
    return egress.key_of(url)


def known_key(url: str) -> str:
    """:func:`key_of`, or nothing where there is none."""
    try:
        return key_of(url)
    except egress.Refused:
        return ""


def frame_url(frame_id: int, frames: Sequence[Frame]) -> str:
    """The address whose origin a frame has: its own, or, where its document is the page's (about:blank,
    srcdoc), that of the frame around it. Empty if that cannot be told, as for ``data:``.
    """
    by_id = {frame.id: frame for frame in frames}
    for _ in range(len(frames) + 1):
        frame = by_id.get(frame_id)
        if frame is None:
            return ""
        if frame.url.lower().startswith("blob:"):
            return frame.url[len("blob:") :]
        if frame.url and not frame.url.lower().startswith("about:"):
            return frame.url
        frame_id = frame.parent_id
    return ""


def shown(key: str) -> str:
    """A host as people may be shown it, never in letters that pass for another's."""
    host, _, port = key.rpartition(":") if _has_port(key) else (key, "", "")
    labels = host.split(".")
    readable = [_decoded(label) for label in labels]
    if readable == labels or not all(_honest(label) for label in readable):
        return key if len(key) <= HOST_CHARS else f"…{key[-HOST_CHARS:]}"  # whose it is stands at its end
    name = ".".join(readable) + (f":{port}" if port else "")
    return f"{name} ({key})"[: HOST_CHARS * 2]


def disguised(key: str) -> bool:
    """Whether the host has letters that may be meant to look like another's."""
    host = key.rpartition(":")[0] if _has_port(key) else key
    return not all(_honest(_decoded(label)) for label in host.split("."))


def is_local(key: str) -> bool:
    """Whether this is the computer itself, where nothing on the way could be read."""
    host = key.rpartition(":")[0].strip("[]") if _has_port(key) else key
    return host in LOCAL or host.endswith(".localhost")


def plain(text: str, limit: int, *, lines: bool = False) -> str:
    """Text of a page or a model as a card may show it: no control, direction or invisible characters, at most
    ``limit`` characters and word of what is missing. ``lines`` keeps line ends.
    """
    kept = "".join(
        letter if letter == "\n" and lines else " " if letter in "\n\t\r" else letter
        for letter in text[: limit * 4]
        if letter in "\n\t\r" or not (unicodedata.category(letter) in INVISIBLE or letter in _BLANKS)
    )
    kept = "\n".join(" ".join(line.split()) for line in kept.split("\n")).strip()
    kept = _EMPTY_LINES.sub(lambda gap: f"\n⏎ (+{gap[0].count(chr(10)) - 2})\n", kept)
    if len(kept) <= limit and len(text) <= limit * 4:
        return kept
    left = max(len(text) - limit, 1)
    return f"{kept[:limit]}… (+{left})"


def quoted(text: str, limit: int) -> str:
    """:func:`plain` for a name that one of our sentences puts into quotation marks: it holds none itself."""
    return plain(text, limit).translate(_QUOTES)


def _has_port(key: str) -> bool:
    return key.startswith("[") or key.count(":") == 1


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _honest(label: str) -> bool:
    if label.isascii():
        return not label.startswith("xn--")
    letters = [letter for letter in label if letter.isalpha() or unicodedata.category(letter)[0] == "M"]
    if any(unicodedata.category(letter) in INVISIBLE for letter in label):
        return False
    scripts = {unicodedata.name(letter, "UNKNOWN").split()[0].split("-")[0] for letter in letters}
    if scripts == {"LATIN"}:
        return all(letter <= _LAST_LATIN and letter not in _ODD_LATIN for letter in letters)
    if len(scripts) == 1 and scripts <= _ALPHABETS:
        return any(letter not in _LATIN_LOOK for letter in letters)
    together = len(scripts) == 1 or any(scripts <= group for group in _WHOLE_SCRIPTS)
    return together and scripts <= _LEFT_TO_RIGHT
