"""Clicking in an embedded frame, by selector."""

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolContext, spec
from webbrain.tools.frames import FrameArgs, pick, within


class Args(FrameArgs):
    """Click in a frame by CSS selector. With a ref from iframe_read use click_ax. "ambiguous": say
    which."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Click in the one frame that fits."""
    frame = await pick(ctx, args.urlFilter, frame_id=args.frameId)
    asked = args.model_dump(include={"selector", "matchIndex"})
    return await act(
        within(ctx, frame), "frame_click", asked, summary="clicked", submits=bool(ctx.submit_token)
    )


SPEC = spec(
    "iframe_click",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Click {selector} in {urlFilter}",
    timeout=ACTING_TIMEOUT,
    example='{"urlFilter": "pay.example/card", "selector": "button.pay"}',
)
