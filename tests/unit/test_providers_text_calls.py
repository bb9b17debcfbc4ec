"""Tool calls written as text, thoughts, and what may be shown while a text streams."""

# ruff: noqa: E501 - tables of cases are read by the line

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webbrain.providers.loose_json import parse_object
from webbrain.providers.text_calls import TEXT_CALL_CHARS, VisibleText, extract, split_thoughts

ALLOWED = {"click_ax", "set_field", "done"}
CLICK = {"ref_id": "ref_4"}

FORMS = {
    "tag": '<tool_call>\n{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}\n</tool_call>',
    "tag without end": 'I will click.\n<tool_call>{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}',
    "arguments as text": '<tool_call>{"name": "click_ax", "arguments": "{\\"ref_id\\": \\"ref_4\\"}"}</tool_call>',
    "function_call tag": '<function_call>{"name": "click_ax", "parameters": {"ref_id": "ref_4"}}</function_call>',
    "piped tag": '<|tool_call|>{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}<|/tool_call|>',
    "mistral": '[TOOL_CALLS][{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}]',
    "llama": '<|python_tag|>{"name": "click_ax", "parameters": {"ref_id": "ref_4"}}<|eom_id|>',
    "function tag": '<function=click_ax>{"ref_id": "ref_4"}</function>',
    "qwen coder": "<tool_call>\n<function=click_ax>\n<parameter=ref_id>\nref_4\n</parameter>\n</function>\n</tool_call>",
    "deepseek": "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>click_ax\n"
    '```json\n{"ref_id": "ref_4"}\n```<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>',
    "kimi": '<|tool_calls_section_begin|><|tool_call_begin|>functions.click_ax:0<|tool_call_argument_begin|>{"ref_id": "ref_4"}'
    "<|tool_call_end|><|tool_calls_section_end|>",
    "harmony": '<|channel|>commentary to=functions.click_ax <|constrain|>json<|message|>{"ref_id": "ref_4"}<|call|>',
    "gemma": 'call:click_ax{"ref_id": "ref_4"}',
    "fence": '```json\n{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}\n```',
    "fence after words": 'Next step:\n```\n{"tool": "click_ax", "args": {"ref_id": "ref_4"}}\n```',
    "bare": '{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}',
    "bare after words": 'I click it.\n{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}',
    "flat": '{"tool": "click_ax", "ref_id": "ref_4"}',
    "nested": '{"type": "function", "function": {"name": "click_ax", "arguments": {"ref_id": "ref_4"}}}',
    "list": '[{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}]',
    "doubled braces": '{{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}}',
    "trailing comma": '<tool_call>{"name": "click_ax", "arguments": {"ref_id": "ref_4",},}</tool_call>',
    "namespace": '<tool_call>{"name": "functions.click_ax", "arguments": {"ref_id": "ref_4"}}</tool_call>',
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_understood(name: str) -> None:
    calls, rest = extract(FORMS[name], ALLOWED)
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [("click_ax", CLICK)]
    assert "ref_4" not in rest
    assert "<" not in rest, "markup is never shown"


@pytest.mark.parametrize("name", FORMS)
def test_only_tools_that_were_offered(name: str) -> None:
    assert extract(FORMS[name], {"done"}) == ([], FORMS[name])


@pytest.mark.parametrize("name", FORMS)
def test_disguised_calls_are_not_shown_while_they_stream(name: str) -> None:
    visible = VisibleText(tools=True)
    shown = "".join(visible.feed(char) for char in FORMS[name])
    assert "ref_4" not in shown
    assert "click_ax" not in shown


@pytest.mark.parametrize(
    "text",
    ["The teapot costs €24.", 'Use {"a": 1} as JSON.', "a < b and c > d", "`click_ax` is a tool.", "", "{not json",
     '{"name": "Ada", "arguments": "none"}', "<b>bold</b>", '```json\n{"price": 24}\n```'],
)  # fmt: skip
def test_ordinary_answers_stay(text: str) -> None:
    assert extract(text, ALLOWED) == ([], text)


def test_several_calls_in_order_and_the_words_around_them() -> None:
    text = (
        'First <tool_call>{"name": "click_ax", "arguments": {}}</tool_call> then '
        '<tool_call>{"name": "done", "arguments": {"summary": "x"}}</tool_call> end'
    )
    calls, rest = extract(text, ALLOWED)
    assert [call.name for call in calls] == ["click_ax", "done"]
    assert len({call.id for call in calls}) == 2
    assert rest.split() == ["First", "then", "end"]


def test_long_texts_are_not_searched() -> None:
    text = FORMS["bare"]
    assert extract(" " * (TEXT_CALL_CHARS - len(text)) + text, ALLOWED)[0]
    assert extract(" " * (TEXT_CALL_CHARS + 1 - len(text)) + text, ALLOWED)[0] == []


def test_thoughts() -> None:
    assert split_thoughts("<think>\nhm\n</think>\n\nYes.") == ("Yes.", "hm")
    assert split_thoughts("hm</think>\nYes.") == ("Yes.", "hm")
    assert split_thoughts("<think>never ends") == ("", "never ends")
    assert split_thoughts("The tag <think> opens a thought.") == ("The tag <think> opens a thought.", "")


def test_ordinary_text_streams_at_once() -> None:
    visible = VisibleText(tools=True)
    assert [visible.feed(piece) for piece in ["It ", "costs ", "€24", "."]] == ["It ", "costs ", "€24", "."]
    html = VisibleText(tools=True)
    assert "".join(html.feed(char) for char in "a < b <b>c</b> d") == "a < b <b>c</b> d"
    assert VisibleText(tools=False).feed("{") == "{"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='<|>{}[]"\\:,`=/_abctol1 \n', max_size=300), st.sampled_from(list(FORMS.values())))
def test_nothing_a_model_writes_makes_the_parser_fail(noise: str, form: str) -> None:
    middle = len(noise) // 2
    for text in (noise, noise[:middle] + form + noise[middle:], form[: len(noise)]):
        calls, _ = extract(text, ALLOWED)
        assert all(call.name in ALLOWED and isinstance(json.loads(call.arguments), dict) for call in calls)
        parse_object(text)
        split_thoughts(text)
        visible = VisibleText(tools=True)
        shown = "".join(visible.feed(char) for char in text)
        assert split_thoughts(text)[0].startswith(shown) or text.startswith(shown)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here you are:\n```json\n{"a": [1, 2,],}\n```\nDone.', {"a": [1, 2]}),
        ('Sure! {"a": "}"} and more', {"a": "}"}),
        ('{{"a": {"b": 1}}}', {"a": {"b": 1}}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ("no object", None),
        ("[" * 50_000, None),
        ('{"a":' * 50_000, None),
    ],
)
def test_loose_json(text: str, value: object) -> None:
    assert parse_object(text) == value
