"""Noticing that a page has fallen silent while it does something.

Where dialogs are not reported (no debugger), a page that shows one looks like a page that is busy: nothing in
it answers. That is noticed long before the action's own limit, and told to the person, who alone can close
it.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.tools.base import ToolContext

FIRST_LOOK: Final = 4.0
"""Seconds after which a page that has not answered is asked whether it is there."""
LOOK_INTERVAL: Final = 2.0
ANSWER_TIMEOUT: Final = 3.0
"""Seconds a living page has to answer that."""
ACTION_TIMEOUT: Final = 25.0
"""Seconds for any action: the page itself gives up after twenty."""

SILENT: Final = (
    "The page does not answer. If it shows a dialog (a message with buttons, such as OK or Leave), please "
    "close it."
)


async def answered(ctx: ToolContext, action: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Send an effect to the page; return its answer, or raise ``page_busy`` once it is seen to be silent."""
    call = asyncio.ensure_future(ctx.page(action, args, effect=True, timeout=ACTION_TIMEOUT))
    try:
        wait = FIRST_LOOK
        while ctx.tab_id not in ctx.state.debugged:
            await asyncio.wait({call}, timeout=wait)
            if call.done() or not await _is_alive(ctx, call):
                break
            wait = LOOK_INTERVAL
        if not call.done() and ctx.tab_id not in ctx.state.debugged:
            ctx.state.warn("page_silent", SILENT)
            raise BridgeError("The page fell silent.", code="page_busy")
        return await call
    finally:
        if not call.done():
            call.add_done_callback(_consume)
            call.cancel()


async def _is_alive(ctx: ToolContext, call: asyncio.Future[dict[str, Any]]) -> bool:
    """Whether the page answers while it is at work; also true if it has finished meanwhile or is gone."""
    ping = asyncio.ensure_future(ctx.host.page.call(ctx.tab_id, "ping", {}, timeout=ANSWER_TIMEOUT))
    both: set[asyncio.Future[Any]] = {call, ping}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if not ping.done():
        ping.add_done_callback(_consume)
        ping.cancel()
        return True
    error = ping.exception()
    return not (isinstance(error, BridgeError) and error.code == "page_busy")


def _consume(task: asyncio.Future[Any]) -> None:
    """Look at the outcome that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
