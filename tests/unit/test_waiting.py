"""Waiting for somebody else's code."""

import asyncio
import sys

import pytest

from webbrain.agent.waiting import detached
from webbrain.core.tasks import begun


async def test_the_result_and_the_error_come_through() -> None:
    async def fails() -> None:
        await asyncio.sleep(0)
        raise KeyError("x")

    assert await detached(asyncio.sleep(0, "slept"), 5) == "slept"
    with pytest.raises(KeyError):
        await detached(fails(), 5)


async def test_what_lingers_over_its_cancellation_holds_up_nobody() -> None:
    ended = asyncio.Event()

    async def lingers() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await ended.wait()

    with pytest.raises(TimeoutError):
        await detached(lingers(), 0.01)
    waiter = asyncio.create_task(detached(lingers()))
    await asyncio.sleep(0.01)
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    ended.set()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python starts no task at once")
async def test_what_is_begun_has_come_as_far_as_it_can() -> None:
    order = []

    async def quick() -> str:
        order.append("quick")
        return "done"

    asyncio.get_running_loop().call_soon(order.append, "loop")
    assert begun(quick()).done()
    assert order == ["quick"]
