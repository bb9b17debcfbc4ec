"""Opening an embedded frame as a page of its own."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

from webbrain.core.errors import BridgeError
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.reach import Frame
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.frames import MOST_FILTER_CHARS, children, pick, unverified
from webbrain.tools.leaving import PROBE_TIMEOUT, refusal_to_leave
from webbrain.tools.opening import OPENING_TIMEOUT, SCHEMES, open_address

MOST_INSPECTED: Final = 10
"""Frames looked into before the page is left; a frame that holds more is not left without ``force``."""


class Args(ToolArgs):
    """Open a frame as the page of this tab, if iframe_read and refs are not enough; go_back returns.
    Entries in it stop this. "ambiguous": repeat with matchIndex."""

    urlFilter: str = Field(min_length=1, max_length=MOST_FILTER_CHARS)
    matchIndex: int | None = Field(None, ge=0)
    force: bool = Field(False)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Look whether anything would be lost, then navigate to the frame's own address."""
    before = await ctx.host.browser.get_tab(ctx.tab_id)
    frame = await pick(ctx, args.urlFilter, match_index=args.matchIndex)
    if frame.url.partition(":")[0].lower() not in SCHEMES:
        return ToolResult.error(
            "This frame has no address of its own. Work in it with iframe_read and refs.", code="no_address"
        )
    refusal = None if args.force else await _refusal(ctx, frame)
    refusal = refusal or await refusal_to_leave(ctx, before, force=args.force)
    return refusal or await open_address(ctx, before, frame.url, force=args.force)


async def _refusal(ctx: ToolContext, frame: Frame) -> ToolResult | None:
    """Why the frame must not be left as it is, or ``None``. What cannot be seen may be lost too."""
    inside = _family(frame, await children(ctx))
    if any(unverified(ctx, each) for each in inside):
        return _blocked("Something was typed in this frame and not seen to have arrived.", "unverified_edit")
    if len(inside) > MOST_INSPECTED:
        return _blocked("This frame holds too many others to look into each.", "not_inspected")
    fields = files = 0
    for each in inside:
        try:
            state = await ctx.page("page_state", {}, timeout=PROBE_TIMEOUT, frame_id=each.id)
        except BridgeError as error:
            if error.code in ("no_tab", "restricted_page"):
                raise
            state = {}
        if state.get("success") is not True or not isinstance(state.get("forms"), list):
            return _blocked("It cannot be seen whether this frame holds entries.", "not_inspected")
        for form in (*state["forms"], state.get("loose")):
            if isinstance(form, Mapping):
                fields += _count(form.get("dirty"))
                files += _count(form.get("files"))
    if fields or files:
        return _blocked("This frame holds entries.", "unsaved_changes", fields=fields, files=files)
    return None


def _blocked(reason: str, code: str, **data: Any) -> ToolResult:
    return ToolResult.error(
        f"{reason} Finish or check the form in the frame first, or repeat with force=true if the user wants "
        "the entries discarded.",
        code=code,
        blockedUnsavedChanges=True,
        **data,
    )


def _family(frame: Frame, frames: list[Frame]) -> list[Frame]:
    """The frame and all frames inside it."""
    family = [frame]
    for member in family:
        family += [child for child in frames if child.parent_id == member.id and child not in family]
    return family


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


SPEC = spec(
    "promote_iframe",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NAVIGATE,
    untrusted=True,
    effect=True,
    label="Open the frame {urlFilter} in this tab",
    timeout=OPENING_TIMEOUT + MOST_INSPECTED * PROBE_TIMEOUT,
    example='{"urlFilter": "forms.example/embed"}',
)
