"""Which fields hold credentials, and what then must not be repeated.

The page's side masks such values before they leave the page; this is the same list of words, applied once
more to what came over. Both are pinned to each other by a test.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.results import ToolResult

MASK: Final = "••••••"
"""What people see in the place of a credential."""
HINT_CHARS: Final = 200
"""How much of a name or label is looked at."""

SECRET_AUTOCOMPLETE: Final = frozenset({"current-password", "new-password", "one-time-code"})

SECRET_WORDS: Final = (
    "pass word",
    "passwd",
    "pwd",
    "pass phrase",
    "secret",
    "client secret",
    "token",
    "access token",
    "refresh token",
    "api key",
    "private key",
    "seed phrase",
    "credential",
    "credentials",
    "otp",
    "totp",
    "2fa",
    "mfa",
    "recovery code",
    "backup code",
    "pin code",
)
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
