"""Chromium: Playwright for pages, the DevTools protocol for what Playwright does not show.

The service worker, the offscreen document and the Worker inside it are targets of the browser's own protocol,
reached over its debugging port.
"""

import contextlib
import json
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page as PlaywrightPage

from tests.support.browsers.base import DEADLINE, Browser, BrowserMissing, Page, ScriptFailed, wait_until
from tests.support.browsers.wire import CommandFailed, Wire

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A microphone that beeps, for whoever asks.
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--remote-debugging-port=0",
    # Names for look-alikes of sites.
    "--host-resolver-rules=MAP *.lookalike.example 127.0.0.1",
)
LOG_LINES = 400
WORKER_ANSWERS = 2.0
RELOADS = 3
BACK_AFTER = 20.0
"""Seconds in which a reloaded extension answers its own pages even on a busy machine."""
ANSWERS = "chrome.runtime.sendMessage({target: 'background', action: 'ensure_host'})"
FOLLOW = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
IGNORED = ("browser_ui", "webview")
EVERYTHING = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
"""The protocol's filter for all kinds of targets; a tab is only the shell around a page."""


def find_chromium() -> str:
    """Path of an installed Chromium or Chrome; raise ``BrowserMissing``."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise BrowserMissing("Chromium is not installed: apt-get install chromium")


def _allow_unpacked(profile: Path) -> None:
    """Switch developer mode on: without it an unpacked extension does not come back after a reload."""
    preferences = profile / "Default" / "Preferences"
    if not preferences.exists():
        preferences.parent.mkdir(parents=True, exist_ok=True)
        wish = {"extensions": {"ui": {"developer_mode": True}}}
        preferences.write_text(json.dumps(wish), encoding="utf-8")


class _Playwright:
    """One driver for all browsers of this process, since a thread can hold only one."""

    _driver: Playwright | None = None
    _users = 0

    @classmethod
    def take(cls) -> Playwright:
        if cls._driver is None:
            cls._driver = sync_playwright().start()
        cls._users += 1
        return cls._driver

    @classmethod
    def give_back(cls) -> None:
        cls._users -= 1
        if not cls._users and cls._driver is not None:
            cls._driver.stop()
            cls._driver = None


class ChromiumPage(Page):
    """A page that Playwright drives."""

    def __init__(self, page: PlaywrightPage, context: BrowserContext) -> None:
        self._page = page
        self._context = context

    @property
    def url(self) -> str:
        return self._page.url

    def goto(self, url: str, *, wait: bool = True) -> None:
        self._page.goto(url, wait_until="load" if wait else "commit")

    def reload(self) -> None:
        self._page.reload()

    def eval(self, expression: str, timeout: float = DEADLINE) -> Any:
        try:
            text = self._page.evaluate(f"(async () => JSON.stringify(await ({expression})) ?? 'null')()")
        except PlaywrightError as error:
            raise ScriptFailed(error.message) from error
        return json.loads(text)

    def click_at(self, x: float, y: float) -> None:
        self._page.mouse.click(x, y)

    def keys(self, text: str) -> None:
        self._page.keyboard.type(text)

    def press(self, key: str, *modifiers: str) -> None:
        self._page.keyboard.press("+".join((*modifiers, key)))

    def screenshot(self, path: Path) -> None:
        self._page.screenshot(path=path)

    def set_viewport(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})

    def activate(self) -> None:
        self._page.bring_to_front()

    def close(self) -> None:
        self._page.close()

    def close_dialog(self, *, accept: bool) -> None:
        session = self._context.new_cdp_session(self._page)
        session.send("Page.handleJavaScriptDialog", {"accept": accept})
        session.detach()

    def emulate(self, **media: Any) -> None:
        """Set media features (``color_scheme="dark"``) as Playwright knows them."""
        self._page.emulate_media(**media)


class Chromium(Browser):
    """Chromium with an unpacked extension in a profile of its own."""

    name = "chromium"

    def __init__(self, extension: Path, *, headless: bool = True, profile: Path | None = None) -> None:
        executable = find_chromium()
        self._temporary = None if profile else Path(tempfile.mkdtemp(prefix="webbrain-chromium-"))
        directory = profile or self._temporary
        assert directory is not None
        _allow_unpacked(directory)
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._sessions: dict[str, dict[str, Any]] = {}
        self._playwright = _Playwright.take()
        try:
            self._context = self._playwright.chromium.launch_persistent_context(
                directory,
                executable_path=executable,
                headless=False,
                no_viewport=not headless,
                args=[
                    *(["--headless=new"] if headless else []),
                    *SWITCHES,
                    f"--load-extension={extension}",
                    f"--disable-extensions-except={extension}",
                ],
                ignore_default_args=["--disable-extensions"],
            )
            self._context.set_default_timeout(DEADLINE * 1000)
            port, path = (directory / "DevToolsActivePort").read_text().split()
            self._wire = Wire(f"ws://127.0.0.1:{port}{path}", self._event)
            self._listen()
            worker = self._target("service_worker", "chrome-extension://")
            self.origin = "/".join(worker["url"].split("/")[:3])
            self.control = ChromiumPage(self._context.pages[0], self._context)
            self.control.goto(f"{self.origin}/settings.html")
        except BaseException:
            self.close()
            raise

    def open_page(self, url: str, *, window: bool = False, wait: bool = True) -> Page:
        if not window:
            page = self._context.new_page()
        else:
            with self._context.expect_page() as opened:
                self._wire.send("Target.createTarget", {"url": "about:blank", "newWindow": True})
            page = opened.value
        result = ChromiumPage(page, self._context)
        if url != "about:blank":
            result.goto(url, wait=wait)
        return result

    def close(self) -> None:
        # Ctrl-C reaches the driver and the browser too: they may be gone before us.
        for part in (getattr(self, "_wire", None), getattr(self, "_context", None)):
            if part is not None:
                with contextlib.suppress(Exception):
                    part.close()
        with contextlib.suppress(Exception):
            _Playwright.give_back()
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def hold_dialogs(self) -> None:
        # Playwright dismisses dialogs at once unless somebody listens.
        self._context.on("dialog", lambda _: None)

    def reload_extension(self) -> None:
        """Start the extension anew, and again if it does not come back, as a person would: now and then
        Chromium disowns the worker it has just started ("No SW") and starts no other.
        """
        for _ in range(RELOADS):
            self._reload_once()
            self.control = self.open_page(f"{self.origin}/settings.html")
            with contextlib.suppress(TimeoutError):
                wait_until(self._background_answers, BACK_AFTER, lambda: "the background to answer")
                return
        raise TimeoutError(f"the extension does not come back: {self._background_says()}")

    def _reload_once(self) -> None:
        before = self.service_worker_started()
        self.control.eval("setTimeout(() => chrome.runtime.reload(), 50) && true")
        wait_until(
            lambda: self.service_worker_started() > before, DEADLINE, lambda: "the extension to reload"
        )

    def _background_says(self) -> Any:
        late = "new Promise((resolve) => setTimeout(resolve, 5000, 'nothing'))"
        return self.control.eval(f"Promise.race([{ANSWERS}.catch(String), {late}])")

    def _background_answers(self) -> bool:
        said = self._background_says()
        return isinstance(said, dict) and said.get("ok") is True

    def eval_in_host(self, function: str, timeout: float = DEADLINE) -> Any:
        return self._eval_in(self._target("", self._host_url), f"({function})(globalThis)", timeout)

    def log(self) -> str:
        return "\n".join(self._log)

    def service_worker_started(self) -> float:
        """When the running service worker started, in milliseconds since 1970; 0 if none runs."""
        try:
            target = self._target("service_worker", self.origin, timeout=0)
            # A worker that is about to end may never answer.
            return float(self._eval_in(target, "performance.timeOrigin", WORKER_ANSWERS))
        except (TimeoutError, CommandFailed, ScriptFailed):
            return 0.0

    def kill_service_worker(self) -> float:
        """End the service worker as the browser does when it thinks it idle; return when it had started."""
        started = self.service_worker_started()
        target = self._target("service_worker", self.origin)
        session = self._attach(self._target("page", f"{self.origin}/settings.html"))
        try:
            self._wire.send("ServiceWorker.enable", {}, sessionId=session)
            self._wire.send("ServiceWorker.stopAllWorkers", {}, sessionId=session)
        finally:
            self._wire.post("Target.detachFromTarget", {"sessionId": session})

        def gone() -> bool:
            now = self._targets()
            return all(other["targetId"] != target["targetId"] for other in now) or (
                self.service_worker_started() > started
            )

        wait_until(gone, DEADLINE, lambda: "the service worker to end")
        return started

    def hang_python(self) -> None:
        """Let the Worker's thread run in circles for good, as a stuck regular expression would."""
        self._wire.post("Runtime.evaluate", {"expression": "for (;;) {}"}, sessionId=self._python())

    def crash(self) -> None:
        """End the whole browser at once, as a fault of its own would. Only :meth:`close` may follow."""
        gone: list[bool] = []
        self._context.on("close", lambda _: gone.append(True))
        self._wire.post("Browser.crash", {})
        page = self._context.pages[0] if self._context.pages else None

        def dead() -> bool:
            # The driver tells its events only while it is asked something.
            with contextlib.suppress(PlaywrightError):
                if page is not None:
                    page.evaluate("1")
                return bool(gone)
            return True

        wait_until(dead, DEADLINE, lambda: "the browser to crash")

    def close_host(self) -> None:
        """Close the offscreen document, as the browser may when memory is short."""
        self._wire.send("Target.closeTarget", {"targetId": self._target("", self._host_url)["targetId"]})

    def python_started(self) -> float:
        """When the newest Worker started, in milliseconds since 1970; 0 if it does not answer."""
        try:
            return float(self._evaluate(self._python(), "performance.timeOrigin", WORKER_ANSWERS))
        except (TimeoutError, CommandFailed):
            return 0.0

    def _python(self) -> str:
        """The session of the newest Worker. A Worker can only be attached to through its page."""
        asked: list[str] = []

        def look() -> str:
            sessions = list(self._sessions.items())
            found = next((key for key, target in reversed(sessions) if target["type"] == "worker"), "")
            if not found and not asked:
                asked.append(self._attach(self._target("", self._host_url)))
                self._wire.send("Target.setAutoAttach", FOLLOW, sessionId=asked[0])
            return found

        return str(wait_until(look, DEADLINE, lambda: f"the Worker: {self._targets()}"))

    @property
    def _host_url(self) -> str:
        return f"{self.origin}/host.html"

    def _targets(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._wire.send("Target.getTargets", {"filter": EVERYTHING})[
            "targetInfos"
        ]
        return found

    def _target(self, kind: str, start: str, timeout: float = DEADLINE) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            for target in self._targets():
                if (not kind or target["type"] == kind) and target["url"].startswith(start):
                    return target
            return None

        found: dict[str, Any] = wait_until(
            look, timeout, lambda: f"a target {kind} {start}: {self._targets()}"
        )
        return found

    def _attach(self, target: Mapping[str, Any]) -> str:
        answer = self._wire.send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        return str(answer["sessionId"])

    def _eval_in(self, target: Mapping[str, Any], expression: str, timeout: float = DEADLINE) -> Any:
        session = self._attach(target)
        try:
            return self._evaluate(session, expression, timeout)
        finally:
            self._wire.post("Target.detachFromTarget", {"sessionId": session})

    def _evaluate(self, session: str, expression: str, timeout: float) -> Any:
        answer = self._wire.send(
            "Runtime.evaluate",
            {"expression": expression, "awaitPromise": True, "returnByValue": True},
            timeout,
            sessionId=session,
        )
        if "exceptionDetails" in answer:
            raise ScriptFailed(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def _listen(self) -> None:
        """Follow every page and worker, to keep what its console says."""
        self._wire.send("Target.setAutoAttach", {**FOLLOW, "filter": EVERYTHING})

    def _event(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Target.attachedToTarget":
                target = params["targetInfo"]
                known = any(other["targetId"] == target["targetId"] for other in self._sessions.values())
                # A target may still be without an address here, so its kind decides.
                if target["type"] not in IGNORED and not known:
                    session = params["sessionId"]
                    self._sessions[session] = target
                    self._wire.post("Runtime.enable", {}, sessionId=session)
                    self._wire.post("Target.setAutoAttach", FOLLOW, sessionId=session)
            case "Target.detachedFromTarget":
                self._sessions.pop(params["sessionId"], None)
            case "Runtime.executionContextCreated":
                if target := self._sessions.get(message.get("sessionId", "")):
                    target["url"] = params["context"]["origin"]
            case "Runtime.consoleAPICalled":
                said = " ".join(str(a.get("value", a.get("description", ""))) for a in params["args"])
                self._say(message, f"{params['type']}: {said}")
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                thrown = details.get("exception", {}).get("description", details["text"])
                self._say(message, f"uncaught: {thrown}")

    def _say(self, message: dict[str, Any], text: str) -> None:
        target = self._sessions.get(message.get("sessionId", ""), {})
        where = str(target.get("url", "?")).rsplit("/", 1)[-1]
        self._log.append(f"{time.strftime('%H:%M:%S')} {target.get('type', '?')} {where} {text}")
