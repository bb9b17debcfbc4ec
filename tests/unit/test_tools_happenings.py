"""What an action leads to besides an answer of the page: dialogs, tabs, downloads, silence."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import TAB, URL, context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, PageCall
from webbrain.host.protocols import Capabilities, Tab
from webbrain.host.reach import Download
from webbrain.tools import registry, silence
from webbrain.tools.base import ToolContext
from webbrain.tools.debugging import attach
from webbrain.tools.dialogs import IN_A_ROW, put_away

NEXT = "https://shop.example/basket"
POPUP = 31
CDP = Capabilities(browser="memory", cdp=True)
OPENING = "Page.javascriptDialogOpening"


async def attached() -> tuple[MemoryHost, ToolContext]:
    """A host whose tab is in front and attached to, and a context for it."""
    host = page_host(capabilities=CDP)
    host.browser.open(Tab(TAB, URL, "Shop", active=True))
    ctx = context(host)
    assert await attach(host, ctx.state, TAB)
    host.debugger.on("Page.handleJavaScriptDialog", lambda params: close_dialog(host))
    return host, ctx


def close_dialog(host: MemoryHost, tab: int = TAB) -> dict[str, Any]:
    host.debugger.report(tab, "Page.javascriptDialogClosed", result=True)
    return {}


def dialog(host: MemoryHost, kind: str = "confirm", message: str = "Really?", tab: int = TAB) -> None:
    host.debugger.report(tab, OPENING, type=kind, message=message, defaultPrompt="")


def hangs_in_a_dialog(host: MemoryHost, kind: str = "confirm", tab: int = TAB) -> Any:
    """An answer of the page that never comes, because its script opened a dialog."""

    async def reply(_: PageCall) -> dict[str, Any]:
        dialog(host, kind, tab=tab)
        await asyncio.Event().wait()
        return {}

    return reply


async def call(ctx: ToolContext, name: str, **arguments: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(ctx, spec.args.model_validate(arguments))


# --- dialogs ---


async def test_a_click_that_opens_a_dialog_answers_at_once() -> None:
    host, ctx = await attached()
    host.page.on("click_ax", hangs_in_a_dialog(host))
    async with asyncio.timeout(2):
        result = await call(ctx, "click_ax", ref_id="ref_1")
    assert result.success
    assert result.data["dialog"] == {"type": "confirm", "message": "Really?"}
    assert any("answer_dialog" in note for note in result.notes)
    assert not any("Really" in note for note in result.notes), "the page wrote that; it stays in the data"


async def test_without_the_debugger_the_same_click_hangs() -> None:
    """The control: it is the report of the dialog that ends the wait."""
    host = page_host()
    host.page.on("click_ax", hangs_in_a_dialog(host))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await call(context(host), "click_ax", ref_id="ref_1")


@pytest.mark.parametrize("name", ["get_accessibility_tree", "read_page", "get_selection"])
async def test_reading_shows_the_dialog_instead_of_hanging(name: str) -> None:
    host, ctx = await attached()
    dialog(host, "alert", "Sold out")
    result = await call(ctx, name)
    assert (result.success, result.data["code"]) == (False, "dialog_open")
    assert result.data["dialog"] == {"type": "alert", "message": "Sold out"}
    assert host.page.actions() == []


async def test_a_dialog_that_opens_while_reading_ends_the_reading() -> None:
    host, ctx = await attached()
    host.page.on("tree", hangs_in_a_dialog(host, "alert"))
    async with asyncio.timeout(2):
        result = await call(ctx, "get_accessibility_tree")
    assert result.data["code"] == "dialog_open"


async def test_a_dialog_in_a_tab_that_is_not_ours_is_left_alone() -> None:
    host, ctx = await attached()
    host.browser.open(Tab(99, "https://mail.example/", "Mail"))
    await host.debugger.attach(99)
    dialog(host, "confirm", "Send?", tab=99)
    assert ctx.state.dialog is None
    assert (await call(ctx, "get_accessibility_tree")).success


@pytest.mark.parametrize(
    ("kind", "accepted"),
    [("alert", True), ("confirm", False), ("prompt", False), ("beforeunload", False)],
)
async def test_what_nobody_answers_is_answered_with_what_agrees_to_nothing(kind: str, accepted: bool) -> None:
    host, ctx = await attached()
    dialog(host, kind)
    await put_away(host, ctx.state)
    assert host.debugger.commands_of("Page.handleJavaScriptDialog") == [{"accept": accepted}]
    assert ctx.state.dialog is None
    assert len(ctx.state.notes) == 1


async def test_a_page_that_opens_dialogs_for_ever_does_not_hold_us() -> None:
    host, ctx = await attached()

    def another(_: Any) -> dict[str, Any]:
        close_dialog(host)
        dialog(host, "alert")
        return {}

    host.debugger.on("Page.handleJavaScriptDialog", another)
    dialog(host, "alert")
    async with asyncio.timeout(5):
        await put_away(host, ctx.state)
    assert len(host.debugger.commands_of("Page.handleJavaScriptDialog")) == IN_A_ROW


async def test_answering_a_dialog() -> None:
    host, ctx = await attached()
    dialog(host, "confirm")

    def accepted(_: Any) -> dict[str, Any]:
        close_dialog(host)
        host.browser.move(TAB, NEXT)
        return {}

    host.debugger.on("Page.handleJavaScriptDialog", accepted)
    result = await call(ctx, "answer_dialog", accept=True)
    assert result.success
    assert host.debugger.commands_of("Page.handleJavaScriptDialog") == [{"accept": True}]
    assert result.data["currentUrl"] == NEXT
    assert ctx.state.dialog is None


async def test_a_prompt_gets_its_text_and_the_next_dialog_is_shown() -> None:
    host, ctx = await attached()
    dialog(host, "prompt", "Your name?")

    def answered(_: Any) -> dict[str, Any]:
        close_dialog(host)
        dialog(host, "alert", "Hello Ada")
        return {}

    host.debugger.on("Page.handleJavaScriptDialog", answered)
    result = await call(ctx, "answer_dialog", accept=True, text="Ada")
    sent = host.debugger.commands_of("Page.handleJavaScriptDialog")
    assert sent == [{"accept": True, "promptText": "Ada"}]
    assert result.data["dialog"] == {"type": "alert", "message": "Hello Ada"}


async def test_answering_what_is_not_there() -> None:
    host, ctx = await attached()
    assert (await call(ctx, "answer_dialog", accept=True)).data["code"] == "no_dialog"
    dialog(host)
    host.debugger.on("Page.handleJavaScriptDialog", BridgeError("No dialog.", code="no_dialog"))
    assert (await call(ctx, "answer_dialog", accept=True)).data["code"] == "no_dialog"
    assert ctx.state.dialog is None
    dialog(host, "confirm")
    assert (await call(ctx, "answer_dialog", accept=True, text="x")).data["code"] == "no_text_here"
    assert ctx.state.dialog is not None


@pytest.mark.parametrize("force", [True, False])
async def test_a_page_that_asks_whether_to_leave(force: bool) -> None:
    host, ctx = await attached()

    async def asks(tab_id: int, url: str) -> None:
        host.browser.visits.append((tab_id, url))
        dialog(host, "beforeunload", "")

    def answered(params: dict[str, Any]) -> dict[str, Any]:
        close_dialog(host)
        if params["accept"]:
            host.browser.move(TAB, NEXT)
        return {}

    host.browser.navigate = asks  # type: ignore[method-assign]
    host.debugger.on("Page.handleJavaScriptDialog", answered)
    if force:
        result = await call(ctx, "navigate", url=NEXT, force=True)
        assert result.success
        assert result.data["url"] == NEXT
    else:
        kept = await call(ctx, "navigate", url=NEXT)
        assert (kept.success, kept.data["code"]) == (False, "unsaved_changes")
        assert (await host.browser.get_tab(TAB)).url == URL
    assert host.debugger.commands_of("Page.handleJavaScriptDialog") == [{"accept": force}]
    assert ctx.state.dialog is None


async def test_an_alert_while_the_page_loads_is_reported() -> None:
    host, ctx = await attached()

    async def alerts(tab_id: int, url: str) -> None:
        host.browser.move(tab_id, url)
        host.browser.open(Tab(TAB, url, "", active=True, status="loading"))
        dialog(host, "alert", "Welcome")

    host.browser.navigate = alerts  # type: ignore[method-assign]
    async with asyncio.timeout(5):
        result = await call(ctx, "navigate", url=NEXT)
    assert result.success
    assert result.data["dialog"] == {"type": "alert", "message": "Welcome"}


async def test_a_page_that_falls_silent_without_a_debugger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Firefox: nobody tells of the dialog, but the page's timers stand still."""
    monkeypatch.setattr(silence, "FIRST_LOOK", 0.01)
    monkeypatch.setattr(silence, "ANSWER_TIMEOUT", 0.05)
    host = page_host()
    ctx = context(host)
    warned: list[str] = []
    ctx.state.warn = lambda code, message: warned.append(code)
    host.page.block("click_ax")
    host.page.block("wait_for_stable")
    async with asyncio.timeout(2):
        with pytest.raises(OutcomeUnknown, match="dialog"):
            await call(ctx, "click_ax", ref_id="ref_1")
    assert warned == ["page_silent"]


async def test_a_page_that_is_only_slow_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: as long as the page answers, its action is awaited."""
    monkeypatch.setattr(silence, "FIRST_LOOK", 0.01)
    monkeypatch.setattr(silence, "LOOK_INTERVAL", 0.01)
    host = page_host()
    gate = host.page.block("click_ax")
    ctx = context(host)
    running = asyncio.ensure_future(call(ctx, "click_ax", ref_id="ref_1"))
    await asyncio.sleep(0.1)
    gate.release()
    assert (await running).success
    assert host.page.actions().count("wait_for_stable") > 1


async def test_a_busy_page_may_show_a_dialog_where_nobody_would_know() -> None:
    host, ctx = await attached()
    host.page.on("tree", BridgeError("No answer.", code="page_busy"))
    seen = await call(ctx, "get_accessibility_tree")
    blind = await call(context(page_host_busy()), "get_accessibility_tree")
    assert "dialog" not in seen.data["error"]
    assert "dialog" in blind.data["error"]


def page_host_busy() -> MemoryHost:
    host = page_host()
    host.page.on("tree", BridgeError("No answer.", code="page_busy"))
    return host


# --- tabs ---


def opens(host: MemoryHost, *numbers: int, status: str = "complete") -> Any:
    """An answer of a click that opens tabs."""
    left = list(numbers)

    def reply(_: PageCall) -> dict[str, Any]:
        number = left.pop(0)
        host.browser.pop_up(TAB, Tab(number, "https://shop.example/size", "Size", status=status))
        return {"changed": ["nothing"]}

    return reply


async def test_a_tab_that_a_click_opens_is_reported() -> None:
    host = page_host()
    host.page.on("click_ax", opens(host, POPUP))
    ctx = context(host)
    result = await call(ctx, "click_ax", ref_id="ref_1")
    assert result.data["newTab"] == {"tabId": POPUP, "url": "https://shop.example/size"}
    assert any(str(POPUP) in note for note in result.notes)
    assert ctx.state.tab_id == TAB, "the run stays where it is"


async def test_a_tab_that_somebody_else_opens_is_not_ours() -> None:
    host = page_host()
    host.browser.open(Tab(99, "https://mail.example/", "Mail"))

    def reply(_: PageCall) -> dict[str, Any]:
        host.browser.pop_up(99, Tab(POPUP, "https://mail.example/new", "New"))
        return {}

    host.page.on("click_ax", reply)
    ctx = context(host)
    result = await call(ctx, "click_ax", ref_id="ref_1")
    assert "newTab" not in result.data
    assert ctx.state.opened == {}


async def test_the_same_click_does_not_open_a_second_copy() -> None:
    host = page_host()
    host.page.on("click_ax", opens(host, POPUP, POPUP + 1, POPUP + 2, status="loading"))
    ctx = context(host)
    first = await call(ctx, "click_ax", ref_id="ref_1")
    again = await call(ctx, "click_ax", ref_id="ref_1")
    assert first.success
    assert any("still loading" in note for note in first.notes)
    assert (again.success, again.data["code"]) == (False, "already_open")
    assert again.data["newTab"]["tabId"] == POPUP
    assert host.page.actions().count("click_ax") == 1
    # The control: another element, and the same one once the tab is closed, are clicked.
    assert (await call(ctx, "click_ax", ref_id="ref_2")).success
    host.browser.close(POPUP)
    assert (await call(ctx, "click_ax", ref_id="ref_1")).success


async def test_going_on_in_a_tab_and_coming_back() -> None:
    host = page_host()
    host.page.on("click_ax", opens(host, POPUP))
    ctx = context(host)
    await call(ctx, "click_ax", ref_id="ref_1")
    result = await call(ctx, "switch_tab", tab_id=POPUP)
    assert result.data["tabId"] == POPUP
    assert ctx.state.tab_id == POPUP
    back = await call(replace(ctx, tab_id=POPUP), "switch_tab", tab_id=TAB)
    assert back.success
    assert ctx.state.tab_id == TAB


@pytest.mark.parametrize("name", ["switch_tab", "close_tab"])
async def test_tabs_of_the_user_are_out_of_reach(name: str) -> None:
    host = page_host()
    host.browser.open(Tab(99, "https://mail.example/", "Mail"))
    ctx = context(host)
    result = await call(ctx, name, tab_id=99)
    assert (result.success, result.data["code"]) == (False, "not_our_tab")
    assert ctx.state.tab_id == TAB
    assert host.browser.closed == []


async def test_the_tab_of_the_conversation_is_not_closed() -> None:
    host = page_host()
    assert (await call(context(host), "close_tab", tab_id=TAB)).data["code"] == "not_our_tab"
    assert host.browser.closed == []


async def test_our_own_pages_are_no_target() -> None:
    host = page_host()
    own = "chrome-extension://abc/settings.html"
    host.browser.open(Tab(POPUP, own, "Settings"))
    ctx = context(host)
    ctx.state.opened[POPUP] = own
    assert (await call(ctx, "switch_tab", tab_id=POPUP)).data["code"] == "own_page"
    assert ctx.state.tab_id == TAB
    host.browser.open(Tab(TAB, own, "Settings"))
    assert (await call(ctx, "navigate", url=NEXT)).data["code"] == "own_page"
    assert host.browser.visits == []
    assert (await call(ctx, "new_tab", url=own)).data["code"] == "bad_url"


async def test_a_tab_in_the_background_once_per_address() -> None:
    host = page_host()
    ctx = context(host)
    result = await call(ctx, "new_tab", url="/basket")
    number = result.data["tabId"]
    assert host.browser.opened == [(number, NEXT, TAB)]
    assert not (await host.browser.get_tab(number)).active
    assert ctx.state.tab_id == TAB
    again = await call(ctx, "new_tab", url="/basket")
    assert (again.data["code"], again.data["tabId"]) == ("already_open", number)
    closed = await call(ctx, "close_tab", tab_id=number)
    assert closed.data == {"closed": number, "tabId": TAB}
    assert ctx.state.opened == {}


async def test_tabs_have_a_limit() -> None:
    host = page_host()
    ctx = context(host)
    for number in range(10):
        assert (await call(ctx, "new_tab", url=f"/{number}")).success
    assert (await call(ctx, "new_tab", url="/more")).data["code"] == "too_many_tabs"


async def test_a_pop_up_that_closes_itself_leads_back() -> None:
    host = page_host()
    host.browser.pop_up(TAB, Tab(POPUP, NEXT, "Basket"))
    ctx = context(host)
    ctx.state.opened[POPUP] = NEXT
    ctx.state.tab_id = POPUP

    def close(_: PageCall) -> dict[str, Any]:
        host.browser.close(POPUP)
        return {}

    host.page.on("click_ax", close)
    result = await call(replace(ctx, tab_id=POPUP), "click_ax", ref_id="ref_1")
    assert result.data["tabClosed"] is True
    assert ctx.state.tab_id == TAB
    assert any(f"back in tab {TAB}" in note for note in ctx.state.notes)
    assert not result.notes, "the task is not over"


# --- downloads ---


async def test_a_download_that_an_action_begins_is_reported() -> None:
    host = page_host()

    def reply(_: PageCall) -> dict[str, Any]:
        url = "https://shop.example/bill.pdf"
        host.downloads.add(Download(5, url, url, "/home/user/Downloads/bill.pdf", "in_progress"))
        return {}

    host.page.on("click_ax", reply)
    result = await call(context(host), "click_ax", ref_id="ref_1")
    assert result.data["download"] == {
        "id": 5,
        "url": "https://shop.example/bill.pdf",
        "filename": "bill.pdf",
    }


async def test_an_address_that_is_a_download_is_no_page() -> None:
    host = page_host()

    async def download(tab_id: int, url: str) -> None:
        host.events.tell("navigation", tab_id, phase="started", url=url)
        host.downloads.add(Download(5, url, url, "", "in_progress"))
        host.events.tell("navigation", tab_id, phase="failed", url=url)

    host.browser.navigate = download  # type: ignore[method-assign]
    result = await call(context(host), "navigate", url="https://shop.example/bill.pdf")
    assert result.success
    assert result.data["shown"] is False
    assert result.data["download"]["id"] == 5


# --- addresses ---


async def test_a_route_of_the_page_itself_keeps_the_references() -> None:
    host = page_host()

    def route(_: PageCall) -> dict[str, Any]:
        tab = host.browser.tabs()[0]
        host.browser.open(replace(tab, url=f"{URL}#/basket"))
        host.events.tell("navigation", TAB, phase="same_document", url=f"{URL}#/basket")
        return {}

    host.page.on("click_ax", route)
    result = await call(context(host), "click_ax", ref_id="ref_1")
    assert result.data["currentUrl"] == f"{URL}#/basket"
    assert not any("void" in note for note in result.notes)


async def test_a_page_that_never_finishes_loading_is_acted_on_without_waiting() -> None:
    """Only a navigation that began with the action is waited for, not the page's own endless loading."""
    host = page_host()
    host.browser.open(Tab(TAB, URL, "Shop", status="loading"))
    host.browser.block()
    result = await call(context(host), "click_ax", ref_id="ref_1")
    assert result.success
    assert "pageUrlChanged" not in result.data
    assert sum(host.clock.sleeps) == 0
