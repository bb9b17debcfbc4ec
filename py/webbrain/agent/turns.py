"""How one turn is put to a model and read back: the seam between the loop and the kinds of models.

``NativeTurns`` uses the provider's own tools; ``constrained.ConstrainedTurns`` holds the answer to a JSON
schema built from the current page, for models that cannot be trusted with tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webbrain.core.limits import MAX_OUTPUT_TOKENS, TEMPERATURE_ACT, TEMPERATURE_ASK
from webbrain.core.messages import Message, ModelReply, ModelRequest, ToolCall
from webbrain.core.types import Mode, Tier
from webbrain.tools.base import ToolSpec


@dataclass(frozen=True, slots=True)
class Control:
    """An element the page lets us act on; ``can`` holds ``click``, ``type``, ``select``, ``toggle``."""

    ref: str
    role: str
    name: str
    can: frozenset[str]


@dataclass(frozen=True, slots=True)
class PageView:
    """The page as just read for a turn."""

    url: str
    title: str
    tree: str
    controls: tuple[Control, ...] = ()
    truncated: bool = False


@dataclass(slots=True)
class TurnState:
    """Everything a turn is built from. ``messages`` holds no system message."""

    system: str
    task: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec]
    mode: Mode
    tier: Tier
    step: int = 1
    page: PageView | None = None
    attached: str = ""
    """What the turn in ``messages`` says of attached files, for strategies that do not send the messages."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model wants: calls, or a final text."""

    calls: tuple[ToolCall, ...]
    text: str


class TurnStrategy(Protocol):
    """One way of talking to a model."""

    needs_page: bool
    """The loop reads the page before every model call and puts it in ``TurnState.page``."""
    sends_history: bool
    """The request carries the conversation itself, so that it has to fit the window. Else the strategy tells
    what matters of it in its own, bounded words, and must see all of it."""

    def request(self, state: TurnState) -> ModelRequest:
        """Build the model call."""
        ...

    def opening(self, state: TurnState) -> list[Message]:
        """The messages that every call of the run begins with, if they never change."""
        ...

    def read(self, reply: ModelReply, state: TurnState) -> Turn:
        """Read the answer; raise ``ModelMayRetry`` if it cannot be understood."""
        ...


class NativeTurns:
    """Tools as the provider's wire format knows them."""

    needs_page = False
    sends_history = True

    def request(self, state: TurnState) -> ModelRequest:
        """Put system text, history and tool schemas into a request."""
        return ModelRequest(
            messages=[Message(role="system", content=state.system), *state.messages],
            tools=[tool.schema() for tool in state.tools],
            temperature=TEMPERATURE_ASK if state.mode is Mode.ASK else TEMPERATURE_ACT,
            max_tokens=MAX_OUTPUT_TOKENS,
        )

    def opening(self, state: TurnState) -> list[Message]:
        """Nothing that other calls could share: the tools come first."""
        return []

    def read(self, reply: ModelReply, state: TurnState) -> Turn:
        """Take the provider's own tool calls."""
        return Turn(tuple(reply.tool_calls), reply.text)
