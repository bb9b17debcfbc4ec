"""Python sources to byte code, by the interpreter that will run them."""

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from build.errors import BuildError
from build.files import read_archive, read_tree, write_archive, write_tree
from build.layout import RUNTIME

_COMPILER = Path(__file__).with_name("compile.mjs")

_NOT_SHIPPED = (".py", ".pyi", ".pyc")


@dataclass(frozen=True, slots=True)
class Sources:
    """Files by name, and the path they will have in the interpreter, which tracebacks show.

    ``docs`` keeps docstrings. Ours are what a model is told about a tool; nobody reads those of others.
    """

    prefix: str
    files: Mapping[str, bytes]
    docs: bool = False


def compile_sources(groups: list[Sources], cache: Path | None) -> list[dict[str, bytes]]:
    """Return the files of each group with byte code in place of Python sources, all else as it is.

    With ``cache`` a group that was compiled before is taken from there: it is what most of a build's time
    goes into.
    """
    if cache is None:
        return _compile(groups)
    stores = [cache / f"{_key(group)}.zip" for group in groups]
    todo = [(group, store) for group, store in zip(groups, stores, strict=True) if not store.is_file()]
    if todo:
        compiled = _compile([group for group, _ in todo])
        for (_, store), files in zip(todo, compiled, strict=True):
            write_archive(store, files.items())
    return [read_archive(store) for store in stores]


def _compile(groups: list[Sources]) -> list[dict[str, bytes]]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        tasks = []
        for number, group in enumerate(groups):
            names = [name for name in group.files if name.endswith(".py")]
            write_tree(root / f"source{number}", {name: group.files[name] for name in names})
            tasks += [
                {
                    "source": f"source{number}/{name}",
                    "name": f"{group.prefix}/{name}",
                    "target": f"target{number}/{name}c",
                    "docs": group.docs,
                }
                for name in names
            ]
        job = root / "job.json"
        job.write_text(json.dumps({"root": str(root), "files": tasks}))
        if subprocess.run(["node", str(_COMPILER), str(job)]).returncode != 0:
            raise BuildError("the Python sources could not be compiled (see above)")
        return [
            {name: content for name, content in group.files.items() if not name.endswith(_NOT_SHIPPED)}
            | read_tree(root / f"target{number}")
            for number, group in enumerate(groups)
        ]


def _key(group: Sources) -> str:
    """Hash everything the byte code depends on: the sources, the compiler and the runtime."""
    digest = hashlib.sha256(f"{group.prefix}\n{group.docs}\n".encode())
    for path in (_COMPILER, RUNTIME / "package.json"):
        digest.update(path.read_bytes())
    for name, content in sorted(group.files.items()):
        digest.update(f"\n{name}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
