"""Tool calls written as text, thoughts, and what may be shown while a text streams."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webbrain.providers.loose_json import parse_object
from webbrain.providers.text_calls import (
    TEXT_CALL_CHARS,
    VisibleText,
    begins_call,
    extract,
    split_thoughts,
    strays,
)

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
    "invoke": '<function_calls>\n<invoke name="click_ax">\n<parameter name="ref_id">ref_4</parameter>\n</invoke>\n</function_calls>',
    "invoke with a prefix": '<minimax:tool_call>\n<invoke name="click_ax">\n<parameter name="ref_id">ref_4</parameter>\n</invoke>\n</minimax:tool_call>',
    "dsml": '<\uff5cDSML\uff5cfunction_calls>\n<\uff5cDSML\uff5cinvoke name="click_ax">\n<\uff5cDSML\uff5cparameter name="ref_id" string="true">ref_4'
    "</\uff5cDSML\uff5cparameter>\n</\uff5cDSML\uff5cinvoke>\n</\uff5cDSML\uff5cfunction_calls>",
    "glm": "<tool_call>click_ax\n<arg_key>ref_id</arg_key>\n<arg_value>ref_4</arg_value>\n</tool_call>",
    "mistral, newer": '[TOOL_CALLS]click_ax[ARGS]{"ref_id": "ref_4"}',
    "mistral with an id": '[TOOL_CALLS]click_ax[CALL_ID]abc123def[ARGS]{"ref_id": "ref_4"}',
    "deepseek, newer": "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>click_ax<\uff5ctool\u2581sep\uff5c>"
    '{"ref_id": "ref_4"}<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>',
    "functiongemma": "<start_function_call>call:click_ax{ref_id:<escape>ref_4<escape>}<end_function_call>",
    "react": 'Action: click_ax\nAction Input: {"ref_id": "ref_4"}',
    "pythonic": '[click_ax(ref_id="ref_4")]',
    "pythonic alone": "click_ax(ref_id='ref_4')",
    "llama 4": '<|python_start|>[click_ax(ref_id="ref_4")]<|python_end|>',
    "liquid": '<|tool_call_start|>[click_ax(ref_id="ref_4")]<|tool_call_end|>',
    "gemma 3": '```tool_code\nprint(click_ax(ref_id="ref_4"))\n```',
    "granite": '<|tool_call|>[{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}]',
    "phi": 'functools[{"name": "click_ax", "arguments": {"ref_id": "ref_4"}}]',
    "command r": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "click_ax", "parameters": {"ref_id": "ref_4"}}]<|END_ACTION|>',
    "seed": "<seed:tool_call>\n<function=click_ax>\n<parameter=ref_id>ref_4</parameter>\n</function>\n</seed:tool_call>",
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


PLAIN = {"gemma", "fence", "fence after words", "bare", "bare after words", "flat", "nested", "list", "doubled braces",
         "react", "pythonic", "pythonic alone", "gemma 3"}  # fmt: skip
"""Forms that could be text: without a tool of that name nobody can say that they are not."""


@pytest.mark.parametrize("name", sorted(set(FORMS) - PLAIN))
def test_markup_is_a_call_of_whatever_tool_it_names(name: str) -> None:
    text = "I look.\n" + FORMS[name] if name != "llama 4" else FORMS[name]
    calls, rest = strays(text)
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [("click_ax", CLICK)]
    assert not re.search(r"[<\[|]|ref_4|click_ax", rest)


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_what_could_be_text_stays_text_without_such_a_tool(name: str) -> None:
    assert strays(FORMS[name]) == ([], FORMS[name])


@pytest.mark.parametrize(
    "text",
    ["Models write `<tool_call>` for that.", "```xml\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {}}\n</tool_call>\n```\nThat is the form.",
     "The `[TOOL_CALLS]` token begins it.", "<b>bold</b> and <tools>", "Use <function name> here.", "a <| b |> c"],
)  # fmt: skip
def test_markup_that_is_explained_is_text(text: str) -> None:
    assert strays(text) == ([], text)
    assert not begins_call(text, ALLOWED)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<tool_call>{"name": "click_ax", "arguments": {"ref_id": ref_4}</tool_call>', "click_ax"),
        ("<tool_call>click the button</tool_call>", "tool_call"),
        ('[TOOL_CALLS][{"name": "scroll", "argum', "scroll"),
    ],
)
def test_markup_that_cannot_be_read_is_a_call_that_cannot_be_run(text: str, name: str) -> None:
    (call,), rest = strays(f"Well.\n{text}")
    assert (call.name, rest) == (name, "Well.")
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(call.arguments)


@pytest.mark.parametrize("name", FORMS)
def test_a_text_cut_off_in_a_call_is_known(name: str) -> None:
    """As soon as the name stands there; a form without markup only if it names a tool of ours."""
    text = FORMS[name]
    cut = text[: text.index("click_ax") + len('click_ax"') + 1]
    marked = name not in {"gemma", "react", "pythonic", "pythonic alone", "gemma 3"}
    assert begins_call(cut, ALLOWED) is marked
    assert not begins_call(cut, {"done"}) or name not in PLAIN


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


@pytest.mark.parametrize(
    "text",
    ["I would use click_ax(ref_id='ref_4') here.", "click_ax(ref_id=open('x'))", "click_ax('ref_4')", "[click_ax(**{})]",
     "click_ax(ref_id=__import__('os'))", "Action: click_ax", "<invoke name=\"click_ax\">no parameters here</invoke>",
     "[1, 2, 3]", "done(1e999)", "click_ax(" + "(" * 2_000, "click_ax(x=" + "-" * 3_000 + "1)", "Call click_ax[ARGS]{}"],
)  # fmt: skip
def test_what_only_looks_like_a_call(text: str) -> None:
    assert extract(text, ALLOWED) == ([], text)


@pytest.mark.parametrize(
    "piece",
    ["<invoke name=\"a\">", "<tool_call>a <arg_key>k</arg_key><arg_value>v</arg_value>", "<arg_key>k</arg_key><arg_value>v</arg_value> ",
     "<||||", "call:a{<escape>", "[TOOL_CALLS]a[CALL_ID]", "click_ax(", "```tool_code\n(", "Action: a\n", "{", "[[", "<function=a>", "<tool_call>{"],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "<tool_call>a\n", "click_ax(", '<invoke name="click_ax">'])
def test_no_text_keeps_the_parser_busy(piece: str, start: str) -> None:
    text = (start + piece * TEXT_CALL_CHARS)[:TEXT_CALL_CHARS]
    began = time.process_time()
    extract(text, ALLOWED)
    strays(text)
    begins_call(text, ALLOWED)
    assert time.process_time() - began < 3.0


def test_several_python_calls_keep_their_order() -> None:
    calls, rest = extract('[click_ax(ref_id="ref_4"), set_field(ref_id="ref_5", value=3, on=True)]', ALLOWED)
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [
        ("click_ax", CLICK),
        ("set_field", {"ref_id": "ref_5", "value": 3, "on": True}),
    ]
    assert rest == ""


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
        others, rest = strays(text)
        assert bool(others) is (rest != text)
        begins_call(text, ALLOWED)
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
