"""``--beside``: the tests that need no browser run in a process of their own, beside those that do.

A browser test mostly waits, and one suite of them at a time is all that a small machine bears. So once
everything is collected the process forks: the child takes the tests in memory and writes their reports into
a file, this one drives the browsers and passes on what it finds there, as if it had run all of them. There
is one list of failures, one summary and one exit code.
"""

import base64
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Generator
from typing import Any, Final, TextIO

import pytest

APART: Final = ("unit", "arch", "contract", "wasm", "security")
"""Folders whose tests may run beside a browser, as far as they use none."""
LOOKS_EVERY: Final = 0.05
"""Seconds between two looks for reports, once this process has nothing else to do."""
ENDS_WITHIN: Final = 5.0
"""Seconds that the child has to stop what it is doing."""
GIVES_WAY: Final = 5
"""How much nicer the child is: it has less to do, and waits of browser tests are the longer road."""


def in_memory(item: pytest.Item) -> bool:
    """Whether a test can run while another drives a browser."""
    folder = item.path.relative_to(item.config.rootpath / "tests").parts[0]
    return folder in APART and "browser" not in getattr(item, "fixturenames", ())


class Recorder:
    """In the child: writes what happens, a pickled event per line."""

    def __init__(self, config: pytest.Config, file: TextIO) -> None:
        self._config = config
        self._file = file

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Written before the test, so that a test that ends the process is known by name."""
        self._write({"begin": (nodeid, location)})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The outcome of one phase."""
        hook = self._config.hook
        self._write({"report": hook.pytest_report_to_serializable(config=self._config, report=report)})

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """The end of a test."""
        self._write({"end": (nodeid, location)})

    def pytest_warning_recorded(
        self, warning_message: Any, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        """A warning, for the summary."""
        what = [str(warning_message.message), warning_message.category.__name__]
        where = [warning_message.filename, warning_message.lineno]
        self._write({"warning": [*what, *where, when, nodeid, location]})

    def _write(self, line: dict[str, Any]) -> None:
        # JSON would make lists of tuples, by which pytest tells things apart.
        self._file.write(base64.b64encode(pickle.dumps(line)).decode() + "\n")
        self._file.flush()


class Beside:
    """The plugin in the process that drives the browsers."""

    def __init__(self) -> None:
        self._child = 0
        self._status = 0
        self._reports: TextIO | None = None
        self._half = ""
        self._lines: list[dict[str, Any]] = []
        self._running = ""

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Divide the tests, if there are both kinds, and end only when both are through."""
        apart = [item for item in session.items if in_memory(item)]
        both = 0 < len(apart) < len(session.items)
        options = session.config.option
        if not both or options.collectonly or options.usepdb or session.testsfailed:
            return (yield)
        self._begin(session, apart)
        kept = set(apart)
        session.items[:] = [item for item in session.items if item not in kept]
        try:
            result = yield
            while self._child:
                self._look()
                self._pass_on(session)
                self._stop_if_due(session)
                time.sleep(LOOKS_EVERY)
            self._look()
            self._pass_on(session)
            self._stop_if_due(session)
            if self._status or self._running:
                raise session.Interrupted(f"the process beside ended with {self._status} in {self._running}")
            return result
        finally:
            self._end()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Between two files pass on what the other process reports; at once if something has failed."""
        result = yield
        if self._reports is not None:
            self._look()
            bad = any(line["report"]["outcome"] == "failed" for line in self._lines if "report" in line)
            if bad or nextitem is None or nextitem.path != item.path:
                self._pass_on(item.session)
        return result

    # --- the child ---

    def _begin(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        config = session.config
        # Both name their folders below one and the same, which is made here.
        config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        config.get_terminal_writer().flush()
        sys.stdout.flush()
        handle, name = tempfile.mkstemp(suffix=".reports")
        file = os.fdopen(handle, "w", encoding="utf-8")
        self._reports = open(name, encoding="utf-8")  # noqa: SIM115 - closed in _end
        os.unlink(name)
        ready, tell = os.pipe()
        parent = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            os.close(ready)
            _run(session, items, file, parent, tell)
        file.close()
        os.close(tell)
        # What is captured goes to a file that both hold, until the child has one of its own.
        os.read(ready, 1)
        os.close(ready)

    def _look(self) -> None:
        """Read what has been written, and whether the child lives."""
        if self._child:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._child, self._status = 0, os.waitstatus_to_exitcode(status)
        assert self._reports is not None
        *lines, self._half = (self._half + self._reports.read()).split("\n")
        self._lines += [pickle.loads(base64.b64decode(line)) for line in lines]

    def _pass_on(self, session: pytest.Session) -> None:
        """Report what the child reported, up to the failure that ends the session."""
        config = session.config
        hook = config.hook
        lines, self._lines = self._lines, []
        for line in lines:
            if session.shouldfail and not self._running:
                return
            match line:
                case {"begin": (nodeid, location)}:
                    self._running = nodeid
                    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
                case {"report": data}:
                    report = hook.pytest_report_from_serializable(config=config, data=data)
                    hook.pytest_runtest_logreport(report=report)
                case {"end": (nodeid, location)}:
                    self._running = ""
                    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)
                case {"warning": [text, category, filename, lineno, when, nodeid, location]}:
                    kind = type(category, (Warning,), {})
                    hook.pytest_warning_recorded.call_historic(
                        kwargs={
                            "warning_message": _Warned(kind(text), kind, filename, lineno),
                            "when": when,
                            "nodeid": nodeid,
                            "location": location,
                        }
                    )

    def _stop_if_due(self, session: pytest.Session) -> None:
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)

    def _end(self) -> None:
        """Leave nothing behind, whatever ended the session."""
        if self._child:
            # As Ctrl-C does it: what the child has started ends with it.
            os.kill(self._child, signal.SIGINT)
            deadline = time.monotonic() + ENDS_WITHIN
            while os.waitpid(self._child, os.WNOHANG) == (0, 0):
                if time.monotonic() > deadline:
                    os.kill(self._child, signal.SIGKILL)
                    os.waitpid(self._child, 0)
                    break
                time.sleep(LOOKS_EVERY)
            self._child = 0
        if self._reports is not None:
            self._reports.close()
            self._reports = None


class _Warned:
    """A warning as pytest's summary wants it."""

    def __init__(self, message: Warning, category: type[Warning], filename: str, lineno: int) -> None:
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno
        self.line = None
        self.source = None


def _run(session: pytest.Session, items: list[pytest.Item], file: TextIO, parent: int, tell: int) -> None:
    """Run the tests in the child, which ends here."""
    status = 1
    try:
        os.nice(GIVES_WAY)
        config = session.config
        capture: Any = config.pluginmanager.getplugin("capturemanager")
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
        os.write(tell, b"1")
        os.close(tell)
        config.pluginmanager.unregister(name="terminalreporter")
        config.pluginmanager.unregister(name="beside")
        config.pluginmanager.register(Recorder(config, file), "recorder")
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail or session.shouldstop or os.getppid() != parent:
                break
        status = 0
    except KeyboardInterrupt:
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        file.flush()
        sys.stderr.flush()
        os._exit(status)
