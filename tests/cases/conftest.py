"""One browser of each kind for all cases, the pages on two origins, and the test in the model's place."""

from collections.abc import Iterator

import pytest

from tests.content.harness import Site, serving
from tests.support.approve import allow_in
from tests.support.browsers import Browser, running
from tests.support.player import Live, Player
from tests.support.port import Port
from tests.support.stage import ENGINES
from webbrain.testing.model_server import ModelServer

WIDTH, HEIGHT = 1000, 700


@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    """The server of the pages."""
    with serving() as found:
        yield found


@pytest.fixture(scope="package")
def other_site() -> Iterator[Site]:
    """The same on another port, which is another origin."""
    with serving() as found:
        yield found


@pytest.fixture(scope="package", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The browser's name."""
    return str(request.param)


@pytest.fixture(scope="package")
def browser(engine: str) -> Iterator[Browser]:
    """A browser with the build in it."""
    with running(engine) as browser:
        yield browser


@pytest.fixture(scope="package")
def live(browser: Browser, site: Site, other_site: Site) -> Iterator[tuple[Live, Port]]:
    """The model that the test speaks for, chosen in the extension. It may work on both sites."""
    live = Live()
    port = Port(browser)
    with ModelServer(live, model="live") as model:
        live.server = model
        port.choose_model(model.url, model.model, {"maxAgentSteps": 0, "autoScreenshot": "off"})
        allow_in(browser, site.origin, other_site.origin)
        yield live, port
        assert not model.refused, f"a strict service would refuse: {model.refused}"


@pytest.fixture
def player(browser: Browser, live: tuple[Live, Port], site: Site) -> Iterator[Player]:
    """A tab of its own, and a run on it that begins with the first call."""
    model, port = live
    before = {tab["id"] for tab in browser.tabs()}
    tab = browser.open_tab("about:blank")
    tab.page.set_viewport(WIDTH, HEIGHT)
    player = Player(browser, port, model, tab, site)
    yield player
    player.end()
    port.answer_cards("once")
    for one in browser.tabs():
        if one["id"] not in before and one["id"] != tab.id:
            browser.control.eval(f"(globalThis.browser ?? chrome).tabs.remove({one['id']}).then(() => true)")
    browser.close_tab(tab)
