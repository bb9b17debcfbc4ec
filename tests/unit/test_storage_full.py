"""Storage that refuses, at each single write: the run goes on or ends in plain words, and nothing is lost."""

import asyncio
from typing import Any

import pytest

from tests.support.agent import Bench, well_formed
from tests.support.toolbox import ANSWERS, TAB
from tests.unit.test_agent_stop import _answer_cards, scenario
from webbrain.agent.calls import NOT_ON_RECORD
from webbrain.agent.journal import UNSAVED
from webbrain.core.errors import BridgeError
from webbrain.host.memory import MemoryHost
from webbrain.testing.scripted import call

WRITES = (
    *("store.append", "store.delete", "session.set", "session.remove", "settings.set", "settings.remove"),
    *("table.put", "table.delete"),
)
FULL = BridgeError("The disk is full.", code="store_failed", data={"reason": "full"})

OLD = {"runId": "run_old", "startedAt": 1, "status": "completed", "chars": 10}
"""An older recording."""


async def _run_with_refusals(refused: Any) -> tuple[Bench, list[str]]:
    """The scenario, recorded beside an older recording that may make room, with the writes refused for which
    ``refused(index, name)`` says so."""
    bench = scenario()
    bench.host.settings.values["tracingEnabled"] = True
    bench.host.tables.data["runs"] = {("run_old", None): dict(OLD)}
    writes: list[str] = []

    def hook(name: str) -> None:
        if name.endswith(WRITES):
            writes.append(name)
            if refused(len(writes) - 1, name):
                raise FULL

    bench.host.hook = hook
    person = asyncio.ensure_future(_answer_cards(bench))
    try:
        await bench.start()
        await bench.end()
    except BridgeError:
        await bench.app.settled()  # the request was refused, in words that the panel shows
    person.cancel()
    bench.host.hook = None
    return bench, writes


NAMES = asyncio.run(_run_with_refusals(lambda index, name: False))[1]
COUNT = len(NAMES)


def test_every_kind_of_write_is_refused_somewhere() -> None:
    assert {"store.append", "session.set", "table.put"} <= set(NAMES)


@pytest.mark.parametrize("place", range(COUNT))
async def test_one_refused_write_costs_nothing(place: int) -> None:
    bench, _ = await _run_with_refusals(lambda index, name: index == place)
    await _all_is_there(bench)


@pytest.mark.parametrize("place", range(COUNT))
async def test_storage_that_is_full_from_some_write_on(place: int) -> None:
    """Until there is room again: then everything that was told is stored."""
    bench, writes = await _run_with_refusals(lambda index, name: index >= place)
    ends = bench.events("run_complete")
    if ends:
        assert "internal_error" not in [event["data"]["code"] for event in bench.events("error")]
        clicks = bench.host.page.actions().count("click_ax")
        assert clicks <= 1
        if "table.put" in writes[place:]:
            told = [event["data"]["code"] for event in bench.events("warning")]
            assert "trace_stopped" in told or "table.put" in writes[:place]
        if "store.append" in writes[place:]:
            assert "journal_failed" in [event["data"]["code"] for event in bench.events("warning")]
    await _all_is_there(bench)


@pytest.mark.parametrize("place", [place for place, name in enumerate(NAMES) if name == "table.put"])
@pytest.mark.parametrize("more", [0, 1])
async def test_room_that_is_or_cannot_be_made(place: int, more: int) -> None:
    """A part of a recording finds no room, and the older recording can be deleted for it, or cannot."""
    bench, writes = await _run_with_refusals(lambda index, name: place <= index <= place + more)
    assert bench.last("run_complete")["status"] == "completed"
    dropped = ("run_old", None) not in bench.host.tables.data["runs"]
    assert dropped is ("table.delete" in writes and writes.index("table.delete") > place + more)
    await _all_is_there(bench)


async def _all_is_there(bench: Bench) -> None:
    """Once there is room, the next request stores what could not be stored; a new start reads all of it."""
    bench.model.steps = ["Here."]
    await bench.run("And now?", "ask")
    assert bench.last("run_complete")["status"] == "completed"
    later = Bench(host=bench.host.successor())
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["events"] == bench.events()
    assert well_formed(later.history)
    assert UNSAVED not in "".join(bench.host.session.values)


async def test_nothing_is_done_that_cannot_be_put_on_record() -> None:
    bench = Bench(call("read_page"), call("click_ax", ref_id="ref_1"), call("read_page"), "I could not.")
    await bench.app.handle_ui("panel.open", {"tabId": TAB})
    bench.host.hook = lambda name: _refuse(name, "store.append", "session.set")
    await bench.run()
    assert bench.host.page.actions().count("click_ax") == 0
    told = [event["data"] for event in bench.events("tool_result") if event["data"]["name"] == "click_ax"]
    assert NOT_ON_RECORD in told[0]["result"]


def _refuse(name: str, *refused: str) -> None:
    if name in refused:
        raise FULL


async def test_a_full_disk_alone_keeps_nobody_from_acting() -> None:
    """The session's storage remembers the beginning, and a death in the middle is told as unknown."""
    bench = Bench(call("read_page"), call("click_ax", ref_id="ref_1"), "never")
    await bench.app.handle_ui("panel.open", {"tabId": TAB})
    bench.host.store.fail = FULL
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    later = _next(bench.host.successor(), "never")
    await later.app.handle_ui("panel.open", {"tabId": TAB})
    results = later.events("tool_result")
    assert results[-1]["data"]["unknown"] is True
    assert bench.last("warning")["code"] == "journal_failed"
    await bench.stop()


async def test_the_notice_comes_at_once_and_so_does_the_good_news() -> None:
    """Although the model takes its time, and without any other event."""
    waiting = asyncio.Event()
    bench = Bench(lambda request: _slow(waiting), "Done.")
    await bench.app.handle_ui("panel.open", {"tabId": TAB})
    bench.host.store.fail = FULL
    await bench.start("What?", "ask")
    warned = await bench.until("warning")
    assert warned["code"] == "journal_failed"
    bench.host.store.fail = None
    await bench.until("warning", lambda data: data["code"] == "journal_stored")
    assert bench.events("run_complete") == []
    waiting.set()
    await bench.end()


async def _slow(waiting: asyncio.Event) -> str:
    await waiting.wait()
    return "Here."


def _next(host: MemoryHost, *steps: Any) -> Bench:
    for action, answer in ANSWERS.items():
        host.page.on(action, answer)
    return Bench(*steps, host=host)
