"""A server for pages a test writes on the spot. It has two names, each of another origin for the other."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

HTML: Final = "text/html; charset=utf-8"


class SmallSite:
    """Serves ``pages`` by path; ``OTHER`` in a page is the origin of the other name.

    Every page sets the cookie ``who=user``. ``/to?PATH`` leads to another address of the other name,
    ``/slow`` sends its head and one word at once and another after ``release``, ``/file.bin`` is a download.
    ``requests`` lists ``(method, path, cookie)``.
    """

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)
        self.files: dict[str, tuple[str, bytes]] = {}
        """What is no page, by path: its type and its bytes."""
        self.requests: list[tuple[str, str, str]] = []
        self.release = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site._answer(self)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                site._answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.other = f"http://localhost:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> "SmallSite":
        return self

    def __exit__(self, *_: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()

    def asked(self, path: str) -> list[tuple[str, str]]:
        """``(method, cookie)`` of every request of that path."""
        return [(method, cookie) for method, asked, cookie in self.requests if asked == path]

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        path, _, query = request.path.partition("?")
        self.requests.append((request.command, request.path, request.headers.get("cookie", "")))
        if path == "/to":
            request.send_response(302)
            request.send_header("location", self.other + query)
            request.end_headers()
            return
        download = path == "/file.bin"
        page = self.pages.get(path, "").replace("OTHER", self.other).encode()
        kind, body = self.files.get(path, (HTML, page))
        if download:
            kind, body = "application/octet-stream", b"hello"
        known = download or path in self.pages or path in self.files or path == "/slow"
        request.send_response(200 if known else 404)
        request.send_header("content-type", kind)
        if download:
            request.send_header("content-disposition", "attachment")
        if path != "/slow":
            request.send_header("content-length", str(len(body)))
        request.send_header("set-cookie", "who=user")
        request.end_headers()
        if path == "/slow":
            # Firefox tells nobody of a head without a body.
            request.wfile.write(b"early ")
            self.release.wait()
            body = b"late"
        request.wfile.write(body)
