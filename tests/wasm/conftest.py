"""Running Python in a built tree, on Node."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from build.layout import DIST

HARNESS = Path(__file__).with_name("harness.mjs")

DEADLINE = 300
"""Seconds for one start and what it runs; a start takes one, on a busy machine ten."""

Boot = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def boot() -> Boot:
    """Start Python from the built tree and run ``code``; return what the harness answers."""
    tree = DIST / "chrome"
    if not (tree / "manifest.json").is_file():
        pytest.fail("dist/chrome does not exist: run `make build` first")

    def run(
        code: str = "None",
        *,
        mode: str = "auto",
        damage: str = "none",
        mounts: dict[str, str] | None = None,
        env: dict[str, str] | None = None,
        synchronous: bool = False,
    ) -> dict[str, Any]:
        job = {
            "tree": str(tree),
            "mode": mode,
            "damage": damage,
            "code": code,
            "synchronous": synchronous,
            "mounts": mounts or {},
        }
        process = subprocess.run(
            ["node", str(HARNESS)],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            env=os.environ | (env or {}),
        )
        try:
            answer: dict[str, Any] = json.loads(process.stdout)
        except ValueError:
            pytest.fail(f"no answer from the interpreter: {process.stdout[-2000:]}{process.stderr[-2000:]}")
        if "error" not in answer:
            answer["log"] = process.stderr
        return answer

    return run
