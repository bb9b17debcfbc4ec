"""A service that refuses for now: waited for as it asks, in sight of the person, never past a Stop."""

import asyncio
import time
from typing import Any

import pytest

from tests.support.agent import Bench, types
from webbrain.core.errors import ProviderFailed
from webbrain.host.memory import START_OF_TIME


def busy(code: str = "rate_limited", **data: Any) -> ProviderFailed:
    return ProviderFailed("Slow down.", code=code, transient=True, data=data)


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_the_pause_a_service_asks_for_is_kept_to_the_second_and_told() -> None:
    bench = Bench(busy(retry_after=45.0), "Here.")
    bench.host.clock.hold()
    await bench.start("x", "ask")
    told = await bench.until("waiting")
    assert told == {
        "code": "rate_limited",
        "message": "Slow down.",
        "seconds": 45.0,
        "until": (START_OF_TIME + 45) * 1000,
        "attempt": 1,
    }
    await settle()
    bench.host.clock.advance(44.9)
    await settle()
    assert len(bench.model.requests) == 1
    bench.host.clock.advance(0.2)
    await bench.until("text")
    assert len(bench.model.requests) == 2


async def test_without_a_word_from_the_service_the_pauses_grow() -> None:
    bench = Bench(busy("overloaded"), busy("overloaded"), busy("overloaded"), "Here.")
    await bench.run("x", "ask")
    assert [event["data"]["seconds"] for event in bench.events("waiting")] == [2.0, 8.0, 20.0]
    assert [event["data"]["attempt"] for event in bench.events("waiting")] == [1, 2, 3]
    assert bench.last("run_complete")["status"] == "completed"


@pytest.mark.parametrize("asked", [0.0, 0.5])
async def test_no_service_is_asked_again_at_once(asked: float) -> None:
    bench = Bench(busy(retry_after=asked), "Here.")
    await bench.run("x", "ask")
    assert bench.last("waiting")["seconds"] == 2.0


async def test_a_failure_that_lasts_ends_the_run() -> None:
    always = busy("overloaded", hint="Wait.", detail="529")
    bench = Bench(*[always] * 4, "never")
    events = await bench.run("x", "ask")
    assert types(events)[-2:] == ["error", "run_complete"]
    assert bench.last("error") == {
        "code": "overloaded",
        "message": "Slow down.",
        "detail": "Wait.\n\n529",
        "retryable": True,
    }
    assert len(bench.model.requests) == 4
    assert bench.last("run_complete")["status"] == "failed"


async def test_other_passing_failures_are_repeated_once() -> None:
    bench = Bench(*[busy("server_error")] * 2, "never")
    await bench.run("x", "ask")
    assert len(bench.model.requests) == 2


async def test_patience_begins_anew_with_every_answer() -> None:
    bench = Bench(busy("server_error"), "", busy("server_error"), "Here.")
    await bench.run("x", "ask")
    assert len(bench.events("waiting")) == 2
    assert bench.last("run_complete")["status"] == "completed"


async def test_a_service_that_wants_a_long_pause_is_not_waited_for() -> None:
    bench = Bench(busy(retry_after=301.0), "never")
    await bench.run("x", "ask")
    assert bench.last("error")["code"] == "rate_limited"
    assert bench.host.clock.sleeps.count(301.0) == 0


async def test_an_offline_computer_is_waited_for() -> None:
    bench = Bench(busy("offline"), "Here.")
    await bench.run("x", "ask")
    assert bench.last("waiting")["code"] == "offline"
    assert bench.last("run_complete")["status"] == "completed"


async def test_stop_ends_a_wait_at_once() -> None:
    bench = Bench(busy(retry_after=200.0), "never")
    bench.host.clock.hold()
    await bench.start("x", "ask")
    await bench.until("waiting")
    await settle()
    began = time.monotonic()
    assert await bench.stop()
    assert time.monotonic() - began < 1
    assert bench.last("run_complete")["status"] == "stopped"
    assert len(bench.model.requests) == 1


async def test_what_lasts_is_not_waited_for() -> None:
    """The control: without ``transient`` nothing is repeated, whatever pause is named."""
    bench = Bench(ProviderFailed("No.", code="rate_limited", data={"retry_after": 1.0}), "never")
    await bench.run("x", "ask")
    assert bench.events("waiting") == []
    assert len(bench.model.requests) == 1
