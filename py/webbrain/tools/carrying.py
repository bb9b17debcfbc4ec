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
