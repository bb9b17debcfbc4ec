"""What a claim of success rests on besides a look: files, words, the end of the page; and over a Continue."""

import json
from typing import Any

import pytest

from tests.support.agent import PROBE_YES, Bench, end, well_formed
from tests.support.toolbox import FILES, TAB, page_host
from webbrain.agent import completion, ending
from webbrain.agent.completion import Completion
from webbrain.agent.planner_guard import ACT_NOW, CALL_DONE, STILL_TO_DO
from webbrain.agent.planner_turn import ONLY_WORDS
from webbrain.agent.saved_files import SavedFiles
from webbrain.app import App
from webbrain.testing.scripted import INFO, ScriptedModel, call

URL = f"https://shop.example{FILES[0][0]}"
SAVED = call("done", summary="I downloaded the price list.", outcome="success")
PRESS = call("click_ax", ref_id="ref_1")
LOOK = call("get_accessibility_tree")


def tool_results(bench: Bench) -> list[str]:
    return [message.content for message in bench.history if message.role == "tool"]


def reasons(bench: Bench) -> list[str]:
    """Why claims were refused, in order."""
    found = [
        text[text.index("{") : text.rindex("}") + 1] for text in tool_results(bench) if "blocked_done" in text
    ]
    return [json.loads(text).get("reason", "") for text in found]


async def answer_card(bench: Bench) -> None:
    """The person lets it go."""
    card = await bench.until("clarify")
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})


# --- files ---


async def test_a_download_that_the_browser_calls_complete_is_evidence() -> None:
    host = page_host()

    def list_after_its_end(_: Any) -> Any:
        host.downloads.end(2)
        return call("list_downloads")

    bench = Bench(call("download_files", url=URL), SAVED, list_after_its_end, SAVED, host=host)
    await bench.start("Save the price list")
    await answer_card(bench)
    await bench.end()
    assert reasons(bench) == ["download_required"], "while it still goes on"
    assert bench.last("run_complete")["outcome"] == "success"
    conversation = bench.app.conversations.at_hand(TAB)
    assert conversation is not None
    assert "[auto] download" in conversation.completion.pins.scratchpad.text


async def test_a_press_is_no_file() -> None:
    bench = Bench(
        PRESS, LOOK, SAVED, call("done", summary="I could not see it downloaded.", outcome="partial")
    )
    await bench.run("Save the price list")
    assert reasons(bench) == ["download_required"]


async def test_a_file_that_a_press_began_counts_once_it_is_complete() -> None:
    host = page_host()

    def begins(_: Any) -> dict[str, Any]:
        host.events.tell("download_created", id=7, url=URL, filename="list.txt")
        return {"changed": []}

    def completes(_: Any) -> dict[str, Any]:
        host.events.tell("download_changed", id=7, state="complete")
        return {"pageContent": "x"}

    host.page.on("click_ax", begins)
    host.page.on("tree", completes)
    bench = Bench(PRESS, LOOK, SAVED, host=host)
    await bench.run("Save the price list")
    assert reasons(bench) == []
    conversation = bench.app.conversations.at_hand(TAB)
    assert conversation is not None
    assert conversation.completion.pins.scratchpad.text == "[auto] download 7 is complete: list.txt"


async def test_a_file_of_last_year_is_none_of_this_task() -> None:
    bench = Bench(PRESS, call("list_downloads"), SAVED, end())
    await bench.run("Save the price list")
    assert reasons(bench) == ["download_required"]


async def test_without_the_check_the_claim_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SavedFiles, "proven", True)
    bench = Bench(PRESS, LOOK, SAVED)
    await bench.run("Save the price list")
    assert bench.last("run_complete")["outcome"] == "success"


# --- words ---


async def test_words_do_not_end_a_task_in_which_something_was_done() -> None:
    bench = Bench(PRESS, "All done.", end())
    await bench.run("Press it")
    told = [message.content for message in bench.history if message.role == "user"]
    assert CALL_DONE in told[-1]
    assert bench.last("run_complete")["outcome"] == "partial"
    assert well_formed(bench.history)


async def test_whoever_goes_on_in_words_is_taken_at_them_unless_more_is_to_come() -> None:
    bench = Bench(PRESS, "All done.", "It is done.")
    events = await bench.run("Press it")
    assert events[-1]["data"]["status"] == "completed"
    bench = Bench(PRESS, "All done.", "Next, I will press the other one.")
    await bench.run("Press both")
    assert bench.last("error")["code"] == "plan_only_output"


async def test_the_words_at_such_an_end_do_not_say_that_nothing_was_done() -> None:
    bench = Bench(PRESS, "All done.", "Next, I will press the other one.")
    await bench.run("Press both")
    assert bench.last("error")["message"] == ending.SOME_DONE
    bench = Bench(call("read_page"), "Next, I will press it.", "Now I will press it.")
    await bench.run("Press it")
    assert bench.last("error")["message"] == ONLY_WORDS


CLAIMED = "Your order was placed."


async def said(*steps: Any, **plan: Any) -> Bench:
    """A press that orders, which the person lets go, in a task that ends in words."""
    model = ScriptedModel(*steps, plan={"request_kind": "execute", **plan}) if plan else ScriptedModel(*steps)
    bench = Bench(model=model, plans=bool(plan))
    await ordered(bench)
    return bench


@pytest.mark.parametrize("plan", [{}, {"requires_state_change": True}], ids=["no plan", "plan"])
async def test_words_do_not_pay_what_is_owed(plan: dict[str, Any]) -> None:
    bench = await said(PRESS, CLAIMED, CLAIMED, **plan)
    assert bench.last("run_complete")["status"] == "completed"
    assert bench.last("run_complete")["outcome"] == "partial"
    warnings = [event["data"]["message"] for event in bench.events("warning")]
    assert ending.UNSETTLED in warnings


@pytest.mark.parametrize("plan", [{}, {"requires_state_change": True}], ids=["no plan", "plan"])
async def test_words_after_a_look_are_an_answer(plan: dict[str, Any]) -> None:
    """A run in which something was done and seen is not called one that does nothing."""
    bench = await said(PRESS, LOOK, CLAIMED, CLAIMED, **plan)
    assert bench.last("run_complete")["status"] == "completed"
    assert bench.last("run_complete")["outcome"] == ""
    assert bench.events("warning") == []
    assert bench.last("text")["content"] == CLAIMED


async def test_words_do_not_settle_open_rows() -> None:
    rows = [{"id": "tea", "status": "pending"}]
    bench = Bench(call("progress_update", items=rows), "I have ordered all.", "I have ordered all.")
    await bench.run("Order")
    assert bench.last("run_complete")["outcome"] == "partial"
    assert [item["status"] for item in bench.last("text")["undone"]] == ["pending"]


async def test_without_the_check_words_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Completion, "unsettled", lambda self, guard: False)
    bench = await said(PRESS, CLAIMED, CLAIMED)
    assert bench.last("run_complete")["outcome"] == ""


async def test_a_question_may_be_answered_in_words() -> None:
    bench = Bench(call("read_page"), "There are three teapots.")
    events = await bench.run("How many teapots?")
    assert events[-1]["data"]["status"] == "completed"
    assert len(bench.model.requests) == 2


async def test_a_plan_is_no_answer_in_act() -> None:
    bench = Bench("Next, I will open the shop and order the tea.", end())
    await bench.run("Order tea")
    assert ACT_NOW in bench.history[-4].content


async def test_success_that_speaks_of_the_future_is_refused() -> None:
    future = call("done", summary="Next I will click Order.", outcome="success")
    bench = Bench(call("read_page"), future, future, future)
    await bench.run("Order tea")
    assert reasons(bench) == ["still_to_do", "still_to_do"]
    assert STILL_TO_DO in tool_results(bench)[1]
    assert bench.last("run_complete")["outcome"] == "partial"


async def test_reasons_are_told_and_argued_about_only_so_often() -> None:
    host = page_host()
    bench = Bench(PRESS, SAVED, SAVED, SAVED, host=host)
    host.page.on("submit_probe", PROBE_YES)
    await bench.start("Order tea")
    await answer_card(bench)
    await bench.end()
    assert reasons(bench) == ["verification_required", "verification_required"]


# --- the end of the page ---


async def test_the_end_shows_the_page() -> None:
    host = page_host()
    state = {
        "url": "https://shop.example/thanks",
        "title": "Thanks",
        "openDialogCount": 0,
        "visibleFormCount": 1,
        "liveRegionMessages": ["Thank you!"],
    }
    host.page.on("page_state", state)
    bench = Bench(PRESS, LOOK, call("done", summary="Ordered.", outcome="success"), host=host)
    await bench.run("Order tea")
    text = tool_results(bench)[-1]
    told = json.loads(text[text.index("{") : text.rindex("}") + 1])["verification"]
    assert told == {
        "pageUrl": "https://shop.example/thanks",
        "pageTitle": "Thanks",
        "pageState": {"openDialogCount": 0, "visibleFormCount": 1, "liveRegionMessages": ["Thank you!"]},
        "note": completion.AS_IT_WAS,
    }


# --- over a Continue and a death ---


async def ordered(bench: Bench) -> None:
    """Press the button that sends the form; the person lets it go, the steps are used up then."""
    bench.host.page.on("submit_probe", PROBE_YES)
    await bench.start("Order tea")
    await answer_card(bench)
    await bench.end()


async def test_a_continue_still_owes_the_look() -> None:
    bench = Bench(PRESS, RuntimeError("the service fell over"))
    await ordered(bench)
    bench.model.steps[:] = [call("done", summary="Ordered.", outcome="success"), LOOK, end()]
    await bench.go_on()
    assert reasons(bench) == ["verification_required"]


async def test_so_does_a_new_worker() -> None:
    bench = Bench(PRESS, RuntimeError("the service fell over"))
    await ordered(bench)
    bench.app = App(bench.host, parts=bench.parts, providers=bench.app.providers)
    bench.model.steps[:] = [call("done", summary="Ordered.", outcome="success"), LOOK, end()]
    await bench.go_on()
    assert reasons(bench) == ["verification_required"]


async def test_a_new_task_owes_nothing() -> None:
    bench = Bench(PRESS, RuntimeError("the service fell over"))
    await ordered(bench)
    bench.model.steps[:] = [call("read_page"), call("done", summary="Tea costs 3 €.", outcome="success")]
    await bench.run("What does tea cost?")
    assert reasons(bench) == []


async def test_an_unknown_outcome_nobody_looked_into_is_told() -> None:
    host = page_host()
    host.page.on("click_ax", {"success": False, "code": "timeout", "error": "No answer."})
    bench = Bench(PRESS, end("I pressed it, I think."), host=host)
    await bench.run("Press it")
    undone = bench.last("text")["undone"]
    assert [item["status"] for item in undone] == ["unknown"]
    assert "Click" in undone[0]["label"]
    bench = Bench(PRESS, LOOK, end("It was not pressed."), host=page_host())
    bench.host.page.on("click_ax", {"success": False, "code": "timeout", "error": "No answer."})
    await bench.run("Press it")
    assert bench.last("text")["undone"] == []


async def test_without_the_memory_a_continue_forgets_the_debt(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(PRESS, RuntimeError("the service fell over"))
    await ordered(bench)
    monkeypatch.setattr(Completion, "_recall", lambda self, journal: None)
    bench.app = App(bench.host, parts=bench.parts, providers=bench.app.providers)
    bench.model.steps[:] = [call("done", summary="Ordered.", outcome="success")]
    await bench.go_on()
    assert bench.last("run_complete")["outcome"] == "success"


# --- a picture at the end ---


async def test_a_model_that_sees_has_the_end_on_a_picture() -> None:
    from dataclasses import replace

    info = replace(INFO, supports_vision=True)
    model = ScriptedModel([PRESS, call("done", summary="Pressed.", outcome="success")], info=info)
    bench = Bench(model=model)
    await bench.run("Press it")
    assert '"screenshot":{"captureId"' in tool_results(bench)[-1]
    blind = Bench(PRESS, call("done", summary="Pressed.", outcome="success"))
    await blind.run("Press it")
    assert "screenshot" not in tool_results(blind)[-1]
