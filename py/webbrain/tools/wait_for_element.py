"""Waiting for something to appear."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

DEFAULT_MS: Final = 5_000
LONGEST_MS: Final = 30_000
ANSWER_SECONDS: Final = 10.0
"""What a busy page may need on top of the wait itself."""


class Args(ToolArgs):
    """Wait until an element that fits a CSS selector is shown. found=false is an answer: read the page."""

    selector: str = Field(min_length=1, max_length=500)
    timeout: int = Field(DEFAULT_MS, ge=0, le=LONGEST_MS, description="Milliseconds")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Let the page wait; its answer is one line whether or not the element came."""
    limit = args.timeout / 1000 + ANSWER_SECONDS
    answer = await ctx.page("wait_for_element", args.model_dump(), timeout=limit)
    return from_page(answer, "found" if answer.get("found") else "not found in time")


SPEC = spec(
    "wait_for_element",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Wait for {selector}",
    timeout=LONGEST_MS / 1000 + ANSWER_SECONDS + 5,
    example='{"selector": "#results"}',
)
