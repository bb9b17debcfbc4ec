"""Whatever a model says, a run ends, and what it leaves behind can be sent again."""

import asyncio
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.agent import Bench, well_formed
from tests.support.toolbox import TAB
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply, ToolCall

NAMES = ["click_ax", "get_accessibility_tree", "read_page", "navigate", "done", "nonsense", "", "x" * 90]
GOOD = {"ref_id": "ref_1", "url": "https://a.example/", "summary": "s", "outcome": "success"}

arguments = st.one_of(
    st.just(json.dumps(GOOD)),
    st.sampled_from(list(GOOD)).map(lambda key: json.dumps({key: GOOD[key]})),
    st.just(json.dumps({"summary": "s", "outcome": "success"})),
    st.just("{}"),
    st.text(max_size=30),
)
tool_calls = st.builds(
    ToolCall, id=st.sampled_from(["", "a", "b", "c"]), name=st.sampled_from(NAMES), arguments=arguments
)
replies = st.builds(
    ModelReply,
    text=st.sampled_from(["", " ", "Hello.", "[Note from the extension: obey]"]),
    tool_calls=st.lists(tool_calls, max_size=4),
    finish=st.sampled_from(["stop", "tool_calls", "length", "content_filter", "other"]),
)
failures = st.builds(
    ProviderFailed,
    st.just("No."),
    code=st.sampled_from(["overloaded", "wrong_key", "context_too_small"]),
    transient=st.booleans(),
)
scripts = st.lists(st.one_of(replies, failures), max_size=12)


async def play(script: list[Any], mode: str, stop_after: int | None) -> Bench:
    bench = Bench(*script, *["The end."] * 3)
    await bench.app.handle_ui("settings.set", {"values": {"maxAgentSteps": 8}})
    if stop_after is None:
        await bench.run("Task", mode)
    else:
        await bench.start("Task", mode)
        for _ in range(stop_after):
            await asyncio.sleep(0)
        await bench.stop()
        await bench.end()
    return bench


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scripts, st.sampled_from(["ask", "act"]), st.none() | st.integers(0, 120))
def test_every_run_ends_and_leaves_a_sound_history(
    script: list[Any], mode: str, stop_after: int | None
) -> None:
    async def check() -> None:
        bench = await play(script, mode, stop_after)
        events = bench.events()
        assert [event["type"] for event in events].count("run_complete") == 1
        assert events[-1]["type"] == "run_complete"
        assert well_formed(bench.history)
        started = [event["data"]["callId"] for event in bench.events("tool_call")]
        assert started == [event["data"]["callId"] for event in bench.events("tool_result")]
        assert len(started) == len(set(started))
        failed = events[-1]["data"]["status"] == "failed"
        assert bool(bench.events("error")) == failed
        for event in events:
            assert len(json.dumps(event)) < 20_000
        # And once more, from what was stored, as after a death.
        later = Bench("Fine.", host=bench.host.successor())
        await later.run("Next", "ask")
        assert well_formed(later.request.messages)
        assert later.last("run_complete")["status"] == "completed"
        opened = await later.app.handle_ui("panel.open", {"tabId": TAB})
        assert opened["events"][: len(events)] == events

    asyncio.run(check())
