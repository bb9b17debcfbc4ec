"""The screens on their own: bundled from the checkout, served on this machine, with a fake port inside.

What is served is what the build packages (same entries, same options); only the WebExtension API is a
stand-in, so that every state a screen can be in can be shown at will.
"""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from tests.support.ui_states import STATES

ROOT = Path(__file__).resolve().parents[2]
UI = ROOT / "js/ui"
FAKE = ROOT / "tests/ui/fake_port.js"
AXE = ROOT / "node_modules/axe-core/axe.min.js"
PAGES = ("sidepanel", "settings")


def bundle(folder: Path) -> None:
    """Put pages, bundles, style sheets and messages into ``folder``, laid out as in a built extension."""
    for name in PAGES:
        shutil.copy(UI / f"{name}.html", folder / f"{name}.html")
        _esbuild(UI / f"{name}.jsx", folder / f"js/{name}.js", "--format=esm")
    _esbuild(UI / "prepaint.js", folder / "js/prepaint.js", "--format=iife")
    shutil.copytree(UI / "css", folder / "css")
    shutil.copytree(ROOT / "js/_locales", folder / "_locales")
    shutil.copy(FAKE, folder / "fake_port.js")


def _esbuild(source: Path, target: Path, form: str) -> None:
    options = ["--bundle", "--jsx=automatic", "--jsx-import-source=preact", "--log-level=error", form]
    command = [str(ROOT / "node_modules/.bin/esbuild"), str(source), *options, f"--outfile={target}"]
    subprocess.run(command, check=True, cwd=ROOT)


class _Handler(SimpleHTTPRequestHandler):
    """Files as they are; pages with the state of their ``?state=`` and the fake port written in."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def do_GET(self) -> None:
        """Answer one request."""
        address = urlsplit(self.path)
        if not address.path.endswith(".html"):
            super().do_GET()
            return
        query = {key: value[0] for key, value in parse_qs(address.query).items()}
        state = {**STATES[query["state"]].table(), "language": query.get("language", "en")}
        if general := state["replies"].get("settings.get"):
            general["values"]["themeMode"] = query.get("theme") or "system"
        body = self._page(address.path.strip("/"), state, query.get("theme", "")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _page(self, name: str, state: Mapping[str, Any], theme: str) -> str:
        page = (Path(self.directory) / name).read_text(encoding="utf-8")
        table = json.dumps(state).replace("<", "\\u003c")
        first = f"localStorage.clear();{f'localStorage.themeMode={json.dumps(theme)};' if theme else ''}"
        scripts = f"<script>{first}globalThis.wbState={table}</script><script src='fake_port.js'></script>"
        return re.sub(r"(?=<script src=\"js/prepaint)", lambda _: scripts, page, count=1)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a bundled folder; yields the origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def address(origin: str, state: str, *, theme: str = "", language: str = "en") -> str:
    """Where a state is shown. ``theme`` is ``light``, ``dark`` or empty for the system's."""
    page = STATES[state].page
    anchor = STATES[state].anchor
    query = f"state={quote(state)}&theme={theme}&language={language}{STATES[state].query}"
    return f"{origin}/{page}.html?{query}{anchor}"
