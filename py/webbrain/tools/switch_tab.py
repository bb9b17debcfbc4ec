"""Going on in another tab of the run."""

from typing import Final

from pydantic import Field

from webbrain.core.limits import PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.following import LOAD_WAIT, STILL_LOADING_NOTE
from webbrain.tools.leaving import EXTENSION_SCHEMES, place
from webbrain.tools.state import IN_USE, unless_dialog

TIMEOUT: Final = LOAD_WAIT + 15.0


class Args(ToolArgs):
    """Go on in another tab of this task: the one it began in, or one that an action opened (newTab)."""

    tab_id: int = Field(ge=0)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Move the run; the browser's own active tab stays what it is."""
    state = ctx.state
    if args.tab_id not in state.tabs:
        return ToolResult.error(
            "This tab does not belong to the task. Only the tab it began in and those it opened do.",
            code="not_our_tab",
            tabs=[
                {"tabId": tab_id, "url": state.opened.get(tab_id, "")[:PAGE_URL_CHARS]}
                for tab_id in sorted(state.tabs)
            ],
        )
    tab = await ctx.host.browser.get_tab(args.tab_id)
    if tab.url.startswith(EXTENSION_SCHEMES):
        return ToolResult.error("This tab shows a page of an extension; it is no target.", code="own_page")
    if state.taken(tab.id):
        return ToolResult.error(IN_USE, code="tab_in_use")
    state.tab_id = tab.id
    if tab.id != state.home:
        state.visited.add(tab.id)
    tab = await unless_dialog(state, ctx.host.browser.wait_loaded(tab.id, LOAD_WAIT))
    result = ToolResult.ok("switched", tabId=tab.id, **place(tab))
    result.notes.append(f"The run works in tab {tab.id} now. Read the page before the next action.")
    if tab.status == "loading":
        result.notes.append(STILL_LOADING_NOTE)
    return result


SPEC = spec(
    "switch_tab",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Go on in tab {tab_id}",
    timeout=TIMEOUT,
    example='{"tab_id": 7}',
)
