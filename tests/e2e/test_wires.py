"""Each wire format through the built extension: a reading step and an answer in Ask, a click in Act.

One server plays them all, each as strictly as the real service. All ways share one panel, so that each goes
on with the conversation that the others left.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.support.approve import allow_in
from tests.support.browsers import Browser, Tab
from tests.support.held import finished, step
from tests.support.screens import Panel, Settings
from tests.support.script import call, done, on_ref, say, see
from tests.support.stage import CHROMIUM_ONLY
from webbrain.testing.bedrock_wire import ACCESS_KEY
from webbrain.testing.chat import ModelCall
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop

SECRET = "sk-wires-0123456789abcdef"
"""The key of every service; with Bedrock it only signs."""
ANSWER = "They send within two days."


@dataclass(frozen=True)
class Way:
    """A service in the settings, and how its requests must come."""

    provider: str
    path: str
    """Below the server's address."""
    wire: str
    form: dict[str, str] = field(default_factory=dict)
    streams: bool = True
    constrained: bool = False


WAYS = {
    "chat": Way("openai", "/dialects/openai/v1", "openai", {"model": "gpt-5.2", "apiFormat": "chat"}),
    "responses": Way("openai", "/v1", "responses", {"model": "gpt-5.6-terra", "apiFormat": "responses"}),
    "messages": Way("anthropic", "", "anthropic", {"model": "claude-opus-4-7", "reasoningEffort": "low"}),
    "azure": Way("azure_openai", "", "openai", {"resource": "mine", "model": "my deployment"}),
    "converse": Way("aws_bedrock", "", "bedrock", {"accessKeyId": ACCESS_KEY}, streams=False),
    "gemini": Way("gemini", "/dialects/gemini/v1", "openai"),
    "vertex": Way(
        "google-vertex-anthropic",
        "/v1/projects/my-project-1/locations/global",
        "anthropic",
        {"project": "my-project-1"},
    ),
    "llama.cpp": Way("llamacpp", "/llamacpp", "openai", {"constrained": "off"}),
    "held": Way("llamacpp", "/llamacpp", "openai", {"constrained": "on"}, constrained=True),
}


@dataclass
class Scene:
    """The one panel, and what it talks to."""

    server: ModelServer
    script: Script
    settings: Settings
    tab: Tab
    panel: Panel
    shop: Shop

    def use(self, way: Way) -> None:
        """Choose that service as a person does, and stand at the shop's first page."""
        self.script.clear()
        self.settings.open_provider(way.provider)
        if not self.settings.page.exists(f"#form-{way.provider} details[open]"):
            self.settings.page.click(f"#form-{way.provider} summary")
        root = self.server.url.removesuffix("/v1")
        self.settings.use(way.provider, apiKey=SECRET, baseUrl=root + way.path, **way.form)
        if self.tab.page.eval("location.pathname") != "/":
            self.tab.page.goto(self.shop.url)

    def run(self, text: str, mode: str) -> tuple[str, list[ModelCall]]:
        """What came of a task, and the requests for it (those for plans and summaries first)."""
        before, planned = len(self.server.calls), len(self.server.plans)
        self.panel.send(text, mode)
        # The turn before is over too.
        self.panel.wait_turn(f"turn.question.includes({json.dumps(text)})", what="the new turn")
        turn = self.panel.wait_over()
        assert not self.server.refused, f"the service would refuse: {self.server.refused}"
        assert turn.status == "completed", turn
        assert self.script.left == 0
        return turn.text, [*self.server.plans[planned:], *self.server.calls[before:]]


@pytest.fixture(scope="module")
def scene(browser: Browser) -> Iterator[Scene]:
    """One browser, one tab, one panel, one conversation."""
    script = Script()
    with Shop() as shop, ModelServer(script, api_key=SECRET) as server:
        allow_in(browser, shop.url)
        settings = Settings(browser)
        settings.use("custom", baseUrl=server.url, apiKey=SECRET, model="m")
        tab = browser.open_tab(shop.url)
        panel = Panel(browser, tab)
        panel.approves = True
        yield Scene(server, script, settings, tab, panel, shop)


@pytest.mark.parametrize("engine", CHROMIUM_ONLY, scope="module", indirect=True)
@pytest.mark.parametrize("name", WAYS)
def test_a_step_and_an_answer(scene: Scene, name: str) -> None:
    """In Ask as a stream where the service streams, in Act whole; never a request that it would refuse."""
    way = WAYS[name]
    scene.use(way)
    asked: list[ModelCall] = []
    if not way.constrained:
        scene.script.add(call("read_page"), say(ANSWER, thought="Let me see."))
        said, asked = scene.run(f"How fast do they send? ({name})", "ask")
        assert ANSWER in said
        # Before them there may be one for a summary of what the other ways did.
        assert [one.stream for one in asked[-2:]] == [way.streams] * 2
        assert asked[-2].tools
    click = step("click_ax", "About the shop") if way.constrained else on_ref("click_ax", "About the shop")
    scene.script.add(*([click, finished] if way.constrained else [see(), click, see(), done("It is open.")]))
    _, acted = scene.run(f"Open the page about the shop. ({name})", "act")
    assert scene.tab.page.eval("location.pathname") == "/about"
    assert not any(one.stream for one in acted)
    for one in [*asked, *acted]:
        assert one.wire == way.wire
        assert SECRET not in json.dumps(one.body)
    assert any("response_format" in one.body for one in acted) is (way.wire == "openai")
