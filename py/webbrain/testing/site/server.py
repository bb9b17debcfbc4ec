"""The shop as a running server that remembers every effect."""

import random
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import web

from webbrain.testing.local_server import Hosted, LocalServer
from webbrain.testing.site import hostile, pages, words
from webbrain.testing.site.words import CITIES, PRODUCTS, Order

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Placed:
    """An accepted order with the number the shop gave it."""

    number: str
    order: Order


class Shop(Hosted):
    """A small shop on 127.0.0.1: products, a search, an order form, facts, and hostile pages.

    ``seed`` decides wording and order of everything, and the order numbers. The record is the truth for
    tests: ``placed`` holds accepted orders, ``submissions`` every form that came, ``hits`` how often a path
    was asked.
    """

    def __init__(self, seed: int = 0, *, port: int = 0) -> None:
        self.seed = seed
        self.words = words.wording(seed)
        self.task, self.expected = words.task(seed)
        self.placed: list[Placed] = []
        self.submissions: list[dict[str, str]] = []
        self.hits: Counter[str] = Counter()
        self._numbers = random.Random(f"numbers {seed}")
        self._holds = hostile.Holds()
        self._changed = threading.Condition()
        self._server = LocalServer(self._app, port=port)

    @property
    def url(self) -> str:
        """Address of the product list, without a slash at the end."""
        return self._server.url

    def fulfilled(self) -> bool:
        """Exactly one order was placed, and it is the one the task asks for."""
        return [placed.order for placed in self.placed] == [self.expected]

    def release(self, name: str) -> None:
        """Open the gate ``name`` of ``/hold/NAME``, ``never`` or ``slow``."""
        self._server.call(lambda: self._holds.gate(name).set())

    def waiting(self, name: str) -> int:
        """How many requests stand before the gate ``name``."""
        return self._holds.waiting.get(name, 0)

    def wait_for_hit(self, path: str, count: int = 1, timeout: float = 30.0) -> None:
        """Return once ``path`` was asked ``count`` times; raise ``TimeoutError``."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.hits[path] >= count, timeout):
                raise TimeoutError(f"{path} was asked {self.hits[path]} times, not {count}")

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._count])
        app.add_routes(
            [
                web.get("/", self._products),
                web.get("/search", self._products),
                web.get("/about", self._about),
                web.get("/product/{slug}", self._product),
                web.get("/order", self._form),
                web.post("/order", self._place),
                web.get("/order/{number}", self._confirmation),
                *hostile.routes(self._holds),
            ]
        )
        return app

    @web.middleware
    async def _count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        with self._changed:
            self.hits[request.path] += 1
            self._changed.notify_all()
        response = await handler(request)
        if not response.prepared:
            response.headers["Cache-Control"] = "no-store"
        return response

    async def _products(self, request: web.Request) -> web.Response:
        return _html(pages.products(self.words, request.query.get("q", "")))

    async def _about(self, _: web.Request) -> web.Response:
        return _html(pages.ABOUT)

    async def _product(self, request: web.Request) -> web.Response:
        return _html(pages.product(self.words, self._slug(request.match_info)))

    async def _form(self, request: web.Request) -> web.Response:
        return _html(pages.order_form(self.words, self._slug({"slug": request.query.get("product", "")})))

    async def _place(self, request: web.Request) -> web.Response:
        sent = {key: str(value).strip() for key, value in (await request.post()).items()}
        with self._changed:
            self.submissions.append(sent)
            self._changed.notify_all()
        slug = self._slug({"slug": sent.get("product", "")})
        problems = self._problems(sent)
        if problems:
            return _html(pages.order_form(self.words, slug, sent, problems), status=422)
        placed = Placed(
            number=f"CS-{self._numbers.randrange(10_000, 99_999)}",
            order=Order(
                product=slug,
                quantity=int(sent["quantity"]),
                name=sent["name"],
                email=sent["email"],
                date=sent["date"],
                city=sent["city"],
                newsletter="newsletter" in sent,
            ),
        )
        self.placed.append(placed)
        raise web.HTTPSeeOther(f"/order/{placed.number}")

    async def _confirmation(self, request: web.Request) -> web.Response:
        for placed in self.placed:
            if placed.number == request.match_info["number"]:
                order = placed.order
                name = PRODUCTS[order.product][0]
                return _html(
                    pages.confirmation(self.words, placed.number, order.name, name, order.date, order.city)
                )
        raise web.HTTPNotFound

    def _problems(self, sent: Mapping[str, str]) -> list[str]:
        label = self.words.labels
        checks = {
            "name": bool(sent.get("name")),
            "email": bool(EMAIL.fullmatch(sent.get("email", ""))),
            "date": bool(ISO_DATE.fullmatch(sent.get("date", ""))),
            "city": sent.get("city") in CITIES,
            "quantity": sent.get("quantity", "") in set("123456789"),
            "terms": "terms" in sent,
        }
        return [f"{label[key]} is missing or not valid." for key, fine in checks.items() if not fine]

    @staticmethod
    def _slug(match: Mapping[str, str]) -> str:
        if match["slug"] not in PRODUCTS:
            raise web.HTTPNotFound
        return match["slug"]


def _html(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")
