"""Two browsers behind one set of methods: Playwright drives Chromium, WebDriver BiDi drives Firefox."""

from tests.support.browsers.base import Browser, BrowserMissing, Page, Tab
from tests.support.browsers.open import open_browser, running

__all__ = ["Browser", "BrowserMissing", "Page", "Tab", "open_browser", "running"]
