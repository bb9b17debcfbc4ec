"""What is in an embedded frame."""

from typing import Any, Final

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.frames import FILTER, MOST_FILTER_CHARS, pick
from webbrain.tools.problems import from_page
from webbrain.tools.trees import tree_result

DEFAULT_LIMIT: Final = 25
MOST_LIMIT: Final = 50
MEMORY: Final = "iframe_read"
"""Where ``RunState.memory`` holds the revision of each frame's tree that is being paged through."""


class Args(ToolArgs):
    """Read an embedded frame: its tree, whose refs work with click_ax, set_field and the others; or the
    elements that fit selector. If hasMore, repeat with the fields of continuationArgs."""

    urlFilter: str | None = Field(None, max_length=MOST_FILTER_CHARS, description=FILTER)
    frameId: int | None = None
    selector: str | None = Field(None, min_length=1, max_length=500)
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MOST_LIMIT, json_schema_extra={UNTOLD: True})
    offset: int = Field(0, ge=0)
    page: int = Field(1, ge=1)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Read the frame by its own content script."""
    frame = await pick(ctx, args.urlFilter, frame_id=args.frameId)
    more: dict[str, Any]
    if args.selector is None:
        result = await _tree(ctx, frame.id, args.page)
        more = {"page": result.data.get("nextPage")}
    else:
        asked = args.model_dump(include={"selector", "limit", "offset"})
        answer = await ctx.page("frame_read", asked, timeout=PAGE_READ_TIMEOUT, frame_id=frame.id)
        result = from_page(answer, f"{answer.get('total', 0)} matches")
        more = {**asked, "offset": result.data.pop("nextOffset", None)}
    result.data.pop("continuationArgs", None)
    if result.data.get("hasMore"):
        named = args.model_dump(include={"urlFilter", "frameId"}, exclude_none=True)
        result.data = {"continuationArgs": named | more} | result.data
    return result


async def _tree(ctx: ToolContext, frame_id: int, page: int) -> ToolResult:
    revisions: dict[int, str] = ctx.state.memory.setdefault(MEMORY, {})
    asked: dict[str, Any] = {"filter": "all", "page": page, "refs_after": ctx.refs.highest}
    if page > 1 and frame_id in revisions:
        asked["tree_revision"] = revisions[frame_id]
    answer = await ctx.page("tree", asked, timeout=PAGE_READ_TIMEOUT, frame_id=frame_id)
    revisions[frame_id] = str(answer.pop("treeRevision", ""))
    return tree_result(answer)


SPEC = spec(
    "iframe_read",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Read the frame {urlFilter}",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"urlFilter": "pay.example/card"}',
)
