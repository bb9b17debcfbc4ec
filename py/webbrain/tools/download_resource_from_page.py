"""Saving what an element shows."""

from typing import Final
from urllib.parse import urlsplit

from pydantic import Field

from webbrain.core.errors import ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy import egress
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.carrying import carry, refuse_other
from webbrain.tools.fetching import URL_CHARS, refusal
from webbrain.tools.saving import NAME_CHARS, SAVE_TIMEOUT, Wanted, clean_name, report, save_all

SELECTOR_CHARS: Final = 1_000
ELSEWHERE: Final = "This file lies at another site than the page. Use download_files with its url."


class Args(ToolArgs):
    """Save the picture, video, linked file or canvas that a CSS selector names, also what exists only in the
    page (blob:)."""

    selector: str = Field(min_length=1, max_length=SELECTOR_CHARS)
    filename: str | None = Field(None, max_length=NAME_CHARS)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page for the address or the content, and have the browser save it."""
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    try:
        url, ending = await carry(ctx, {"selector": args.selector})
        refuse_other(ctx, url)
        if ctx.approved is None and not url.startswith("data:"):
            host = (await egress.guard(ctx.host, Capability.DOWNLOAD)).check(url)
            if not _same_host(host, page):
                return ToolResult.error(
                    ELSEWHERE, code="other_site", url=url[:URL_CHARS], useTool="download_files"
                )
    except ToolFailed as error:
        return refusal(error)
    name = clean_name(args.filename)
    if name is None and url.startswith("data:"):
        name = clean_name(f"{(urlsplit(page).hostname or 'page').removeprefix('www.')}.{ending}")
    return report(await save_all(ctx, [Wanted(url, name)]))


def _same_host(host: str, page: str) -> bool:
    """Whether a host is the one that the person allowed downloads from."""
    try:
        return host.removeprefix("www.") == egress.host_of(page).removeprefix("www.")
    except egress.Refused:
        return False


SPEC = spec(
    "download_resource_from_page",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.DOWNLOAD,
    untrusted=True,
    effect=True,
    label="Download {selector}",
    timeout=SAVE_TIMEOUT,
    example='{"selector": "img.product"}',
)
