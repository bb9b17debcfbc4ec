"""Waiting for somebody else's code without depending on its good manners."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from webbrain.core.tasks import consume

Result = TypeVar("Result")


async def detached(work: Awaitable[Result], timeout: float | None = None) -> Result:
    """Await ``work`` in a task of its own; raise ``TimeoutError`` after ``timeout`` seconds.

    When the caller is cancelled, or time is up, the task is cancelled too but not waited for: a tool or a
    client that lingers over its cancellation cannot hold up a Stop.
    """
    # Not begun at once: what was recorded before goes to the store first.
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    except asyncio.CancelledError:
        _abandon(task)
        raise
    if not done:
        _abandon(task)
        raise TimeoutError
    return task.result()


def _abandon(task: asyncio.Future[Any]) -> None:
    task.add_done_callback(consume)
    task.cancel()
