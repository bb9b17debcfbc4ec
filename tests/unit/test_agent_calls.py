"""One tool call: arguments, time limits, crashes, and what its batch does then."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from tests.support.agent import Bench, offering, well_formed
from tests.support.toolbox import ANSWERS, page_host
from webbrain.agent.arguments import parse_arguments
from webbrain.core.errors import ModelMayRetry, OutcomeUnknown, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.memory import Gate
from webbrain.testing.scripted import ScriptedModel, call
from webbrain.tools.base import ToolArgs, ToolSpec, spec


class Args(ToolArgs):
    """Do something."""

    name: str = Field(max_length=20)
    count: int = 1


def tool(run: Any = None, *, name: str = "thing", effect: bool = False, timeout: float = 5.0) -> ToolSpec:
    async def fine(ctx: Any, args: Any) -> ToolResult:
        return ToolResult.ok("fine", got=args.name)

    return spec(
        name,
        args=Args,
        run=run or fine,
        modes=Mode,
        tiers=Tier,
        capability=Capability.NONE,
        untrusted=False,
        effect=effect,
        label="Do {name}",
        timeout=timeout,
    )


def failing(error: BaseException) -> Any:
    async def run(ctx: Any, args: Any) -> ToolResult:
        raise error

    return run


def refusal(raw: str) -> ModelMayRetry | None:
    """What the model would be told about these arguments, if anything."""
    try:
        parse_arguments(tool(), raw)
    except ModelMayRetry as error:
        return error
    return None


async def result_of(specification: ToolSpec) -> tuple[dict[str, Any], Bench]:
    bench = Bench(call(specification.name, name="x"), "Then.", tools_for=offering(specification))
    await bench.run()
    return json.loads(bench.request.messages[-1].content.split("\n[note]")[0]), bench


# --- arguments ---


@pytest.mark.parametrize(
    ("raw", "name", "count"),
    [
        ('{"name": "a"}', "a", 1),
        ('{"name": "a", "count": "3"}', "a", 3),
        ('{"name": "a", "count": null}', "a", 1),
        (json.dumps('{"name": "a", "count": 2}'), "a", 2),
    ],
)
def test_arguments_that_can_be_understood(raw: str, name: str, count: int) -> None:
    args = parse_arguments(tool(), raw)
    assert args.model_dump() == {"name": name, "count": count}


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{}",
        "null",
        "[]",
        "7",
        '"x"',
        "{",
        '{"name": 1}',
        '{"name": null}',
        '{"name": "a", "other": 1}',
        '{"name": "' + "a" * 21 + '"}',
        "[" * 100_000,
    ],
)
def test_arguments_that_cannot(raw: str) -> None:
    with pytest.raises(ModelMayRetry) as caught:
        parse_arguments(tool(), raw)
    assert caught.value.code == "invalid_tool_arguments"
    assert len(caught.value.message) < 1_000
    assert len(caught.value.data.get("youSent", "")) <= 240


@given(st.text(max_size=400))
def test_any_text_is_understood_or_refused(raw: str) -> None:
    refused = refusal(raw)
    assert refused is None or refused.code == "invalid_tool_arguments"


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    )
)
def test_any_json_is_understood_or_refused(value: Any) -> None:
    refused = refusal(json.dumps(value))
    assert refused is None or len(refused.message) < 1_500


# --- results ---


async def test_a_good_call() -> None:
    told, bench = await result_of(tool())
    assert told == {"success": True, "got": "x"}
    assert bench.last("tool_call")["label"] == "Do x"
    assert bench.last("tool_result")["summary"] == "fine"


async def test_a_tool_that_takes_too_long() -> None:
    async def run(ctx: Any, args: Any) -> ToolResult:
        await asyncio.sleep(3_600)
        return ToolResult.ok()

    told, bench = await result_of(tool(run, timeout=0.02))
    assert told["code"] == "timeout"
    assert bench.last("tool_result")["unknown"] is False


async def test_an_effect_that_takes_too_long_is_unknown() -> None:
    async def run(ctx: Any, args: Any) -> ToolResult:
        await asyncio.sleep(3_600)
        return ToolResult.ok()

    told, bench = await result_of(tool(run, timeout=0.02, effect=True))
    assert told["code"] == "outcome_unknown"
    assert bench.last("tool_result")["unknown"] is True


async def test_a_tool_with_a_bug_does_not_end_the_run() -> None:
    told, bench = await result_of(tool(failing(ZeroDivisionError("secret detail"))))
    assert told["code"] == "internal_error"
    assert "ZeroDivisionError" in told["error"]
    assert "secret detail" not in told["error"]
    assert bench.last("run_complete")["status"] == "completed"


async def test_a_refusal_carries_its_details() -> None:
    told, _ = await result_of(
        tool(failing(ToolFailed("It is covered.", code="covered", data={"by": "banner"})))
    )
    assert told == {"success": False, "error": "It is covered.", "code": "covered", "by": "banner"}


async def test_an_unknown_outcome_skips_the_rest() -> None:
    ran: list[str] = []

    async def later(ctx: Any, args: Any) -> ToolResult:
        ran.append(args.name)
        return ToolResult.ok()

    cut = tool(failing(OutcomeUnknown("The page went away.")), name="cut", effect=True)
    bench = Bench(
        [call("thing", name="a"), call("cut", name="b"), call("thing", name="c"), call("thing", name="d")],
        "I will look first.",
        tools_for=offering(cut, tool(later)),
    )
    await bench.run()
    assert ran == ["a"]
    results = [message.content for message in bench.request.messages if message.role == "tool"]
    assert "outcome_unknown" in results[1]
    assert all("skipped" in result for result in results[2:])
    assert well_formed(bench.history)


async def test_a_failure_does_not_skip_the_rest() -> None:
    """The control to the test before: only what is unknown stops the batch."""
    ran: list[str] = []

    async def later(ctx: Any, args: Any) -> ToolResult:
        ran.append(args.name)
        return ToolResult.ok()

    bad = tool(failing(ToolFailed("No.")), name="bad", effect=True)
    bench = Bench(
        [call("bad", name="b"), call("thing", name="c")], "Well.", tools_for=offering(bad, tool(later))
    )
    await bench.run()
    assert ran == ["c"]


async def test_the_intent_is_in_the_store_before_the_effect() -> None:
    ran = asyncio.Event()

    async def run(ctx: Any, args: Any) -> ToolResult:
        ran.set()
        return ToolResult.ok()

    model, store = Gate(), Gate()
    bench = Bench(model, call("thing", name="x"), "Done.", tools_for=offering(tool(run, effect=True)))
    await bench.start()
    await model.reached()
    bench.host.hook = lambda name: store.wait() if name == "store.append" else None
    model.release()
    await bench.until("tool_call")
    await store.reached()
    for _ in range(200):
        await asyncio.sleep(0)
    assert not ran.is_set()
    store.release()
    await bench.end()
    assert ran.is_set()
    records = next(records for name, records in bench.host.store.data.items() if name.startswith("conv_"))
    intent = next(record for _, record in records if record.get("event", {}).get("type") == "tool_call")
    assert intent["effect"] is True


async def test_arguments_shown_are_capped() -> None:
    class Long(ToolArgs):
        """Take much."""

        text: str

    async def run(ctx: Any, args: Any) -> ToolResult:
        return ToolResult.ok(long="y" * 50_000)

    long = spec(
        "long",
        args=Long,
        run=run,
        modes=Mode,
        tiers=Tier,
        capability=Capability.NONE,
        untrusted=False,
        effect=False,
        label="Long {text}",
    )
    bench = Bench(call("long", text="x" * 50_000), "Done.", tools_for=offering(long))
    await bench.run()
    assert len(bench.last("tool_call")["args"]) == 2_000
    assert len(bench.last("tool_call")["label"]) <= 140
    assert len(bench.last("tool_result")["result"]) == 2_000
    assert len(bench.request.messages[-1].content) <= 8_000


async def test_two_tabs_at_once() -> None:
    """Runs on two tabs take turns freely, each on its own tab, and neither sees the other's history."""
    both = asyncio.Barrier(2)
    tabs: list[int] = []

    async def meet(ctx: Any, args: Any) -> ToolResult:
        await asyncio.wait_for(both.wait(), 20)
        tabs.append(ctx.tab_id)
        return ToolResult.ok(tab=ctx.tab_id)

    bench = Bench(
        call("thing", name="a"), call("thing", name="b"), "One.", "Two.", tools_for=offering(tool(meet))
    )
    bench.host.browser.open(bench.host.browser.tabs()[0].__class__(8, "https://b.example/", "B"))
    await bench.start("first")
    await bench.start("second", tab=8)
    await bench.end()
    await bench.end(8)
    assert sorted(tabs) == [7, 8]
    for tab, own, other in ((7, "first", "second"), (8, "second", "first")):
        conversation = bench.app.conversations.at_hand(tab)
        assert conversation is not None
        text = " ".join(message.content for message in conversation.journal.messages)
        assert own in text
        assert other not in text
        assert f'"tab":{tab}' in text
        assert bench.events("run_complete", tab=tab)[0]["data"]["status"] == "completed"


async def test_steps_are_named_as_people_know_the_elements() -> None:
    bench = Bench(call("get_accessibility_tree"), call("click_ax", ref_id="ref_1"), "Done.")
    bench.host.page.on(
        "tree",
        {
            "pageContent": "button",
            "controls": [
                {"ref": "ref_1", "role": "button", "name": 'Buy "it"\n[now]', "can": ["click"]},
                7,
                {},
            ],
        },
    )
    await bench.run()
    assert bench.last("tool_call")["label"] == "Click “Buy it now”"
    assert '"ref_1"' in bench.last("tool_call")["args"]
    assert "controls" not in bench.model.requests[1].messages[-1].content


async def test_a_password_typed_by_the_model_is_masked_for_screens_and_record() -> None:
    host = page_host()
    controls = [{"ref": "ref_1", "role": "textbox", "name": "Password", "can": ["type"]}]
    host.page.on("tree", {**ANSWERS["tree"], "controls": controls})
    typing = call("type_ax", ref_id="ref_1", text="hunter2")
    bench = Bench(model=ScriptedModel(call("get_accessibility_tree"), typing, "Typed."), host=host)
    await bench.run("Sign in")
    shown = bench.last("tool_call")["args"]
    assert "hunter2" not in shown
    assert "••••••" in shown
    assert host.page.calls[-1].args["text"] == "hunter2"
