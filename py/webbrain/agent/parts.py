"""What the loop is put together from. ``app.py`` fills it with the real parts, tests with their own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from webbrain.agent.turns import TurnStrategy
from webbrain.core.events import Card
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.policy.grants import Leave
from webbrain.providers.base import ModelInfo
from webbrain.tools.base import ToolContext, ToolSpec


class ConfirmPolicy(Protocol):
    """Says which calls a person must allow first. One instance per run; calls come one after the other.

    A call is put to every policy in turn, and to each of them again after every card that it was allowed.
    """

    async def needs_card(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> Card | None:
        """The next card to show before this call, or ``None``; raise ``ToolFailed`` if the call must not be
        made. ``args`` is the same object as long as the call is.
        """
        ...

    async def answered(self, answer: str) -> ToolResult | None:
        """Take up what was chosen on the last card. ``None`` lets the call go on, a result is its result."""
        ...

    def context(self, ctx: ToolContext) -> ToolContext:
        """What the tool must run with after the questions were settled."""
        ...

    def ended(self, result: ToolResult) -> None:
        """The call that was let through has this result."""
        ...


@dataclass(frozen=True, slots=True)
class AgentParts:
    """The parts of the loop that are decided elsewhere."""

    tools_for: Callable[[Mode, Tier, Capabilities], Sequence[ToolSpec]]
    """What a model sees; asked before every step."""
    system_prompt: Callable[[Mode, Tier, bool], str]
    """By mode, tier and whether the calls are constrained."""
    render: Callable[[ToolSpec, ToolResult], str]
    """A result as the model reads it: capped, and wrapped where a page had a say in it."""
    strategy: Callable[[ModelInfo], TurnStrategy]
    confirm: Callable[[Leave], Sequence[ConfirmPolicy]]
    """The policies of a new run, in the order they are asked."""
    plans: bool = False
    """Tasks are planned first, as the user's settings say."""
