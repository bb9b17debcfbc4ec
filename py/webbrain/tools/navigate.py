"""Opening an address in the run's tab."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from pydantic import Field

from webbrain.core.limits import NAVIGATION_TIMEOUT, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import START_GRACE_LIKELY, arrive, place, refusal_to_leave, settle
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_URL_CHARS: Final = 2_000
SCHEMES: Final = ("http", "https")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PORT: Final = re.compile(r"[^/]*:\d+(/|$)")
_LOCAL: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])([:/]|$)", re.IGNORECASE)
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f\\]")


class Args(ToolArgs):
    """Open a web address in this tab and wait until it is loaded. Use it for an address the user gave or a
    page told you; to follow something on the page click it, and never invent addresses. http and https
    only; a relative address counts from the current page. redirected=true: you are elsewhere than asked,
    look before you go on. blockedUnsavedChanges: entries in the page would be lost."""

    url: str = Field(min_length=1, max_length=MOST_URL_CHARS)
    force: bool = Field(False, description="Leave even if entries are lost; only if the user wants that")


class BadAddress(ValueError):
    """An address that must not be opened; the text says why."""


def resolve(url: str, base: str) -> str:
    """The absolute http(s) address that ``url`` means on the page ``base``, or ``BadAddress``."""
    url = url.strip()
    if _FORBIDDEN.search(url):
        raise BadAddress("An address holds no spaces, control characters or backslashes; encode them.")
    on_web = urlsplit(base).scheme in SCHEMES
    try:
        if _names_host(url, on_web=on_web):
            url = f"{'http' if _LOCAL.match(url) else 'https'}://{url}"
        elif on_web and not _SCHEME.match(url):
            url = urljoin(base, url)
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddress("This is not a well-formed web address.") from error
    if parts.scheme.lower() not in SCHEMES:
        raise BadAddress("Only http and https addresses can be opened.")
    if not host:
        raise BadAddress("The address names no host.")
    if parts.username is not None or parts.password is not None:
        raise BadAddress("An address with a user name or password in it is not opened.")
    return url


def _names_host(url: str, *, on_web: bool) -> bool:
    """Whether an address without a scheme starts with a host, as people write it, and not with a path."""
    if _PORT.match(url):
        return True
    if _SCHEME.match(url) or url.startswith(("/", "?", "#", ".")):
        return False
    return url.startswith("www.") or not on_web


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
    await ctx.host.browser.navigate(ctx.tab_id, url)
    tab, moved = await settle(ctx, before, START_GRACE_LIKELY, NAVIGATION_TIMEOUT)
    if not moved and not _same(url, before.url):
        return ToolResult.error(
            "The tab still shows the page from before. The address may be a download, or the page asks "
            "the user whether to leave.",
            code="not_navigated",
            dispatched=True,
            **place(tab),
        )
    result = ToolResult.ok("page opened", dispatched=True, **place(tab))
    if not _same(url, tab.url):
        result.data |= {"redirected": True, "requestedUrl": url[:PAGE_URL_CHARS]}
        result.summary = "page opened, redirected"
    return await arrive(ctx, tab, result)


def _same(one: str, other: str) -> bool:
    """Whether two addresses are the same but for an empty path."""
    return _normal(one) == _normal(other)


def _normal(url: str) -> tuple[str, str, str, str, str]:
    parts = urlsplit(url)
    return (parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, parts.fragment)


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
    timeout=NAVIGATION_TIMEOUT + 15,
    example='{"url": "https://example.com/"}',
)
