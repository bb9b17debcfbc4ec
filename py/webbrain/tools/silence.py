"""Noticing that a page has fallen silent while it does something.

Where dialogs are not reported (no debugger), a page that shows one looks like a page that is busy. Chrome
then answers nothing at all; Firefox still takes messages, but the page's timers stand still. So a page that
does not answer a question which needs a timer is silent. That is noticed long before the action's own limit,
and told to the person, who alone can close a dialog.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.tools.base import ToolContext

FIRST_LOOK: Final = 3.0
"""Seconds after which a page that has not answered is asked whether it is there."""
LOOK_INTERVAL: Final = 3.0
ANSWER_TIMEOUT: Final = 4.0
"""Seconds a living page has to answer that; timers of a tab in the background come once a second."""
QUESTION: Final = "wait_for_stable"
QUESTION_ARGS: Final[Mapping[str, Any]] = {"timeout": 50, "quietMs": 1, "checkNetwork": False}
"""What needs a timer of the page to be answered, and is answered soon whatever the page does."""
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


async def stands_still(ctx: ToolContext) -> bool:
    """Whether the page answers nothing that needs a timer of its own, and nobody would report its dialog."""
    if ctx.tab_id in ctx.state.debugged:
        return False
    try:
        await ctx.host.page.call(ctx.tab_id, QUESTION, QUESTION_ARGS, timeout=ANSWER_TIMEOUT)
    except BridgeError as error:
        if error.code != "page_busy":
            return False
        ctx.state.warn("page_silent", SILENT)
        return True
    return False


async def _is_alive(ctx: ToolContext, call: asyncio.Future[dict[str, Any]]) -> bool:
    """Whether the page answers while it is at work; also true if it has finished meanwhile or is gone."""
    question = asyncio.ensure_future(
        ctx.host.page.call(ctx.tab_id, QUESTION, QUESTION_ARGS, timeout=ANSWER_TIMEOUT)
    )
    both: set[asyncio.Future[Any]] = {call, question}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not question.done():
            question.add_done_callback(_consume)
            question.cancel()
    if not question.done():
        return True
    error = question.exception()
    return not (isinstance(error, BridgeError) and error.code == "page_busy")


def _consume(task: asyncio.Future[Any]) -> None:
    """Look at the outcome that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
