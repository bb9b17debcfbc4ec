"""Tests divided between two processes are reported as if one had run them."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFTEST = """
from tests.support.beside import Beside

def pytest_configure(config):
    config.pluginmanager.register(Beside(), "beside")
"""
MEMORY = """
import os, subprocess, sys, warnings
import pytest

@pytest.fixture(scope="session")
def falls_down():
    yield
    raise RuntimeError("while it was put away")

def test_fails():
    print("said in the child")
    assert {"a": 1} == {"a": 2}

def test_warns(falls_down):
    warnings.warn("mind the gap", DeprecationWarning)

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

@pytest.mark.xfail
def test_expected(): assert False

def test_where():
    print(os.getpid())
    open("child", "w").write(str(os.getpid()))

def test_waits():
    if "WAITS" in os.environ:
        open("waits", "w").close()
        subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])

def test_dies():
    if "DIES" in os.environ:
        os._exit(4)
"""
BROWSER = """
import os, time

def test_mine():
    open("parent", "w").write(str(os.getpid()))

def test_fails_too():
    print("said in the parent")
    if "WAITS" in os.environ:
        open("begun", "w").close()
        time.sleep(600)
    assert 1 == 2
"""
PATIENCE = 60.0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small one, with a test folder of each kind."""
    for name, text in (("unit/test_memory.py", MEMORY), ("ui/test_browser.py", BROWSER)):
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider -p no:hypothesispytest -p no:asyncio\n"
    )
    (tmp_path / "conftest.py").write_text(CONFTEST)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-ra", *arguments]


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def run(project: Path, *arguments: str, **more: str) -> tuple[int, str]:
    done = subprocess.run(
        command(*arguments),
        cwd=project,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout + done.stderr


def ended(group: int, until: float) -> bool:
    """Whether the last process of the group ends in time."""
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_both_are_told_as_one(project: Path) -> None:
    """Counts, failures in full, what was printed, warnings, files for machines, and the exit code."""
    code, said = run(project, "--junitxml=found.xml")
    assert code == 1
    counts = "2 failed, 5 passed, 1 skipped, 1 xfailed, 1 warning, 1 error in"
    assert re.search(rf"=+ {counts} [\d.]+s =+\s*$", said), said
    for part in ("said in the child", "said in the parent", "Differing items", "mind the gap", "put away"):
        assert part in said, said
    assert "SKIPPED [1] tests/unit/test_memory.py:17: not today" in said
    assert "[100%]" in said
    assert said.count("test session starts") == 1
    assert (project / "child").read_text() != (project / "parent").read_text()
    written = (project / "found.xml").read_text()
    assert 'errors="1" failures="2" skipped="2"' in written, written


def test_the_first_failure_can_be_the_last(project: Path) -> None:
    """In whichever process it happens."""
    code, said = run(project, "-x", "-k", "test_fails or mine")
    assert code == 1
    assert "stopping after 1 failures" in said
    assert "1 failed" in said


@pytest.mark.parametrize("only", ["unit", "ui"])
def test_one_kind_alone_needs_no_second_process(project: Path, only: str) -> None:
    code, said = run(project, "tests/" + only, "-k", "mine or where")
    assert code == 0
    assert "1 passed" in said


def test_a_process_that_dies_is_named_with_its_test(project: Path) -> None:
    code, said = run(project, "-k", "dies or mine", DIES="1")
    assert code == 2
    assert "the process beside ended with 4 in tests/unit/test_memory.py::test_dies" in said


def test_an_interruption_ends_both(project: Path) -> None:
    """With what they have started."""
    more = environment(WAITS="1")
    begun = subprocess.Popen(
        command("-k", "waits or too"),
        cwd=project,
        env=more,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + PATIENCE
    while not ((project / "waits").exists() and (project / "begun").exists()):
        assert time.monotonic() < until
        time.sleep(0.05)
    begun.send_signal(signal.SIGINT)
    said, _ = begun.communicate(timeout=PATIENCE)
    assert begun.returncode == 2
    assert "KeyboardInterrupt" in said
    assert ended(begun.pid, until + PATIENCE)
