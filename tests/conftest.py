"""What all tests share: a missing browser or build is an error with a clear message, never a skip."""

import pytest

from tests.support import beside, kill_table
from tests.support.whole import WHOLE


def pytest_configure(config: pytest.Config) -> None:
    """Here and not in a folder: xdist's own process loads this file alone."""
    config.pluginmanager.register(kill_table)
    config.pluginmanager.register(beside)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Unit tests first, browsers last: the fast ones find most faults. Firefox repeats nothing."""
    repeated = [] if WHOLE else [item for item in items if repeats(item)]
    if repeated:
        config.hook.pytest_deselected(items=repeated)
        items[:] = [item for item in items if not repeats(item)]
    order = ("unit", "arch", "contract", "wasm", "content", "ui", "security", "e2e")

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(item.config.rootpath / "tests").parts[0]
        return order.index(folder) if folder in order else len(order)

    items.sort(key=place)


def repeats(item: pytest.Item) -> bool:
    """Whether a test does in Firefox what it does in Chromium, with code that knows neither."""
    marks = {mark.name for mark in item.iter_markers()}
    return {"firefox", "same_in_firefox"} <= marks
