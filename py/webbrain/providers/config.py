"""What the user entered for a service, checked, and the endpoint it amounts to.

Stored under the key ``providers`` of ``storage.local`` as ``{id: config}``, with the field names below.
"""

import fnmatch
import ipaddress
import re
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from webbrain.core.errors import NeedsPerson
from webbrain.core.types import Tier
from webbrain.providers.base import ModelInfo
from webbrain.providers.catalog import Catalog, CatalogEntry

LOCAL_CONTEXT: Final = 16_384
REMOTE_CONTEXT: Final = 128_000
CONTEXT_MIN: Final = 1_024
CONTEXT_MAX: Final = 10_000_000
URL_CHARS: Final = 2_000
TEXT_CHARS: Final = 400
LOCAL_HEADERS_TIMEOUT: Final = 300.0

OnOff = Literal["auto", "on", "off"]

_PATHS = ("/chat/completions", "/completions", "/responses", "/v1/messages", "/models")
_VERSION = re.compile(r"/v\d+(?:beta\d*)?$")
_KEY_PREFIX = re.compile(r"^(?:authorization:\s*)?bearer\s+", re.IGNORECASE)


class ProviderConfig(BaseModel):
    """One stored configuration. Fields this version does not know are kept as they are."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, populate_by_name=True)

    base_url: str = ""
    api_key: str = Field(default="", repr=False)
    model: str = ""
    label: str = ""
    prompt_tier: Literal["auto", "compact", "mid", "full"] = "auto"
    context_window: int | None = Field(default=None, ge=CONTEXT_MIN, le=CONTEXT_MAX)
    vision_mode: OnOff = "auto"
    constrained: OnOff = "auto"
    supports_ask_streaming: bool = True
    configured: bool = False

    def stored(self) -> dict[str, Any]:
        """The JSON kept in the browser's storage."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


@dataclass(frozen=True, slots=True)
class Live:
    """What a running server said about the model it has loaded; ``None`` where it said nothing."""

    model: str | None = None
    context_window: int | None = None
    vision: bool | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Everything needed to call one model."""

    entry: CatalogEntry
    base_url: str
    api_key: str = field(repr=False)
    info: ModelInfo
    headers_timeout: float

    @property
    def root(self) -> str:
        """The address without its version path, where servers keep their native interfaces."""
        return _VERSION.sub("", self.base_url)

    def url(self, path: str) -> str:
        """The address of ``path`` (such as ``/chat/completions``) below the version path."""
        if self.entry.versioned or _VERSION.search(self.base_url):
            return self.base_url + path
        return f"{self.base_url}/v1{path}"

    def headers(self) -> dict[str, str]:
        """Headers every request to this service carries, the key included."""
        out = {"Content-Type": "application/json", **self.entry.headers}
        if self.api_key and self.entry.auth == "bearer":
            out["Authorization"] = f"Bearer {self.api_key}"
        elif self.api_key and self.entry.auth == "x-api-key":
            out["x-api-key"] = self.api_key
        return out

    def with_base_url(self, base_url: str) -> "Endpoint":
        """The same model at another address."""
        return replace(self, base_url=base_url)


def invalid(field: str, message: str) -> NeedsPerson:
    """An error the settings form shows at one field."""
    return NeedsPerson(message, code="invalid_field", data={"field": field})


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
        text = ("http://" if is_local_host(_host_of("//" + host)) else "https://") + text
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
    """Lay the form's values over the stored ones and check them. An empty secret keeps the stored one.

    Raises ``NeedsPerson(code="invalid_field")`` with the field's name in ``data``; nothing is saved half.
    """
    values = {**stored, **{key: value for key, value in entered.items() if key != "apiKey"}}
    base_url = clean_url(str(values.get("baseUrl") or ""), entry)
    # The usual address is not written down, so that a later catalogue may correct it.
    values["baseUrl"] = "" if base_url == entry.base_url else base_url
    typed_key = clean_key(str(entered.get("apiKey") or ""))
    values["apiKey"] = typed_key or str(stored.get("apiKey") or "")
    for name in ("model", "label"):
        values[name] = _one_line(name, values.get(name))
    values["contextWindow"] = _number(values.get("contextWindow"))
    if "supportsAskStreaming" in values:
        values["supportsAskStreaming"] = values["supportsAskStreaming"] not in (
            False,
            "off",
            "false",
            "0",
            "",
        )
    for name, allowed in _CHOICES.items():
        if not values.get(name):
            values[name] = "auto"
        elif values[name] not in allowed:
            raise invalid(name, f"Choose one of: {', '.join(allowed)}.")
    _refuse_unusable(entry, values)
    return ProviderConfig.model_validate(values)


def missing(entry: CatalogEntry, config: ProviderConfig) -> NeedsPerson | None:
    """What still has to be filled in before this service can be used."""
    if not (config.base_url or entry.base_url):
        return invalid("baseUrl", "Enter the address of the server.")
    if entry.key == "required" and not config.api_key:
        return invalid("apiKey", f"{entry.label} needs an API key.")
    if entry.requires_model and not (config.model or entry.default_model):
        return invalid("model", "Choose a model.")
    return None


def resolve(
    catalog: Catalog, entry: CatalogEntry, config: ProviderConfig, live: Live | None = None
) -> Endpoint:
    """Turn a configuration into an endpoint: tier, context window, eyes and streaming by the rules of the
    docs."""
    live = live or Live()
    base_url = config.base_url or entry.base_url
    model = config.model or entry.default_model
    local = entry.category == "local" or (entry.category == "custom" and is_local_address(base_url))
    constrained = _constrained(entry, config)
    info = ModelInfo(
        provider_id=entry.id,
        label=config.label or entry.label,
        model=model,
        tier=Tier.COMPACT if constrained else _tier(entry, config, local=local),
        context_window=_context(catalog, entry, config, live, model or live.model or "", local=local),
        supports_vision=_vision(catalog, entry, config, live, model or live.model or ""),
        streams_in_ask=entry.ask_streaming and config.supports_ask_streaming,
        constrained=constrained,
        local=local,
    )
    timeout = max(entry.headers_timeout, LOCAL_HEADERS_TIMEOUT) if local else entry.headers_timeout
    return Endpoint(
        entry=entry, base_url=base_url, api_key=config.api_key, info=info, headers_timeout=timeout
    )


def is_local_address(url: str) -> bool:
    """True for this machine and private networks, by name or number; names are not looked up."""
    return is_local_host(_host_of(url))


def is_local_host(host: str) -> bool:
    """As :func:`is_local_address`, for a bare host name."""
    name = host.lower().strip("[]").rstrip(".")
    if name == "localhost" or name.endswith((".localhost", ".local", ".lan", ".internal", ".home.arpa")):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return bool(name) and "." not in name and ":" not in name
    return address.is_loopback or address.is_private or address.is_link_local


_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "promptTier": ("auto", "compact", "mid", "full"),
    "visionMode": ("auto", "on", "off"),
    "constrained": ("auto", "on", "off"),
}


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


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


def _refuse_unusable(entry: CatalogEntry, values: dict[str, Any]) -> None:
    model = values["model"].lower()
    if any(fnmatch.fnmatchcase(model, pattern) for pattern in entry.unsupported_models):
        raise invalid(
            "model",
            f"{entry.label} offers {values['model']} only through an interface this version does not speak. "
            f"Choose another model, for example {entry.default_model}.",
        )
    if values["constrained"] == "on" and not entry.structured:
        raise invalid("constrained", f"{entry.label} cannot hold answers to a schema.")


def _tier(entry: CatalogEntry, config: ProviderConfig, *, local: bool) -> Tier:
    if entry.category == "cloud":
        return Tier.FULL
    if config.prompt_tier != "auto":
        return Tier(config.prompt_tier)
    if (config.model_extra or {}).get("useCompactPrompt") is True:
        return Tier.COMPACT
    return Tier.MID if local else Tier.FULL


def _constrained(entry: CatalogEntry, config: ProviderConfig) -> bool:
    if not entry.structured or config.constrained == "off":
        return False
    if config.constrained == "on":
        return True
    if config.prompt_tier == "compact":
        return entry.category != "cloud"
    return entry.constrained == "auto" and config.prompt_tier == "auto"


def _context(
    catalog: Catalog, entry: CatalogEntry, config: ProviderConfig, live: Live, model: str, *, local: bool
) -> int:
    if config.context_window:
        # A server that has less room than the user believes wins: longer prompts would be cut silently.
        return min(config.context_window, live.context_window or config.context_window)
    if live.context_window:
        return live.context_window
    if local:
        return min(entry.context_window, LOCAL_CONTEXT)
    family = catalog.family(model)
    if family and family.context_window:
        return family.context_window
    return entry.context_window or REMOTE_CONTEXT


def _vision(catalog: Catalog, entry: CatalogEntry, config: ProviderConfig, live: Live, model: str) -> bool:
    if config.vision_mode != "auto":
        return config.vision_mode == "on"
    if entry.vision in ("yes", "no"):
        return entry.vision == "yes"
    if entry.vision == "ask_server":
        return bool(live.vision)
    family = catalog.family(model)
    return bool(family and family.vision)
