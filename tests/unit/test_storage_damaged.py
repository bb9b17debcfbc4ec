"""Records that were cut short, garbled, older or newer: nothing breaks, and what can be read is kept."""

import copy
import random
from typing import Any

import pytest

from tests.support.agent import Bench, types, well_formed
from tests.support.toolbox import ANSWERS, TAB
from webbrain.agent.journal import DAMAGED
from webbrain.host.memory import Gate, MemoryHost
from webbrain.testing.scripted import call

SEEDS = range(150)
GARBAGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**40,
    1.5,
    "",
    "x",
    "\x00" * 9,
    [],
    ["a", 1],
    {},
    {"a": {"b": []}},
)


async def _written() -> MemoryHost:
    """A host with a finished run, an interrupted one, settings, providers and grants."""
    gate = Gate()
    bench = Bench(call("read_page"), call("click_ax", ref_id="ref_1"), call("read_page"), "Four francs.")
    bench.host.settings.values |= {
        "maxAgentSteps": 40,
        "themeMode": "dark",
        "providers": {"openai": {"apiKey": "sk-1234567890", "model": "m"}},
        "activeProvider": "openai",
        "wb_permissions": [{"capability": "click", "host": "a.example", "action": "allow", "ts": 1}],
        "spend": {"usd": 0.5, "since": 1},
        "providerLearned": {"openai": [{"baseUrl": "u", "model": "m", "at": 1, "omit": []}]},
        "vision": {"provider": "openai", "model": "m"},
        "transcription": {"provider": "auto", "model": ""},
    }
    await bench.run("What does it cost?", "ask")
    bench.model.steps = [call("read_page"), gate, "never"]
    await bench.start("And now?")
    await gate.reached()
    await bench.stored("tool_result")
    while f"tabChat:{TAB}" not in bench.host.session.values:
        await bench.host.clock.sleep(1)
    host = bench.host.successor()
    await bench.stop()
    return host


def _mutated(value: Any, rng: random.Random) -> Any:
    """``value`` with one place of it damaged."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        kind = rng.random()
        out = dict(value)
        if kind < 0.2:
            del out[key]
        elif kind < 0.3:
            out["newer field"] = rng.choice(GARBAGE)
        else:
            out[key] = _mutated(value[key], rng)
        return out
    if isinstance(value, list) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        some = [*value[:place], _mutated(value[place], rng), *value[place + 1 :]]
        return some[:place] if rng.random() < 0.2 else some
    if isinstance(value, str) and value and rng.random() < 0.6:
        place = rng.randrange(len(value))
        flipped = chr(ord(value[place]) ^ (1 << rng.randrange(7)))
        return value[:place] if rng.random() < 0.4 else value[:place] + flipped + value[place + 1 :]
    if type(value) is int and rng.random() < 0.6:
        return value ^ (1 << rng.randrange(40))
    return copy.deepcopy(rng.choice(GARBAGE))


def _damage(host: MemoryHost, rng: random.Random) -> None:
    """Damage up to four records anywhere."""
    for _ in range(rng.randint(1, 4)):
        where = rng.random()
        if where < 0.6:
            stream = rng.choice(sorted(host.store.data))
            records = host.store.data[stream]
            place = rng.randrange(len(records))
            damaged = _mutated(records[place][1], rng)
            # The database holds objects only.
            records[place] = (records[place][0], damaged if isinstance(damaged, dict) else {})
            if rng.random() < 0.1:
                del records[place:]
            if not records:
                del host.store.data[stream]
        else:
            values = host.session.values if where < 0.8 else host.settings.values
            key = rng.choice(sorted(values))
            values[key] = _mutated(values[key], rng)


@pytest.mark.parametrize("seed", SEEDS)
async def test_damaged_records_break_nothing(seed: int) -> None:
    host = await _written()
    _damage(host, random.Random(seed))
    for action, answer in ANSWERS.items():
        host.page.on(action, answer)
    later = Bench(call("read_page"), "Here.", host=host)
    await later.app.start()
    await later.app.handle_ui("panel.open", {"tabId": TAB})
    for method in ("settings.get", "permissions.list", "spending.get", "commands.list"):
        await later.app.handle_ui(method, {})
    await later.run("Once more?", "ask")
    assert later.last("run_complete")["status"] == "completed", later.events("error")
    assert well_formed(later.history)
    # What was written now is read again, whatever lies before it.
    again = Bench(host=host.successor())
    opened = await again.app.handle_ui("panel.open", {"tabId": TAB})
    assert types(opened["events"])[-1] == "run_complete"
    assert any(event["data"].get("text") == "Once more?" for event in opened["events"])


async def _opened(host: MemoryHost) -> tuple[Bench, dict[str, Any]]:
    later = Bench("Here.", host=host)
    await later.app.start()
    return later, await later.app.handle_ui("panel.open", {"tabId": TAB})


def _conversation(host: MemoryHost) -> list[tuple[int, dict[str, Any]]]:
    return next(records for stream, records in host.store.data.items() if stream.startswith("conv"))


async def test_one_damaged_record_costs_only_itself_and_is_told_once() -> None:
    """The negative control stands in the middle: without damage nothing is told."""
    host = await _written()
    whole = (await _opened(host.successor()))[1]["events"]
    assert DAMAGED not in str(whole)
    records = _conversation(host)
    place = next(i for i, (_, one) in enumerate(records) if one.get("event", {}).get("type") == "tool_result")
    lost = records[place][1]["event"]["seq"]
    records[place][1]["event"]["data"] = "garbage"
    _, opened = await _opened(host)
    kept = [event["seq"] for event in opened["events"]]
    assert lost not in kept
    assert set(kept) >= {event["seq"] for event in whole[:-1]} - {lost}
    again = (await _opened(host.successor()))[1]["events"]
    assert [event["data"].get("code") for event in again].count(DAMAGED) == 1


async def test_a_number_that_grew_by_damage_voids_nothing_behind_it() -> None:
    host = await _written()
    records = _conversation(host)
    first = next(one for _, one in records if one["kind"] == "event")
    first["event"]["seq"] = 2**40
    _, opened = await _opened(host)
    assert types(opened["events"]).count("run_complete") == 2


async def test_a_lost_beginning_costs_only_the_beginning() -> None:
    host = await _written()
    records = _conversation(host)
    for _, one in records:
        if one["kind"] == "event":
            one["event"]["seq"] += 50_000
    del records[:3]
    _, opened = await _opened(host)
    assert types(opened["events"]).count("run_complete") == 2


async def test_records_of_an_older_and_of_a_newer_version() -> None:
    host = await _written()
    for _, one in _conversation(host):
        event = one.get("event", {})
        if event.get("type") == "user_message":
            event["data"].pop("continued")  # an older version had no Continue
        if event.get("type") == "run_complete":
            event["data"]["newer"] = 1
    host.store.data["conv_newer"] = [(1, {"kind": "of next year", "x": 1})]
    numbers = [event["event"]["seq"] for _, event in _conversation(host) if event["kind"] == "event"]
    told = {"kind": "event", "event": {**_first_event(host), "seq": numbers[-1] + 1, "type": "telepathy"}}
    _conversation(host).append((_conversation(host)[-1][0] + 1, told))
    later, opened = await _opened(host)
    assert "telepathy" in types(opened["events"])
    assert DAMAGED not in str(opened["events"])
    await later.run("Go on?", "ask")
    assert later.last("run_complete")["status"] == "completed"


def _first_event(host: MemoryHost) -> dict[str, Any]:
    return next(one["event"] for _, one in _conversation(host) if one["kind"] == "event")


async def test_a_damaged_list_of_open_runs_does_not_keep_the_agent_from_starting() -> None:
    host = await _written()
    good = host.store.data["open-runs"][0][1]
    host.store.data["open-runs"] = [(1, {}), (2, {"open": True}), (3, good), (4, {"open": "?", "runId": []})]
    _, opened = await _opened(host)
    assert opened["events"][-1]["data"]["status"] == "interrupted"
