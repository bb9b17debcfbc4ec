"""Files that exist only inside a page (``blob:``, a canvas), carried out of it piece by piece."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import ToolFailed
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.tools.base import ToolContext

MOST_BYTES: Final = 20_000_000
"""Bytes of a file that can be saved so: as a ``data:`` address it stays below the browser's 30 MB."""
PIECES: Final = 100
FINDERS: Final = frozenset({"download_resource_from_page", "download_social_media"})
"""Tools that are told by the page what they save."""
TOLD: Final = ("matchCount", "candidates")
"""What the page says of several files that may be meant, by which the model chooses."""

ENDINGS: Final[Mapping[str, str]] = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/svg+xml": "svg",
    "image/avif": "avif",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "application/pdf": "pdf",
    "application/json": "json",
    "application/zip": "zip",
    "text/csv": "csv",
    "text/plain": "txt",
}


INSIDE: Final = "data:"
"""Stands for what exists only inside the page, where it is named beside addresses."""
SCROLLS: Final = 5
SETTLE: Final = 0.8
"""Seconds that a page gets to draw what scrolling brought into view."""
NOT_ASKED: Final = (
    "The page names another address than when the user was asked, so this was not saved. Make the call anew "
    "if it still makes sense."
)


def refuse_other(ctx: ToolContext, url: str) -> None:
    """Raise ``ToolFailed`` for an address that the person was not asked about."""
    if ctx.approved is not None and what(url) not in ctx.approved:
        raise ToolFailed(NOT_ASKED, code="changed_since_asked", data={"denied": True, "dispatched": False})


def what(url: str) -> str:
    """An address as a question is about it."""
    return INSIDE if url.startswith(("blob:", "data:")) else url


async def found_media(ctx: ToolContext, target: str, wanted: int, *, scroll: bool) -> dict[str, Any]:
    """What the page shows; with ``scroll`` it is scrolled down while there is less than wanted."""
    question = {"target": target, "limit": wanted}
    answer = await ctx.page("media", question, timeout=PAGE_READ_TIMEOUT)
    for _ in range(SCROLLS if scroll else 0):
        if answer.get("success") is not True or len(answer.get("items") or []) >= wanted:
            break
        moved = await ctx.page("scroll", {"direction": "down", "amount": 1_200}, timeout=PAGE_READ_TIMEOUT)
        if not moved.get("moved"):
            break
        await ctx.host.clock.sleep(SETTLE)
        answer = await ctx.page("media", question, timeout=PAGE_READ_TIMEOUT)
    return answer


async def would_save(ctx: ToolContext, name: str, args: Mapping[str, Any]) -> list[str]:
    """The addresses that a call of one of :data:`FINDERS` would save, as the page names them now, and
    :data:`INSIDE`. None if the page names nothing: the tool says so better.
    """
    if name == "download_resource_from_page":
        asked = {"selector": args.get("selector"), "offset": 0}
        answer = await ctx.page("resource", asked, timeout=PAGE_READ_TIMEOUT)
        if answer.get("success") is not True:
            return []
        return [what(str(answer.get("url") or "")) if answer.get("kind") == "url" else INSIDE]
    wanted = 1 if args.get("mode") == "main" else int(args.get("limit") or 1)
    target = str(args.get("target") or "media")
    answer = await found_media(ctx, target, wanted, scroll=bool(args.get("scroll")))
    items = answer.get("items") if answer.get("success") is True else None
    return [what(str(item.get("url") or "")) for item in items or [] if isinstance(item, dict)][:wanted]


async def carry(ctx: ToolContext, args: Mapping[str, Any]) -> tuple[str, str]:
    """Ask the page for a resource: ``(address, file ending)``; what has no address of its own comes as a
    ``data:`` one. ``ToolFailed`` says why there is nothing.
    """
    body = bytearray()
    offset: int | None = 0
    mime = ""
    for _ in range(PIECES):
        answer = await ctx.page("resource", {**args, "offset": offset}, timeout=PAGE_READ_TIMEOUT)
        if answer.get("success") is not True:
            message = str(answer.get("error") or "The page gave no usable answer.")
            told: dict[str, Any] = {key: answer[key] for key in TOLD if key in answer}
            raise ToolFailed(message[:300], code=str(answer.get("code") or "no_answer"), data=told)
        if answer.get("kind") == "url":
            return str(answer.get("url") or ""), ""
        if answer.get("kind") != "data":
            raise ToolFailed("The page gave no usable answer.", code="no_answer")
        mime = str(answer.get("mime") or "application/octet-stream")
        body += _bytes(answer.get("data"))
        offset = answer.get("nextOffset")
        if len(body) > MOST_BYTES:
            break
        if not isinstance(offset, int):
            return f"data:{mime};base64,{base64.b64encode(body).decode()}", ENDINGS.get(
                mime.split(";")[0], "bin"
            )
        if offset != len(body):
            raise ToolFailed("The page handed the file over with gaps.", code="no_answer")
    raise ToolFailed("The file is too large to be saved from inside the page.", code="too_large")


def _bytes(data: object) -> bytes:
    try:
        return base64.b64decode(str(data), validate=True)
    except (ValueError, binascii.Error) as error:
        raise ToolFailed("The page handed the file over damaged.", code="no_answer") from error
