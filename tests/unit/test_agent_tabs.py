"""What a run knows of tabs and dialogs, and what it leaves behind."""

import asyncio
from typing import Any

import pytest

from tests.support.agent import Bench, end, well_formed
from tests.support.toolbox import TAB, URL, page_host
from webbrain.agent.runs import SHARED
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.host.memory import Gate, MemoryHost, PageCall
from webbrain.host.protocols import Capabilities, Tab
from webbrain.testing.scripted import ScriptedModel, call
from webbrain.tools.state import IN_USE

POPUP = 31
SIZE = "https://shop.example/size"
CDP = Capabilities(browser="memory", cdp=True)
CLICK = call("click_ax", ref_id="ref_1")
READ = call("get_accessibility_tree")


def with_debugger() -> MemoryHost:
    host = page_host(capabilities=CDP)
    host.browser.open(Tab(TAB, URL, "Shop", active=True))

    def close(_: Any) -> dict[str, Any]:
        host.debugger.report(TAB, "Page.javascriptDialogClosed", result=True)
        return {}

    host.debugger.on("Page.handleJavaScriptDialog", close)
    return host


def opens_dialog(host: MemoryHost, kind: str = "confirm", message: str = "Really order?") -> Any:
    async def reply(_: PageCall) -> dict[str, Any]:
        host.debugger.report(TAB, "Page.javascriptDialogOpening", type=kind, message=message)
        await asyncio.Event().wait()
        return {}

    return reply


def opens_tab(host: MemoryHost, number: int = POPUP) -> Any:
    def reply(_: PageCall) -> dict[str, Any]:
        host.browser.pop_up(TAB, Tab(number, SIZE, "Size"))
        return {}

    return reply


def answers(host: MemoryHost) -> list[Any]:
    return [params["accept"] for params in host.debugger.commands_of("Page.handleJavaScriptDialog")]


# --- the debugger ---


async def test_the_debugger_comes_with_the_first_act_and_goes_with_the_run() -> None:
    host = with_debugger()
    bench = Bench(READ, CLICK, CLICK, "Done.", host=host)
    seen: list[tuple[str, bool]] = []
    host.hook = lambda name: seen.append((name, host.debugger.attached(TAB)))
    await bench.run()
    assert dict(reversed(seen))["page.tree"] is False, "nothing is attached for reading"
    assert dict(seen)["page.click_ax"] is True
    assert host.debugger.attachments == [TAB]
    assert host.debugger.detachments == [TAB]
    assert host.events.listeners == 0


async def test_a_run_that_only_reads_attaches_nothing() -> None:
    bench = Bench(READ, "A shop.", host=with_debugger())
    await bench.run(mode="ask")
    assert bench.host.debugger.attachments == []


async def test_without_a_debugger_the_run_goes_on_and_says_so_once() -> None:
    host = with_debugger()
    host.debugger.refuse = BridgeError("No.", code="debugger_refused", data={"reason": "taken"})
    bench = Bench(CLICK, CLICK, "Done.", host=host)
    await bench.run()
    assert [event["data"]["code"] for event in bench.events("warning")] == ["debugger_refused"]
    assert host.page.actions().count("click_ax") == 2


# --- dialogs ---


async def test_the_model_answers_a_dialog() -> None:
    host = with_debugger()
    host.page.on("click_ax", opens_dialog(host))
    bench = Bench(CLICK, call("answer_dialog", accept=True), end("Ordered."), host=host)
    async with asyncio.timeout(5):
        await bench.start()
        card = await bench.until("clarify")
        assert card["title"] == "Press “OK”?"
        await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
        await bench.end()
    results = [message.content for message in bench.history if message.role == "tool"]
    assert "Really order?" in results[0]
    assert answers(host) == [True]
    assert bench.last("run_complete")["status"] == "completed"


async def test_a_model_that_does_something_else_agrees_to_nothing() -> None:
    host = with_debugger()
    host.page.on("click_ax", opens_dialog(host), {})
    bench = Bench(CLICK, CLICK, "Done.", host=host)
    async with asyncio.timeout(5):
        await bench.run()
    assert answers(host) == [False]
    second = [message.content for message in bench.history if message.role == "tool"][1]
    assert "was dismissed" in second
    assert host.page.actions().count("click_ax") == 2


async def test_reading_leaves_the_dialog_for_the_model() -> None:
    host = with_debugger()
    host.page.on("click_ax", opens_dialog(host))
    bench = Bench(CLICK, READ, call("answer_dialog", accept=False), "Left it.", host=host)
    async with asyncio.timeout(5):
        await bench.run()
    read = [message.content for message in bench.history if message.role == "tool"][1]
    assert "dialog_open" in read
    assert answers(host) == [False]


@pytest.mark.parametrize("stop", [True, False])
async def test_a_run_that_ends_leaves_no_dialog_open(stop: bool) -> None:
    host = with_debugger()
    host.page.on("click_ax", opens_dialog(host))
    gate = asyncio.Event()

    async def waits(*_: Any) -> str:
        await gate.wait()
        return "never"

    bench = Bench(CLICK, waits if stop else "I leave it.", host=host)
    await bench.start()
    if stop:
        await bench.until("tool_result")
        async with asyncio.timeout(5):
            await bench.stop()
    await bench.end()
    assert answers(host) == [False]
    assert host.debugger.detachments == [TAB]


async def test_a_stop_is_not_held_up_by_a_debugger_that_hangs() -> None:
    host = with_debugger()
    bench = Bench(CLICK, CLICK, end(), host=host)
    forever = asyncio.Event()

    async def hook(name: str) -> None:
        if name == "debugger.detach":
            await forever.wait()

    host.hook = hook
    async with asyncio.timeout(6):
        await bench.run()
    assert bench.last("run_complete")["status"] == "completed"


# --- tabs ---


async def test_a_run_goes_on_in_the_tab_it_opened() -> None:
    host = page_host()
    host.page.on("click_ax", opens_tab(host), {})
    bench = Bench(CLICK, call("switch_tab", tab_id=POPUP), READ, CLICK, "Done.", host=host)
    await bench.run()
    assert [
        (sent.tab_id, sent.action) for sent in host.page.calls if sent.action in ("click_ax", "tree")
    ] == [
        (TAB, "click_ax"),
        (POPUP, "tree"),
        (POPUP, "click_ax"),
    ]
    assert all(event["tabId"] == TAB for event in bench.events()), "the conversation stays where it was"


async def test_within_one_answer_the_calls_follow_the_run() -> None:
    host = page_host()
    host.browser.open(Tab(POPUP, SIZE, "Size"))
    host.page.on("click_ax", opens_tab(host))
    both = [call("switch_tab", tab_id=POPUP), READ]
    bench = Bench(CLICK, both, "Done.", host=host)
    await bench.run()
    assert [sent.tab_id for sent in host.page.calls if sent.action == "tree"] == [POPUP]


async def test_a_run_survives_the_end_of_a_tab_it_opened() -> None:
    host = page_host()
    host.page.on("click_ax", opens_tab(host))

    def closes(_: PageCall) -> dict[str, Any]:
        host.browser.close(POPUP)
        raise BridgeError("Gone.", code="no_tab")

    host.page.on("tree", closes, {"pageContent": 'button "Buy" [ref_1]'})
    bench = Bench(CLICK, call("switch_tab", tab_id=POPUP), READ, READ, end(), host=host)
    await bench.run()
    assert bench.last("run_complete")["status"] == "completed"
    assert [sent.tab_id for sent in host.page.calls if sent.action == "tree"] == [POPUP, TAB]


async def test_a_run_whose_own_tab_is_closed_ends() -> None:
    """The control: only tabs the run opened lead back."""
    host = page_host()

    def closes(_: PageCall) -> dict[str, Any]:
        host.browser.close(TAB)
        raise BridgeError("Gone.", code="no_tab")

    host.page.on("tree", closes)
    bench = Bench(READ, READ, "Done.", host=host)
    await bench.run()
    assert bench.last("error")["code"] == "no_tab"


async def test_a_second_task_does_not_begin_in_a_tab_where_the_first_one_works() -> None:
    host = page_host()
    host.page.on("click_ax", opens_tab(host))
    bench = Bench(CLICK, call("switch_tab", tab_id=POPUP), call("get_selection"), end(), "More.", host=host)
    gate = host.page.block("get_selection")
    await bench.start()
    await gate.reached()
    with pytest.raises(WebBrainError) as refused:
        await bench.start("And here?", tab=POPUP)
    assert (refused.value.code, refused.value.message) == ("tab_in_use", SHARED)
    gate.release()
    await bench.end()
    await bench.start("And now?", "ask", tab=POPUP)
    await bench.end(POPUP)
    assert [bench.events("run_complete", tab=tab)[0]["data"]["status"] for tab in (TAB, POPUP)] == [
        "completed",
        "completed",
    ]


@pytest.mark.parametrize("name", ["switch_tab", "close_tab"])
async def test_a_task_keeps_out_of_a_tab_that_has_its_own(name: str) -> None:
    host = page_host()
    host.page.on("click_ax", opens_tab(host))
    wait, here = Gate(), Gate()
    bench = Bench(CLICK, wait, call(name, tab_id=POPUP), READ, end(), host=host)
    await bench.start()
    await wait.reached()
    other = ScriptedModel(here, "Read.")
    bench.app.providers.model = other  # type: ignore[attr-defined]
    await bench.start("What is this?", "ask", tab=POPUP)
    await here.reached()
    wait.release()
    await bench.end()
    told = [event["data"] for event in bench.events("tool_result") if event["data"]["name"] == name]
    assert [IN_USE in one["result"] for one in told] == [True]
    assert POPUP in [tab.id for tab in host.browser.tabs()]
    assert [sent.tab_id for sent in host.page.calls if sent.action == "tree"] == [TAB]
    here.release()
    await bench.end(POPUP)


async def test_a_task_may_go_into_a_tab_whose_own_task_is_over() -> None:
    """The control of the one before."""
    host = page_host()
    host.page.on("click_ax", opens_tab(host))
    wait = Gate()
    bench = Bench(CLICK, wait, call("switch_tab", tab_id=POPUP), READ, end(), host=host)
    await bench.start()
    await wait.reached()
    bench.app.providers.model = ScriptedModel("Read.")  # type: ignore[attr-defined]
    await bench.start("What is this?", "ask", tab=POPUP)
    await bench.end(POPUP)
    wait.release()
    await bench.end()
    assert [sent.tab_id for sent in host.page.calls if sent.action == "tree"] == [POPUP]


async def test_tabs_left_open_are_listed_and_known_to_the_next_task() -> None:
    host = page_host()
    host.page.on("click_ax", opens_tab(host), opens_tab(host, POPUP + 1))
    bench = Bench(CLICK, call("click_ax", ref_id="ref_2"), "Done.", "Closed.", host=host)
    await bench.run()
    warning = next(event["data"] for event in bench.events("warning"))
    assert warning["code"] == "tabs_left_open"
    assert [tab["tabId"] for tab in warning["tabs"]] == [POPUP, POPUP + 1]
    assert SIZE in warning["message"]
    kinds = [event["type"] for event in bench.events()]
    assert kinds.index("warning") < kinds.index("run_complete")
    host.browser.close(POPUP)
    await bench.run("Close them")
    asked = bench.request.messages[-1].content
    assert f"tab {POPUP + 1}" in asked
    assert f"tab {POPUP} at" not in asked, "that one was closed meanwhile"
    assert well_formed(bench.history)


async def test_the_next_task_may_close_what_the_last_one_left() -> None:
    host = page_host()
    host.page.on("click_ax", opens_tab(host))
    bench = Bench(CLICK, end(), call("close_tab", tab_id=POPUP), end("Closed."), host=host)
    await bench.run()
    await bench.run("Close it")
    assert host.browser.closed == [POPUP]
    assert len(bench.events("warning")) == 1


async def test_a_run_without_tabs_of_its_own_says_nothing() -> None:
    bench = Bench(CLICK, "Done.")
    await bench.run()
    assert bench.events("warning") == []


async def test_a_run_in_a_hidden_tab_goes_on() -> None:
    host = page_host()
    bench = Bench(CLICK, CLICK, end(), host=host)

    def hides(_: PageCall) -> dict[str, Any]:
        host.browser.open(Tab(TAB, URL, "Shop", window_id=9, active=False))
        host.browser.open(Tab(99, "https://mail.example/", "Mail", active=True))
        return {}

    host.page.on("click_ax", hides, {})
    await bench.run()
    assert {sent.tab_id for sent in host.page.calls} == {TAB}
    assert bench.last("run_complete")["status"] == "completed"


async def test_the_agent_is_told_which_tab_it_works_on() -> None:
    host = page_host()
    host.browser.open(Tab(99, "https://mail.example/inbox", "Mail", active=True))
    bench = Bench("A shop.", "Mail.", host=host)
    await bench.run("What is this page?")
    assert "shop.example" in bench.request.messages[-1].content
    await bench.run("What is this page?", tab=99)
    assert "mail.example/inbox" in bench.request.messages[-1].content
    assert "shop.example" not in bench.request.messages[-1].content
