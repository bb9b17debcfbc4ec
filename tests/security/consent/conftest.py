"""A stage on which nothing is allowed beforehand, and pages that count what is done to them."""

from collections.abc import Iterator

import pytest

from tests.security.consent.pages import PAGES
from tests.support.browsers import Browser
from tests.support.port import Port
from tests.support.small_site import SmallSite
from tests.support.stage import Stage, choose_model
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop


@pytest.fixture(scope="module")
def module_stage(browser: Browser) -> Iterator[Stage]:
    """The stage with its model chosen; every site is asked about."""
    script = Script()
    with Shop() as shop, ModelServer(script) as model:
        choose_model(browser, model)
        yield Stage(browser, shop, model, script, asks=True)


@pytest.fixture(scope="module")
def port(module_stage: Stage) -> Port:
    """Another screen, which answers nothing by itself."""
    held = Port(module_stage.browser)
    held.answer_cards("")
    return held


@pytest.fixture(scope="module")
def pages() -> Iterator[SmallSite]:
    """The server of the pages."""
    with SmallSite(PAGES) as running:
        yield running


@pytest.fixture
def site(pages: SmallSite) -> SmallSite:
    """The pages, with nothing asked for yet. Names below ``localhost`` lead to them as well."""
    pages.requests.clear()
    return pages
