"""Going forward in the tab's history."""

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.history import HISTORY_TIMEOUT, MOST_STEPS, travel


class Args(ToolArgs):
    """Go forward in this tab's history, after go_back, and wait for the page. Fails with "no_history" at
    the end. blockedUnsavedChanges: entries in the page would be lost."""

    steps: int = Field(1, ge=1, le=MOST_STEPS)
    force: bool = Field(False, description="Leave even if entries are lost; only if the user wants that")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Go forward step by step."""
    return await travel(ctx, ctx.host.browser.go_forward, args.steps, force=args.force)


SPEC = spec(
    "go_forward",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NAVIGATE,
    untrusted=True,
    effect=True,
    label="Go forward",
    timeout=HISTORY_TIMEOUT,
    example="{}",
)
