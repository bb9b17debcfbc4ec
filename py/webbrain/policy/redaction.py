"""Known secrets taken out of what is shown, stored or logged, in every spelling that comes about by itself.

The longest spelling goes first, so that no rest of a longer one is left behind. What is taken out are keys of
services and passwords the agent was seen to enter (``Taint.note_secret``); what only looks like a secret is
another matter (``policy.credentials``).
"""

import base64
import html
import json
import re
from collections.abc import Callable, Collection
from typing import Any, Final
from urllib.parse import quote, quote_plus

from webbrain.policy.credentials import without_told_secrets
from webbrain.policy.taint import SHORTEST_SECRET, Secret, Taint

REDACTED: Final = "[redacted]"
SHORTEST: Final = 8
"""Shorter secrets are words as well; taking those out would garble ordinary texts."""


class Redactor:
    """Takes the secrets that a conversation knows out of texts and JSON."""

    def __init__(self, taint: Taint) -> None:
        self._taint = taint
        self._known = -1
        self._pattern: re.Pattern[str] | None = None

    def text(self, text: str) -> str:
        """``text`` without any secret."""
        pattern = self._current()
        return pattern.sub(REDACTED, text) if pattern and text else text

    def value(self, value: Any) -> Any:
        """The same for every text in a JSON value, keys included. The value itself stays as it is."""
        if self._current() is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def _current(self) -> re.Pattern[str] | None:
        secrets = [secret.text for secret in self._taint.secrets]
        if len(secrets) != self._known:
            self._known = len(secrets)
            self._pattern = pattern_of(secrets)
        return self._pattern


class StrictRedactor:
    """For records that leave the conversation: takes out known secrets, down to the shortest that is
    remembered, and what only looks like one.

    ``secrets`` is asked each time, so that one learned late is taken out of everything looked at afterwards.
    """

    def __init__(self, secrets: Callable[[], Collection[Secret]]) -> None:
        self._secrets = secrets
        self._pattern: re.Pattern[str] | None = None
        self.known = 0
        """How many secrets the last look knew of."""

    def text(self, text: str) -> str:
        """``text`` without secrets."""
        self._look()
        return self._clean(text)

    def value(self, value: Any) -> Any:
        """The same for every text in a JSON value, keys included."""
        self._look()
        return self._value(value)

    def _look(self) -> None:
        secrets = self._secrets()
        if len(secrets) != self.known:
            self.known = len(secrets)
            self._pattern = pattern_of([secret.text for secret in secrets], shortest=SHORTEST_SECRET)

    def _clean(self, text: str) -> str:
        return without_told_secrets(self._pattern.sub(REDACTED, text) if self._pattern else text, REDACTED)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._clean(value)
        if isinstance(value, dict):
            return {self._clean(key): self._value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item) for item in value]
        return value


def pattern_of(secrets: list[str], *, shortest: int = SHORTEST) -> re.Pattern[str] | None:
    """What matches every spelling of every secret, the longest first; ``None`` if there is none. Secrets
    below ``SHORTEST`` have only the spelling they were entered in."""
    found = {form for secret in secrets if len(secret) >= SHORTEST for form in spellings(secret)}
    found |= {secret for secret in secrets if shortest <= len(secret) < SHORTEST}
    if not found:
        return None
    longest_first = sorted(found, key=lambda form: (-len(form), form))
    return re.compile("|".join(re.escape(form) for form in longest_first), re.IGNORECASE)


def spellings(secret: str) -> set[str]:
    """How a secret may be written: plain, escaped for JSON, HTML and addresses, hexadecimal, base64.

    In base64 three spellings do not depend on what stands around the secret, one for each place it may begin
    at; of each the letters that are the same for every neighbour are taken.
    """
    body = secret.encode()
    forms = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        html.escape(secret),
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        quote(quote(secret, safe=""), safe=""),
        "".join(f"%{byte:02x}" for byte in body),
        body.hex(),
        body.hex(" "),
        body.hex(":"),
        secret[::-1],
    }
    for shift in range(3):
        padded = base64.b64encode(b"\0" * shift + body).decode()
        begin = (shift * 8 + 5) // 6
        end = (shift + len(body)) * 8 // 6
        inner = padded[begin:end]
        forms |= {inner, inner.replace("+", "-").replace("/", "_")}
    return {form for form in forms if len(form) >= SHORTEST}
