"""The shadow roots of a page."""

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page


class Args(ToolArgs):
    """List shadow roots, open and closed, with their shadowPath. Their controls are in the tree too."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page."""
    answer = await ctx.page("get_shadow_dom", {}, timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, f"{len(answer.get('hosts') or [])} shadow roots")


SPEC = spec(
    "get_shadow_dom",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.FULL,),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="List shadow roots",
    timeout=PAGE_READ_TIMEOUT + 10,
    example="{}",
    dev_tiers=(Tier.MID,),
)
