"""Moving along a tab's history, in either direction."""

from collections.abc import Awaitable, Callable
from typing import Final

from pydantic import Field

from webbrain.core.errors import BridgeError
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import Run, ToolArgs, ToolContext, ToolSpec, spec
from webbrain.tools.following import LOAD_WAIT, START_GRACE_LIKELY
from webbrain.tools.leaving import arrive, leave, place, refusal_to_leave

MOST_STEPS: Final = 10
INTERNAL: Final = ("about:", "brave:", "chrome:", "devtools:", "edge:", "view-source:")
"""Pages of the browser itself: their history is the user's, not the agent's."""
HISTORY_TIMEOUT: Final = MOST_STEPS * (LOAD_WAIT + START_GRACE_LIKELY) + 10


class HistoryArgs(ToolArgs):
    """What both directions take."""

    steps: int = Field(1, ge=1, le=MOST_STEPS)
    force: bool = False


def history_tool(name: str, args: type[HistoryArgs], run: Run, *, label: str) -> ToolSpec:
    """The specification of one direction."""
    return spec(
        name,
        args=args,
        run=run,
        modes=(Mode.ACT,),
        tiers=(Tier.MID, Tier.FULL),
        capability=Capability.NAVIGATE,
        untrusted=True,
        effect=True,
        label=label,
        timeout=HISTORY_TIMEOUT,
        example="{}",
    )


async def travel(
    ctx: ToolContext, step: Callable[[int], Awaitable[None]], steps: int, *, force: bool
) -> ToolResult:
    """Take ``steps`` steps, each awaited; stop where the history ends. Success means that the address
    changed."""
    start = await ctx.host.browser.get_tab(ctx.tab_id)
    if start.url.startswith(INTERNAL) and start.url != "about:blank":
        raise BridgeError("A page of the browser itself.", code="restricted_page")
    refusal = await refusal_to_leave(ctx, start, force=force)
    if refusal:
        return refusal
    tab, taken = start, 0
    for _ in range(steps):
        try:
            tab, moved = await leave(ctx, tab, step(ctx.tab_id), force=force)
        except BridgeError as error:
            if error.code == "no_history" and taken:
                break
            raise
        if not moved:
            break
        taken += 1
    if not taken:
        return ToolResult.error("The tab still shows the same page.", code="not_navigated", **place(tab))
    result = ToolResult.ok(f"{taken} of {steps} steps", steps=taken, **place(tab))
    result.data["previousUrl"] = place(start)["url"]
    return await arrive(ctx, tab, result)
