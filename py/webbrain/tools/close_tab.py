"""Closing a tab that the run opened."""

from typing import Final

from pydantic import Field

from webbrain.core.errors import BridgeError
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.dialogs import answer
from webbrain.tools.state import IN_USE

LEAVE_WAIT: Final = 1.0
"""Seconds in which a page that asks whether it may be left does so."""


class Args(ToolArgs):
    """Close a tab that this task opened. Do so with every tab that is no longer needed."""

    tab_id: int = Field(ge=0)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Close it; a run that worked there goes back to where it began."""
    state = ctx.state
    if args.tab_id not in state.opened or args.tab_id == state.home:
        return ToolResult.error(
            "Only tabs that this task opened can be closed; the user's own tabs are theirs.",
            code="not_our_tab",
            tabs=sorted(state.opened),
        )
    if state.taken(args.tab_id):
        return ToolResult.error(IN_USE, code="tab_in_use")
    since = state.signals.mark
    await ctx.host.browser.close_tab(args.tab_id)
    if await _is_there(ctx, args.tab_id):
        await state.signals.first(
            lambda event: event.tab_id == args.tab_id, ctx.host.clock.sleep(LEAVE_WAIT), since=since
        )
        dialog = state.dialogs.get(args.tab_id)
        if dialog is not None:
            await answer(ctx.host, state, dialog, accept=False)
            return ToolResult.error(
                "The page asked whether it may be left, because entries may be lost, and it was kept.",
                code="unsaved_changes",
            )
    if args.tab_id in state.opened:
        del state.opened[args.tab_id]
    if state.tab_id == args.tab_id:
        state.tab_id = state.home
    return ToolResult.ok("tab closed", closed=args.tab_id, tabId=state.tab_id)


async def _is_there(ctx: ToolContext, tab_id: int) -> bool:
    try:
        await ctx.host.browser.get_tab(tab_id)
    except BridgeError:
        return False
    return True


SPEC = spec(
    "close_tab",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NAVIGATE,
    untrusted=False,
    effect=True,
    label="Close tab {tab_id}",
    example='{"tab_id": 9}',
)
