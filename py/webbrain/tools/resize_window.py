"""Changing the size and place of the run's window."""

from dataclasses import asdict
from typing import Final

from pydantic import Field

from webbrain.core.limits import PAGE_ACTION_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec

NARROWEST: Final = 320
LOWEST: Final = 240
LARGEST: Final = 10_000
"""Pixels; what screens can be."""


class Args(ToolArgs):
    """Resize the window the user sees, if the task asks for it."""

    width: int = Field(ge=NARROWEST, le=LARGEST)
    height: int = Field(ge=LOWEST, le=LARGEST)
    left: int | None = None
    top: int | None = None


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Resize, and report what the window really became."""
    tab = await ctx.host.browser.get_tab(ctx.tab_id)
    became = await ctx.host.windows.resize(tab.window_id, **args.model_dump())
    result = ToolResult.ok(f"{became.width} x {became.height}", window=asdict(became))
    if (became.width, became.height) != (args.width, args.height):
        result.data["asAsked"] = False
    return result


SPEC = spec(
    "resize_window",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.FULL,),
    capability=Capability.WINDOW,
    untrusted=False,
    effect=True,
    label="Resize the window to {width} x {height}",
    timeout=PAGE_ACTION_TIMEOUT,
    example='{"width": 1280, "height": 800}',
)
