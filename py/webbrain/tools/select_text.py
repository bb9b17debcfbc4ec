"""Selecting text of the page, as one would with the mouse."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_TEXT_CHARS: Final = 2_000


class Args(ToolArgs):
    """Select all text of an element, or the given words in it."""

    ref_id: str
    text: str | None = Field(None, min_length=1, max_length=MOST_TEXT_CHARS)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Select, and pass on what the selection holds."""
    return await act(ctx, "select_text", args.model_dump(exclude_none=True), summary="text selected")


SPEC = spec(
    "select_text",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.FULL,),
    capability=Capability.NONE,
    untrusted=True,
    effect=True,
    label="Select text in {ref_id}",
    acts_on="any",
    timeout=ACTING_TIMEOUT,
    example='{"ref_id": "ref_12", "text": "second paragraph"}',
)
