"""Where things are in the checkout and where they go in a built tree.

Legend of a built tree::

    manifest.json          merged from manifests/
    *.html                 the pages
    js/*.js                one bundle per entry of SCRIPTS; platform.js as it is
    css/*.css              one bundle per style sheet a page links to
    icons/, _locales/      drawn by build/icons.py; copied
    pyodide/               the runtime, and the standard library as byte code
    py/                    wheels and our package as byte code, compiled libraries, snapshot, boot.json
    licenses/              of everything that is packaged
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
CACHE = ROOT / ".cache"
RUNTIME = ROOT / "node_modules/pyodide"

Browser = Literal["chrome", "firefox"]
BROWSERS: tuple[Browser, ...] = ("chrome", "firefox")

RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
STANDARD_LIBRARY = "python_stdlib.zip"
SITE_ARCHIVE = "py/site.zip"

DIFFERENT_FILES = frozenset({"manifest.json", "js/platform.js", "js/background.js"})
"""The only files in which the trees of two browsers may differ."""

TEST_ONLY = ("webbrain/testing/", "webbrain/host/memory.py")
"""Parts of the package (path prefixes) that exist for tests and plugin authors, and are never shipped."""


@dataclass(frozen=True, slots=True)
class Script:
    """One bundle: its name in the tree, its entry in the checkout, and how it is loaded."""

    target: str
    source: str
    format: Literal["esm", "iife"] = "esm"
    browsers: tuple[Browser, ...] = BROWSERS


SCRIPTS = (
    Script("js/host.js", "js/bridge/host.js"),
    Script("js/worker.js", "js/bridge/worker.js"),
    Script("js/pdfworker.js", "js/bridge/pdfworker.js"),
    Script("js/background.js", "js/background/background.js", browsers=("chrome",)),
    Script("js/content.js", "js/content/index.js", "iife"),
    Script("js/prepaint.js", "js/ui/prepaint.js", "iife"),
    Script("js/sidepanel.js", "js/ui/sidepanel.jsx"),
    Script("js/settings.js", "js/ui/settings.jsx"),
)

PAGES = {
    "host.html": "js/host.html",
    "sidepanel.html": "js/ui/sidepanel.html",
    "settings.html": "js/ui/settings.html",
}
STYLES = "js/ui/css"
LOCALES = "js/_locales"


def platform_source(browser: Browser) -> Path:
    """Return the file that becomes ``js/platform.js``, which every bundle imports and none contains."""
    return ROOT / f"js/bridge/platform.{browser}.js"
