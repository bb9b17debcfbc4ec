"""Which fields hold credentials, and what then must not be repeated.

The page's side masks such values before they leave the page; here the same table of words is applied once
more to what came over.
"""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from webbrain.core.results import ToolResult

MASK: Final = "••••••"
"""What people see in the place of a credential."""
_TABLE: Final[dict[str, Any]] = json.loads(
    files(__package__).joinpath("credential_words.json").read_text(encoding="utf-8")
)
HINT_CHARS: Final[int] = _TABLE["hintChars"]
"""How much of a name or label is looked at."""
SECRET_AUTOCOMPLETE: Final = frozenset(_TABLE["autocomplete"])
SECRET_WORDS: Final[tuple[str, ...]] = tuple(_TABLE["words"])
"""Words of a name, id, placeholder or label; a blank stands for blank, ``-``, ``_`` or nothing."""

_ANY_WORD: Final = "|".join(word.replace(" ", r"\s?") for word in SECRET_WORDS)
_WORD: Final = re.compile(rf"(?<![a-z0-9])(?:{_ANY_WORD})s?(?![a-z])")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")

HINTS: Final = ("name", "id", "ariaLabel", "placeholder", "labelText")
"""The fields of ``fieldMeta`` (docs/protocol.md) that are looked at for words."""


def names_secret(text: str) -> bool:
    """Whether a name or label, like ``userPassword`` or ``API-key``, is that of a credential."""
    words = _CAMEL.sub(" ", text[:HINT_CHARS]).lower()
    return bool(_WORD.search(re.sub(r"[\s_-]+", " ", words)))


def reason_for(meta: Mapping[str, Any]) -> str | None:
    """Why a field is a credential field (``type``, ``autocomplete`` or the hint's name), or ``None``."""
    if str(meta.get("type", "")).lower() == "password":
        return "type"
    if SECRET_AUTOCOMPLETE & set(str(meta.get("autocomplete", "")).lower().split()):
        return "autocomplete"
    return next((hint for hint in HINTS if names_secret(str(meta.get(hint) or ""))), None)


def guard_result(result: ToolResult) -> ToolResult:
    """Mark the result of typing into a credential field and take out what the field holds."""
    meta = result.data.get("fieldMeta")
    reason = reason_for(meta) if isinstance(meta, Mapping) else None
    if reason is None:
        return result
    if result.data.pop("actual", None) is not None:
        result.data["actualRedacted"] = True
    result.data |= {"sensitiveField": True, "sensitiveReason": reason}
    return result


STRICT_NOTE: Final = (
    "Never quote a password, code, key or token, neither in an answer nor in any argument but the one that "
    "fills its own field."
)
"""What results of a run in strict secret mode say when a credential was near."""
WITHHELD: Final = (
    "The answer held a password, code or key, and strict secret mode is on, so it is not shown. "
    "It can be read on the page itself."
)

_SAID: Final = re.compile(
    r"(?i:\b(?:pass ?(?:word|phrase|code)|pwd|pin|otp|2fa code|verification code|one[- ]time code"
    r"|api[- _]?key|secret|token|seed phrase|recovery code)s?\b[^\n]{0,24}?(?:\bis\b|\bwas\b|[:=]))"
    r"\s*[\"'`*“]{0,3}(?=[^\s\"'`*”]*[\dA-Z!#$%&+@^_~-])([^\s\"'`*”]{4,})|"
    r"(?i:\b(?:api[- _]?key|token))\s+[\"'`*“]{0,3}(?=[^\s\"'`*”]*\d)([^\s\"'`*”]{12,})"
)
"""A sentence that tells a credential: what it is, a colon, and something no dictionary has (the
group)."""
_SHAPED: Final = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[abpr]|AKIA|AIza|eyJ)[-_A-Za-z0-9.]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bBearer\s+[-_A-Za-z0-9.]{16,}"
)
"""Keys that are known by their look."""


def tells_secret(text: str) -> bool:
    """Whether a text quotes a credential, as far as its own words or the look of a key give it away."""
    return bool(_SAID.search(text) or _SHAPED.search(text))


def masked(text: str) -> str:
    """``text`` without the credentials that :func:`tells_secret` would find in it."""
    return _SHAPED.sub(MASK, _SAID.sub(_without_value, text))


def _without_value(found: re.Match[str]) -> str:
    place = 1 if found[1] is not None else 2
    return found[0][: found.start(place) - found.start()] + MASK


_VALUE: Final = re.compile(r"[^\s\"'`*”]+$")
"""What a told secret ends with: the secret itself."""
_KEY_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)


def without_told_secrets(text: str, mark: str) -> str:
    """``text`` with ``mark`` in the place of what :func:`tells_secret` would find in it."""
    text = _KEY_BLOCK.sub(mark, text)
    text = _SAID.sub(lambda found: _VALUE.sub(mark, found[0]), text)
    return _SHAPED.sub(mark, text)


def strict(result: ToolResult) -> ToolResult:
    """Mark the result of a run in strict secret mode that has to do with a credential."""
    if result.data.get("sensitiveField") or tells_secret(str(result.data)):
        if result.data.get("sensitiveField"):
            result.data["strictSecretMode"] = True
        result.notes.append(STRICT_NOTE)
    return result
