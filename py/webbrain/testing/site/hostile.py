"""Pages that real sites serve on bad days: endless, huge, empty, fleeing.

``/hold/NAME`` shows an element only once a test released NAME, so that a tool waiting for it stays open for
exactly as long as the test wants.
"""

import asyncio
from importlib.resources import files

from aiohttp import web

HUGE_NODES = 100_000
HUGE_ATTRIBUTE = 1_000_000


class Holds:
    """Named gates; made and awaited inside the server's loop."""

    def __init__(self) -> None:
        self._gates: dict[str, asyncio.Event] = {}
        self.waiting: dict[str, int] = {}

    def gate(self, name: str) -> asyncio.Event:
        """The gate of that name, made closed when first asked for."""
        return self._gates.setdefault(name, asyncio.Event())

    async def wait(self, name: str) -> None:
        """Return once the gate is open; counted in ``waiting`` while closed."""
        self.waiting[name] = self.waiting.get(name, 0) + 1
        try:
            await self.gate(name).wait()
        finally:
            self.waiting[name] -= 1


def routes(holds: Holds) -> list[web.RouteDef]:
    """The routes of all hostile pages."""

    async def hold_page(_: web.Request) -> web.Response:
        return _html(_file("hold.html"))

    async def hold_wait(request: web.Request) -> web.Response:
        await holds.wait(request.match_info["name"])
        return web.json_response({"released": request.match_info["name"]})

    async def never(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html; charset=utf-8"})
        await response.prepare(request)
        await response.write(
            b"<!doctype html><title>Endless</title><h1>Half a page</h1><p>The first half arrived.</p>"
            b"<button>Press me</button>" + b" " * 4096
        )
        await holds.wait("never")
        return response

    async def slow(request: web.Request) -> web.Response:
        await holds.wait(request.query.get("gate", "slow"))
        return _html("<!doctype html><title>Slow</title><h1>Finally</h1>")

    async def huge(_: web.Request) -> web.Response:
        rows = "".join(f"<p>Row {i} <a href='#r{i}'>link {i}</a></p>" for i in range(HUGE_NODES // 4))
        return _html(f"<!doctype html><title>Huge</title><h1>Huge page</h1>{rows}<button>The end</button>")

    async def attribute(_: web.Request) -> web.Response:
        big = "x" * HUGE_ATTRIBUTE
        return _html(
            "<!doctype html><title>Attribute</title><h1>Big attribute</h1>"
            f'<button aria-label="{big}">Big name</button><a href="/about?{big}">Big address</a>'
            f'<input aria-label="Big value" value="{big}">'
        )

    async def no_body(_: web.Request) -> web.Response:
        return _html(_file("no-body.html"))

    async def svg(_: web.Request) -> web.Response:
        return web.Response(
            text='<svg xmlns="http://www.w3.org/2000/svg"><text y="20">A drawing</text></svg>',
            content_type="image/svg+xml",
        )

    async def leaves(_: web.Request) -> web.Response:
        return _html(_file("leaves.html"))

    return [
        web.get("/hold/{name}", hold_page),
        web.get("/hold/{name}/wait", hold_wait),
        web.get("/hostile/never", never),
        web.get("/hostile/slow", slow),
        web.get("/hostile/huge", huge),
        web.get("/hostile/attribute", attribute),
        web.get("/hostile/no-body", no_body),
        web.get("/hostile/drawing.svg", svg),
        web.get("/hostile/leaves", leaves),
    ]


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html", charset="utf-8")


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
