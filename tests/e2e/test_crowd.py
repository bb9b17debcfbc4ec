"""Many tabs work at once: each run ends, with what its own page says, on its own page.

``make test`` takes ten tabs; ``make test-tabs`` takes fifty (``TABS=NUMBER``).
"""

import os
import re
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.approve import allow_in
from tests.support.browsers.base import wait_until
from tests.support.page_site import PageSite
from tests.support.port import Port
from tests.support.script import done, on_ref, see, tree
from tests.support.stage import CHROMIUM_ONLY, Stage, choose_model
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer

TABS = int(os.environ.get("TABS", "10"))
SECONDS_PER_TAB = 6.0
WORD = re.compile(r"The word here is (\w+)")
ASKED = "Write the word of this page into its field, and tell me the word."


@pytest.fixture(scope="module", params=CHROMIUM_ONLY)
def engine(request: pytest.FixtureRequest) -> str:
    """Chromium: what is shared by the runs is the same Python in both browsers."""
    return str(request.param)


def think(model_call: ModelCall) -> Answer:
    """Read, write the word that was read, read again, say it: all of it by what this conversation holds."""
    nodes = tree(model_call)
    word = next((found[1] for node in nodes if (found := WORD.search(node.name))), "")
    if not word:
        return see(filter="all")
    names = [asked.name for turn in model_call.turns for asked in turn.calls]
    if "set_field" not in names:
        return on_ref("set_field", "Word", text=word)(model_call)
    if names[-1] == "set_field":
        return see(filter="all")
    return done(f"The word is {word}.")


@pytest.fixture
def words() -> dict[str, str]:
    """A page's path and its word."""
    return {f"/page/{number}": f"w{secrets.token_hex(5)}" for number in range(TABS)}


@pytest.fixture
def crowd(module_stage: Stage, words: dict[str, str]) -> Iterator[tuple[Stage, PageSite]]:
    pages = {
        path: f"<h1>The word here is {word}</h1><label>Word <input id=word></label>"
        for path, word in words.items()
    }
    with PageSite(pages) as site, ModelServer(think) as model:
        choose_model(module_stage.browser, model)
        allow_in(module_stage.browser, site.url)
        yield Stage(module_stage.browser, module_stage.shop, model, module_stage.script), site


def test_every_tab_gets_its_own_word(crowd: tuple[Stage, PageSite], words: dict[str, str]) -> None:
    stage, site = crowd
    browser, port = stage.browser, Port(stage.browser)
    tabs = {path: browser.open_tab(f"{site.url}{path}") for path in words}
    stage.tabs.extend(tabs.values())
    requests: dict[str, str] = {}
    for path, tab in tabs.items():
        requests[path] = f"req-{path}"
        told = {"text": ASKED, "mode": "act", "requestId": requests[path]}
        assert port.call("chat.start", tabId=tab.id, **told)["accepted"]
    wait_until(
        lambda: set(requests.values()) <= port.ended(),
        TABS * SECONDS_PER_TAB + 30,
        lambda: f"{len(requests) - len(port.ended())} of {TABS} runs to end",
    )
    others = set(words.values())
    for path, word in words.items():
        events = port.told(requests[path])
        assert {event["type"] for event in events} >= {"user_message", "run_complete"}
        assert _end(events)["status"] == "completed", (path, _end(events), _errors(events))
        said = [event["data"]["content"] for event in events if event["type"] == "text"]
        assert said[-1] == f"The word is {word}."
        assert not any(other in str(events) for other in others - {word}), "a run was told of another's page"
        assert tabs[path].page.eval("document.querySelector('#word').value") == word
    for call in stage.model.calls:
        met = {word for word in others if word in str(call.body)}
        assert len(met) <= 1, "a model was sent the words of two pages"
    stage.clear()


def _end(events: list[dict[str, Any]]) -> dict[str, Any]:
    return next((event["data"] for event in events if event["type"] == "run_complete"), {})


def _errors(events: list[dict[str, Any]]) -> list[Any]:
    return [event["data"] for event in events if event["type"] in ("error", "warning")]
