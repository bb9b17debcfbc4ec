"""The suite from outside: the folder of policies that a person names, and the pages that `make` fetched."""

import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from aiohttp import web

from webbrain.testing.local_server import LocalServer

PAGES = Path(__file__).resolve().parents[3] / ".cache" / "miniwob" / "miniwob" / "html"
FILES = ("policies.py", "harness.py", "ref-solvable.txt")

Tool = Callable[..., dict[str, Any]]
Policy = Callable[[str, Tool], None]


class SuiteMissing(RuntimeError):
    """Something that does not belong to this repository is not there. The message says what to do."""


@dataclass(frozen=True)
class Suite:
    """Policies by task, the script that starts an episode in a page, and the tasks that are judged."""

    policies: dict[str, Policy]
    setup: str
    """JavaScript: takes ``[seed, milliseconds, hide the goal]``, starts the episode, returns the goal."""
    listed: tuple[str, ...]

    def choose(self, names: str) -> list[str]:
        """Tasks by ``listed``, ``all``, or names with commas between, each of which may end in ``*``."""
        if names in ("listed", "all"):
            return list(self.listed if names == "listed" else sorted(self.policies))
        chosen: list[str] = []
        for name in filter(None, re.split(r"[,\s]+", names)):
            pattern = re.compile(re.escape(name).replace(r"\*", ".*"))
            known = [*self.listed, *sorted(set(self.policies) - set(self.listed))]
            found = [task for task in known if pattern.fullmatch(task)]
            if not found:
                raise SuiteMissing(f"there is no policy for {name}")
            chosen += [task for task in found if task not in chosen]
        return chosen


def load(folder: Path) -> Suite:
    """Read the policies in a folder; raise ``SuiteMissing``."""
    if absent := [name for name in FILES if not (folder / name).is_file()]:
        raise SuiteMissing(
            f"{folder} has no {', '.join(absent)}. Name the folder with the oracle's policies: "
            "make bench-miniwob MINIWOB_ORACLE=FOLDER"
        )
    policies, harness = _module(folder / "policies.py"), _module(folder / "harness.py")
    lines = (folder / "ref-solvable.txt").read_text(encoding="utf-8").splitlines()
    listed = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if unknown := [task for task in listed if task not in policies.POLICIES]:
        raise SuiteMissing(f"{folder}/policies.py knows nothing of {', '.join(unknown)}")
    return Suite(policies.POLICIES, harness.SETUP.strip(), listed)


def pages() -> LocalServer:
    """A server of the suite's pages, not started yet; raise ``SuiteMissing``."""
    if not (PAGES / "miniwob").is_dir():
        raise SuiteMissing(f"{PAGES} is not there: make bench-miniwob fetches it")

    def app() -> web.Application:
        application = web.Application()
        application.router.add_static("/", PAGES)
        return application

    return LocalServer(app)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"miniwob_oracle_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    write, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = write
    return module
