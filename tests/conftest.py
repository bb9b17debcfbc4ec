"""What all tests share: a missing browser or build is an error with a clear message, never a skip."""

import pytest

from tests.support import kill_table
from tests.support.whole import WHOLE

APART = ("unit", "arch", "contract", "wasm", "security")
"""Folders whose tests may run beside a browser, as far as they use none."""


def pytest_configure(config: pytest.Config) -> None:
    """The table is printed by the process that runs no test itself."""
    config.pluginmanager.register(kill_table)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Unit tests first, browsers last: the fast ones find most faults. Firefox repeats nothing.

    Beside each other (``-n 2``, see the Makefile) it is the other way round: all that use a browser are one
    group and begin at once, and what runs in memory goes to the other process. Never are there two browsers'
    suites at a time.
    """
    repeated = [] if WHOLE else [item for item in items if repeats(item)]
    if repeated:
        config.hook.pytest_deselected(items=repeated)
        items[:] = [item for item in items if not repeats(item)]
    order = ("unit", "arch", "contract", "wasm", "content", "ui", "security", "e2e")

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(item.config.rootpath / "tests").parts[0]
        return order.index(folder) if folder in order else len(order)

    items.sort(key=place)
    if getattr(config.option, "loadgroup", False):  # in a process of xdist's
        items.sort(key=in_memory)
        for item in items:
            if not in_memory(item):
                item.add_marker(pytest.mark.xdist_group("browser"))


def in_memory(item: pytest.Item) -> bool:
    """Whether a test can run while another drives a browser."""
    folder = item.path.relative_to(item.config.rootpath / "tests").parts[0]
    return folder in APART and "browser" not in getattr(item, "fixturenames", ())


def repeats(item: pytest.Item) -> bool:
    """Whether a test does in Firefox what it does in Chromium, with code that knows neither."""
    marks = {mark.name for mark in item.iter_markers()}
    return {"firefox", "same_in_firefox"} <= marks
