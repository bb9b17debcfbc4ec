"""Opening an address in a tab of its own, in the background."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.egress import NOT_BLANK
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.leaving import place
from webbrain.tools.opening import MOST_URL_CHARS, BadAddress, resolve

OPEN_MOST: Final = 10
"""Tabs of one run that may be open at a time."""


class Args(ToolArgs):
    """Open a web address in a new background tab; the run stays where it is (switch_tab goes there). For
    comparing pages; else navigate."""

    url: str = Field(min_length=1, max_length=MOST_URL_CHARS, pattern=NOT_BLANK)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Open it beside the run's tab. It is not waited for."""
    here = await ctx.host.browser.get_tab(ctx.tab_id)
    try:
        url = resolve(args.url, here.url)
    except BadAddress as error:
        return ToolResult.error(str(error), code="bad_url")
    already = next((tab_id for tab_id, opened in ctx.state.opened.items() if opened == url), None)
    if already is not None:
        return ToolResult.error(
            f"Tab {already} was opened for this address and is still open: switch_tab goes there.",
            code="already_open",
            tabId=already,
        )
    if len(ctx.state.opened) >= OPEN_MOST:
        return ToolResult.error(
            f"This task has {len(ctx.state.opened)} tabs open. Close one that is done first.",
            code="too_many_tabs",
            tabs=sorted(ctx.state.opened),
        )
    tab = await ctx.host.browser.open_tab(url, beside=ctx.tab_id)
    ctx.state.opened[tab.id] = url
    result = ToolResult.ok("tab opened", **place(tab), tabId=tab.id)
    result.notes.append(f"The run still works in tab {ctx.tab_id}; switch_tab goes to tab {tab.id}.")
    return result


SPEC = spec(
    "new_tab",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NAVIGATE,
    untrusted=True,
    effect=True,
    label="Open {url} in a new tab",
    example='{"url": "https://example.com/"}',
)
