"""Values for typed fields, found in the words of the task.

A small model copies words well but turns dates and invents numbers. A date, number or e-mail field is
therefore offered only values that the task names; if it names none, the field is none of the task's
business.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from webbrain.agent.constrained_words import MONTHS, VAGUE_DAYS, number_words

VALUES: Final = 30

PATTERNS: Final[Mapping[str, str]] = {
    "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "time": "^[0-9]{2}:[0-9]{2}$",
    "month": "^[0-9]{4}-[0-9]{2}$",
    "datetime-local": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$",
    "number": "^-?[0-9]{1,9}([.][0-9]{1,4})?$",
    "email": "^[A-Za-z0-9._%+-]{1,60}@[A-Za-z0-9.-]{1,60}$",
}
"""What a browser accepts in a field of that type."""

_MONTHS: Final = (
    "jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?", "aug(?:ust)?",
    "sep(?:t(?:ember)?)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?",
)  # fmt: skip
_MONTH: Final = "|".join(
    f"(?P<m{number}>{english}|{other})"
    for number, (english, other) in enumerate(zip(_MONTHS, MONTHS, strict=True), 1)
)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|er|º)?\.?\s+(?:of\s+|de\s+)?(?:{_MONTH})\.?,?"
    r"\s+(?:de\s+|del\s+)?(\d{4})\b",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(rf"\b(?:{_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.I)
_DOTTED = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_VAGUE_DATE = re.compile(
    r"\b\d{1,4}[/.]\d{1,2}[/.]?|\b(?:today|tomorrow|tonight|next|this|coming|days?|weeks?|months?|year"
    r"|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b"
    rf"|\b(?:{VAGUE_DAYS})\b|" + "|".join(rf"\b(?:{name})\b" for name in (*_MONTHS, *MONTHS)),
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.@-])-?\d+(?:\.\d+)?(?![\w@-]|\.\d)")
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
_NAME = re.compile(r"\b[^\W\d_a-zß-ÿ][\w'\u2019-]*(?:\s+[^\W\d_a-zß-ÿ][\w'\u2019-]*)+")
_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"]{3,400})[”“»\"]")
_SECRET = re.compile(r"(?<!\S)(?=\S*[^\W\d_])(?=\S*[\d_!#$%&*+=])[^\s,;“”\"]{6,60}")
_TIME = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")


def unused_names(task: str, used: Iterable[str], shown: Iterable[str]) -> list[str]:
    """Names of people (two words or more with capitals) in the task that were not entered yet.

    What is ``shown`` on the page (labels, options) is none. A name may have a word of the task before it
    ("Book Lena Brandt"), so one that holds what was entered counts as entered, and one that ends with the
    beginning of what is shown ("Pick Extra large") is none.
    """
    known, entered = [text.casefold() for text in shown], [text.casefold() for text in used if text]
    first = {text.split()[0] for text in known if text.strip()}
    return [
        name
        for name in _unique(match[0] for match in _NAME.finditer(task))
        if not any(name.casefold() in text for text in known)
        and name.casefold().split()[-1] not in first
        and not any(text in name.casefold() or name.casefold() in text for text in entered)
    ]


def unused_secret(task: str, used: Iterable[str]) -> bool:
    """The task names something like a password, letters with digits or marks, that was not entered yet."""
    entered = list(used)
    tokens = (match[0].rstrip(".,;:") for match in _SECRET.finditer(_EMAIL.sub(" ", task)))
    return any(token and not any(token in text for text in entered) for token in tokens)


def unused_quotes(task: str, used: Iterable[str], shown: Iterable[str]) -> list[str]:
    """Texts that the task quotes, and that were not entered yet; what the page shows is no text to enter."""
    known = {text.casefold() for text in shown}
    entered = [text.casefold() for text in used]
    return [
        text
        for text in _unique(match[1].strip() for match in _QUOTED.finditer(task))
        if text.casefold() not in known and not any(text.casefold() in other for other in entered)
    ]


def named(kind: str, task: str) -> list[str] | None:
    """The values of a kind of field that the task names, in its order; ``None`` if that cannot be said.

    An empty list means that the task says nothing of the kind.
    """
    if kind == "date":
        found = _dates(task)
        return found if found or not _VAGUE_DATE.search(_EMAIL.sub("", task)) else None
    if kind == "email":
        return _unique(match.rstrip(".") for match in _EMAIL.findall(task))
    if kind == "number":
        plain = _EMAIL.sub("", task)
        for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _DOTTED, _TIME):
            plain = pattern.sub(" ", plain)
        numbers = [match[0] for match in _NUMBER.finditer(plain)]
        numbers += [str(value) for value in number_words(plain)]
        return _unique(numbers)
    if kind == "time":
        return _unique(f"{int(hour):02}:{minute}" for hour, minute in _TIME.findall(task)) or None
    return None


def _dates(task: str) -> list[str]:
    found: list[tuple[int, str]] = []
    for match in _ISO.finditer(task):
        found += _date(match.start(), match[1], match[2], match[3])
    for match in _DOTTED.finditer(task):
        found += _date(match.start(), match[3], match[2], match[1])
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for match in pattern.finditer(task):
            month = next(number for number in range(1, 13) if match[f"m{number}"])
            numbers = [group for group in match.groups() if group and group.isdigit()]
            found += _date(match.start(), numbers[-1], str(month), numbers[0])
    return _unique(text for _, text in sorted(found))


def _date(place: int, year: str, month: str, day: str) -> list[tuple[int, str]]:
    try:
        return [(place, date(int(year), int(month), int(day)).isoformat())]
    except ValueError:
        return []


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))[:VALUES]
