"""Waiting for somebody else's code without depending on its good manners."""

import asyncio
import sys
from collections.abc import Awaitable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def detached(work: Awaitable[Result], timeout: float | None = None) -> Result:
    """Await ``work`` in a task of its own; raise ``TimeoutError`` after ``timeout`` seconds.

    When the caller is cancelled, or time is up, the task is cancelled too but not waited for: a tool or a
    client that lingers over its cancellation cannot hold up a Stop.
    """
    task = _begun(work)
    if task.done():
        return task.result()
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    except asyncio.CancelledError:
        _abandon(task)
        raise
    if not done:
        _abandon(task)
        raise TimeoutError
    return task.result()


def _begun(work: Awaitable[Result]) -> asyncio.Future[Result]:
    """``work`` as a task that has run already as far as it comes without waiting, where Python knows how."""
    if sys.version_info >= (3, 12) and asyncio.iscoroutine(work):
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)
    return asyncio.ensure_future(work)


def _abandon(task: asyncio.Future[Any]) -> None:
    task.add_done_callback(_consume)
    task.cancel()


def _consume(task: asyncio.Future[Any]) -> None:
    """Look at the outcome that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
