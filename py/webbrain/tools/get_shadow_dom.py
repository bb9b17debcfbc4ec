"""The shadow roots of a page."""

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.tools.base import ToolArgs, ToolContext
from webbrain.tools.problems import from_page
from webbrain.tools.structure import structure_spec


class Args(ToolArgs):
    """List shadow roots, open and closed, with their shadowPath. Their controls are in the tree too."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page."""
    answer = await ctx.page("get_shadow_dom", {}, timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, f"{len(answer.get('hosts') or [])} shadow roots")


SPEC = structure_spec("get_shadow_dom", args=Args, run=run, label="List shadow roots", example="{}")
