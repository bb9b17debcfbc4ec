"""What no file of the package may do, how large files may grow, and that borders are capped."""

import ast
import re
import types
import typing
from pathlib import Path
from typing import Any

import pytest
from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel

from tests.support.source import PACKAGE, ROOT, calls, modules, name, tree
from webbrain import app
from webbrain.core import events

ALL = modules(testing=True)
SHIPPED = modules()
LINES_MAX = 500

BANNED_CALLS = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "pickle.loads",
    "pickle.load",
    "marshal.loads",
    "os.system",
    "os.popen",
    "time.sleep",
    "random.random",
    "random.choice",
    "random.randint",
}
"""Fetched text is never run, nothing blocks the loop, and ids come from the system's generator."""


def banned(path: Path) -> list[str]:
    return [f"{path.name}:{node.lineno} {called}" for called, node in calls(path) if called in BANNED_CALLS]


def silent(source: ast.Module) -> list[int]:
    """Lines where any error at all disappears without a trace."""
    lines = []
    for node in ast.walk(source):
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
            empty = all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
            if node.type is None or (broad and empty):
                lines.append(node.lineno)
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).endswith("suppress")
            and any(ast.unparse(arg) in ("Exception", "BaseException") for arg in node.args)
        ):
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize("path", SHIPPED, ids=[name(path) for path in SHIPPED])
def test_no_banned_call(path: Path) -> None:
    assert banned(path) == []


@pytest.mark.parametrize("path", ALL, ids=[name(path) for path in ALL])
def test_no_error_disappears(path: Path) -> None:
    assert silent(tree(path)) == []


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    x()\nexcept Exception:\n    pass",
        "try:\n    x()\nexcept:\n    print(1)",
        "with contextlib.suppress(Exception):\n    x()",
    ],
)
def test_a_disappearing_error_would_be_found(text: str) -> None:
    assert silent(ast.parse(text))


def test_a_banned_call_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("def f(text):\n    return eval(text)\n")
    assert banned(path)


def _sources() -> list[Path]:
    return [*ALL, *(ROOT / "build").rglob("*.py")]


def test_no_file_is_too_long() -> None:
    long = {
        str(p.relative_to(ROOT)): n for p in _sources() if (n := len(p.read_text().splitlines())) > LINES_MAX
    }
    assert long == {}


# --- events ---


def test_every_event_type_is_emitted() -> None:
    made: set[str] = set()
    for path in SHIPPED:
        known = {
            alias.asname or alias.name: alias.name
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom) and node.module == "webbrain.core.events"
            for alias in node.names
        }
        made |= {known[called] for called, _ in calls(path) if called in known}
    streamed = {"TextDelta"}  # told piece by piece by Journal.delta, without a model per piece
    assert {model.__name__ for model in events.EVENTS.values()} - made == streamed


def test_every_event_type_is_drawn() -> None:
    screens = [ROOT / "js" / "ui" / name for name in ("conversation.js", "queue.js")]
    drawn = {name for file in screens for name in re.findall(r'case "(\w+)":', file.read_text())}
    assert set(events.EVENTS) <= drawn


def test_every_message_to_screens_is_in_the_protocol() -> None:
    protocol = (ROOT / "docs" / "protocol.md").read_text()
    told = {
        node.args[0].value
        for path in SHIPPED
        for called, node in calls(path)
        if called.endswith("ui.emit") and node.args and isinstance(node.args[0], ast.Constant)
    }
    assert {"agent_update", "tab_gone"} <= told
    assert [event for event in told if f"`{event}" not in protocol] == []


# --- caps ---


def _uncapped(model: type[BaseModel]) -> list[str]:
    """Fields through which a screen could send any amount."""
    out = []
    for key, field in model.model_fields.items():
        limits = field.metadata
        kinds = _kinds(field.annotation)
        if kinds & {str, dict, list} and not any(isinstance(limit, MaxLen) for limit in limits):
            out.append(f"{model.__name__}.{key}")
        if int in kinds and not any(isinstance(limit, Ge | Le) for limit in limits):
            out.append(f"{model.__name__}.{key}")
    return out


def _kinds(annotation: Any) -> set[Any]:
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return set()
    if origin in (typing.Union, types.UnionType):
        return set().union(*(_kinds(part) for part in typing.get_args(annotation)))
    return {origin or annotation}


def test_everything_a_screen_sends_is_capped() -> None:
    from tests.support.toolbox import page_host

    models = {route.params for route in app.App(page_host()).routes.values()}
    assert len(models) > 5
    assert [field for model in models for field in _uncapped(model)] == []


def test_an_uncapped_field_would_be_found() -> None:
    class Open(BaseModel):
        text: str
        count: int
        more: dict[str, str]

    assert len(_uncapped(Open)) == 3


def test_rooms_with_rules_keep_them_beside_the_code_and_short() -> None:
    for rules in [PACKAGE / "agent" / "RULES.md", *PACKAGE.rglob("RULES.md")]:
        assert len(rules.read_text().splitlines()) <= 60
