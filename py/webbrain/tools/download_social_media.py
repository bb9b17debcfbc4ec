"""Saving the pictures and videos that a page is about."""

import posixpath
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field

from webbrain.core.errors import ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.carrying import carry, found_media, refuse_other
from webbrain.tools.fetching import URL_CHARS
from webbrain.tools.problems import from_page
from webbrain.tools.saving import NAME_CHARS, SAVE_TIMEOUT, Wanted, clean_name, report, save_all

MOST_ITEMS: Final = 20
STRATEGY: Final = "dom"
"""How it finds them: by what the page's elements show. There is no other way yet, so none can be chosen."""

NOTHING: Final = (
    "No large picture or video is shown here. Open the post or picture itself, scroll to it, or use "
    "download_resource_from_page with its selector."
)


STREAMED: Final = (
    "This video is streamed in pieces, so there is no file of it that surely holds picture and sound, and "
    "nothing of it was saved. Tell the user, or save a still picture with target image."
)
MORE: Final = "{more} more are shown; give a higher limit to save them too."


class Args(ToolArgs):
    """Save the pictures or videos this page is about (a post, a gallery). mode main: the most prominent one;
    all: up to limit."""

    target: Literal["image", "video", "media"] = "media"
    mode: Literal["auto", "main", "all"] = "auto"
    limit: int = Field(1, ge=1, le=MOST_ITEMS)
    scroll: bool = False
    filename: str | None = Field(None, max_length=NAME_CHARS)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Find, carry out what lies inside the page, and have the browser save it."""
    await ctx.host.browser.get_tab(ctx.tab_id)
    wanted = 1 if args.mode == "main" else args.limit
    answer = await found_media(ctx, args.target, wanted, scroll=args.scroll)
    items = [item for item in answer.get("items") or [] if isinstance(item, dict)][:wanted]
    if answer.get("success") is not True:
        return from_page(answer, "")
    if not items:
        return ToolResult.error(
            NOTHING, code="no_media", strategy=STRATEGY, recommendation=_advice("open_post", NOTHING)
        )
    files: list[Wanted] = []
    lost: list[dict[str, Any]] = []
    for number, item in enumerate(items, 1):
        try:
            files.append(await _file(ctx, item, number if len(items) > 1 else 0, args.filename))
        except ToolFailed as error:
            lost.append(
                {
                    "url": str(item.get("url"))[:URL_CHARS],
                    "state": "failed",
                    "code": error.code,
                    "error": error.message,
                }
            )
    outcomes = await save_all(ctx, files) if files else []
    advice = _recommended(lost, answer.get("total"), len(items), args)
    return report(
        [*outcomes, *lost],
        strategy=STRATEGY,
        found=answer.get("total"),
        triggered=len(files),
        **({"recommendation": advice} if advice else {}),
    )


def _recommended(lost: list[dict[str, Any]], total: Any, tried: int, args: Args) -> dict[str, str] | None:
    """What to do about what was not saved, if anything."""
    if any(entry["code"] == "stream" for entry in lost):
        return _advice("streamed", STREAMED)
    if args.mode != "main" and isinstance(total, int) and total > tried:
        return _advice("more", MORE.format(more=total - tried))
    return None


def _advice(kind: str, message: str) -> dict[str, str]:
    return {"kind": kind, "message": message}


async def _file(ctx: ToolContext, item: dict[str, Any], number: int, filename: str | None) -> Wanted:
    url = str(item.get("url") or "")
    refuse_other(ctx, url)
    ending = ""
    if url.startswith("blob:"):
        url, ending = await carry(ctx, {"url": url})
    name = clean_name(filename)
    if name and number:
        stem, suffix = posixpath.splitext(name)
        name = f"{stem}-{number}{suffix}"
    if not url.startswith("data:"):
        last = clean_name(unquote(posixpath.basename(urlsplit(url).path)))
        return Wanted(url, name or last)
    fallback = f"{item.get('kind') or 'media'}{f'-{number}' if number else ''}.{ending or 'bin'}"
    return Wanted(url, name or clean_name(fallback))


SPEC = spec(
    "download_social_media",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.DOWNLOAD,
    untrusted=True,
    effect=True,
    label="Download the {target} of this page",
    timeout=SAVE_TIMEOUT,
    example='{"target": "image"}',
)
