"""Reading an address without opening it."""

import json
import re
from typing import Any, Final, Literal

from pydantic import Field

from webbrain.core.bounded_json import loads
from webbrain.core.errors import OutcomeUnknown, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy import egress
from webbrain.policy.taint import origin_of
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.fetching import (
    FETCH_TIMEOUT,
    FEWEST_CHARS,
    NEEDS_ALLOW_API,
    REPLAY_UNKNOWN,
    RESULT_CHARS,
    TEXT_BYTES,
    URL_CHARS,
    Opened,
    is_text,
    open_url,
    refusal,
    window,
)
from webbrain.tools.webtext import html_text

MATCHES: Final = 20
AROUND: Final = 120
"""Characters shown on both sides of a hit."""
FIND_CHARS: Final = 200
HEADER_CHARS: Final = 500
PRINTABLE: Final = r"^[ -~]*$"
FORM: Final = re.compile(r"[\w.~%*+\[\]-]+=[^\s&=]*(?:&[\w.~%*+\[\]-]+=[^\s&=]*)*")

BINARY: Final = "This is no text, so it is not shown. To keep it, use download_files."
NOT_SENT: Final = frozenset({"offline", "bad_params", "not_allowed", "too_large"})
"""Codes of the bridge after which a request surely did not leave."""
REPLAY_TIMEOUT: Final = 30.0
REPLAY_IS_WHOLE: Final = (
    "A request with replayRequestId is sent as the page sent it: leave out body and headers."
)
REPLAY_DIFFERS: Final = "The request with this replayRequestId is another one; give its own method and url."
REPLAY_ELSEWHERE: Final = "The tab shows another site than the one this request was for, so it was not sent."
NO_ANSWER: Final = "The page did not send it."
PERHAPS_TAKEN: Final = (
    "It is not known whether the server took this request: {reason} Do not send it again before you have "
    "looked whether it did."
)


class Headers(ToolArgs):
    """Headers that say how to answer. None that says who asks: a key or a cookie in a model's hands could be
    sent anywhere."""

    Accept: str | None = Field(None, max_length=HEADER_CHARS, pattern=PRINTABLE)
    Range: str | None = Field(None, max_length=HEADER_CHARS, pattern=PRINTABLE)


class Args(ToolArgs):
    """Fetch an address in the background as text (HTML, JSON, plain): for data a page links to. To see or
    use a page, navigate. Long texts come in parts: go on with nextOffset, or use find."""

    url: str = Field(min_length=1, max_length=egress.MOST_URL_CHARS, pattern=egress.NOT_BLANK)
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    headers: Headers | None = None
    body: str | None = Field(None, max_length=16_000)
    offset: int = Field(0, ge=0)
    maxChars: int = Field(RESULT_CHARS, ge=FEWEST_CHARS, le=RESULT_CHARS, json_schema_extra={UNTOLD: True})
    find: str | None = Field(None, min_length=1, max_length=FIND_CHARS, description="Literal text")
    replayRequestId: str | None = Field(None, min_length=1, max_length=64, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Fetch, turn into text, and return the part that was asked for."""
    if args.body is not None and not egress.is_write(args.method):
        return ToolResult.error("GET and HEAD carry no body.", code="bad_body")
    if egress.is_write(args.method) and not ctx.allow_api:
        return ToolResult.error(NEEDS_ALLOW_API, code="requires_api_allow", requiresApiAllow=True)
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    try:
        headers = args.headers.model_dump(exclude_none=True) if args.headers else {}
        body = None if args.body is None else args.body.encode()
        if args.body is not None:
            headers["Content-Type"] = content_type(args.body)
        url = egress.resolve(args.url, page)
        if args.replayRequestId is not None:
            return await replayed(ctx, args, url, page)
        opened = await _opened(ctx, url, args.method, headers, page, body)
        return await _result(opened, args)
    except OutcomeUnknown:
        raise
    except ToolFailed as error:
        return refusal(error)


async def _opened(
    ctx: ToolContext, url: str, method: str, headers: dict[str, str], page: str, body: bytes | None
) -> Opened:
    """Send it. What may have changed something and got no answer is ``OutcomeUnknown``."""
    try:
        return await open_url(ctx, url, method=method, headers=headers, page_url=page, body=body)
    except ToolFailed as error:
        if not egress.is_write(method) or error.code in NOT_SENT | {egress.FORBIDDEN, egress.BAD}:
            raise
        raise OutcomeUnknown(PERHAPS_TAKEN.format(reason=error.message)) from error


async def replayed(ctx: ToolContext, args: Args, url: str, page: str) -> ToolResult:
    """Have the page send a request of its own again: the one that was asked about, to its own origin."""
    if args.body is not None or args.headers is not None:
        return ToolResult.error(REPLAY_IS_WHOLE, code="bad_replay")
    known = await ctx.host.requests.seen(ctx.tab_id)
    found = next((one for one in known if one.id == args.replayRequestId and one.replayable), None)
    if found is None:
        return ToolResult.error(REPLAY_UNKNOWN, code="unknown_request")
    if (found.method, found.url) != (args.method, url):
        return ToolResult.error(REPLAY_DIFFERS, code="bad_replay", method=found.method, url=found.url)
    if origin_of(page) != origin_of(url):
        return ToolResult.error(REPLAY_ELSEWHERE, code="other_origin")
    (await egress.guard(ctx.host)).check(url)
    # The page's side of us is there after this, or it fails before anything is sent.
    await ctx.page("ping", {}, frame_id=0)
    try:
        answer = await ctx.host.requests.replay(ctx.tab_id, found.id, timeout=REPLAY_TIMEOUT)
    except OutcomeUnknown as error:
        if egress.is_write(args.method):
            raise OutcomeUnknown(PERHAPS_TAKEN.format(reason=error.message)) from error
        return ToolResult.error(error.message, code="net_timeout")
    if answer.get("success") is not True:
        return ToolResult.error(str(answer.get("error") or NO_ANSWER), str(answer.get("code") or "failed"))
    media_type = str(answer.get("contentType") or "").partition(";")[0].strip().lower()
    status = int(answer.get("status") or 0)
    data: dict[str, Any] = {"status": status, "contentType": media_type, "url": url[:URL_CHARS]}
    if is_text(media_type):
        title, text = await readable(str(answer.get("text") or ""), media_type)
        data |= {"title": title} if title else {}
        data |= found_in(text, args.find) if args.find else window(text, args.offset, args.maxChars)
    else:
        data["note"] = BINARY
    return _answered(status, data)


def content_type(body: str) -> str:
    """What a body is, by its looks: JSON, the fields of a form, or text."""
    try:
        json.loads(body)
    except ValueError:
        pass
    else:
        return "application/json"
    return "application/x-www-form-urlencoded" if FORM.fullmatch(body) else "text/plain;charset=UTF-8"


async def _result(opened: Opened, args: Args) -> ToolResult:
    data: dict[str, Any] = {
        "status": opened.status,
        "contentType": opened.content_type,
        "url": opened.url[:URL_CHARS],
    }
    if opened.url != opened.asked:
        data["redirected"] = True
    if content_range := opened.response.headers.get("content-range"):
        data["contentRange"] = content_range[:100]
    text = None
    if args.method == "HEAD":
        await opened.response.close()
        data["sizeBytes"] = opened.size
    elif opened.text_of(b"") is None:
        await opened.response.close()
        data |= {"sizeBytes": opened.size, "note": BINARY}
    else:
        body = await opened.read(TEXT_BYTES)
        text = opened.text_of(body)
        if text is None:
            data |= {"sizeBytes": len(body), "note": BINARY}
    if text is not None:
        title, text = await readable(text, opened.content_type)
        if title:
            data["title"] = title
        data |= found_in(text, args.find) if args.find else window(text, args.offset, args.maxChars)
    return _answered(opened.status, data)


def _answered(status: int, data: dict[str, Any]) -> ToolResult:
    ok = status < 400
    if not ok:
        data |= {"error": f"The server answered with status {status}.", "code": "http_error"}
    return ToolResult(ok, data, summary=f"status {status}, {_size(data)}")


async def readable(text: str, content_type: str) -> tuple[str, str]:
    """``(title, text)`` of a document: HTML as what it says, JSON in lines, all else as it is."""
    if content_type in ("text/html", "application/xhtml+xml") or (
        not content_type and text.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))
    ):
        return await html_text(text)
    if content_type.endswith("json"):
        try:
            return "", json.dumps(loads(text), indent=1, ensure_ascii=False)
        except (ValueError, RecursionError):
            return "", text
    return "", text


def found_in(text: str, wanted: str) -> dict[str, Any]:
    """Where ``wanted`` stands in ``text``, whatever its case: ``{matches, matchCount, originalLength}``."""
    folded, needle = _folded(text), _folded(wanted)
    matches: list[dict[str, Any]] = []
    count, place, line, counted = 0, folded.find(needle), 1, 0
    while place >= 0:
        count += 1
        if len(matches) < MATCHES:
            line += text.count("\n", counted, place)
            counted = place
            around = text[max(place - AROUND, 0) : place + len(wanted) + AROUND]
            matches.append({"offset": place, "line": line, "text": around})
        place = folded.find(needle, place + len(needle))
    return {"matches": matches, "matchCount": count, "originalLength": len(text)}


def _folded(text: str) -> str:
    """``text`` without case, of the same length, so that places stay what they are."""
    lowered = text.lower()
    return (
        lowered
        if len(lowered) == len(text)
        else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    )


def _size(data: dict[str, Any]) -> str:
    if "matchCount" in data:
        return f"{data['matchCount']} hits"
    if "originalLength" in data:
        return f"{data['originalLength']} characters"
    return f"{data.get('sizeBytes') or 'unknown number of'} bytes"


SPEC = spec(
    "fetch_url",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NETWORK,
    untrusted=True,
    effect=False,
    label="Read {url}",
    timeout=FETCH_TIMEOUT,
    example='{"url": "https://shop.example/prices.json"}',
)
