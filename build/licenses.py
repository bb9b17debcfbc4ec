"""The licences of what is packaged, as their authors wrote them."""

import json
import re
from pathlib import Path

from build.errors import BuildError
from build.files import read_archive
from build.layout import ROOT

_LICENSE_FILE = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE)[^/]*$", re.IGNORECASE)


def collect(wheels: list[Path]) -> dict[str, bytes]:
    """Return the licence texts of our own code, of the wheels and of the packages of ``package.json`` by
    file name.

    Raises :class:`BuildError` for a dependency that neither has a text nor names its licence.
    """
    texts = {"webbrain.txt": (ROOT / "LICENSE").read_bytes()}
    for wheel in wheels:
        name = wheel.name.split("-")[0].lower().replace("_", "-")
        texts[f"{name}.txt"] = _of_wheel(name, read_archive(wheel))
    for name in json.loads((ROOT / "package.json").read_text())["dependencies"]:
        texts[f"{name.replace('@', '').replace('/', '-')}.txt"] = _of_module(ROOT / "node_modules" / name)
    return texts


def _of_wheel(name: str, files: dict[str, bytes]) -> bytes:
    texts = [
        content
        for path, content in sorted(files.items())
        if ".dist-info/" in path and _LICENSE_FILE.search(path)
    ]
    if texts:
        return b"\n\n".join(texts)
    metadata = next(
        content for path, content in files.items() if path.endswith(".dist-info/METADATA")
    ).decode()
    found = re.search(r"^License(?:-Expression)?: (.+)$", metadata, re.MULTILINE)
    found = found or re.search(r"^Classifier: License :: (.+)$", metadata, re.MULTILINE)
    if not found:
        raise BuildError(f"{name} names no licence")
    return f"{name}: {found[1]}\n".encode()


def _of_module(folder: Path) -> bytes:
    texts = [path.read_bytes() for path in sorted(folder.iterdir()) if _LICENSE_FILE.search(path.name)]
    if texts:
        return b"\n\n".join(texts)
    package = json.loads((folder / "package.json").read_text())
    if not package.get("license"):
        raise BuildError(f"{package['name']} names no licence")
    return f"{package['name']} {package['version']}: {package['license']}\n".encode()
