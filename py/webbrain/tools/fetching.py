"""Requests of the agent's own, for several tools: under the address guard and the cookie rule, with caps.

Names are resolved by the browser and redirects are followed by it, so the address that answered is judged
before one byte of the body is used.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.host.protocols import HttpRequest, HttpResponse
from webbrain.policy import egress
from webbrain.policy.results import to_json
from webbrain.policy.sites import cookies_for, same_site
from webbrain.tools.base import ToolContext

HEADERS_TIMEOUT: Final = 30.0
STALL_TIMEOUT: Final = 20.0
FETCH_TIMEOUT: Final = 90.0
"""Seconds that a tool with one request may take in all."""
FOLLOW_TIMEOUT: Final = 10.0
"""Seconds for each of the two requests that find out where an address leads."""

TEXT_BYTES: Final = 4_000_000
"""Bytes of a body that is to be read as text."""
RESULT_CHARS: Final = 7_000
"""Characters of text in one result, and of its JSON: with all the rest it must stay below the agent's cap."""
FEWEST_CHARS: Final = 1_000
NEEDS_ALLOW_API: Final = (
    "Only GET and HEAD are allowed: requests that change data need leave, which the user gives for a "
    "conversation with /allow-api. Do it through the page's own controls instead, or tell the user."
)
REPLAY_UNKNOWN: Final = (
    "This tab has no such request to be sent again (any more). Do it on the page, or fetch the address "
    "without replayRequestId."
)
URL_CHARS: Final = 500
"""An address in a result is cut to this."""

_TEXT_TYPES: Final = re.compile(
    r"text/.*|application/(.*[+])?(json|xml|javascript|ecmascript|x-www-form-urlencoded|x-ndjson|yaml|x-yaml|sql)"
    r"|image/svg[+]xml|message/.*"
)
_CHARSET: Final = re.compile(
    rb"""<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,100}?encoding)\s*=\s*["']?([\w.:-]+)""", re.I
)
_SNIFFED: Final = 1_024
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

SENTENCES: Final[Mapping[str, str]] = {
    "net_refused": "The server could not be reached: no such host, nobody listens, or a bad certificate.",
    "net_timeout": "The server did not answer in time. Try once more later, or do without it.",
    "net_stalled": "The server stopped sending half-way. Try once more, or do without it.",
    "net_cut": "The connection broke half-way. Try once more, or do without it.",
    "too_large": "The answer is too large to be read here. Find a smaller page, or download it.",
}
"""What went wrong on the way, by the bridge's code."""


@dataclass(slots=True)
class Opened:
    """A response whose head has come and whose address is allowed. Its body is not read yet."""

    url: str
    """The address that answered."""
    asked: str
    response: HttpResponse
    cookies: bool

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def content_type(self) -> str:
        """The media type alone, in small letters."""
        return self.response.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def size(self) -> int | None:
        """Bytes of the body as the server announced them."""
        text = self.response.headers.get("content-length", "")
        return int(text) if text.isdigit() and len(text) < 16 else None

    async def read(self, limit: int) -> bytes:
        """The whole body; ``ToolFailed`` says what went wrong on the way."""
        try:
            return await self.response.read(limit)
        except BridgeError as error:
            raise failed(error) from error

    def text_of(self, body: bytes) -> str | None:
        """The body as text, or ``None`` if it is none."""
        if not is_text(self.content_type):
            return None
        if not self.content_type and b"\x00" in body[:_SNIFFED]:
            return None
        return decoded(body, self.response.headers.get("content-type", ""))


async def open_url(
    ctx: ToolContext,
    url: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    page_url: str | None = None,
    guard: egress.Guard | None = None,
    body: bytes | None = None,
) -> Opened:
    """Send a request for an absolute address; close the answer if what it led to must not be used. A request
    that may change something follows no redirect: it would be made again, of somebody else.

    Raise ``ToolFailed``: ``forbidden_address``, ``bad_url``, ``redirected_away`` (a redirect left the site
    that cookies were sent to), or what kept the server from answering.
    """
    guard = guard or await egress.guard(ctx.host)
    guard.check(url)
    page = page_url if page_url is not None else (await ctx.host.browser.get_tab(ctx.tab_id)).url
    cookies = cookies_for(url, page)
    request = HttpRequest(
        method,
        url,
        dict(headers or {}),
        body,
        headers_timeout=HEADERS_TIMEOUT,
        stall_timeout=STALL_TIMEOUT,
        follow=not egress.is_write(method),
        cookies=cookies,
    )
    return await _sent(ctx, request, guard, leaves=not cookies)


async def leads_to(ctx: ToolContext, url: str, guard: egress.Guard) -> str:
    """The address that ``url`` ends at if the browser downloads it, all redirects followed; nothing of what
    lies there is read.

    Downloads are the browser's own: they carry the cookies of whatever they meet, and so does this, or it
    would be led elsewhere (to a page for signing in). A HEAD comes first, because a link that works once is
    used up by a GET; where the server takes none, a GET whose body is closed unread. ``ToolFailed`` as of
    :func:`open_url`, but for ``redirected_away``.
    """
    for method in ("HEAD", "GET"):
        request = HttpRequest(
            method,
            url,
            {},
            None,
            headers_timeout=FOLLOW_TIMEOUT,
            stall_timeout=STALL_TIMEOUT,
            follow=True,
            cookies=True,
        )
        try:
            opened = await _sent(ctx, request, guard, leaves=True)
        except ToolFailed as error:
            if method == "GET" or error.code not in SENTENCES:
                raise
            continue
        await opened.response.close()
        if opened.status < 400:
            break
    return opened.url


async def _sent(ctx: ToolContext, request: HttpRequest, guard: egress.Guard, *, leaves: bool) -> Opened:
    """Send it, and judge where it led; ``leaves``: it may end at another site."""
    guard.check(request.url)
    try:
        response = await ctx.host.http.send(request)
    except BridgeError as error:
        raise failed(error) from error
    final = response.url or request.url
    try:
        _judge(final, request.url, guard, leaves=leaves)
    except ToolFailed:
        await response.close()
        raise
    return Opened(final, request.url, response, request.cookies)


def is_text(media_type: str) -> bool:
    """Whether a body of this type can be read as text; one that says nothing may be."""
    return not media_type or _TEXT_TYPES.fullmatch(media_type) is not None


def _judge(final: str, asked: str, guard: egress.Guard, *, leaves: bool) -> None:
    if final == asked:
        return
    told = {"finalUrl": final[:URL_CHARS]}
    try:
        guard.check(final)
    except egress.Refused as error:
        message = (
            f"A redirect led to an address that is not allowed, and nothing of it was used. {error.message}"
        )
        raise ToolFailed(message, code=error.code, data=told) from error
    if not leaves and not same_site(final, asked):
        raise ToolFailed(
            "The user's cookies went along, and a redirect left that site, so the answer was thrown away. "
            "Fetch finalUrl itself if it is what you need.",
            code="redirected_away",
            data=told,
        )


def failed(error: BridgeError) -> ToolFailed:
    """What the bridge said of a request, as a sentence for the model."""
    return ToolFailed(SENTENCES.get(error.code, error.message), code=error.code)


def refusal(error: ToolFailed) -> ToolResult:
    """A failure as a tool's result."""
    return ToolResult.error(error.message, error.code, **error.data)


def decoded(body: bytes, content_type: str = "") -> str:
    """Bytes as text: by mark, by the server's word, by the document's own, else UTF-8. Never fails."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    named = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type, re.IGNORECASE)
    inside = _CHARSET.search(body[:_SNIFFED])
    for charset in (named and named[1], inside and inside[1].decode("ascii", "replace")):
        if charset:
            try:
                return body.decode(charset, "replace")
            except (LookupError, UnicodeError, ValueError):
                continue
    return body.decode("utf-8", "replace")


def data_url(url: str) -> tuple[str, bytes]:
    """Media type and content of a ``data:`` address; ``ToolFailed`` if it is damaged."""
    head, comma, content = url[len("data:") :].partition(",")
    try:
        if not comma:
            raise ValueError("no comma")
        raw = unquote_to_bytes(content)
        body = (
            base64.b64decode(b"".join(raw.split()), validate=True)
            if head.lower().endswith(";base64")
            else raw
        )
    except (ValueError, binascii.Error) as error:
        raise ToolFailed("The file's data: address is damaged.", code="bad_url") from error
    return head.split(";")[0].strip().lower() or "text/plain", body


def window(text: str, offset: int, limit: int, room: int = RESULT_CHARS) -> dict[str, Any]:
    """The part of ``text`` from ``offset``: at most ``limit`` characters, and ``room`` of JSON.

    ``{text, offset, returnedLength, originalLength, hasMore, nextOffset}``; a part ends between words.
    """
    start = min(offset, len(text))
    end = min(start + limit, len(text))
    while end > start and (over := len(to_json(text[start:end])) - room) > 0:
        end -= max(over // 2, 1)
    if end < len(text):
        gap = max(text.rfind(" ", start, end), text.rfind("\n", start, end)) + 1
        end = gap if gap > start + (end - start) // 2 else end
    more = end < len(text)
    return {
        "text": text[start:end],
        "offset": start,
        "returnedLength": end - start,
        "originalLength": len(text),
        "hasMore": more,
        **({"nextOffset": end} if more else {}),
    }
