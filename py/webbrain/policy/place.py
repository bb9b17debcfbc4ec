"""Where a call takes effect, and proof that it is still there after a person has thought about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.types import Capability
from webbrain.host.reach import Frame
from webbrain.policy.origins import frame_url, known_key
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.frames import pick

IN_FRAMES: Final = frozenset({"iframe_click", "iframe_type"})
"""Tools that are told a frame by its address."""
ON_PAGE: Final = frozenset({Capability.CLICK, Capability.TYPE, Capability.UPLOAD, Capability.EXECUTE_JS})
"""Capabilities that are used inside one document; the others go to an address or to the browser."""

CHANGED: Final = (
    "The page changed while the user was asked, so nothing was done: {what}. Read the page, and ask again by "
    "making the call anew if it still makes sense."
)


@dataclass(frozen=True, slots=True)
class Place:
    """The document a call is about, at the moment the question is drawn."""

    tab_id: int
    url: str
    """The tab's address."""
    key: str
    """What grants are charged to: the page's own host, or the frame's; empty if it cannot be told."""
    origin: str
    """The address that ``key`` is taken from."""
    frame_id: int = 0
    frame: str = ""
    """The frame's own address, as the browser names it."""
    documents: tuple[int, int] = (0, 0)
    """How often page and frame had shown a new document."""
    in_page: bool = True


async def place_of(ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> Place:
    """Where this call takes effect. Raise ``ToolFailed`` as the tool would if its frame cannot be found."""
    tab = await ctx.host.browser.get_tab(ctx.tab_id)
    frame_id = 0
    if spec.name in IN_FRAMES:
        frame_id = (await pick(ctx, args.get("urlFilter"), frame_id=args.get("frameId"))).id
    elif spec.capability in ON_PAGE:
        frame_id = ctx.frame_of(args)
    in_page = spec.capability in ON_PAGE
    documents = ctx.state.documents
    seen = (documents[ctx.tab_id, 0], documents[ctx.tab_id, frame_id])
    if not frame_id:
        return Place(ctx.tab_id, tab.url, known_key(tab.url), tab.url, documents=seen, in_page=in_page)
    frames = await ctx.host.browser.frames(ctx.tab_id)
    own = _own(frame_id, frames)
    origin = frame_url(frame_id, frames)
    return Place(ctx.tab_id, tab.url, known_key(origin), origin, frame_id, own, seen, in_page)


async def recheck(ctx: ToolContext, before: Place) -> None:
    """Raise ``ToolFailed`` (``changed_since_asked``) unless the call still means what the card said."""
    if ctx.state.tab_id != before.tab_id:
        raise changed("the run is in another tab")
    try:
        tab = await ctx.host.browser.get_tab(before.tab_id)
    except BridgeError as error:
        raise changed("the tab is gone") from error
    if known_key(tab.url) != known_key(before.url):
        raise changed("the tab shows another site")
    if not before.in_page:
        return
    documents = ctx.state.documents
    now = (documents[before.tab_id, 0], documents[before.tab_id, before.frame_id])
    if now != before.documents or _page(tab.url) != _page(before.url):
        raise changed("it shows a new page")
    if before.frame_id:
        frames = await ctx.host.browser.frames(before.tab_id)
        if _page(_own(before.frame_id, frames)) != _page(before.frame):
            raise changed("the frame shows a new page")


def changed(what: str) -> ToolFailed:
    """The refusal of a call whose question no longer holds."""
    return ToolFailed(
        CHANGED.format(what=what), code="changed_since_asked", data={"denied": True, "dispatched": False}
    )


def _own(frame_id: int, frames: list[Frame]) -> str:
    return next((frame.url for frame in frames if frame.id == frame_id), "")


def _page(url: str) -> str:
    """An address without its fragment: jumping within a page is no new page."""
    return url.partition("#")[0]
