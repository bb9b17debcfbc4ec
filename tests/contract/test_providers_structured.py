"""Answers held to a JSON schema: what each service is sent, what it accepts, and what it refuses."""

# ruff: noqa: E501 - bodies of refusals are read by the line

import json
import random
from typing import Any

import jsonschema
import pytest

from tests.support.answers import answer
from tests.support.constrained import TASK, Run
from tests.support.models import client, endpoint
from tests.support.strict import StrictHost
from webbrain.agent import fits
from webbrain.agent.structured import structured
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import Message, ModelRequest
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers import catalog
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.providers.client import HttpModelClient
from webbrain.providers.strict_schema import strict, unwrapped
from webbrain.testing import strict_rules
from webbrain.testing.chat import BadRequest, ModelCall
from webbrain.testing.chat import Reply as Said

LOADED = catalog.load().entries
HELD = [pid for pid, entry in LOADED.items() if entry.structured and entry.wire != "builtin"]
PLAN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1, "maxLength": 300},
        "steps": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 9},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "risks": {"type": "array", "items": {"$ref": "#/$defs/risk"}},
        "note": {"type": "string", "default": ""},
    },
    "required": ["summary", "steps", "confidence"],
    "additionalProperties": False,
    "$defs": {
        "risk": {"type": "object", "properties": {"what": {"enum": ["money", "data"]}}, "required": ["what"]}
    },
}
ASKED = [Message(role="system", content="You plan."), Message(role="user", content="Buy tea.")]


def held(host: MemoryHost, provider_id: str, **form: Any) -> HttpModelClient:
    """A client of that service, with a model where one has to be named."""
    entry = LOADED[provider_id]
    if entry.wire == "openai_chat" and not entry.default_model:
        form = {"model": "some-model", **form}
    return client(host, provider_id, **form)


def turn_schema() -> dict[str, Any]:
    """The schema of a step on a page with every kind of field."""
    schema = Run(TASK).schema
    assert "anyOf" in schema
    return schema


def enforced(call: ModelCall, rng: random.Random) -> Said:
    """What a server says that holds its model to the schema, whatever the model would like to say."""
    assert call.response_schema is not None
    value = answer(call.response_schema, rng)
    jsonschema.validate(value, call.response_schema)
    return Said(json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize("provider_id", HELD)
@pytest.mark.parametrize("kind", ["step", "plan"])
async def test_each_service_is_sent_a_schema_that_it_accepts(provider_id: str, kind: str) -> None:
    schema = turn_schema() if kind == "step" else PLAN
    rng = random.Random(f"{provider_id} {kind}")
    wire = endpoint(provider_id).wire
    host = StrictHost(wire, lambda call: enforced(call, rng), provider_id)
    model = held(host, provider_id)
    for _ in range(5):
        reply = await model.complete(
            ModelRequest(
                messages=ASKED,
                temperature=0.0,
                max_tokens=192,
                response_schema=schema,
                response_name=kind,
                thinking="off",
            )
        )
        value = fits.tidied(json.loads(reply.text), schema)
        if kind == "plan" or LOADED[provider_id].structured != "strict":
            jsonschema.validate(value, schema)
        else:
            assert any(value["tool"] == choice["properties"]["tool"]["const"] for choice in schema["anyOf"])
    assert host.refused == []
    sent = host.calls[-1].body
    form = sent.get("response_format", {}).get("json_schema") or sent["text"]["format"]
    assert form["name"] == kind
    if LOADED[provider_id].structured == "strict":
        assert form["strict"] is True
    else:
        assert "strict" not in form
        assert form["schema"] == schema
    assert sent["stream"] is False
    assert "tools" not in sent


@pytest.mark.parametrize("provider_id", HELD)
async def test_every_structured_call_uses_it(provider_id: str) -> None:
    rng = random.Random(provider_id)
    host = StrictHost(endpoint(provider_id).wire, lambda call: enforced(call, rng), provider_id)
    value = await structured(
        held(host, provider_id), ASKED, PLAN, name="plan", max_tokens=300, temperature=0.0
    )
    jsonschema.validate(value, PLAN)
    assert len(host.calls) == 1
    assert not any("JSON schema" in turn.text for turn in host.calls[0].turns)


THINKING_OFF: dict[str, tuple[str, dict[str, Any]]] = {
    "llamacpp": ("qwen3-4b.gguf", {"chat_template_kwargs": {"enable_thinking": False}}),
    "vllm": ("Qwen/Qwen3-8B", {"chat_template_kwargs": {"enable_thinking": False}}),
    "sglang": ("deepseek-ai/DeepSeek-V3.1", {"chat_template_kwargs": {"thinking": False}}),
    "custom": ("qwen3", {"chat_template_kwargs": {"enable_thinking": False}}),
    "gemini": ("gemini-3.1-flash", {"reasoning_effort": "none"}),
    "azure_openai": ("my-deployment", {"reasoning_effort": "none"}),
    # With thinking off many versions of Ollama do not hold answers to the schema.
    "ollama": ("qwen3:8b", {}),
    "lmstudio": ("qwen3-8b", {}),
}


@pytest.mark.parametrize("provider_id", THINKING_OFF)
async def test_thinking_is_off_where_it_can_be_switched_off(provider_id: str) -> None:
    model, fields = THINKING_OFF[provider_id]
    rng = random.Random(1)
    host = StrictHost(endpoint(provider_id).wire, lambda call: enforced(call, rng), provider_id)
    await structured(
        client(host, provider_id, model=model), ASKED, PLAN, name="plan", max_tokens=300, temperature=0.0
    )
    known = {"chat_template_kwargs", "reasoning_effort", "thinking", "enable_thinking", "reasoning"}
    assert {key: value for key, value in host.calls[0].body.items() if key in known} == fields


@pytest.mark.parametrize(
    ("wire", "provider_id"),
    [("openai_chat", "nvidia"), ("anthropic", "anthropic"), ("bedrock", "aws_bedrock")],
)
async def test_services_without_it_are_told_in_words(wire: str, provider_id: str) -> None:
    plan = {"summary": "Tea", "steps": ["open the shop"], "confidence": 0.5}
    host = StrictHost(
        wire, lambda call: Said(f"Here you are:\n```json\n{json.dumps(plan)}\n```"), provider_id
    )
    value = await structured(
        client(host, provider_id), ASKED, PLAN, name="plan", max_tokens=300, temperature=0.0
    )
    assert value == plan
    assert host.refused == []
    assert host.calls[0].response_schema is None
    assert '"maxItems":9' in host.calls[0].turns[-1].text


async def test_a_model_that_ignores_the_schema_is_told_it_in_words() -> None:
    """Routers take it for all their models, and not all of those keep to it."""
    plan = {"summary": "Tea", "steps": ["open the shop"], "confidence": 0.5}
    answers = [Said("I would open the shop first."), Said(json.dumps(plan))]
    host = StrictHost("openai_chat", lambda call: answers.pop(0), "openrouter")
    value = await structured(
        client(host, "openrouter"), ASKED, PLAN, name="plan", max_tokens=300, temperature=0.0
    )
    assert value == plan
    assert ["maxItems" in call.turns[-1].text for call in host.calls] == [False, True]
    assert all(call.response_schema == PLAN for call in host.calls)


# --- refusals ---

REFUSALS = [
    ("openai", 400, {"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "type": "invalid_request_error", "param": None, "code": None}}),
    ("openai", 400, {"error": {"message": "Invalid schema for response_format 'step': In context=(), schema must have a 'type' key.", "type": "invalid_request_error", "param": "response_format", "code": None}}),
    ("azure_openai", 400, {"error": {"message": "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later", "code": "BadRequest"}}),
    ("custom", 400, {"error": {"message": "This response_format type is unavailable now", "type": "invalid_request_error"}}),
    ("custom", 400, {"error": {"message": "This model does not support response format `json_schema`. See supported models.", "type": "invalid_request_error"}}),
    ("custom", 422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}),
    ("lmstudio", 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
    ("llamacpp", 400, {"error": {"code": 400, "message": "failed to parse grammar", "type": "invalid_request_error"}}),
    ("llamacpp", 500, {"error": {"code": 500, "message": "JSON schema conversion failed:\nUnrecognized schema", "type": "server_error"}}),
    ("vllm", 400, {"object": "error", "message": "The provided JSON schema contains features not supported by xgrammar.", "type": "BadRequestError", "param": None, "code": 400}),
    ("groq", 400, {"error": {"message": "This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs/structured-outputs", "type": "invalid_request_error"}}),
    ("groq", 400, {"error": {"message": "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.", "type": "invalid_request_error", "code": "json_validate_failed"}}),
    ("openrouter", 404, {"error": {"message": "No endpoints found that support structured outputs", "code": 404}}),
    ("openrouter", 400, {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "response_format is not supported"}}}),
    ("together", 400, {"error": {"message": "response_format json_schema is not supported for this model", "type": "invalid_request_error"}}),
    ("fireworks", 400, {"error": {"object": "error", "type": "invalid_request_error", "message": "json_schema is not supported for this model"}}),
    ("vllm", 501, {"error": {"message": "structured outputs are not implemented for this backend"}}),
]  # fmt: skip


@pytest.mark.parametrize(("provider_id", "status", "body"), REFUSALS)
async def test_a_refused_schema_is_known_as_such_and_not_sent_again(
    provider_id: str, status: int, body: dict[str, Any]
) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json(body, status))
    model = client(host, provider_id, constrained="on")
    assert (model.info.structured, model.info.constrained) == (True, True)
    asked = ModelRequest(messages=ASKED, response_schema=PLAN)
    with pytest.raises(ProviderFailed) as caught:
        await model.complete(asked)
    assert caught.value.code == SCHEMA_REFUSED
    assert "Never" in caught.value.data["hint"]
    assert len(host.http.requests) == 1
    assert (model.info.structured, model.info.constrained) == (False, False)
    with pytest.raises(ProviderFailed):
        await model.complete(asked)
    assert not {"response_format", "text"} & set(host.http.bodies()[-1])


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, {"error": {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}}, "request_refused"),
        (400, {"error": {"message": "maximum context length is 4096 tokens"}}, "context_too_small"),
        (401, {"error": {"message": "no key for response_format"}}, "wrong_key"),
        (429, {"error": {"message": "slow down"}}, "rate_limited"),
        (500, {"error": {"message": "out of memory"}}, "server_error"),
    ],
)  # fmt: skip
async def test_other_refusals_are_not_mistaken_for_it(status: int, body: Any, code: str) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json(body, status))
    model = client(host, "vllm", model="m", constrained="on")
    with pytest.raises(ProviderFailed) as caught:
        await model.complete(ModelRequest(messages=ASKED, temperature=0.0, response_schema=PLAN))
    assert caught.value.code == code
    assert model.info.structured


async def test_words_about_schemas_mean_nothing_where_none_was_sent() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json({"error": {"message": "bad json_schema in tools"}}, 400))
    model = client(host, "vllm", model="m")
    with pytest.raises(ProviderFailed) as caught:
        await model.complete(ModelRequest(messages=ASKED))
    assert caught.value.code == "request_refused"
    assert model.info.structured


# --- the strict dialect ---


@pytest.mark.parametrize(
    "schema",
    [
        PLAN,
        {"anyOf": [PLAN, {**PLAN, "properties": {"summary": {"const": "x"}}}]},
        {"type": "string"},
        {"const": 1},
    ],
    ids=["plan", "either", "text", "one"],
)
def test_the_strict_dialect_keeps_its_rules(schema: dict[str, Any]) -> None:
    strict_rules.check(strict(schema))


def test_a_step_in_the_strict_dialect_has_one_alternative_per_tool_with_the_tool_first() -> None:
    schema = strict(turn_schema())
    strict_rules.check(schema)
    choices = schema["properties"]["answer"]["anyOf"]
    tools = [choice["properties"]["tool"]["enum"][0] for choice in choices]
    assert len(set(tools)) == len(tools)
    assert all(next(iter(choice["properties"])) == "tool" for choice in choices)
    fields = next(choice for choice in choices if choice["properties"]["tool"]["enum"] == ["set_field"])
    assert {"Name [ref_4]", "Pieces [ref_6]"} <= set(fields["properties"]["element"]["enum"])


def test_the_rules_do_refuse_what_strict_mode_refuses() -> None:
    """The negative control: the same schemas as they are."""
    for schema in (PLAN, turn_schema(), {"type": "object", "properties": {"a": {"enum": [1]}}}):
        with pytest.raises(BadRequest):
            strict_rules.check(schema)


def test_an_answer_in_another_form_stays_what_it_is() -> None:
    for text in ("", "no JSON", "[]", '{"answer": 1, "more": 2}', '{"tool": "done"}'):
        assert unwrapped(text, turn_schema()) == text
    assert unwrapped('{"answer": "x"}', {**PLAN, "properties": {"answer": {}}}) == '{"answer": "x"}'


async def test_a_service_that_is_not_strict_is_not_read_as_one() -> None:
    host = StrictHost("openai_chat", lambda call: Said('{"answer": {"a": null}}'))
    reply = await client(host, "vllm", model="m").complete(
        ModelRequest(messages=ASKED, response_schema=turn_schema())
    )
    assert reply.text == '{"answer": {"a": null}}'


def test_which_services_hold_answers() -> None:
    assert {"llamacpp", "ollama", "lmstudio", "jan", "vllm", "sglang", "localai", "custom"} <= set(HELD)
    assert {pid for pid in HELD if LOADED[pid].structured == "strict"} == {
        "openai",
        "azure_openai",
        "mistral",
        "xai",
    }
    for provider_id in HELD:
        assert endpoint(provider_id).info.structured
        automatic = endpoint(provider_id).info.constrained
        assert automatic is (provider_id == "llamacpp")
        on = endpoint(provider_id, constrained="on").info
        assert on.constrained
        compact = endpoint(provider_id, promptTier="compact").info
        assert compact.constrained is (LOADED[provider_id].category != "cloud")
        assert not endpoint(provider_id, promptTier="compact", constrained="off").info.constrained
    assert {"openrouter", "groq", "together", "fireworks"} <= set(HELD)
    assert not endpoint("nvidia").info.structured
