"""What all tests share: a missing browser or build is an error with a clear message, never a skip."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Unit tests first, browsers last: the fast ones find most faults."""
    order = ("unit", "arch", "contract", "wasm", "content", "ui", "security", "e2e")

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(item.config.rootpath / "tests").parts[0]
        return order.index(folder) if folder in order else len(order)

    items.sort(key=place)
