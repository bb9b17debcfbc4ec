"""What single services want differently, each as the request that reaches a server."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
from typing import Any

import pytest

from tests.support.models import TOOLS, client, endpoint, request, whole
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import Message, ModelRequest, ToolCall
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
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
