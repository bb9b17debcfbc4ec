"""Requests behind repeated presses, with the built extension: noticed if wanted, sent again by the page."""

import json
from collections.abc import Iterator

import pytest
from aiohttp import web

from tests.support.port import Port
from tests.support.script import Results, call, done, on_ref, see
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.local_server import LocalServer

TOKEN = "f7a1c09b2e8d4536a1b2c3d4e5f60718"
NOTE = "kept between the page and its server"
PAGE = f"""<!doctype html><title>Stars</title><h1>Stars</h1><p id=said>0</p>
<button onclick="star()">Star it</button>
<script>
document.cookie = 'sid=cookie-of-the-user';
const star = async () => {{
  const answer = await fetch('/star', {{
    method: 'POST', body: JSON.stringify({{id: 7, note: '{NOTE}', csrf: '{TOKEN}'}}),
    headers: {{'content-type': 'application/json', 'x-csrf-token': '{TOKEN}'}},
  }});
  said.textContent = await answer.text();
}};
</script>"""
SETTINGS = {"apiObserverEnabled": True, "agentAllowLocalNetwork": True, "autoScreenshot": "off"}


class Stars(LocalServer):
    """Counts stars; ``received`` lists what came with each."""

    def __init__(self) -> None:
        super().__init__(self._app)
        self.received: list[dict[str, str]] = []

    def _app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/", self._page)
        app.router.add_post("/star", self._star)
        return app

    async def _page(self, _request: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    async def _star(self, request: web.Request) -> web.Response:
        names = ("x-csrf-token", "content-type", "cookie", "origin")
        head = {name: request.headers.get(name, "") for name in names}
        self.received.append({**head, "body": await request.text()})
        return web.Response(text=f"{len(self.received)} stars")


@pytest.fixture
def stars() -> Iterator[Stars]:
    with Stars() as running:
        yield running


class Looks(Results):
    """What the tools answered, and what may be done with it."""

    def again(self, _: ModelCall) -> Answer:
        """Have the request sent again that the newest result names."""
        told = self.results[-1]["apiShortcut"]
        return call("fetch_url", **{name: told[name] for name in ("url", "method", "replayRequestId")})


def test_a_request_is_noticed_and_sent_again_as_it_was(stage: Stage, stars: Stars) -> None:
    port = Port(stage.browser)
    port.answer_cards("")
    port.call("settings.set", values=SETTINGS)
    tab = stage.open_tab(f"{stars.url}/")
    panel = stage.open_panel(tab)
    panel.send("/allow-api")
    panel.page.wait_for("[data-switch=api]")
    looks = Looks()
    star = on_ref("click_ax", "Star it")
    ended = looks.then(done("It has three stars.", "partial"))
    stage.plan(see(), star, looks.then(star), looks.then(looks.again), ended)
    panel.send("Give it three stars.", "act")
    text = panel.wait_card()
    assert len(stars.received) == 2
    assert "apiShortcut" not in looks.results[0]
    assert looks.results[1]["apiShortcut"]["presses"] == 2
    assert f"POST {stars.url}/star" in text
    assert NOTE in text
    assert TOKEN not in text
    panel.answer("once")
    panel.wait_over()
    assert len(stars.received) == 3
    assert stars.received[2] == stars.received[0], "as the page sends it, its cookie and origin included"
    assert (looks.results[2]["status"], looks.results[2]["text"]) == (200, "3 stars")
    asked = json.dumps([[turn.text for turn in one.turns] for one in stage.model.calls])
    assert "replayRequestId" in asked
    for secret in (TOKEN, NOTE, "cookie-of-the-user"):
        assert secret not in asked
    stage.settled()


def test_unless_it_is_wanted_nothing_is_noticed(stage: Stage, stars: Stars) -> None:
    """The negative control, and the setting as it is installed."""
    port = Port(stage.browser)
    port.answer_cards("")
    port.call("settings.set", values=SETTINGS | {"apiObserverEnabled": False})
    tab = stage.open_tab(f"{stars.url}/")
    panel = stage.open_panel(tab)
    looks = Looks()
    star = on_ref("click_ax", "Star it")
    stage.plan(see(), star, looks.then(star), looks.then(done("It has two stars.", "partial")))
    panel.send("Give it two stars.", "act")
    panel.wait_over()
    assert len(stars.received) == 2
    assert not any("apiShortcut" in result for result in looks.results)
