"""Fixtures of the content tests; what they hand out is in ``harness``."""

import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from tests.content.harness import CHROMIUM, FLAGS, ROOT, Site, Tab, serving


@pytest.fixture(scope="package")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The content script as the build makes it: one classic script."""
    out = tmp_path_factory.mktemp("content") / "content.js"
    command = [
        "npx",
        "esbuild",
        "js/content/index.js",
        "--bundle",
        "--format=iife",
        "--target=es2022",
        f"--outfile={out}",
    ]
    subprocess.run([*command, "--log-level=error"], cwd=ROOT, check=True)
    return out.read_text()


@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    """The loopback server."""
    with serving() as found:
        yield found


@pytest.fixture(scope="package")
def driver() -> Iterator[Playwright]:
    """Playwright for the whole folder; stopped with it, so that no event loop is left to the tests after."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def chromium(driver: Playwright) -> Iterator[Browser]:
    """One browser for the whole folder."""
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def pages(chromium: Browser) -> Iterator[BrowserContext]:
    """One window for all tests: a new one for each would double the time of the suite."""
    context = chromium.new_context(viewport={"width": 1000, "height": 700})
    yield context
    context.close()


@pytest.fixture
def tab(pages: BrowserContext, bundle: str, site: Site) -> Iterator[Tab]:
    """A page of its own."""
    page = pages.new_page()
    yield Tab(page, pages.new_cdp_session(page), bundle, site)
    page.close()
