"""What the model servers speak of between the wires: a call read from any wire, and the answer to it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Wire = Literal["openai", "anthropic", "responses", "bedrock"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model. ``arguments`` is raw JSON text, and may be broken on purpose."""

    name: str
    arguments: str = "{}"
    id: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation, whatever wire it came by."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A request that a model server got and found to be well formed."""

    wire: Wire
    turns: tuple[Turn, ...]
    tools: tuple[str, ...]
    stream: bool
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def response_schema(self) -> dict[str, Any] | None:
        """The JSON schema that the answer must fit, if the caller asked for one."""
        form = self.body.get("text", {}).get("format", {})
        schema = self.body.get("response_format", {}).get("json_schema", form).get("schema")
        return schema if isinstance(schema, dict) else None

    def last(self, role: str) -> Turn | None:
        """The newest turn of that role."""
        return next((turn for turn in reversed(self.turns) if turn.role == role), None)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and how it goes over the wire.

    ``gate`` names a gate of the server: before it opens, only ``before_gate`` events of a stream are sent, or
    nothing of a whole answer. ``cut_after`` breaks the connection after so many events (half-way in a whole
    answer). ``finish`` overrides the reason for ending.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    gate: str = ""
    before_gate: int = 0
    cut_after: int | None = None
    finish: str = ""
    model: str = ""
    """The model that answers, if it is not the one that was asked for."""
    thought: str = ""
    """What the model thinks before it says something, and again before it calls tools, if it was told to
    (Anthropic's format)."""
    pause: float = 0.0
    """Seconds between two pieces of a stream: a slow model."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no answer: a status with a body, JSON or not."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing at all, not even a status line, until the gate opens; then ``then``."""

    gate: str = "stall"
    then: Reply | Refusal = field(default_factory=lambda: Refusal(503, {"error": {"message": "too late"}}))


Answer = Reply | Refusal | Stall


class BadRequest(ValueError):
    """The request is not one that the real service would take; the message says why."""
