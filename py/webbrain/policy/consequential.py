"""What counts as consequential: the one place that decides it (docs/security-model.md).

Consequential is what takes effect outside this browser's page, or cannot be taken back: it is asked about
every time, with the exact values. Everything else that changes a page needs the ordinary grant, once per
host and task. What only reads the open page needs nothing.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Any, Final

from webbrain.core.types import Capability
from webbrain.policy.egress import is_write
from webbrain.tools.base import ToolSpec

NAME_CHARS: Final = 200
"""How much of a control's name is looked at."""

_TABLE: Final[dict[str, Any]] = json.loads(
    files(__package__).joinpath("commit_words.json").read_text(encoding="utf-8")
)
COMMITS_FIRST: Final = tuple(word for words in _TABLE["first"].values() for word in words)
"""Verbs, and phrases that stand for one, with which the name of a control begins that commits something. A
blank stands for a blank, ``-`` or nothing. ``js/content/commits.js`` reads the same table."""
COMMITS_LAST: Final[tuple[str, ...]] = tuple(_TABLE["last"])
"""Verbs that stand first or last: German says "Nachricht senden"."""
LAST_WORDS: Final = 5
"""A name with more words than this is a sentence; its last word is no command."""

_FIRST: Final = re.compile(
    "(?:" + "|".join(verb.replace(" ", r"[\s-]?") for verb in (*COMMITS_FIRST, *COMMITS_LAST)) + r")(?![\w-])"
)
_LAST: Final = re.compile(r"[\s-](?:" + "|".join(COMMITS_LAST) + ")$")
_OFFER: Final = re.compile(
    r"save\s+(?:up\s+to\s+)?[\d$€£]"
    r"|accept\b.*\bcookies?\b|accept\s+(?:all|necessary|essential|only)\b|share\s+(?:price|capital|index)"
)
"""Advertising, banners about cookies, and nouns: no command."""
_LEADING: Final = re.compile(r"^[^\w]+")
_TRAILING: Final = re.compile(r"[^\w]+$")

FRESH_CAPABILITIES: Final = frozenset(
    {Capability.DOWNLOAD, Capability.UPLOAD, Capability.SCHEDULE, Capability.EXECUTE_JS}
)
"""What is asked about every time it is used, unless a host was allowed it for good."""
STANDING: Final = frozenset(
    {
        Capability.NAVIGATE,
        Capability.CLICK,
        Capability.TYPE,
        Capability.NETWORK,
        Capability.DOWNLOAD,
        Capability.UPLOAD,
        Capability.DEV_PATCH,
    }
)
"""What a host can be allowed or denied for good."""
HARMLESS_KEYS: Final = frozenset({"Tab", "Escape"})
OWN_TABS: Final = frozenset({"close_tab"})
"""Tools that reach nothing but tabs this run opened itself."""


class Weight(StrEnum):
    """What a call needs before it is made."""

    FREE = "free"
    """Nothing: it reads, or is the agent's own business."""
    GRANT = "grant"
    """The ordinary grant for a host."""
    FRESH = "fresh"
    """A question of its own, every time: it is consequential."""


def weigh(spec: ToolSpec, args: Mapping[str, Any], *, submits: bool = False, carries: bool = False) -> Weight:
    """What a call needs. ``submits``: the page says that it sends a form, or the pressed control's name
    :func:`commits`. ``carries``: it takes text of another origin, or a secret, to where it goes.
    """
    if submits or carries:
        return Weight.FRESH
    if spec.capability is Capability.NONE or spec.name in OWN_TABS:
        return Weight.FREE
    if spec.name == "press_keys" and args.get("key") in HARMLESS_KEYS:
        return Weight.FREE
    if spec.name == "answer_dialog" and not args.get("accept"):
        return Weight.FREE
    if spec.capability is Capability.NETWORK and is_write(str(args.get("method") or "GET")):
        return Weight.FRESH
    return Weight.FRESH if spec.capability in FRESH_CAPABILITIES else Weight.GRANT


def commits(name: str) -> bool:
    """Whether a control so named commits something: "Place order", "Sign-up", "Nachricht senden"; not "View
    my posts", "Add-ons" or "Address".
    """
    words = unicodedata.normalize("NFKC", name[:NAME_CHARS]).lower()
    words = "".join(letter for letter in words if unicodedata.category(letter) != "Cf")
    words = _TRAILING.sub("", _LEADING.sub("", " ".join(words.split())))
    if _FIRST.match(words):
        return not _OFFER.match(words)
    return len(words.split()) <= LAST_WORDS and bool(_LAST.search(words))
