"""The line of what is due, in the place of a loop's own ``call_soon``."""

import asyncio
import contextvars
import time
from collections.abc import Iterator
from typing import Any

import pytest

from webbrain.host import ready
from webbrain.host.ready import ReadyLine


class Loop(asyncio.SelectorEventLoop):
    """Counts what it is given to call."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks = 0

    def call_soon(self, *args: Any, **named: Any) -> asyncio.Handle:  # type: ignore[override]
        self.tasks += 1
        return super().call_soon(*args, **named)


@pytest.fixture
def loop() -> Iterator[Loop]:
    loop = Loop()
    ReadyLine(loop).install()
    yield loop
    loop.close()


def test_what_is_due_is_run_in_order_in_one_task(loop: Loop) -> None:
    done: list[int] = []

    def note(number: int) -> None:
        done.append(number)
        if number < 3:
            loop.call_soon(note, number + 10)

    async def main() -> None:
        for number in range(5):
            loop.call_soon(note, number)
        before = loop.tasks
        while len(done) < 8:
            await asyncio.sleep(0)
        assert loop.tasks == before

    loop.run_until_complete(main())
    assert done == [0, 1, 2, 3, 4, 10, 11, 12]


def test_waiting_for_each_other_takes_few_tasks(loop: Loop) -> None:
    async def answer(number: int) -> int:
        await asyncio.sleep(0)
        return number

    async def main() -> int:
        return sum(await asyncio.gather(*(answer(number) for number in range(50))))

    assert loop.run_until_complete(main()) == 1225
    assert loop.tasks < 10


def test_a_fault_is_told_and_harms_nobody_else(loop: Loop) -> None:
    told: list[Any] = []
    done: list[int] = []
    loop.set_exception_handler(lambda _, context: told.append(context["exception"]))

    async def main() -> None:
        loop.call_soon(lambda: 1 / 0)
        loop.call_soon(done.append, 1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    loop.run_until_complete(main())
    assert done == [1]
    assert isinstance(told[0], ZeroDivisionError)


def test_what_ends_the_program_leaves_the_rest_due(loop: Loop) -> None:
    done: list[int] = []

    def leave() -> None:
        raise SystemExit(3)

    async def main() -> None:
        loop.call_soon(leave)
        loop.call_soon(done.append, 1)
        await asyncio.sleep(60)

    task = loop.create_task(main())
    with pytest.raises(SystemExit):
        loop.run_until_complete(task)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    assert done == [1]


def test_what_was_cancelled_is_not_run(loop: Loop) -> None:
    done: list[int] = []

    async def main() -> None:
        loop.call_soon(done.append, 1).cancel()
        loop.call_soon(done.append, 2)
        await asyncio.sleep(0)

    loop.run_until_complete(main())
    assert done == [2]


def test_each_has_the_context_it_was_made_in(loop: Loop) -> None:
    name = contextvars.ContextVar("name", default="nobody")
    seen: list[str] = []

    async def main() -> None:
        other = contextvars.copy_context()
        other.run(name.set, "somebody")
        loop.call_soon(lambda: seen.append(name.get()), context=other)
        loop.call_soon(lambda: seen.append(name.get()))
        await asyncio.sleep(0)

    loop.run_until_complete(main())
    assert seen == ["somebody", "nobody"]


@pytest.mark.parametrize("bounded", [True, False])
def test_who_never_stops_adding_holds_up_nobody(
    loop: Loop, bounded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the bound a timer that is due long before has to wait: the control."""
    if not bounded:
        monkeypatch.setattr(ready, "SLICE", 0.3)
    rang: list[float] = []

    async def main() -> None:
        began = time.monotonic()
        loop.call_later(0.01, lambda: rang.append(time.monotonic() - began))
        while not rang and time.monotonic() - began < 5:
            await asyncio.sleep(0)

    loop.run_until_complete(main())
    assert (rang[0] < 0.2) is bounded
