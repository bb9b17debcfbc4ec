"""A real page in Chromium with the bundled content script in a world of its own, as the extension has it.

Tests talk to the script through its message listener and look at the page through the page's own world, so
what they assert is the page's state and not our word for it.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import CDPSession, Page

from tests.content.left import ALIVE, GUARD, KINDS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "tests" / "pages"
CHROMIUM = "/usr/bin/chromium"
INSECURE = "insecure.test"
"""A name for the loopback server that browsers do not trust as they trust 127.0.0.1."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    f"--host-resolver-rules=MAP {INSECURE} 127.0.0.1",
]
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

RECORD = """<script>
  window.seen = [];
  const types = ["pointerover", "pointerenter", "mouseover", "mousemove", "pointerdown", "mousedown", "focus",
    "pointerup", "mouseup", "click", "dblclick", "keydown", "keypress", "beforeinput",
    "input", "keyup", "change", "submit"];
  const note = (e) => { if (e.target.dataset?.watch !== undefined) seen.push(e); };
  for (const type of types) addEventListener(type, note, true);
  window.kinds = () => seen.map((e) => e.type).filter((t, i, all) => t !== all[i - 1]);
</script>"""
"""Every event of elements marked ``data-watch``, for pages under test."""


@dataclass
class Site:
    """A loopback server of the pages folder, of pages made up by tests, and of what they send."""

    origin: str
    made: dict[str, tuple[str, str]] = field(default_factory=dict)
    received: list[tuple[str, str, dict[str, list[str]]]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

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
        elif parts.path == "/hang":
            self.site.closed.wait(60)
        elif parts.path == "/slow":
            self.site.closed.wait(float(parse_qs(parts.query)["seconds"][0]))
            self._answer("<!doctype html><title>Slow</title><p>At last", "text/html")
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


@contextmanager
def serving() -> Iterator[Site]:
    """A site that answers until the block ends."""
    handler = type("Bound", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(PAGES)))
    found = Site(f"http://127.0.0.1:{server.server_port}")
    setattr(handler, "site", found)  # noqa: B010 - a class made at run time has no declared attributes
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.closed.set()
        server.shutdown()
        server.server_close()


class Tab:
    """One page and our script in it."""

    def __init__(self, page: Page, cdp: CDPSession, bundle: str, site: Site) -> None:
        self.page = page
        self.site = site
        self._cdp = cdp
        self.bundle = bundle
        self._context = 0
        page.on("crash", lambda _: pytest.fail("the page crashed"))

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
        self.isolated(BOOT + self.bundle)
        return self

    def isolated(self, expression: str) -> Any:
        """Evaluate in the script's own world."""
        answer = self._cdp.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": self._context,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def again(self) -> "Tab":
        """Inject the script a second time into the same world."""
        self.isolated(self.bundle)
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

    def ref_of(self, name: str) -> str:
        """The reference of the first line with this name, whatever its role."""
        text = self.tree(maxChars=12_000)
        line = next(line for line in text.splitlines() if f' "{name}" [ref_' in f" {line}")
        return "ref_" + line.split("[ref_", 1)[1].split("]", 1)[0]

    def click(self, start: str, **args: Any) -> dict[str, Any]:
        """click_ax on the line that begins so."""
        return self.call("click_ax", ref_id=self.ref(start), **args)

    def fill(self, start: str, text: str, **args: Any) -> dict[str, Any]:
        """set_field on the line that begins so."""
        return self.call("set_field", ref_id=self.ref(start), text=text, **args)

    def type(self, start: str, text: str, **args: Any) -> dict[str, Any]:
        """type_ax on the line that begins so."""
        return self.call("type_ax", ref_id=self.ref(start), text=text, **args)

    def probe(self, tool: str, **args: Any) -> dict[str, Any]:
        """submit_probe for an action with these arguments."""
        return self.call("submit_probe", tool=tool, args=args)

    def js(self, expression: str) -> Any:
        """What the page itself says."""
        return self.page.evaluate(expression)

    def made_of(self) -> Any:
        """What the page consists of, for ``left.differences``."""
        answer = self._cdp.send("Runtime.evaluate", {"expression": KINDS, "returnByValue": True})
        return answer["result"]["value"]

    def guard(self) -> None:
        """From now on notice what the script begins and does not end."""
        self.isolated(GUARD)

    def alive(self) -> Any:
        """What began since ``guard`` and did not end of itself soon after."""
        return self.isolated(ALIVE)

    def collect_garbage(self) -> None:
        """Let the browser forget what nobody holds."""
        self._cdp.send("HeapProfiler.collectGarbage")

    def until(self, expression: str) -> None:
        """Wait for the page's own state."""
        self.page.wait_for_function(expression, timeout=20_000)
