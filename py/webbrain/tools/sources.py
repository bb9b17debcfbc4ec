"""The content of a file that was downloaded.

An extension cannot read the disk. So the file's source is fetched again, under the same guard and cookie rule
as any other address.
"""

from dataclasses import dataclass
from typing import Final

from webbrain.core.errors import ToolFailed
from webbrain.host.reach import Download
from webbrain.tools.base import ToolContext
from webbrain.tools.fetching import data_url, decoded, open_url
from webbrain.tools.saving import base_name

NOT_THERE: Final = "There is no download with this id. list_downloads shows those that are."
NOT_DONE: Final = "This download is not complete ({state})."
NOT_READABLE: Final = (
    "The file {name} was made inside a page, and the browser lets no extension read it from the disk. "
    "The user finds it among the downloads."
)
GONE: Final = "The server no longer gives this file (status {status}). The user has it among the downloads."


@dataclass(frozen=True, slots=True)
class Content:
    """A downloaded file. ``text`` is ``None`` for what is no text."""

    name: str
    mime: str
    body: bytes
    text: str | None


async def find(ctx: ToolContext, download_id: int) -> Download:
    """The complete download of that id; ``ToolFailed`` says why there is none."""
    rows = await ctx.host.downloads.search(ids=[download_id])
    if not rows:
        raise ToolFailed(NOT_THERE, code="no_download")
    if rows[0].state != "complete":
        raise ToolFailed(NOT_DONE.format(state=rows[0].state.replace("_", " ")), code="download_not_complete")
    return rows[0]


async def content(ctx: ToolContext, row: Download, limit: int) -> Content:
    """The file's content, at most ``limit`` bytes; ``ToolFailed`` if it cannot be had again."""
    name = base_name(row.filename)
    url = row.final_url or row.url
    if url.startswith("data:"):
        mime, body = data_url(url)
        return Content(name, mime, body, decoded(body) if mime.startswith("text/") else None)
    if not url.startswith(("http:", "https:")):
        raise ToolFailed(NOT_READABLE.format(name=name[:100]), code="not_readable")
    opened = await open_url(ctx, url)
    if opened.status >= 400:
        await opened.response.close()
        raise ToolFailed(GONE.format(status=opened.status), code="http_error")
    body = await opened.read(limit)
    return Content(name, opened.content_type or row.mime, body, opened.text_of(body))
