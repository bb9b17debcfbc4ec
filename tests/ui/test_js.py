"""Runs the screens' JavaScript unit tests on Node."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name)
def test_node(file: Path) -> None:
    """``node --test`` on one file."""
    node = shutil.which("node")
    assert node, "Node is not installed"
    done = subprocess.run([node, "--test", str(file)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout
