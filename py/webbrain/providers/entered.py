"""What the user entered for a service, checked field by field before anything is stored."""

import fnmatch
import re
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from webbrain.providers.catalog import CatalogEntry, Parameter
from webbrain.providers.config import (
    CONTEXT_MAX,
    CONTEXT_MIN,
    PRICE_MAX,
    ModelFacts,
    ProviderConfig,
    host_of,
    invalid,
    is_local_host,
)
from webbrain.providers.extra_body import parse_extra
from webbrain.providers.reasoning import EFFORTS

URL_CHARS: Final = 2_000
TEXT_CHARS: Final = 400
SECRET_CHARS: Final = 4_000

_PATHS = ("/chat/completions", "/completions", "/responses", "/v1/messages", "/models")
_DEPLOYMENT = re.compile(r"/openai(?:/deployments/.*)?$")
PRICES: Final = ("priceInput", "priceOutput", "priceCached")
_PRICE = re.compile(r"\d{1,6}(?:[.,]\d{1,6})?|[.,]\d{1,6}")
_KEY_PREFIX = re.compile(r"^(?:authorization:\s*)?bearer\s+", re.IGNORECASE)


def clean_url(raw: str, entry: CatalogEntry) -> str:
    """Bring an address into the form we store; raise ``invalid_field`` for what cannot be one.

    A missing scheme is added (http for local names, else https), a pasted interface path is taken off.
    """
    text = raw.strip()
    if not text:
        return entry.base_url
    if len(text) > URL_CHARS or any(char.isspace() for char in text):
        raise invalid("baseUrl", "An address has no spaces or line breaks.")
    if "://" not in text:
        host = text.split("/", 1)[0]
        text = ("http://" if is_local_host(host_of("//" + host)) else "https://") + text
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise invalid("baseUrl", "This is not a web address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise invalid("baseUrl", "The address must begin with http:// or https:// and name a host.")
    if parts.username or parts.password:
        raise invalid("baseUrl", "Put the key into its own field, not into the address.")
    path = parts.path.rstrip("/")
    for tail in _PATHS:
        path = path.removesuffix(tail).rstrip("/")
    if entry.wire == "azure":
        path = _DEPLOYMENT.sub("", path)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    url = f"{parts.scheme}://{host}" + (f":{port}" if port else "") + path
    if entry.versioned and not path and entry.base_url.endswith("/v1") and entry.category == "local":
        url += "/v1"
    return url


def clean_key(raw: str) -> str:
    """Take off what people paste along; raise ``invalid_field`` for white space inside a key."""
    key = _KEY_PREFIX.sub("", raw.strip()).strip().strip("\"'")
    if any(char.isspace() for char in key):
        raise invalid("apiKey", "A key has no spaces or line breaks. Copy it again.")
    if not key.isascii() or not key.isprintable():
        raise invalid("apiKey", "The key contains characters that no key has. Copy it again.")
    return key


def merge(entry: CatalogEntry, stored: dict[str, Any], entered: dict[str, Any]) -> ProviderConfig:
    """Lay the form's values over the stored ones and check them. An empty secret keeps the stored one,
    ``None`` removes it.

    Raises ``NeedsPerson(code="invalid_field")`` with the field's name in ``data``; nothing is saved half.
    """
    values = {**stored, **{key: value for key, value in entered.items() if key != "apiKey"}}
    base_url = clean_url(str(values.get("baseUrl") or ""), entry)
    # The usual address is not written down, so that a later catalogue may correct it.
    values["baseUrl"] = "" if base_url == entry.base_url else base_url
    typed_key = clean_key(str(entered.get("apiKey") or ""))
    cleared = {key for key, value in entered.items() if value is None}
    values["apiKey"] = typed_key or ("" if "apiKey" in cleared else str(stored.get("apiKey") or ""))
    for parameter in entry.parameters:
        # A secret that belonged to the key before (a session token) does not go with a new one.
        gone = parameter.secret and (typed_key or parameter.key in cleared)
        kept = "" if gone else str(stored.get(parameter.key) or "")
        values[parameter.key] = _parameter(parameter, entered.get(parameter.key), kept)
    for name in ("model", "label"):
        values[name] = _one_line(name, values.get(name))
    values["modelFacts"] = _facts(values.get("modelFacts"))
    if any(values[name] != (stored.get(name) or "") for name in ("model", "baseUrl")):
        values["modelFacts"] = None
    values["contextWindow"] = _number(values.get("contextWindow"))
    for name in PRICES:
        values[name] = _price(name, values.get(name))
    _refuse_half_prices(values)
    if values.get("supportsAskStreaming") is not None:
        values["supportsAskStreaming"] = values["supportsAskStreaming"] not in (
            False,
            "off",
            "false",
            "0",
            "",
        )
    try:
        parse_extra(str(values.get("extraBody") or ""))
    except ValueError as problem:
        raise invalid("extraBody", str(problem)) from None
    values["extraBody"] = str(values.get("extraBody") or "").strip()
    for name, allowed in _CHOICES.items():
        if not values.get(name):
            values[name] = "auto"
        elif values[name] not in allowed:
            raise invalid(name, f"Choose one of: {', '.join(allowed)}.")
    _refuse_unusable(entry, values)
    return ProviderConfig.model_validate(values)


_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "promptTier": ("auto", "compact", "mid", "full"),
    "visionMode": ("auto", "on", "off"),
    "constrained": ("auto", "on", "off"),
    "apiFormat": ("auto", "chat", "responses"),
    "reasoningEffort": EFFORTS,
    "systemPromptRole": ("auto", "system", "developer"),
    "maxTokensField": ("auto", "max_tokens", "max_completion_tokens"),
}


def _facts(stored: Any) -> ModelFacts | None:
    """What was stored of the chosen model; nothing if it is damaged."""
    try:
        return ModelFacts.model_validate(stored)
    except ValidationError:
        return None


def _one_line(field: str, raw: Any) -> str:
    text = str(raw or "").strip()
    if len(text) > TEXT_CHARS or any(char in text for char in "\r\n\t"):
        raise invalid(field, "One short line, please.")
    return text


def _number(raw: Any) -> int | None:
    if raw is None or raw == "":
        return None
    try:
        value = int(str(raw).replace(" ", "").replace(",", "").replace("_", ""))
    except ValueError:
        raise invalid("contextWindow", "Enter a number of tokens.") from None
    if not CONTEXT_MIN <= value <= CONTEXT_MAX:
        raise invalid("contextWindow", f"Between {CONTEXT_MIN} and {CONTEXT_MAX} tokens.")
    return value


def _price(field: str, raw: Any) -> float | None:
    """Dollars as people write them: ``2.5``, ``2,5``, ``$2.50``."""
    text = "" if raw is None else str(raw).strip().removeprefix("$").strip()
    if not text:
        return None
    if not _PRICE.fullmatch(text):
        raise invalid(field, "Enter dollars per million tokens, such as 2.5.")
    value = float(text.replace(",", "."))
    if value > PRICE_MAX:
        raise invalid(field, f"At most {PRICE_MAX:,.0f} dollars per million tokens.")
    return value


def _refuse_half_prices(values: dict[str, Any]) -> None:
    paid_in, paid_out, cached = (values[name] for name in PRICES)
    if paid_in is None and (paid_out is not None or cached is not None):
        raise invalid(PRICES[0], "Enter this price too.")
    if paid_out is None and paid_in is not None:
        raise invalid(PRICES[1], "Enter this price too.")
    if cached is not None and cached > paid_in:
        raise invalid(PRICES[2], "Cached tokens never cost more than others.")


def _refuse_unusable(entry: CatalogEntry, values: dict[str, Any]) -> None:
    model = values["model"].lower()
    if any(fnmatch.fnmatchcase(model, pattern) for pattern in entry.unsupported_models):
        raise invalid(
            "model",
            f"{values['model']} cannot be given tools, so it cannot work in a browser. "
            f"Choose another model, for example {entry.default_model}.",
        )
    if values["constrained"] == "off" and entry.constrained == "always":
        raise invalid("constrained", f"{entry.label} takes no tools, so its calls are always constrained.")
    if values["constrained"] == "on" and not entry.structured:
        raise invalid("constrained", f"{entry.label} cannot hold answers to a schema.")


def _parameter(parameter: Parameter, entered: Any, kept: str) -> str:
    """A value of the service's own; an empty secret keeps the one there is."""
    raw = str(entered or "").strip() if entered is not None or parameter.secret else kept
    if parameter.secret:
        raw = raw or kept
        if len(raw) > SECRET_CHARS or any(char.isspace() for char in raw) or not raw.isascii():
            raise invalid(parameter.key, "This has no spaces or line breaks. Copy it again.")
        return raw
    if len(raw) > TEXT_CHARS or (raw and not re.fullmatch(parameter.pattern, raw)):
        raise invalid(parameter.key, parameter.help or f"This cannot be right for: {parameter.label}.")
    return raw
