"""Saving files from addresses."""

from typing import Any, Final

from pydantic import Field, model_validator

from webbrain.core.errors import ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy import egress
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.fetching import refusal
from webbrain.tools.saving import NAME_CHARS, SAVE_TIMEOUT, Wanted, clean_name, report, save_all

MOST_FILES: Final = 50


class Args(ToolArgs):
    """Save files into the user's downloads. Give url or urls; filename only for a single one."""

    url: str | None = Field(None, min_length=1, max_length=egress.MOST_URL_CHARS, pattern=egress.NOT_BLANK)
    urls: list[str] | None = Field(None, min_length=1, max_length=MOST_FILES)
    filename: str | None = Field(None, max_length=NAME_CHARS)

    @model_validator(mode="after")
    def _some_address(self) -> "Args":
        if not self.url and not self.urls:
            raise ValueError("give url or urls")
        return self


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Start the downloads, a few at once, and watch each for a while."""
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    given = dict.fromkeys([*([args.url] if args.url else []), *(args.urls or [])])
    try:
        guard = await egress.guard(ctx.host, Capability.DOWNLOAD)
        urls = [egress.resolve(url, page) for url in given]
        for url in urls:
            guard.check(url)
    except ToolFailed as error:
        return refusal(error)
    name = clean_name(args.filename) if len(urls) == 1 else None
    outcomes = await save_all(ctx, [Wanted(url, name) for url in urls])
    more: dict[str, Any] = {"downloadId": outcomes[0].get("downloadId")} if len(outcomes) == 1 else {}
    return report(outcomes, **more)


SPEC = spec(
    "download_files",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.DOWNLOAD,
    untrusted=True,
    effect=True,
    label="Download {url}",
    timeout=SAVE_TIMEOUT,
    example='{"url": "https://shop.example/price-list.txt"}',
)
