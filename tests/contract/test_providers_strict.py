"""Requests as strict services read them: whole runs, and conversations damaged in every way."""

import json
import random
from typing import Any

import pytest

from tests.support.models import TOOLS, client, endpoint, whole
from tests.support.streams import FORM, PROVIDER
from tests.support.strict import SERVERS, StrictHost
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import DocumentPart, ImagePart, Message, ModelReply, ModelRequest, ToolCall
from webbrain.host.memory import MemoryHost
from webbrain.testing.chat import BadRequest, Call, ModelCall, Reply

PNG = "data:image/png;base64,iVBORw0KGgo="
PDF = "data:application/pdf;base64,JVBERi0="
HISTORIES = 150
WIRES = list(SERVERS)
CALLS = (
    Call("click_ax", '{"ref_id": "ref_4", "note": "grün ☕"}'),
    Call("scroll", '{"direction": "down"}'),
)


def assistant(reply: ModelReply) -> Message:
    """The turn the agent keeps of an answer."""
    return Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls, replay=reply.replay)


def result(call: ToolCall) -> Message:
    return Message(role="tool", content='{"success": true}', tool_call_id=call.id, name=call.name)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_run_of_several_steps(wire: str, stream: bool) -> None:
    """Calls come back with their results, in order, and what the wire wants back comes back too."""
    answers = [Reply("I look.", CALLS), Reply("", CALLS[:1]), Reply("The teapot costs €24 ☕.")]
    host = StrictHost(wire, lambda call: answers.pop(0), PROVIDER[wire])
    model = client(host, PROVIDER[wire], **FORM.get(PROVIDER[wire], {}))
    messages = [Message(role="system", content="You browse."), Message(role="user", content="What is it?")]
    for wanted in (2, 1, 0):
        shown: list[str] = []
        reply = await model.complete(
            ModelRequest(messages=messages, tools=TOOLS, stream=stream), shown.append
        )
        assert len(reply.tool_calls) == wanted
        assert [(made.name, json.loads(made.arguments)) for made in reply.tool_calls] == [
            (made.name, json.loads(made.arguments)) for made in CALLS[:wanted]
        ]
        assert "".join(shown) == (reply.text if stream else "")
        messages += [assistant(reply), *(result(made) for made in reply.tool_calls)]
    assert host.refused == []
    assert [turn.role for turn in host.calls[-1].turns if turn.role == "tool"] == ["tool"] * 3
    assert host.calls[-1].tools == tuple(tool.name for tool in TOOLS)
    assert messages[-1].content == "The teapot costs €24 ☕."


@pytest.mark.parametrize("wire", WIRES)
async def test_the_same_conversation_goes_on_with_another_model(wire: str) -> None:
    """What one wire wants back means nothing to another, and is left out."""
    messages = [Message(role="user", content="What is it?")]
    for other in WIRES:
        host = StrictHost(other, lambda call: Reply("I look.", CALLS), PROVIDER[other])
        model = client(host, PROVIDER[other], **FORM.get(PROVIDER[other], {}))
        reply = await model.complete(ModelRequest(messages=messages, tools=TOOLS))
        assert host.refused == []
        messages += [assistant(reply), *(result(made) for made in reply.tool_calls)]
    host = StrictHost(wire, lambda call: Reply("Yes."), PROVIDER[wire])
    model = client(host, PROVIDER[wire], **FORM.get(PROVIDER[wire], {}))
    await model.complete(ModelRequest(messages=messages, tools=TOOLS))
    assert host.refused == []


@pytest.mark.parametrize("effort", ["low", "high"])
@pytest.mark.parametrize("model_name", ["claude-sonnet-4-5", "claude-opus-4-7"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", ["anthropic", "vertex_anthropic"])
async def test_thoughts_go_back_where_they_stood(
    wire: str, stream: bool, model_name: str, effort: str
) -> None:
    """Claude may think again between its words and its calls; moved thoughts are refused as modified."""
    answers = [Reply("I look.", CALLS, thought="Hm."), Reply("", CALLS[:1], thought="So."), Reply("24.")]
    host = StrictHost(wire, lambda call: answers.pop(0), PROVIDER[wire])
    model = client(host, PROVIDER[wire], model=model_name, reasoningEffort=effort)
    messages = [Message(role="user", content="What is it?")]
    while answers:
        reply = await model.complete(ModelRequest(messages=messages, tools=TOOLS, stream=stream))
        messages += [assistant(reply), *(result(made) for made in reply.tool_calls)]
    assert host.refused == []
    first = host.calls[-1].body["messages"][1]["content"]
    assert [block["type"] for block in first] == ["thinking", "text", "thinking", "tool_use", "tool_use"]
    assert first[0]["thinking"] == "Hm."
    second = host.calls[-1].body["messages"][3]["content"]
    assert [block["type"] for block in second] == ["thinking", "tool_use"]


async def test_thoughts_of_a_turn_that_was_changed_come_first() -> None:
    """Where its words or its calls are not those of the answer any more, nothing can stand between them."""
    host = StrictHost("anthropic", lambda call: Reply("I look.", CALLS, thought="Hm."))
    form = {"model": "claude-opus-4-7", "reasoningEffort": "high"}
    question = Message(role="user", content="What is it?")
    reply = await client(host, "anthropic", **form).complete(ModelRequest(messages=[question], tools=TOOLS))
    turn = assistant(reply)
    for changed in (
        turn.model_copy(update={"content": "Something else."}),
        turn.model_copy(update={"tool_calls": turn.tool_calls[:1]}),
        turn.model_copy(update={"replay": {**(turn.replay or {}), "order": [{"type": "text"}, 1]}}),
    ):
        loose = MemoryHost()
        loose.http.on("POST", "*", whole("anthropic"))
        history = [question, changed, *(result(made) for made in changed.tool_calls)]
        await client(loose, "anthropic", **form).complete(ModelRequest(messages=history, tools=TOOLS))
        blocks = loose.http.bodies()[0]["messages"][1]["content"]
        kinds = [block["type"] for block in blocks]
        assert kinds == ["thinking", "thinking", "text", *["tool_use"] * len(changed.tool_calls)]
        assert blocks[2]["text"] == changed.content


KEPT = ("order", "items", "thinking", "reasoning_details", "reasoning_content")
DAMAGE: tuple[Any, ...] = ([], None, [{}], [1])
"""What a crash may make of what a turn keeps for its service."""


def damaged(rng: random.Random, wire: str) -> list[Message]:
    """A conversation as aborts, trims, crashes and inventive models leave it."""
    ready = endpoint(PROVIDER[wire], **FORM.get(PROVIDER[wire], {}))
    ids = ["c1", "c1", "c2", "call 3!", "ü", "", "x" * 90, "toolu_1", "a.b", "a_b"]
    texts = ["Hello", "", "   ", "\ud83d half an emoji", "a\u0000b", "trailing   ", "[DONE]", "\n"]
    arguments = ["{}", '{"a": 1}', "{broken", "[]", "null", "", '"text"', '{"a": "\\ud800"}']
    names = ["click_ax", "scroll", "no such tool", "", "x" * 80, "done"]

    def calls() -> list[ToolCall]:
        return [
            ToolCall(id=rng.choice(ids), name=rng.choice(names), arguments=rng.choice(arguments))
            for _ in range(rng.randint(0, 3))
        ]

    def message() -> Message:
        role = rng.choice(["system", "user", "assistant", "tool"])
        text = rng.choice(texts)
        if role == "assistant":
            kept: Any = rng.choice(
                [None, {"extra_content": 1}, *({key: damage} for key in KEPT for damage in DAMAGE)]
            )
            maker = {
                "wire": wire,
                "provider": PROVIDER[wire],
                "baseUrl": ready.base_url,
                "model": ready.info.model,
            }
            foreign = kept and {**maker, **kept}
            return Message(role="assistant", content=text, tool_calls=calls(), replay=foreign)
        if role == "tool":
            return Message(
                role="tool", content=text, tool_call_id=rng.choice([*ids, None]), name=rng.choice(names)
            )
        if role == "user":
            images = [ImagePart(data_url=rng.choice([PNG, "", "data:image/svg+xml,x"]))] * rng.randint(0, 1)
            files = [DocumentPart(data_url=rng.choice([PDF, "", "data:text/plain,x"]))] * rng.randint(0, 1)
            return Message(role="user", content=text, images=images, documents=files)
        return Message(role="system", content=text)

    return [message() for _ in range(rng.randint(0, 9))]


@pytest.mark.parametrize("wire", WIRES)
async def test_damaged_conversations_are_acceptable_to_each_wire(wire: str) -> None:
    seed = random.SystemRandom().randrange(2**32)
    for number in range(HISTORIES):
        rng = random.Random(f"{seed} {number}")
        messages = damaged(rng, wire)
        tools = TOOLS if rng.random() < 0.7 else []
        choice: Any = rng.choice(["auto", "auto", "required", "none"])
        host = StrictHost(wire, lambda call: Reply("Yes."), PROVIDER[wire])
        form = {**FORM.get(PROVIDER[wire], {}), "visionMode": rng.choice(["on", "off"])}
        model = client(host, PROVIDER[wire], **form)
        try:
            await model.complete(ModelRequest(messages=messages, tools=tools, tool_choice=choice))
        except ProviderFailed as failure:
            pytest.fail(f"seed {seed} {number}: {failure.data.get('detail')}; {host.refused}; {messages}")
        assert host.refused == [], f"seed {seed} {number}: {messages}"


@pytest.mark.parametrize("wire", WIRES)
async def test_the_strict_servers_do_refuse_damage(wire: str) -> None:
    """The negative control: without the normaliser the same conversations are refused."""

    def think(call: ModelCall) -> Reply:
        return Reply("Yes.")

    host = StrictHost(wire, think)
    broken = {
        "openai_chat": {"model": "m", "messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]},
        "azure": {"model": "m", "messages": [{"role": "user", "content": "x"}]},
        "llamacpp": {"messages": [{"role": "assistant", "content": "x"}]},
        "openai_responses": {
            "model": "m",
            "input": [{"type": "function_call_output", "call_id": "c", "output": "x"}],
        },
        "anthropic": {"model": "m", "max_tokens": 5, "messages": [{"role": "assistant", "content": "x"}]},
        "vertex_anthropic": {
            "anthropic_version": "vertex-2023-10-16",
            "max_tokens": 5,
            "messages": [{"role": "assistant", "content": "x"}],
        },
        "bedrock": {"messages": [{"role": "assistant", "content": [{"text": "x"}]}]},
    }[wire]
    says, headers = {
        "openai_chat": ("must answer a call", {}),
        "azure": ("leave 'model' out", {"api-key": "k"}),
        "llamacpp": ("must not be the assistant's", {}),
        "openai_responses": ("store", {}),
        "anthropic": ("first message must use the user role", {"anthropic-version": "2023-06-01"}),
        "vertex_anthropic": ("first message must use the user role", {"authorization": "Bearer k"}),
        "bedrock": ("alternate", {}),
    }[wire]
    with pytest.raises(BadRequest, match=says):
        SERVERS[wire].read(broken, headers)
    assert host.calls == []
