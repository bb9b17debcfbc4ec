"""Chromium with the screens and their fake port."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, ViewportSize, expect, sync_playwright

from tests.support.browsers.base import DEADLINE
from tests.support.browsers.chromium import SWITCHES, find_chromium
from tests.support.ui_pages import address, bundle, serve
from tests.support.ui_show import show

Open = Callable[..., Page]

expect.set_options(timeout=DEADLINE * 1000)


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the bundled screens are served."""
    folder: Path = tmp_path_factory.mktemp("ui")
    bundle(folder)
    with serve(folder) as where:
        yield where


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for this folder, ended with it: no event loop may be left to the tests after it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(SWITCHES[:-1]))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def one_page(chromium: Browser) -> Iterator[Page]:
    """A page that shows one state after the other, and keeps what the screens load."""
    context = chromium.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def open_state(origin: str, chromium: Browser) -> Iterator[Open]:
    """Open a state by name: ``open_state("running", width=320, theme="dark")``; no error may go uncaught."""
    contexts: list[BrowserContext] = []

    def fresh(size: ViewportSize) -> Page:
        contexts.append(chromium.new_context(viewport=size, reduced_motion="reduce"))
        return contexts[-1].new_page()

    with opening(origin, fresh) as open_:
        yield open_
        for context in contexts:
            context.close()


@pytest.fixture
def show_state(origin: str, one_page: Page) -> Iterator[Open]:
    """The same in the page of the test before, for tests that only look: screens clear what they stored."""

    def again(size: ViewportSize) -> Page:
        if one_page.viewport_size != size:
            one_page.set_viewport_size(size)
        # Beside the page, so that nothing is under the mouse.
        one_page.mouse.move(-10, -10)
        return one_page

    with opening(origin, again) as open_:
        yield open_


@contextmanager
def opening(origin: str, page_for: Callable[[ViewportSize], Page]) -> Iterator[Open]:
    """A function that shows states in the pages it is given; at the end no error may have gone uncaught."""
    errors: list[str] = []

    def note(error: Error) -> None:
        errors.append(str(error))

    pages: list[Page] = []

    def open_(
        name: str,
        *,
        width: int = 400,
        height: int = 720,
        theme: str = "light",
        language: str = "en",
        act: bool = True,
    ) -> Page:
        page = page_for({"width": width, "height": height})
        if page not in pages:
            pages.append(page)
            page.on("pageerror", note)
        page.goto(address(origin, name, theme=theme, language=language))
        show(page, name, act=act)
        return page

    yield open_
    for page in pages:
        page.remove_listener("pageerror", note)
    assert errors == []
