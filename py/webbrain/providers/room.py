"""Small questions to models that may think first: a thinking model can use up the room of a short answer
before it says anything."""

from collections.abc import Callable
from typing import Final

from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.providers.base import ModelClient

ROOM: Final = 4_096
"""Tokens of the second try."""
NO_ROOM: Final = (
    f"The model used up {ROOM:,} tokens before it was done, probably for thinking. Choose less thinking, or "
    "another model."
)


async def with_room(
    client: ModelClient, request: ModelRequest, enough: Callable[[ModelReply], bool]
) -> tuple[ModelReply | None, bool]:
    """Ask; once more without thinking and with more room if the answer was cut off and is not ``enough``.

    Returns the answer, ``None`` if it was cut off inside a call, and whether it still was cut off. Raises the
    ``ProviderFailed`` of the first try; a second one that fails otherwise changes nothing about the first.
    """
    reply, cut = await _try(client, request)
    if not cut or (reply is not None and enough(reply)):
        return reply, False
    roomy = request.model_copy(update={"thinking": "off", "max_tokens": max(ROOM, request.max_tokens)})
    try:
        return await _try(client, roomy)
    except ProviderFailed:
        return reply, True


async def _try(client: ModelClient, request: ModelRequest) -> tuple[ModelReply | None, bool]:
    try:
        reply = await client.complete(request)
    except ProviderFailed as failure:
        if failure.code == "answer_cut":
            return None, True
        raise
    return reply, reply.finish == "length"
