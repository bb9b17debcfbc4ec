"""Handing a file to a page."""

import base64
from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

from webbrain.core.errors import ToolFailed
from webbrain.core.ids import new_id
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.acting import act
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.choosing import take_field
from webbrain.tools.fetching import refusal
from webbrain.tools.problems import from_page
from webbrain.tools.sources import Content, content, find

MOST_BYTES: Final = 25_000_000
CHUNK_BYTES: Final = 393_216
"""Bytes of one message to the page: 512 KB as base64."""
UPLOAD_TIMEOUT: Final = 140.0
SELECTOR_CHARS: Final = 1_000
NAME_CHARS: Final = 100
"""Of a file's name in a sentence."""


class Args(ToolArgs):
    """Put a downloaded file into the page's file field. ref_id or selector: the field, or the button or area
    that asks for a file; without, the page's only field. Do not click it: that opens a system dialog. Check
    what the page shows then."""

    downloadId: int = Field(ge=0)
    ref_id: str | None = Field(None, max_length=40)
    selector: str | None = Field(None, max_length=SELECTOR_CHARS)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Fetch the file's source again and give it to the page; a field that is not on the page is asked for."""
    await ctx.host.browser.get_tab(ctx.tab_id)
    try:
        file = await content(ctx, await find(ctx, args.downloadId), MOST_BYTES)
    except ToolFailed as error:
        if error.code == "too_large":
            return ToolResult.error("A page is given files of at most 25 MB.", code="too_large")
        return refusal(error)
    result = await _give(ctx, file, args.model_dump(include={"ref_id", "selector"}, exclude_none=True))
    opener = result.data.pop("opener", None)
    if isinstance(opener, str) and result.data.get("code") == "no_file_input":
        await take_field(ctx, opener, file.name[:NAME_CHARS])
        result = await _give(ctx, file, {"ref_id": opener, "handed": True})
    return result


async def _give(ctx: ToolContext, file: Content, place: Mapping[str, Any]) -> ToolResult:
    """Hand the file over in pieces."""
    message = {
        **place,
        "upload": new_id("upload"),
        "name": file.name,
        "type": file.mime,
        "size": len(file.body),
    }
    starts = range(0, max(len(file.body), 1), CHUNK_BYTES)
    for index, start in enumerate(starts):
        data = base64.b64encode(file.body[start : start + CHUNK_BYTES]).decode()
        piece = {**message, "index": index, "data": data, "last": index == len(starts) - 1}
        if piece["last"]:
            break
        # Pieces before the last change nothing: the page script keeps them until then.
        answer = await ctx.page("upload_file", piece, timeout=PAGE_READ_TIMEOUT)
        if answer.get("success") is not True:
            return from_page(answer, "")
    return await act(ctx, "upload_file", piece, summary=f"{len(file.body)} bytes handed over")


SPEC = spec(
    "upload_file",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.UPLOAD,
    untrusted=True,
    effect=True,
    label="Upload download {downloadId}",
    timeout=UPLOAD_TIMEOUT,
    example='{"downloadId": 1}',
)
