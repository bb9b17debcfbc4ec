"""Calls that want data: held to a schema where the service can, told in words where not, mended once."""

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from webbrain.agent import fits
from webbrain.agent.structured import NOT_JSON, TOO_LONG, structured
from webbrain.core.errors import ModelMayRetry, ProviderFailed
from webbrain.core.limits import MAX_OUTPUT_TOKENS
from webbrain.core.messages import Message, ModelReply, ModelRequest
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.testing.scripted import INFO, ScriptedModel

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1, "maxLength": 40},
        "steps": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "risk": {"enum": ["low", "high"]},
        "note": {"type": "string"},
    },
    "required": ["summary", "steps", "risk"],
    "additionalProperties": False,
}
GOOD = {"summary": "Buy tea", "steps": ["open the shop"], "risk": "low"}
ASKED = [Message(role="system", content="You plan."), Message(role="user", content="Buy tea.")]
HOLDS = replace(INFO, structured=True)


async def ask(model: ScriptedModel, **options: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"name": "plan", "max_tokens": 300, "temperature": 0.0, **options}
    return await structured(model, ASKED, SCHEMA, **values)


async def test_a_service_that_holds_answers_gets_the_schema_and_no_words_about_it() -> None:
    model = ScriptedModel(json.dumps(GOOD), info=HOLDS)
    assert await ask(model) == GOOD
    (sent,) = model.requests
    assert (sent.response_schema, sent.response_name) == (SCHEMA, "plan")
    assert (sent.thinking, sent.temperature, sent.max_tokens, sent.tools) == ("off", 0.0, 300, [])
    assert sent.messages == ASKED


async def test_any_other_service_is_told_the_schema_in_words() -> None:
    model = ScriptedModel(f"Sure!\n```json\n{json.dumps(GOOD)}\n```")
    assert await ask(model) == GOOD
    (sent,) = model.requests
    assert sent.response_schema is None
    assert sent.thinking == "off"
    assert sent.messages[0] == ASKED[0]
    assert sent.messages[1].content.startswith("Buy tea.\n\n")
    assert json.loads(sent.messages[1].content.rpartition("\n")[2]) == SCHEMA


async def test_a_conversation_that_does_not_end_with_the_user_gets_a_turn_for_the_words() -> None:
    model = ScriptedModel(json.dumps(GOOD))
    await structured(model, ASKED[:1], SCHEMA, name="plan", max_tokens=300, temperature=0.0)
    assert [message.role for message in model.requests[0].messages] == ["system", "user"]


@pytest.mark.parametrize("info", [INFO, HOLDS])
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("I would open the shop.", NOT_JSON),
        ('["a"]', NOT_JSON),
        ('{"summary": "x", "steps": ["a"]}', '"risk"'),
        ('{"summary": "x", "steps": [], "risk": "low"}', "steps"),
        ('{"summary": "x", "steps": ["a"], "risk": "none"}', '"low", "high"'),
        ("", NOT_JSON),
    ],
)
async def test_a_wrong_answer_is_shown_to_the_model_once(wrong: str, why: str, info: Any) -> None:
    model = ScriptedModel(wrong, json.dumps(GOOD), info=info)
    assert await ask(model) == GOOD
    first, second = model.requests
    assert second.messages[:-2] == first.messages
    assert second.messages[-2] == Message(role="assistant", content=wrong or "(nothing)")
    assert why in second.messages[-1].content
    assert second.response_schema == first.response_schema


async def test_a_second_wrong_answer_is_the_end() -> None:
    model = ScriptedModel("no", "still no")
    with pytest.raises(ModelMayRetry, match="not a JSON object") as caught:
        await ask(model)
    assert caught.value.code == "invalid_structured_answer"
    assert len(model.requests) == 2


async def test_without_repair_the_first_is() -> None:
    model = ScriptedModel("no")
    with pytest.raises(ModelMayRetry):
        await ask(model, repair=False)


async def test_what_the_schema_does_not_know_is_left_out() -> None:
    model = ScriptedModel(json.dumps({"thoughts": "hm", **GOOD, "note": None}))
    assert await ask(model) == GOOD


async def test_an_answer_that_is_cut_off_is_asked_for_again_and_shorter() -> None:
    cut = ModelReply(text='{"summary": "Buy', finish="length")
    model = ScriptedModel(cut, json.dumps(GOOD))
    assert await ask(model) == GOOD
    assert TOO_LONG in model.requests[1].messages[-1].content
    assert model.requests[1].max_tokens == 300


async def test_a_model_that_thinks_all_the_same_gets_room_for_it() -> None:
    cut = ModelReply(text="", reasoning="Let me see. " * 50, finish="length")
    model = ScriptedModel(cut, json.dumps(GOOD), info=HOLDS)
    assert await ask(model) == GOOD
    assert [sent.max_tokens for sent in model.requests] == [300, MAX_OUTPUT_TOKENS]


async def test_a_whole_answer_at_the_limit_counts() -> None:
    model = ScriptedModel(ModelReply(text=json.dumps(GOOD), finish="length"))
    assert await ask(model) == GOOD


class Refusing(ScriptedModel):
    """As a client whose service does not take the schema: it says so of itself from then on."""

    async def complete(self, request: ModelRequest, *args: Any) -> ModelReply:
        if request.response_schema is not None:
            self.requests.append(request)
            self.info = replace(self.info, structured=False)
            raise ProviderFailed("It refuses the schema.", code=SCHEMA_REFUSED)
        return await super().complete(request, *args)


async def test_a_service_that_refuses_the_schema_is_told_it_in_words() -> None:
    model = Refusing(json.dumps(GOOD), json.dumps(GOOD), info=HOLDS)
    assert await ask(model) == GOOD
    assert [sent.response_schema is None for sent in model.requests] == [False, True]
    assert "JSON schema" in model.requests[1].messages[-1].content
    await ask(model)
    assert len(model.requests) == 3


async def test_other_failures_are_the_callers() -> None:
    model = ScriptedModel(ProviderFailed("busy", code="overloaded"))
    with pytest.raises(ProviderFailed, match="busy"):
        await ask(model)


# --- fits ---

VALUES: list[Any] = [
    None, True, False, 0, 1, 1.5, -3, "", "a", "abc", "2026-11-30", [], ["a"], ["a", "b"], [1], {}, {"a": 1},
    {"a": "x"}, {"a": "x", "b": 1}, {"b": 2}, {"a": {"a": "x"}}, {"a": None},
]  # fmt: skip
SCHEMAS: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    {"type": ["string", "null"]},
    {"type": "integer", "minimum": 0, "maximum": 1},
    {"type": "number"},
    {"type": "boolean"},
    {"const": 1},
    {"enum": ["a", 0, None]},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
    {"anyOf": [{"type": "string"}, {"type": "object", "required": ["b"]}]},
    {"$defs": {"x": {"type": "string"}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_the_checker_agrees_with_the_reference(schema: dict[str, Any]) -> None:
    reference = jsonschema.Draft202012Validator(schema)
    for value in VALUES:
        assert (fits.problem(value, schema) == "") == reference.is_valid(value), (value, schema)


def test_a_problem_names_the_place() -> None:
    nested = {"type": "object", "properties": {"plan": SCHEMA}}
    assert fits.problem({"plan": {**GOOD, "steps": ["a", 2]}}, nested) == (
        "plan.steps[1] must be of type string."
    )
    assert fits.problem({**GOOD, "risk": "x" * 500}, SCHEMA).startswith('risk is "xxxx')
    assert len(fits.problem({**GOOD, "risk": "x" * 500}, SCHEMA)) < 200


def test_a_schema_that_turns_in_circles_ends() -> None:
    loop: dict[str, Any] = {"$defs": {"x": {"$ref": "#/$defs/x"}}, "$ref": "#/$defs/x"}
    assert fits.problem({}, loop) == ""
    deep: dict[str, Any] = {
        "$defs": {"x": {"type": "array", "items": {"$ref": "#/$defs/x"}}},
        "$ref": "#/$defs/x",
    }
    value: Any = []
    for _ in range(200):
        value = [value]
    assert "nested too deeply" in fits.problem(value, deep)
