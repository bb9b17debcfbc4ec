"""Acting on a page and following where it goes."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import TAB, URL, context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, PageCall
from webbrain.tools import registry
from webbrain.tools.following import LOAD_WAIT, START_GRACE_LIKELY

NEXT = "https://shop.example/basket"


async def call(host: MemoryHost, name: str, *, token: str = "", **arguments: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(context(host, submit_token=token), spec.args.model_validate(arguments))


def leads_to(host: MemoryHost, url: str, answer: Any, *, status: str = "complete") -> Any:
    """An answer of the page that comes together with a navigation."""

    def reply(_: PageCall) -> Any:
        host.browser.move(TAB, url)
        host.browser.open(replace(host.browser.tabs()[0], status=status))
        return answer

    return reply


async def test_a_quiet_click_waits_for_nothing() -> None:
    """The browser would have told of a navigation, so there is nothing to wait for."""
    host = page_host()
    result = await call(host, "click_ax", ref_id="ref_1")
    assert result.success
    assert "pageUrlChanged" not in result.data
    assert not result.notes
    assert sum(host.clock.sleeps) == 0


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("click_ax", {"ref_id": "ref_1"}, {"navigates": True}),
        ("set_field", {"ref_id": "ref_2", "text": "tea", "submit": True}, {"verified": True}),
        ("press_keys", {"key": "Enter"}, {}),
    ],
)
async def test_what_should_navigate_gets_more_time(name: str, arguments: Any, answer: Any) -> None:
    host = page_host()
    host.page.on(name, answer)
    await call(host, name, **arguments)
    assert sum(host.clock.sleeps) == START_GRACE_LIKELY


async def test_a_late_navigation_is_awaited() -> None:
    """The load begins a while after the click was answered; the action answers when it is over."""
    host = page_host()
    host.page.on("click_ax", {"navigates": True})

    def hook(name: str) -> None:
        if name == "clock.sleep" and host.clock.sleeps[-1] == START_GRACE_LIKELY:
            host.browser.move(TAB, NEXT, "Basket")
            host.browser.open(replace(host.browser.tabs()[0], status="loading"))

    host.hook = hook
    loads: list[float] = []

    async def wait_loaded(tab_id: int, timeout: float) -> Any:
        loads.append(timeout)
        host.browser.open(replace(host.browser.tabs()[0], status="complete"))
        return host.browser.tabs()[0]

    host.browser.wait_loaded = wait_loaded  # type: ignore[method-assign]
    result = await call(host, "click_ax", ref_id="ref_1")
    assert result.success
    assert result.data["pageUrlChanged"] is True
    assert (result.data["previousUrl"], result.data["currentUrl"]) == (URL, NEXT)
    assert loads == [LOAD_WAIT]
    assert len(result.notes) == 1
    assert "shop.example" not in result.notes[0], "an address is page text and stays inside the boundary"


async def test_a_page_that_never_finishes_loading() -> None:
    host = page_host()
    host.page.on("click_ax", leads_to(host, NEXT, {}, status="loading"))
    result = await call(host, "click_ax", ref_id="ref_1")
    assert result.success
    assert result.data["stillLoading"] is True
    assert any("still loading" in note for note in result.notes)


@pytest.mark.parametrize(
    "failure", [OutcomeUnknown("cut off"), BridgeError("gone", code="page_gone")], ids=["unknown", "gone"]
)
async def test_a_page_that_dies_of_the_click_was_clicked(failure: Exception) -> None:
    host = page_host()
    host.page.on("click_ax", leads_to(host, NEXT, failure))
    result = await call(host, "click_ax", ref_id="ref_1")
    assert result.success
    assert result.data["verified"] is False
    assert result.data["currentUrl"] == NEXT


async def test_a_page_that_dies_without_a_trace_is_unknown() -> None:
    host = page_host()
    host.page.on("click_ax", OutcomeUnknown("cut off"))
    with pytest.raises(OutcomeUnknown, match="may or may not have happened"):
        await call(host, "click_ax", ref_id="ref_1")
    assert host.page.actions() == ["click_ax"]


@pytest.mark.parametrize("code", ["timeout", "page_script_error"])
async def test_an_action_cut_short_by_the_page_s_side_is_unknown(code: str) -> None:
    host = page_host()
    host.page.on("click_ax", {"success": False, "code": code, "error": "Not to the end."})
    with pytest.raises(OutcomeUnknown):
        await call(host, "click_ax", ref_id="ref_1")


async def test_a_click_that_closes_its_tab() -> None:
    host = page_host()

    def close(_: PageCall) -> dict[str, Any]:
        host.browser.close(TAB)
        return {}

    host.page.on("click_ax", close)
    result = await call(host, "click_ax", ref_id="ref_1")
    assert result.success
    assert result.data["tabClosed"] is True


async def test_a_failed_click_is_passed_on_as_it_is() -> None:
    host = page_host()
    answer = {"success": False, "error": "ref_9 is stale.", "code": "stale_ref", "suggestions": ["ref_1"]}
    host.page.on("click_ax", answer)
    result = await call(host, "click_ax", ref_id="ref_9")
    assert not result.success
    assert result.data == {"error": "ref_9 is stale.", "code": "stale_ref", "suggestions": ["ref_1"]}
    assert result.summary == "stale ref"
    assert not host.clock.sleeps, "nothing happened, so nothing is waited for"


async def test_the_token_goes_with_the_action() -> None:
    host = page_host()
    await call(host, "click_ax", ref_id="ref_1", token="t-1")
    await call(host, "click_ax", ref_id="ref_1")
    assert [sent.args for sent in host.page.calls] == [
        {"ref_id": "ref_1", "token": "t-1"},
        {"ref_id": "ref_1"},
    ]
    assert all(sent.effect for sent in host.page.calls)


async def test_defaults_of_typing() -> None:
    host = page_host()
    await call(host, "type_ax", ref_id="ref_2", text="x")
    await call(host, "set_field", ref_id="ref_2", text="x")
    sent = [(c.args["clear"], c.args.get("submit")) for c in host.page.calls]
    assert sent == [(False, None), (True, False)]


@pytest.mark.parametrize("name", ["type_ax", "set_field"])
async def test_a_credential_field_is_marked_and_not_repeated(name: str) -> None:
    host = page_host()
    meta = {"tag": "input", "type": "password", "name": "p"}
    host.page.on(name, {"verified": False, "actual": "hunter2", "fieldMeta": meta})
    result = await call(host, name, ref_id="ref_2", text="hunter2")
    assert result.data["sensitiveField"] is True
    assert result.data["actualRedacted"] is True
    assert "hunter2" not in str(result.data)


async def test_the_browser_message_loses_our_address() -> None:
    host = page_host()
    host.page.on("scroll", BridgeError("Error at chrome-extension://abc/content.js:1", code="api_error"))
    result = await call(host, "scroll", direction="down")
    assert result.data["error"] == "The browser refused: Error at the extension"
