"""Which fields count as credentials."""

import re
from pathlib import Path
from typing import Any

import pytest

from webbrain.core.results import ToolResult
from webbrain.policy.credentials import SECRET_WORDS, guard_result, names_secret, reason_for

SECRETS = (
    "Password",
    "userPassword",
    "password2",
    "new-password",
    "passwd",
    "pwd",
    "Pass word",
    "Your passphrase",
    "client_secret",
    "clientSecret",
    "access-token",
    "auth_token",
    "API key",
    "apiKey",
    "api_key",
    "apikey",
    "API keys",
    "private key",
    "Seed phrase (12 words)",
    "credentials",
    "OTP",
    "totp",
    "2FA code",
    "mfa",
    "Recovery code",
    "backup-codes",
    "PIN code",
)
OTHERS = (
    "",
    "Name",
    "Secretary",
    "Tokenize",
    "Postal code",
    "Spinning",
    "pin",
    "keyboard",
    "otpimal",
    "Code",
    "apiary",
)


@pytest.mark.parametrize("text", SECRETS)
def test_secret_names(text: str) -> None:
    assert names_secret(text)


@pytest.mark.parametrize("text", OTHERS)
def test_other_names(text: str) -> None:
    assert not names_secret(text)


def test_the_page_s_side_knows_the_same_words() -> None:
    """The content script has the same rule as one regular expression; both judge every sample alike."""
    source = (Path(__file__).parents[2] / "js/content/credentials.js").read_text(encoding="utf-8")
    pattern = re.search(r"const WORDS =\s*/(.*)/i;", source)
    assert pattern
    words = re.compile(pattern[1], re.IGNORECASE)
    camel = re.compile("([a-z])([A-Z])")
    spelled = [word.replace(" ", blank) for word in SECRET_WORDS for blank in ("", " ", "-", "_")]
    for text in [*SECRETS, *OTHERS, *spelled, *(f"user_{word}" for word in spelled)]:
        assert bool(words.search(camel.sub(r"\1 \2", text))) is names_secret(text), text


def test_only_the_beginning_of_a_label_counts() -> None:
    assert not names_secret("x " * 200 + "password")


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        ({"type": "password"}, "type"),
        ({"type": "PASSWORD"}, "type"),
        ({"type": "text", "autocomplete": "section-a one-time-code"}, "autocomplete"),
        ({"type": "text", "autocomplete": "current-password"}, "autocomplete"),
        ({"type": "text", "name": "otp"}, "name"),
        ({"id": "api-key"}, "id"),
        ({"ariaLabel": "Recovery code"}, "ariaLabel"),
        ({"placeholder": "Token"}, "placeholder"),
        ({"labelText": "Passphrase"}, "labelText"),
        ({"type": "text", "name": "city", "autocomplete": "off", "labelText": None}, None),
    ],
)
def test_reasons(meta: dict[str, Any], reason: str | None) -> None:
    assert reason_for(meta) == reason


def test_other_results_are_left_alone() -> None:
    result = ToolResult.ok(actual="Bern", fieldMeta={"type": "text", "name": "city"})
    assert guard_result(result).data["actual"] == "Bern"
    assert "sensitiveField" not in guard_result(ToolResult.ok(actual="x", fieldMeta="password")).data
