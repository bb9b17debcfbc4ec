"""With pytest-xdist (``-n 2``): tests that need no browser run beside those that do.

A browser test mostly waits, but two suites of them at a time are more than a small machine bears. So all
that use a browser are one piece of work for one process; every other file is a piece for whoever is free.
"""

import functools
import re
from pathlib import Path
from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT: Final = Path(__file__).parents[2]
APART: Final = ("unit", "arch", "contract", "wasm", "security")
"""Folders whose tests may run beside a browser, as far as they use none."""
USES_A_BROWSER: Final = re.compile(
    r"^from tests\.(?:security\.(?:live|consent)|support\.(?:browsers|player|stage))", re.MULTILINE
)
"""How a file of such a folder says that it does."""


class OneBrowserSuite(LoadScopeScheduling):
    """Never gives browsers to two processes."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if in_memory(file) else "browser"


@functools.cache
def in_memory(file: str) -> bool:
    """Whether the tests of a file (a path in the checkout) can run while others drive a browser."""
    return file.split("/")[1] in APART and not USES_A_BROWSER.search((ROOT / file).read_text())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> OneBrowserSuite:
    """Told to xdist by the process that runs no test itself."""
    return OneBrowserSuite(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """See that no test with a browser passes for one without."""
    for item in items:
        file = str(item.path.relative_to(ROOT))
        if {mark.name for mark in item.iter_markers()} & {"chromium", "firefox"} and in_memory(file):
            raise pytest.UsageError(f"{file} uses a browser; beside.py must see that from what it imports")
