"""Prints what became of each combination of a killed part and a crash point.

A plugin of the whole suite: in ``make test`` the process that prints is not the one that ran them.
"""

from typing import Final

import pytest

CELL: Final = "kill cell"
"""The name of a report's property: ``[engine, part, point, outcome]``."""
CELLS: dict[tuple[str, str], dict[str, str]] = {}


def note(report: pytest.TestReport, engine: str, part: str, point: str) -> None:
    """Write a combination's outcome into its test's report."""
    report.user_properties.append((CELL, [engine, part, point, "ok" if report.passed else "FAILED"]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep what :func:`note` wrote."""
    for name, value in report.user_properties:
        if name == CELL and isinstance(value, list):
            engine, part, point, word = value
            CELLS.setdefault((engine, part), {})[point] = word


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line per part, one column per point."""
    if not CELLS:
        return
    points = list(dict.fromkeys(point for cells in CELLS.values() for point in cells))
    terminalreporter.section("killed parts and crash points")
    width = max(map(len, points))
    terminalreporter.write_line(" " * 26 + "  ".join(point.ljust(width) for point in points))
    for (engine, part), cells in CELLS.items():
        words = "  ".join(cells.get(point, "-").ljust(width) for point in points)
        terminalreporter.write_line(f"{engine + ' ' + part:<26}{words}")
