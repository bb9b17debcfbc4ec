"""What a tool gives back."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ToolResult:
    """The outcome of one tool call.

    ``data`` is what the model reads as JSON; ``success`` is added to it. ``notes`` are our own trusted
    sentences: they stand outside the untrusted wrapper. ``final`` ends the run with ``final`` as the
    answer.
    """

    success: bool
    data: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    final: str | None = None
    outcome: str | None = None
    """For ``done``: success, partial or failed."""
    summary: str = ""
    """At most 140 characters for the panel: counts and outcomes, never page text."""
    refusal: bool = False
    """The sentence in ``error`` is a constant of ours: it stands outside the untrusted wrapper, as notes do.
    What stands inside is nothing that a model should obey."""
    private: dict[str, Any] = field(default_factory=dict)
    """For the agent alone; neither model, panel nor journal sees it. Keys: ``controls`` (a list of
    ``{ref, role, name, can}`` of the tree just read), ``wide`` (true if the wide tree cap applies)."""

    @classmethod
    def ok(cls, summary: str = "", **data: Any) -> "ToolResult":
        """A success whose fields are ``data``."""
        return cls(True, data, summary=summary)

    @classmethod
    def error(cls, message: str, code: str = "tool_failed", **data: Any) -> "ToolResult":
        """A failure with one clear sentence for the model."""
        return cls(False, {"error": message, "code": code, **data}, summary=code.replace("_", " "))

    @classmethod
    def refused(cls, message: str, code: str, **data: Any) -> "ToolResult":
        """What stands in for a call that we did not let happen. ``message`` has no word of a page in it."""
        result = cls.error(message, code, **data)
        result.refusal = True
        return result
