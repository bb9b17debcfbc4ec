"""Python dies at any moment: nothing is lost, nothing is done twice, and the next message works."""

import asyncio
from typing import Any

import pytest

from tests.support.agent import PROBE_YES, Bench, well_formed
from tests.support.toolbox import ANSWERS, TAB, page_host
from tests.unit.test_agent_stop import POINTS, _answer_cards, scenario
from webbrain.core.errors import BridgeError
from webbrain.host.memory import Gate, MemoryHost, Tab
from webbrain.host.protocols import Capabilities
from webbrain.services.interrupted import INTERRUPTED_RUNS, WAITS_SECONDS
from webbrain.testing.scripted import Stream, call


def _revived(host: MemoryHost, *steps: Any) -> Bench:
    for action, answer in ANSWERS.items():
        host.page.on(action, answer)
    return Bench(*steps, host=host)


@pytest.mark.parametrize("place", range(len(POINTS)), ids=lambda n: f"{n}-{POINTS[n]}")
async def test_death_at_every_point(place: int) -> None:
    bench = scenario()
    seen = 0
    dead: list[MemoryHost] = []
    clicked: list[int] = []

    def die(_: str) -> None:
        nonlocal seen
        seen += 1
        if seen - 1 == place:
            dead.append(bench.host.successor())
            clicked.append(bench.host.page.actions().count("click_ax"))

    bench.host.hook = die
    person = asyncio.ensure_future(_answer_cards(bench))
    await bench.start()
    await bench.end()
    await person
    bench.host.hook = None

    later = _revived(dead[0], "I see.")
    await later.app.start()
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["running"] is False
    kinds = [event["type"] for event in opened["events"]]
    assert kinds.count("user_message") <= 1
    assert kinds.count("run_complete") == kinds.count("user_message")
    if kinds:
        assert kinds[-1] == "run_complete"
        assert any("Buy tea" in message.content for message in later.history if message.role == "user")
    seqs = [event["seq"] for event in opened["events"]]
    assert seqs == sorted(set(seqs))
    assert kinds.count("tool_call") == kinds.count("tool_result")
    assert kinds.count("clarify") == kinds.count("card_resolved")
    assert well_formed(later.history)
    clicks = [e for e in opened["events"] if e["type"] == "tool_result" and e["data"]["name"] == "click_ax"]
    if clicked[0]:
        # It may have happened, so it is on record, and if its end was not seen it is unknown.
        assert len(clicks) == 1
        assert clicks[0]["data"]["ok"] or clicks[0]["data"]["unknown"]
    assert later.host.page.actions() == []
    await later.run("And now?", "ask")
    assert later.last("run_complete")["status"] == "completed"
    assert well_formed(later.request.messages)


async def test_an_effect_that_was_cut_off_is_told_as_unknown() -> None:
    bench = Bench([call("click_ax", ref_id="ref_1"), call("read_page")], "never")
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    later = _revived(bench.host.successor(), call("read_page"), "It did not happen.")
    await later.app.start()
    await later.run("Go on", "act")
    results = [message.content for message in later.model.requests[0].messages if message.role == "tool"]
    assert "outcome_unknown" in results[0]
    assert "before this was started" in results[1]
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    ends = [event["data"]["status"] for event in opened["events"] if event["type"] == "run_complete"]
    assert ends == ["interrupted", "completed"]
    assert "click_ax" not in later.host.page.actions()
    await bench.stop()


async def test_an_open_card_is_withdrawn() -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"), "never")
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start()
    await bench.stored("clarify")
    later = _revived(bench.host.successor(), "Shall I ask again?")
    await later.app.start()
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    assert [e["data"]["answer"] for e in opened["events"] if e["type"] == "card_resolved"] == ["cancelled"]
    await bench.stop()


async def test_text_that_was_streaming_is_kept() -> None:
    gate = Gate()
    bench = Bench(Stream("It costs ", "four", gate=gate))
    await bench.start("How much?", "ask")
    await gate.reached()
    await bench.stored("text_delta")
    later = _revived(bench.host.successor(), "Four francs.")
    await later.app.start()
    await later.run("Go on", "ask")
    assert [m.content for m in later.request.messages if m.role == "assistant"] == ["It costs"]
    await bench.stop()


async def test_a_run_that_ended_is_left_alone() -> None:
    bench = Bench("Here.")
    await bench.run("x", "ask")
    later = _revived(bench.host.successor(), "Again.")
    await later.app.start()
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    before = bench.events()
    assert opened["events"] == before
    assert "open-runs" not in later.host.store.data


async def test_several_tabs_are_recovered() -> None:
    gates = [Gate(), Gate()]
    bench = Bench(*gates, "never", "never")
    bench.host.browser.open(bench.host.browser.tabs()[0].__class__(8, "https://b.example/", "B"))
    await bench.start("one", "ask")
    await bench.start("two", "ask", tab=8)
    for gate in gates:
        await gate.reached()
    later = _revived(bench.host.successor(), "Fine.")
    assert len(await later.app.conversations.recover()) == 2
    for tab in (TAB, 8):
        opened = await later.app.handle_ui("panel.open", {"tabId": tab})
        assert opened["events"][-1]["data"]["status"] == "interrupted"
    await bench.stop()
    await bench.stop(8)


async def _restarted(*steps: Any, tabs: Any = None) -> tuple[Bench, Bench]:
    """A run that a restart of the browser cut off, and the bench of the browser after it."""
    gate = Gate()
    bench = Bench(call("read_page"), gate, "never")
    await bench.start("x", "ask")
    await gate.reached()
    await bench.app.conversations.at_hand(TAB).journal.saved()  # type: ignore[union-attr]
    host = bench.host.successor(keep_session=False)
    later = _revived(host, *steps)
    for tab in tabs or ():
        host.browser.open(tab)
    await later.app.start()
    await bench.stop()
    return bench, later


async def test_a_restarted_browser_shows_an_interrupted_run_on_the_same_site() -> None:
    tab = Tab(31, "https://shop.example/elsewhere", "Shop")
    bench, later = await _restarted("Four francs.", tabs=[tab, Tab(32, "https://other.example/", "Other")])
    other = await later.app.handle_ui("panel.open", {"tabId": 32})
    assert other["events"] == []
    opened = await later.app.handle_ui("panel.open", {"tabId": 31})
    assert opened["events"][-1]["data"]["status"] == "interrupted"
    assert opened["conversationId"] == bench.events()[0]["conversationId"]
    assert (opened["running"], opened["mode"]) == (False, "ask")
    # A second tab of the site begins anew, and the first goes on where it was.
    assert (await later.app.handle_ui("panel.open", {"tabId": TAB}))["events"] == []
    await later.go_on(31)
    assert later.events("run_complete", tab=31)[-1]["data"]["status"] == "completed"
    asked = [m.content for m in later.request.messages if m.role == "user"]
    assert "You were interrupted in the middle" in asked[-1]


async def test_an_interrupted_run_does_not_wait_for_ever() -> None:
    _, later = await _restarted()
    later.host.clock.advance(WAITS_SECONDS + 1)
    assert (await later.app.handle_ui("panel.open", {"tabId": TAB}))["events"] == []
    assert INTERRUPTED_RUNS not in later.host.store.data


async def test_a_store_that_refuses_does_not_keep_the_agent_from_working() -> None:
    bench = Bench(call("get_selection"), "Here.")
    bench.host.store.fail = BridgeError("Quota exceeded.", code="store_failed")
    await bench.app.start()
    await bench.run("x", "ask")
    assert bench.last("run_complete")["status"] == "completed"
    assert [event["data"]["code"] for event in bench.events("warning")] == ["journal_failed"]
    # Warned once in a run, however long it lasts. Once it takes records again, nothing is missing.
    bench.host.store.fail = None
    bench.model.steps = ["More."]
    await bench.run("y", "ask")
    later = _revived(bench.host.successor())
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["events"] == bench.events()


async def test_records_written_twice_count_once() -> None:
    bench = Bench(call("get_selection"), "Here.")
    await bench.run("x", "ask")
    identity = bench.events()[0]["conversationId"]
    twice = bench.host.successor()
    records = [record for _, record in twice.store.data[identity]]
    await twice.store.append(identity, records[3:])
    later = _revived(twice)
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["events"] == bench.events()
    assert later.history == bench.history


async def test_the_mirror_stands_in_for_a_lost_store() -> None:
    bench = Bench(call("get_selection"), "Here.")
    await bench.run("x", "ask")
    await bench.app.handle_ui("panel.open", {"tabId": TAB})
    while not bench.host.session.values.get(f"tabChat:{TAB}", {}).get("events", [])[-1:]:
        await asyncio.sleep(0)
    while bench.host.session.values[f"runUi:{TAB}"]["status"] != "completed":
        await asyncio.sleep(0)
    lost = bench.host.successor()
    lost.store.data.clear()
    later = _revived(lost, "Fine.")
    opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["events"][0]["type"] == "user_message"
    await later.run("y", "ask")
    assert later.last("run_complete")["status"] == "completed"


async def test_a_debugger_that_outlived_its_run_is_let_go() -> None:
    """The browser keeps a session over the death of the Worker; the person would see its bar for ever."""
    host = page_host(capabilities=Capabilities(browser="memory", cdp=True))
    bench = Bench(call("click_ax", ref_id="ref_1"), "Done.", host=host)
    gate = host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    later = host.successor()
    later.debugger.attachments.append(TAB)
    later.debugger._attached.add(TAB)
    await _revived(later).app.start()
    assert later.debugger.detachments == [TAB]
    await bench.stop()
