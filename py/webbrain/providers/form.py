"""A service as the screens draw it: the ``ProviderView`` of docs/protocol.md, form fields included."""

from typing import Any

from webbrain.providers.catalog import Catalog, CatalogEntry
from webbrain.providers.config import ProviderConfig, missing, parameters, resolve
from webbrain.providers.cost import FALLBACK_INPUT, FALLBACK_OUTPUT
from webbrain.providers.reasoning import EFFORTS

Field = dict[str, Any]


def view(catalog: Catalog, entry: CatalogEntry, config: ProviderConfig, *, active: bool) -> dict[str, Any]:
    """Everything a screen may know; a key never is among it."""
    endpoint = resolve(catalog, entry, config)
    info = endpoint.info
    return {
        "id": entry.id,
        "label": info.label,
        "category": entry.category,
        "baseUrl": endpoint.base_url,
        "model": info.model,
        "tier": info.tier.value,
        "contextWindow": info.context_window,
        "supportsVision": info.supports_vision,
        "streaming": info.streams_in_ask,
        "needsKey": entry.key == "required",
        "hasKey": bool(config.api_key),
        "keyUrl": entry.key_url,
        "configured": config.configured and missing(entry, config) is None,
        "active": active,
        "notes": entry.notes,
        "constrained": config.constrained if entry.structured else "off",
        "builtIn": entry.wire == "builtin",
        "transcribes": entry.transcribes,
        "transcriptionModel": entry.transcription_model,
        "fields": [{**field, **_kept(field, config)} for field in fields(entry)],
        "values": values(entry, config),
    }


def _kept(field: Field, config: ProviderConfig) -> Field:
    """Whether a secret is stored, which the screen never gets to see."""
    if field["kind"] != "secret":
        return {}
    own = (config.model_extra or {}).get(field["key"])
    return {"stored": bool(config.api_key if field["key"] == "apiKey" else own)}


def fields(entry: CatalogEntry) -> list[Field]:
    """The form of one service, in the order it is drawn."""
    if entry.wire == "builtin":
        # Nothing to enter: it has no address, no key, and one model.
        return []
    out: list[Field] = []
    if entry.category == "custom":
        out.append(_field("label", "Name", "text", placeholder=entry.label))
    if entry.key != "none":
        out.append(
            _field(
                "apiKey",
                entry.key_label,
                "secret",
                required=entry.key == "required",
                placeholder=entry.key_placeholder,
                help="" if entry.key == "required" else "Only if the server wants one.",
            )
        )
    for parameter in entry.parameters:
        out.append(
            _field(
                parameter.key,
                parameter.label,
                "secret" if parameter.secret else "text",
                required=parameter.required and not parameter.default,
                placeholder=parameter.placeholder or parameter.default,
                help=parameter.help,
            )
        )
    out.append(
        _field(
            "baseUrl",
            "Address",
            "url",
            required=not entry.base_url,
            placeholder=entry.base_url or "http://localhost:8000/v1",
            help="" if entry.base_url else "Where the server listens, usually ending in /v1.",
        )
    )
    out.append(
        _field(
            "model",
            "Model",
            "text",
            required=entry.requires_model and not entry.default_model,
            placeholder=entry.default_model
            or ("" if entry.requires_model else "whatever the server has loaded"),
        )
    )
    if entry.category != "cloud":
        out.append(_tier_field(entry))
    if entry.structured:
        out.append(_constrained_field(entry))
    out.append(
        _field(
            "contextWindow",
            "Context window (tokens)",
            "number",
            placeholder="automatic",
            help="How much the model can read at once. Leave empty to find out automatically.",
        )
    )
    out.append(
        _field(
            "visionMode",
            "Reads pictures",
            "select",
            options=[_option("auto", "Find out"), _option("on", "Yes"), _option("off", "No")],
        )
    )
    if entry.ask_streaming:
        out.append(
            _field(
                "supportsAskStreaming",
                "Show answers while they are written (Ask)",
                "select",
                options=[_option("on", "Yes"), _option("off", "No")],
            )
        )
    return out + _expert_fields(entry)


def _expert_fields(entry: CatalogEntry) -> list[Field]:
    out: list[Field] = []
    if entry.thinking:
        names = {
            "auto": "As the service does",
            "off": "Off",
            "xhigh": "Extra high",
            "max": "Most",
        }
        out.append(
            _field(
                "reasoningEffort",
                "Thinking",
                "select",
                options=[_option(word, names.get(word, word.capitalize())) for word in EFFORTS],
                help="More thinking is slower and costs more. Not every model can be told.",
            )
        )
    if entry.category == "custom" or entry.responses_models:
        out.append(
            _field(
                "apiFormat",
                "Interface",
                "select",
                options=[
                    _option("auto", "Automatic"),
                    _option("chat", "Chat Completions"),
                    _option("responses", "Responses"),
                ],
            )
        )
    if entry.category == "custom":
        out.append(
            _field(
                "systemPromptRole",
                "Role of the instructions",
                "select",
                options=[_option(role, role) for role in ("auto", "system", "developer")],
            )
        )
        out.append(
            _field(
                "maxTokensField",
                "Name of the output limit",
                "select",
                options=[_option(name, name) for name in ("auto", "max_tokens", "max_completion_tokens")],
            )
        )
    if entry.category != "local":
        out += _price_fields(entry)
    out.append(
        _field(
            "extraBody",
            "More fields for each request",
            "text",
            placeholder='{"top_p": 0.9}',
            help="A JSON object for what the service knows and this form does not.",
        )
    )
    return out


def _price_fields(entry: CatalogEntry) -> list[Field]:
    known = entry.cost_input > 0 or entry.cost_output > 0
    paid_in, paid_out = (entry.cost_input, entry.cost_output) if known else (FALLBACK_INPUT, FALLBACK_OUTPUT)
    rows = (
        ("priceInput", "Price of input (US dollars per million tokens)", paid_in),
        ("priceOutput", "Price of output (US dollars per million tokens)", paid_out),
        (
            "priceCached",
            "Price of cached input (US dollars per million tokens)",
            entry.cost_cache_read or paid_in,
        ),
    )
    helps = (
        "From the service's price list, for this model. What runs cost and the allowances are counted with "
        "it; without it, with the figure shown here.",
        "",
        "Only if cached tokens are cheaper.",
    )
    return [
        _field(key, label, "number", placeholder=f"{usual:g}", help=text)
        for (key, label, usual), text in zip(rows, helps, strict=True)
    ]


def values(entry: CatalogEntry, config: ProviderConfig) -> dict[str, Any]:
    """What the form shows; the secret stays empty whether or not one is stored."""
    known: dict[str, Any] = {
        "label": config.label,
        "apiKey": "",
        "baseUrl": config.base_url,
        "model": config.model,
        "promptTier": config.prompt_tier,
        "constrained": config.constrained,
        "contextWindow": _or_empty(config.context_window),
        "visionMode": config.vision_mode,
        "supportsAskStreaming": "on" if _streams(entry, config) else "off",
        "reasoningEffort": config.reasoning_effort,
        "apiFormat": config.api_format,
        "systemPromptRole": config.system_prompt_role,
        "maxTokensField": config.max_tokens_field,
        "priceInput": _or_empty(config.price_input),
        "priceOutput": _or_empty(config.price_output),
        "priceCached": _or_empty(config.price_cached),
        "extraBody": config.extra_body,
    }
    stored = parameters(entry, config)
    known |= {p.key: "" if p.secret else stored[p.key] for p in entry.parameters}
    return {field["key"]: known[field["key"]] for field in fields(entry)}


def _or_empty(number: float | None) -> float | str:
    return "" if number is None else number


def _streams(entry: CatalogEntry, config: ProviderConfig) -> bool:
    chosen = config.supports_ask_streaming
    return entry.streams_at_first if chosen is None else chosen


def _tier_field(entry: CatalogEntry) -> Field:
    auto = "Mid" if entry.category == "local" else "Full"
    if entry.constrained == "auto":
        auto = "Compact"
    return _field(
        "promptTier",
        "Tier",
        "select",
        options=[
            _option("auto", f"Automatic ({auto})"),
            _option("compact", "Compact: few tools, for small models"),
            _option("mid", "Mid: the usual tools"),
            _option("full", "Full: all tools, for the largest models"),
        ],
        help="How many tools and how long a prompt the model can be trusted with.",
    )


def _constrained_field(entry: CatalogEntry) -> Field:
    when = "in tiers Automatic and Compact" if entry.constrained == "auto" else "in tier Compact"
    if entry.category == "cloud":
        when = "no: its models are large"
    return _field(
        "constrained",
        "Constrained calls",
        "select",
        options=[_option("auto", f"Automatic ({when})"), _option("on", "Always"), _option("off", "Never")],
        help="The model can then only choose from what is really on the page. Small models need this; large "
        "ones that call tools well do not.",
    )


def _option(value: str, label: str) -> dict[str, str]:
    return {"value": value, "label": label}


def _field(
    key: str,
    label: str,
    kind: str,
    *,
    required: bool = False,
    placeholder: str = "",
    options: list[dict[str, str]] | None = None,
    help: str = "",  # noqa: A002 - the name of the field in the protocol
) -> Field:
    field: Field = {
        "key": key,
        "label": label,
        "kind": kind,
        "required": required,
        "placeholder": placeholder,
        "help": help,
    }
    if options is not None:
        field["options"] = options
    return field


def form_keys(entry: CatalogEntry) -> frozenset[str]:
    """What a screen may send for a service; anything else in a form is ignored."""
    return _ALWAYS | {field["key"] for field in fields(entry)}


_ALWAYS = frozenset({"label", "promptTier", "constrained", "supportsAskStreaming"})
"""Looked at even where the form does not ask, so that what cannot be is refused and not dropped."""
