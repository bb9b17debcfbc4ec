"""Clicking an element of the tree."""

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec


class Args(ToolArgs):
    """Click an element of the last tree: link, button, tab, checkbox, menu item. Not for native selects
    (use type_ax) or for typing. Look at changed and the address to see what came of it. "stale": read the
    tree again. "covered" or "disabled": deal with what is in the way first. A click that submits a form may
    first be shown to the user, who can refuse."""

    ref_id: str = Field(description="e.g. ref_12")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Click, and wait for a page that the click opens."""
    return await act(ctx, "click_ax", args.model_dump(), summary="clicked", submits=bool(ctx.submit_token))


SPEC = spec(
    "click_ax",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Click {ref_id}",
    acts_on="click",
    timeout=ACTING_TIMEOUT,
    example='{"ref_id": "ref_12"}',
)
