"""Elements in shadow roots, by selector."""

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.tools.base import PAGE, ToolArgs, ToolContext
from webbrain.tools.problems import from_page
from webbrain.tools.structure import structure_spec


class Args(ToolArgs):
    """Find elements in shadow roots by CSS selector and get refs for them."""

    selector: str = Field(min_length=1, max_length=500)
    shadowPath: str | None = Field(None, max_length=2_000)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page."""
    answer = await ctx.page("shadow_dom_query", args.model_dump(exclude_none=True), timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, f"{len(answer.get('matches') or [])} matches")


SPEC = structure_spec(
    "shadow_dom_query",
    args=Args,
    run=run,
    label="Find {selector} in shadow roots",
    example='{"selector": "button"}',
    shows=PAGE,
)
