"""What is stored for a service, and the endpoint it amounts to.

Stored under the key ``providers`` of ``storage.local`` as ``{id: config}``, with the field names below and
those of the service's own parameters beside them.
"""

import fnmatch
import ipaddress
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from webbrain.core.errors import NeedsPerson
from webbrain.core.types import Tier
from webbrain.providers.base import ModelInfo
from webbrain.providers.catalog import Catalog, CatalogEntry, ReasoningReplay, WireName
from webbrain.providers.cost import Prices, prices
from webbrain.providers.reasoning import Effort

LOCAL_CONTEXT: Final = 16_384
CONTEXT_MIN: Final = 1_024
CONTEXT_MAX: Final = 10_000_000
LOCAL_HEADERS_TIMEOUT: Final = 300.0
PRICE_MAX: Final = 10_000.0
"""Dollars per million tokens."""

OnOff = Literal["auto", "on", "off"]

_VERSION = re.compile(r"/v\d+(?:beta\d*)?$")


class ModelFacts(BaseModel):
    """What a service's list says of one model; ``None`` where it does not."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    model: str
    context_window: int | None = Field(default=None, ge=CONTEXT_MIN, le=CONTEXT_MAX)
    vision: bool | None = None


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
    supports_ask_streaming: bool | None = None
    """``None``: as the catalogue says."""
    api_format: Literal["auto", "chat", "responses"] = "auto"
    reasoning_effort: Effort = "auto"
    system_prompt_role: Literal["auto", "system", "developer"] = "auto"
    max_tokens_field: Literal["auto", "max_tokens", "max_completion_tokens"] = "auto"
    price_input: float | None = Field(default=None, ge=0, le=PRICE_MAX, allow_inf_nan=False)
    price_output: float | None = Field(default=None, ge=0, le=PRICE_MAX, allow_inf_nan=False)
    price_cached: float | None = Field(default=None, ge=0, le=PRICE_MAX, allow_inf_nan=False)
    """Dollars per million tokens; ``None``: as the catalogue says."""
    extra_body: str = ""
    """A JSON object, as text."""
    configured: bool = False
    model_facts: ModelFacts | None = None
    """What the service's list said of the chosen model when it was saved."""

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Parameters of a service may be secrets too."""
        known = type(self).model_fields
        return [(name, value) for name, value in super().__repr_args__() if name in known]

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
    wire: WireName
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    effort: Effort = "auto"
    system_role: Literal["system", "developer"] = "system"
    limit_field: Literal["auto", "max_tokens", "max_completion_tokens"] = "auto"
    reasoning_replay: ReasoningReplay = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict)

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
        """Headers every request to this service carries, the key included unless it only signs."""
        out = {"Content-Type": "application/json", **self.entry.headers}
        if self.api_key and self.entry.auth == "bearer":
            out["Authorization"] = f"Bearer {self.api_key}"
        elif self.api_key and self.entry.auth in ("x-api-key", "api-key", "x-goog-api-key"):
            out[self.entry.auth] = self.api_key
        return out

    def with_base_url(self, base_url: str) -> "Endpoint":
        """The same model at another address."""
        return replace(self, base_url=base_url)

    def addresses(self) -> Iterator["Endpoint"]:
        """As it is; then, for servers of the user's own, with ``/v1`` added or taken off, where that makes a
        difference."""
        yield self
        if not self.entry.versioned or self.entry.category not in ("local", "custom"):
            return
        if not _VERSION.search(self.base_url):
            yield self.with_base_url(self.base_url + "/v1")
        elif self.entry.category == "custom" or urlsplit(self.root).path:
            # The bare address of a kind of server that is known to want /v1 would get it again when saved.
            yield self.with_base_url(self.root)


def invalid(field: str, message: str) -> NeedsPerson:
    """An error the settings form shows at one field."""
    return NeedsPerson(message, code="invalid_field", data={"field": field})


def missing(entry: CatalogEntry, config: ProviderConfig) -> NeedsPerson | None:
    """What still has to be filled in before this service can be used."""
    if not (config.base_url or entry.base_url or entry.wire == "builtin"):
        return invalid("baseUrl", "Enter the address of the server.")
    if entry.key == "required" and not config.api_key:
        return invalid("apiKey", f"{entry.label} needs an API key.")
    values = parameters(entry, config)
    for parameter in entry.parameters:
        if parameter.required and not values[parameter.key] and _used(entry, config, parameter.key):
            return invalid(parameter.key, f"{entry.label} needs this: {parameter.label}.")
    if entry.requires_model and not (config.model or entry.default_model):
        return invalid("model", "Choose a model.")
    return None


def parameters(entry: CatalogEntry, config: ProviderConfig) -> dict[str, str]:
    """The service's own parameters, stored or by default."""
    stored = config.model_extra or {}
    return {p.key: str(stored.get(p.key) or p.default) for p in entry.parameters}


def _used(entry: CatalogEntry, config: ProviderConfig, key: str) -> bool:
    """False for a part of the usual address while the user has one of their own."""
    sources = {key, *(name for name, derived in entry.derived.items() if derived.source == key)}
    return not config.base_url or not any(f"{{{name}}}" in entry.base_url for name in sources)


def resolve(
    catalog: Catalog, entry: CatalogEntry, config: ProviderConfig, live: Live | None = None
) -> Endpoint:
    """Turn a configuration into an endpoint: tier, context window, eyes and streaming by the rules of the
    docs."""
    live = live or Live()
    values = parameters(entry, config)
    base_url = entry.address(config.base_url or entry.base_url, values)
    model = config.model or entry.default_model
    wire = _wire(entry, config, model)
    local = entry.category == "local" or (entry.category == "custom" and is_local_address(base_url))
    facts = config.model_facts
    if facts and facts.model == model and not local and live == Live():
        # A server of the user's own is asked afresh instead: how much it gives a model changes.
        live = Live(model, None if config.context_window else facts.context_window, facts.vision)
    constrained = _constrained(entry, config)
    seeing = _vision(catalog, entry, config, live, model or live.model or "")
    info = ModelInfo(
        provider_id=entry.id,
        label=config.label or entry.label,
        model=model,
        tier=Tier.COMPACT if constrained else _tier(entry, config, local=local),
        context_window=_context(catalog, entry, config, live, model or live.model or "", local=local),
        supports_vision=seeing,
        supports_tools=entry.tools,
        supports_documents=seeing and _documents(entry, config, model, wire),
        document_bytes=entry.document_bytes,
        streams_in_ask=_streams(entry, config, model),
        constrained=constrained,
        structured=bool(entry.structured),
        local=local,
        prices=prices(entry, model, local=local, entered=_prices(config)),
    )
    timeout = max(entry.headers_timeout, LOCAL_HEADERS_TIMEOUT) if local else entry.headers_timeout
    return Endpoint(
        entry=entry,
        base_url=base_url,
        api_key=config.api_key,
        info=info,
        headers_timeout=timeout,
        wire=wire,
        parameters=values,
        effort=config.reasoning_effort,
        system_role=entry.system_role if config.system_prompt_role == "auto" else config.system_prompt_role,
        limit_field=entry.limit_field if config.max_tokens_field == "auto" else config.max_tokens_field,
        reasoning_replay=_reasoning_replay(catalog, entry, model),
        extra_body=_extra_body(config.extra_body),
    )


def _prices(config: ProviderConfig) -> Prices | None:
    """What the user entered; cached tokens cost as much as others unless they said otherwise."""
    paid_in, paid_out = config.price_input, config.price_output
    if paid_in is None or paid_out is None:
        return None
    cached = paid_in if config.price_cached is None else config.price_cached
    return Prices(paid_in, paid_out, cache_read=cached, cache_write=paid_in)


def is_local_address(url: str) -> bool:
    """True for this machine and private networks, by name or number; names are not looked up."""
    return is_local_host(host_of(url))


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


def host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _tier(entry: CatalogEntry, config: ProviderConfig, *, local: bool) -> Tier:
    if entry.category == "cloud":
        return Tier.FULL
    if config.prompt_tier != "auto":
        return Tier(config.prompt_tier)
    if (config.model_extra or {}).get("useCompactPrompt") is True:
        return Tier.COMPACT
    return Tier.MID if local else Tier.FULL


def _constrained(entry: CatalogEntry, config: ProviderConfig) -> bool:
    if entry.constrained == "always":
        return True
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
        # The figure of a service is about what it serves itself, not about any server of the user's own.
        return entry.context_window if entry.category == "local" else min(entry.context_window, LOCAL_CONTEXT)
    return catalog.window(entry, model)


def _vision(catalog: Catalog, entry: CatalogEntry, config: ProviderConfig, live: Live, model: str) -> bool:
    if config.vision_mode != "auto":
        return config.vision_mode == "on"
    if entry.vision in ("yes", "no"):
        return entry.vision == "yes"
    if entry.vision == "ask_server":
        return bool(live.vision)
    return catalog.sees(model) or bool(live.vision)


def _documents(entry: CatalogEntry, config: ProviderConfig, model: str, wire: WireName) -> bool:
    if not entry.documents or (config.base_url and wire in ("openai_chat", "openai_responses")):
        return False  # who only speaks OpenAI's format rarely knows this part of it
    return not entry.document_models or _matches(model, entry.document_models)


def _wire(entry: CatalogEntry, config: ProviderConfig, model: str) -> WireName:
    if entry.wire != "openai_chat" or config.api_format == "chat":
        return entry.wire
    if config.api_format == "responses":
        return "openai_responses"
    # Elsewhere the same model names are served in the format everybody speaks.
    only_there = not config.base_url and _matches(model, entry.responses_models)
    return "openai_responses" if only_there else entry.wire


def _streams(entry: CatalogEntry, config: ProviderConfig, model: str) -> bool:
    if not entry.ask_streaming or _matches(model, entry.whole_models):
        return False
    chosen = config.supports_ask_streaming
    return entry.streams_at_first if chosen is None else chosen


def _matches(model: str, globs: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(model.lower(), pattern) for pattern in globs)


def _reasoning_replay(catalog: Catalog, entry: CatalogEntry, model: str) -> ReasoningReplay:
    family = catalog.family(model)
    if family is None or family.reasoning_replay is None:
        return entry.reasoning_replay
    counts = bool(entry.reasoning_replay) or family.replay_everywhere
    return family.reasoning_replay if counts else ""


def _extra_body(text: str) -> dict[str, Any]:
    """What was checked when it was entered; anything else in the storage counts as nothing."""
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
