"""The newer model servers are as strict as the services, over real HTTP too."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
import re
import time
from typing import Any

import aiohttp
import pytest
from yarl import URL

from webbrain.providers.event_stream import EventStreamReader
from webbrain.providers.sigv4 import signed_headers
from webbrain.testing import (
    anthropic_wire,
    azure_wire,
    bedrock_wire,
    llamacpp_wire,
    openai_wire,
    responses_wire,
    vertex_anthropic_wire,
)
from webbrain.testing.chat import BadRequest, Reply
from webbrain.testing.model_server import ModelServer, Script

USER = {"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}
CALL = {"type": "function_call", "call_id": "c", "name": "scroll", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "moved"}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "encrypted_content": f"{responses_wire.ENCRYPTED}1",
}
TOOL = {"toolSpec": {"name": "scroll", "inputSchema": {"json": {"type": "object"}}}}
TEXT = {"role": "user", "content": [{"text": "Hello"}]}
USE = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "scroll", "input": {}}}]}
RESULT = {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"text": "moved"}]}}]}


def responses(*items: Any, **extra: Any) -> dict[str, Any]:
    include = ["reasoning.encrypted_content"]
    return {"model": "m", "input": list(items) or [USER], "store": False, "include": include, **extra}


def bedrock(*messages: Any, tools: bool = True, **extra: Any) -> dict[str, Any]:
    config = {"toolConfig": {"tools": [TOOL]}} if tools else {}
    return {"messages": list(messages) or [TEXT], **config, **extra}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "not a JSON object"),
        (responses(max_tokens=5), "Unknown parameter: 'max_tokens'"),
        (responses(max_output_tokens=15), "at least 16"),
        ({**responses(temperature=0.5), "model": "gpt-5.6-terra"}, "'temperature' is not supported"),
        (responses(store=True), "store"),
        (responses(include=[]), "encrypted_content"),
        (responses(reasoning={"effort": "off"}), "reasoning.effort"),
        (responses(tool_choice="auto"), "only allowed when"),
        (responses(USER, CALL), "No tool output found for function call c"),
        (responses(USER, CALL, USER, OUTPUT), "No tool output found"),
        (responses(USER, OUTPUT), "No tool call found"),
        (responses(USER, CALL, OUTPUT, OUTPUT), "No tool call found"),
        (responses(USER, CALL, OUTPUT, CALL, OUTPUT), "there twice"),
        (responses(USER, THOUGHT), "last item"),
        (responses(USER, THOUGHT, OUTPUT), "required following item"),
        (responses(USER, {**THOUGHT, "encrypted_content": "x"}, CALL, OUTPUT), "not persisted"),
        (responses(USER, {**THOUGHT, "status": None}, CALL, OUTPUT), "got null"),
        (responses(USER, {**CALL, "extra": 1}, OUTPUT), "extra"),
        (responses(USER, {**CALL, "arguments": "[]"}, OUTPUT), "not a JSON object"),
        (responses({"role": "assistant", "content": [{"type": "output_text", "text": "x"}]}, USER), "must be the user's"),
        (responses({"role": "user", "content": [{"type": "output_text", "text": "x"}]}), "output_text"),
        (responses(tools=[{"type": "function", "function": {"name": "a"}}]), "function"),
    ],
)  # fmt: skip
def test_responses_wire_refuses(body: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(says)):
        responses_wire.read(body, {})


def test_responses_wire_takes_items_that_come_back() -> None:
    call = responses_wire.read(responses(USER, THOUGHT, CALL, OUTPUT), {})
    assert [turn.role for turn in call.turns] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (bedrock(model="m"), "extraneous key [model]"),
        (bedrock(inferenceConfig={"max_tokens": 1}), "inferenceConfig"),
        (bedrock(TEXT, TEXT), "alternate"),
        (bedrock(USE, RESULT), "alternate"),
        (bedrock(TEXT, USE), "last message"),
        (bedrock(TEXT, USE, TEXT), "Expected toolResult blocks"),
        (bedrock(RESULT), "Expected toolResult blocks"),
        (bedrock(TEXT, USE, RESULT, tools=False), "toolConfig field must be defined"),
        (bedrock(TEXT, USE, RESULT, USE, RESULT), "duplicate Ids"),
        (bedrock({"role": "user", "content": [{"text": " "}]}), "blank"),
        (bedrock({"role": "user", "content": []}), "empty"),
        (bedrock({"role": "user", "content": [{"type": "text", "text": "x"}]}), "not valid here"),
    ],
)
def test_bedrock_wire_refuses(body: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(says)):
        bedrock_wire.read(body, {})


HELLO = {"role": "user", "content": "Hello"}
CALLED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "scroll", "arguments": "{}"}}],
}
ANSWERED = {"role": "tool", "tool_call_id": "c", "content": "moved"}
CHAT = {"model": "m", "messages": [HELLO, CALLED, ANSWERED]}  # fmt: skip
SCROLL = {"name": "scroll", "input_schema": {"type": "object"}}
MARK = {"cache_control": {"type": "ephemeral"}}


def messages(**extra: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 5, "messages": [HELLO], **extra}


def with_field(name: str) -> dict[str, Any]:
    return {**CHAT, "messages": [HELLO, {**CALLED, name: [{}] if name.endswith("s") else "Hm."}, ANSWERED]}


OWN = {
    "chat_template_kwargs": {**CHAT, "chat_template_kwargs": {}},
    "cache_prompt": {**CHAT, "cache_prompt": True},
    "reasoning": {**CHAT, "reasoning": {"enabled": False}},
    "thinking": {**CHAT, "thinking": {"type": "disabled"}},
    "enable_thinking": {**CHAT, "enable_thinking": False},
    "tool_stream": {**CHAT, "tool_stream": True},
    "reasoning_content": with_field("reasoning_content"),
    "reasoning_details": with_field("reasoning_details"),
}
TAKES = {
    "openai": set(),
    "azure": set(),
    "local": {"chat_template_kwargs", "reasoning_content"},
    "llamacpp": {"chat_template_kwargs", "cache_prompt", "reasoning_content"},
    "openrouter": {"reasoning", "reasoning_details"},
    "deepseek": {"thinking", "reasoning_content"},
    "moonshot": {"thinking", "reasoning_content"},
    "zhipu": {"thinking", "tool_stream", "reasoning_content"},
    "dashscope": {"enable_thinking"},
    "minimax": {"reasoning_details"},
    "gemini": set(),
}


@pytest.mark.parametrize("dialect", TAKES)
def test_each_dialect_of_chat_completions_takes_its_own_fields_only(dialect: str) -> None:
    assert set(TAKES) == set(openai_wire.DIALECTS)
    for field, body in OWN.items():
        if field in TAKES[dialect]:
            assert openai_wire.read(body, {}, openai_wire.DIALECTS[dialect]).turns
            continue
        with pytest.raises(BadRequest, match=field):
            openai_wire.read(body, {}, openai_wire.DIALECTS[dialect])
    assert openai_wire.read(CHAT, {}, openai_wire.DIALECTS[dialect]).turns


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({**CHAT, "tools": [], "tool_choice": "auto"}, "non-empty"),
        ({**CHAT, "tool_choice": "auto"}, "only allowed when"),
        ({**CHAT, "tool_choice": "any"}, "Invalid value: 'tool_choice'"),
        ({**CHAT, "stream": "yes"}, "boolean"),
        ({**CHAT, "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u", "size": 1}}]}]}, "not known"),
        ({**CHAT, "messages": [HELLO, {**CALLED, "tool_calls": [{**CALLED["tool_calls"][0], "extra_content": {}}]}, ANSWERED]}, "extra_content"),
        (with_field("thought_signature"), "thought_signature"),
        ({**CHAT, "model": "gpt-5.2", "max_tokens": 5}, "'max_tokens' is not supported"),
        ({**CHAT, "model": "o3-mini", "temperature": 0.5}, "'temperature' is not supported"),
    ],
)  # fmt: skip
def test_chat_completions_refuse(body: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(says)):
        openai_wire.read(body, {}, openai_wire.OPENAI)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({**messages(temperature=0.5), "model": "claude-opus-4-7"}, "deprecated"),
        ({**messages(temperature=0.5), "model": "claude-sonnet-5"}, "deprecated"),
        (messages(tool_choice={"type": "auto"}), "while providing tools"),
        (messages(tools=[SCROLL], tool_choice="auto"), "expected tags"),
        (messages(tools=[SCROLL], tool_choice={"type": "required"}), "expected tags"),
        (messages(tools=[SCROLL], tool_choice={"type": "tool"}), "expected tags"),
        (messages(tools=[SCROLL], tool_choice={"type": "tool", "name": "fly"}), "not found"),
        (messages(tools=[SCROLL], tool_choice={"type": "auto", "name": "scroll"}), "tool_choice.name"),
        (messages(tools=[{**SCROLL, **MARK}] * 5), "A maximum of 4 blocks"),
        (messages(system=[{"type": "text", "text": "x", **MARK}] * 3, tools=[{**SCROLL, **MARK}] * 2), "A maximum of 4"),
        (messages(tools=[{**SCROLL, "cache_control": {"type": "forever"}}]), "cache_control"),
        (messages(tools=[{**SCROLL, "cache_control": {"type": "ephemeral", "ttl": "1d"}}]), "cache_control"),
        (messages(messages=[HELLO, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "s", **MARK}]}, HELLO]), "thinking blocks"),
    ],
)  # fmt: skip
def test_anthropic_wire_refuses(body: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(says)):
        anthropic_wire.read(body, {"anthropic-version": anthropic_wire.VERSION})


def test_anthropic_wire_takes_choices_and_four_marks() -> None:
    tools = [SCROLL, {**SCROLL, **MARK}]
    for choice in ("auto", "any", "none"):
        assert anthropic_wire.read_body(messages(tools=tools, tool_choice={"type": choice}), {}).tools
    old = {**messages(temperature=0.5), "model": "claude-sonnet-4-5-20250929"}
    assert anthropic_wire.read_body(old, {}).turns
    one = {"type": "tool", "name": "scroll", "disable_parallel_tool_use": True}
    assert anthropic_wire.read_body(messages(tools=tools, tool_choice=one), {}).tools
    assert anthropic_wire.read_body(messages(tools=[{**SCROLL, **MARK}] * 4), {}).tools


VERTEX = "/v1/projects/p-1/locations/global/publishers/anthropic/models/claude-haiku-4-5%4020251001"


def test_vertex_differs_from_messages_as_the_real_one_does() -> None:
    body = {"anthropic_version": vertex_anthropic_wire.VERSION, "max_tokens": 5, "messages": [HELLO]}
    key = {"authorization": "Bearer k"}
    for wrong, headers, says in (
        (body, {}, "authentication"),
        (body, {**key, "anthropic-version": "2023-06-01"}, "anthropic-version"),
        ({**body, "model": "m"}, key, "model"),
        ({**body, "anthropic_version": "2023-06-01"}, key, "anthropic_version"),
        ({**body, "messages": []}, key, "messages"),
        ([], key, "JSON object"),
    ):
        with pytest.raises(BadRequest, match=says):
            vertex_anthropic_wire.read(wrong, headers)
    assert vertex_anthropic_wire.read(body, key).turns
    vertex_anthropic_wire.check_address(f"{VERTEX}:rawPredict", body)
    vertex_anthropic_wire.check_address(f"{VERTEX}:streamRawPredict", {**body, "stream": True})
    for path in (f"{VERTEX}:streamRawPredict", f"{VERTEX}:predict", "/v1/messages", f"{VERTEX}/x:rawPredict"):
        with pytest.raises(BadRequest):
            vertex_anthropic_wire.check_address(path, body)


def test_azure_and_llamacpp_differ_from_chat_completions_as_the_real_ones_do() -> None:
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    with pytest.raises(BadRequest, match="api-key"):
        azure_wire.read(body, {})
    with pytest.raises(BadRequest, match="leave 'model' out"):
        azure_wire.read({**body, "model": "m"}, {"api-key": "k"})
    with pytest.raises(BadRequest, match="header only"):
        azure_wire.read(body, {"api-key": "k", "authorization": "Bearer k"})
    assert azure_wire.read(body, {"api-key": "k"}).turns
    assert llamacpp_wire.read({**body, "cache_prompt": True}, {}).body["model"] == llamacpp_wire.MODEL


async def test_each_has_its_path_and_bedrock_checks_signatures() -> None:
    secret = "secret-0123456789"
    chat = {"messages": [{"role": "user", "content": "Hello"}]}
    script = Script([Reply("Yes, ☕.")] * 9)
    with ModelServer(script, api_key=secret) as server:
        root = server.url.removesuffix("/v1")
        async with aiohttp.ClientSession() as session:

            async def post(path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
                async with session.post(root + path, data=json.dumps(body), headers=headers) as answer:
                    return answer.status, await answer.read()

            bearer = {"Authorization": f"Bearer {secret}"}
            assert (await post("/v1/responses", responses(), bearer))[0] == 200
            assert b"response.completed" in (await post("/v1/responses", responses(stream=True), bearer))[1]
            assert (await post("/v1/responses", responses(), {}))[0] == 401
            azure = "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"
            assert (await post(azure, chat, {"api-key": secret}))[0] == 200
            assert (await post("/llamacpp/v1/chat/completions", chat, bearer))[0] == 200

            vertex = f"{VERTEX}:rawPredict"
            claude = {
                "anthropic_version": vertex_anthropic_wire.VERSION,
                "max_tokens": 5,
                "messages": [HELLO],
            }
            assert (await post(vertex, claude, bearer))[0] == 200
            assert (await post(vertex, {**claude, "model": "m"}, bearer))[0] == 400
            assert (await post(vertex, claude, {}))[0] == 401
            for dialect, status in (("moonshot", 200), ("openai", 400)):
                thinking = {**chat, "model": "m", "thinking": {"type": "disabled"}}
                assert (await post(f"/dialects/{dialect}/v1/chat/completions", thinking, bearer))[0] == status

            async def converse(
                verb: str, key: str, tamper: bytes = b"", late: float = 0.0
            ) -> tuple[int, bytes]:
                url = f"{root}/model/us.anthropic.claude-v1%3A0/{verb}"
                raw = json.dumps(bedrock()).encode()
                accept = bedrock_wire.STREAM_TYPE if verb.endswith("stream") else "application/json"
                base = {"Content-Type": "application/json", "Accept": accept}
                signed = signed_headers(
                    "POST", url, base, raw,
                    access_key=bedrock_wire.ACCESS_KEY, secret_key=key, region="us-east-1", service="bedrock", now=time.time() - late,
                )  # fmt: skip
                async with session.post(URL(url, encoded=True), data=raw + tamper, headers=signed) as answer:
                    return answer.status, await answer.read()

            status, body = await converse("converse", secret)
            assert (status, json.loads(body)["stopReason"]) == (200, "end_turn")
            status, body = await converse("converse-stream", secret)
            assert [event.event for event in EventStreamReader().feed(body)][-2:] == [
                "messageStop",
                "metadata",
            ]
            status, body = await converse("converse", secret, late=3_600.0)
            assert (status, b"expired" in body) == (400, True)
            for bad in (await converse("converse", "wrong"), await converse("converse", secret, b" ")):
                assert bad[0] == 400
                assert b"does not match" in bad[1]
