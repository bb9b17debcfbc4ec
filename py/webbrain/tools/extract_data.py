"""Tables, headings and images of a page as data."""

from typing import Literal

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page


class Args(ToolArgs):
    """Get the page's tables, headings or images as data."""

    type: Literal["tables", "headings", "images"]


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page."""
    answer = await ctx.page("extract_data", args.model_dump(), timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, f"{len(answer.get(args.type) or [])} {args.type}")


SPEC = spec(
    "extract_data",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Extract {type}",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"type": "tables"}',
)
