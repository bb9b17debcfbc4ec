"""Pressing a key in the page."""

from typing import Final, Literal

from pydantic import Field, model_validator

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_REPEATS: Final = 25
"""Enough for a slider's way in a few calls."""


class Args(ToolArgs):
    """Press a key where the focus is: Escape closes pop-ups, Tab moves on, arrows move in lists, sliders
    and menus, Enter accepts or sends. The result names the target."""

    key: Literal["Escape", "Tab", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]
    repeat: int = Field(1, ge=1, le=MOST_REPEATS)

    @model_validator(mode="after")
    def _sends_once(self) -> "Args":
        if self.key == "Enter" and self.repeat != 1:
            raise ValueError("Enter may send something, so it is pressed once in a call: leave out repeat")
        return self


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
