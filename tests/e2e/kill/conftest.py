"""Notes what became of each combination of a killed part and a crash point."""

from collections.abc import Generator

import pytest

from tests.e2e.kill.scene import Scene
from tests.support import kill_table
from tests.support.stage import LOG_TAIL


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
        kill_table.note(report, given["engine"], given["part"], given["point"])
    return report
