"""Zip archives that depend on nothing but their contents."""

import zipfile
from collections.abc import Iterable
from pathlib import Path

_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip archive can hold; used for every member."""

_MODE = 0o644
_UNIX = 3


def write_archive(target: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write ``members`` (name, content) to ``target`` in order of name, deflated, with constant dates and modes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(members):
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = _UNIX
            info.external_attr = _MODE << 16
            archive.writestr(info, content)


def read_archive(source: Path) -> dict[str, bytes]:
    """Return the files of an archive by name."""
    with zipfile.ZipFile(source) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def read_tree(root: Path) -> dict[str, bytes]:
    """Return the files below ``root`` by their path from there, with forward slashes."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
