"""Opening an address in the run's tab."""

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.egress import NOT_BLANK
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.leaving import refusal_to_leave
from webbrain.tools.opening import MOST_URL_CHARS, OPENING_TIMEOUT, BadAddress, open_address, resolve


class Args(ToolArgs):
    """Open a web address that the user gave or a page told you, in this tab; never invent one.
    redirected=true: you are elsewhere than asked. blockedUnsavedChanges: entries in the page would be
    lost."""

    url: str = Field(min_length=1, max_length=MOST_URL_CHARS, pattern=NOT_BLANK)
    force: bool = Field(False, description="Lose entries, if the user wants that")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Navigate and report where the tab really ended."""
    before = await ctx.host.browser.get_tab(ctx.tab_id)
    try:
        url = resolve(args.url, before.url)
    except BadAddress as error:
        return ToolResult.error(str(error), code="bad_url")
    refusal = await refusal_to_leave(ctx, before, force=args.force)
    if refusal:
        return refusal
    return await open_address(ctx, before, url, force=args.force)


SPEC = spec(
    "navigate",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NAVIGATE,
    untrusted=True,
    effect=True,
    label="Open {url}",
    timeout=OPENING_TIMEOUT,
    example='{"url": "https://example.com/"}',
)
