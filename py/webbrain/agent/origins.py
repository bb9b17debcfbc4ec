"""Whose text a tool's result is: the origin that ``policy.taint`` remembers it under.

In doubt it is nobody's, which counts as foreign everywhere: a question too many does less harm than one too
few.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import WebBrainError
from webbrain.core.results import ToolResult
from webbrain.core.tasks import begun
from webbrain.core.types import Capability
from webbrain.policy.taint import FILES, UNKNOWN, origin_of
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.frames import pick

DISK_TOOLS: Final = frozenset({"list_downloads", "read_downloaded_file", "upload_file"})
"""Tools whose result speaks of files on this computer."""
FRAME_ARGUMENTS: Final = ("urlFilter", "frameId")
"""Arguments that name a frame."""


class Origins:
    """For one call: asked before it, because what it does may lead elsewhere."""

    def __init__(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> None:
        self._ctx = ctx
        self._spec = spec
        self._args = args
        self._origin: asyncio.Future[str] | None = None

    def begin(self) -> None:
        """Ask for the document that the call is about. The question goes out before anything that the call
        does, and is answered meanwhile."""
        if self._spec.untrusted and self._spec.name not in DISK_TOOLS:
            self._origin = begun(self._document())

    async def of(self, result: ToolResult) -> str:
        """The origin of the text in ``result``; empty for a result that holds no page's text."""
        if not self._spec.untrusted:
            return ""
        if self._spec.own_notes:
            return UNKNOWN
        if self._spec.name in DISK_TOOLS:
            return FILES
        if self._spec.capability is Capability.NETWORK:
            return origin_of(str(result.data.get("url") or self._args.get("url") or ""))
        if self._spec.capability is Capability.NAVIGATE and result.success:
            return await self._page()
        return await self._origin if self._origin else UNKNOWN

    async def _document(self) -> str:
        try:
            if any(self._args.get(name) is not None for name in FRAME_ARGUMENTS):
                named = {"frame_id": self._args.get("frameId"), "match_index": self._args.get("matchIndex")}
                return origin_of((await pick(self._ctx, self._args.get("urlFilter"), **named)).url)
            frame_id = self._ctx.frame_of(self._args)
            if frame_id:
                frames = await self._ctx.host.browser.frames(self._ctx.tab_id)
                return next((origin_of(frame.url) for frame in frames if frame.id == frame_id), UNKNOWN)
        except WebBrainError:
            return UNKNOWN
        return await self._page()

    async def _page(self) -> str:
        try:
            return origin_of((await self._ctx.host.browser.get_tab(self._ctx.state.tab_id)).url)
        except WebBrainError:
            return UNKNOWN
