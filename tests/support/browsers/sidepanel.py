"""The panel where a person has it: beside the page, in the same window, about whichever tab is in front.

Chromium's side panel is a target that Playwright does not know, so it is driven by the protocol itself.
"""

import base64
import json
from pathlib import Path
from typing import Any

from tests.support.browsers.base import DEADLINE, Browser, Page, ScriptFailed
from tests.support.browsers.chromium import Chromium
from tests.support.browsers.firefox import Firefox, FirefoxPage
from tests.support.browsers.wire import Wire

PANEL = "/sidepanel.html"
CODES = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, "\t"), "Delete": (46, "")}
CONTROL = 2
"""The protocol's bit for a control key that is held."""


class TargetPage(Page):
    """A page reached by a session of the browser's own protocol."""

    def __init__(self, wire: Wire, session: str, target: str) -> None:
        self._wire = wire
        self._session = session
        self._target = target

    @property
    def url(self) -> str:
        return str(self.eval("location.href"))

    def goto(self, url: str, *, wait: bool = True) -> None:
        raise NotImplementedError("A side panel shows one page")

    def reload(self) -> None:
        raise NotImplementedError("A side panel is closed and opened")

    def eval(self, expression: str, timeout: float = DEADLINE) -> Any:
        answer = self._send(
            "Runtime.evaluate",
            timeout,
            expression=f"(async () => JSON.stringify(await ({expression})) ?? 'null')()",
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in answer:
            raise ScriptFailed(json.dumps(answer["exceptionDetails"])[:500])
        return json.loads(answer["result"]["value"])

    def click_at(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def keys(self, text: str) -> None:
        self._send("Input.insertText", text=text)

    def press(self, key: str, *modifiers: str) -> None:
        code, text = CODES[key] if key in CODES else (ord(key.upper()), "")
        known = {"key": key, "windowsVirtualKeyCode": code, "modifiers": CONTROL if modifiers else 0}
        # Without a screen the browser has no shortcuts of its own: what they do is named.
        commands = ["selectAll"] if (key, modifiers) == ("a", ("Control",)) else []
        self._send("Input.dispatchKeyEvent", type="keyDown", text=text, commands=commands, **known)
        self._send("Input.dispatchKeyEvent", type="keyUp", **known)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._send("Page.captureScreenshot")["data"]))

    def set_viewport(self, width: int, height: int) -> None:
        raise NotImplementedError("A side panel is as large as the window leaves it")

    def activate(self) -> None:
        self._wire.send("Target.activateTarget", {"targetId": self._target})

    def close(self) -> None:
        self._wire.send("Target.closeTarget", {"targetId": self._target})

    def close_dialog(self, *, accept: bool) -> None:
        self._send("Page.handleJavaScriptDialog", accept=accept)

    def _send(self, method: str, timeout: float = DEADLINE, /, **params: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._wire.send(method, params, timeout, sessionId=self._session)
        return answer


def open_side_panel(browser: Browser, tab_id: int) -> Page:
    """The panel beside the tabs of that tab's window.

    In Firefox, whose sidebar no protocol shows, it is the same page in a tab of that window that stays in the
    background: it follows the window's active tab just so.
    """
    if isinstance(browser, Firefox):
        front = f"browser.tabs.update({tab_id}, {{active: true}}).then(() => true)"
        context = browser._wire.send("browsingContext.create", {"type": "tab", "background": True})["context"]
        browser.control.eval(front)
        page = FirefoxPage(browser._wire, context)
        page.goto(browser.origin + PANEL)
        browser.control.eval(front)
        return page
    assert isinstance(browser, Chromium)
    control = browser._attach(browser._target("page", f"{browser.origin}/settings.html"))
    window = f"chrome.tabs.get({tab_id}).then(({{windowId}}) => chrome.sidePanel.open({{windowId}}))"
    browser._wire.send(
        "Runtime.evaluate",
        {"expression": window, "awaitPromise": True, "userGesture": True},
        sessionId=control,
    )
    browser._wire.post("Target.detachFromTarget", {"sessionId": control})
    target = browser._target("page", browser.origin + PANEL)
    session = browser._attach(target)
    # Of all that is on a screen only one thing has the focus; the panel acts as if it were that.
    browser._wire.send("Emulation.setFocusEmulationEnabled", {"enabled": True}, sessionId=session)
    return TargetPage(browser._wire, session, target["targetId"])
