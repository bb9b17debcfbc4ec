"""Reading a file that was downloaded."""

import base64
from typing import Any, Final

from pydantic import Field

from webbrain.core.errors import ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import DOWNLOADS, ToolArgs, ToolContext, spec
from webbrain.tools.fetching import FETCH_TIMEOUT, RESULT_CHARS, TEXT_BYTES, refusal, window
from webbrain.tools.sources import content, find

BASE64_BYTES: Final = 5_000
"""A binary file up to this size is given as base64; more would not fit into a result."""


class Args(ToolArgs):
    """Read a downloaded text file by its id. Its source is fetched again. For a PDF use read_pdf with the
    file's url."""

    downloadId: int = Field(ge=0)
    offset: int = Field(0, ge=0)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Fetch the source again and return a part of it."""
    await ctx.host.browser.get_tab(ctx.tab_id)
    try:
        file = await content(ctx, await find(ctx, args.downloadId), TEXT_BYTES)
    except ToolFailed as error:
        return refusal(error)
    data: dict[str, Any] = {"filename": file.name, "mime": file.mime, "bytes": len(file.body)}
    if file.text is not None:
        data |= window(file.text, args.offset, RESULT_CHARS)
    elif len(file.body) <= BASE64_BYTES:
        data["base64"] = base64.b64encode(file.body).decode()
    else:
        data["note"] = "A binary file; its content cannot be shown. upload_file can hand it to a page."
    return ToolResult(True, data, summary=f"{len(file.body)} bytes")


SPEC = spec(
    "read_downloaded_file",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NETWORK,
    untrusted=True,
    effect=False,
    shows=DOWNLOADS,
    label="Read download {downloadId}",
    timeout=FETCH_TIMEOUT,
    example='{"downloadId": 1}',
)
