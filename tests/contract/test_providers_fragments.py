"""Requests put together from parts that were written before are those written from nothing, byte for byte.

Each wire gets a long conversation step by step, with everything that happens to one on the way: messages are
folded and left out, results shortened, pictures let go, old messages changed in place.
"""

import json
import random
from typing import Any, Final

import pytest

from tests.support.models import endpoint
from tests.support.streams import PROVIDER
from webbrain.core.messages import DocumentPart, ImagePart, Message, ModelRequest, ToolCall, ToolSchema
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.providers import fragments
from webbrain.providers.catalog import WireName
from webbrain.providers.client import WIRES
from webbrain.providers.fragments import Fragments, encode
from webbrain.providers.wire import Learned
from webbrain.tools import registry

STEPS: Final = 60
JPEG: Final = "data:image/jpeg;base64," + "/9j/" * 300
PDF: Final = "data:application/pdf;base64,JVBERi0xLjc="
TEXTS: Final = (
    "Kettles",
    "Ordered: 2 \u00d7 \u201eTee\u201c \U0001f375",
    "cut \ud83d",
    '"quoted"\\ \u2028\x00',
    "",
)


def tools() -> list[ToolSchema]:
    """Those of a real run."""
    offered = registry.tools_for(Mode.ACT, Tier.FULL, Capabilities(browser="chrome", cdp=True))
    return [tool.schema() for tool in offered]


class Talk:
    """A conversation that grows, and suffers what conversations suffer."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.steps = 0
        self.messages = [
            Message(role="system", content="You act for a person."),
            Message(role="user", content="Count the kettles."),
        ]

    def step(self) -> None:
        """One more turn with a call or two, their results, and sometimes a picture or a document."""
        self.steps += 1
        calls = [
            ToolCall(
                id=f"call {self.steps}-{number}",
                name=self.chance.choice(["click", "read page!"]),
                arguments=self.chance.choice(
                    ['{"ref_id": "ref_1", "count": 1}', '{"count": 1.0}', "{", "{}"]
                ),
            )
            for number in range(self.chance.randint(0, 2))
        ]
        text = self.chance.choice(TEXTS)
        replay = self.chance.choice([None, {"reasoning_content": "Hm.", "items": [{"n": 1}]}])
        self.messages.append(Message(role="assistant", content=text, tool_calls=calls, replay=replay))
        self.messages += [
            Message(role="tool", content=self.chance.choice(TEXTS), tool_call_id=call.id, name=call.name)
            for call in calls
            if self.chance.random() < 0.9
        ]
        if self.chance.random() < 0.2:
            picture = ImagePart(data_url=JPEG, detail=self.chance.choice(["auto", "low"]))
            self.messages.append(Message(role="user", content="See:", images=[picture]))
        if self.chance.random() < 0.1:
            document = DocumentPart(data_url=PDF, name="list.pdf")
            self.messages.append(Message(role="user", content="", documents=[document]))

    def suffer(self) -> None:
        """Something of what came before is not what it was."""
        place = self.chance.randrange(1, len(self.messages))
        message = self.messages[place]
        match self.chance.randrange(8):
            case 0:
                del self.messages[2 : 2 + len(self.messages) // 3]
            case 1:
                self.messages[place] = message.model_copy(update={"content": "[Left out to save room.]"})
            case 2:
                message.content += "!"
            case 3:
                for image in message.images:
                    image.data_url = ""
            case 4:
                for call in message.tool_calls:
                    call.arguments = '{"count": 2}'
            case 5:
                if message.replay:
                    message.replay["items"][0]["n"] = self.chance.choice([1, 1.0, True])
            case 6:
                self.messages[1].content = f"Count again, {self.steps}."
            case _:
                self.messages.pop(place)


@pytest.mark.parametrize("wire", list(WIRES))
@pytest.mark.parametrize("vision", [True, False])
def test_a_long_conversation(wire: WireName, vision: bool) -> None:
    talk, kept, offered = Talk(len(wire) + vision), Fragments(), tools()
    service = endpoint(PROVIDER[wire], visionMode="on" if vision else "off")
    reused = 0
    for step in range(STEPS):
        talk.step()
        if talk.chance.random() < 0.4:
            talk.suffer()
        request = ModelRequest(
            messages=talk.messages,
            tools=offered[: -1 if step % 7 else None],
            temperature=talk.chance.choice([None, 0.15]),
        )
        made = WIRES[wire].request(service, request, Learned(), stream=bool(step % 2))
        before = kept.reused
        assert kept.encode(made.fields) == made.body == encode(made.fields)
        reused += kept.reused - before
    assert reused > STEPS


def test_a_part_that_was_changed_in_place_is_written_anew() -> None:
    kept = Fragments()
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 1}}}
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "a"}], "tools": [{"parameters": schema}]}
    kept.encode(body)
    body["messages"][0]["content"] = "b"
    schema["properties"]["n"]["maximum"] = 2  # type: ignore[index]
    assert json.loads(kept.encode(body)) == body
    assert kept.reused == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"n": 1}, {"n": 1.0}),
        ({"n": 1}, {"n": True}),
        ({"n": 0.0}, {"n": -0.0}),
        ({"n": None}, {"n": False}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": ["b"]}, {"a": "b"}),
    ],
)
def test_what_python_calls_equal_is_not_the_same_part(one: dict[str, Any], other: dict[str, Any]) -> None:
    kept = Fragments()
    kept.encode({"messages": [one]})
    assert kept.encode({"messages": [other]}) == encode({"messages": [other]})
    assert kept.reused == 0


def test_equal_parts_are_the_same_whoever_holds_them() -> None:
    kept = Fragments()
    names = ["role", "".join(["ro", "le"])]
    for name in names:
        kept.encode({"messages": [{name: "user", "content": f"{len(names)} kettles"}]})
    assert kept.reused == 1


def test_what_is_no_longer_sent_is_forgotten() -> None:
    kept = Fragments()
    kept.encode({"messages": [{"content": str(number)} for number in range(100)]})
    full = kept.size
    kept.encode({"messages": [{"content": "1"}]})
    assert 0 < kept.size < full / 50


def test_there_is_an_end_to_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "KEPT_BYTES", 10_000)
    kept = Fragments()
    body = {"messages": [{"content": f"{number}" * 200} for number in range(200)]}
    for _ in range(3):
        assert kept.encode(body) == encode(body)
        assert 5_000 < kept.size <= 10_000
    assert kept.reused


def test_pictures_are_not_kept() -> None:
    kept = Fragments()
    body = {"messages": [{"content": "x" * fragments.LARGEST_PART}]}
    for _ in range(2):
        assert kept.encode(body) == encode(body)
    assert (kept.size, kept.reused) == (0, 0)


def test_lists_of_tools_are_shared_between_runs_and_few_are_kept() -> None:
    fragments._wholes.clear()
    lists = [{"tools": [{"name": f"tool {number}"}]} for number in range(2 * fragments.WHOLE_KEPT)]
    for body in lists:
        assert Fragments().encode(body) == encode(body)
    assert len(fragments._wholes) == fragments.WHOLE_KEPT
    kept = next(iter(fragments._wholes))
    text = fragments._wholes[kept]
    Fragments().encode(lists[fragments.WHOLE_KEPT])
    assert fragments._wholes[kept] is text
    assert next(iter(fragments._wholes)) != kept


def test_values_that_have_no_such_form_are_written_all_the_same() -> None:
    class Word(str):
        """A text of a kind of its own."""

    body = {"messages": [{"content": Word("a")}], "tools": [Word("b")], "stream": True}
    assert (
        Fragments().encode(body)
        == encode(body)
        == b'{"messages":[{"content":"a"}],"tools":["b"],"stream":true}'
    )
    assert Fragments().encode({}) == b"{}"
