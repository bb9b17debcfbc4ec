"""Small helpers about files that several steps of the build need."""

import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip archive can hold; used for every member."""

_MODE = 0o644
_UNIX = 3

_LEVEL = 6
"""The highest level takes twice the time for half a percent."""


def sha256(path: Path) -> str:
    """Return the hash of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_archive(target: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write ``members`` (name, content) to a zip file that depends on nothing else: sorted, with constant
    dates."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in sorted(members):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = _UNIX
            info.external_attr = _MODE << 16
            archive.writestr(info, content, compress_type=zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)


def read_archive(source: Path) -> dict[str, bytes]:
    """Return the files of an archive by name."""
    with zipfile.ZipFile(source) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def read_tree(root: Path) -> dict[str, bytes]:
    """Return the files below ``root`` by their path from there, with forward slashes."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def write_tree(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their path below ``root``."""
    for name, content in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
