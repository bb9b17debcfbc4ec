"""Prints what became of each combination of a killed part and a crash point."""

from collections.abc import Generator

import pytest

from tests.e2e.kill.scene import Scene
from tests.support.stage import LOG_TAIL

CELLS: dict[tuple[str, str], dict[str, str]] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note a combination's outcome, and put beside a failure what the extension said."""
    report = yield
    scene = getattr(item, "funcargs", {}).get("scene")
    if report.failed and report.when == "call" and isinstance(scene, Scene):
        report.sections.append(("extension log", scene.browser.log()[-LOG_TAIL:]))
    parameters = getattr(item, "callspec", None)
    if parameters is not None and "point" in parameters.params and (report.when == "call" or report.failed):
        given = parameters.params
        word = "ok" if report.passed else "FAILED"
        CELLS.setdefault((given["engine"], given["part"]), {})[given["point"]] = word
    return report


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
