"""Python sources to byte code, by the interpreter that will run them."""

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from build.errors import BuildError
from build.files import read_archive, read_tree, write_archive, write_tree
from build.layout import RUNTIME

_COMPILER = Path(__file__).with_name("compile.mjs")

_NOT_SHIPPED = (".pyi", ".pyc")


def compile_sources(
    groups: Mapping[str, Mapping[str, bytes]], cache: Path | None
) -> dict[str, dict[str, bytes]]:
    """Return each group of files with byte code in place of its Python sources, all else as it is.

    A group's key is the path its files will have in the interpreter, which tracebacks show. With ``cache`` a
    group whose content was compiled before is taken from there; starting the interpreter alone costs seconds.
    """
    done: dict[str, dict[str, bytes]] = {}
    stores = (
        {prefix: cache / f"{_key(prefix, files)}.zip" for prefix, files in groups.items()} if cache else {}
    )
    for prefix, store in stores.items():
        if store.is_file():
            done[prefix] = read_archive(store)
    todo = {prefix: files for prefix, files in groups.items() if prefix not in done}
    if todo:
        for prefix, files in _compile(todo).items():
            done[prefix] = files
            if prefix in stores:
                write_archive(stores[prefix], files.items())
    return done


def _compile(groups: Mapping[str, Mapping[str, bytes]]) -> dict[str, dict[str, bytes]]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        jobs = []
        for number, (prefix, files) in enumerate(groups.items()):
            sources = {name: content for name, content in files.items() if name.endswith(".py")}
            write_tree(root / f"source{number}", sources)
            for name in sources:
                jobs.append(
                    {
                        "source": f"source{number}/{name}",
                        "name": f"{prefix}/{name}",
                        "target": f"target{number}/{name}c",
                    }
                )
        job = root / "job.json"
        job.write_text(json.dumps({"root": str(root), "files": jobs}))
        if subprocess.run(["node", str(_COMPILER), str(job)]).returncode != 0:
            raise BuildError("the Python sources could not be compiled (see above)")
        result = {}
        for number, (prefix, files) in enumerate(groups.items()):
            kept = {
                name: content for name, content in files.items() if not name.endswith((".py", *_NOT_SHIPPED))
            }
            result[prefix] = kept | read_tree(root / f"target{number}")
        return result


def _key(prefix: str, files: Mapping[str, bytes]) -> str:
    """Hash everything the byte code depends on: the sources, the compiler and the runtime."""
    digest = hashlib.sha256(prefix.encode())
    for path in (_COMPILER, RUNTIME / "package.json"):
        digest.update(path.read_bytes())
    for name in sorted(files):
        digest.update(f"\n{name}\n{len(files[name])}\n".encode())
        digest.update(files[name])
    return digest.hexdigest()
