"""Waiting until a page has come to rest."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

DEFAULT_MS: Final = 5_000
LONGEST_MS: Final = 20_000
DEFAULT_QUIET_MS: Final = 500
LONGEST_QUIET_MS: Final = 3_000
ANSWER_SECONDS: Final = 10.0
"""What a busy page may need on top of the wait itself."""


class Args(ToolArgs):
    """Wait until the page has stopped changing and loading, at most timeout ms. stable=false is an
    answer."""

    timeout: int = Field(DEFAULT_MS, ge=0, le=LONGEST_MS)
    quietMs: int = Field(DEFAULT_QUIET_MS, ge=0, le=LONGEST_QUIET_MS, json_schema_extra={UNTOLD: True})
    checkNetwork: bool = Field(True, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Let the page wait; it answers whether or not it came to rest."""
    limit = args.timeout / 1000 + ANSWER_SECONDS
    answer = await ctx.page("wait_for_stable", args.model_dump(), timeout=limit)
    return from_page(answer, "stable" if answer.get("stable") else "still changing")


SPEC = spec(
    "wait_for_stable",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Wait until the page is still",
    timeout=LONGEST_MS / 1000 + ANSWER_SECONDS + 5,
    example="{}",
)
