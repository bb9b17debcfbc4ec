"""Runs the bridge's own tests (JavaScript, on Node) as part of this suite, one result per file."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "tests/unit/js").glob("*.test.mjs"))
TIMEOUT = 120.0


def test_there_are_files() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_javascript(file: Path) -> None:
    node = shutil.which("node")
    assert node, "Node is needed for the build and for these tests"
    run = subprocess.run(
        [node, "--test", "--test-reporter=tap", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-2_000:]
    passed = next(line for line in run.stdout.splitlines() if line.startswith("# pass"))
    assert int(passed.split()[-1]) > 0, "no test ran"
