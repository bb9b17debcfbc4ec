"""Firefox over WebDriver BiDi, with nothing between: the protocol is spoken here.

Two things to know. Pages of an extension may only be opened when Firefox runs with
``--remote-allow-system-access``. And BiDi sends no events for such pages, so everything here asks and polls.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.browsers.base import DEADLINE, Browser, BrowserMissing, Page, ScriptFailed, wait_until
from tests.support.browsers.wire import CommandFailed, Wire

NAMES = ("firefox-esr", "firefox")
UUID = "6f0c7a52-3c1e-4d0b-9c55-0a2b7f6d1e42"
"""Fixed, so that the address of the extension's pages is known before it is installed."""
START_TIMEOUT = 60.0
LOG_CHARS = 20_000

QUIET: Mapping[str, bool | int | str] = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.sessionstore.resume_from_crash": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.tabs.warnOnClose": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "devtools.console.stdout.content": True,
    "extensions.getAddons.cache.enabled": False,
    # A microphone that hums, for whoever asks.
    "media.navigator.permission.disabled": True,
    "media.navigator.streams.fake": True,
    "extensions.update.enabled": False,
    # A temporary add-on is gone when the browser starts again; put in anew, it finds what it had stored.
    "extensions.webextensions.keepStorageOnUninstall": True,
    "extensions.webextensions.keepUuidOnUninstall": True,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "privacy.reduceTimerPrecision": False,
    "services.settings.server": "data:,#off",
    "toolkit.startup.max_resumed_crashes": -1,
    "toolkit.telemetry.enabled": False,
}
"""No greeting, no update, no call home, no question after a crash; consoles go to standard output; clocks are
exact; storage outlives an add-on."""

KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "Delete": "\ue017",
    "Backspace": "\ue003",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Home": "\ue011",
    "End": "\ue010",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Alt": "\ue00a",
    "Space": " ",
}


def find_firefox() -> str:
    """Path of an installed Firefox; raise ``BrowserMissing``."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise BrowserMissing("Firefox is not installed: apt-get install firefox-esr")


class FirefoxPage(Page):
    """A browsing context of the top level."""

    def __init__(self, wire: Wire, context: str) -> None:
        self._wire = wire
        self.context = context

    @property
    def url(self) -> str:
        tree = self._wire.send("browsingContext.getTree", {"root": self.context, "maxDepth": 0})
        return str(tree["contexts"][0]["url"])

    def goto(self, url: str, *, wait: bool = True) -> None:
        state = "complete" if wait else "none"
        self._wire.send("browsingContext.navigate", {"context": self.context, "url": url, "wait": state})

    def reload(self) -> None:
        # For pages of an extension reload reports no end; going to the same address does.
        self.goto(self.url)

    def eval(self, expression: str, timeout: float = DEADLINE) -> Any:
        try:
            answer = self._wire.send(
                "script.evaluate",
                {
                    "target": {"context": self.context},
                    "awaitPromise": True,
                    "expression": f"(async () => JSON.stringify(await ({expression})) ?? 'null')()",
                },
                timeout,
            )
        except CommandFailed as error:
            raise ScriptFailed(str(error)) from error
        if answer["type"] == "exception":
            raise ScriptFailed(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def click_at(self, x: float, y: float) -> None:
        self._act(
            "pointer",
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        )

    def keys(self, text: str) -> None:
        strokes = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._act("key", *strokes)

    def press(self, key: str, *modifiers: str) -> None:
        held = [KEYS[name] for name in modifiers]
        value = KEYS.get(key, key)
        self._act(
            "key",
            *({"type": "keyDown", "value": name} for name in (*held, value)),
            *({"type": "keyUp", "value": name} for name in (value, *reversed(held))),
        )

    def screenshot(self, path: Path) -> None:
        data = self._wire.send("browsingContext.captureScreenshot", {"context": self.context})["data"]
        path.write_bytes(base64.b64decode(data))

    def set_viewport(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._wire.send("browsingContext.setViewport", {"context": self.context, "viewport": size})

    def activate(self) -> None:
        self._wire.send("browsingContext.activate", {"context": self.context})

    def close(self) -> None:
        self._wire.send("browsingContext.close", {"context": self.context})

    def close_dialog(self, *, accept: bool) -> None:
        self._wire.send("browsingContext.handleUserPrompt", {"context": self.context, "accept": accept})

    def _act(self, kind: str, *actions: dict[str, Any]) -> None:
        source = {"type": kind, "id": kind, "actions": list(actions)}
        self._wire.send("input.performActions", {"context": self.context, "actions": [source]})


class Firefox(Browser):
    """Firefox with an unpacked extension as a temporary add-on, in a profile of its own."""

    name = "firefox"

    def __init__(
        self,
        extension: Path,
        *,
        headless: bool = True,
        profile: Path | None = None,
        preferences: Mapping[str, bool | int | str] | None = None,
    ) -> None:
        executable = find_firefox()
        self._temporary = None if profile else Path(tempfile.mkdtemp(prefix="webbrain-firefox-"))
        self._profile = profile or self._temporary
        assert self._profile is not None
        self._profile.mkdir(parents=True, exist_ok=True)
        manifest = json.loads((extension / "manifest.json").read_text(encoding="utf-8"))
        self._addon = addon = manifest["browser_specific_settings"]["gecko"]["id"]
        self.origin = f"moz-extension://{UUID}"
        own: dict[str, bool | int | str] = {
            "browser.download.dir": str(self._profile / "downloads"),
            "browser.download.folderList": 2,
            "extensions.webextensions.uuids": json.dumps({addon: UUID}),
        }
        self._prepare({**QUIET, **(preferences or {}), **own})
        self._output = (self._profile / "output.log").open("wb")
        self._process = subprocess.Popen(
            [
                executable,
                *(["--headless"] if headless else []),
                "--no-remote",
                "--profile",
                str(self._profile),
                "--remote-debugging-port",
                "0",
                "--remote-allow-system-access",
                "about:blank",
            ],
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "MOZ_CRASHREPORTER_DISABLE": "1"},
        )
        try:
            self._wire = Wire(self._address(), lambda _: None)
            self._wire.send(
                "session.new",
                {"capabilities": {"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}}},
            )
            where = {"type": "path", "path": str(extension)}
            self._wire.send("webExtension.install", {"extensionData": where})
            self.control = self.open_page(f"{self.origin}/settings.html")
        except BaseException:
            self.close()
            raise

    def open_page(self, url: str, *, window: bool = False, wait: bool = True) -> Page:
        created = self._wire.send("browsingContext.create", {"type": "window" if window else "tab"})
        page = FirefoxPage(self._wire, created["context"])
        if url != "about:blank":
            page.goto(url, wait=wait)
        return page

    def close(self) -> None:
        wire = getattr(self, "_wire", None)
        if wire:
            try:
                wire.send("browser.close", {}, 10)
                wire.close()
            except (CommandFailed, TimeoutError):
                pass
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._output.close()
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def crash(self) -> None:
        """End the whole browser at once. Only :meth:`close` may follow."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def hold_dialogs(self) -> None:
        return  # the session leaves them alone in any case

    def reload_extension(self) -> None:
        before = self._instance()
        self.control.eval("setTimeout(() => browser.runtime.reload(), 50) && true")
        # Opening a page of the extension while it is down would never end.
        wait_until(lambda: self._instance() not in ("", before), DEADLINE, lambda: "the extension to reload")
        self.control = self.open_page(f"{self.origin}/settings.html")

    def _instance(self) -> str:
        """The number of the extension's present life; empty while its background page is not running."""
        contexts = self._wire.send("browsingContext.getTree", {"moz:scope": "chrome"})["contexts"]
        window = next(one["context"] for one in contexts if one["url"].endswith("/browser.xhtml"))
        return str(
            FirefoxPage(self._wire, window).eval(
                f"""(() => {{
                  const extension = WebExtensionPolicy.getByID({json.dumps(self._addon)})?.extension;
                  return extension?.backgroundState === 'running' ? String(extension.instanceId) : '';
                }})()"""
            )
        )

    def eval_in_host(self, function: str, timeout: float = DEADLINE) -> Any:
        return self.control.eval(f"({function})(browser.extension.getBackgroundPage())", timeout)

    def log(self) -> str:
        assert self._profile is not None
        return (self._profile / "output.log").read_text(errors="replace")[-LOG_CHARS:]

    def _prepare(self, preferences: Mapping[str, bool | int | str]) -> None:
        assert self._profile is not None
        lines = [
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in preferences.items()
        ]
        (self._profile / "user.js").write_text("".join(lines), encoding="utf-8")
        (self._profile / "WebDriverBiDiServer.json").unlink(missing_ok=True)

    def _address(self) -> str:
        assert self._profile is not None
        file = self._profile / "WebDriverBiDiServer.json"

        def look() -> dict[str, Any] | None:
            if self._process.poll() is not None:
                raise BrowserMissing(f"Firefox ended at once: {self.log()}")
            try:
                found: dict[str, Any] = json.loads(file.read_text())
            except (FileNotFoundError, ValueError):
                return None
            return found

        server = wait_until(look, START_TIMEOUT, lambda: f"Firefox to start: {self.log()}")
        return f"ws://{server['ws_host']}:{server['ws_port']}/session"
