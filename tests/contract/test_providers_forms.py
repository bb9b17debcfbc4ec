"""What single formats and services want of a request, and what the user adds to it."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
from typing import Any

import pytest

from tests.contract.test_providers_quirks import CALLED, PDF, RESULT, USER, body, error, replay
from tests.support.models import TOOLS, client, endpoint, request, whole
from webbrain.core.errors import NeedsPerson, ProviderFailed
from webbrain.core.messages import DocumentPart, Message, ModelRequest
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers.extra_body import EXTRA_BODY_CHARS
from webbrain.providers.history import DOCUMENT_LEFT_OUT

# --- Responses ---


async def test_a_responses_body() -> None:
    asked = ModelRequest(
        messages=[Message(role="system", content="Be brief."), USER, CALLED, RESULT],
        tools=TOOLS,
        temperature=0.3,
        max_tokens=5,
    )
    sent = await body("openai", asked)
    assert (sent["instructions"], sent["store"], sent["include"]) == (
        "Be brief.",
        False,
        ["reasoning.encrypted_content"],
    )
    assert sent["max_output_tokens"] == 16
    assert "temperature" not in sent
    assert [item.get("type", item.get("role")) for item in sent["input"]] == [
        "user",
        "function_call",
        "function_call_output",
    ]
    assert sent["tools"][0]["strict"] is False


async def test_items_never_leak_into_other_formats_or_models() -> None:
    items = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "secret-thought"},
             {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": "{}", "status": None}]  # fmt: skip
    mine = replay("openai_responses", "openai", "gpt-5.6-terra", items=items)
    asked = ModelRequest(messages=[USER, CALLED.model_copy(update={"replay": mine}), RESULT], tools=TOOLS)
    sent = await body("openai", asked)
    assert sent["input"][1] == items[0]
    assert sent["input"][2] == {key: value for key, value in items[1].items() if value is not None}
    for provider, form in (
        ("openai", {"model": "gpt-5.6"}),
        ("openai", {"apiFormat": "chat"}),
        ("anthropic", {}),
        ("aws_bedrock", {}),
    ):
        assert "secret-thought" not in json.dumps(await body(provider, asked, **form))


@pytest.mark.parametrize(
    ("items", "kinds"),
    [
        ([{"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": "{}"}], ["function_call"]),
        ([{"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": "{}"}, {"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}], ["function_call"]),
        ([{"type": "function_call", "call_id": "other", "name": "click_ax", "arguments": "{}"}], ["function_call"]),
        ([{"type": "web_search_call", "id": "ws_1"}], ["function_call"]),
        ([{"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}, {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": "{brok"}], ["function_call"]),
        ([{"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}, {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": "{\"text\": \"secret\"}"}], ["function_call"]),
        ([{"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}, {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": " { } "}], ["reasoning", "function_call"]),
    ],
)  # fmt: skip
async def test_items_that_would_be_refused_are_mended(items: list[Any], kinds: list[str]) -> None:
    mine = replay("openai_responses", "openai", "gpt-5.6-terra", items=items)
    asked = ModelRequest(messages=[USER, CALLED.model_copy(update={"replay": mine}), RESULT], tools=TOOLS)
    sent = (await body("openai", asked))["input"][1:-1]
    assert [item["type"] for item in sent] == kinds
    assert sent[-1]["call_id"] == "c1"
    assert json.loads(sent[-1]["arguments"]) == {}
    if items[0]["type"] == "reasoning" and kinds[0] != "reasoning":
        assert "id" not in sent[0], "an id would ask for the reasoning that had to go"


async def test_a_model_without_encrypted_reasoning() -> None:
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        if "include" in json.loads(sent.body or b"{}"):
            return error("Encrypted content is not supported with this model.", param="include")
        return whole("openai_responses")

    host.http.on("POST", "*", answer)
    model = client(host, "openai", model="gpt-4o", apiFormat="responses")
    for _ in range(2):
        await model.complete(request())
    assert ["include" in sent for sent in host.http.bodies()] == [True, False, False]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "answer_cut"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "failed", "error": {"code": "server_error", "message": "no"}}, "provider_error"),
        ({"status": "cancelled"}, "provider_error"),
        ({"status": "queued", "output": []}, "provider_error"),
        ({"output": None}, "bad_response"),
        (
            {
                "output": [
                    {
                        "type": "function_call",
                        "call_id": "c",
                        "name": "scroll",
                        "arguments": "{",
                        "status": "incomplete",
                    }
                ]
            },
            "bad_response",
        ),
    ],
)
async def test_a_200_that_is_not_complete_is_an_error(changes: dict[str, Any], code: str) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", {**whole("openai_responses"), **changes})
    with pytest.raises(ProviderFailed) as caught:
        await client(host, "openai").complete(request())
    assert caught.value.code == code
    assert not caught.value.transient
    assert len(host.http.requests) == 1


# --- Azure, Bedrock, Anthropic, llama.cpp ---


async def test_azure_learns_the_name_of_the_limit_and_to_leave_out_the_temperature() -> None:
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        sent_body = json.loads(sent.body or b"{}")
        if "max_tokens" in sent_body:
            return error(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                param="max_tokens",
                code="unsupported_parameter",
            )
        if "temperature" in sent_body:
            return error(
                "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
                param="temperature",
                code="unsupported_value",
            )
        return whole("openai_chat")

    host.http.on("POST", "*", answer)
    model = client(host, "azure_openai", model="gpt-5-prod")
    for _ in range(3):
        await model.complete(request(temperature=0.3))
    assert len(host.http.requests) == 5
    assert host.http.bodies()[-1]["max_completion_tokens"] == 4_096
    assert {sent.headers["api-key"] for sent in host.http.requests} == {"sk-test-0123456789abcdef"}


async def test_a_conversation_with_calls_but_no_tools() -> None:
    """Bedrock and Anthropic refuse it as it is; both get a form of it that says the same."""
    asked = ModelRequest(messages=[USER, CALLED, RESULT, Message(role="user", content="Sum up.")])
    bedrock = await body("aws_bedrock", asked)
    assert "toolConfig" not in bedrock
    assert "toolUse" not in json.dumps(bedrock)
    assert "click_ax" in json.dumps(bedrock)
    anthropic = await body("anthropic", asked)
    assert [tool["name"] for tool in anthropic["tools"]] == ["click_ax"]
    assert anthropic["tool_choice"] == {"type": "none"}


async def test_bedrock_learns_of_fields_inside_its_configuration() -> None:
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        if "temperature" in json.loads(sent.body or b"{}")["inferenceConfig"]:
            return Reply.json(
                {
                    "message": "The model returned the following errors: `temperature` is deprecated for this model."
                },
                400,
            )
        return whole("bedrock")

    host.http.on("POST", "*", answer)
    model = client(host, "aws_bedrock", model="eu.some.model-v9:0")
    for _ in range(2):
        await model.complete(request(temperature=0.3))
    assert len(host.http.requests) == 3
    assert host.http.requests[0].url.endswith("/model/eu.some.model-v9%3A0/converse")


async def test_thinking_of_claude_leaves_room_for_the_answer() -> None:
    asked = request(temperature=0.3, tool_choice="required")
    old = await body("anthropic", asked, model="claude-sonnet-4-5", reasoningEffort="low")
    assert old["thinking"] == {"type": "enabled", "budget_tokens": 2_048}
    assert old["max_tokens"] == 4_096 + 2_048
    assert "temperature" not in old
    assert old["tool_choice"] == {"type": "auto"}
    new = await body("anthropic", asked, model="claude-sonnet-4-6", reasoningEffort="xhigh")
    assert (new["thinking"], new["output_config"]) == ({"type": "adaptive"}, {"effort": "high"})
    assert "thinking" not in await body("anthropic", asked)
    assert "thinking" not in await body("anthropic", request(thinking="off"), reasoningEffort="high")


async def test_claude_does_not_begin_to_think_in_the_middle_of_calls() -> None:
    """The service wants the thoughts of such turns back, and there are none."""
    asked = ModelRequest(messages=[USER, CALLED, RESULT], tools=TOOLS)
    assert "thinking" not in await body("anthropic", asked, reasoningEffort="high")
    block = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    mine = replay("anthropic", "anthropic", "claude-sonnet-4-6", thinking=[block])
    with_thoughts = ModelRequest(
        messages=[USER, CALLED.model_copy(update={"replay": mine}), RESULT], tools=TOOLS
    )
    sent = await body("anthropic", with_thoughts, reasoningEffort="high")
    assert sent["thinking"]
    assert sent["messages"][1]["content"][0] == block


async def test_cache_marks_stand_where_the_next_step_still_reads() -> None:
    asked = ModelRequest(
        messages=[Message(role="system", content="Be brief."), USER, CALLED, RESULT], tools=TOOLS
    )
    sent = await body("anthropic", asked)
    mark = {"type": "ephemeral"}
    assert sent["tools"][-1]["cache_control"] == sent["system"][0]["cache_control"] == mark
    assert sent["messages"][-1]["content"][-1]["cache_control"] == mark
    assert json.dumps(sent).count("cache_control") == 3, "the service takes four at most"


async def test_documents_go_only_where_they_are_read() -> None:
    turn = Message(role="user", content="Sum it up.", documents=[DocumentPart(data_url=PDF, name="a.pdf")])
    asked = ModelRequest(messages=[turn])
    block, words = (await body("anthropic", asked))["messages"][0]["content"]
    assert block == {
        "type": "document",
        "title": "a.pdf",
        "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
    }
    assert words["text"] == "Sum it up."
    for provider in ("gemini", "azure_openai", "aws_bedrock", "llamacpp", "openrouter"):
        sent = json.dumps(await body(provider, asked))
        assert "JVBERi0" not in sent
        assert DOCUMENT_LEFT_OUT in sent


async def test_claude_on_vertex() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("anthropic"))
    await client(host, "google-vertex-anthropic").complete(request(stream=True))
    sent = host.http.bodies()[0]
    assert sent["anthropic_version"] == "vertex-2023-10-16"
    assert "model" not in sent
    assert host.http.requests[0].url.endswith("/models/claude-haiku-4-5%4020251001:streamRawPredict")


async def test_llamacpp_is_asked_to_keep_its_cache() -> None:
    assert (await body("llamacpp"))["cache_prompt"] is True
    assert "cache_prompt" not in await body("ollama")


async def test_models_that_cannot_be_given_tools_are_not() -> None:
    sent = await body("perplexity")
    assert not {"tools", "tool_choice"} & set(sent)


# --- what the user adds ---


async def test_roles_and_names_the_user_chose() -> None:
    asked = ModelRequest(messages=[Message(role="system", content="Be brief."), USER])
    sent = await body(
        "custom", asked, model="m", systemPromptRole="developer", maxTokensField="max_completion_tokens"
    )
    assert sent["messages"][0]["role"] == "developer"
    assert "max_completion_tokens" in sent
    assert (await body("custom", asked, model="m"))["messages"][0]["role"] == "system"


async def test_fields_the_user_adds_are_laid_over_the_body() -> None:
    extra = json.dumps({"top_p": 0.9, "reasoning": {"exclude": True}, "temperature": 0})
    sent = await body("openrouter", reasoningEffort="low", extraBody=extra)
    assert (sent["top_p"], sent["temperature"]) == (0.9, 0)
    assert sent["reasoning"] == {"effort": "low", "exclude": True}
    responses = await body("openai", extraBody='{"include": [], "top_p": 1}')
    assert responses["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "7", '{"model": "x"}', '{"messages": []}', '{"stream": true}', '{"max_tokens": 1}', '{"tools": []}',
     '{"__proto__": {}}', '{"input": 1}', '{"a": 1e999}', '{"a": NaN}', '{"a": ' + "[" * 30 + "]" * 30 + "}", " " * 5 + "x",
     '{"a": "' + "x" * EXTRA_BODY_CHARS + '"}', "[" * 100_000],
)  # fmt: skip
def test_fields_that_cannot_be_added_are_told_at_the_field(text: str) -> None:
    with pytest.raises(NeedsPerson) as caught:
        endpoint("custom", model="m", extraBody=text)
    assert caught.value.data["field"] == "extraBody"
