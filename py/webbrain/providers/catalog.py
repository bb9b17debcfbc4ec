"""The catalogue of services, ``catalog.toml``, loaded and checked.

The picker, the settings form, the table in the docs and the contract tests all read it from here, so that a
new service is one new table in that file.
"""

import functools
import tomllib
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Category = Literal["local", "cloud", "router", "custom"]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelFamily(_Data):
    """Facts about models by name, where no server tells. The first family whose ``match`` is in the name
    counts."""

    match: str
    """Lower-case text that the model's name, or the part after its last slash, must start with."""
    context_window: int | None = None
    vision: bool | None = None


class CatalogEntry(_Data):
    """One service. Money is US dollars per million tokens, 0 for unknown or free."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    label: str
    category: Category
    wire: Literal["openai_chat", "anthropic"] = "openai_chat"
    base_url: str = ""
    versioned: bool = True
    """False: the address is the server's root and the wire adds ``/v1``."""
    auth: Literal["bearer", "x-api-key", "none"] = "bearer"
    key: Literal["required", "optional", "none"] = "required"
    key_url: str = ""
    key_placeholder: str = ""
    default_model: str = ""
    requires_model: bool = True
    context_window: int = Field(gt=0)
    vision: Literal["by_name", "yes", "no", "ask_server"] = "by_name"
    ask_streaming: bool = True
    structured: Literal["", "response_format"] = ""
    """How answers are held to a JSON schema; empty: they cannot be."""
    constrained: Literal["auto", "off"] = "off"
    """``auto``: schema-held answers instead of native tools unless the user raises the tier."""
    models: Literal["openai", "anthropic", "ollama", "lmstudio"] = "openai"
    """Where the list of models comes from."""
    live: Literal["", "llamacpp", "ollama", "lmstudio"] = ""
    """Where a running local server tells its context window and its eyes."""
    headers: dict[str, str] = Field(default_factory=dict)
    headers_timeout: float = Field(default=120.0, ge=5, le=600)
    """Seconds until the answer must have begun; without streaming that is the whole thinking time."""
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
    reasoning_replay: bool = False
    """Give back ``reasoning_content`` with assistant turns of the same model that called tools."""
    extra_content_replay: bool = False
    """Give back ``extra_content`` of tool calls (thought signatures)."""
    schema_dialect: Literal["json_schema", "gemini"] = "json_schema"
    short_call_ids: bool = False
    """Tool call ids must be nine letters or digits."""
    user_after_tool: bool = True
    """False: a user turn may not follow a tool result directly."""
    unsupported_models: tuple[str, ...] = ()
    """Globs of models this service offers only through an interface we do not speak."""
    explains_origin: bool = False
    """Refuses unknown browser origins with 403 and can be told to accept ours."""

    cost_input: float = Field(default=0.0, ge=0)
    cost_output: float = Field(default=0.0, ge=0)
    cost_cache_read: float = Field(default=0.0, ge=0)
    cost_cache_write: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _consistent(self) -> "CatalogEntry":
        if self.category != "custom" and not self.base_url:
            raise ValueError("only a custom service may leave its address open")
        if self.base_url.endswith("/"):
            raise ValueError("addresses are written without a slash at the end")
        if self.key == "required" and self.category in ("cloud", "router") and not self.key_url:
            raise ValueError("say where the key is made")
        if (self.auth == "none") != (self.key == "none"):
            raise ValueError("a key needs a way to send it")
        if self.constrained == "auto" and not self.structured:
            raise ValueError("constrained calls need a way to send a schema")
        if self.category == "local" and not self.start_hint:
            raise ValueError("say how a local server is started")
        return self


class Catalog(_Data):
    """All services in the order of the file, and what model names tell."""

    entries: dict[str, CatalogEntry]
    families: tuple[ModelFamily, ...] = ()

    def family(self, model: str) -> ModelFamily | None:
        """What is known about a model by its name alone."""
        name = model.lower()
        short = name.rsplit("/", 1)[-1]
        for family in self.families:
            if name.startswith(family.match) or short.startswith(family.match):
                return family
        return None


def parse(text: str) -> Catalog:
    """Read the TOML form: tables ``[provider.<id>]`` and ``[[family]]``. Raises
    ``pydantic.ValidationError``."""
    raw = tomllib.loads(text)
    unknown = set(raw) - {"provider", "family"}
    if unknown:
        raise ValueError(f"unknown tables in the catalogue: {sorted(unknown)}")
    entries = {key: CatalogEntry(id=key, **value) for key, value in raw.get("provider", {}).items()}
    return Catalog(entries=entries, families=tuple(ModelFamily(**row) for row in raw.get("family", [])))


@functools.cache
def load() -> Catalog:
    """The catalogue that ships with the package (also from inside a zip)."""
    return parse(files("webbrain.providers").joinpath("catalog.toml").read_text(encoding="utf-8"))
