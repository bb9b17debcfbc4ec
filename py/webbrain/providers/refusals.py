"""What a refusal says, read out of its body: its words, the field it complains about, pictures."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import quote

from webbrain.core.errors import ProviderFailed

_SECRET = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf|nvapi|fw|AIza)[-_]?[A-Za-z0-9_-]{16,}|\bBearer\s+[\w.~+/=-]{8,}", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"unsupported|not supported|does not support|doesn't support|unknown|unrecognized|unrecognised|deprecated"
    r"|not permitted|not allowed|only the default|unexpected|cannot be used",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]{0,2000}>", re.IGNORECASE | re.DOTALL)
_NO_THINKING = re.compile(
    r"enable_thinking.{0,80}?false|enable thinking can ?not be support",
    re.IGNORECASE,
)
_SCHEMA = re.compile(
    r"response[_ ]?format|json[_ ]?schema|structured[_ ]?output|guided[_ ]?(?:json|decoding)|\bgrammars?\b"
    r"|text\.format|json_validate_failed",
    re.IGNORECASE,
)
SCHEMA_FIELDS: Final = frozenset({"response_format", "text"})
"""The fields that carry the schema of an answer; see held.py."""
_PICTURES = re.compile(
    r"image|vision|multi-?modal|picture|mmproj|input_modalit|media type"
    r"|content\b.{0,80}(?:must be|expected|should be|is not|not) an? ?(?:valid )?string|expected `?text",
    re.IGNORECASE | re.DOTALL,
)
_PICTURE_SIZE = re.compile(
    r"exceed|too (?:large|big|many)|maximum|resolution|dimension|megapixel", re.IGNORECASE
)
OPTIONAL_FIELDS: Final = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "stream_options",
    "tool_choice",
    "tool_stream",
    "include",
    "reasoning",
    "reasoning_effort",
    "thinking",
    "output_config",
    "enable_thinking",
    "chat_template_kwargs",
    "cache_prompt",
)
"""Fields a model may refuse; the call is then repeated once without them (or under their other name)."""

DEMANDS: Final[Mapping[str, Any]] = {"enable_thinking": False}
"""Fields that a service may insist on, with the value."""


def redact(text: str, key: str = "") -> str:
    """Black out the key in use, plain or URL-encoded, and whatever else looks like one."""
    for secret in {key, quote(key, safe="")} - {""}:
        if len(secret) >= 4:
            text = text.replace(secret, "•••")
    return _SECRET.sub("•••", text)


def words_of_page(body: str) -> str:
    """What a web page says, without its markup: proxies and sign-in pages explain themselves in words."""
    return _MARKUP.sub(" ", body)


def is_html(content_type: str, body: str) -> bool:
    """True for a web page where data was expected: a proxy, a login page or the wrong address."""
    return "text/html" in content_type.lower() or body.lstrip()[:1] == "<"


def refused_parameter(status: int, body: str, sent: Collection[str]) -> str:
    """The optional field a 400 or 422 complains about, if we sent it; else an empty string."""
    if status not in (400, 422):
        return ""
    error = error_object(body)
    # The field itself for a part of it (reasoning.effort, include[0]).
    named = re.split(r"[.\[]", str(error.get("param") or ""))[0]
    code = str(error.get("code") or "")
    text = f"{message_of(body)} {code}"
    if (
        named in sent
        and named in OPTIONAL_FIELDS
        and (code.startswith("unsupported") or _REFUSAL.search(text))
    ):
        return named
    if not _REFUSAL.search(text):
        return ""
    found = [
        (match.start(), f) for f in OPTIONAL_FIELDS if f in sent and (match := re.search(rf"\b{f}\b", text))
    ]
    return min(found)[1] if found else ""


def refuses_schema(status: int, body: str, sent: Collection[str]) -> bool:
    """Whether a service complains about the schema that the answer is to fit, if we sent one.

    Some cannot do it with this model, some not with this schema; either way the rest of the request is fine.
    """
    if status not in (400, 404, 422, 500, 501) or not SCHEMA_FIELDS & set(sent):
        return False
    named = str(error_object(body).get("param") or "")
    return bool(_SCHEMA.search(f"{named} {searchable(body)}"))


def fields_of(body: bytes) -> frozenset[str]:
    """Names of the fields of a request that a service may complain about."""
    sent = json.loads(body)
    inner = sent.get("inferenceConfig")
    return frozenset(sent) | frozenset(inner if isinstance(inner, dict) else ())


def demanded(failure: ProviderFailed) -> Mapping[str, Any]:
    """Fields a service says must have a certain value, if we know them. Source: DashScope, whose thinking
    models refuse whole answers while they think."""
    words = str(failure.data.get("detail", ""))
    return DEMANDS if failure.status == 400 and _NO_THINKING.search(words) else {}


def may_mean_pictures(failure: ProviderFailed) -> bool:
    """Whether leaving the pictures out is worth one try: the service says so, or refuses without a reason we
    know."""
    if failure.status in (400, 415, 422) and failure.code == "request_refused":
        return True
    words = str(failure.data.get("detail", ""))
    return failure.status in (400, 404, 413, 415, 422, 500, 501) and bool(_PICTURES.search(words))


def means_this_picture(failure: ProviderFailed) -> bool:
    """True if the service refuses this picture (its size), not pictures as such."""
    return bool(_PICTURE_SIZE.search(str(failure.data.get("detail", ""))))


def searchable(body: str) -> str:
    """The words in which a service may say what is wrong: message, code and type."""
    error = error_object(body)
    return f"{message_of(body)} {error.get('code') or ''} {error.get('type') or ''}"


def error_object(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]
    if not isinstance(value, dict):
        return {}
    error = value.get("error")
    return error if isinstance(error, dict) else value


def message_of(body: str) -> str:
    """The service's own sentence, wherever it put it; the body itself if it is not JSON."""
    error = error_object(body)
    for key in ("message", "error", "detail", "msg"):
        value = error.get(key)
        if isinstance(value, str) and value:
            extra = error.get("metadata")
            return f"{value} {json.dumps(extra)}" if isinstance(extra, dict) else value
        if isinstance(value, list | dict) and value:
            return json.dumps(value)
    return body


def header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")
