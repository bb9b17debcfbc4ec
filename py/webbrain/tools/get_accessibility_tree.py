"""The page as a tree of roles, names and refs: the agent's eyes."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

WINDOW_CHARS: Final = 6_000
"""The largest part of a tree that one ordinary call returns."""
WIDE_WINDOW_CHARS: Final = 12_000
"""The same for models that can take it."""
WIDE_CONTEXT_TOKENS: Final = 65_536
"""Context window from which on a Mid or Full model may ask for the wide part."""
SMALLEST_WINDOW_CHARS: Final = 500
DEEPEST: Final = 50

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
    """Read the page as an indented tree of roles, names and [ref_N] ids; the ids are what click_ax, type_ax
    and set_field take. Use it first, and again after the page changed. Open dialogs and menus come first.
    If hasMore is true, call again with the returned continuationArgs. "stale_snapshot": start again at
    page 1."""

    filter: Filter = Field("all", description="visible: in the viewport; interactive: controls only")
    maxDepth: int = Field(15, ge=1, le=DEEPEST)
    maxChars: int | None = Field(
        None, ge=SMALLEST_WINDOW_CHARS, le=WIDE_WINDOW_CHARS, description="Size of one page of the tree"
    )
    ref_id: str | None = Field(None, description="Only this element's part, with field values in full")
    page: int = Field(1, ge=1)
    tree_revision: Revision | None = Field(None, description="Of page 1; for page 2 and later")
    continuationArgs: Continuation | None = Field(None, description="As returned; overrides the others")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page for one part of its tree; the list of controls goes to the agent, not to the model."""
    asked = args.model_dump(exclude={"continuationArgs"}, exclude_none=True)
    if args.continuationArgs:
        asked |= args.continuationArgs.model_dump(exclude_none=True)
    if asked.get("page", 1) < 2:
        asked.pop("tree_revision", None)
    wide = ctx.tier is not Tier.COMPACT and ctx.context_window >= WIDE_CONTEXT_TOKENS
    if "maxChars" in asked:
        asked["maxChars"] = min(asked["maxChars"], WIDE_WINDOW_CHARS if wide else WINDOW_CHARS)
    asked["refs_after"] = ctx.refs.highest
    answer = await ctx.page("tree", asked, timeout=PAGE_READ_TIMEOUT)
    ctx.refs.learn(answer)
    answer.pop("lastRef", None)
    result = from_page(answer, _summary(answer))
    result.private = {
        "controls": result.data.pop("controls", []),
        "wide": wide and asked.get("maxChars", 0) > WINDOW_CHARS,
    }
    result.data = _tree_last(result.data)
    return result


def _summary(answer: dict[str, Any]) -> str:
    lines = str(answer.get("pageContent", "")).count("\n") + 1
    more = ", more follows" if answer.get("hasMore") else ""
    return f"{lines} lines{more}"


def _tree_last(data: dict[str, Any]) -> dict[str, Any]:
    """Drop what says nothing and put the long text last, so that a hard cut never takes the paging away."""
    kept = {key: value for key, value in data.items() if value not in (None, "", False, [])}
    kept.pop("pageContent", None)
    return kept | {"pageContent": data["pageContent"]} if "pageContent" in data else kept


SPEC = spec(
    "get_accessibility_tree",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Read the page's elements",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"filter": "visible"}',
)
