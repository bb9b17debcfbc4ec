"""The controls of a page as a plain list."""

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page


class Args(ToolArgs):
    """List the controls of the page or of its open dialog, with index (for click), rect and options, when
    the tree lacks something."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page."""
    answer = await ctx.page("get_interactive_elements", {}, timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, f"{len(answer.get('elements') or [])} controls")


SPEC = spec(
    "get_interactive_elements",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="List the controls",
    timeout=PAGE_READ_TIMEOUT + 10,
    example="{}",
)
