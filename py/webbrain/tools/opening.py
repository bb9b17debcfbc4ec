"""Opening an address in the run's tab, for every tool that ends up at one."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from webbrain.core.limits import NAVIGATION_TIMEOUT, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Tab
from webbrain.tools.base import ToolContext
from webbrain.tools.following import new_document, report
from webbrain.tools.leaving import arrive, leave, place

MOST_URL_CHARS: Final = 2_000
OPENING_TIMEOUT: Final = NAVIGATION_TIMEOUT + 15
"""Time limit of a tool that opens an address."""
SILENT_SERVER: Final = (
    f"The server has not answered within {NAVIGATION_TIMEOUT:g} seconds. The tab shows the page from before, "
    "and may still change. Go on elsewhere, or tell the user that the site does not answer."
)
SCHEMES: Final = ("http", "https")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PORT: Final = re.compile(r"[^/]*:\d+(/|$)")
_LOCAL: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])([:/]|$)", re.IGNORECASE)
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f\\]")


class BadAddress(ValueError):
    """An address that must not be opened; the text says why."""


def resolve(url: str, base: str) -> str:
    """The absolute http(s) address that ``url`` means on the page ``base``, or ``BadAddress``."""
    url = url.strip()
    if not url:
        raise BadAddress("The address is empty.")
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


async def open_address(ctx: ToolContext, before: Tab, url: str, *, force: bool) -> ToolResult:
    """Navigate the tab, which shows ``before``, to a resolved address and report where it really ended.

    ``force`` leaves a page that asks whether it may be left.
    """
    since = ctx.state.signals.mark
    departure = ctx.host.browser.navigate(ctx.tab_id, url)
    tab, moved = await leave(ctx, before, departure, force=force, load_wait=NAVIGATION_TIMEOUT)
    if _waits(ctx, before, tab, since) and not _same(url, before.url):
        return ToolResult.error(SILENT_SERVER, code="not_answering", dispatched=True, **place(tab))
    if not moved and not _same(url, before.url):
        instead = ToolResult.ok("nothing shown", dispatched=True, shown=False, **place(tab))
        await report(ctx, instead, since)
        if instead.notes:
            return instead
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


def _waits(ctx: ToolContext, before: Tab, tab: Tab, since: int) -> bool:
    """Whether the tab still shows the page from before, because the server has not said anything yet."""
    return tab.status == "loading" and tab.url == before.url and not new_document(ctx, since)


def _same(one: str, other: str) -> bool:
    """Whether two addresses are the same but for an empty path."""
    return _normal(one) == _normal(other)


def _normal(url: str) -> tuple[str, str, str, str, str]:
    parts = urlsplit(url)
    return (parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, parts.fragment)
