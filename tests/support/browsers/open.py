"""Opening a browser by name, with the build that belongs to it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.browsers.base import Browser, BrowserMissing
from tests.support.browsers.chromium import Chromium
from tests.support.browsers.firefox import Firefox

ROOT = Path(__file__).resolve().parents[3]
DIST = Path(os.environ.get("WEBBRAIN_DIST") or ROOT / "dist")
"""Where the builds are; another folder for trying a build of somewhere else."""
FOLDERS = {"chromium": "chrome", "firefox": "firefox"}


def extension_folder(name: str) -> Path:
    """The finished build for a browser; raise ``BrowserMissing`` if there is none."""
    folder = DIST / FOLDERS[name]
    if not (folder / "manifest.json").exists():
        raise BrowserMissing(f"{folder} is not built: make build")
    return folder


@contextmanager
def running(name: str) -> Iterator[Browser]:
    """A browser with the build in it, closed with the block."""
    browser = open_browser(name)
    try:
        yield browser
    finally:
        browser.close()


def open_browser(
    name: str, *, extension: Path | None = None, headless: bool = True, profile: Path | None = None
) -> Browser:
    """Start ``chromium`` or ``firefox`` with the extension from ``dist`` (or another folder) in it."""
    folder = extension or extension_folder(name)
    kind: type[Chromium] | type[Firefox] = Chromium if name == "chromium" else Firefox
    return kind(folder, headless=headless, profile=profile)
