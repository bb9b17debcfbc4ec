"""Services that refuse a conversation on a condition: whole runs against servers that really do."""

import json
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.conditions import ANTHROPIC, Server, at_most, looks, query_somewhere, user_first
from tests.support.models import client
from tests.support.toolbox import page_host
from webbrain.testing import openai_wire
from webbrain.testing.anthropic_wire import read as read_messages
from webbrain.testing.chat import BadRequest, ModelCall, Reply

ROUNDS = 8
END = Reply("There are eight.")
BACK = "must be passed back"
OVERFLOW = "maximum context length"


def bench_of(server: Server, provider: str, **form: Any) -> Bench:
    """A bench whose model is a service that this server plays."""
    host = page_host()
    host.http.on("POST", "*", server)
    model: Any = client(host, provider, **form)
    return Bench(host=host, model=model)


async def ends_well(bench: Bench, text: str = "How many are there?", mode: str = "ask") -> None:
    await bench.run(text, mode)
    assert bench.last("run_complete")["status"] == "completed", bench.events("error")


# --- thoughts must come back ---


@pytest.mark.parametrize(
    ("provider", "form"),
    [
        ("deepseek", {}),
        ("deepseek", {"model": "deepseek-reasoner"}),
        ("opencode-go", {}),
        ("vivgrid", {}),
        ("custom", {"model": "deepseek-v4-flash"}),
        ("custom", {"model": "deepseek-ai/DeepSeek-V4-Pro", "baseUrl": "https://llm.example.com/v1"}),
    ],
)
async def test_thoughts_come_back_over_several_rounds_and_questions(
    provider: str, form: dict[str, str]
) -> None:
    script = [*looks(ROUNDS), END, *looks(2 * ROUNDS)[ROUNDS:], END]
    server = Server(*script, dialect="deepseek", thinks=True)
    server.conditions = (server.wants_thoughts, user_first)
    bench = bench_of(server, provider, **form)
    await ends_well(bench)
    await ends_well(bench, "And now?")
    assert server.refused == []
    assert len(server.thoughts) == 2 * ROUNDS


async def test_the_server_does_refuse_without_them() -> None:
    """The negative control: a model of another name, for which nothing is kept."""
    server = Server(*looks(3), END, dialect="deepseek", thinks=True)
    server.conditions = (server.wants_thoughts,)
    bench = bench_of(server, "custom", model="some-other-model")
    await bench.run("How many are there?", "ask")
    assert bench.last("run_complete")["status"] != "completed"
    assert BACK in server.refused[0]


@pytest.mark.parametrize(
    ("provider", "model"), [("openai", "gpt-5.2"), ("groq", "moonshotai/kimi-k2.5"), ("mistral", "m")]
)
async def test_thoughts_do_not_go_where_they_are_an_unknown_field(provider: str, model: str) -> None:
    server = Server(*looks(3), END, dialect="openai", thinks=True)
    await ends_well(bench_of(server, provider, model=model))
    assert server.refused == []


# --- a user speaks first, also when the conversation was cut in front ---

SERVICES: dict[str, dict[str, Any]] = {
    "deepseek": {"dialect": "deepseek", "thinks": True},
    "gemini": {"dialect": "gemini"},
    "anthropic": {"wire": ANTHROPIC},
}


@pytest.mark.parametrize("provider", SERVICES)
async def test_a_user_speaks_first_after_the_beginning_was_dropped(provider: str) -> None:
    server = Server(*looks(ROUNDS), END, **SERVICES[provider])
    conditions = [user_first, at_most(11)]
    if server.thinks:
        conditions.append(server.wants_thoughts)
    server.conditions = conditions
    await ends_well(bench_of(server, provider))
    assert server.refused, "the conversation was never too long"
    assert all(OVERFLOW in words or "prompt is too long" in words for words in server.refused)


def test_the_server_does_refuse_a_conversation_that_others_begin() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "scroll", "arguments": "{}"}}
    begun = [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "moved"},
        {"role": "user", "content": "Go on."},
    ]
    read = openai_wire.read({"model": "m", "messages": begun}, {})
    with pytest.raises(BadRequest, match="first non-system message"):
        user_first(read)
    with pytest.raises(BadRequest, match="first message must use the user role"):
        read_messages(
            {"model": "m", "max_tokens": 1, "messages": [{"role": "assistant", "content": "x"}]},
            {"anthropic-version": "2023-06-01"},
        )


# --- schemas that Gemini takes ---


@pytest.mark.parametrize("provider", ["gemini", "google-vertex"])
@pytest.mark.parametrize("mode", ["ask", "act"])
async def test_the_schemas_of_all_tools_are_cleaned_for_gemini(provider: str, mode: str) -> None:
    server = Server(Reply("Hello."), Reply("Hello."), dialect="gemini")
    bench = bench_of(server, provider)
    await bench.run("Hello", mode)
    assert server.refused == []
    assert len(server.calls[0].tools) > (10 if mode == "ask" else 30)


async def test_the_server_does_refuse_the_schemas_as_they_are() -> None:
    """The negative control: another service of the same format gets them whole."""
    server = Server(Reply("Hello."), dialect="gemini")
    bench = bench_of(server, "openai", model="gpt-4o")
    await bench.run("Hello", "ask")
    assert bench.last("run_complete")["status"] != "completed"
    assert "Unknown name" in server.refused[0]


@pytest.mark.parametrize(
    "schema",
    [
        {"additionalProperties": False},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"properties": {"a": {"type": "string", "default": ""}}},
        {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        {"properties": {"a": {"type": ["string", "null"]}}},
        {"properties": {"a": {"const": "x"}}},
        {"properties": {"a": {"type": "integer", "enum": [1, 2]}}},
        {"properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/b"}}}},
    ],
    ids=json.dumps,
)
async def test_each_thing_that_gemini_refuses(schema: dict[str, Any]) -> None:
    tool = {"type": "function", "function": {"name": "a", "parameters": {"type": "object", **schema}}}
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "tools": [tool]}
    assert openai_wire.read(body, {}).tools == ("a",)
    with pytest.raises(BadRequest, match=r"Unknown name|Invalid value"):
        openai_wire.read(body, {}, openai_wire.DIALECTS["gemini"])


# --- a chat template that wants a question ---


@pytest.mark.parametrize("provider", ["lmstudio", "llamacpp", "vllm"])
async def test_the_question_stays_when_the_beginning_is_dropped(provider: str) -> None:
    server = Server(
        *looks(ROUNDS),
        END,
        conditions=(query_somewhere, at_most(11)),
        dialect="llamacpp" if provider == "llamacpp" else "local",
    )
    bench = bench_of(server, provider, model="qwen3-8b", constrained="off", contextWindow=32_000)
    await ends_well(bench)
    assert server.refused
    assert all(OVERFLOW in words for words in server.refused)


async def test_a_template_that_still_refuses_is_called_that() -> None:
    """The negative control, and what a person then reads: not the model's name and not the temperature."""

    def never(call: ModelCall) -> None:
        query_somewhere(ModelCall(call.wire, (), call.tools, call.stream, call.body, call.headers))

    server = Server(END, conditions=(never,))
    bench = bench_of(server, "lmstudio", model="qwen3-8b")
    await bench.run("How many are there?", "ask")
    assert bench.last("run_complete")["status"] != "completed"
    words = json.dumps([event["data"] for event in bench.events("error")])
    assert "chat template" in words
    assert "temperature" not in words
