"""A run whose Worker died goes on by itself: once, where a person had let it go on, and never blindly."""

import asyncio
from typing import Any

import pytest

from tests.support.agent import PROBE_YES, Bench, types, well_formed
from tests.support.toolbox import ANSWERS, TAB
from webbrain.agent.completion import LOOK_AGAIN, LOOK_BEFORE
from webbrain.agent.journal import Journal
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host.memory import Gate, MemoryHost
from webbrain.services.interrupted import OPEN_RUNS
from webbrain.testing.scripted import call

DONE = call("done", summary="Seen.", outcome="partial")


async def _died_in_a_click(*steps: Any, keep_session: bool = True) -> Bench:
    """The bench after a death in the middle of a click, started anew with these answers of the model."""
    bench = Bench(call("read_page"), call("click_ax", ref_id="ref_1"), "never")
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    later = _next(bench.host.successor(keep_session=keep_session), *steps)
    await later.app.start()
    await later.app.settled()
    await bench.stop()
    return later


def _next(host: MemoryHost, *steps: Any) -> Bench:
    for action, answer in ANSWERS.items():
        host.page.on(action, answer)
    return Bench(*steps, host=host, resumes=True)


async def _runs(bench: Bench) -> list[dict[str, Any]]:
    await bench.end()
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    return [event["data"] for event in opened["events"] if event["type"] == "run_complete"]


async def test_a_run_goes_on_by_itself_and_looks_first() -> None:
    later = await _died_in_a_click(
        call("read_page"), call("click_ax", ref_id="ref_1"), call("read_page"), DONE
    )
    ends = await _runs(later)
    assert [end["status"] for end in ends] == ["interrupted", "completed"]
    assert [event["data"]["code"] for event in later.events("warning")] == ["resumed"]
    first = later.model.requests[0].messages
    assert "it is not known whether it happened" in first[-1].content
    assert any("outcome_unknown" in message.content for message in first if message.role == "tool")
    assert well_formed(later.history)


async def test_what_may_have_happened_is_not_done_again_before_a_look() -> None:
    """The negative control of the rule stands in the last lines: after a look the same click is made."""
    click = call("click_ax", ref_id="ref_1")
    later = await _died_in_a_click(click, call("read_page"), click, call("read_page"), DONE)
    await _runs(later)
    results = later.events("tool_result")
    told = [event["data"] for event in results if event["data"]["name"] == "click_ax"]
    assert [one["ok"] for one in told] == [False, False, True]  # the one of the dead run, refused, done
    assert LOOK_BEFORE in told[1]["result"]
    assert later.host.page.actions().count("click_ax") == 1


async def _died_after(*before: Any, then: list[Any]) -> Bench:
    """The bench after a death while the model was asked what comes after these calls, which all went well."""
    gate = Gate()
    bench = Bench(*before, gate, "never")
    await bench.start()
    await gate.reached()
    await bench.app.settled()
    later = _next(bench.host.successor(), *then)
    await later.app.start()
    await later.app.settled()
    await bench.stop()
    return later


async def test_what_was_done_and_not_looked_at_is_not_done_again_before_a_look() -> None:
    """That it went well is on record; a model that takes no notice must not do it twice all the same."""
    click = call("click_ax", ref_id="ref_1")
    later = await _died_after(call("read_page"), click, then=[click, call("read_page"), DONE])
    await _runs(later)
    told = [one["data"] for one in later.events("tool_result") if one["data"]["name"] == "click_ax"]
    assert [(one["ok"], one["unknown"]) for one in told] == [(False, False)]
    assert LOOK_AGAIN in told[0]["result"]
    assert later.host.page.actions().count("click_ax") == 0


async def test_what_was_looked_at_before_the_death_holds_nothing_back() -> None:
    """The control of the one before."""
    click = call("click_ax", ref_id="ref_1")
    later = await _died_after(click, call("read_page"), then=[click, call("read_page"), DONE])
    await _runs(later)
    assert later.host.page.actions().count("click_ax") == 1


async def test_a_run_goes_on_once_only() -> None:
    gate = Gate()
    bench = await _died_in_a_click(call("read_page"), gate, "never")
    await gate.reached()
    third = _next(bench.host.successor(), "never")
    await third.app.start()
    await third.app.settled()
    assert [end["status"] for end in await _runs(third)] == ["interrupted", "interrupted"]
    assert third.model.requests == []
    await bench.stop()


async def test_a_restart_of_the_browser_leaves_it_to_the_person() -> None:
    later = await _died_in_a_click("never", keep_session=False)
    assert [end["status"] for end in await _runs(later)] == ["interrupted"]
    assert later.model.requests == []
    later.model.steps = [call("read_page"), DONE]
    await later.go_on()
    assert "it is not known whether it happened" in later.model.requests[0].messages[-1].content


async def test_a_tab_that_is_gone_keeps_it_interrupted() -> None:
    bench = Bench(call("read_page"), Gate(), "never")
    await bench.start()
    await bench.until("tool_result")
    host = bench.host.successor()
    host.browser.close(TAB)
    later = _next(host, "never")
    await later.app.start()
    await later.app.settled()
    assert later.model.requests == []
    await bench.stop()


@pytest.mark.parametrize("answered", [None, "rejected"])
async def test_without_an_agreed_plan_nothing_goes_on(answered: str | None) -> None:
    """A card for a plan that nobody answered is not an answer."""
    plan = {"request_kind": "execute", "requires_state_change": True, "confidence": 0.1}
    bench = Bench("never", plans=True)
    bench.host.clock.hold()
    bench.host.settings.values |= {"planBeforeActMode": "strict", "planReviewMode": "always"}
    bench.model.plan = plan
    await bench.start()
    shown = await bench.until("plan_review")
    await bench.stored("plan_review")
    host = bench.host.successor()
    if answered:
        told = {"tabId": TAB, "planId": shown["planId"], "decision": answered}
        await bench.app.handle_ui("plan.answer", told)
        await bench.stored("plan_resolved")
        host = bench.host.successor()
    later = _next(host, "never")
    await later.app.start()
    await later.app.settled()
    assert later.model.requests == []
    await bench.stop()


async def test_an_open_question_is_asked_again() -> None:
    """Leave that was not given is not taken: the card is withdrawn, and the run that goes on asks anew."""
    bench = Bench(call("click_ax", ref_id="ref_1"), "never")
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start()
    await bench.stored("clarify")
    host = bench.host.successor()
    later = _next(host, call("click_ax", ref_id="ref_1"), "I was not allowed to.")
    later.host.page.on("submit_probe", PROBE_YES)
    await later.app.start()
    card = await later.until("clarify")
    assert later.host.page.actions().count("click_ax") == 0
    await later.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "deny"})
    await _runs(later)
    assert later.host.page.actions().count("click_ax") == 0
    await bench.stop()


async def test_an_unknown_outcome_within_a_run_is_looked_into_as_well() -> None:
    click = call("click_ax", ref_id="ref_1")
    bench = Bench(click, click, call("read_page"), click, call("read_page"), DONE)
    bench.host.page.on("click_ax", OutcomeUnknown("The page went away."), ANSWERS["click_ax"])
    events = await bench.run()
    told = [event["data"] for event in events if event["type"] == "tool_result"]
    clicks = [(one["ok"], one["unknown"]) for one in told if one["name"] == "click_ax"]
    assert clicks == [(False, True), (False, False), (True, False)]
    assert bench.host.page.actions().count("click_ax") == 2


async def test_a_failed_look_is_none() -> None:
    click = call("click_ax", ref_id="ref_1")
    bench = Bench(click, call("read_page"), click, call("read_page"), DONE)
    bench.host.page.on("click_ax", OutcomeUnknown("The page went away."), ANSWERS["click_ax"])
    bench.host.page.on("read_page", BridgeError("Busy.", code="page_busy"), ANSWERS["read_page"])
    await bench.run()
    assert bench.host.page.actions().count("click_ax") == 1


async def test_reading_does_not_wait_for_the_store() -> None:
    """Only what changes something waits until its beginning is on record."""
    bench = Bench(call("read_page"), call("click_ax", ref_id="ref_1"), call("read_page"), DONE)
    order: list[str] = []
    stuck = Gate()

    async def watch(name: str) -> None:
        order.append(name)
        if name == "store.append" and "page.read_page" not in order and "browser.get_tab" in order:
            await stuck.wait()

    bench.host.hook = watch
    accepted = await bench.start()
    assert accepted["ok"]
    await bench.until("tool_result")
    assert "page.read_page" in order
    assert "page.click_ax" not in order
    stuck.release()
    await bench.end()
    assert types(bench.events())[-1] == "run_complete"
    click = order.index("page.click_ax")
    assert "store.append" in order[order.index("page.read_page") : click]


async def test_the_first_request_waits_for_no_store_and_the_run_is_on_the_list_before_it_is_recorded() -> (
    None
):
    bench = Bench("Fine.")
    stuck = Gate()
    order: list[str] = []
    append = bench.host.store.append

    async def watched(stream: str, records: Any) -> int:
        events = [record["event"]["type"] for record in records if record.get("kind") == "event"]
        order.append("user_message" if "user_message" in events else stream)
        await stuck.wait()
        return await append(stream, records)

    bench.host.store.append = watched  # type: ignore[method-assign]
    starting = asyncio.ensure_future(bench.start())
    async with asyncio.timeout(5):
        while not bench.model.requests:
            await asyncio.sleep(0)
    stuck.release()
    assert (await starting)["ok"]
    await bench.end()
    assert order.index(OPEN_RUNS) < order.index("user_message")


async def test_without_a_record_of_its_beginning_an_action_would_be_done_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The negative control of the journal: without the mark nobody knows that there is anything to find."""
    emit = Journal.emit
    monkeypatch.setattr(Journal, "emit", lambda self, event, **marks: emit(self, event))
    later = await _died_in_a_click(call("click_ax", ref_id="ref_1"), call("read_page"), DONE)
    await _runs(later)
    told = [event["data"] for event in later.events("tool_result") if event["data"]["name"] == "click_ax"]
    assert [one["ok"] for one in told] == [False, True]
    assert later.host.page.actions().count("click_ax") == 1
