"""The page as a tree of roles, names and refs: the agent's eyes."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.trees import tree_result

WINDOW_CHARS: Final = 6_000
"""The largest part of a tree that one ordinary call returns."""
WIDE_WINDOW_CHARS: Final = 12_000
"""The same for models that can take it."""
WIDE_CONTEXT_TOKENS: Final = 65_536
"""Context window from which on a Mid or Full model may ask for the wide part."""
SMALLEST_WINDOW_CHARS: Final = 500
DEEPEST: Final = 50

DISCOVERED: Final = "thread_discovered"
"""Where ``RunState.memory`` keeps that a conversation which is to be read whole was looked at."""

Revision = Annotated[str, Field(coerce_numbers_to_str=True)]
Filter = Literal["all", "visible", "interactive"]


class Continuation(ToolArgs):
    """The object a truncated tree gave for its next page."""

    filter: Filter | None = None
    maxDepth: int | None = None
    maxChars: int | None = None
    ref_id: str | None = None
    page: int | None = None
    tree_revision: Revision | None = None


class Args(ToolArgs):
    """Read the page as an indented tree of roles, names and [ref_N] ids, which click_ax, set_field and
    others take. Open dialogs and menus come first. If
    hasMore is true, call again with the returned continuationArgs. "stale_snapshot": start again at page
    1."""

    filter: Filter = Field("all", description="visible: in the viewport")
    maxDepth: int = Field(15, ge=1, le=DEEPEST)
    maxChars: int | None = Field(None, ge=SMALLEST_WINDOW_CHARS, le=WIDE_WINDOW_CHARS)
    ref_id: str | None = Field(None, description="Only this part, values in full")
    page: int = Field(1, ge=1)
    tree_revision: Revision | None = None
    continuationArgs: Continuation | None = Field(None, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page for one part of its tree; the list of controls goes to the agent, not to the model."""
    asked = args.model_dump(exclude={"continuationArgs"}, exclude_none=True)
    if args.continuationArgs:
        asked |= args.continuationArgs.model_dump(exclude_none=True)
    if asked.get("page", 1) < 2:
        asked.pop("tree_revision", None)
    wide = ctx.tier is not Tier.COMPACT and ctx.context_window >= WIDE_CONTEXT_TOKENS
    if wide and _discovers_thread(ctx, asked):
        asked["maxChars"] = WIDE_WINDOW_CHARS
    if "maxChars" in asked:
        asked["maxChars"] = min(asked["maxChars"], WIDE_WINDOW_CHARS if wide else WINDOW_CHARS)
    asked["refs_after"] = ctx.refs.highest
    answer = await ctx.page("tree", asked, timeout=PAGE_READ_TIMEOUT)
    result = tree_result(answer)
    result.private["wide"] = wide and asked.get("maxChars", 0) > WINDOW_CHARS
    return result


def _discovers_thread(ctx: ToolContext, asked: Mapping[str, Any]) -> bool:
    """Whether this is the first look at a conversation that is to be read whole, and nobody said how much of
    it at once. Later reads go on with what this one returns.
    """
    if ctx.state.read_scope != "complete_thread" or ctx.state.memory.get(DISCOVERED):
        return False
    if asked["filter"] != "all" or asked.get("page", 1) > 1:
        return False
    ctx.state.memory[DISCOVERED] = True
    return "maxChars" not in asked


SPEC = spec(
    "get_accessibility_tree",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Read the page's elements",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"filter": "visible"}',
)
