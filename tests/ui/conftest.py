"""Chromium with the screens and their fake port."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.browsers.chromium import SWITCHES, find_chromium
from tests.support.ui_pages import address, bundle, serve
from tests.support.ui_show import show

Open = Callable[..., Page]


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


@pytest.fixture
def open_state(origin: str, chromium: Browser) -> Iterator[Open]:
    """Open a state by name: ``open_state("running", width=320, theme="dark")``; no error may go uncaught."""
    contexts = []
    errors: list[str] = []

    def open_(
        name: str,
        *,
        width: int = 400,
        height: int = 720,
        theme: str = "light",
        language: str = "en",
        act: bool = True,
    ) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address(origin, name, theme=theme, language=language))
        show(page, name, act=act)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert errors == []
