"""A real page in Chromium with the bundled content script in a world of its own, as the extension injects it.

Tests talk to the script through its message listener and look at the page through the page's own world, so what they
assert is the page's state and not our word for it.
"""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "tests" / "pages"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
BOOT = """
globalThis.chrome = {
  runtime: {
    id: "webbrain-test",
    getManifest: () => ({ version: "1.0.0" }),
    onMessage: {
      listeners: [],
      addListener(f) { this.listeners.push(f); },
      removeListener(f) { this.listeners = this.listeners.filter((x) => x !== f); },
    },
  },
};
"""
ASK = """
new Promise((done) => {
  const [message, sender] = %s;
  const taken = chrome.runtime.onMessage.listeners.map((f) => f(message, sender, done));
  if (!taken.includes(true)) done("ignored");
})
"""


@dataclass
class Site:
    """A loopback server of the pages folder, of pages made up by tests, and of what they send."""

    origin: str
    made: dict[str, tuple[str, str]] = field(default_factory=dict)
    received: list[tuple[str, str, dict[str, list[str]]]] = field(default_factory=list)

    def page(self, html: str, kind: str = "text/html; charset=utf-8") -> str:
        """Serve this text and return its address."""
        path = f"/made/{len(self.made)}"
        self.made[path] = (html, kind)
        return self.origin + path


class Handler(SimpleHTTPRequestHandler):
    """Pages from memory first, then from the folder; anything under /sent is written down."""

    site: Site

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/sent"):
            self.site.received.append(("GET", parts.path, parse_qs(parts.query)))
            self._answer("<!doctype html><title>Sent</title><h1>Thank you</h1>", "text/html")
        elif parts.path in self.site.made:
            self._answer(*self.site.made[parts.path])
        else:
            super().do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.site.received.append(("POST", urlsplit(self.path).path, parse_qs(body)))
        self._answer("<!doctype html><title>Sent</title><h1>Thank you</h1>", "text/html")

    def _answer(self, text: str, kind: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Nothing: pytest shows what matters."""


class Tab:
    """One page and our script in it."""

    def __init__(self, page: Page, cdp: CDPSession, bundle: str, site: Site) -> None:
        self.page = page
        self.site = site
        self._cdp = cdp
        self._bundle = bundle
        self._context = 0

    def open(self, url: str) -> "Tab":
        """Go to an address (a bare name is a file of the pages folder) and inject."""
        self.page.goto(url if "://" in url else f"{self.site.origin}/{url}")
        return self.inject()

    def show(self, body: str, head: str = "") -> "Tab":
        """Open a page made of this body."""
        return self.open(self.site.page(f"<!doctype html><title>Test</title>{head}<body>{body}"))

    def case(self, name: str) -> "Tab":
        """Open a page of tests/pages/cases."""
        return self.open(f"cases/{name}.html")

    def inject(self) -> "Tab":
        """Put the script into the document as it is now."""
        frame = self._cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = self._cdp.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "content"})
        self._context = world["executionContextId"]
        self.isolated(BOOT + self._bundle)
        return self

    def isolated(self, expression: str) -> Any:
        """Evaluate in the script's own world."""
        answer = self._cdp.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": self._context, "awaitPromise": True, "returnByValue": True},
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def again(self) -> "Tab":
        """Inject the script a second time into the same world."""
        self.isolated(self._bundle)
        return self

    def send(self, message: dict[str, Any], sender: str = "webbrain-test") -> Any:
        """Deliver any message, from any sender."""
        return self.isolated(ASK % json.dumps([message, {"id": sender}]))

    def call(self, action: str, **args: Any) -> dict[str, Any]:
        """One action and its answer."""
        answer = self.send({"target": "content", "action": action, "args": args})
        assert isinstance(answer, dict), answer
        return answer

    def tree(self, **args: Any) -> str:
        """The text of one page of the tree."""
        answer = self.call("tree", **args)
        assert answer["success"], answer
        return str(answer["pageContent"])

    def ref(self, start: str, nth: int = 0, **args: Any) -> str:
        """The reference of the nth line that begins so (indentation aside)."""
        args.setdefault("maxChars", 12_000)
        text = self.tree(**args)
        hits = [line for line in text.splitlines() if line.strip().startswith(start)]
        assert len(hits) > nth, f"no line starts with {start!r} in:\n{text}"
        return hits[nth].split("[ref_", 1)[1].split("]", 1)[0].join(["ref_", ""])

    def click(self, start: str, **args: Any) -> dict[str, Any]:
        """click_ax on the line that begins so."""
        return self.call("click_ax", ref_id=self.ref(start), **args)

    def fill(self, start: str, text: str, **args: Any) -> dict[str, Any]:
        """set_field on the line that begins so."""
        return self.call("set_field", ref_id=self.ref(start), text=text, **args)

    def js(self, expression: str) -> Any:
        """What the page itself says."""
        return self.page.evaluate(expression)

    def until(self, expression: str) -> None:
        """Wait for the page's own state."""
        self.page.wait_for_function(expression, timeout=20_000)


@pytest.fixture(scope="package")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The content script as the build makes it: one classic script."""
    out = tmp_path_factory.mktemp("content") / "content.js"
    command = ["npx", "esbuild", "js/content/index.js", "--bundle", "--format=iife", "--target=es2022", f"--outfile={out}"]
    subprocess.run([*command, "--log-level=error"], cwd=ROOT, check=True)
    return out.read_text()


@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    """The loopback server."""
    handler = type("Bound", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(PAGES)))
    found = Site(f"http://127.0.0.1:{server.server_port}")
    handler.site = found
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for the whole folder; closed with it, so that no event loop is left to the tests after."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Browser, bundle: str, site: Site) -> Iterator[Tab]:
    """A fresh page; a script error of ours or a word on the console fails the test."""
    context = chromium.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    yield Tab(page, context.new_cdp_session(page), bundle, site)
    context.close()


@pytest.fixture
def new_tab(tab: Tab, bundle: str, site: Site) -> Callable[[Page], Tab]:
    """Wrap a page that another one opened."""
    return lambda page: Tab(page, page.context.new_cdp_session(page), bundle, site)
