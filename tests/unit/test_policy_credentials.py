"""Which fields count as credentials."""

from typing import Any

import pytest

from webbrain.core.results import ToolResult
from webbrain.policy.credentials import guard_result, names_secret, reason_for


@pytest.mark.parametrize(
    "text",
    [
        "Password",
        "userPassword",
        "password2",
        "new-password",
        "passwd",
        "pwd",
        "Your passphrase",
        "client_secret",
        "clientSecret",
        "access-token",
        "API key",
        "apiKey",
        "api_key",
        "apikey",
        "API keys",
        "private key",
        "Seed phrase (12 words)",
        "credentials",
        "OTP",
        "2FA code",
        "mfa",
        "Recovery code",
        "backup-codes",
        "PIN code",
    ],
)
def test_secret_names(text: str) -> None:
    assert names_secret(text)


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_other_names(text: str) -> None:
    assert not names_secret(text)


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
