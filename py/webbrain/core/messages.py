"""The provider-neutral conversation and one model call.

Wire formats turn ``ModelRequest`` into bytes and bytes into ``ModelReply``; nothing else in the agent knows
what a provider's JSON looks like.
"""

import json
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ToolCall(_Frozen):
    """One tool call as the model wrote it."""

    id: str
    name: str
    arguments: str = "{}"
    """Raw JSON text, perhaps malformed: parsing it is the agent's business."""


class ImagePart(_Frozen):
    """A picture, as a data URL; empty once the picture was let go of."""

    type: Literal["image"] = "image"
    data_url: str
    detail: Literal["auto", "low", "high"] = "auto"
    """How closely the model should look, for wires that can say so."""
    file_id: str = ""
    """Under which it is kept, for a picture that a person attached."""


class DocumentPart(_Frozen):
    """A file the user attached (a PDF), as a data URL; empty once it was let go of."""

    type: Literal["document"] = "document"
    data_url: str
    name: str = ""
    pages: int = 1
    """How many it has, as far as can be told without reading it."""
    file_id: str = ""
    """Under which it is kept."""


class Message(_Frozen):
    """One turn of the conversation.

    ``assistant`` may carry ``tool_calls``; ``tool`` answers exactly one of them through ``tool_call_id``.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    images: list[ImagePart] = Field(default_factory=list)
    documents: list[DocumentPart] = Field(default_factory=list)
    tool_calls: list[ToolCall] = Field(default_factory=list)
    tool_call_id: str | None = None
    name: str | None = None
    """For ``tool`` messages: the tool's name."""
    replay: dict[str, Any] | None = None
    """What the wire that made this turn needs back verbatim (reasoning, items). Opaque to the agent."""
    origin: str = ""
    """Where the page text in it came from (``policy.taint.origin_of``); empty if that is not known."""


class ToolSchema(_Frozen):
    """A tool as offered to a model. ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]

    @cached_property
    def chars(self) -> int:
        """How much of a request it takes. Every step of a run wants to know, so it is counted once."""
        return len(self.name) + len(self.description) + len(json.dumps(self.parameters))


class ModelRequest(_Frozen):
    """One call of a model."""

    messages: list[Message]
    tools: list[ToolSchema] = Field(default_factory=list)
    tool_choice: Literal["auto", "required", "none"] = "auto"
    temperature: float | None = None
    max_tokens: int = 4_096
    response_schema: dict[str, Any] | None = None
    """If set, the answer's text must be JSON that fits this schema (constrained calls)."""
    response_name: str = "answer"
    """What that JSON is, in letters, digits, ``_`` and ``-``, for services that want to know."""
    stream: bool = False
    thinking: Literal["auto", "off"] = "auto"
    """``off``: no thinking where it can be turned off (short structured calls); else as the user chose."""


class Usage(_Frozen):
    """Tokens of one call, as the provider reported them; ``None`` where it said nothing.

    ``cached_tokens`` were read from a cache and ``cache_write_tokens`` put into it; both are parts of
    ``prompt_tokens``. ``estimated`` marks tokens, ``cost_estimated`` money that nobody reported.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost_usd: float | None = None
    estimated: bool = False
    cost_estimated: bool = False


class ModelReply(_Frozen):
    """A whole, finished answer. It is never built from an incomplete stream."""

    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = Field(default_factory=list)
    usage: Usage = Field(default_factory=Usage)
    finish: Literal["stop", "tool_calls", "length", "content_filter", "other"] = "stop"
    model: str = ""
    replay: dict[str, Any] | None = None
