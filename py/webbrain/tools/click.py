"""Clicking by text, selector, number or place."""

from typing import Any, Final, Literal

from pydantic import Field

from webbrain.core.errors import ModelMayRetry
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.pointing import click_args

MOST_TEXT_CHARS: Final = 300
MOST_SELECTOR_CHARS: Final = 500
WAYS: Final = ("text", "selector", "index", "x")


class Args(ToolArgs):
    """Click by visible text, CSS selector, index of get_interactive_elements, or x,y: exactly one. With a
    ref use click_ax. "ambiguous": nothing was clicked; take one of candidates."""

    text: str | None = Field(None, min_length=1, max_length=MOST_TEXT_CHARS)
    textMatch: Literal["exact", "prefix", "contains"] | None = Field(None, description="Else tried in turn")
    selector: str | None = Field(None, min_length=1, max_length=MOST_SELECTOR_CHARS)
    index: int | None = Field(None, ge=0)
    x: float | None = None
    y: float | None = None
    capture_id: str | None = Field(None, description="x,y are pixels of it, else CSS pixels")
    count: int = Field(1, ge=1, le=2)


def check(args: Args) -> None:
    """Raise ``ModelMayRetry`` unless exactly one target is named."""
    named = [way for way in WAYS if getattr(args, way) is not None]
    if len(named) != 1 or (args.x is None) != (args.y is None):
        raise ModelMayRetry("Give exactly one of text, selector, index, or x and y together.")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Click, and wait for a page that the click opens."""
    check(args)
    sent: dict[str, Any] = click_args(ctx.state, args.model_dump(exclude_none=True))
    return await act(ctx, "click", sent, summary="clicked", submits=bool(ctx.submit_token))


SPEC = spec(
    "click",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Click {text} {selector} {index} {x} {y}",
    timeout=ACTING_TIMEOUT,
    example='{"text": "Add to basket"}',
)
