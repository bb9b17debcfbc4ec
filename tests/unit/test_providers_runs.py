"""Whole runs with a model behind a wire: what a service's answer becomes in the agent's hands."""

import json
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.models import client
from tests.support.toolbox import page_host

MARKUP = '<tool_call>{"name": "click_ax", "arguments": {"ref_id": "ref_1"}}</tool_call>'


def answer(text: str, finish: str = "stop") -> dict[str, Any]:
    return {"model": "m", "choices": [{"message": {"content": text}, "finish_reason": finish}]}


def bench_of(*answers: Any) -> Bench:
    """A bench whose model is a local server that answers in this order."""
    host = page_host()
    host.http.on("POST", "*/chat/completions", *answers)
    model: Any = client(host, "ollama", model="m")
    return Bench(host=host, model=model)


def shown(bench: Bench) -> str:
    """All words of the model that a screen was given."""
    return json.dumps([event["data"] for event in bench.events() if event["type"].startswith("text")])


async def test_a_call_as_text_of_a_tool_that_ask_does_not_offer() -> None:
    """The model is told, as after a call that is none in disguise, and the markup is nobody's answer."""
    bench = bench_of(answer(f"I click.\n{MARKUP}"), answer("It is a button."))
    await bench.run("What is it?", "ask")
    assert bench.last("run_complete")["status"] == "completed"
    assert bench.host.page.actions() == []
    told = json.loads(bench.history[-2].content)
    assert told["code"] == "unknown_tool"
    assert "tool_call" not in shown(bench)
    assert "ref_1" not in shown(bench)
    assert bench.history[-1].content == "It is a button."
    assert len(bench.host.http.requests) == 2


@pytest.mark.parametrize("mode", ["ask", "act"])
async def test_an_answer_cut_off_in_a_call_as_text_is_no_answer(mode: str) -> None:
    bench = bench_of(answer(MARKUP[:-30], "length"))
    await bench.run("Click it", mode)
    assert bench.host.page.actions() == []
    assert bench.last("run_complete")["status"] != "completed"
    assert "tool_call" not in shown(bench)
    assert "cut off" in json.dumps([event["data"] for event in bench.events("error")])
