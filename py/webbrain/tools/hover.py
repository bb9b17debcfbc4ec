"""Moving the pointer onto an element."""

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec


class Args(ToolArgs):
    """Rest the pointer on an element, for menus and hints. Clicks nothing."""

    ref_id: str


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Hover, and say what it opened."""
    return await act(ctx, "hover", args.model_dump(), summary="pointer moved")


SPEC = spec(
    "hover",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.FULL,),
    capability=Capability.NONE,
    untrusted=True,
    effect=True,
    label="Point at {ref_id}",
    acts_on="any",
    timeout=ACTING_TIMEOUT,
    example='{"ref_id": "ref_12"}',
)
