"""Chrome's built-in model: the client, the bridge to it, and what is told where there is none."""

import json
from typing import Any

import pytest

from tests.support.agent import Bench, well_formed
from tests.support.models import endpoint
from tests.support.table_browser import FakeBrowser, hurry
from tests.support.toolbox import page_host
from webbrain.agent.structured import structured
from webbrain.core.errors import BridgeError, NeedsPerson, ProviderFailed
from webbrain.core.messages import Message, ModelRequest, ToolCall
from webbrain.core.types import Tier
from webbrain.host.builtin import Availability, BuiltinPiece, BuiltinStatus
from webbrain.host.memory import MemoryHost
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.providers.builtin import STATES, BuiltinClient
from webbrain.services.providers import ProviderService

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
ASKED = [Message(role="system", content="You browse."), Message(role="user", content="Buy tea.")]


def host(*answers: Any, availability: Availability = "available") -> MemoryHost:
    made = page_host()
    made.builtin.availability = availability
    made.builtin.on(*answers or ("Hello",))
    return made


def client(made: MemoryHost) -> BuiltinClient:
    return BuiltinClient(made.builtin, endpoint("builtin"))


# --- the client ---


def test_it_is_a_small_local_model_that_always_answers_by_schema() -> None:
    info = endpoint("builtin").info
    assert (info.tier, info.constrained, info.structured) == (Tier.COMPACT, True, True)
    assert (info.supports_tools, info.local, info.prices) == (False, True, None)


async def test_a_call() -> None:
    made = host(["Hel", "lo"])
    shown: list[str] = []
    reply = await client(made).complete(
        ModelRequest(messages=ASKED, temperature=0.0, response_schema=SCHEMA, stream=True), shown.append
    )
    assert (reply.text, reply.finish, shown) == ("Hello", "stop", ["Hel", "lo"])
    assert made.builtin.prompts == [
        {
            "messages": [
                {"role": "system", "content": "You browse."},
                {"role": "user", "content": "Buy tea."},
            ],
            "schema": SCHEMA,
            "temperature": 0.0,
        }
    ]
    assert reply.usage.prompt_tokens
    assert reply.usage.completion_tokens
    assert made.builtin.closed == 1


async def test_calls_and_results_are_told_in_words() -> None:
    made = host()
    history = [
        *ASKED,
        Message(role="assistant", tool_calls=[ToolCall(id="c", name="scroll", arguments="{}")]),
        Message(role="tool", content="moved", tool_call_id="c", name="scroll"),
    ]
    await client(made).complete(ModelRequest(messages=history))
    roles = [message["role"] for message in made.builtin.prompts[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "moved" in made.builtin.prompts[0]["messages"][-1]["content"]


async def test_an_answer_without_end_is_stopped() -> None:
    made = host(["word " * 10] * 1_000)
    reply = await client(made).complete(ModelRequest(messages=ASKED, max_tokens=20))
    assert reply.finish == "length"
    assert len(reply.text) < 200
    assert made.builtin.closed == 1


async def test_what_its_session_says_about_its_room_counts() -> None:
    made = host()
    made.builtin.context_window = 6_144
    model = client(made)
    await model.complete(ModelRequest(messages=ASKED))
    assert model.info.context_window == 6_144


@pytest.mark.parametrize(
    ("code", "known_as"),
    [
        ("builtin_too_long", "context_too_small"),
        ("builtin_filtered", "content_filter"),
        ("builtin_unavailable", "builtin_unavailable"),
        ("net_stalled", "stalled"),
        ("api_error", "provider_error"),
    ],
)
async def test_what_goes_wrong_is_told_like_that_of_any_service(code: str, known_as: str) -> None:
    made = host([BridgeError("why", code=code)])
    with pytest.raises(ProviderFailed) as caught:
        await client(made).complete(ModelRequest(messages=ASKED))
    assert caught.value.code == known_as
    assert made.builtin.closed == 1


async def test_a_schema_it_does_not_take_is_told_in_words() -> None:
    made = host([BridgeError("unknown keyword", code="builtin_schema")], ['{"a": 1}'])
    model = client(made)
    value = await structured(model, ASKED, SCHEMA, name="x", max_tokens=50, temperature=0.0)
    assert value == {"a": 1}
    assert [asked["schema"] for asked in made.builtin.prompts] == [SCHEMA, None]
    assert "JSON schema" in made.builtin.prompts[1]["messages"][-1]["content"]
    assert not model.info.structured


async def test_a_run_ends_if_it_does_not_take_the_schema_of_a_step() -> None:
    made = host([BridgeError("unknown keyword", code="builtin_schema")])
    bench = await chosen(made)
    await bench.run()
    assert bench.last("error")["code"] == SCHEMA_REFUSED


@pytest.mark.parametrize("state", ["unsupported", "unavailable", "downloadable", "downloading"])
async def test_where_there_is_none_it_says_so(state: Availability) -> None:
    made = host(availability=state)
    with pytest.raises(ProviderFailed) as caught:
        await client(made).complete(ModelRequest(messages=ASKED))
    assert caught.value.code == "builtin_unavailable"
    assert caught.value.data["hint"]


# --- as a provider ---


async def chosen(made: MemoryHost) -> Bench:
    bench = Bench(host=made, providers=ProviderService(made))
    await bench.app.handle_ui("providers.save", {"id": "builtin", "config": {}})
    await bench.app.handle_ui("providers.activate", {"id": "builtin"})
    return bench


async def test_a_run_with_it() -> None:
    steps = (
        {"finished": "no", "element": "Buy [ref_1]", "tool": "click_ax"},
        {"finished": "yes", "tool": "done", "outcome": "success", "summary": "Bought."},
    )
    made = host(*(json.dumps(step) for step in steps))
    bench = await chosen(made)
    await bench.run()
    assert bench.last("run_complete")["status"] == "completed"
    assert "click_ax" in made.page.actions()
    assert well_formed(bench.history)
    first, second = made.builtin.prompts
    assert "ref_1" in json.dumps(first["schema"])
    assert (first["temperature"], first["messages"][0]["role"]) == (0.0, "system")
    assert first["messages"][:-1] == second["messages"][:-1], "the beginning is the same, so it is kept"


async def test_it_can_be_set_up_only_where_there_is_one() -> None:
    for state, (message, hint) in STATES.items():
        service = ProviderService(host(availability=state))
        for call in (service.save("builtin", {}), service.activate("builtin")):
            with pytest.raises(NeedsPerson) as caught:
                await call
            assert (caught.value.code, caught.value.message) == ("builtin_unavailable", message)
            assert caught.value.data["hint"] == hint
        tested = await service.test("builtin", {})
        assert (tested["ok"], tested["error"]["code"]) == (False, "builtin_unavailable")
    service = ProviderService(host())
    assert (await service.save("builtin", {}))["provider"]["configured"]
    assert await service.activate("builtin") == {"ok": True, "active": "builtin"}


async def test_its_form_asks_for_nothing() -> None:
    service = ProviderService(host())
    view = next(v for v in (await service.list())["providers"] if v["id"] == "builtin")
    assert (view["builtIn"], view["fields"], view["values"], view["needsKey"]) == (True, [], {}, False)
    with pytest.raises(NeedsPerson) as caught:
        await service.save("builtin", {"constrained": "off"})
    assert caught.value.data["field"] == "constrained"


async def test_the_test_button_makes_a_real_call() -> None:
    made = host('{"tool": "report_status", "word": "ready"}')
    tested = await ProviderService(made).test("builtin", {})
    assert (tested["ok"], tested["calledTool"]) == (True, True)
    assert made.builtin.prompts[0]["schema"]["properties"]["tool"] == {"const": "report_status"}


async def test_the_scan_of_ports_leaves_it_alone() -> None:
    made = host()
    found = (await ProviderService(made).scan())["found"]
    assert "builtin" not in [server["id"] for server in found]
    assert not any(sent.url.startswith("/") for sent in made.http.requests)


# --- the bridge ---


@pytest.fixture
async def browser(monkeypatch: pytest.MonkeyPatch) -> FakeBrowser:
    hurry(monkeypatch)
    return FakeBrowser()


@pytest.mark.parametrize(
    ("answered", "status"),
    [
        ({"availability": "available", "contextWindow": 9216}, BuiltinStatus("available", 9_216)),
        ({"availability": "downloading", "contextWindow": None}, BuiltinStatus("downloading")),
        ({"availability": "readily"}, BuiltinStatus("unavailable")),
    ],
)
async def test_the_status_over_the_bridge(
    browser: FakeBrowser, answered: dict[str, Any], status: BuiltinStatus
) -> None:
    browser.answers["builtin.status"] = answered
    assert await browser.host.builtin.status() == status


async def test_an_answer_over_the_bridge(browser: FakeBrowser) -> None:
    browser.answers["builtin.prompt"] = {"stream": "p1", "contextWindow": 9216}
    answer = await browser.host.builtin.prompt(
        [{"role": "user", "content": "Hi"}],
        schema=SCHEMA,
        temperature=0.0,
        first_timeout=300,
        stall_timeout=60,
    )
    assert answer.context_window == 9_216
    (params,) = browser.done("builtin.prompt")
    assert params == {
        "messages": [{"role": "user", "content": "Hi"}],
        "schema": SCHEMA,
        "temperature": 0.0,
        "firstMs": 300_000,
        "stallMs": 60_000,
    }
    # Lines may be cut anywhere, also inside a character.
    line = '{"text":"grün"}\n{"used":12}\n'.encode()
    for start in range(0, len(line), 3):
        browser.feed((line[start : start + 3],), kind="chunk", id="p1")
    browser.feed(kind="chunk", id="p1", done=True)
    assert [piece async for piece in answer.pieces()] == [BuiltinPiece("grün"), BuiltinPiece(used=12)]


@pytest.mark.parametrize("line", [b"no json\n", b"[]\n", b"\xff\n"])
async def test_an_answer_that_cannot_be_read(browser: FakeBrowser, line: bytes) -> None:
    browser.answers["builtin.prompt"] = {"stream": "p1", "contextWindow": None}
    answer = await browser.host.builtin.prompt(
        [{"role": "user", "content": "Hi"}], schema=None, temperature=None, first_timeout=1, stall_timeout=1
    )
    browser.feed((line,), kind="chunk", id="p1")
    with pytest.raises(BridgeError):
        [piece async for piece in answer.pieces()]
