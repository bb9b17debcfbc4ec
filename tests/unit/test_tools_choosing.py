"""``upload_file`` where the page makes its file field in the moment a control is pressed."""

from typing import Any

import pytest

from tests.support.toolbox import TAB, URL, context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, PageCall
from webbrain.host.protocols import Capabilities, Tab
from webbrain.tools import registry
from webbrain.tools.choosing import INTERCEPT, OPENED
from webbrain.tools.debugging import attach

CDP = Capabilities(browser="memory", cdp=True)
NONE_THERE = {
    "success": False,
    "code": "no_file_input",
    "error": "The page has no file field.",
    "opener": "ref_1",
}
HTML = {"nodeId": 3, "nodeType": 1, "localName": "html"}
HEAD = {"nodeId": 4, "nodeType": 1, "localName": "head"}
DOCUMENT = {"root": {"children": [{"nodeId": 2, "nodeType": 10}, {**HTML, "children": [HEAD]}]}}


async def page(*, active: bool = True, chooser: dict[str, Any] | None = None) -> MemoryHost:
    """A page whose button opens a chooser; ``chooser`` is what the debugger reports of it, if anything."""
    host = page_host(capabilities=CDP)
    host.browser.open(Tab(TAB, URL, "Shop", active=active))
    host.page.on("aim", {"aim": "a1", "points": [{"x": 40, "y": 30}], "ref_id": "ref_1"})
    host.page.on("submit_probe", {"submits": False})
    host.page.on("take_field", lambda call: {"success": call.args.get("moved") is True})

    def landed(_: PageCall) -> dict[str, Any]:
        if chooser is not None:
            host.debugger.report(TAB, OPENED, mode="selectSingle", **chooser)
        return {"changed": ["nothing"]}

    def upload(call: PageCall) -> dict[str, Any]:
        return (
            {"success": True, "files": [{"name": "price-list.txt"}]}
            if call.args.get("handed")
            else NONE_THERE
        )

    host.page.on("landed", landed)
    host.page.on("upload_file", upload)
    host.debugger.on("DOM.getDocument", DOCUMENT)
    host.debugger.on("DOM.pushNodesByBackendIdsToFrontend", {"nodeIds": [9]})
    return host


async def upload(host: MemoryHost) -> ToolResult:
    spec = registry.get("upload_file")
    assert spec
    ctx = context(host)
    await attach(host, ctx.state, TAB)
    return await spec.run(ctx, spec.args.model_validate({"downloadId": 1, "ref_id": "ref_1"}))


def commands(host: MemoryHost) -> list[str]:
    return [name for _, name, _ in host.debugger.commands]


async def test_the_field_is_had_by_a_real_press() -> None:
    host = await page(chooser={"backendNodeId": 77})
    result = await upload(host)
    assert result.success, result.data
    assert host.page.actions()[:4] == ["upload_file", "submit_probe", "aim", "landed"]
    assert host.page.actions()[4:] == ["take_field", "take_field", "upload_file"]
    assert host.debugger.commands_of(INTERCEPT) == [{"enabled": True}, {"enabled": False}]
    assert host.debugger.commands_of("DOM.pushNodesByBackendIdsToFrontend") == [{"backendNodeIds": [77]}]
    assert host.debugger.commands_of("DOM.moveTo") == [{"nodeId": 9, "targetNodeId": 4}]
    order = commands(host)
    assert order.index(INTERCEPT) < order.index("Input.dispatchMouseEvent"), "no chooser may open"
    assert order.index("DOM.moveTo") < order.index("DOM.disable")


async def test_a_field_that_the_page_has_put_somewhere_stays_there() -> None:
    host = await page(chooser={"backendNodeId": 77})
    host.page.on("take_field", {"accept": "", "multiple": False})
    assert (await upload(host)).success
    assert not host.debugger.commands_of("DOM.moveTo")


async def test_choosers_are_let_go_whatever_happens() -> None:
    host = await page(chooser={"backendNodeId": 77})
    host.page.on("landed", OutcomeUnknown("cut off"))
    with pytest.raises(OutcomeUnknown):
        await upload(host)
    assert host.debugger.commands_of(INTERCEPT)[-1] == {"enabled": False}


async def test_a_control_that_may_send_a_form_is_not_pressed() -> None:
    host = await page(chooser={"backendNodeId": 77})
    host.page.on("submit_probe", {"submits": True})
    result = await upload(host)
    assert (result.success, result.data["code"]) == (False, "may_submit")
    assert "price-list.txt" in result.data["error"]
    assert "Input.dispatchMouseEvent" not in commands(host)


@pytest.mark.parametrize(
    ("name", "pressed"),
    [
        ("Delete account", False),
        ("Add to basket", False),
        ("Send photo", False),
        ("Nachricht senden", False),
        ("Profil löschen", False),
        ("Add photos", True),
        ("Add a file", True),
        ("Add attachment", True),
        ("Datei hinzufügen", True),
        ("Fotos hinzufügen", True),
    ],
)
async def test_a_control_whose_name_commits_something_is_not_pressed(name: str, *, pressed: bool) -> None:
    """Unless all that it is said to add is a file."""
    host = await page(chooser={"backendNodeId": 77})
    host.page.on("submit_probe", {"submits": False, "commits": True, "control": name})
    result = await upload(host)
    assert result.data.get("code") == (None if pressed else "may_submit")
    assert ("Input.dispatchMouseEvent" in commands(host)) is pressed


async def test_a_stale_control_is_not_pressed() -> None:
    host = await page(chooser={"backendNodeId": 77})
    host.page.on("submit_probe", {"success": False, "code": "stale_ref", "error": "ref_1 is stale."})
    assert (await upload(host)).data["code"] == "stale_ref"
    assert INTERCEPT not in commands(host)


@pytest.mark.parametrize(
    ("chooser", "words"),
    [(None, "no file chooser opened"), ({}, "belongs to no file field")],
    ids=["no chooser", "another picker"],
)
async def test_a_press_that_leads_to_no_field(chooser: dict[str, Any] | None, words: str) -> None:
    host = await page(chooser=chooser)
    result = await upload(host)
    assert (result.success, result.data["code"]) == (False, "no_file_input")
    assert words in result.data["error"]
    assert host.debugger.commands_of(INTERCEPT)[-1] == {"enabled": False}
    assert "DOM.moveTo" not in commands(host)


async def test_a_tab_in_the_background_is_explained() -> None:
    host = await page(active=False, chooser={"backendNodeId": 77})
    result = await upload(host)
    assert (result.success, result.data["code"]) == (False, "not_in_front")
    assert "Ask the user to show this tab" in result.data["error"]


async def test_without_a_debugger_it_is_explained() -> None:
    host = page_host()
    host.page.on("upload_file", NONE_THERE)
    result = await upload(host)
    assert (result.success, result.data["code"]) == (False, "no_file_input")
    assert "Ask the user to press it and choose the file price-list.txt." in result.data["error"]
    assert host.page.actions() == ["upload_file"]


async def test_a_field_that_the_browser_does_not_give() -> None:
    host = await page(chooser={"backendNodeId": 77})
    host.debugger.on("DOM.moveTo", BridgeError("Could not find node.", code="api_error"))
    result = await upload(host)
    assert (result.success, result.data["code"]) == (False, "no_file_input")
    assert "DOM.disable" in commands(host)
    assert host.debugger.commands_of(INTERCEPT)[-1] == {"enabled": False}
