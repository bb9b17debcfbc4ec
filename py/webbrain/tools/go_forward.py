"""Going forward in the tab's history."""

from webbrain.core.results import ToolResult
from webbrain.tools.base import ToolContext
from webbrain.tools.history import HistoryArgs, history_tool, travel


class Args(HistoryArgs):
    """Go forward again after go_back. "no_history": at the end."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Go forward step by step."""
    return await travel(ctx, ctx.host.browser.go_forward, args.steps, force=args.force)


SPEC = history_tool("go_forward", Args, run, label="Go forward")
