"""The catalogue of services, ``catalog.toml`` and ``catalog_more.toml``, loaded and checked.

The picker, the settings form, the table in the docs and the contract tests all read it from here, so that a
new service is one new table in one of these files.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

FILES = ("catalog.toml", "catalog_more.toml")
_PLACE = re.compile(r"\{([a-zA-Z]+)\}")

Category = Literal["local", "cloud", "router", "custom"]
WireName = Literal[
    "openai_chat",
    "openai_responses",
    "azure",
    "llamacpp",
    "anthropic",
    "vertex_anthropic",
    "bedrock",
    "builtin",
]
"""``builtin`` is no format but the browser's own model; see builtin.py."""
ReasoningReplay = Literal["", "loop", "calls"]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelFamily(_Data):
    """Facts about models by name, where no server tells. The first family whose ``match`` fits counts."""

    match: str
    """Lower-case text that the model's name, or the part after its last slash, must start with."""
    context_window: int | None = None
    reasoning_replay: ReasoningReplay | None = None
    """In place of the service's own, where that is not empty."""
    replay_everywhere: bool = False
    """Also where the service's own is empty: the model fails without its thoughts, wherever it runs."""


class Parameter(_Data):
    """A value a service needs besides address, key and model, as its form asks for it."""

    key: str = Field(pattern=r"^[a-z][a-zA-Z]*$")
    label: str
    required: bool = True
    """Only asked for if the address in use, or nothing but the wire, has a place for it."""
    secret: bool = False
    default: str = ""
    placeholder: str = ""
    pattern: str = r"[A-Za-z0-9._-]+"
    """What the whole value must look like."""
    help: str = ""


class Derived(_Data):
    """A part of an address that follows from a parameter."""

    source: str
    cases: dict[str, str] = Field(default_factory=dict)
    otherwise: str
    """May hold ``{names}`` of parameters."""


class CatalogEntry(_Data):
    """One service. Money is US dollars per million tokens, 0 for unknown or free."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    label: str
    category: Category
    wire: WireName = "openai_chat"
    base_url: str = ""
    """May hold ``{names}`` of parameters, which the user fills in."""
    parameters: tuple[Parameter, ...] = ()
    derived: dict[str, Derived] = Field(default_factory=dict)
    versioned: bool = True
    """False: the address is the server's root and the wire adds ``/v1``."""
    auth: Literal["bearer", "x-api-key", "api-key", "x-goog-api-key", "sigv4", "none"] = "bearer"
    key: Literal["required", "optional", "none"] = "required"
    key_label: str = "API key"
    key_url: str = ""
    key_placeholder: str = ""
    default_model: str = ""
    requires_model: bool = True
    context_window: int = Field(gt=0)
    """Tokens; of the model at first, unless ``context_inferred``."""
    context_inferred: bool = False
    """The figure is no fact about the model at first but what is assumed of models nothing is known about."""
    vision: Literal["by_name", "yes", "no", "ask_server"] = "by_name"
    """``by_name``: by the model's name, else by what the service's list says of it."""
    tools: bool = True
    """False: its models cannot be given tools."""
    documents: bool = False
    """Takes PDF files as they are, with models that also look at pictures."""
    document_models: tuple[str, ...] = ()
    """Globs of the models that do; empty: all."""
    document_bytes: int = Field(default=32_000_000, gt=0)
    """The most bytes of one file."""
    ask_streaming: bool = True
    streams_at_first: bool = True
    """False: it streams only once the user says so."""
    whole_models: tuple[str, ...] = ()
    """Globs of models that do not stream."""
    responses_models: tuple[str, ...] = ()
    """Globs of models that speak only the Responses format, at the usual address."""
    structured: Literal["", "response_format", "strict", "builtin"] = ""
    """How answers are held to a JSON schema, see held.py; empty: they cannot be."""
    constrained: Literal["auto", "off", "always"] = "off"
    """``auto``: schema-held answers instead of native tools unless the user raises the tier; ``off``: only in
    tier Compact; ``always``: there is nothing else."""
    models: Literal["openai", "anthropic", "ollama", "lmstudio", "none"] = "openai"
    """Where the list of models comes from; ``none``: nowhere we can ask with the same key."""
    live: Literal["", "llamacpp", "ollama", "lmstudio", "localai"] = ""
    """Where a running local server tells its context window and its eyes."""
    headers: dict[str, str] = Field(default_factory=dict)
    headers_timeout: float = Field(default=120.0, ge=5, le=600)
    """Seconds until the answer must have begun; without streaming that is the whole thinking time."""
    transcribes: bool = False
    """Turns speech into text at ``/audio/transcriptions``."""
    transcription_model: str = ""
    """The model that does it; empty: whatever runs there, or the user names one."""
    transcription_choice: int = Field(default=0, ge=0)
    """Place among the services that are taken by themselves, from 1; 0: only if the user names it."""
    cost_audio_minute: float = Field(default=0.0, ge=0)
    """Dollars per minute of speech."""
    start_hint: str = ""
    """For local servers: how to start one."""
    notes: str = ""

    # Quirks of the Chat Completions wire.
    limit_field: Literal["auto", "max_tokens", "max_completion_tokens"] = "auto"
    temperature: Literal["auto", "omit"] = "auto"
    usage_in_stream: bool = False
    """Send ``stream_options.include_usage``."""
    tool_stream: bool = False
    """Send ``tool_stream`` when streaming with tools."""
    system_role: Literal["system", "developer"] = "system"
    thinking: Literal[
        "",
        "by_model",
        "effort_by_model",
        "reasoning_effort",
        "reasoning",
        "enable_thinking",
        "thinking_type",
        "anthropic",
    ] = ""
    """How thinking is turned off or measured out; see reasoning.py. Empty: it cannot be."""
    reasoning_replay: ReasoningReplay = ""
    """Give back ``reasoning_content`` with assistant turns of the same model that called tools: of the whole
    conversation (``calls``), or only since the user last spoke (``loop``)."""
    reasoning_details_replay: bool = False
    """Give back ``reasoning_details`` with assistant turns of the same model."""
    extra_content_replay: bool = False
    """Give back ``extra_content`` of tool calls (thought signatures)."""
    signature_stand_in: str = ""
    """The documented thought signature for calls that another model made."""
    schema_dialect: Literal["json_schema", "gemini"] = "json_schema"
    short_call_ids: bool = False
    """Tool call ids must be nine letters or digits."""
    user_after_tool: bool = True
    """False: a user turn may not follow a tool result directly."""
    unsupported_models: tuple[str, ...] = ()
    """Globs of models that cannot be given tools."""
    explains_origin: bool = False
    """Refuses unknown browser origins with 403 and can be told to accept ours."""

    cost_input: float = Field(default=0.0, ge=0)
    cost_output: float = Field(default=0.0, ge=0)
    cost_cache_read: float = Field(default=0.0, ge=0)
    cost_cache_write: float = Field(default=0.0, ge=0)
    """Of an entry that is kept for minutes."""

    @model_validator(mode="after")
    def _consistent(self) -> "CatalogEntry":
        if self.category != "custom" and not self.base_url and self.wire != "builtin":
            raise ValueError("only a custom service may leave its address open")
        if self.base_url.endswith("/"):
            raise ValueError("addresses are written without a slash at the end")
        if self.key == "required" and self.category in ("cloud", "router") and not self.key_url:
            raise ValueError("say where the key is made")
        if (self.auth == "none") != (self.key == "none"):
            raise ValueError("a key needs a way to send it")
        known = {parameter.key for parameter in self.parameters} | set(self.derived)
        if unknown := set(_PLACE.findall(self.base_url)) - known:
            raise ValueError(f"the address has places for unknown parameters: {sorted(unknown)}")
        if any(derived.source not in known for derived in self.derived.values()):
            raise ValueError("a part of an address is derived from an unknown parameter")
        if not self.ask_streaming and not self.streams_at_first:
            raise ValueError("what never streams does not stream at first either")
        if self.constrained != "off" and not self.structured:
            raise ValueError("constrained calls need a way to send a schema")
        if not self.transcribes and (self.transcription_model or self.transcription_choice):
            raise ValueError("only a service that transcribes has a model for it")
        if self.category == "local" and not self.start_hint:
            raise ValueError("say how a local server is started")
        return self

    def address(self, base_url: str, values: Mapping[str, str]) -> str:
        """``base_url`` with its places filled; ``values`` has every parameter. Empty ones leave a gap."""
        filled = {key: _fill(_derive(derived, values), values) for key, derived in self.derived.items()}
        return _fill(base_url, {**values, **filled})


def _derive(derived: Derived, values: Mapping[str, str]) -> str:
    return derived.cases.get(values.get(derived.source, ""), derived.otherwise)


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: values.get(match[1], ""), template)


class Catalog(_Data):
    """All services in the order of the file, and what model names tell."""

    entries: dict[str, CatalogEntry]
    families: tuple[ModelFamily, ...] = ()
    seeing: tuple[re.Pattern[str], ...] = ()
    """Names of models that read pictures."""

    def family(self, model: str) -> ModelFamily | None:
        """What is known about a model by its name alone."""
        name = model.lower()
        short = name.rsplit("/", 1)[-1]
        for family in self.families:
            if name.startswith(family.match) or short.startswith(family.match):
                return family
        return None

    def sees(self, model: str) -> bool:
        """Whether a model reads pictures, by its name alone."""
        name = model.lower()
        return any(pattern.search(name) for pattern in self.seeing)

    def window(self, entry: CatalogEntry, model: str) -> int:
        """The context window of a service's model, in tokens, as far as it can be known without asking: the
        service's own figure for its model at first, else what the model's name tells."""
        if model == entry.default_model and not entry.context_inferred:
            return entry.context_window
        family = self.family(model)
        return (family and family.context_window) or entry.context_window


def parse(*texts: str) -> Catalog:
    """Read the TOML form: tables ``[provider.<id>]``, ``[[family]]`` and ``[vision]``. Raises
    ``pydantic.ValidationError``, and ``ValueError`` for an id that is there twice."""
    entries: dict[str, CatalogEntry] = {}
    families: list[ModelFamily] = []
    seeing: list[re.Pattern[str]] = []
    for text in texts:
        raw = tomllib.loads(text)
        unknown = set(raw) - {"provider", "family", "vision"}
        if unknown:
            raise ValueError(f"unknown tables in the catalogue: {sorted(unknown)}")
        for key, value in raw.get("provider", {}).items():
            if key in entries:
                raise ValueError(f"two services are called {key}")
            entries[key] = CatalogEntry(id=key, **value)
        families += [ModelFamily(**row) for row in raw.get("family", [])]
        seeing += [re.compile(name) for name in raw.get("vision", {}).get("names", [])]
    return Catalog(entries=entries, families=tuple(families), seeing=tuple(seeing))


@functools.cache
def load() -> Catalog:
    """The catalogue that ships with the package (also from inside a zip)."""
    folder = files("webbrain.providers")
    return parse(*(folder.joinpath(name).read_text(encoding="utf-8") for name in FILES))
