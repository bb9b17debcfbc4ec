"""What leaves: whether an address, a body or a typed text carries something its destination did not know.

The one place that decides it, for every tool. An address that a page or the user gave as a whole is never
suspected, nor are common words and what the user wrote; see ``policy.taint`` for what is remembered.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from webbrain.core.events import CardField
from webbrain.policy import egress
from webbrain.policy.credentials import MASK
from webbrain.policy.encodings import View, views
from webbrain.policy.sites import site_of
from webbrain.policy.taint import GRAM, UNKNOWN, Secret, Taint, origin_of, squash, words_of
from webbrain.tools.base import ToolContext

LETTERS: Final = 8
"""From so many letters that are no plain words a text counts as carried."""
DIGITS: Final = 2
"""From so many digits among at least ``GRAM`` letters and digits it does too."""
MOST_FINDS: Final = 8
"""Lines of one card; how many more there are is counted."""
MOST_ONWARD: Final = 8
SHOWN_CHARS: Final = 400
MOST_TEXT_CHARS: Final = 20_000
"""Of one outgoing text; more is judged by its beginning and its end."""
SHORT_SECRET: Final = 6
"""Shorter secrets count only as a word of their own."""

_DATE: Final = re.compile(
    r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d)?)?"
)
_ADDRESS: Final = re.compile(
    r"(?:https?:[/\\]*|(?<=[^:])[/\\]{2,})((?:[\w-]+\.)+[\w-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)",
    re.IGNORECASE,
)
"""An address inside an address, as servers take one to lead on to."""
_SEPARATORS: Final = re.compile(r"[&;=/?#.,|:\s+_-]+")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

LABEL: Final = "Text from {origin}"
LABEL_UNKNOWN: Final = "Text from a page"
LABEL_YOURS: Final = "{what} of yours"
ENCODED: Final = "{text} (written as {how})"


@dataclass(frozen=True, slots=True)
class Carried:
    """A text that leaves and is not the destination's own. ``origin`` is empty for a secret, of which
    ``piece`` says what it is; else that is the text's letters and digits, and it begins at ``start`` of
    those of ``view``.
    """

    piece: str
    origin: str
    kind: Literal["page", "secret"]
    how: str = ""
    view: str = ""
    start: int = 0

    @property
    def text(self) -> str:
        """What leaves, as it is written there."""
        return _shown(self.view, self.start, self.start + len(self.piece)) if self.view else self.piece

    def field(self) -> CardField:
        """The line of a card that shows it."""
        if self.kind == "secret":
            return CardField(label=LABEL_YOURS.format(what=self.piece.capitalize()), value=MASK, masked=True)
        label = LABEL_UNKNOWN if self.origin == UNKNOWN else LABEL.format(origin=self.origin)
        text = " ".join(_CONTROL.sub(" ", self.text).split())
        if len(text) > SHOWN_CHARS:
            text = f"{text[:SHOWN_CHARS]}… (+{len(text) - SHOWN_CHARS})"
        return CardField(label=label, value=ENCODED.format(text=text, how=self.how) if self.how else text)


async def carried(ctx: ToolContext, to: str, texts: Sequence[str]) -> list[CardField]:
    """The lines of a card for everything foreign in ``texts``; none means that nobody need be asked.

    ``to`` is the address, or the page, that gets the texts; those are raw addresses, bodies, headers, or what
    is typed into a page.
    """
    taint = ctx.state.taint
    found = finds(taint, to, texts) if taint is not None else []
    lines = [find.field() for find in found[:MOST_FINDS]]
    if more := len(found) - len(lines):
        lines[-1] = lines[-1].model_copy(update={"value": f"{lines[-1].value} … (+{more})"})
    return lines


def finds(taint: Taint, to: str, texts: Sequence[str]) -> list[Carried]:
    """What of ``texts`` is foreign to the page or address ``to``, each once, secrets first."""
    destination = origin_of(to)
    found: dict[tuple[str, str], Carried] = {}
    for text in texts:
        for find in _finds_in(taint, destination, text):
            found.setdefault((find.kind, find.piece), find)
    secrets = [find for find in found.values() if find.kind == "secret"]
    pages = _longest([find for find in found.values() if find.kind == "page"])
    return [*secrets, *pages]


def _finds_in(taint: Taint, destination: str, text: str) -> Iterator[Carried]:
    """What of one text is foreign. An address of another origin than the one that gets it is typed or sent in
    a body: a text like any other, its host included.
    """
    if len(text) > MOST_TEXT_CHARS:
        text = f"{text[: MOST_TEXT_CHARS // 2]} {text[-MOST_TEXT_CHARS // 2 :]}"
    address = _is_address(text)
    opened = address and origin_of(text) == destination
    if opened and taint.offered(text):
        yield from _secrets_in(taint.secrets, [View(text)])
        return
    parts = [*([] if opened else [text]), *(_parts_of(text) if address else [])] or [text]
    read = {view.text: view for part in parts for view in views(part)}
    secrets = [one for one in taint.secrets if opened or one.home != destination]
    yield from _secrets_in(secrets, list(read.values()))
    for reader in [destination, *(_onward(text, destination) if opened else [])]:
        for view in read.values():
            yield from _page_text_in(taint, reader, view)


def _onward(url: str, destination: str) -> list[str]:
    """The origins of addresses inside an address: whoever gets it may lead on to them, with what it says."""
    inside = url.partition("://")[2].partition("/")[2] or url.partition("://")[2]
    found = dict.fromkeys(
        origin_of(f"https://{place[1]}")
        for view in views(f"/{inside}")
        for place in _ADDRESS.finditer(view.text)
    )
    return [origin for origin in found if origin not in (UNKNOWN, destination)][:MOST_ONWARD]


def _is_address(text: str) -> bool:
    return text[:8].lower().startswith(("http://", "https://"))


def _parts_of(url: str) -> list[str]:
    """What an address says besides where it goes, in the ways it can be put together again.

    Everything in a row; the values without their names; the path without its slashes. Names below the site,
    which a server of names sees, are among it.
    """
    try:
        parts = urlsplit(url)
        host = egress.host_of(f"https://{parts.netloc.rpartition('@')[2]}/")
    except (egress.Refused, ValueError):
        return [url]
    below = host.removesuffix(site_of(host)).removeprefix("www.").strip(".")
    who = parts.netloc.rpartition("@")[0]
    fields = [piece for piece in re.split(r"[&;]", parts.query) if piece]
    values = [field.partition("=")[2] or field for field in fields]
    path = [piece for piece in parts.path.split("/") if piece]
    whole = " ".join([below, who, *path, *fields, parts.fragment]).strip()
    found = [whole.replace("+", " "), whole]
    if len(values) > 1:
        found += ["".join(values), " ".join(value.replace("+", " ") for value in values)]
    if path and values:
        found.append("".join([*path, *values]))
    if len(path) > 1:
        found.append("".join(path))
    if "." in below:
        found.append(below.replace(".", ""))
    found += [unquote(value) for value in values if len(value) > 2 * GRAM]
    return list(dict.fromkeys(found))


# --- secrets ---


def _secrets_in(secrets: Iterable[Secret], read: Sequence[View]) -> Iterator[Carried]:
    for secret in secrets:
        for view in read:
            if _holds(view.text, secret.text, secret.squashed):
                yield Carried(secret.what, "", "secret", view.how)
                break


def _holds(text: str, secret: str, squashed: str) -> bool:
    if len(squashed) >= SHORT_SECRET:
        return squashed in squash(text)
    return secret in text if len(secret) >= SHORT_SECRET else secret in _SEPARATORS.split(text)


# --- page text ---


def _page_text_in(taint: Taint, destination: str, view: View) -> Iterator[Carried]:
    squashed = squash(view.text)
    stretches = [
        (begin, end)
        for begin, end in taint.hits(squashed)
        if end - begin >= LETTERS or any(letter.isdigit() for letter in squashed[begin:end])
    ]
    if not stretches:
        return
    sources = taint.foreign(destination)
    places = _places(view.text)
    for begin, end in stretches:
        for start, stop, origin in _matches(squashed, begin, end, sources):
            if _tells(taint, squashed, start, stop, places) and not taint.known_to(
                destination, squashed[start:stop]
            ):
                yield Carried(squashed[start:stop], origin, "page", view.how, view.text, start)


def _matches(
    squashed: str, begin: int, end: int, sources: Sequence[tuple[str, str]]
) -> Iterator[tuple[int, int, str]]:
    """The longest pieces of ``squashed[begin:end]`` that stand in one of the sources, one after the other."""
    start = begin
    while end - start >= GRAM:
        best, whose = 0, ""
        for origin, text in sources:
            length = _longest_prefix(squashed[start:end], text)
            if length > best:
                best, whose = length, origin
        if best:
            yield start, start + best, whose
        start += max(best - GRAM + 1, 1) if best else 1


def _longest_prefix(piece: str, text: str) -> int:
    """How much of the beginning of ``piece`` stands in ``text``; 0 if it is less than ``GRAM``."""
    if piece[:GRAM] not in text:
        return 0
    if piece in text:
        return len(piece)
    low, high = GRAM, len(piece) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if piece[:middle] in text:
            low = middle
        else:
            high = middle - 1
    return low


def _places(text: str) -> list[tuple[int, int, str]]:
    """Where each word of ``text`` stands in its squashed form."""
    found, start = [], 0
    for word in words_of(text):
        bare = word.replace("_", "")
        found.append((start, start + len(bare), bare))
        start += len(bare)
    return found


def _tells(taint: Taint, squashed: str, start: int, stop: int, places: list[tuple[int, int, str]]) -> bool:
    """Whether a piece says more than plain words do."""
    rest = "".join(
        squashed[max(begin, start) : min(end, stop)]
        for begin, end, word in places
        if begin < stop and end > start and not taint.is_plain_word(word)
    )
    digits = sum(letter.isdigit() for letter in rest)
    if digits >= DIGITS and len(rest) >= GRAM:
        return not _DATE.fullmatch(rest)
    return len(rest) - digits >= LETTERS


def _shown(text: str, start: int, stop: int) -> str:
    """The part of ``text`` whose squashed form is ``squash(text)[start:stop]``, as it is written there."""
    count, first, last = 0, 0, len(text)
    for place, letter in enumerate(text):
        size = int(letter.isalnum()) if letter.isascii() else len(squash(letter))
        if count <= start and size:
            first = place
        count += size
        if count >= stop:
            last = place + 1
            break
    return text[first:last].strip()


def _longest(found: list[Carried]) -> list[Carried]:
    """Without what is part of a longer find."""
    kept: list[Carried] = []
    for find in sorted(found, key=lambda one: (-len(one.piece), bool(one.how))):
        if not any(find.piece in other.piece for other in kept):
            kept.append(find)
    return kept
