"""Any history becomes one that every provider accepts."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.models import endpoint
from webbrain.core.messages import ImagePart, Message, ModelRequest, ToolCall
from webbrain.providers.anthropic import Anthropic
from webbrain.providers.history import NO_RESULT, normalise
from webbrain.providers.openai_chat import OpenAIChat
from webbrain.providers.wire import Learned

PICTURE = ImagePart(data_url="data:image/png;base64,iVBORw0KGgo=")


def user(text: str = "hi") -> Message:
    return Message(role="user", content=text)


def calling(*ids: str, text: str = "", arguments: str = "{}") -> Message:
    calls = [ToolCall(id=i, name="click_ax", arguments=arguments) for i in ids]
    return Message(role="assistant", content=text, tool_calls=calls)


def result(call_id: str, text: str = "{}") -> Message:
    return Message(role="tool", content=text, tool_call_id=call_id)


def shape(*messages: Message) -> list[str]:
    return [m.role[0] for m in normalise(messages, pictures=True).turns]


def test_a_good_history_stays_as_it_is() -> None:
    history = [
        user(),
        calling("a", "b"),
        result("a"),
        result("b"),
        Message(role="assistant", content="ok"),
        user("x"),
    ]
    turns = normalise(history, pictures=True).turns
    assert [t.model_dump(exclude={"name"}) for t in turns] == [
        t.model_dump(exclude={"name"}) for t in history
    ]


def test_a_call_without_result_gets_one_that_says_so() -> None:
    turns = normalise([user(), calling("a", "b"), result("a"), user("go on")], pictures=True).turns
    assert [t.tool_call_id for t in turns if t.role == "tool"] == ["a", "b"]
    assert turns[3].content == NO_RESULT


def test_results_without_a_call_are_dropped_and_late_ones_moved() -> None:
    assert shape(user(), result("x"), user("b")) == ["u"]
    assert shape(user(), calling("a"), user("meanwhile"), result("a")) == ["u", "a", "t", "u"]


def test_the_same_id_twice_is_two_calls() -> None:
    turns = normalise(
        [user(), calling("a"), result("a", "one"), calling("a"), result("a", "two")], pictures=True
    ).turns
    ids = [t.tool_calls[0].id for t in turns if t.tool_calls]
    assert len(set(ids)) == 2
    assert [(t.tool_call_id, t.content) for t in turns if t.role == "tool"] == [
        (ids[0], "one"),
        (ids[1], "two"),
    ]


def test_the_first_turn_is_the_users_and_the_last_asks() -> None:
    assert shape(calling("a"), result("a")) == ["u", "a", "t"]
    assert shape(user(), Message(role="assistant", content="half an ans")) == ["u", "a", "u"]
    assert shape() == ["u"]


def test_neighbours_are_joined_and_empty_turns_are_gone() -> None:
    turns = normalise([user("a"), user("b"), Message(role="assistant"), user("c")], pictures=True).turns
    assert [t.content for t in turns] == ["a\n\nb\n\nc"]


def test_pictures_only_where_they_can_be_read() -> None:
    message = Message(role="user", content="see", images=[PICTURE])
    assert normalise([message], pictures=True).turns[0].images == [PICTURE]
    blind = normalise([message], pictures=False).turns[0]
    assert blind.images == []
    assert "picture" in blind.content


def test_half_characters_are_replaced() -> None:
    turns = normalise(
        [user("a\ud83d"), calling("x", arguments='{"text": "\\ud83d"}'), result("x", "\udc00b")],
        pictures=True,
    )
    assert turns.turns[0].content == "a\ufffd"
    for wire, name in ((OpenAIChat(), "openai"), (Anthropic(), "anthropic")):
        wire.request(
            endpoint(name), ModelRequest(messages=turns.turns), Learned(), stream=False
        ).body.decode()


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", "null", "", '"text"', "{" * 5_000])
def test_arguments_are_always_an_object(arguments: str) -> None:
    turns = normalise([user(), calling("a", arguments=arguments)], pictures=True).turns
    assert turns[1].tool_calls[0].arguments == "{}"


texts = st.sampled_from(["", " ", "hello", "a\ud83d", "\n"])
ids = st.sampled_from(["", "a", "b", "call_1", "x" * 80, "ü!"])
calls = st.builds(
    ToolCall, id=ids, name=st.sampled_from(["click_ax", "", "bad name!", "x" * 90]), arguments=texts
)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=texts,
    images=st.lists(st.just(PICTURE), max_size=1),
    tool_calls=st.lists(calls, max_size=3),
    tool_call_id=st.none() | ids,
)


@settings(max_examples=400, deadline=None)
@given(st.lists(messages, max_size=9), st.booleans())
def test_whatever_comes_is_sendable(history: list[Message], pictures: bool) -> None:
    request = ModelRequest(messages=history)
    for provider in ("openai", "mistral", "deepseek", "gemini", "ollama"):
        check_chat(
            json.loads(
                OpenAIChat().request(endpoint(provider, model="m"), request, Learned(), stream=False).body
            )
        )
    check_messages(
        json.loads(Anthropic().request(endpoint("anthropic"), request, Learned(), stream=False).body)
    )
    turns = normalise(history, pictures=pictures).turns
    again = normalise(turns, pictures=pictures).turns
    assert again == turns, "mending twice changes nothing"


def check_chat(body: dict) -> None:  # type: ignore[type-arg]
    """The rules of the strictest Chat Completions servers."""
    turns = body["messages"]
    if turns[0]["role"] == "system":
        turns = turns[1:]
    assert turns[0]["role"] == "user"
    assert turns[-1]["role"] in ("user", "tool")
    seen: set[str] = set()
    open_calls: list[str] = []
    for before, turn in zip([{"role": ""}, *turns], turns, strict=False):
        if turn["role"] == "tool":
            assert turn["tool_call_id"] == open_calls.pop(0)
            assert turn["content"].strip()
            continue
        assert not open_calls
        assert turn["role"] != before["role"]
        if turn["role"] == "assistant":
            assert turn["content"] or turn.get("tool_calls")
            for call in turn.get("tool_calls", []):
                assert call["id"] not in seen
                seen.add(call["id"])
                open_calls.append(call["id"])
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                assert call["function"]["name"].replace("_", "").replace("-", "").isalnum()
        else:
            assert turn["content"]
    assert not open_calls


def check_messages(body: dict) -> None:  # type: ignore[type-arg]
    """The rules of the Messages API: roles alternate, results first and right after their calls, nothing
    empty."""
    turns = body["messages"]
    assert turns[0]["role"] == "user"
    assert turns[-1]["role"] == "user"
    wanted: list[str] = []
    for before, turn in zip([{"role": ""}, *turns], turns, strict=False):
        assert turn["role"] != before["role"]
        assert turn["content"]
        kinds = [block["type"] for block in turn["content"]]
        assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result"), "results come first"
        got = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        assert got == wanted
        wanted = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        assert all(block["text"].strip() for block in turn["content"] if block["type"] == "text")
    assert not wanted
