"""The text the user has selected in the page."""

from typing import Final

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

SELECTION_CHARS: Final = 6_000


class Args(ToolArgs):
    """Get the text the user has selected in the page: what "this" means. Empty: nothing is selected."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page for its selection, cut at ``SELECTION_CHARS``."""
    result = from_page(await ctx.page("get_selection", {}, timeout=PAGE_READ_TIMEOUT), "")
    if not result.success:
        return result
    text = str(result.data.get("text", ""))
    result.data["text"] = text[:SELECTION_CHARS]
    if len(text) > SELECTION_CHARS:
        result.data |= {"truncated": True, "totalChars": len(text)}
    result.summary = f"{len(text)} characters selected" if text else "nothing is selected"
    return result


SPEC = spec(
    "get_selection",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Read the selected text",
    timeout=PAGE_READ_TIMEOUT + 10,
    example="{}",
)
