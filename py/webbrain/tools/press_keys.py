"""Pressing a key in the page."""

from typing import Literal

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec


class Args(ToolArgs):
    """Press a key where the focus is. Escape closes pop-ups, Tab moves the focus, arrows move in lists,
    sliders and menus, Enter accepts or sends. To type text use set_field. The result names the target that
    had the focus. Enter in a form sends it: the user may be asked first."""

    key: Literal["Escape", "Tab", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]
    repeat: int = Field(1, ge=1, le=3)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Press, and wait for a page that Enter opens."""
    return await act(ctx, "press_keys", args.model_dump(), summary="pressed", submits=args.key == "Enter")


SPEC = spec(
    "press_keys",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Press {key}",
    timeout=ACTING_TIMEOUT,
    example='{"key": "Escape"}',
)
