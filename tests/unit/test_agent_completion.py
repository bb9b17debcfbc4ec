"""Success needs a look after the last thing that counted, and a page that does not contradict it."""

from typing import Any

import pytest

from tests.support.agent import PROBE_YES, Bench, well_formed
from tests.support.toolbox import TAB, page_host
from webbrain.agent import completion
from webbrain.agent.completion import Completion
from webbrain.core.results import ToolResult
from webbrain.policy.untrusted import TAG
from webbrain.testing.scripted import ScriptedModel, call

DONE = call("done", summary="The order was sent.", outcome="success")
PARTLY = call("done", summary="The order was sent, I think.", outcome="partial")
PRESS = call("click_ax", ref_id="ref_1")
LOOK = call("get_accessibility_tree")


async def ordered(*steps: Any, state: dict[str, Any] | None = None) -> Bench:
    """A run whose press sends a form, which the person lets go."""
    host = page_host()
    bench = Bench(model=ScriptedModel(*steps), host=host)
    host.page.on("submit_probe", PROBE_YES)
    if state is not None:
        host.page.on("page_state", state)
    await bench.start("Order tea")
    card = await bench.until("clarify")
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
    await bench.end()
    return bench


def refusals(bench: Bench) -> list[str]:
    return [m.content for m in bench.history if m.role == "tool" and "blocked_done" in m.content]


async def test_a_look_on_a_later_turn_is_enough() -> None:
    bench = await ordered(PRESS, LOOK, DONE)
    assert refusals(bench) == []
    assert bench.last("run_complete")["outcome"] == "success"
    told = bench.history[-2].content
    assert '"verification":{"pageUrl":' in told


async def test_no_look_no_success() -> None:
    bench = await ordered(PRESS, DONE, LOOK, DONE)
    assert len(refusals(bench)) == 1
    assert completion.LOOK_FIRST in refusals(bench)[0].rpartition(f"</{TAG}")[2], "no page said that"
    assert bench.last("run_complete")["outcome"] == "success"
    assert well_formed(bench.history)


async def test_a_look_in_the_same_answer_is_too_early() -> None:
    bench = await ordered([PRESS, LOOK, DONE], LOOK, DONE)
    assert completion.LOOK_LATER in refusals(bench)[0]


async def test_who_insists_is_believed_in_part_and_the_person_is_told() -> None:
    bench = await ordered(PRESS, DONE, DONE, DONE)
    assert len(refusals(bench)) == completion.REFUSALS
    assert bench.last("run_complete")["outcome"] == "partial"
    assert "unverified" in [event["data"]["code"] for event in bench.events("warning")]


async def test_honest_outcomes_need_no_evidence() -> None:
    assert refusals(await ordered(PRESS, PARTLY)) == []


async def test_ordinary_presses_leave_no_debt() -> None:
    bench = Bench(PRESS, DONE)
    await bench.run("Open it")
    assert refusals(bench) == []


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ({"openDialogs": [{"title": "Are you sure?"}], "openDialogCount": 1}, completion.DIALOG_OPEN),
        ({"forms": [{"method": "post", "dirty": 2, "fields": 3}]}, completion.FORM_FULL),
        ({"forms": [{"method": "post", "dirty": 1, "fields": 1}]}, completion.FORM_FULL),
        ({"forms": [{"method": "get", "dirty": 2, "fields": 3, "search": False}]}, completion.FORM_FULL),
        ({"loose": {"fields": 5, "dirty": 5, "files": 0, "search": False}}, completion.FORM_FULL),
        ({"url": "https://shop.example/orders/new"}, completion.STILL_AT_ENTRY),
        ({"url": "https://shop.example/orders/7/edit?step=2"}, completion.STILL_AT_ENTRY),
        ({"url": "https://shop.example/edit/7"}, completion.STILL_AT_ENTRY),
        ({"url": "https://shop.example/app#/posts/create"}, completion.STILL_AT_ENTRY),
    ],
    ids=["dialog", "form", "comment", "form of a script", "no form", "new", "edit", "edit one", "create"],
)
async def test_a_page_that_contradicts_is_pointed_out_once(state: dict[str, Any], sentence: str) -> None:
    bench = await ordered(PRESS, LOOK, DONE, LOOK, DONE, state=state)
    assert [sentence in text for text in refusals(bench)] == [True]
    assert bench.last("run_complete")["outcome"] == "success"


@pytest.mark.parametrize(
    "state",
    [
        {"forms": [{"method": "get", "dirty": 2, "fields": 3, "search": True}]},
        {"forms": [{"method": "get", "dirty": 1, "fields": 1, "search": False}]},
        {"loose": {"fields": 4, "dirty": 1, "files": 0, "search": True}},
        {"forms": [{"method": "post", "dirty": 0, "fields": 3}], "loose": {"fields": 2, "dirty": 0}},
        {"forms": [{"method": "post", "dirty": 2, "fields": 3}], "liveRegionMessages": ["Thank you!"]},
        {"url": "https://shop.example/orders/new", "liveRegionMessages": ["Thank you!"]},
        {"url": "https://shop.example/news"},
        {"url": "https://shop.example/new/arrivals?from=/orders/new"},
        {"forms": "?", "loose": 7, "url": None},
    ],
    ids=[
        "search",
        "one field",
        "search without a form",
        "empty form",
        "thanks",
        "new and thanks",
        "news",
        "new things",
        "nonsense",
    ],
)
async def test_ordinary_pages_contradict_nothing(state: dict[str, Any]) -> None:
    assert refusals(await ordered(PRESS, LOOK, DONE, state=state)) == []


async def test_without_the_checks_a_blind_success_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def believed(self: Completion, ctx: object, result: ToolResult, guard: object) -> ToolResult:
        return result

    monkeypatch.setattr(Completion, "judged", believed)
    bench = await ordered(PRESS, DONE)
    assert bench.last("run_complete")["outcome"] == "success"
