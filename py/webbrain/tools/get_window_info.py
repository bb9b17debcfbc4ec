"""The run's window and viewport, in numbers."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.problems import SENTENCES
from webbrain.tools.state import DialogOpen

VIEWPORT: Final = ("width", "height", "devicePixelRatio", "scrollX", "scrollY")


class Args(ToolArgs):
    """Get size and place of window and viewport."""


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Numbers only: nothing of the page's own words, nor the browser's about it, so the result needs no
    boundary. What a dialog says is shown by the tools that read."""
    try:
        answer = await ctx.page("viewport", {}, timeout=PAGE_READ_TIMEOUT, frame_id=0)
    except DialogOpen as error:
        return ToolResult.error(error.message, code=error.code)
    except BridgeError as error:
        if error.code in SENTENCES or error.code == OutcomeUnknown.code:
            raise
        answer = {}
    if answer.get("success") is not True:
        return ToolResult.error("The page did not say how large it is. Try again.", code="no_answer")
    tab = await ctx.host.browser.get_tab(ctx.tab_id)
    window = asdict(await ctx.host.windows.get(tab.window_id))
    viewport = {key: _number(answer.get(key)) for key in VIEWPORT}
    return ToolResult.ok(
        f"{viewport['width']:g} x {viewport['height']:g}",
        tab={"id": tab.id, "windowId": tab.window_id, "active": tab.active},
        window=window,
        viewport=viewport,
        aspectRatio=_ratio(window),
        viewportAspectRatio=_ratio(viewport),
    )


def _number(value: Any) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return round(value, 3) if plain else 0


def _ratio(box: Mapping[str, Any]) -> float | None:
    return round(box["width"] / box["height"], 3) if box["height"] else None


SPEC = spec(
    "get_window_info",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=False,
    effect=False,
    label="Look at the window's size",
    timeout=PAGE_READ_TIMEOUT + 10,
    example="{}",
)
