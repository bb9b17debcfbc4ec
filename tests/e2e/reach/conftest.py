"""One browser of each kind for all of these tests, a site, and the host outside of the browser."""

import re
from collections.abc import Iterator
from typing import cast

import pytest

from tests.e2e.reach.asking import PAGES
from tests.support.browsers import Browser, running
from tests.support.browsers.chromium import Chromium
from tests.support.outside import HostOutside
from tests.support.small_site import SmallSite
from tests.support.stage import ENGINES


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
def package_site() -> Iterator[SmallSite]:
    """The server of the pages."""
    with SmallSite(PAGES) as served:
        yield served


@pytest.fixture
def site(package_site: SmallSite) -> SmallSite:
    """The server, without the requests of earlier tests."""
    package_site.requests.clear()
    package_site.release.clear()
    return package_site


@pytest.fixture(scope="package")
def package_outside(browser: Browser) -> Iterator[HostOutside]:
    """The host in Python's place. Nobody may have failed unseen while it was there."""
    outside = HostOutside(browser)
    yield outside
    outside.close()
    assert not re.search(r"uncaught|A listener failed|Unchecked runtime\.lastError", browser.log())


@pytest.fixture
def outside(package_outside: HostOutside, browser: Browser) -> Iterator[HostOutside]:
    """The host, without the events of earlier tests; tabs a test leaves behind are closed."""
    before = {tab["id"] for tab in browser.tabs()}
    package_outside.events.clear()
    yield package_outside
    for tab in browser.tabs():
        if tab["id"] not in before:
            package_outside.run(package_outside.host.browser.close_tab(tab["id"]))


@pytest.fixture
def chromium(browser: Browser) -> Chromium:
    """Only Chromium lets an extension use its debugger."""
    if browser.name != "chromium":
        pytest.skip("Firefox has no debugger for extensions, as test_firefox_has_no_debugger shows")
    return cast(Chromium, browser)
