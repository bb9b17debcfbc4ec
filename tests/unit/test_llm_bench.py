"""The measure of small models: every task can be done, nothing is done by itself, and the sums are right."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession, web

from tests.bench.llm import report
from tests.bench.llm.__main__ import read_options
from tests.bench.llm.generator import PLAN, choose, tasks
from tests.bench.llm.judge import Evidence, judge, says
from tests.bench.llm.models import Perfect, held_answer, idle
from tests.bench.llm.recorder import Exchange, Recorder, transcript
from tests.bench.llm.report import Row
from tests.bench.llm.site import Site
from tests.bench.llm.tasks import Effect, Fact, Move, Task, Wanted, sent
from tests.support.page_robot import NotThere, Robot
from webbrain.testing import openai_wire
from webbrain.testing.chat import Reply
from webbrain.testing.local_server import LocalServer

SEEDS = range(40)
Way = Callable[[Task], tuple[Move, ...]]


def played(task: Task, way: tuple[Move, ...]) -> Evidence:
    """What is found after these moves, with the pages read as HTML."""
    site = Site([task])
    robot = Robot(
        task.start,
        lambda path: site.show(task.number, path, {}),
        lambda path, form: site.told(task.number, path, form),
    )
    answer = "It is done."
    for move in way:
        match move.kind:
            case "click":
                robot.click(move.name)
            case "fill":
                robot.fill(move.name, move.text)
            case "choose":
                robot.choose(move.name, move.text)
            case "say" if move.name in robot.page.text:
                answer = f"The answer is {move.name}."
    return Evidence(site.effects(task), robot.path, robot.controls(), answer)


# --- the generator ---


@pytest.mark.parametrize("seed", SEEDS)
def test_every_task_can_be_done_by_the_names_it_gives(seed: int) -> None:
    verdicts = {task.number: judge(task, played(task, task.way)) for task in tasks(seed)}
    assert {number: verdict for number, verdict in verdicts.items() if not verdict.ok} == {}
    assert len(verdicts) == 20


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_done_by_itself_nor_by_half(seed: int) -> None:
    """Negative control: every single move of the way is needed."""
    for task in tasks(seed):
        assert not judge(task, played(task, ())).ok, task
        for left_out in range(len(task.way)):
            way = (*task.way[:left_out], *task.way[left_out + 1 :])
            with contextlib.suppress(NotThere):
                assert not judge(task, played(task, way)).ok, (task, left_out)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_task_says_what_is_to_be_done(seed: int) -> None:
    """Every value is in its words, and so is every name that cannot be told from the page."""
    for task in tasks(seed):
        for move in task.way:
            if move.kind in ("fill", "choose") and move.text[:2] != "20":
                assert move.text in task.text, task
        first = task.way[0]
        if task.kind in ("click", "tick", "radio", "two steps") and first.kind == "click":
            assert first.name in task.text, task


def test_a_seed_makes_the_same_pages_and_another_makes_others() -> None:
    assert tasks(7) == tasks(7)
    texts = [{task.text for task in tasks(seed)} for seed in range(10)]
    assert max(len(texts[0] & other) for other in texts[1:]) <= 2


def test_the_kinds_are_those_that_were_agreed() -> None:
    kinds = [kind for kind, _ in PLAN]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "click": 3,
        "fill": 4,
        "select": 2,
        "radio": 1,
        "tick": 2,
        "link": 2,
        "fact": 2,
        "two steps": 2,
        "three steps": 2,
    }
    for task in tasks(3):
        done = [move for move in task.way if move.kind != "say"]
        least = {"two steps": 1, "three steps": 3, "fill": 2, "fact": 0}.get(task.kind, 1)
        assert len(done) >= least


def test_tasks_are_chosen_by_number_range_and_kind() -> None:
    twenty = tasks(1)
    assert [task.number for task in choose(twenty, "2, 4-5,tick")] == [2, 4, 5, 11, 12]
    assert choose(twenty, "") == twenty
    for wrong in ("21", "typing", "click,0"):
        with pytest.raises(ValueError, match="there is no task"):
            choose(twenty, wrong)


# --- the judge ---

PRESS = Effect("pressed", "Mute")
FORM = sent("form", {"name": "Ada", "more": ""})


def made(wanted: Wanted) -> Task:
    return Task(1, "click", "Do it.", {}, "start", wanted, ())


@pytest.mark.parametrize(
    ("wanted", "found", "reason"),
    [
        (Wanted((PRESS,)), Evidence((PRESS,)), ""),
        (Wanted((PRESS,)), Evidence((PRESS,), status=""), "time"),
        (Wanted((PRESS,)), Evidence((PRESS,), status="failed", error="overloaded"), "run failed"),
        (Wanted((PRESS,)), Evidence((PRESS, PRESS)), "did it twice"),
        (Wanted((PRESS,)), Evidence((Effect("pressed", "Print"),)), "wrong click"),
        (Wanted((PRESS,)), Evidence((PRESS, Effect("pressed", "Print"))), "wrong click"),
        (Wanted((PRESS,)), Evidence((), answer="I pressed Mute."), "gave up"),
        (Wanted((PRESS,)), Evidence((), status="failed", error="malformed_output"), "unusable answer"),
        (Wanted((PRESS,)), Evidence((), status="max_steps"), "run max_steps"),
        (Wanted((PRESS,)), Evidence((FORM,)), "wrong click"),
        (Wanted((FORM,)), Evidence((FORM,)), ""),
        (Wanted((FORM,)), Evidence((sent("form", {"name": "Bo"}),)), "wrong values"),
        (Wanted((FORM,)), Evidence((sent("form", {"name": "Bo"}), FORM)), "wrong values"),
        (Wanted(path="news"), Evidence(path="news"), ""),
        (Wanted(path="news"), Evidence(path="jobs", answer="The page is open."), "wrong page"),
        (Wanted(controls={"a": "yes"}), Evidence(controls={"a": "yes"}), ""),
        (Wanted(controls={"a": "yes"}), Evidence(controls={"a": "yes", "b": "yes"}), "wrong state"),
        (Wanted(controls={"a": "yes"}), Evidence(controls={"a": "yes"}, effects=(FORM,)), "wrong click"),
        (Wanted(fact=Fact(("42",))), Evidence(answer="It costs €42."), ""),
        (Wanted(fact=Fact(("42",))), Evidence(answer="It costs €142."), "wrong answer"),
    ],
)
def test_the_judge_looks_at_the_state_alone(wanted: Wanted, found: Evidence, reason: str) -> None:
    verdict = judge(made(wanted), found)
    assert (verdict.reason, verdict.ok) == (reason, not reason)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("It closes at 18:30.", True),
        ("at 6:30 PM", True),
        ("18:30", True),
        ("118:30", False),
        ("18:305", False),
        ("It is open from 10:00 to 18:30, and to 21:00 on Friday.", False),
        ("I do not know.", False),
        ("", False),
    ],
)
def test_a_fact_stands_by_itself(answer: str, right: bool) -> None:
    assert says(Fact(("18:30", "6:30 pm"), ("21:00",)), answer) is right


def test_a_price_may_end_a_sentence_but_not_begin_a_number() -> None:
    assert says(Fact(("33",)), "It is €33. Anything else?")
    assert not says(Fact(("33",)), "It is €33.50.")
    assert not says(Fact(("33",)), "It is €1,33.")


# --- the two models ---


def schema(*branches: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"type": "object", "properties": properties} for properties in branches]}


CLICK = {
    "finished": {"const": "no"},
    "element": {"enum": ["Print [r1]", "Mute [r2]"]},
    "tool": {"const": "click_ax"},
}
END = {
    "finished": {"const": "yes"},
    "tool": {"const": "done"},
    "outcome": {"enum": ["success", "failed"]},
    "summary": {"type": "string"},
}
SCROLL = {"finished": {"const": "no"}, "tool": {"const": "scroll"}, "direction": {"enum": ["down"]}}


def asked(text: str, held: dict[str, Any]) -> Any:
    form = {"type": "json_schema", "json_schema": {"name": "turn", "schema": held}}
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "response_format": form}
    return openai_wire.read(body, {})


def test_the_perfect_model_says_only_what_the_schema_allows() -> None:
    task = replace(made(Wanted((PRESS,))), way=(Move("click", "Mute"),))
    model = Perfect([task])
    question = "Task: Do it.\n\nSteps done so far: none\n\nThe page now:\n..."
    first = model(asked(question, schema(CLICK, END)))
    assert isinstance(first, Reply)
    assert json.loads(first.text) == {"finished": "no", "element": "Mute [r2]", "tool": "click_ax"}
    question = question.replace(" none", "\n1. click_ax button Mute -> ok")
    then = model(asked(question, schema(CLICK, END)))
    assert isinstance(then, Reply)
    assert json.loads(then.text)["outcome"] == "success"
    refused = model(asked("Task: Another.\n\nSteps done so far: none\n\nThe page now:", schema(CLICK)))
    assert not isinstance(refused, Reply)


def test_a_field_takes_only_the_values_that_are_offered() -> None:
    field = {
        "element": {"enum": ["Day [r1]"]},
        "tool": {"const": "set_field"},
        "text": {"enum": ["2027-01-02"]},
    }
    assert held_answer(Move("fill", "Day", "2027-01-02"), schema(field))["text"] == "2027-01-02"
    with pytest.raises(LookupError):
        held_answer(Move("fill", "Day", "2027-01-03"), schema(field))


def test_the_idle_model_ends_or_scrolls() -> None:
    for branches, tool in (((CLICK, END), "done"), ((CLICK, SCROLL), "scroll")):
        said = idle(asked("Task: ...", schema(*branches)))
        assert isinstance(said, Reply)
        assert json.loads(said.text)["tool"] == tool


# --- the report ---


def rows(*done: bool) -> list[Row]:
    return [Row(n, "click", "Press it.", ok, "" if ok else "time", seconds=2.0) for n, ok in enumerate(done)]


def test_the_target_is_for_the_median_with_constrained_calls() -> None:
    good, bad = rows(*[True] * 16, *[False] * 4), rows(*[True] * 15, *[False] * 5)
    assert report.shortcoming({"constrained": [good, bad, good]}) == ""
    assert "15 of 20; 16 is" in report.shortcoming({"constrained": [bad, bad, good], "native": [good] * 3})
    assert report.shortcoming({"native": [bad]}) == ""
    assert report.shortcoming({"constrained": [rows(True, True, True, True, False)]}) == ""
    assert "median 15 of 20 (15, 15, 16)" in report.summary({"constrained": [bad, bad, good]})


def test_a_run_is_told_with_the_reasons_of_its_failures() -> None:
    assert report.total("native", 5, rows(True, False, False)) == "native, seed 5: 1 of 3 done in 6 s; 2 time"
    assert "time: " in report.line(rows(False)[0])


def test_what_is_asked_for_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODE", "MODEL", "RUNS", "SEED", "TASKS", "PATIENCE"):
        monkeypatch.delenv(name, raising=False)
    options = read_options()
    assert options.modes == ("constrained", "native")
    monkeypatch.setenv("SEED", "12")
    monkeypatch.setenv("MODE", "native")
    assert (read_options().seed, read_options().modes) == (12, ("native",))
    monkeypatch.setenv("MODE", "wild")
    with pytest.raises(ValueError, match="MODE must be"):
        read_options()


# --- the recorder ---


async def test_the_recorder_changes_nothing_and_forgets_nothing() -> None:
    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        return web.json_response({"said": body["messages"]}, status=418, headers={"X-Origin": "here"})

    def app() -> web.Application:
        made = web.Application()
        made.router.add_post("/v1/chat/completions", answer)
        return made

    with LocalServer(app) as upstream, Recorder(upstream.url) as recorder:
        body = {"messages": [{"role": "user", "content": "Hello"}]}
        async with (
            ClientSession() as session,
            session.post(recorder.url + "/v1/chat/completions", json=body) as got,
        ):
            assert (got.status, got.headers["X-Origin"]) == (418, "here")
            assert await got.json() == {"said": body["messages"]}
        (exchange,) = recorder.take()
        assert (exchange.status, exchange.body) == (418, body)
        assert exchange.seconds > 0
        assert recorder.take() == []


def test_a_transcript_shows_each_message_once() -> None:
    first, second = {"role": "user", "content": "one"}, {"role": "user", "content": "two"}
    text = transcript(
        [Exchange({"messages": [first]}, 200, "yes"), Exchange({"messages": [first, second]}, 200)]
    )
    assert (text.count("one"), text.count("two"), text.count("yes")) == (1, 1, 1)
