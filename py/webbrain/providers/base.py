"""What the agent knows of a model: one protocol, and the facts that steer mode, tier and streaming."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.core.types import Tier


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts about the chosen model. ``constrained`` asks for schema-held answers instead of native tools."""

    provider_id: str
    label: str
    model: str
    tier: Tier
    context_window: int
    supports_tools: bool = True
    supports_vision: bool = False
    streams_in_ask: bool = True
    constrained: bool = False
    local: bool = False


class ModelClient(Protocol):
    """One configured model."""

    info: ModelInfo

    async def complete(
        self, request: ModelRequest, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return a whole answer or raise ``ProviderFailed``.

        With ``request.stream`` text pieces go to ``on_delta`` as they come; tool calls are returned only after the
        terminal event. Cancelling the coroutine aborts the transfer at once.
        """
        ...
