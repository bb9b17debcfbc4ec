"""The loop with a model that answers by schema: the page is read before every call, in whatever state."""

import asyncio
import json
from dataclasses import replace
from typing import Any

from tests.support.agent import Bench, well_formed
from tests.support.toolbox import TAB, page_host
from webbrain.agent.page import read_controls, read_page
from webbrain.core.errors import ProviderFailed
from webbrain.core.limits import MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS_CONSTRAINED
from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.core.refs import RefNumbers
from webbrain.core.types import Tier
from webbrain.host.memory import MemoryHost, Tab
from webbrain.host.protocols import Capabilities
from webbrain.prompts import prompt
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.testing.scripted import INFO, ScriptedModel, call

SMALL = replace(INFO, tier=Tier.COMPACT, constrained=True, context_window=8_192, local=True)


def bench(*steps: Any, host: MemoryHost | None = None) -> Bench:
    written = [json.dumps(step) if isinstance(step, dict) else step for step in steps]
    return Bench(model=ScriptedModel(*written, info=SMALL), host=host)


async def test_the_page_is_read_before_every_call() -> None:
    small = bench(
        {"tool": "click_ax", "ref_id": "ref_1"}, {"tool": "done", "summary": "Bought.", "outcome": "success"}
    )
    await small.run("Buy tea")
    assert small.host.page.actions() == ["tree", "submit_probe", "click_ax", "tree", "page_state"]
    first, second = small.model.requests
    assert "ref_1" in json.dumps(first.response_schema)
    assert "textbox" in first.messages[-1].content
    assert first.tools == []
    assert first.stream is False
    assert first.temperature == 0.0
    assert "Task: Buy tea" in second.messages[-1].content
    assert small.last("run_complete")["status"] == "completed"
    assert small.last("tool_call")["label"] == "Finish"
    assert small.events("tool_call")[0]["data"]["label"] == "Click “Buy”"
    assert well_formed(small.history)


async def test_three_answers_that_are_no_step_end_the_run() -> None:
    small = bench("Sure!", '{"tool": "nonsense"}', "[]", "never")
    await small.run("Buy tea")
    assert small.last("error")["code"] == "malformed_output"
    assert len(small.model.requests) == 3


async def test_a_page_that_cannot_be_read_is_shown_as_such() -> None:
    small = bench(
        {"tool": "done", "summary": "I cannot see this page.", "outcome": "failed"},
        host=MemoryHost([Tab(TAB, "chrome://flags/", "Flags")]),
    )
    await small.run("Read this")
    assert "cannot be read" in small.request.messages[-1].content
    assert small.last("run_complete")["outcome"] == "failed"


async def test_a_closed_tab_ends_the_run() -> None:
    small = bench({"tool": "click_ax", "ref_id": "ref_1"}, "never")

    def close(_: Any) -> dict[str, Any]:
        small.host.browser.close(TAB)
        return {"changed": []}

    small.host.page.on("click_ax", close)
    await small.run("Buy tea")
    assert small.last("error")["code"] == "no_tab"
    assert small.last("error")["retryable"] is False
    assert well_formed(small.history)


async def test_a_long_page_is_read_as_far_as_it_can_be_seen() -> None:
    host = page_host()
    part = {"success": True, "url": "u", "title": "t", "controls": []}
    host.page.on(
        "tree",
        lambda call: (
            {**part, "pageContent": "first lines", "hasMore": True}
            if call.args["filter"] == "all"
            else {**part, "pageContent": "what is seen"}
        ),
    )
    view = await read_page(host, TAB, RefNumbers())
    assert (view.tree, view.truncated) == ("what is seen", True)
    assert [seen.args["filter"] for seen in host.page.calls] == ["all", "visible"]


async def test_a_page_that_fails_or_stays_silent() -> None:
    host = page_host()
    host.page.on("tree", {"success": False, "error": "The page has no body."})
    view = await read_page(host, TAB, RefNumbers())
    assert view.tree == "(This page cannot be read: The page has no body.)"
    assert view.controls == ()


def test_controls_that_are_none_are_passed_over() -> None:
    found = [{"ref": "ref_1", "role": "link", "name": "A", "can": ["click", 7]}, {"ref": 3}, "x", None, {}]
    (control,) = read_controls(found)
    assert (control.ref, control.can) == ("ref_1", frozenset({"click"}))
    assert read_controls("no list") == ()
    assert len(read_controls([{"ref": f"r{n}"} for n in range(5_000)])) == 400


async def test_a_dialog_in_the_way_of_reading_is_put_away() -> None:
    """This model is shown the page before each call; a page that stands still would be shown never."""
    host = page_host(capabilities=Capabilities(browser="memory", cdp=True))

    async def asks(_: Any) -> dict[str, Any]:
        host.debugger.report(TAB, "Page.javascriptDialogOpening", type="confirm", message="Sure?")
        await asyncio.Event().wait()
        return {}

    def answered(_: Any) -> dict[str, Any]:
        host.debugger.report(TAB, "Page.javascriptDialogClosed", result=False)
        return {}

    host.page.on("click_ax", asks)
    host.debugger.on("Page.handleJavaScriptDialog", answered)
    small = bench(
        {"tool": "click_ax", "ref_id": "ref_1"},
        {"tool": "done", "summary": "It asked.", "outcome": "partial"},
        host=host,
    )
    async with asyncio.timeout(10):
        await small.run("Buy tea")
    assert host.debugger.commands_of("Page.handleJavaScriptDialog") == [{"accept": False}]
    assert small.last("run_complete")["status"] == "completed"
    assert "cannot be read" not in small.request.messages[-1].content


class Refusing(ScriptedModel):
    """As a client whose service does not take the schema of the first call."""

    async def complete(self, request: ModelRequest, *args: Any) -> ModelReply:
        if request.response_schema is None:
            return await super().complete(request, *args)
        self.requests.append(request)
        self.info = replace(self.info, structured=False, constrained=False)
        raise ProviderFailed("Small does not hold answers.", code=SCHEMA_REFUSED)


async def test_a_service_that_refuses_the_schema_goes_on_with_its_own_tools() -> None:
    model = Refusing(
        call("click_ax", ref_id="ref_1"),
        call("done", summary="Bought.", outcome="success"),
        info=replace(SMALL, structured=True),
    )
    small = Bench(model=model)
    await small.run("Buy tea")
    refused, second, third = small.model.requests
    assert refused.response_schema is not None
    assert [sent.response_schema for sent in (second, third)] == [None, None]
    assert "click_ax" in [tool.name for tool in second.tools]
    assert second.messages[0].content == prompt("act-compact")
    assert [event["data"]["code"] for event in small.events("warning")] == [SCHEMA_REFUSED]
    assert "Never" in small.last("warning")["message"]
    assert small.last("run_complete")["status"] == "completed"
    assert well_formed(small.history)


async def test_a_model_without_tools_cannot_go_on_without_the_schema() -> None:
    model = Refusing("never", info=replace(SMALL, structured=True, supports_tools=False))
    small = Bench(model=model)
    await small.run("Buy tea")
    assert small.last("error")["code"] == SCHEMA_REFUSED
    assert small.last("run_complete")["status"] == "failed"


async def test_a_model_that_thinks_all_the_same_gets_room_for_its_thoughts() -> None:
    thoughts = ModelReply(text="", reasoning="Let me see.", finish="length")
    small = bench(thoughts, {"tool": "done", "summary": "Done.", "outcome": "success"})
    await small.run("Buy tea")
    first, second = small.model.requests
    assert (first.max_tokens, first.thinking) == (MAX_OUTPUT_TOKENS_CONSTRAINED, "off")
    assert second.max_tokens == MAX_OUTPUT_TOKENS
    assert small.last("run_complete")["status"] == "completed"


async def test_steps_keep_their_outcomes_however_long_the_run_is() -> None:
    """The conversation itself is never sent, so nothing of it is cut to make it fit a small window."""
    host = page_host()
    host.page.on("set_field", {"success": True, "changed": ["message: " + "x" * 3_000]})
    steps = [{"tool": "set_field", "ref_id": "ref_2", "text": f"word {number}"} for number in range(12)]
    small = bench(*steps, {"tool": "done", "summary": "Seen.", "outcome": "success"}, host=host)
    small.model.info = replace(SMALL, context_window=4_096)
    await small.run("Write some words")
    asked = small.model.requests[-1].messages[-1].content
    assert asked.count("set_field") == len(steps)
    assert "no result" not in asked
    assert len(small.model.requests) == len(steps) + 1, "nothing was asked to sum it up"


async def test_a_small_model_is_not_held_to_a_list_it_has_no_tool_for() -> None:
    host = page_host()
    host.page.on(
        "click_ax", {"name": "Follow Ada", "changed": ["pressed"]}, {"name": "Follow Bo", "changed": ["x"]}
    )
    small = bench(
        {"tool": "click_ax", "ref_id": "ref_1"},
        {"tool": "click_ax", "ref_id": "ref_2"},
        {"tool": "done", "summary": "Both are followed.", "outcome": "success"},
        host=host,
    )
    await small.run("Follow both")
    assert small.last("run_complete")["outcome"] == "success"
    assert small.events("progress") == []
    schema = json.dumps([request.response_schema for request in small.model.requests])
    assert not any(name in schema for name in ("progress_", "scratchpad"))
