"""The debugger: real input, dialogs, drags, file choosers, and what becomes of a session that is lost."""

from typing import Any, cast

import pytest

from tests.e2e.reach.asking import code_of, opened_by
from tests.support.browsers import Browser, Tab
from tests.support.browsers.chromium import Chromium, ChromiumPage
from tests.support.outside import HostOutside
from tests.support.small_site import SmallSite
from webbrain.core.errors import BridgeError
from webbrain.host import pictures
from webbrain.host.reach import BrowserEvent


def press(outside: HostOutside, tab: Tab, x: int = 50, y: int = 40) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        params = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        outside.run(outside.host.debugger.send(tab.id, "Input.dispatchMouseEvent", params))


def leave_dialogs(tab: Tab) -> None:
    """Keep the driver of this test from answering dialogs by itself."""
    cast(ChromiumPage, tab.page)._page.on("dialog", lambda dialog: None)


def dialog(outside: HostOutside, message: str) -> BrowserEvent:
    return outside.wait_event(
        "cdp",
        lambda event: (
            event.data["method"] == "Page.javascriptDialogOpening"
            and event.data["params"]["message"] == message
        ),
    )


def test_firefox_has_no_debugger(outside: HostOutside, browser: Browser, site: SmallSite) -> None:
    """And Chromium has one: the capability says which."""
    tab = browser.open_tab(site.url + "/page")
    if outside.capabilities.cdp:
        outside.run(outside.host.debugger.attach(tab.id))
        assert outside.host.debugger.attached(tab.id)
    else:
        assert code_of(outside, outside.host.debugger.attach(tab.id)) == "not_available"


def test_a_trusted_click(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    press(outside, tab)
    assert tab.page.eval("clicks") == [True]


def test_a_dialog_is_reported_and_answered(
    outside: HostOutside, chromium: Chromium, site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "CAPTURE_TIMEOUT", 2.0)
    tab = chromium.open_tab(site.url + "/page")
    leave_dialogs(tab)
    outside.run(outside.host.debugger.attach(tab.id))
    tab.page.eval("setTimeout(() => { globalThis.answer = prompt('Your name?', 'Nobody'); }) && true")
    event = dialog(outside, "Your name?")
    assert (event.tab_id, event.data["params"]["type"]) == (tab.id, "prompt")
    assert event.data["params"]["defaultPrompt"] == "Nobody"
    assert code_of(outside, outside.host.pictures.capture(tab.id)) == "page_busy"
    reply = {"accept": True, "promptText": "Ada"}
    outside.run(outside.host.debugger.send(tab.id, "Page.handleJavaScriptDialog", reply))
    tab.page.wait("globalThis.answer === 'Ada'")
    again = outside.host.debugger.send(tab.id, "Page.handleJavaScriptDialog", reply)
    assert code_of(outside, again) == "no_dialog"


def test_a_drag_is_reported_and_carried_on(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    """What is told of a drag is what can be sent back, and the page gets what it gave away."""
    tab = chromium.open_tab(site.url + "/drag")
    outside.run(outside.host.debugger.attach(tab.id))

    def send(method: str, **params: Any) -> None:
        outside.run(outside.host.debugger.send(tab.id, method, params))

    send("Input.setInterceptDrags", enabled=True)
    send("Input.dispatchMouseEvent", type="mousePressed", x=50, y=50, button="left", buttons=1, clickCount=1)
    for x in (60, 90):
        send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=50, button="left", buttons=1)
    event = outside.wait_event("cdp", lambda event: event.data["method"] == "Input.dragIntercepted")
    data = event.data["params"]["data"]
    for kind in ("dragEnter", "dragOver", "drop"):
        send("Input.dispatchDragEvent", type=kind, x=250, y=50, data=data)
    send("Input.dispatchMouseEvent", type="mouseReleased", x=250, y=50, button="left", clickCount=1)
    tab.page.wait("document.title === 'cargo'")


def test_a_field_that_asks_for_a_file_is_had(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    """No chooser opens, and the field, which is on no page, can be moved to where a page script finds it."""
    tab = chromium.open_tab(site.url + "/chooser")
    outside.run(outside.host.debugger.attach(tab.id))

    def send(method: str, **params: Any) -> dict[str, Any]:
        return outside.run(outside.host.debugger.send(tab.id, method, params))

    send("Page.setInterceptFileChooserDialog", enabled=True)
    press(outside, tab)
    event = outside.wait_event("cdp", lambda event: event.data["method"] == "Page.fileChooserOpened")
    root = send("DOM.getDocument", depth=2)["root"]
    html = next(node for node in root["children"] if node["localName"] == "html")
    head = next(node for node in html["children"] if node["localName"] == "head")
    number = event.data["params"]["backendNodeId"]
    nodes = send("DOM.pushNodesByBackendIdsToFrontend", backendNodeIds=[number])["nodeIds"]
    send("DOM.moveTo", nodeId=nodes[0], targetNodeId=head["nodeId"])
    assert tab.page.eval("document.querySelector('head > input') === field")
    send("DOM.disable")
    send("Page.setInterceptFileChooserDialog", enabled=False)


def _request(outside: HostOutside, end: str) -> BrowserEvent:
    """The report of the request whose address ends so."""
    return outside.wait_event("cdp", lambda event: str(event.data["params"].get("url")).endswith(end))


def test_requests_that_change_something_are_reported(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    tab.page.eval(
        "fetch('/inner?read')"
        ".then(() => fetch('/inner?sent', {method: 'POST', body: 'secret'})).then(() => 1)"
    )
    tab.page.eval("navigator.sendBeacon('/inner?beacon', 'secret')")
    told = [_request(outside, end).data for end in ("?sent", "?beacon")]
    assert [one["params"]["method"] for one in told] == ["POST", "POST"]
    assert "secret" not in str(outside.events)
    assert "?read" not in str([event for event in outside.events if event.kind == "cdp"])


def test_the_debugger_ended_from_outside(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    chromium.control.eval(f"chrome.debugger.detach({{tabId: {tab.id}}}).then(() => true)")
    with pytest.raises(BridgeError) as caught:
        press(outside, tab)
    assert (caught.value.code, caught.value.data) == ("debugger_detached", {"sent": False})
    assert not outside.host.debugger.attached(tab.id)
    outside.run(outside.host.debugger.attach(tab.id))
    press(outside, tab)
    assert tab.page.eval("clicks") == [True]
    chromium.close_tab(tab)
    event = outside.wait_event("debugger_detached")
    assert (event.tab_id, event.data) == (tab.id, {"reason": "target_closed"})
    assert not outside.host.debugger.attached(tab.id)


def test_an_attachment_outlives_the_memory_of_it(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    """As when Python's Worker was replaced: attaching again takes the session over."""
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    outside.host.debugger.hear(BrowserEvent("debugger_detached", tab.id))
    assert not outside.host.debugger.attached(tab.id)
    outside.run(outside.host.debugger.attach(tab.id))
    press(outside, tab)
    assert tab.page.eval("clicks") == [True]


def test_our_own_pages_are_not_debugged(outside: HostOutside, chromium: Chromium) -> None:
    control = next(tab["id"] for tab in chromium.tabs() if tab["url"].startswith(chromium.origin))
    assert code_of(outside, outside.host.debugger.attach(control)) == "debugger_refused"


def test_other_commands_do_not_pass(outside: HostOutside, chromium: Chromium, site: SmallSite) -> None:
    tab = chromium.open_tab(site.url + "/page")
    outside.run(outside.host.debugger.attach(tab.id))
    for method, params in (
        ("Runtime.evaluate", {"expression": "1"}),
        ("Network.getAllCookies", {}),
        ("Page.navigate", {"url": site.url}),
        ("DOM.setFileInputFiles", {"files": ["/etc/passwd"], "backendNodeId": 1}),
        ("DOM.getDocument", {"depth": -1}),
        ("DOM.getOuterHTML", {"nodeId": 1}),
    ):
        assert code_of(outside, outside.host.debugger.send(tab.id, method, params)) == "bad_params"


def test_a_killed_service_worker_loses_neither_session_nor_event(
    outside: HostOutside, chromium: Chromium, site: SmallSite
) -> None:
    tab = chromium.open_tab(site.url + "/links")
    leave_dialogs(tab)
    outside.run(outside.host.debugger.attach(tab.id))
    first = chromium.kill_service_worker()
    tab.page.eval("setTimeout(() => { globalThis.answer = confirm('Still there?'); }) && true")
    dialog(outside, "Still there?")
    outside.run(outside.host.debugger.send(tab.id, "Page.handleJavaScriptDialog", {"accept": True}))
    tab.page.wait("globalThis.answer === true")
    second = chromium.service_worker_started()
    assert second > first, "it was really another one"
    chromium.kill_service_worker()
    tab.page.eval("document.getElementById('blank').click()")
    assert opened_by(outside, site.url + "/page?blank").tab_id == tab.id
