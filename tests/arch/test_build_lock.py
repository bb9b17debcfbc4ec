"""The tools that make the wheel lock: pinned, suited to the runtime, and needed by nothing else."""

import ast
import json
import re
import tomllib
from pathlib import Path

from build.layout import ROOT, RUNTIME

TOOLS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][
    "lock"
]
MODULES = {"micropip", "pyodide_build", "pyodide_lock"}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names | {name.partition(".")[0] for name in names}


def test_tools_are_pinned_and_leave_older_pythons_alone() -> None:
    for tool in TOOLS:
        assert re.fullmatch(r"[a-z-]+==[0-9.]+; python_version >= '3\.1[23]'", tool), tool


def test_micropip_is_the_one_the_runtime_names() -> None:
    named = json.loads((RUNTIME / "pyodide-lock.json").read_text())["packages"]["micropip"]["version"]
    assert any(tool.startswith(f"micropip=={named};") for tool in TOOLS)


def test_only_the_lock_needs_them() -> None:
    modules = {path.name: imported(path) for path in (ROOT / "build").glob("*.py")}
    assert {name for name, found in modules.items() if found & MODULES} == {"lock.py"}
    assert not [name for name, found in modules.items() if "build.lock" in found]
