"""What single services want differently, each as the request that reaches a server."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
from typing import Any

import pytest

from tests.support.models import TOOLS, client, endpoint, request, whole
from webbrain.core.errors import NeedsPerson, ProviderFailed
from webbrain.core.messages import DocumentPart, Message, ModelRequest, ToolCall
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers.extra_body import EXTRA_BODY_CHARS
from webbrain.providers.history import DOCUMENT_LEFT_OUT
from webbrain.providers.wire import kept

PDF = "data:application/pdf;base64,JVBERi0="
USER = Message(role="user", content="hi")
CALLED = Message(role="assistant", tool_calls=[ToolCall(id="c1", name="click_ax", arguments="{}")])
RESULT = Message(role="tool", content="{}", tool_call_id="c1", name="click_ax")


async def body(provider: str, asked: ModelRequest | None = None, **form: Any) -> dict[str, Any]:
    """What a service gets."""
    host = MemoryHost()
    host.http.on("POST", "*", whole(endpoint(provider, **form).wire))
    await client(host, provider, **form).complete(asked or request(temperature=0.3))
    return host.http.bodies()[0]


def replay(wire: str, provider: str, model: str, **data: Any) -> dict[str, Any]:
    """What a turn of this model keeps for its service, made as the wires make it."""
    ready = endpoint(provider, model=model)
    event = kept(wire, ready, **data)
    return dict(event.data)


def error(message: str, **fields: Any) -> Reply:
    return Reply.json({"error": {"message": message, **fields}}, 400)


# --- thinking ---

OFF = {
    "openai": ({"model": "gpt-5.2"}, {"reasoning_effort": "none"}),
    "openrouter": ({}, {"reasoning": {"enabled": False}}),
    "deepseek": ({}, {"thinking": {"type": "disabled"}}),
    "z_ai": ({}, {"thinking": {"type": "disabled"}}),
    "kimi": ({}, {"thinking": {"type": "disabled"}}),
    "alibaba": ({}, {"enable_thinking": False}),
    "vllm": ({"model": "Qwen/Qwen3-8B"}, {"chat_template_kwargs": {"enable_thinking": False}}),
    "sglang": ({"model": "deepseek-ai/DeepSeek-V3.2"}, {"chat_template_kwargs": {"thinking": False}}),
    "llamacpp": ({"model": "qwen3-4b"}, {"chat_template_kwargs": {"enable_thinking": False}}),
    "custom": ({"model": "llama-3.3"}, {}),
    "together": ({"model": "Qwen/Qwen3-235B-A22B"}, {"chat_template_kwargs": {"enable_thinking": False}}),
    "nvidia": ({"model": "deepseek-ai/deepseek-v3.1"}, {"chat_template_kwargs": {"thinking": False}}),
    "huggingface": ({"model": "Qwen/Qwen3-32B"}, {"chat_template_kwargs": {"enable_thinking": False}}),
    "fireworks": (
        {"model": "accounts/fireworks/models/deepseek-v3p2"},
        {"chat_template_kwargs": {"thinking": False}},
    ),
    "jan": ({"model": "qwen3-8b"}, {"chat_template_kwargs": {"enable_thinking": False}}),
    "baseten": ({}, {}),
    "siliconflow": ({"model": "Qwen/Qwen3-32B"}, {"enable_thinking": False}),
    "groq": ({"model": "qwen/qwen3-32b"}, {"reasoning_effort": "none"}),
    "mistral": ({}, {}),
}
SWITCHES = {"reasoning_effort", "reasoning", "thinking", "enable_thinking", "chat_template_kwargs"}


@pytest.mark.parametrize("provider", OFF)
async def test_thinking_is_turned_off_in_the_words_of_the_service(provider: str) -> None:
    form, wanted = OFF[provider]
    for sent in (
        await body(provider, request(thinking="off"), **form),
        await body(provider, reasoningEffort="off", **form),
    ):
        assert {key: sent[key] for key in SWITCHES & set(sent)} == wanted
    assert not SWITCHES & set(await body(provider, **form)), "nothing is said unless the user chose"


@pytest.mark.parametrize(
    ("provider", "form", "effort", "wanted"),
    [
        ("openai", {"model": "gpt-5.2"}, "xhigh", {"reasoning_effort": "xhigh"}),
        ("openrouter", {}, "max", {"reasoning": {"effort": "high"}}),
        ("openrouter", {}, "minimal", {"reasoning": {"effort": "low"}}),
        ("deepseek", {}, "high", {"thinking": {"type": "enabled"}}),
        ("groq", {"model": "openai/gpt-oss-120b"}, "xhigh", {"reasoning_effort": "high"}),
        ("groq", {"model": "openai/gpt-oss-120b"}, "off", {"reasoning_effort": "low"}),
        ("groq", {"model": "qwen/qwen3-32b"}, "high", {"reasoning_effort": "default"}),
        ("groq", {"model": "llama-3.3-70b-versatile"}, "high", {}),
        ("openai", {"model": "gpt-5.6-terra"}, "high", {"reasoning": {"effort": "high"}}),
        ("openai", {"model": "gpt-5.6-terra"}, "off", {"reasoning": {"effort": "none"}}),
        ("openai", {"model": "gpt-5.6-terra"}, "auto", {"reasoning": {"effort": "medium"}}),
    ],
)
async def test_a_measure_of_thinking(
    provider: str, form: dict[str, str], effort: str, wanted: dict[str, Any]
) -> None:
    sent = await body(provider, reasoningEffort=effort, **form)
    assert {key: sent[key] for key in SWITCHES & set(sent)} == wanted


@pytest.mark.parametrize(
    ("provider", "model", "field", "words"),
    [
        ("huggingface", "Qwen/Qwen3-32B", "chat_template_kwargs", "property 'chat_template_kwargs' is unsupported"),
        ("fireworks", "accounts/fireworks/models/qwen3-8b", "chat_template_kwargs", "Extra inputs are not permitted, field: 'chat_template_kwargs'"),
        ("together", "Qwen/Qwen3-32B", "chat_template_kwargs", "Unrecognized request argument supplied: chat_template_kwargs"),
        ("siliconflow", "moonshotai/Kimi-K2.6", "enable_thinking", "Value error, current model does not support parameter `enable_thinking`."),
        ("groq", "qwen/qwen-2.5-32b", "reasoning_effort", "`reasoning_effort` is not supported with this model"),
    ],
)  # fmt: skip
async def test_hosts_that_refuse_the_switch_are_asked_without_it(
    provider: str, model: str, field: str, words: str
) -> None:
    host = MemoryHost()
    host.http.on(
        "POST",
        "*",
        lambda sent: error(words) if field.encode() in (sent.body or b"") else whole("openai_chat"),
    )
    talks = client(host, provider, model=model)
    for _ in range(2):
        assert (await talks.complete(request(thinking="off"))).text == "whole answer"
    assert [field in sent for sent in host.http.bodies()] == [True, False, False]


async def test_a_switch_that_a_model_refuses_is_left_out() -> None:
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        if "reasoning_effort" in json.loads(sent.body or b"{}"):
            return error(
                "Unsupported parameter: 'reasoning_effort'",
                param="reasoning_effort",
                code="unsupported_parameter",
            )
        return whole("openai_chat")

    host.http.on("POST", "*", answer)
    model = client(host, "openai", model="gpt-4o", reasoningEffort="low")
    for _ in range(2):
        await model.complete(request())
    assert ["reasoning_effort" in sent for sent in host.http.bodies()] == [True, False, False]


@pytest.mark.parametrize(
    "words",
    [
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "parameter.enable_thinking必须设置为false才能进行非流式调用",
        "enable thinking can not be support when `stream=False`.",
    ],
)
async def test_dashscope_models_that_must_not_think_in_whole_answers(words: str) -> None:
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        thinks = json.loads(sent.body or b"{}").get("enable_thinking", True)
        return error(words, code="invalid_parameter_error") if thinks else whole("openai_chat")

    host.http.on("POST", "*", answer)
    model = client(host, "alibaba", model="qwen3-32b")
    for _ in range(2):
        assert (await model.complete(request())).text == "whole answer"
    assert [sent.get("enable_thinking") for sent in host.http.bodies()] == [None, False, False]


async def test_a_service_that_demands_it_and_refuses_it_still_is_not_asked_for_ever() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", error("parameter.enable_thinking must be set to false for non-streaming calls"))
    with pytest.raises(ProviderFailed):
        await client(host, "alibaba").complete(request())
    assert len(host.http.requests) == 2


# --- what comes back with a turn ---


async def thoughts_sent(provider: str, model: str, *, user_after: bool) -> bool:
    """Whether a thought goes back, with or without a word of the user since."""
    mine = replay("openai_chat", provider, model, reasoning_content="Hm.")
    turns = [USER, CALLED.model_copy(update={"replay": mine}), RESULT]
    if user_after:
        turns += [Message(role="assistant", content="Done."), USER]
    sent = await body(provider, ModelRequest(messages=turns, tools=TOOLS), model=model)
    return "reasoning_content" in sent["messages"][1]


@pytest.mark.parametrize(
    ("provider", "model", "in_loop", "later"),
    [
        ("deepseek", "deepseek-v4-flash", True, True),
        ("kimi", "kimi-k2.5", True, False),
        ("kimi", "kimi-k2.6", True, False),
        ("kimi", "kimi-k2.7", True, True),
        ("kimi", "kimi-k3", True, True),
        ("deepseek", "deepseek-reasoner", True, True),
        ("opencode-go", "deepseek-v4-flash", True, True),
        ("ollama-cloud", "deepseek-v4-flash", True, True),
        ("vivgrid", "deepseek-v4-pro", True, True),
        ("custom", "deepseek-v4-flash", True, True),
        ("custom", "deepseek-ai/DeepSeek-V4-Pro", True, True),
        ("custom", "deepseek-reasoner", True, True),
        ("custom", "deepseek-chat", False, False),
        ("groq", "kimi-k2.5", False, False),
        ("openai", "gpt-5.2", False, False),
    ],
)
async def test_how_long_thoughts_go_back(provider: str, model: str, in_loop: bool, later: bool) -> None:
    assert await thoughts_sent(provider, model, user_after=False) is in_loop
    assert await thoughts_sent(provider, model, user_after=True) is later


async def test_reasoning_details_go_back_to_the_router_and_the_model_they_came_from() -> None:
    details = [{"type": "reasoning.encrypted", "data": "abc", "index": 0}]
    mine = replay("openai_chat", "openrouter", "openrouter/free", reasoning_details=details)
    asked = ModelRequest(messages=[USER, CALLED.model_copy(update={"replay": mine}), RESULT], tools=TOOLS)
    assert (await body("openrouter", asked))["messages"][1]["reasoning_details"] == details
    assert "reasoning_details" not in (await body("openrouter", asked, model="other/model"))["messages"][1]
    assert "reasoning_details" not in (await body("groq", asked))["messages"][1]


KEPT: dict[str, tuple[str, str, dict[str, str], dict[str, Any]]] = {
    "openai_chat": ("vivgrid", "deepseek-v4-pro", {}, {"reasoning_content": "kept-for-the-maker"}),
    "openai_responses": ("openai", "gpt-5.6-terra", {"apiFormat": "responses"},
        {"items": [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "kept-for-the-maker"},
                   {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "click_ax", "arguments": "{}"}]}),
    "anthropic": ("anthropic", "claude-sonnet-4-6", {},
        {"thinking": [{"type": "thinking", "thinking": "kept-for-the-maker", "signature": "c2ln"}]}),
    "bedrock": ("aws_bedrock", "us.anthropic.claude-sonnet-4-6", {},
        {"thinking": [{"reasoningText": {"text": "kept-for-the-maker", "signature": "c2ln"}}]}),
}  # fmt: skip
"""A service, a model, a form and what it wants back, by wire."""


async def test_a_deployment_gets_back_what_it_needs_too() -> None:
    mine = replay("openai_chat", "azure_openai", "deepseek-v4-pro", reasoning_content="Hm.")
    asked = ModelRequest(messages=[USER, CALLED.model_copy(update={"replay": mine}), RESULT], tools=TOOLS)
    sent = await body("azure_openai", asked, model="deepseek-v4-pro")
    assert sent["messages"][1]["reasoning_content"] == "Hm."
    assert "model" not in sent


@pytest.mark.parametrize("wire", KEPT)
async def test_what_a_turn_keeps_goes_to_nobody_but_its_maker(wire: str) -> None:
    """The same model of the same format at another service or address is somebody else, and a turn that does
    not say whose it is belongs to nobody."""
    provider, model, form, data = KEPT[wire]
    mine = replay(wire, provider, model, **data)

    async def goes(replayed: dict[str, Any], **more: str) -> bool:
        turn = CALLED.model_copy(update={"replay": replayed})
        asked = ModelRequest(messages=[USER, turn, RESULT], tools=TOOLS)
        return "kept-for-the-maker" in json.dumps(await body(provider, asked, model=model, **form, **more))

    assert await goes(mine)
    assert not await goes(mine, baseUrl="https://proxy.example.com/v1")
    assert not await goes({**mine, "provider": "custom"})
    assert not await goes({**mine, "model": "another"})
    assert not await goes({key: value for key, value in mine.items() if key not in ("provider", "baseUrl")})


async def test_gemini_gets_a_signature_for_calls_it_did_not_make() -> None:
    """One per turn and only where there is none; the stand-in is Google's own."""
    two = CALLED.model_copy(
        update={"tool_calls": [*CALLED.tool_calls, ToolCall(id="c2", name="scroll", arguments="{}")]}
    )
    asked = ModelRequest(
        messages=[USER, two, RESULT, RESULT.model_copy(update={"tool_call_id": "c2"})], tools=TOOLS
    )
    first, second = (await body("gemini", asked))["messages"][1]["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert "extra_content" not in second
    assert (
        "extra_content" not in (await body("openai", asked, model="gpt-4o"))["messages"][1]["tool_calls"][0]
    )


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
