"""A site made of a few lines of HTML per path, some of them slow, for scenarios with pages of their own."""

import asyncio
from collections.abc import Mapping
from typing import Self

from aiohttp import web

from webbrain.testing.local_server import LocalServer

FRAME = "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><body>{body}</body></html>"


class PageSite(LocalServer):
    """Serves ``pages`` (path to what stands in the body); ``slow`` paths come after so many seconds.

    ``hits`` lists the paths that were asked for.
    """

    def __init__(self, pages: Mapping[str, str], slow: Mapping[str, float] | None = None) -> None:
        super().__init__(self._app)
        self.pages = dict(pages)
        self.slow = dict(slow or {})
        self.hits: list[str] = []

    def __enter__(self) -> Self:
        return self.start()

    def count(self, path: str) -> int:
        """How often a path was asked for."""
        return self.hits.count(path)

    def _app(self) -> web.Application:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.path
        if path not in self.pages:
            raise web.HTTPNotFound
        self.hits.append(path)
        if path in self.slow:
            await asyncio.sleep(self.slow[path])
        text = FRAME.format(title=path.strip("/") or "home", body=self.pages[path])
        return web.Response(text=text, content_type="text/html")
