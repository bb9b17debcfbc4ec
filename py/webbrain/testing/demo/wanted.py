"""What a task asks for, read from plain words."""

import re
from dataclasses import dataclass

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
CAPITALS = r"[^\W\d_a-zà-ÿ][\w'-]*"
NAME = (
    re.compile(rf"\b[Nn]ame\s*:?\s+({CAPITALS}(?:\s+{CAPITALS})+)"),
    re.compile(rf"\bfor\s+({CAPITALS}(?:\s+{CAPITALS})+)"),
)
CITY = (
    re.compile(rf"\b[Cc]ity\s*:?\s+({CAPITALS}(?:\s+{CAPITALS})*)"),
    re.compile(rf"\b(?:to|in)\s+({CAPITALS}(?:\s+{CAPITALS})*)"),
)
QUANTITY = re.compile(r"\b(?:order|buy|need|get)\s+(\d+)\b", re.IGNORECASE)
ORDERING = re.compile(r"\b(order|buy|need|purchase)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Field to value, and the task's own words for finding the product's link."""

    text: str
    values: dict[str, str]
    newsletter: bool


def wanted(text: str) -> Wanted | None:
    """Return what to order, or ``None`` if the text asks for something else."""
    if not ORDERING.search(text):
        return None
    found = {
        "email": _first((EMAIL,), text, group=0),
        "date": _first((DATE,), text, group=0),
        "name": _first(NAME, text),
        "city": _first(CITY, text),
        "quantity": _first((QUANTITY,), text) or "1",
    }
    missing = [key for key, value in found.items() if not value]
    if missing:
        return None
    news = re.search(r"newsletter", text, re.IGNORECASE)
    refused = re.search(r"\b(no|not|without)\b[^.]*newsletter", text, re.IGNORECASE)
    return Wanted(text, found, newsletter=bool(news) and not refused)


def _first(patterns: tuple[re.Pattern[str], ...], text: str, group: int = 1) -> str:
    for pattern in patterns:
        if match := pattern.search(text):
            return match[group]
    return ""
