"""What the agent knows of a model: one protocol, and the facts that steer mode, tier and streaming."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.core.types import Tier
from webbrain.providers.cost import Prices

SCHEMA_REFUSED: Final = "schema_refused"
"""The code by which a client says that its service does not take a schema for the answer. Its ``info`` has
neither ``structured`` nor ``constrained`` from then on."""


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
    supports_documents: bool = False
    document_bytes: int = 0
    """The most bytes that a document may have."""
    streams_in_ask: bool = True
    constrained: bool = False
    structured: bool = False
    """Its answers can be held to a JSON schema: ``ModelRequest.response_schema`` is obeyed."""
    local: bool = False
    prices: Prices | None = None
    """``None`` if calls cost nothing."""


class ModelClient(Protocol):
    """One configured model, for one run: what it learns about broken streams ends with the run."""

    @property
    def info(self) -> ModelInfo:
        """Facts about the model. They may change during the run: it may lose its eyes, or its schemas."""
        ...

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """Return a whole answer or raise ``ProviderFailed``.

        With ``request.stream`` text pieces go to ``on_delta`` as they come; tool calls are returned only
        after the terminal event. If a stream breaks, ``on_reset`` is called once: all text given to
        ``on_delta`` so far is void, and the same answer is asked for again without streaming. Cancelling
        the coroutine aborts the transfer at once.
        """
        ...


def model_differs(asked: str, answered: str) -> bool:
    """True if a server answered with another model than the one asked for.

    Aliases that only add a date, a tag or a path (``gpt-5.2`` and ``gpt-5.2-2025-12-11``) are the same model.
    """
    wanted, got = asked.strip().lower(), answered.strip().lower()
    if not wanted or not got:
        return False
    wanted, got = wanted.removeprefix("models/"), got.removeprefix("models/")
    if wanted.startswith("~") or wanted.endswith(("/free", "/auto", "-latest", ":latest")):
        return False
    short, long = sorted((wanted, got), key=len)
    return not (long.startswith(short) or long.endswith(("/" + short, "/" + short + ".gguf")))
