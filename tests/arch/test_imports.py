"""Imports go one way: main -> app -> services -> agent -> tools, providers, policy -> host -> core."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source import PACKAGE, imports, modules, name, tree
from webbrain.tools.registry import SHARED

RANKS = {
    "main": 6,
    "app": 5,
    "app_params": 5,
    "app_parts": 5,
    "app_records": 5,
    "app_services": 5,
    "legacy": 5,
    "services": 4,
    "agent": 3,
    "tools": 2,
    "providers": 2,
    "policy": 2,
    "prompts": 2,
    "host": 1,
    "pdf": 1,
    "core": 0,
}
"""A room may import rooms of its own rank or below."""

FORBIDDEN_NEIGHBOURS = {
    "tools": {"providers"},
    "providers": {"tools", "policy", "prompts"},
    "policy": {"providers", "prompts"},
    "prompts": {"tools", "providers", "policy"},
}
"""Rooms of one rank that must not know each other."""

OF_THE_BROWSER = {"js", "pyodide", "pyodide_js", "micropip"}
MAY_TOUCH_THE_BROWSER = {"webbrain.main", "webbrain.host.bridge"}
THIRD_PARTY = {"pydantic", "pydantic_core", "jsonschema", "publicsuffixlist", "pypdf"}

ALL = modules()
IDS = [name(path) for path in ALL]


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def arrows() -> list[tuple[str, str, str]]:
    """``(importer, imported, place)`` for every import inside the package."""
    return [
        (name(path), imported, f"{path.relative_to(PACKAGE)}:{line}")
        for path in ALL
        for imported, line in imports(path)
        if imported.split(".")[0] == "webbrain"
    ]


def wrong(found: list[tuple[str, str, str]]) -> list[str]:
    out = []
    for importer, imported, place in found:
        here, there = room(importer), room(imported)
        if here in ("", "boot") or there in ("", here):
            continue
        if RANKS[there] > RANKS[here] or there in FORBIDDEN_NEIGHBOURS.get(here, set()):
            out.append(f"{place}: {importer} -> {imported}")
    return out


def test_every_room_has_a_rank() -> None:
    rooms = {room(name(path)) for path in ALL} - {"", "boot"}
    assert rooms <= set(RANKS)


def test_no_arrow_is_wrong() -> None:
    found = arrows()
    assert len(found) > 100
    assert wrong(found) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("webbrain.core.errors", "webbrain.host.protocols"),
        ("webbrain.tools.done", "webbrain.agent.run"),
        ("webbrain.tools.done", "webbrain.providers.base"),
        ("webbrain.agent.run", "webbrain.services.settings"),
        ("webbrain.services.settings", "webbrain.app"),
        ("webbrain.providers.client", "webbrain.tools.base"),
    ],
)
def test_a_wrong_arrow_would_be_found(importer: str, imported: str) -> None:
    assert wrong([(importer, imported, "here")])


def test_tools_do_not_import_each_other() -> None:
    single = [
        f"{place}: {importer} -> {imported}"
        for importer, imported, place in arrows()
        if importer.startswith("webbrain.tools.")
        and imported.startswith("webbrain.tools.")
        and imported.split(".")[2] not in SHARED
    ]
    assert single == []


def test_the_test_room_is_imported_by_nobody() -> None:
    assert [arrow for arrow in arrows() if arrow[1].startswith("webbrain.testing")] == []


def test_only_the_entry_and_the_bridge_touch_the_browser() -> None:
    touching = {
        name(path)
        for path in ALL
        for imported, _ in imports(path)
        if imported.split(".")[0] in OF_THE_BROWSER
    }
    assert touching <= MAY_TOUCH_THE_BROWSER


@pytest.mark.parametrize("path", ALL, ids=IDS)
def test_only_declared_dependencies(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, *THIRD_PARTY, *OF_THE_BROWSER, "webbrain"}
    assert {imported.split(".")[0] for imported, _ in imports(path)} <= allowed


def test_core_needs_the_standard_library_and_pydantic_only() -> None:
    for path in ALL:
        if room(name(path)) == "core":
            roots = {imported.split(".")[0] for imported, _ in imports(path)} - {"pydantic", "webbrain"}
            assert roots <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", ALL, ids=IDS)
def test_nothing_of_a_running_loop_exists_after_the_import(path: Path) -> None:
    """Modules are part of a memory snapshot that is restored into another loop."""
    body = [node for node in tree(path).body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for statement in body:
        inner = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        for node in inner:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            called = [ast.unparse(c.func) for c in ast.walk(node) if isinstance(c, ast.Call)]
            assert not [call for call in called if call.startswith(("asyncio.", "threading.", "js."))]


def test_importing_everything_does_nothing() -> None:
    """No task, thread, connection or file comes of importing, and no order of imports is needed."""
    names = [n for n in IDS if n not in MAY_TOUCH_THE_BROWSER]
    code = f"""
import builtins, importlib, socket, sys, threading
def refuse(*args, **kwargs):
    raise AssertionError("import has a side effect")
socket.socket.connect = socket.socket.bind = refuse
threading.Thread.start = refuse
for name in {names[::-1]!r}:
    importlib.import_module(name)
import asyncio
try:
    asyncio.get_running_loop()
except RuntimeError:
    print("quiet", len(sys.modules) > 50)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=PACKAGE.parent,
        check=False,
    )
    assert done.stdout == "quiet True\n", done.stderr
