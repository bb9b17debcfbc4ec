"""Going back in the tab's history."""

from webbrain.core.results import ToolResult
from webbrain.tools.base import ToolContext
from webbrain.tools.history import HistoryArgs, history_tool, travel


class Args(HistoryArgs):
    """Go back in this tab's history. "no_history": at the beginning. blockedUnsavedChanges: entries would
    be lost."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Go back step by step."""
    return await travel(ctx, ctx.host.browser.go_back, args.steps, force=args.force)


SPEC = history_tool("go_back", Args, run, label="Go back")
