"""A server of files for the scenarios of network and downloads, under two names: two sites for a browser."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from webbrain.testing.local_server import LocalServer


@dataclass(frozen=True, slots=True)
class File:
    """What lies at a path. ``saved`` has the browser save it instead of showing it."""

    body: bytes
    mime: str = "text/html; charset=utf-8"
    saved: bool = False


def _file(given: File | bytes | str) -> File:
    if isinstance(given, File):
        return given
    return File(given.encode() if isinstance(given, str) else given)


@dataclass(slots=True)
class FileSite:
    """Serves ``files``; ``/to?ADDRESS`` leads anywhere. Every answer sets the cookie ``who=user``.

    ``url`` and ``other`` are the two names, ``hits`` lists ``(path, cookie header)``.
    """

    files: Mapping[str, File | bytes | str]
    hits: list[tuple[str, str]] = field(default_factory=list)
    _server: LocalServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._running.port}"

    @property
    def other(self) -> str:
        return f"http://localhost:{self._running.port}"

    @property
    def port(self) -> int:
        return self._running.port

    def asked(self, path: str) -> list[str]:
        """The cookie header of every request of that path."""
        return [cookie for asked, cookie in self.hits if asked == path]

    @property
    def _running(self) -> LocalServer:
        assert self._server is not None, "the site is not running"
        return self._server

    def __enter__(self) -> Self:
        self._server = LocalServer(self._app).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.stop()

    def _app(self) -> web.Application:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.hits.append((request.path, request.headers.get("cookie", "")))
        if request.path == "/to":
            response = web.Response(status=302, headers={"location": request.query_string})
        elif request.path in self.files:
            given = self.files[request.path]
            file = (
                given
                if isinstance(given, File)
                else File(given.encode() if isinstance(given, str) else given)
            )
            headers = {"content-type": file.mime}
            if file.saved:
                headers["content-disposition"] = f'attachment; filename="{request.path[1:]}"'
            response = web.Response(body=file.body, headers=headers)
        else:
            response = web.Response(status=404, text="nothing here")
        response.set_cookie("who", "user")
        return response
