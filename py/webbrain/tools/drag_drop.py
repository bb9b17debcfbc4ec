"""Dragging one element onto another, or by a distance."""

from typing import Final

from pydantic import Field

from webbrain.core.errors import ModelMayRetry
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools import frame_refs
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec

DEFAULT_STEPS: Final = 10
MOST_STEPS: Final = 100


class Args(ToolArgs):
    """Drag an element onto another (toRefId), by dx, dy pixels, or both: then from the target's middle.
    Look at changed."""

    fromRefId: str
    toRefId: str | None = None
    dx: float | None = None
    dy: float | None = None
    steps: int = Field(DEFAULT_STEPS, ge=1, le=MOST_STEPS, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Drag, and say what moved."""
    if args.toRefId is None and not args.dx and not args.dy:
        raise ModelMayRetry("drag_drop needs a target: toRefId, or dx and dy.")
    start, end = (
        frame_refs.frame_of_ref(ctx.state, ctx.tab_id, ref)
        for ref in (args.fromRefId, args.toRefId or args.fromRefId)
    )
    if start != end:
        return ToolResult.error(
            "The two elements are in different frames, and nothing can be dragged between those.",
            code="other_frame",
        )
    return await act(ctx, "drag_drop", args.model_dump(exclude_none=True), summary="dragged")


SPEC = spec(
    "drag_drop",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.FULL,),
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Drag {fromRefId} to {toRefId}",
    timeout=ACTING_TIMEOUT,
    example='{"fromRefId": "ref_12", "toRefId": "ref_20"}',
)
