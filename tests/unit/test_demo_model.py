"""The rule-based model gets what it is asked for, whatever the labels, their order and the references are."""

import json
from typing import Any

import pytest

from tests.support.fake_shop import FakeShop, wrapped
from webbrain.agent.enrich import user_turn
from webbrain.host.protocols import Tab
from webbrain.testing import openai_wire
from webbrain.testing.chat import Refusal, Reply
from webbrain.testing.demo import think
from webbrain.testing.site import words

ACT_TOOLS = ("get_accessibility_tree", "read_page", "click_ax", "set_field", "done")
ASK_TOOLS = ("get_accessibility_tree", "read_page", "done")
STEPS = 40
TAB = Tab(7, "http://127.0.0.1:1234/", "Order now - Corner Shop")


def _tools(names: tuple[str, ...]) -> list[dict[str, Any]]:
    parameters = {"type": "object", "properties": {}}
    return [{"type": "function", "function": {"name": name, "parameters": parameters}} for name in names]


def play(shop: FakeShop, task: str, tools: tuple[str, ...] = ACT_TOOLS) -> str:
    """Let the model act on the shop until it ends; return its last words."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You operate web pages."},
        {"role": "user", "content": user_turn(task, "Sunday 2026-11-29 21:04 (UTC+01:00)", TAB)},
    ]
    for _ in range(STEPS):
        body = {"model": "demo", "messages": messages, "tools": _tools(tools)}
        request = openai_wire.read(body, {})
        reply = think(request)
        assert isinstance(reply, Reply)
        message = openai_wire.whole(reply, request, len(messages))["choices"][0]["message"]
        if not reply.calls:
            return reply.text
        messages.append(message)
        for item in message["tool_calls"]:
            arguments = json.loads(item["function"]["arguments"])
            result = shop.act(item["function"]["name"], arguments)
            messages.append({"role": "tool", "tool_call_id": item["id"], "content": wrapped(result)})
        if shop.said is not None:
            return str(shop.said["summary"])
    raise AssertionError(f"no end after {STEPS} steps: {messages[-4:]}")


@pytest.mark.parametrize("seed", range(20))
def test_orders_what_the_task_says(seed: int) -> None:
    task, expected = words.task(seed)
    shop = FakeShop(seed)
    said = play(shop, task)
    assert shop.orders == [expected]
    assert shop.said is not None
    assert shop.said["outcome"] == "success"
    assert "CS-10001" in said


def test_seeds_differ() -> None:
    wordings = [words.wording(seed) for seed in range(20)]
    assert len({wording.order for wording in wordings}) > 15
    assert len({wording.labels["date"] for wording in wordings}) == len(words.LABELS["date"])


def test_says_so_on_a_page_that_has_no_form() -> None:
    shop = FakeShop(1, start="about")
    play(shop, words.task(1)[0])
    assert shop.said is not None
    assert shop.said["outcome"] == "failed"
    assert not shop.orders


def test_gives_up_when_a_field_does_not_keep_its_value() -> None:
    shop = FakeShop(2, stubborn="email")
    play(shop, words.task(2)[0])
    assert shop.said is not None
    assert shop.said["outcome"] == "failed"
    assert not shop.orders


def test_answers_from_the_page() -> None:
    said = play(FakeShop(0), "When is the shop open?", ASK_TOOLS)
    assert "Tuesday to Saturday" in said


def test_does_not_invent_an_answer() -> None:
    said = play(FakeShop(0), "Which minister resigned yesterday?", ASK_TOOLS)
    assert "cannot tell" in said


def test_a_connection_test_gets_its_tool_called() -> None:
    parameters = {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": ["ready"]}, "count": {"type": "integer"}},
        "required": ["word"],
    }
    body = {
        "model": "demo",
        "messages": [{"role": "user", "content": "Call the tool."}],
        "tools": [{"type": "function", "function": {"name": "report", "parameters": parameters}}],
    }
    reply = think(openai_wire.read(body, {}))
    assert isinstance(reply, Reply)
    assert [(item.name, json.loads(item.arguments)) for item in reply.calls] == [
        ("report", {"word": "ready"})
    ]


def test_constrained_calls_are_refused_plainly() -> None:
    body = {
        "model": "demo",
        "messages": [{"role": "user", "content": "Go."}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "x", "schema": {"type": "object"}},
        },
    }
    assert isinstance(think(openai_wire.read(body, {})), Refusal)
