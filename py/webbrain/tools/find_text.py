"""Finding words on the page."""

from typing import Final

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

MOST_TEXT_CHARS: Final = 500


class Args(ToolArgs):
    """Find words on the page: scrolls to the next match and gives its surroundings and ref."""

    text: str = Field(min_length=1, max_length=MOST_TEXT_CHARS)
    matchCase: bool = False
    backwards: bool = False
    wrap: bool = Field(True, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Find the next match; none is an answer too."""
    answer = await ctx.page("find_text", args.model_dump(), timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, "found" if answer.get("found") else "not found")


SPEC = spec(
    "find_text",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Find “{text}”",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"text": "Delivery"}',
)
