"""Clicking an element of the tree."""

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec


class Args(ToolArgs):
    """Click an element of the last tree; native selects take type_ax. changed and the address tell what came
    of it. "stale": read the tree again. "covered" or "disabled": deal with what is in the
    way."""

    ref_id: str = Field(description="e.g. ref_12")
    count: int = Field(1, ge=1, le=2)
    add: bool = Field(False, description="An option, keeping the others")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Click, and wait for a page that the click opens."""
    asked = args.model_dump(exclude_defaults=True)
    return await act(ctx, "click_ax", asked, summary="clicked", submits=bool(ctx.submit_token))


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
