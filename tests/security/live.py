"""The built extension between a victim's site and an attacker's, with a model that obeys."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from tests.support.browsers import Browser
from tests.support.browsers.base import wait_until
from tests.support.port import Port
from tests.support.small_site import SmallSite
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer
from webbrain.testing.obedient import ObedientModel

RUN_SECONDS = 90.0
CLOCKS = 0.05
"""Seconds by which the browser's clock and ours may differ."""
CLOSE_ALL = """(async () => {
  const {tabs} = globalThis.browser ?? chrome;
  await tabs.remove((await tabs.query({url: ['http://*/*']})).map((tab) => tab.id));
  return true;
})()"""
SETTINGS: Mapping[str, Any] = {
    "agentAllowLocalNetwork": True,
    "autoScreenshot": "off",
    "maxAgentSteps": 60,
    "planBeforeActMode": "off",
}


class Mind:
    """Stands between the model server and whoever thinks at the moment."""

    def __init__(self) -> None:
        self.model = ObedientModel()

    def __call__(self, call: ModelCall) -> Answer:
        return self.model.think(call)


@dataclass(frozen=True, slots=True)
class Ran:
    """What one task led to: requests of either site as ``METHOD path``, and the questions."""

    victim: list[str]
    attacker: list[str]
    cards: list[dict[str, Any]]
    events: list[dict[str, Any]]
    times: dict[str, float]
    """When each line of either site first came, in seconds since 1970."""

    def asked(self, line: str) -> list[dict[str, Any]]:
        """The questions that were asked and answered by the user's yes before this request came."""
        told = [event for event in self.events if event["at"] <= self.times[line] + CLOCKS]
        yes = {
            event["data"]["cardId"]
            for event in told
            if event["type"] == "card_resolved"
            and (event["data"]["answer"], event["data"]["source"]) == ("once", "user")
        }
        return [e["data"] for e in told if e["type"] == "clarify" and e["data"]["cardId"] in yes]


class Stamped(list[Any]):
    """A list that knows when each entry was made."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []

    def append(self, entry: Any) -> None:
        self.at.append(time.time())
        super().append(entry)

    def clear(self) -> None:
        self.at.clear()
        super().clear()


class Battle:
    """Everything at hand. Sites are emptied between tasks; grants of a task end with it."""

    _numbers = count(1)

    def __init__(
        self, browser: Browser, victim: SmallSite, attacker: SmallSite, mind: Mind, server: ModelServer
    ) -> None:
        self.browser = browser
        self.victim = victim
        self.attacker = attacker
        self.server = server
        self.port = Port(browser)
        self._mind = mind
        self._known = {field["key"] for field in self.port.call("settings.get")["fields"]}

    @property
    def evil(self) -> str:
        """The attacker's address: another name and another port than the victim's."""
        return self.attacker.other

    def use(self, **settings: Any) -> None:
        """Change settings, those that exist in this version."""
        known = {key: value for key, value in settings.items() if key in self._known}
        self.port.call("settings.set", values=known)

    def answers(self) -> bool:
        """Whether Python answers now."""
        try:
            self.port = Port(self.browser)
            return bool(self.port.call("settings.get"))
        except RuntimeError:
            return False

    def choose(self, api_key: str = "") -> None:
        """Make the model server the active service."""
        config = {"baseUrl": self.server.url, "model": self.server.model, "promptTier": "full"}
        self.port.call("providers.save", id="custom", config={**config, "apiKey": api_key})
        self.port.call("providers.activate", id="custom")

    def run(
        self, path: str, model: ObedientModel, *, answer: str, text: str = "What is on this page?"
    ) -> Ran:
        """One task on a page of the victim's, to its end."""
        self._mind.model = model
        self.port.answer_cards(answer)
        tab = self.browser.open_tab(self.victim.url + path)
        request = f"battle-{next(self._numbers)}"
        self.victim.requests.clear()
        self.attacker.requests.clear()
        try:
            self.port.call("chat.start", tabId=tab.id, text=text, mode="act", requestId=request)
            wait_until(
                lambda: request in self.port.ended(),
                RUN_SECONDS,
                lambda: f"the task to end; it told {[e['type'] for e in self.port.told(request)][-12:]}",
            )
            events = self.port.told(request)
        finally:
            self.port.forget(request)
            self.browser.control.eval(CLOSE_ALL)
        cards = [event["data"] for event in events if event["type"] == "clarify"]
        came = {**_lines(self.victim), **_lines(self.attacker)}
        return Ran(list(_lines(self.victim)), list(_lines(self.attacker)), cards, events, came)


def _lines(site: SmallSite) -> dict[str, float]:
    """What came, and when for the first time."""
    came: dict[str, float] = {}
    for (method, path, _), at in zip(site.requests, getattr(site.requests, "at", ()), strict=True):
        if path != "/favicon.ico":
            came.setdefault(f"{method} {path}", at)
    return came


@contextmanager
def battle(browser: Browser, pages: Mapping[str, str], evil_pages: Mapping[str, str]) -> Iterator[Battle]:
    """Both sites and the model server, with the model chosen."""
    mind = Mind()
    with SmallSite(pages) as victim, SmallSite(evil_pages) as attacker, ModelServer(mind) as server:
        victim.requests, attacker.requests = Stamped(), Stamped()
        made = Battle(browser, victim, attacker, mind, server)
        made.choose()
        made.use(**SETTINGS)
        yield made
