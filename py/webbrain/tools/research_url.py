"""Reading a page in a hidden tab, scripts and all."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from pydantic import Field

from webbrain.core.errors import ToolFailed
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.protocols import Tab
from webbrain.policy import egress
from webbrain.policy.results import to_json
from webbrain.tools import hidden_tabs
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.fetching import RESULT_CHARS, URL_CHARS, refusal, window

LOAD_MS: Final = 8_000
LOAD_MS_MAX: Final = 30_000
HYDRATE: Final = 0.8
"""Seconds between the end of loading and the look: pages draw themselves by script."""
SPARSE_CHARS: Final = 200
"""A page with less text may not have drawn itself yet: timers of a hidden tab come once a second."""
MORE_LOOKS: Final = 3
LOOK_INTERVAL: Final = 0.7
READ_CHARS: Final = 6_000
"""The most that ``read_page`` gives at once."""
LINKS: Final = 30
RESEARCH_TIMEOUT: Final = 100.0

CUT: Final = "The page has more text. For all of it use fetch_url or navigate there."


class Args(ToolArgs):
    """Read an address's main text and links in a hidden tab: for pages that need their scripts, where
    fetch_url gives too little."""

    url: str = Field(min_length=1, max_length=egress.MOST_URL_CHARS, pattern=egress.NOT_BLANK)
    timeout: int = Field(LOAD_MS, ge=1_000, le=LOAD_MS_MAX, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Open, wait, check where it led, read, close."""
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    try:
        guard = await egress.guard(ctx.host)
        url = egress.resolve(args.url, page)
        guard.check(url)
        tab = await _opened(ctx, url)
        try:
            return await _read(ctx, tab, args.timeout / 1000, guard)
        finally:
            await _closed(ctx, tab.id)
    except ToolFailed as error:
        return refusal(error)


async def _opened(ctx: ToolContext, url: str) -> Tab:
    """Open the tab. A stop while the browser does so must not leave it behind."""
    opening = asyncio.ensure_future(hidden_tabs.open_tab(ctx.host, url, beside=ctx.tab_id))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(lambda done: _close_late(ctx, done))
        raise


def _close_late(ctx: ToolContext, opening: "asyncio.Future[Tab]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        _in_background(hidden_tabs.close_tab(ctx.host, opening.result().id))


async def _closed(ctx: ToolContext, tab_id: int) -> None:
    """Close the tab, whatever happens to who asked."""
    await asyncio.shield(_in_background(hidden_tabs.close_tab(ctx.host, tab_id)))


_closing: Final[set["asyncio.Future[None]"]] = set()
"""The loop holds its tasks weakly only."""


def _in_background(work: Coroutine[Any, Any, None]) -> "asyncio.Future[None]":
    task = asyncio.ensure_future(work)
    _closing.add(task)
    task.add_done_callback(_closing.discard)
    return task


async def _read(ctx: ToolContext, tab: Tab, patience: float, guard: egress.Guard) -> ToolResult:
    loaded = await ctx.host.browser.wait_loaded(tab.id, patience)
    _judge(loaded.url, guard)
    await ctx.host.clock.sleep(HYDRATE)
    asked = {"includeChrome": False, "offset": 0, "limit": READ_CHARS}
    answer = await ctx.host.page.call(tab.id, "read_page", asked, timeout=PAGE_READ_TIMEOUT)
    for _ in range(MORE_LOOKS):
        if answer.get("success") is not True or len(str(answer.get("text") or "")) >= SPARSE_CHARS:
            break
        await ctx.host.clock.sleep(LOOK_INTERVAL)
        answer = await ctx.host.page.call(tab.id, "read_page", asked, timeout=PAGE_READ_TIMEOUT)
    listed = await ctx.host.page.call(tab.id, "links", {"limit": LINKS}, timeout=PAGE_READ_TIMEOUT)
    for said in (answer, listed):
        if said.get("success") is not True:
            message = str(said.get("error") or "The page gave no usable answer.")
            raise ToolFailed(message[:300], code=str(said.get("code") or "no_answer"))
        # The page's own word comes last: it may have gone elsewhere after it was loaded.
        _judge(str(said.get("url") or ""), guard)
    text = str(answer.get("text") or "")
    shown = window(text, 0, READ_CHARS, RESULT_CHARS - 1_500)
    data: dict[str, Any] = {
        "url": str(answer.get("url"))[:URL_CHARS],
        "title": answer.get("title"),
        "status": loaded.status,
        "text": shown["text"],
        "originalLength": answer.get("originalLength"),
        "truncated": shown["hasMore"] or answer.get("hasMore") is True,
        "links": [],
    }
    room = RESULT_CHARS - len(to_json(data))
    for link in listed.get("links") or []:
        room -= len(to_json(link)) + 1
        if room < 0:
            break
        data["links"].append(link)
    result = ToolResult(True, data, summary=f"{len(text)} characters, {len(data['links'])} links")
    if data["truncated"]:
        result.notes.append(CUT)
    return result


def _judge(url: str, guard: egress.Guard) -> None:
    try:
        guard.check(url)
    except egress.Refused as error:
        message = (
            f"The page led to an address that is not allowed, and nothing of it was used. {error.message}"
        )
        raise ToolFailed(message, code=error.code) from error


SPEC = spec(
    "research_url",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NETWORK,
    untrusted=True,
    effect=False,
    label="Look at {url}",
    timeout=RESEARCH_TIMEOUT,
    example='{"url": "https://shop.example/about"}',
)
