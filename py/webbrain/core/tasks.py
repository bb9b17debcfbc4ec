"""Work that goes on beside its caller."""

import asyncio
import sys
from collections.abc import Awaitable
from typing import Any, TypeVar

Result = TypeVar("Result")


def begun(work: Awaitable[Result]) -> asyncio.Future[Result]:
    """``work`` as a task that has run already as far as it comes without waiting, where Python knows how."""
    if sys.version_info >= (3, 12) and asyncio.iscoroutine(work):
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)
    return asyncio.ensure_future(work)


def consume(task: asyncio.Future[Any]) -> None:
    """Look at the outcome that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
