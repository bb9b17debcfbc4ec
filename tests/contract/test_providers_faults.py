"""What goes wrong with real services, each as a server that does exactly that, and what the user is told."""

# ruff: noqa: E501 - tables of cases are read by the line

import asyncio
import json
import time
from typing import Any

import pytest

from tests.support.models import KEY, client, endpoint, request, whole
from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.core.messages import Message, ModelReply, ModelRequest, ToolCall
from webbrain.host.memory import STALL, Gate, MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers import errors
from webbrain.providers.base import model_differs

SSE = {"content-type": "text/event-stream"}
HTML = {"content-type": "text/html; charset=utf-8"}
CALLED = Message(role="assistant", tool_calls=[ToolCall(id="c1", name="click_ax", arguments="{}")])
RESULT = Message(role="tool", content="{}", tool_call_id="c1", name="click_ax")


async def fails(provider: str, answer: Any, *, stream: bool = False, **form: Any) -> ProviderFailed:
    """The failure a user sees; it takes exactly one request."""
    host = MemoryHost()
    host.http.on("POST", "*", answer)
    with pytest.raises(ProviderFailed) as caught:
        await client(host, provider, **form).complete(request(stream=stream))
    assert len(host.http.requests) == 1
    return caught.value


def error(status: int, message: str, **fields: Any) -> Reply:
    return Reply.json({"error": {"message": message, **fields}}, status)


FAULTS = {
    "wrong key": ("openai", error(401, "Incorrect API key provided"), "wrong_key"),
    "key without rights": ("openai", error(403, "Country not supported"), "wrong_key"),
    "anthropic key": (
        "anthropic",
        Reply.json({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}, 401),
        "wrong_key",
    ),
    "no credit": ("openai", error(429, "You exceeded your current quota", code="insufficient_quota"), "no_credit"),
    "no credit, Anthropic": (
        "anthropic",
        Reply.json({"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}}, 400),
        "no_credit",
    ),
    "a quota that fills up again": (
        "gemini",
        Reply.json([{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details.", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "34s"}]}}], 429),
        "rate_limited",
    ),
    "rate limited": ("groq", error(429, "Rate limit reached"), "rate_limited"),
    "withheld, Azure": (
        "azure_openai",
        error(400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", code="content_filter"),
        "content_filter",
    ),
    "withheld, Anthropic": ("anthropic", error(400, "Output blocked by content filtering policy"), "content_filter"),
    "withheld, Alibaba": (
        "alibaba",
        error(400, "Input data may contain inappropriate content.", code="data_inspection_failed"),
        "content_filter",
    ),
    "overloaded": ("anthropic", Reply.json({"error": {"type": "overloaded_error", "message": "Overloaded"}}, 529), "overloaded"),
    "gateway page": ("openrouter", Reply(502, HTML, [b"<html>Bad gateway"]), "overloaded"),
    "server error": ("xai", error(500, "internal"), "server_error"),
    "wrong path": ("vllm", Reply.json({"detail": "Not Found"}, 404), "wrong_address"),
    "a web page": ("custom", Reply(200, HTML, [b"<!doctype html><title>Router</title>"]), "wrong_address"),
    "not JSON": ("custom", Reply(200, {}, [b"hello"]), "bad_response"),
    "a list": ("custom", Reply.json([1]), "bad_response"),
    "no choices": ("custom", Reply.json({"choices": []}), "bad_response"),
    "error in a 200": ("openrouter", Reply.json({"error": {"message": "No endpoints found for x", "code": 404}}), "model_not_found"),
    "model gone": ("openai", error(404, "The model `gpt-9` does not exist", code="model_not_found"), "model_not_found"),
    "ollama model": ("ollama", error(404, 'model "llama9" not found'), "model_not_found"),
    "context, OpenAI": ("openai", error(400, "too long", code="context_length_exceeded"), "context_too_small"),
    "context, llama.cpp": (
        "llamacpp",
        error(400, "the request exceeds the available context size", type="exceed_context_size_error"),
        "context_too_small",
    ),
    "context, Anthropic": ("anthropic", error(400, "prompt is too long: 215000 tokens > 200000"), "context_too_small"),
    "prompt cut in front": ("ollama", error(500, "no user query found in messages"), "context_too_small"),
    "template": ("lmstudio", Reply.json({"error": "Error rendering prompt with jinja template: No user query found in messages."}, 400), "chat_template"),
    "tool format": ("llamacpp", error(500, "The model output does not match the expected peg-native format"), "malformed_tool_call"),
    "groq tool": ("groq", error(400, "Failed to call a function", code="tool_use_failed"), "malformed_tool_call"),
    "ollama without tools": ("ollama", error(400, "library/gemma:2b does not support tools"), "tools_unsupported"),
    "router without tools": ("openrouter", error(404, "No endpoints found that support tool use."), "tools_unsupported"),
    "vllm without tools": ("vllm", error(400, '"auto" tool choice requires --enable-auto-tool-choice'), "tools_unsupported"),
    "router without model": ("openrouter", error(404, "No endpoints found for x/y."), "model_not_found"),
    "ollama origin": ("ollama", Reply(403, {}, []), "origin_refused"),
    "lmstudio origin": ("lmstudio", Reply(403, {}, []), "origin_refused"),
    "content filter": (
        "xai",
        Reply.json({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
        "content_filter",
    ),
    "nobody listens": ("llamacpp", BridgeError("refused", code="net_refused"), "server_not_running"),
    "cloud not reached": ("openai", BridgeError("refused", code="net_refused"), "unreachable"),
    "offline": ("openai", BridgeError("offline", code="offline"), "offline"),
    "no byte": ("ollama", BridgeError("no headers", code="net_timeout"), "timeout"),
    "stalls": ("ollama", Reply(200, {"content-type": "application/json"}, [b"{", STALL]), "stalled"),
}  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", FAULTS)
async def test_each_fault_has_its_code(name: str, stream: bool) -> None:
    provider, answer, code = FAULTS[name]
    host = MemoryHost()
    host.http.on("POST", "*", answer)
    with pytest.raises(ProviderFailed) as caught:
        await client(host, provider).complete(request(stream=stream))
    failure = caught.value
    assert failure.code == code
    assert failure.message.endswith(".")
    assert len(failure.message) < 200
    assert failure.data["detail"]
    # What a provider says is final. Only bytes that make no sense are asked for again, once and whole.
    assert len(host.http.requests) == (2 if stream and name == "no choices" else 1)


async def test_a_stall_in_a_stream_is_told_and_not_repeated() -> None:
    raw = b'data: {"choices":[{"delta":{"content":"It "}}]}\n\n'
    failure = await fails("ollama", Reply(200, SSE, [raw, STALL]), stream=True)
    assert failure.code == "stalled"


async def test_detail_is_the_services_own_words_cut_and_without_the_key() -> None:
    failure = await fails(
        "openai", error(400, f"bad {KEY} Bearer {KEY} sk-ant-api03-{'x' * 40} " + "y" * 900)
    )
    detail = failure.data["detail"]
    assert detail.startswith("OpenAI error 400: ")
    assert len(detail) <= len("OpenAI error 400: ") + 500
    assert KEY not in detail
    assert "sk-ant" not in detail
    assert KEY not in failure.message


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7), ("0", 0), ("99999999", 3_600), ("soon", None), ("", None)]
)
async def test_retry_after_is_passed_on(header: str, seconds: float | None) -> None:
    body = [b'{"error": {"message": "slow down"}}']
    failure = await fails("groq", Reply(429, {"Retry-After": header}, body))
    assert failure.data.get("retry_after") == seconds
    assert failure.transient


async def test_retry_after_as_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_796_000_000.0
    assert errors.retry_after({"retry-after": "Sun, 29 Nov 2026 20:00:00 GMT"}, 1_795_982_400.0 - 30) == 30.0
    assert errors.retry_after({"Retry-After": "Sun, 29 Nov 2020 20:00:00 GMT"}, now) == 0.0
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "America/New_York")
        time.tzset()
        zoneless = {"retry-after": "Sun, 29 Nov 2026 20:00:00 -0000"}
        assert errors.retry_after(zoneless, 1_795_982_400.0 - 30) == 30.0
    time.tzset()


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Rate limit reached. Please try again in 7.66s.", 7.66),
        ("Please try again in 1m12s", 72.0),
        ("Please try again in 340ms", 0.34),
        ("Please try again in 999999s", 3_600),
        ("Please retry after 20 seconds.", 20.0),
        ("Please retry in 34.07s.", 34.07),
        ("Please try again later", None),
    ],
)
async def test_a_pause_that_only_the_words_name(words: str, seconds: float | None) -> None:
    failure = await fails("groq", error(429, words))
    assert failure.data.get("retry_after") == seconds


async def test_googles_pause_and_openais_fine_one() -> None:
    body = {
        "error": {"code": 429, "message": "m", "details": [{"@type": "x/RetryInfo", "retryDelay": "34s"}]}
    }
    assert (await fails("gemini", Reply.json(body, 429))).data["retry_after"] == 34.0
    assert errors.retry_after({"retry-after-ms": "1500", "retry-after": "2"}, 0.0) == 1.5


async def test_a_local_server_needs_no_network() -> None:
    failure = await fails("llamacpp", BridgeError("offline", code="offline"))
    assert failure.code == "server_not_running"


async def test_ollama_says_exactly_what_to_set() -> None:
    failure = await fails("ollama", Reply(403, {}, []))
    assert "OLLAMA_ORIGINS=chrome-extension://*,moz-extension://*" in failure.data["hint"]


async def test_a_stopped_local_server_says_how_to_start_it() -> None:
    failure = await fails("llamacpp", BridgeError("refused", code="net_refused"))
    assert failure.message == "Nothing answers at http://localhost:8080."
    assert "llama-server" in failure.data["hint"]


def refuses(param: str, code: str, other: str = "") -> Any:
    """A server that answers 400 while ``param`` is in the body."""

    def answer(sent: HttpRequest) -> Any:
        body = json.loads(sent.body or b"{}")
        if param in body:
            hint = f" Use '{other}' instead." if other else ""
            return error(
                400, f"Unsupported parameter: '{param}' is not supported.{hint}", param=param, code=code
            )
        return whole("openai_chat")

    return answer


@pytest.mark.parametrize(
    ("param", "code", "other"),
    [
        ("max_tokens", "unsupported_parameter", "max_completion_tokens"),
        ("temperature", "unsupported_value", ""),
    ],
)
async def test_a_refused_field_is_left_out_once_and_for_all(param: str, code: str, other: str) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", refuses(param, code, other))
    model = client(host, "custom", model="deployment-7")
    for _ in range(2):
        await model.complete(request(temperature=0.15))
    bodies = host.http.bodies()
    assert [param in body for body in bodies] == [True, False, False]
    if other:
        assert bodies[-1][other] == 4_096


async def test_two_refused_fields_in_a_row() -> None:
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        body = json.loads(sent.body or b"{}")
        for param in ("max_tokens", "temperature"):
            if param in body:
                return error(400, f"'{param}' is not supported", param=param, code="unsupported_parameter")
        return whole("openai_chat")

    host.http.on("POST", "*", answer)
    await client(host, "custom", model="d").complete(request(temperature=0.3))
    assert len(host.http.requests) == 3


async def test_a_server_that_refuses_everything_is_not_asked_for_ever() -> None:
    host = MemoryHost()
    host.http.on(
        "POST",
        "*",
        error(400, "tool_choice, max_tokens, temperature: not supported", code="unsupported_parameter"),
    )
    with pytest.raises(ProviderFailed):
        await client(host, "custom", model="d").complete(request(temperature=0.3))
    assert len(host.http.requests) <= 4


@pytest.mark.parametrize(
    ("model", "limit", "temperature"),
    [
        ("gpt-5.2", "max_completion_tokens", False),
        ("o3", "max_completion_tokens", False),
        ("gpt-4o", "max_tokens", True),
    ],
)
async def test_newer_openai_models_get_their_own_fields(model: str, limit: str, temperature: bool) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat"))
    await client(host, "openai", model=model).complete(request(temperature=0.3))
    body = host.http.bodies()[0]
    assert limit in body
    assert ("temperature" in body) is temperature


async def test_a_local_server_is_never_treated_as_openai() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat"))
    await client(host, "lmstudio", model="gpt-5-mini-distilled").complete(request(temperature=0.3))
    assert {"max_tokens", "temperature"} <= set(host.http.bodies()[0])


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("claude-sonnet-4-6", True), ("claude-3-5-sonnet-20241022", True), ("claude-opus-4-6", True),
        ("claude-sonnet-4-20250514", True), ("claude-opus-4-7", False), ("claude-opus-4-10", False),
        ("claude-sonnet-5", False), ("claude-haiku-5-20260801", False),
    ],
)  # fmt: skip
async def test_temperature_of_claude_families(model: str, sent: bool) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("anthropic"))
    await client(host, "anthropic", model=model).complete(request(temperature=0.3))
    assert ("temperature" in host.http.bodies()[0]) is sent


async def deepseek(replies: list[dict[str, Any]]) -> list[Any]:
    """Two rounds with a server that wants its thoughts back; return the bodies."""
    host = MemoryHost()
    host.http.on("POST", "*", *replies)
    model = client(host, "deepseek")
    first = await model.complete(request())
    turn = Message(role="assistant", content=first.text, tool_calls=first.tool_calls, replay=first.replay)
    history = [Message(role="user", content="hi"), turn, RESULT.model_copy(update={"tool_call_id": "c1"})]
    await model.complete(ModelRequest(messages=history))
    await client(host, "openai", model="gpt-5.2").complete(ModelRequest(messages=history))
    return host.http.bodies()


async def test_thoughts_go_back_to_the_service_that_wants_them_and_to_no_other() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "click_ax", "arguments": "{}"}}
    message = {"role": "assistant", "content": "", "reasoning_content": "I must click.", "tool_calls": [call]}
    bodies = await deepseek(
        [{"choices": [{"message": message, "finish_reason": "tool_calls"}]}, whole("openai_chat")]
    )
    assert bodies[1]["messages"][1]["reasoning_content"] == "I must click."
    assert "reasoning_content" not in bodies[2]["messages"][1]


async def test_thought_signatures_of_gemini_go_back() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "click_ax", "arguments": "{}"},
        "extra_content": extra,
    }
    host = MemoryHost()
    host.http.on(
        "POST", "*", {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    )
    model = client(host, "gemini")
    first = await model.complete(request())
    turn = Message(role="assistant", tool_calls=first.tool_calls, replay=first.replay)
    await model.complete(ModelRequest(messages=[Message(role="user", content="hi"), turn, RESULT]))
    assert host.http.bodies()[1]["messages"][1]["tool_calls"][0]["extra_content"] == extra


async def test_gemini_gets_schemas_it_knows() -> None:
    schema = {
        "$schema": "x", "type": "object", "additionalProperties": False, "$defs": {"C": {"enum": ["a"], "type": "string"}},
        "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, "c": {"$ref": "#/$defs/C"},
                       "k": {"const": 3}, "l": {"type": "array", "items": {"type": ["string", "null"]}}},
    }  # fmt: skip
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat"))
    tools = [request().tools[0].model_copy(update={"parameters": schema})]
    await client(host, "gemini").complete(
        ModelRequest(messages=[Message(role="user", content="hi")], tools=tools)
    )
    sent = host.http.bodies()[0]["tools"][0]["function"]["parameters"]
    text = json.dumps(sent)
    assert not any(
        word in text for word in ("additionalProperties", "$schema", "$ref", "default", "const", '"null"')
    )
    assert sent["properties"]["n"] == {"type": "integer", "nullable": True}
    assert sent["properties"]["c"]["enum"] == ["a"]


async def test_mistral_gets_short_ids_and_no_user_right_after_a_tool() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat"))
    history = [Message(role="user", content="hi"), CALLED, RESULT, Message(role="user", content="stop that")]
    await client(host, "mistral").complete(ModelRequest(messages=history))
    turns = host.http.bodies()[0]["messages"]
    call_id = turns[1]["tool_calls"][0]["id"]
    assert len(call_id) == 9
    assert call_id.isalnum()
    assert turns[2]["tool_call_id"] == call_id
    assert [turn["role"] for turn in turns] == ["user", "assistant", "tool", "assistant", "user"]


async def test_z_ai_and_alibaba_streams() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat"))
    await client(host, "z_ai").complete(request(stream=True))
    await client(host, "alibaba").complete(request(stream=True))
    first, second = host.http.bodies()
    assert (first["stream"], first["tool_stream"]) == (True, True)
    assert second["stream"] is False


@pytest.mark.parametrize(
    ("provider", "reason", "code"),
    [
        ("deepseek", "insufficient_system_resource", "provider_error"),
        ("z_ai", "network_error", "provider_error"),
        ("z_ai", "sensitive", "content_filter"),
        ("z_ai", "model_context_window_exceeded", "answer_cut"),
        ("mistral", "model_length", "answer_cut"),
        ("gemini", "content_filter: RECITATION", "content_filter"),
        ("vllm", "abort", "provider_error"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_no_call_of_an_answer_that_the_service_broke_off_is_run(
    provider: str, reason: str, code: str, stream: bool
) -> None:
    """Each has words of its own for it, and the call may happen to be whole JSON. It is not asked for again:
    the service says that it did not come to an end, and may have billed it."""
    call = {"index": 0, "id": "c", "function": {"name": "click_ax", "arguments": "{}"}}
    if stream:
        frames = [
            {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": None}]},
            {"choices": [{"delta": {}, "finish_reason": reason}]},
        ]
        data = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames) + "data: [DONE]\n\n"
        answer = Reply(200, SSE, [data.encode()])
    else:
        answer = Reply.json({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": reason}]})
    failure = await fails(provider, answer, stream=stream)
    assert (failure.code, failure.transient) == (code, False)


async def test_length_in_the_middle_of_arguments_runs_nothing() -> None:
    call = {"id": "c", "function": {"name": "set_field", "arguments": '{"ref_id": "ref_1", "te'}}
    failure = await fails(
        "ollama", Reply.json({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "length"}]})
    )
    assert failure.code == "answer_cut"
    assert "context" in failure.data["hint"]


async def test_length_in_a_call_written_as_text_runs_nothing() -> None:
    """And it is no answer: what is shown says that it was cut off."""
    for text in (
        '<tool_call>{"name": "click_ax", "arguments": {"ref_id": "ref_1"}}',
        'I click.\n<tool_call>{"name": "click_ax", "argum',
        '{"name": "click_ax", "arguments": {"re',
    ):
        cut = {"choices": [{"message": {"content": text}, "finish_reason": "length"}]}
        assert (await fails("ollama", Reply.json(cut))).code == "answer_cut"
    host = MemoryHost()
    host.http.on("POST", "*", {"choices": [{"message": {"content": "It costs"}, "finish_reason": "length"}]})
    assert (await client(host, "ollama").complete(request())).text == "It costs"


async def test_a_call_written_as_text_of_a_tool_that_is_not_offered_is_a_call() -> None:
    host = MemoryHost()
    text = 'I buy it.\n<tool_call>{"name": "buy", "arguments": {"what": "teapot"}}</tool_call>'
    host.http.on("POST", "*", {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
    reply = await client(host, "ollama").complete(request())
    assert [(made.name, made.arguments) for made in reply.tool_calls] == [("buy", '{"what": "teapot"}')]
    assert (reply.text, reply.finish) == ("I buy it.", "tool_calls")


def test_another_model_than_asked_for_is_noticed() -> None:
    assert model_differs("qwen3:8b", "llama3:latest")
    assert model_differs("gpt-5.2", "gpt-4o")
    same = [("gpt-5.2", "gpt-5.2-2025-12-11"), ("qwen3", "qwen3:latest"), ("", "anything"), ("m", ""),
            ("mistral-large-latest", "mistral-large-2512"), ("openrouter/free", "z-ai/glm-4.5-air:free"),
            ("llama-3", "models/llama-3")]  # fmt: skip
    assert not any(model_differs(asked, answered) for asked, answered in same)


async def test_cancelling_closes_the_transfer() -> None:
    host, gate = MemoryHost(), Gate()
    host.http.on("POST", "*", Reply(200, SSE, [b'data: {"choices":[{"delta":{"content":"It "}}]}\n\n', gate]))
    task = asyncio.create_task(client(host, "openai", model="gpt-5.2").complete(request(stream=True)))
    await gate.reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert host.http.responses[0].closed


async def test_a_server_that_ignores_stream_is_understood() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat", "all at once"))
    reply: ModelReply = await client(host, "custom").complete(request(stream=True))
    assert (reply.text, len(host.http.requests)) == ("all at once", 1)


async def test_a_server_that_streams_unasked_is_understood() -> None:
    host = MemoryHost()
    host.http.on(
        "POST", "*", Reply.sse('{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}', "[DONE]")
    )
    assert (await client(host, "custom").complete(request())).text == "hi"


def test_the_key_is_only_in_the_headers() -> None:
    ready = endpoint("anthropic")
    assert ready.headers()["x-api-key"] == KEY
    assert KEY not in repr(ready)
