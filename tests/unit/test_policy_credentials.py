"""Which fields count as credentials."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from webbrain.core.results import ToolResult
from webbrain.policy.credentials import (
    SECRET_WORDS,
    STRICT_NOTE,
    guard_result,
    names_secret,
    reason_for,
    strict,
    tells_secret,
)

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


def test_the_page_s_side_reads_the_same_table() -> None:
    """Python and the content script judge every sample alike; here by running the script's own function."""
    spelled = [word.replace(" ", blank) for word in SECRET_WORDS for blank in ("", " ", "-", "_")]
    texts = [*SECRETS, *OTHERS, *spelled, *(f"user_{word}" for word in spelled), "x " * 200 + "password"]
    source = Path(__file__).parents[2] / "js/content/credentialwords.js"
    code = (
        f"import {{ secretWord }} from {json.dumps(source.as_uri())};"
        f"console.log(JSON.stringify({json.dumps(texts)}.map((text) => secretWord(text) !== null)))"
    )
    run = subprocess.run(
        ["node", "--no-warnings", "--input-type=module", "-e", code],
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(run.stdout) == [names_secret(text) for text in texts]


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


@pytest.mark.parametrize(
    "text",
    [
        "Your password is Tulip-77",
        "Password: hunter2",
        "The one-time code is 482913.",
        "API key = AKIAIOSFODNN7EXAMPLE1234",
        "I used the token `ghp_abcdefghijklmnop1234`",
        "-----BEGIN RSA PRIVATE KEY-----",
        "Authorization: Bearer abcdefghijklmnopqrstuvwx",
        "PIN: 7391",
    ],
)
def test_texts_that_quote_a_credential(text: str) -> None:
    assert tells_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "I signed in with the password you gave me.",
        "The password is wrong, the page says.",
        "Your password was changed.",
        "Tea costs 4.20 francs; the order number is 48213.",
        "The page asks for a one-time code. Please enter it.",
        "Secret: nobody knows",
    ],
)
def test_texts_that_only_speak_of_one(text: str) -> None:
    assert not tells_secret(text)


def test_strict_mode_marks_what_has_to_do_with_a_credential() -> None:
    typed = strict(guard_result(ToolResult.ok(actual="x1", fieldMeta={"type": "password"})))
    assert typed.data["strictSecretMode"] is True
    assert typed.notes == [STRICT_NOTE]
    assert strict(ToolResult.ok(text="Your PIN: 7391")).notes == [STRICT_NOTE]
    assert strict(ToolResult.ok(text="Tea, 4 francs")).notes == []
