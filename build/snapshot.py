"""Makes the memory snapshot and the manifest that the boot recipe reads."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build import linking
from build.errors import BuildError
from build.files import sha256

_BLOCK = 4 * 1024
"""Zero blocks of this size (bytes), a page of memory, are left out of the file."""

_MAKER = Path(__file__).with_name("snapshot.mjs")


@dataclass(frozen=True, slots=True)
class Library:
    """A compiled extension module: its full name, the file name import expects, and where it is packaged."""

    module: str
    file: str
    path: str


def boot_manifest(
    tree: Path,
    *,
    build_id: str,
    versions: dict[str, str],
    lock_info: dict[str, str],
    site: str,
    libraries: list[Library],
) -> dict[str, Any]:
    """Describe a tree that has no snapshot yet, in the form that ``js/bridge/boot.js`` reads."""
    return {
        "buildId": build_id,
        **versions,
        "lockInfo": lock_info,
        "exports": linking.used_exports(
            (tree / "pyodide/pyodide.asm.mjs").read_text(),
            (tree / "pyodide/pyodide.asm.wasm").read_bytes(),
            [(tree / library.path).read_bytes() for library in libraries],
        ),
        "site": {"path": site, "sha256": sha256(tree / site)},
        "libraries": [
            {
                "module": library.module,
                "file": library.file,
                "path": library.path,
                "sha256": sha256(tree / library.path),
            }
            for library in libraries
        ],
        "snapshot": None,
    }


def write_boot_manifest(tree: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest into the tree."""
    (tree / "py/boot.json").write_text(json.dumps(manifest, separators=(",", ":"), sort_keys=True) + "\n")


def add_snapshot(tree: Path, manifest: dict[str, Any]) -> None:
    """Start Python from ``tree`` in Node, write its memory to ``py/snapshot.bin`` and name it in the
    manifest."""
    write_boot_manifest(tree, manifest)
    target = tree / "py/snapshot.bin"
    if subprocess.run(["node", str(_MAKER), str(tree), str(target)]).returncode != 0:
        raise BuildError("Python did not start from the built tree, so there is no snapshot (see above)")
    snapshot = target.read_bytes()
    runs = list(occupied_runs(snapshot))
    target.write_bytes(b"".join(snapshot[offset : offset + length] for offset, length in runs))
    parts = ["pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", manifest["site"]["path"]]
    parts += [library["path"] for library in manifest["libraries"]]
    manifest["files"] = {path: sha256(tree / path) for path in ["py/snapshot.bin", *parts]}
    manifest["snapshot"] = {
        "path": "py/snapshot.bin",
        "sha256": sha256(target),
        "buildId": manifest["buildId"],
        "size": len(snapshot),
        "header": header_length(snapshot),
        "runs": runs,
    }
    write_boot_manifest(tree, manifest)


def header_length(snapshot: bytes) -> int:
    """Bytes that come before the memory itself; the second 32-bit word of a snapshot says how many."""
    return int.from_bytes(snapshot[4:8], "little")


def occupied_runs(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield offset and length of the parts of ``content`` that are not zero, in whole blocks."""
    start: int | None = None
    for offset in range(0, len(content), _BLOCK):
        occupied = any(content[offset : offset + _BLOCK])
        if occupied and start is None:
            start = offset
        elif not occupied and start is not None:
            yield start, offset - start
            start = None
    if start is not None:
        yield start, len(content) - start
