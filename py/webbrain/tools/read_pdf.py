"""The text of a PDF, in the tab or at an address."""

from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy import egress
from webbrain.policy.results import to_json
from webbrain.tools.base import PAGE, UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.fetching import FEWEST_CHARS, RESULT_CHARS, Opened, open_url, refusal, window

PAGES: Final = 50
"""Pages that the reader is asked for at once."""
READ_CHARS: Final = 50_000
"""Characters that it may bring; what does not fit into a result is kept for the next call."""
PDF_BYTES: Final = 32_000_000
READ_TIMEOUT: Final = 60.0
PDF_TIMEOUT: Final = 140.0
TEXT_CHARS: Final = 100
"""Less text than this on all pages together means that there is none."""
PAGE_NUMBER_MAX: Final = 100_000

NO_ADDRESS: Final = "This tab shows no PDF at a web address. Give the url of the PDF."
LOCAL_FILE: Final = "A file on the disk cannot be read by an extension. Ask the user to open it from the web."
NO_PDF: Final = "There is no PDF at this address, but {kind}. Use read_page or fetch_url."
ENCRYPTED: Final = "{reason} Tell the user; it cannot be read here."
SCANNED: Final = (
    "These pages hold no text. They are probably scanned: pictures of text, which this reader cannot read."
)
HANDED: Final = "These pages hold no text; the document itself is attached behind this result."
BEYOND: Final = "The PDF has only {total} pages."


class Args(ToolArgs):
    """Read the text of a PDF: the one this tab shows, or url. Long ones come in parts: go on with the
    returned continuationArgs."""

    url: str | None = Field(None, min_length=1, max_length=egress.MOST_URL_CHARS, pattern=egress.NOT_BLANK)
    fromPage: int = Field(1, ge=1, le=PAGE_NUMBER_MAX)
    toPage: int | None = Field(None, ge=1, le=PAGE_NUMBER_MAX)
    offset: int = Field(0, ge=0, description="Within fromPage")
    maxChars: int = Field(RESULT_CHARS, ge=FEWEST_CHARS, le=RESULT_CHARS, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Fetch, have it read, and return the part that fits."""
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    try:
        url = _address(args, page)
        read, body = await _read(ctx, url, page, args)
    except ToolFailed as error:
        return refusal(error)
    if args.fromPage > read["totalPages"]:
        return ToolResult.error(
            BEYOND.format(total=read["totalPages"]), code="no_page", totalPages=read["totalPages"]
        )
    result = _part(read, args)
    scanned = not result.data["hasExtractableText"]
    if scanned and ctx.sight is not None and ctx.sight.show_document(body, url):
        result.data |= {"method": "document", "note": HANDED}
    return result


def _address(args: Args, page: str) -> str:
    if args.url:
        return egress.resolve(args.url, page)
    scheme = urlsplit(page).scheme
    if scheme == "file":
        raise ToolFailed(LOCAL_FILE, code="local_file")
    if scheme not in egress.SCHEMES:
        raise ToolFailed(NO_ADDRESS, code="restricted_page")
    return page.partition("#")[0]


async def _read(ctx: ToolContext, url: str, page: str, args: Args) -> tuple[dict[str, Any], bytes]:
    """What the reader found, and the document: the run's last reading if it has that page and text, else a
    new one. The document of an earlier reading is not kept."""
    known = ctx.state.memory.get(SPEC.name)
    same = isinstance(known, dict) and known["url"] == url and args.fromPage in known["texts"]
    if same and known is not None and _has_text(known):
        return known, b""
    body = await _fetch(ctx, url, page, own=not args.url)
    last = min(args.toPage or PAGE_NUMBER_MAX, args.fromPage + PAGES - 1)
    try:
        found = await ctx.host.pdfs.read(
            body,
            from_page=args.fromPage,
            to_page=max(last, args.fromPage),
            max_chars=READ_CHARS,
            timeout=READ_TIMEOUT,
        )
    except BridgeError as error:
        raise _unreadable(error) from error
    pages = found["pages"]
    if found["truncated"] and len(pages) > 1:
        pages = pages[:-1]  # the last one may be cut; it is read anew when its turn comes
    reading = {
        "url": url,
        "title": found["title"],
        "totalPages": found["totalPages"],
        "byteLength": len(body),
        "texts": {entry["page"]: entry["text"] for entry in pages},
        "failed": [entry["page"] for entry in pages if entry.get("failed")],
    }
    ctx.state.memory[SPEC.name] = reading
    return reading, body


def _has_text(read: dict[str, Any]) -> bool:
    return sum(map(len, read["texts"].values())) > TEXT_CHARS


async def _fetch(ctx: ToolContext, url: str, page: str, *, own: bool) -> bytes:
    """The document. What the tab shows already may lie in the local network: the user went there."""
    guard = await egress.guard(ctx.host)
    if own:
        guard = egress.Guard(allow_local=True)
    opened = await open_url(ctx, url, page_url=page, guard=guard)
    if own and opened.url != url:
        try:
            (await egress.guard(ctx.host)).check(opened.url)
        except ToolFailed:
            await opened.response.close()
            raise
    if opened.status >= 400:
        await opened.response.close()
        raise ToolFailed(f"The server answered with status {opened.status}.", code="http_error")
    if _plainly_not(opened):
        await opened.response.close()
        raise ToolFailed(NO_PDF.format(kind=opened.content_type), code="no_pdf")
    return await opened.read(PDF_BYTES)


def _plainly_not(opened: Opened) -> bool:
    return opened.content_type.startswith(("text/html", "image/", "video/", "audio/", "application/json"))


def _unreadable(error: BridgeError) -> ToolFailed:
    if error.code == "pdf_encrypted":
        return ToolFailed(ENCRYPTED.format(reason=error.message), code=error.code)
    if error.code == "timeout":
        return ToolFailed("The PDF took too long to read. Ask for fewer pages.", code="timeout")
    return ToolFailed(error.message, code=error.code)


def _part(read: dict[str, Any], args: Args) -> ToolResult:
    """As many pages as fit into a result, the first from ``offset``; and how to go on."""
    texts: dict[int, str] = read["texts"]
    total: int = read["totalPages"]
    end = min(args.toPage or total, total)
    room, offset, number = args.maxChars, args.offset, args.fromPage
    pages: list[dict[str, Any]] = []
    go_on: dict[str, int] = {}
    while number <= end and not go_on:
        if number not in texts or room < 100:
            go_on = {"fromPage": number}
            break
        part = window(texts[number], offset, room, room)
        entry: dict[str, Any] = {"page": number, "text": part["text"]}
        if number in read["failed"]:
            entry["failed"] = True
        pages.append(entry)
        room -= len(to_json(entry))
        if part["hasMore"]:
            go_on = {"fromPage": number, "offset": part["nextOffset"]}
        number, offset = number + 1, 0
    has_text = _has_text(read)
    data: dict[str, Any] = {
        "title": read["title"],
        "totalPages": total,
        "fromPage": args.fromPage,
        "toPage": pages[-1]["page"] if pages else args.fromPage,
        "pageCount": len(pages),
        "hasExtractableText": has_text,
        "truncated": bool(go_on),
        "byteLength": read["byteLength"],
        "method": "pdf_text",
        "pages": pages,
    }
    if go_on:
        limit = {"toPage": args.toPage} if args.toPage else {}
        address = {"url": args.url} if args.url else {}
        data["continuationArgs"] = {**address, **go_on, **limit}
    if not has_text:
        data["note"] = SCANNED
    return ToolResult(True, data, summary=f"{len(pages)} of {total} pages")


SPEC = spec(
    "read_pdf",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NETWORK,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Read a PDF",
    timeout=PDF_TIMEOUT,
    example='{"url": "https://shop.example/guide.pdf"}',
)
