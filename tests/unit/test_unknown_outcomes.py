"""What may have happened is looked into, where it shows, before anything is done: now and in later runs."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.agent import PROBE_YES, Bench, end
from tests.support.toolbox import ANSWERS, TAB, page_host
from tests.unit.test_resume import DONE, _died_in_a_click, _next
from webbrain.agent.completion import LOOK_AT_DOWNLOADS, LOOK_BEFORE, Completion
from webbrain.agent.evidence import left_unknown, seen_by
from webbrain.agent.journal import Journal
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.types import Mode, Tier
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import Capabilities
from webbrain.testing.scripted import call
from webbrain.tools import registry
from webbrain.tools.base import DOWNLOADS, PAGE

CLICK = call("click_ax", ref_id="ref_1")
READ = call("read_page")
CLAIM = call("done", summary="All is well.", outcome="success")
ORDERS = "https://shop.example/api/order"
POST = call("fetch_url", url=ORDERS, method="POST", body="{}")
TAKEN = Reply(headers={"content-type": "application/json"}, chunks=[b"{}"])
FELL = RuntimeError("The service fell over.")


def presses(bench: Bench) -> int:
    return bench.host.page.actions().count("click_ax")


def results(bench: Bench, name: str) -> list[tuple[bool, bool]]:
    told = [event["data"] for event in bench.events("tool_result")]
    return [(one["ok"], one["unknown"]) for one in told if one["name"] == name]


def unknown_press(*steps: Any) -> Bench:
    """The first press breaks off, the second would be taken."""
    bench = Bench(*steps)
    bench.host.page.on("click_ax", OutcomeUnknown("The page went away."), ANSWERS["click_ax"])
    return bench


async def with_leave(bench: Bench) -> None:
    """Do a task, with a person who allows everything."""
    answered: set[str] = set()

    async def allow() -> None:
        while True:
            await asyncio.sleep(0)
            for event in bench.events("clarify"):
                card = event["data"]["cardId"]
                if card not in answered:
                    answered.add(card)
                    told = {"tabId": TAB, "cardId": card, "answer": "once"}
                    await bench.app.handle_ui("card.answer", told)

    person = asyncio.ensure_future(allow())
    await bench.start("Order tea")
    await bench.end()
    person.cancel()


async def requests(*steps: Any, answers: list[Any]) -> Bench:
    """A task that may send requests which change data."""
    host = page_host()
    host.http.on("POST", ORDERS, *answers)
    host.http.on("GET", ORDERS, TAKEN)
    bench = Bench(*steps, host=host)
    await bench.app.handle_ui("commands.run", {"tabId": TAB, "text": "/allow-api"})
    await with_leave(bench)
    return bench


def sent(bench: Bench) -> int:
    return sum(request.method == "POST" for request in bench.host.http.requests)


# --- no end of a run and no other call ends the guard ---


@pytest.mark.parametrize(
    "between",
    [CLICK, call("scratchpad_write", text="pressed"), call("get_selection")],
    ids=["the refused press", "a note", "a selection"],
)
async def test_a_later_run_looks_first_whatever_was_called_since(between: Any) -> None:
    bench = unknown_press(CLICK, between, FELL)
    await bench.run("Press it")
    bench.model.steps[:] = [CLICK, READ, CLICK, READ, DONE]
    await bench.go_on()
    assert presses(bench) == 2
    assert results(bench, "click_ax")[-2:] == [(False, False), (True, False)]


async def test_the_refused_press_of_a_run_that_went_on_by_itself_is_no_look() -> None:
    later = await _died_in_a_click(CLICK, FELL)
    await later.end()
    later.model.steps[:] = [CLICK, READ, DONE]
    await later.go_on()
    assert presses(later) == 0


async def test_a_new_worker_knows_what_the_old_one_had_looked_at() -> None:
    """The control of the one before: after a look nothing is refused, in no Worker."""
    bench = unknown_press(CLICK, READ, FELL)
    await bench.run("Press it")
    later = _next(bench.host.successor(), CLICK, READ, DONE)
    await later.app.start()
    await later.go_on()
    assert presses(later) == 1
    assert "not known" not in later.model.requests[0].messages[-1].content


async def test_a_new_task_looks_first_as_well_but_is_not_blamed() -> None:
    bench = unknown_press(CLICK, FELL)
    await bench.run("Press it")
    bench.model.steps[:] = [CLICK, end("I could not tell.")]
    await bench.run("Press something else")
    assert presses(bench) == 1
    assert LOOK_BEFORE in bench.events("tool_result")[-2]["data"]["result"]
    assert bench.last("text")["undone"] == []


async def test_a_stop_in_the_middle_of_a_press_is_looked_into() -> None:
    bench = Bench(CLICK, "never")
    gate = bench.host.page.block("click_ax")
    await bench.start("Press it")
    await gate.reached()
    await bench.stop()
    gate.release()
    bench.model.steps[:] = [CLICK, READ, DONE]
    await bench.go_on()
    assert presses(bench) == 1
    assert results(bench, "click_ax") == [(False, True), (False, False)]


async def test_without_the_guard_the_press_is_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Completion, "blind_to", lambda self, spec, args: "")
    bench = unknown_press(CLICK, CLICK, READ, DONE)
    await bench.run("Press it")
    assert presses(bench) == 2


async def test_after_a_death_the_person_is_told_what_nobody_knows() -> None:
    later = await _died_in_a_click(end("I could not tell."))
    await later.end()
    assert [(one["label"], one["status"]) for one in later.last("text")["undone"]] == [
        ("Click ref_1", "unknown")
    ]


async def test_after_a_death_and_a_look_nothing_is_unknown() -> None:
    later = await _died_in_a_click(READ, end("It was pressed."))
    await later.end()
    assert later.last("text")["undone"] == []


def test_a_record_without_places_counts_as_not_looked_at() -> None:
    """An older version did not write down what was looked at."""
    journal = Journal(MemoryHost([]), TAB, "conv_1")
    one = {"tabId": TAB, "conversationId": "conv_1", "runId": "r", "requestId": "q", "at": 1}
    begun = {"callId": "c1", "name": "click_ax", "label": "Press", "args": "{}", "step": 1}
    ended = {"callId": "c1", "name": "click_ax", "ok": False, "summary": "", "result": "", "durationMs": 0}
    journal.load(
        [
            {"kind": "event", "event": {**one, "seq": 1, "type": "tool_call", "data": begun}, "effect": True},
            {
                "kind": "event",
                "event": {**one, "seq": 2, "type": "tool_result", "data": {**ended, "unknown": True}},
                "place": 7,
            },
        ]
    )
    assert [(owed.label, owed.place) for owed in left_unknown(journal)] == [("Press", PAGE)]


# --- what a look is ---


@pytest.mark.parametrize("name", ["list_downloads", "get_selection", "get_window_info", "fetch_url"])
async def test_what_shows_no_page_is_no_look_at_one(name: str) -> None:
    args = {"url": "https://shop.example/prices.json"} if name == "fetch_url" else {}
    bench = unknown_press(CLICK, call(name, **args), CLICK, end())
    await with_leave(bench)
    assert results(bench, name) == [(True, False)]
    assert presses(bench) == 1


@pytest.mark.parametrize("name", ["list_downloads", "get_selection", "get_window_info", "fetch_url"])
async def test_what_shows_no_page_pays_for_no_submit(name: str) -> None:
    args = {"url": "https://shop.example/prices.json"} if name == "fetch_url" else {}
    bench = Bench(CLICK, call(name, **args), CLAIM, READ, CLAIM)
    bench.host.page.on("submit_probe", PROBE_YES)
    await with_leave(bench)
    assert results(bench, "done") == [(False, False), (True, False)]


async def test_a_selection_that_counted_as_a_look_would_end_the_guard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = unknown_press(CLICK, call("get_selection"), CLICK, end())
    chosen = bench.app._parts.tools_for

    def offered(*given: Any) -> Any:
        return [
            replace(spec, shows=PAGE) if spec.name == "get_selection" else spec for spec in chosen(*given)
        ]

    monkeypatch.setattr(bench.app, "_parts", replace(bench.app._parts, tools_for=offered))
    await bench.run("Press it")
    assert presses(bench) == 2


async def test_a_tool_that_broke_down_may_have_acted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours in the middle of an action says nothing about what happened before it."""
    bench = Bench(CLICK, CLICK, READ, CLICK, READ, end())
    faults = [ZeroDivisionError()]

    def fall(_: Any) -> dict[str, Any]:
        if faults:
            raise faults.pop()
        return ANSWERS["click_ax"]

    bench.host.page.on("click_ax", fall)
    await bench.run("Press it")
    assert results(bench, "click_ax") == [(False, True), (False, False), (True, False)]


async def test_an_unknown_download_shows_among_the_downloads_only() -> None:
    save = call("download_files", url="https://shop.example/price-list.txt")
    bench = Bench(save, READ, save, call("list_downloads"), save, call("list_downloads"), end())
    started = 0
    begin = bench.host.downloads.start

    async def start(url: str, *, filename: str | None = None) -> int:
        nonlocal started
        started += 1
        if started == 1:
            raise OutcomeUnknown("No answer.")
        return await begin(url, filename=filename)

    bench.host.downloads.start = start  # type: ignore[method-assign]
    await with_leave(bench)
    told = [event["data"] for event in bench.events("tool_result")]
    saves = [one for one in told if one["name"] == "download_files"]
    assert saves[0]["unknown"] is True
    assert LOOK_AT_DOWNLOADS in saves[1]["result"]
    assert started == 2


def test_every_tool_says_what_it_shows() -> None:
    """A new tool is thought about: whatever reads and is not listed here must be no look at anything."""
    able = Capabilities(browser="memory", cdp=True)
    registry.load()
    specs = {
        spec.name: spec
        for mode in Mode
        for tier in Tier
        for spec in registry.tools_for(mode, tier, able)
        if spec.shows
    }
    pages = {
        *("get_accessibility_tree", "read_page", "get_interactive_elements", "inspect_viewport", "find_text"),
        *("iframe_read", "verify_form", "wait_for_element", "extract_data", "shadow_dom_query"),
    }
    assert {name for name, spec in specs.items() if spec.shows == PAGE} - {"read_pdf"} == pages
    assert {name for name, spec in specs.items() if spec.shows == DOWNLOADS} == {
        "list_downloads",
        "read_downloaded_file",
    }
    assert not any(spec.effect for spec in specs.values())


# --- requests that change data ---


async def test_a_request_of_unknown_outcome_is_not_sent_again_before_a_look() -> None:
    bench = await requests(POST, POST, end("?"), answers=[BridgeError("reset", code="network"), TAKEN])
    assert sent(bench) == 1
    assert results(bench, "fetch_url") == [(False, True), (False, False)]
    undone = [(one["label"], one["status"]) for one in bench.last("text")["undone"]]
    assert undone == [(f"POST {ORDERS}", "unknown")]


@pytest.mark.parametrize(
    ("look", "again"),
    [
        (READ, 2),
        (call("fetch_url", url=ORDERS), 2),
        (call("fetch_url", url="https://news.example/prices.json"), 1),
        (call("list_downloads"), 1),
    ],
    ids=["page", "the same server", "another server", "downloads"],
)
async def test_a_request_shows_on_a_page_or_at_its_server(look: Any, again: int) -> None:
    bench = await requests(POST, look, POST, end("?"), answers=[BridgeError("reset", code="network"), TAKEN])
    assert sent(bench) == again


async def test_a_request_that_was_taken_is_owed_a_look() -> None:
    bench = await requests(POST, CLAIM, READ, CLAIM, answers=[TAKEN])
    assert results(bench, "done") == [(False, False), (True, False)]
    assert bench.last("run_complete")["outcome"] == "success"


async def test_a_request_that_was_taken_is_a_change() -> None:
    """A plan that is to change something is content with it."""
    plan = {"request_kind": "execute", "requires_state_change": True, "steps": ["Send it"]}
    host = page_host()
    host.http.on("POST", ORDERS, TAKEN)
    bench = Bench(POST, READ, CLAIM, host=host, plans=True)
    bench.model.plan = plan
    await bench.app.handle_ui("commands.run", {"tabId": TAB, "text": "/allow-api"})
    await with_leave(bench)
    assert bench.last("run_complete")["outcome"] == "success"


def test_a_request_is_no_look() -> None:
    spec = registry.get("fetch_url")
    assert spec is not None
    assert seen_by(spec, {"url": ORDERS, "method": "POST"}) == ""
    assert seen_by(spec, {"url": ORDERS, "method": "GET"})
