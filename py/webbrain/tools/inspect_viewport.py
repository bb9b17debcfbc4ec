"""A look at the page as a person sees it."""

from typing import Final

from webbrain.core.errors import ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools import sight
from webbrain.tools.base import PAGE, ToolArgs, ToolContext, spec

LOOK_TIMEOUT: Final = 120.0
"""Seconds; a description by another model may take 90."""


class Args(ToolArgs):
    """See the visible part of the page as a picture (or described): for charts, maps, canvas, images,
    layout. For text and controls the tree is cheaper."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Take a picture; it reaches the model behind the results, a description stands in the result."""
    if ctx.sight is None:
        raise ToolFailed("Nobody can look at pictures here.", code="cannot_see")
    look = await ctx.sight.look(ctx.tab_id)
    sight.remember(ctx.state, look)
    if look.description:
        return ToolResult.ok("described", **look.as_data())
    return ToolResult.ok(f"{look.width} x {look.height}", **look.as_data())


SPEC = spec(
    "inspect_viewport",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Look at the page",
    timeout=LOOK_TIMEOUT,
    example="{}",
    needs_sight=True,
)
