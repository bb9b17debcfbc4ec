"""Frames of a page, and how a model names one.

A frame is named by its host and any further part of its address, so that an address which only mentions a
host (in a path or a query) is never taken for one of that host.
"""

import contextlib
import dataclasses
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from webbrain.core.errors import ToolFailed
from webbrain.core.limits import PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.reach import Frame
from webbrain.tools.base import ToolArgs, ToolContext

MOST_FILTER_CHARS: Final = 500
MOST_LISTED: Final = 25
"""Frames named in one answer."""
HOSTLESS: Final = ("about:", "blob:", "data:")
"""Schemes of frames whose document belongs to the page around them."""

UNVERIFIED: Final = "unverified_frames"
"""Where ``RunState.memory`` holds the frames with edits that nobody saw succeed."""
FILTER: Final = "Its host and more of its address, e.g. pay.example/card"

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class FrameArgs(ToolArgs):
    """How a tool for one element in a frame is told which frame."""

    urlFilter: str = Field(min_length=1, max_length=MOST_FILTER_CHARS)
    frameId: int | None = None
    selector: str = Field(min_length=1, max_length=500)
    matchIndex: int | None = Field(None, ge=0)


async def children(ctx: ToolContext) -> list[Frame]:
    """Every frame of the run's tab but the page itself."""
    return [frame for frame in await ctx.host.browser.frames(ctx.tab_id) if frame.id != 0]


async def pick(
    ctx: ToolContext,
    url_filter: str | None,
    *,
    match_index: int | None = None,
    frame_id: int | None = None,
) -> Frame:
    """The one frame that is meant.

    Raise ``ToolFailed`` with the frames there are: ``no_frames``, ``no_frame`` (nothing fits), ``ambiguous``
    (several fit and nothing says which) or ``bad_index``. A frame that a person was asked about is taken
    again.
    """
    found = await children(ctx)
    if not found:
        raise ToolFailed("This page has no frames. Use the ordinary tools.", code="no_frames")
    fitting = [frame for frame in found if url_filter is None or fits(frame.url, url_filter)]
    wanted = ctx.frame_id if ctx.frame_id is not None else frame_id
    if wanted is not None:
        fitting, match_index = [frame for frame in fitting if frame.id == wanted], None
    if not fitting:
        raise ToolFailed(
            "No frame fits. urlFilter begins with the frame's host, such as pay.example/card.",
            code="no_frame",
            data=listed(found),
        )
    if match_index is not None:
        if match_index >= len(fitting):
            raise ToolFailed(
                f"There is no such frame: matchIndex must be below {len(fitting)}.",
                code="bad_index",
                data=listed(fitting),
            )
        return fitting[match_index]
    if len(fitting) > 1:
        raise ToolFailed(
            "Several frames fit, so nothing was done. Say which of these you mean.",
            code="ambiguous",
            data=listed(fitting),
        )
    return fitting[0]


def within(ctx: ToolContext, frame: Frame) -> ToolContext:
    """A context whose page calls go to this frame."""
    return dataclasses.replace(ctx, frame_id=frame.id)


@contextlib.asynccontextmanager
async def editing(
    ctx: ToolContext, args: Mapping[str, Any]
) -> AsyncIterator[Callable[[ToolResult], ToolResult]]:
    """Remember that a frame holds an edit nobody saw succeed, until the result passed in says it did."""
    frame = ctx.frame_of(args)
    unverified = ctx.state.memory.setdefault(UNVERIFIED, {})
    known = frame in unverified
    if frame:
        unverified[frame] = True

    def ended(result: ToolResult) -> ToolResult:
        untouched = not result.success and "actual" not in result.data
        if (result.data.get("verified") is True or untouched) and not known:
            unverified.pop(frame, None)
        return result

    yield ended


def unverified(ctx: ToolContext, frame: Frame) -> bool:
    """Whether something was entered in this frame and not seen to have arrived."""
    return frame.id in ctx.state.memory.get(UNVERIFIED, {})


def fits(url: str, url_filter: str) -> bool:
    """Whether a frame's address is of the filter's host (or below it) and holds the whole filter."""
    wanted = _SCHEME.sub("", url_filter.strip().lower(), count=1)
    address = url.lower()
    if wanted.startswith(HOSTLESS):
        return address.startswith(wanted)
    asked = re.split(r"[/?#]", wanted, maxsplit=1)[0]
    try:
        parts = urlsplit(address)
        place = parts.netloc.rpartition("@")[2] if ":" in asked.rpartition("]")[2] else parts.hostname or ""
    except ValueError:
        return False
    asked = asked if place.startswith("[") else asked.strip("[]")
    return bool(asked) and (place == asked or place.endswith(f".{asked}")) and wanted in address


def listed(frames: Sequence[Frame]) -> dict[str, Any]:
    """Frames for a result, numbered as ``matchIndex`` counts them."""
    rows = [
        {"matchIndex": index, "frameId": frame.id, "url": frame.url[:PAGE_URL_CHARS]}
        for index, frame in enumerate(frames[:MOST_LISTED])
    ]
    more = len(frames) - len(rows)
    return {"frames": rows} | ({"notListed": more} if more else {})
