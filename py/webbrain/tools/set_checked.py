"""Bringing a checkbox, radio button or switch into a state."""

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec


class Args(ToolArgs):
    """Tick or untick a checkbox, radio or switch: at most one click, only if needed, and checked
    afterwards."""

    ref_id: str
    checked: bool


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Set the state, and pass on what it was and is."""
    return await act(ctx, "set_checked", args.model_dump(), summary="ticked" if args.checked else "unticked")


SPEC = spec(
    "set_checked",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Set {ref_id} to {checked}",
    acts_on="click",
    timeout=ACTING_TIMEOUT,
    example='{"ref_id": "ref_12", "checked": true}',
)
