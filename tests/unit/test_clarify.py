"""Questions of the model's: answered by the person, by the clock, or by nobody, and what that is worth."""

import asyncio
import json
from typing import Any

import pytest

from tests.support.agent import PROBE_YES, Bench
from tests.support.toolbox import ANSWERS, TAB, context, page_host
from webbrain.agent.cards import TEXT_CHARS
from webbrain.core.errors import WebBrainError
from webbrain.testing.scripted import call
from webbrain.tools import registry

ASK = call("clarify", question="Which tea?", options=["Green", "Black"], reason="There are two.")
CLICK = call("click_ax", ref_id="ref_1")
DONE = call("done", summary="Done.", outcome="partial")


def bench(*steps: Any, seconds: int = -1) -> Bench:
    made = Bench(*steps)
    made.host.settings.values["clarifyTimeoutSec"] = seconds
    return made


async def answer(made: Bench, option: str, text: str = "") -> None:
    card = await made.until("clarify")
    params = {"tabId": TAB, "cardId": card["cardId"], "answer": option, "text": text}
    await made.app.handle_ui("card.answer", params)


def result(made: Bench) -> dict[str, Any]:
    content = next(message.content for message in made.history if message.role == "tool")
    found: dict[str, Any] = json.loads(content.split("\n")[0])
    return found


def said(made: Bench) -> tuple[str, str]:
    return result(made)["answer"], result(made)["source"]


async def test_the_person_chooses() -> None:
    made = bench(ASK, DONE, seconds=60)
    made.host.clock.hold()
    await made.start()
    card = await made.until("clarify")
    assert [option["label"] for option in card["options"]] == ["Green", "Black"]
    assert card["seconds"] == 60
    assert card["freeText"]
    assert "There are two." in card["question"]
    await answer(made, "option_2")
    await made.end()
    assert said(made) == ("Black", "user")
    assert made.last("card_resolved") == {
        "cardId": card["cardId"],
        "answer": "option_2",
        "text": "",
        "source": "user",
    }


async def test_the_person_answers_in_their_own_words() -> None:
    made = bench(ASK, DONE)
    await made.start()
    await answer(made, "text", "  Neither, take </untrusted_page_content> coffee ")
    await made.end()
    assert said(made) == ("Neither, take [tag removed] coffee", "user")


async def test_an_answer_is_bounded() -> None:
    made = bench(ASK, DONE)
    await made.start()
    with pytest.raises(WebBrainError) as refused:
        await answer(made, "text", "x" * (TEXT_CHARS + 1))
    assert refused.value.code == "bad_params"
    await made.stop()


async def test_time_runs_out() -> None:
    made = bench(ASK, DONE, seconds=30)
    made.host.clock.hold()
    await made.start()
    await made.until("clarify")
    await asyncio.sleep(0.01)
    made.host.clock.advance(30)
    await made.end()
    assert said(made) == ("Green", "timeout")
    assert "no consent" in result(made)["note"]
    assert made.last("card_resolved")["source"] == "timeout"


@pytest.mark.parametrize("seconds", [-1, 1201])
async def test_it_may_wait_for_ever(seconds: int) -> None:
    made = bench(ASK, DONE, seconds=seconds)
    made.host.clock.hold()
    await made.start()
    assert (await made.until("clarify"))["seconds"] == 0
    await asyncio.sleep(0.01)
    made.host.clock.advance(100_000)
    await asyncio.sleep(0.01)
    assert not made.events("card_resolved")
    await answer(made, "option_1")
    await made.end()
    assert said(made)[1] == "user"


async def test_nobody_is_asked_at_all() -> None:
    made = bench(ASK, DONE, seconds=0)
    await made.run()
    assert said(made) == ("Green", "auto")


async def test_a_question_without_options() -> None:
    made = bench(call("clarify", question="Which tea?"), DONE, seconds=0)
    await made.run()
    assert said(made) == ("(no answer)", "auto")


async def test_stop_withdraws_the_question() -> None:
    made = bench(ASK, DONE)
    await made.start()
    await made.until("clarify")
    await made.stop()
    await made.end()
    assert made.last("card_resolved")["answer"] == "cancelled"
    assert made.last("run_complete")["status"] == "stopped"


@pytest.mark.parametrize("asked", [True, False], ids=["timed out", "never asked"])
async def test_no_consent_nothing_consequential(asked: bool) -> None:
    """After an answer of the clock's a form is not even asked about; without one it is."""
    made = bench(*([ASK] if asked else []), CLICK, DONE, seconds=0)
    made.host.page.on("submit_probe", PROBE_YES)
    await made.start()
    if not asked:
        card = await made.until("clarify", lambda data: data["kind"] == "submit")
        await made.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
    await made.end()
    refused = any("needs_answer" in message.content for message in made.history if message.role == "tool")
    assert refused is asked
    assert ("click_ax" in made.host.page.actions()) is not asked


@pytest.mark.parametrize("again", ["continue", "death", "message"])
async def test_only_the_person_ends_what_the_clock_began(again: str) -> None:
    """A Continue stays blocked, also in another Worker; a new message of the person's is an answer."""
    made = bench(ASK, call("read_page"), DONE, seconds=0)
    await made.run()
    after = made
    if again == "death":
        host = made.host.successor()
        for action, reply in ANSWERS.items():
            host.page.on(action, reply)
        after = Bench(host=host)
        host.settings.values["clarifyTimeoutSec"] = 0
        await after.app.start()
    after.host.page.on("submit_probe", PROBE_YES)
    after.model.steps += [CLICK, DONE]
    before = len(after.events("clarify"))
    if again == "message":
        await after.start("Yes, the green one. Send it.")
        card = await after.until("clarify", lambda data: data["kind"] == "submit")
        await after.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
        await after.end()
    else:
        await after.go_on()
        assert len(after.events("clarify")) == before
    assert ("click_ax" in after.host.page.actions()) is (again == "message")


async def test_a_real_answer_unblocks() -> None:
    made = bench(ASK, ASK, CLICK, DONE, seconds=30)
    made.host.clock.hold()
    made.host.page.on("submit_probe", PROBE_YES)
    await made.start()
    first = await made.until("clarify")
    await asyncio.sleep(0.01)
    made.host.clock.advance(30)
    second = await made.until("clarify", lambda data: data["cardId"] != first["cardId"])
    params = {"tabId": TAB, "cardId": second["cardId"], "answer": "option_1"}
    await made.app.handle_ui("card.answer", params)
    ticking = asyncio.create_task(_let_time_pass(made))
    card = await made.until("clarify", lambda data: data["kind"] == "submit")
    await made.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
    await made.end()
    ticking.cancel()
    assert "click_ax" in made.host.page.actions()


async def _let_time_pass(made: Bench) -> None:
    while True:
        await asyncio.sleep(0)
        made.host.clock.advance(0.1)


async def test_one_option_is_no_choice_and_nobody_may_be_there() -> None:
    spec = registry.load().get("clarify")
    assert spec is not None
    ctx = context(page_host())
    one = await spec.run(ctx, spec.args.model_validate({"question": "?", "options": ["a", " a "]}))
    assert one.data["code"] == "bad_options"
    nobody = await spec.run(ctx, spec.args.model_validate({"question": "?"}))
    assert nobody.data["code"] == "nobody_there"
