"""The documentation of tools is true: the table is fresh, the example runs, the scaffold passes."""

import importlib.util
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from build.scaffold import CATALOG, BadName, new_provider, new_tool
from build.tool_docs import TARGET, tools_page
from tests.contract import test_tools as contract
from webbrain.providers.catalog import CatalogEntry
from webbrain.tools import registry

ROOT = TARGET.parents[1]
GUIDE = TARGET.parent / "adding-a-tool.md"


def block(kind: str) -> str:
    found = re.findall(
        rf"<!-- example: {kind} -->\n```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert len(found) == 1
    return str(found[0])


def load(name: str, path: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, path)
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


@pytest.fixture
def loaded() -> Iterator[Any]:
    """``load``, whose modules are forgotten afterwards."""
    before = set(sys.modules)
    yield load
    for name in set(sys.modules) - before:
        if name.startswith(("webbrain.tools.", "tests.unit.test_tool_")):
            del sys.modules[name]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as a new tool needs around it."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "py/webbrain", tmp_path / "py/webbrain", ignore=ignore)
    shutil.copytree(ROOT / "tests/support", tmp_path / "tests/support", ignore=ignore)
    (tmp_path / "tests/unit").mkdir()
    shutil.copy(ROOT / "tests/__init__.py", tmp_path / "tests")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


async def run_all(module: ModuleType) -> int:
    tests = [test for name, test in vars(module).items() if name.startswith("test_")]
    for test in tests:
        done = test()
        if inspect.isawaitable(done):
            await done
    return len(tests)


def test_the_table_is_fresh() -> None:
    assert TARGET.read_text(encoding="utf-8") == tools_page(), "run `make docs`"


async def test_the_guide_s_example_runs(loaded: Any, checkout: Path) -> None:
    tool_file = checkout / "py/webbrain/tools/count_words.py"
    test_file = checkout / "tests/unit/test_tool_count_words.py"
    tool_file.write_text(block("tool"), encoding="utf-8")
    test_file.write_text(block("test"), encoding="utf-8")
    tool = loaded("webbrain.tools.count_words", tool_file)
    assert await run_all(loaded("tests.unit.test_tool_count_words", test_file)) == 3
    own = registry.Registry()
    own.register(tool.SPEC)
    assert own.get("count_words") is tool.SPEC
    await keeps_the_contract(tool.SPEC)
    lints(checkout, tool_file, test_file)


async def test_the_scaffold_passes_as_it_is(loaded: Any, checkout: Path) -> None:
    tool_file, test_file = new_tool("look_around", checkout)
    tool = loaded("webbrain.tools.look_around", tool_file)
    assert tool.SPEC.label == "Look around"
    assert await run_all(loaded("tests.unit.test_tool_look_around", test_file)) == 1
    await keeps_the_contract(tool.SPEC)
    lints(checkout, tool_file, test_file)


async def keeps_the_contract(spec: Any) -> None:
    contract.test_specification_is_complete(spec)
    contract.test_schema_is_small_and_valid(spec)
    contract.test_label_names_arguments_that_exist(spec)
    contract.test_example_is_a_valid_call(spec)
    contract.test_bad_arguments_are_refused(spec)
    await contract.test_succeeds_on_an_ordinary_page(spec)
    await contract.test_closed_tab(spec)
    await contract.test_restricted_page(spec, "chrome://settings/")
    await contract.test_cancel_is_prompt(spec)
    await contract.test_page_that_never_answers(spec)


def lints(checkout: Path, *files: Path) -> None:
    """The files are as ruff wants them in a checkout."""
    for command in (["check", "--no-cache"], ["format", "--diff", "--no-cache"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *map(str, files)],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", ["", "x", "Look", "look-around", "9lives", "../evil", "class", "a" * 50])
def test_the_scaffold_refuses_odd_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadName):
        new_tool(name, tmp_path)
    assert not list(tmp_path.iterdir())


def catalogue(checkout: Path) -> None:
    """Put both files of the catalogue as they are below ``checkout``."""
    there = checkout / CATALOG.parent
    there.mkdir(parents=True)
    for path in (ROOT / CATALOG.parent).glob("catalog*.toml"):
        shutil.copy(path, there)


@pytest.mark.parametrize("name", ["aaa-first", "mmm-between", "zzz-last"])
def test_a_new_provider_is_one_table_in_its_place(name: str, tmp_path: Path) -> None:
    before = (ROOT / CATALOG).read_text(encoding="utf-8")
    catalogue(tmp_path)
    after = new_provider(name, tmp_path).read_text(encoding="utf-8")
    entry = CatalogEntry.model_validate({"id": name, **tomllib.loads(after)["provider"][name]})
    assert (entry.category, entry.default_model, entry.context_window) == ("cloud", f"{name}-1", 128_000)
    table = re.search(rf"\[provider\.{name}\]\n(.+\n)+\n?", after)
    assert table
    assert re.sub(r"\n+", "\n", after.replace(table[0], "")) == re.sub(r"\n+", "\n", before)
    names = re.findall(r"^\[provider\.([^\].]+)\]$", after, re.MULTILINE)
    behind = names[names.index(name) + 1 :]
    assert all(other <= name for other in names[: names.index(name)])
    assert not behind or behind[0] > name


@pytest.mark.parametrize("name", ["", "Big", "under_score", "../evil", "a.b", "-x"])
def test_a_provider_s_odd_name_is_refused(name: str, tmp_path: Path) -> None:
    catalogue(tmp_path)
    with pytest.raises(BadName):
        new_provider(name, tmp_path)


@pytest.mark.parametrize("name", ["groq", "abacus"])
def test_a_provider_that_is_there_stays_as_it_is(name: str, tmp_path: Path) -> None:
    catalogue(tmp_path)
    with pytest.raises(FileExistsError):
        new_provider(name, tmp_path)
    assert (tmp_path / CATALOG).read_bytes() == (ROOT / CATALOG).read_bytes()


def test_the_scaffold_overwrites_nothing(tmp_path: Path) -> None:
    first, _ = new_tool("look_around", tmp_path)
    first.write_text("mine")
    with pytest.raises(FileExistsError):
        new_tool("look_around", tmp_path)
    assert first.read_text() == "mine"


def test_a_taken_or_reserved_name_is_refused() -> None:
    own = registry.Registry()
    scroll = registry.get("scroll")
    assert scroll
    own.register(scroll)
    with pytest.raises(ValueError, match="already"):
        own.register(scroll)
    for name in registry.RESERVED:
        with pytest.raises(ValueError, match="reserved"):
            own.register(type(scroll)(**{f: getattr(scroll, f) for f in scroll.__slots__} | {"name": name}))
