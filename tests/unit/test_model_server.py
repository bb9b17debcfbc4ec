"""The model servers are as strict as real services, and fail in the ways they are told to."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from webbrain.testing import anthropic_wire, openai_wire
from webbrain.testing.chat import BadRequest, ModelCall, Refusal, Reply, Stall
from webbrain.testing.model_server import ModelServer, Script, call

USER = {"role": "user", "content": "Hello"}
SCROLL = {"name": "scroll", "arguments": '{"direction": "down"}'}
CALL = {"id": "call_1", "type": "function", "function": SCROLL}
CALLING = {"role": "assistant", "tool_calls": [CALL]}
ANTHROPIC = {"anthropic-version": anthropic_wire.VERSION}


def openai(**extra: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [USER], **extra}


def anthropic(**extra: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 10, "messages": [USER], **extra}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "not a JSON object"),
        (openai(thinking=True), "unrecognized request argument: thinking"),
        (openai(messages=[]), "non-empty"),
        (openai(messages=[USER, {"role": "assistant", "content": ""}]), "empty"),
        (
            openai(messages=[USER, CALLING]),
            "no tool message answers call_1",
        ),
        (
            openai(messages=[USER, CALLING, USER]),
            "must be followed by tool",
        ),
        (openai(messages=[{"role": "tool", "tool_call_id": "x", "content": ""}]), "must answer a call"),
        (openai(tools=[]), "non-empty array"),
        (openai(tool_choice="auto"), "only allowed when tools"),
        (openai(stream_options={"include_usage": True}), "only allowed when stream"),
        (openai(tools=[{"type": "function", "function": {"name": "a b"}}]), "must match"),
        (
            openai(tools=[{"type": "function", "function": {"name": "a", "parameters": {"type": "string"}}}]),
            "of type 'object'",
        ),
        (
            openai(
                messages=[
                    USER,
                    {
                        "role": "assistant",
                        "tool_calls": [{**CALL, "function": {"name": "scroll", "arguments": "{oops"}}],
                    },
                    {"role": "tool", "tool_call_id": "call_1", "content": "x"},
                ]
            ),
            "not a JSON object",
        ),
    ],
)
def test_openai_wire_refuses(body: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(says)):
        openai_wire.read(body, {})


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (anthropic(tool_choice=None, response_format={}), "Extra inputs"),
        ({"model": "m", "messages": [USER]}, "max_tokens"),
        (anthropic(messages=[{"role": "assistant", "content": "Hi"}]), "first message"),
        (anthropic(messages=[{"role": "user", "content": [{"type": "text", "text": " "}]}]), "non-empty"),
        (anthropic(temperature=1.5), "temperature"),
        (
            anthropic(
                messages=[
                    USER,
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "id": "t1", "name": "scroll", "input": {}}],
                    },
                    USER,
                ]
            ),
            "without tool_result",
        ),
        (anthropic(messages=[USER, {"role": "assistant", "content": "Hi"}]), "last message"),
    ],
)
def test_anthropic_wire_refuses(body: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(says)):
        anthropic_wire.read(body, ANTHROPIC)


def test_anthropic_wire_wants_its_version() -> None:
    with pytest.raises(BadRequest, match="anthropic-version"):
        anthropic_wire.read(anthropic(), {})


def test_wires_read_a_whole_conversation() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        USER,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "moved"},
    ]
    request = openai_wire.read(openai(messages=messages), {})
    assert [turn.role for turn in request.turns] == ["system", "user", "assistant", "tool"]
    blocks = [
        USER,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "scroll", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "moved"},
                {"type": "text", "text": "Go on"},
            ],
        },
    ]
    with pytest.raises(BadRequest, match="must define tools"):
        anthropic_wire.read(anthropic(messages=blocks), ANTHROPIC)
    tools = [{"name": "scroll", "input_schema": {"type": "object"}}]
    request = anthropic_wire.read(anthropic(messages=blocks, system="Be brief.", tools=tools), ANTHROPIC)
    assert [turn.role for turn in request.turns] == ["system", "user", "assistant", "tool", "user"]


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[ModelServer]:
    with ModelServer(script) as running:
        yield running


async def post(
    server: ModelServer, body: Any, path: str = "/chat/completions", **headers: str
) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(server.url + path, json=body, headers=headers) as response,
    ):
        return response.status, await response.text()


async def test_whole_and_streamed_answers_say_the_same(server: ModelServer, script: Script) -> None:
    reply = Reply("Grüße an alle", call("scroll", direction="down").calls)
    script.add(reply, reply)
    status, text = await post(server, openai())
    assert status == 200
    whole = json.loads(text)["choices"][0]["message"]
    _, text = await post(server, openai(stream=True))
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    deltas = [event["choices"][0]["delta"] for event in events]
    assert "".join(delta.get("content") or "" for delta in deltas) == whole["content"] == "Grüße an alle"
    arguments = "".join(
        part["function"]["arguments"] for delta in deltas for part in delta.get("tool_calls", ())
    )
    assert arguments == whole["tool_calls"][0]["function"]["arguments"]
    assert text.rstrip().endswith("data: [DONE]")


async def test_anthropic_stream(server: ModelServer, script: Script) -> None:
    script.add(Reply("Hi there", call("scroll", direction="down").calls))
    _, text = await post(server, anthropic(stream=True), "/messages", **ANTHROPIC)
    kinds = [line[7:] for line in text.splitlines() if line.startswith("event: ")]
    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert '"stop_reason": "tool_use"' in text


async def test_when_requests_came_and_were_answered_is_noted(server: ModelServer, script: Script) -> None:
    def thinks(_: ModelCall) -> Reply:
        time.sleep(0.05)
        return Reply("Yes.")

    script.add(thinks, thinks)
    for stream in (False, True):
        before = time.time()
        await post(server, openai(stream=stream))
        stamp = server.stamps[-1]
        assert before <= stamp.arrived <= stamp.answered - 0.05
        assert stamp.answered <= time.time() + 0.01
    assert len(server.stamps) == 2
    await post(server, {})
    assert len(server.stamps) == 2, "of malformed requests nothing is noted"


async def test_used_up_script_refuses(server: ModelServer) -> None:
    status, text = await post(server, openai())
    assert status == 500
    assert "no further answer" in text


async def test_malformed_requests_are_remembered(server: ModelServer) -> None:
    status, _ = await post(server, openai(nonsense=1))
    assert status == 400
    assert server.refused == ["unrecognized request argument: nonsense"]


async def test_wrong_key_and_foreign_origin(script: Script) -> None:
    script.add(Reply("Hi"))
    with ModelServer(script, api_key="right") as server:
        assert (await post(server, openai(), Authorization="Bearer wrong"))[0] == 401
        assert (await post(server, openai(), Authorization="Bearer right"))[0] == 200
        assert (await post(server, openai(), Origin="https://example.com"))[0] == 403


async def test_preflight_of_an_extension(server: ModelServer) -> None:
    origin = "chrome-extension://abcdefghijklmnop"
    async with (
        aiohttp.ClientSession() as session,
        session.options(server.url + "/chat/completions", headers={"Origin": origin}) as response,
    ):
        assert response.status == 204
        assert response.headers["Access-Control-Allow-Origin"] == origin


async def test_refusals_stalls_and_cuts(server: ModelServer, script: Script) -> None:
    script.add(Refusal(429, {"error": {"message": "slow down"}}, {"Retry-After": "1"}))
    assert (await post(server, openai()))[0] == 429
    script.add(Refusal(200, "<html>Welcome</html>", content_type="text/html"))
    assert "<html>" in (await post(server, openai()))[1]
    script.add(Reply("one two three", cut_after=2))
    with pytest.raises(aiohttp.ClientError):
        await post(server, openai(stream=True))
    script.add(Reply("one two three", cut_after=2))
    with pytest.raises(aiohttp.ClientError):
        await post(server, openai())
    script.add(Stall("later", Reply("at last")))
    waiting = asyncio.ensure_future(post(server, openai()))
    while len(server.calls) < 5:
        await asyncio.sleep(0.01)
    assert not waiting.done()
    server.release("later")
    assert "at last" in (await waiting)[1]


async def test_caller_that_goes_away_is_counted(server: ModelServer, script: Script) -> None:
    script.add(Reply("one two three", gate="never", before_gate=2))
    waiting = asyncio.ensure_future(post(server, openai(stream=True)))
    while not server.calls:
        await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.to_thread(server.wait_for_abort)
    assert server.aborted == 1
