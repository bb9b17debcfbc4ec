"""The package's source as syntax trees, for the tests of its architecture."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "py" / "webbrain"


def modules(*, testing: bool = False) -> list[Path]:
    """Every module of the package; ``testing`` adds those that never get into a build."""
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if testing or path.relative_to(PACKAGE).parts[0] != "testing"
    ]


@cache
def tree(path: Path) -> ast.Module:
    """A module, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name(path: Path) -> str:
    """``webbrain.tools.base`` for ``tools/base.py``."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Absolute names of what a module imports, with the line; imports for type checkers only are left out."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            skipped.update(ast.walk(node))
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            module = node.module or ""
            for alias in node.names:
                inner = PACKAGE.parent.joinpath(*module.split("."), f"{alias.name}.py")
                folder = PACKAGE.parent.joinpath(*module.split("."), alias.name, "__init__.py")
                yield (f"{module}.{alias.name}" if inner.exists() or folder.exists() else module), node.lineno


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call with the dotted name of what is called."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node
