"""Runs pytest inside the interpreter of the browser. Executed there by the harness; not a test module itself.

The package is the built one, with the parts that are left out of it added from the checkout; pytest and its
helpers come from the machine's own environment, as far as they are pure Python.
"""

import asyncio
import json
import sys
import time

REPOSITORY, ENVIRONMENT = "/repository", "/environment"
TEST_PARTS = {"webbrain": f"{REPOSITORY}/py/webbrain", "webbrain.host": f"{REPOSITORY}/py/webbrain/host"}


class _Spin:
    """A selector with nothing to select from: it waits for the next timer."""

    def select(self, timeout: float | None) -> list[object]:
        if timeout is None:
            raise RuntimeError("the loop waits for something that cannot happen")
        time.sleep(max(timeout, 0))
        return []

    def close(self) -> None:
        pass


class SpinLoop(asyncio.BaseEventLoop):
    """A loop that runs coroutines to their end. The interpreter's own loop belongs to JavaScript and
    cannot."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Spin()

    def _process_events(self, events: object) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


class _Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> SpinLoop:
        return SpinLoop()


class _Counts:
    """A plugin that counts outcomes and keeps the reports of failures."""

    def __init__(self) -> None:
        self.outcomes: dict[str, int] = {}
        self.failures: list[str] = []

    def pytest_runtest_logreport(self, report: object) -> None:
        outcome, when = report.outcome, report.when  # type: ignore[attr-defined]
        if when == "call" or outcome != "passed":
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        if outcome == "failed":
            self.failures.append(f"{report.nodeid}\n{report.longreprtext}")  # type: ignore[attr-defined]

    def pytest_collectreport(self, report: object) -> None:
        if report.outcome == "failed":  # type: ignore[attr-defined]
            self.failures.append(f"{report.nodeid}\n{report.longreprtext}")  # type: ignore[attr-defined]


def run(files: list[str]) -> str:
    """Run test files (paths below the checkout); return counts and failures as JSON."""
    import importlib
    import os

    for package, folder in TEST_PARTS.items():
        importlib.import_module(package).__path__.append(folder)
    sys.path += [REPOSITORY, ENVIRONMENT]
    # The interpreter's own loop counts as running all the time, and has taken the place of asyncio.run.
    asyncio._set_running_loop(None)
    asyncio.run = asyncio.runners.run
    asyncio.set_event_loop_policy(_Policy())
    os.chdir(REPOSITORY)
    import pytest

    counts = _Counts()
    plugins = ("cacheprovider", "playwright", "hypothesispytest", "faulthandler")
    options = ["-q", f"--config-file={REPOSITORY}/pyproject.toml", *(f"-pno:{name}" for name in plugins)]
    status = pytest.main([*options, "-W", "ignore::DeprecationWarning", *files], plugins=[counts])
    return json.dumps({"status": int(status), "outcomes": counts.outcomes, "failures": counts.failures})
