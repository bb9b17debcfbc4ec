"""The frames of a page."""

import asyncio
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.core.limits import PAGE_READ_TIMEOUT, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.reach import Frame
from webbrain.tools.base import ToolArgs, ToolContext
from webbrain.tools.frames import MOST_LISTED, children
from webbrain.tools.problems import from_page
from webbrain.tools.structure import structure_spec

SIZE_TIMEOUT: Final = 2.0
"""For a frame to say how large it is; one that is silent is listed without."""


class Args(ToolArgs):
    """List the page's frames: frameId, address, size. Read one with iframe_read."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """List the frames the browser knows, and ask each how large it is."""
    page = await ctx.page("viewport", {}, timeout=PAGE_READ_TIMEOUT, frame_id=0)
    if page.get("success") is not True:
        return from_page(page, "")
    found = await children(ctx)
    shown = found[:MOST_LISTED]
    sizes = await asyncio.gather(*(_size(ctx, frame) for frame in shown))
    rows = [_row(frame) | size for frame, size in zip(shown, sizes, strict=True)]
    result = ToolResult.ok(f"{len(found)} frames", frames=rows)
    if len(found) > len(shown):
        result.data |= {"total": len(found), "truncated": True}
    return result


def _row(frame: Frame) -> dict[str, Any]:
    row: dict[str, Any] = {"frameId": frame.id, "url": frame.url[:PAGE_URL_CHARS]}
    return row | {"parentId": frame.parent_id} if frame.parent_id > 0 else row


async def _size(ctx: ToolContext, frame: Frame) -> dict[str, Any]:
    try:
        answer = await ctx.page("viewport", {}, timeout=SIZE_TIMEOUT, frame_id=frame.id)
    except BridgeError:
        return {"readable": False}
    return {key: answer[key] for key in ("width", "height") if key in answer}


SPEC = structure_spec("get_frames", args=Args, run=run, label="List the frames", example="{}")
