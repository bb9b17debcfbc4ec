"""Typing in an embedded frame, by selector."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import guard_result
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolContext, spec
from webbrain.tools.frames import FrameArgs, editing, pick, within

MOST_TEXT_CHARS: Final = 20_000


class Args(FrameArgs):
    """Type in a frame by CSS selector. With a ref from iframe_read use set_field. "ambiguous": say
    which."""

    text: str = Field(max_length=MOST_TEXT_CHARS)
    clear: bool = False


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Type in the one frame that fits, and pass on what the field held afterwards."""
    frame = await pick(ctx, args.urlFilter, frame_id=args.frameId)
    inside = within(ctx, frame)
    asked = args.model_dump(exclude={"urlFilter", "frameId"})
    async with editing(inside, asked) as ended:
        return guard_result(ended(await act(inside, "frame_type", asked, summary="typed")))


SPEC = spec(
    "iframe_type",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.TYPE,
    untrusted=True,
    effect=True,
    label="Type into {selector} in {urlFilter}",
    timeout=ACTING_TIMEOUT,
    example='{"urlFilter": "pay.example/card", "selector": "input[name=holder]", "text": "Ada Lovelace"}',
)
