"""Pictures in requests: where they stand in each wire, who gets none, and what a refusal of them leads to."""

import json
from typing import Any

import pytest

from tests.support.models import client, endpoint
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ImagePart, Message, ModelRequest, ToolCall
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers.anthropic import Anthropic
from webbrain.providers.client import HttpModelClient
from webbrain.providers.history import PICTURE_GONE, PICTURE_LEFT_OUT
from webbrain.providers.openai_chat import ACKNOWLEDGED, OpenAIChat
from webbrain.providers.wire import Learned, Wire

JPEG = "data:image/jpeg;base64,/9j/4AAQSkZJRg=="
ANSWER = {
    "openai": {"choices": [{"message": {"content": "blue"}, "finish_reason": "stop"}], "model": "gpt-5.2"},
    "anthropic": {
        "type": "message",
        "model": "claude-x",
        "content": [{"type": "text", "text": "blue"}],
        "stop_reason": "end_turn",
    },
}


def after_a_step(detail: Any = "auto") -> ModelRequest:
    """A task, one call with its result, and a picture right behind it."""
    return ModelRequest(
        messages=[
            Message(role="user", content="Which colour?"),
            Message(role="assistant", tool_calls=[ToolCall(id="c1", name="click_ax", arguments="{}")]),
            Message(role="tool", content="{}", tool_call_id="c1", name="click_ax"),
            Message(role="user", content="See:", images=[ImagePart(data_url=JPEG, detail=detail)]),
        ]
    )


def body(wire: Wire, provider: str, request: ModelRequest, **form: Any) -> dict[str, Any]:
    made = wire.request(endpoint(provider, **form), request, Learned(), stream=False)
    value: dict[str, Any] = json.loads(made.body)
    return value


def test_chat_completions_get_a_part_with_the_data_url() -> None:
    turns = body(OpenAIChat(), "openai", after_a_step())["messages"]
    assert turns[-2]["role"] == "tool"
    assert turns[-1] == {
        "role": "user",
        "content": [
            {"type": "text", "text": "See:"},
            {"type": "image_url", "image_url": {"url": JPEG}},
        ],
    }


@pytest.mark.parametrize("detail", ["low", "high"])
def test_the_detail_is_sent_only_if_the_user_chose_one(detail: str) -> None:
    part = body(OpenAIChat(), "openai", after_a_step(detail))["messages"][-1]["content"][1]
    assert part["image_url"] == {"url": JPEG, "detail": detail}


@pytest.mark.parametrize(("provider", "form"), [("mistral", {}), ("llamacpp", {"model": "m"})])
def test_templates_that_insist_on_turns_get_an_answer_between(provider: str, form: dict[str, Any]) -> None:
    turns = body(OpenAIChat(), provider, after_a_step(), visionMode="on", **form)["messages"]
    assert [turn["role"] for turn in turns[-3:]] == ["tool", "assistant", "user"]
    assert turns[-2]["content"] == ACKNOWLEDGED


def test_anthropic_gets_a_block_beside_the_result() -> None:
    last = body(Anthropic(), "anthropic", after_a_step())["messages"][-1]
    assert [block["type"] for block in last["content"]] == ["tool_result", "image", "text"]
    assert last["content"][1]["source"] == {
        "type": "base64",
        "media_type": "image/jpeg",
        "data": "/9j/4AAQSkZJRg==",
    }


@pytest.mark.parametrize(("wire", "provider"), [(OpenAIChat(), "openai"), (Anthropic(), "anthropic")])
def test_a_model_that_does_not_see_gets_words(wire: Wire, provider: str) -> None:
    sent = json.dumps(body(wire, provider, after_a_step(), visionMode="off"), ensure_ascii=False)
    assert "/9j/" not in sent
    assert PICTURE_LEFT_OUT in sent


@pytest.mark.parametrize(("wire", "provider"), [(OpenAIChat(), "openai"), (Anthropic(), "anthropic")])
def test_a_picture_that_was_let_go_of_is_named(wire: Wire, provider: str) -> None:
    request = after_a_step()
    request.messages[-1].images = [ImagePart(data_url=""), ImagePart(data_url=JPEG)]
    sent = json.dumps(body(wire, provider, request), ensure_ascii=False)
    assert sent.count("/9j/") == 1
    assert PICTURE_GONE in sent


# --- a service that refuses them ---

REFUSALS = {
    "router": ("openrouter", 404, "No endpoints found that support image input"),
    "llama.cpp": ("llamacpp", 500, "image input is not supported - hint: you may need to provide the mmproj"),
    "strict text": ("groq", 400, "messages[1].content must be a string"),
    "no reason": ("openai", 400, "Invalid request"),
    "serde": ("deepseek", 422, "unknown variant `image_url`, expected `text`"),
    "anthropic": ("anthropic", 400, "this model does not support image content blocks"),
}


def seeing(host: MemoryHost, provider: str, learned: Learned | None = None) -> HttpModelClient:
    form = {"visionMode": "on", "model": "some-model"}
    return HttpModelClient(host.http, host.clock, endpoint(provider, **form), learned)


def sees(model: HttpModelClient) -> bool:
    """Asked by a call, because the answer changes while the model is used."""
    return model.info.supports_vision


def refusing(host: MemoryHost, provider: str, status: int, message: str) -> None:
    """A server that refuses whatever holds a picture."""

    def answer(request: Any) -> Reply:
        if b"/9j/" in request.body:
            return Reply.json({"error": {"message": message}}, status)
        return Reply.json(ANSWER.get(provider, ANSWER["openai"]))

    host.http.on("POST", "*", answer)


@pytest.mark.parametrize("case", REFUSALS)
async def test_refused_pictures_are_left_out_and_not_sent_again(case: str) -> None:
    provider, status, message = REFUSALS[case]
    host, learned = MemoryHost(), Learned()
    refusing(host, provider, status, message)
    model = seeing(host, provider, learned)
    assert sees(model)
    reply = await model.complete(after_a_step())
    assert reply.text == "blue"
    assert [b"/9j/" in (request.body or b"") for request in host.http.requests] == [True, False]
    assert not sees(model)
    await model.complete(after_a_step())
    assert len(host.http.requests) == 3
    later = seeing(host, provider, learned)
    assert not later.info.supports_vision
    await later.complete(after_a_step())
    assert len(host.http.requests) == 4


async def test_a_picture_too_large_is_left_out_in_this_run_only() -> None:
    host, learned = MemoryHost(), Learned()
    refusing(host, "anthropic", 400, "image exceeds 5 MB maximum")
    model = seeing(host, "anthropic", learned)
    await model.complete(after_a_step())
    assert not model.info.supports_vision
    assert seeing(host, "anthropic", learned).info.supports_vision


async def test_a_refusal_of_something_else_stays_what_it_is() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json({"error": {"message": "Invalid request: bad luck"}}, 400))
    model = seeing(host, "openai")
    with pytest.raises(ProviderFailed) as caught:
        await model.complete(after_a_step())
    assert caught.value.code == "request_refused"
    assert len(host.http.requests) == 2
    assert model.info.supports_vision, "it is not known to be about pictures"


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "bad key"), (429, "slow down"), (500, "internal"), (400, "prompt is too long")],
)
async def test_other_failures_take_one_request(status: int, message: str) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json({"error": {"message": message}}, status))
    with pytest.raises(ProviderFailed):
        await seeing(host, "openai").complete(after_a_step())
    assert len(host.http.requests) == 1


async def test_without_pictures_nothing_is_tried_twice() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json({"error": {"message": "image input is not supported"}}, 400))
    with pytest.raises(ProviderFailed):
        await client(host, "openai", visionMode="on").complete(
            ModelRequest(messages=[Message(role="user", content="hi")])
        )
    assert len(host.http.requests) == 1
