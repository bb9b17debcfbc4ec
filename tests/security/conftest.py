"""Browser fixtures of the security tests, and evidence beside each failure."""

import os
from collections.abc import Generator

import pytest

from tests.support.stage import attach_evidence, browser, engine, module_stage, stage

collect_ignore = [] if os.environ.get("ALL_INJECTIONS") else ["test_real_matrix.py"]
"""Minutes of one browser; ``make test-security`` has them."""

__all__ = ["browser", "engine", "module_stage", "stage"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach what the extension said while it failed."""
    report = yield
    if report.failed and report.when == "call":
        attach_evidence(item, report)
    return report
