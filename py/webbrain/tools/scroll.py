"""Moving the page or a container within it."""

from typing import Final, Literal

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

DEFAULT_PIXELS: Final = 500
MOST_PIXELS: Final = 20_000


class Args(ToolArgs):
    """Scroll the page, or the list, panel or dialog around ref_id, to load or see more; clicking scrolls by
    itself. moved=false: the end is reached, or name a ref_id inside the right container."""

    direction: Literal["up", "down", "top", "bottom"]
    amount: int = Field(DEFAULT_PIXELS, ge=1, le=MOST_PIXELS, description="Pixels")
    ref_id: str | None = Field(None)
    x: float | None = Field(None, description="With y: a point in the container")
    y: float | None = None
    alsoWindow: bool = Field(False, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Scroll and pass on what really moved."""
    asked = args.model_dump(exclude_none=True)
    answer = await ctx.page("scroll", asked, timeout=PAGE_READ_TIMEOUT)
    return from_page(answer, "scrolled" if answer.get("moved") else "nothing moved")


SPEC = spec(
    "scroll",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Scroll {direction}",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"direction": "down"}',
)
