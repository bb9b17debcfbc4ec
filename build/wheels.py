"""The wheels that go into the extension: read from the lock, fetched once, checked by hash."""

import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from build.errors import BuildError
from build.files import sha256
from build.layout import CACHE, ROOT

LOCK = ROOT / "build/wheels.lock"

PYTHON_VERSION = "3.14"
PLATFORM = "pyemscripten_2026_0_wasm32"
TARGET_OPTIONS = (
    "--only-binary=:all:",
    f"--python-version={PYTHON_VERSION}",
    "--implementation=cp",
    f"--platform={PLATFORM}",
)
"""What makes pip choose files for the interpreter in the browser and not for the one it runs on."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """One locked wheel. There is no address: whatever index pip is set up with may serve it, the hash
    decides."""

    name: str
    version: str
    file: str
    sha256: str


def read_lock(path: Path = LOCK) -> list[Wheel]:
    """Return the locked wheels in the order of the file."""
    with path.open("rb") as file:
        return [Wheel(**entry) for entry in tomllib.load(file)["wheel"]]


def fetch(wheels: list[Wheel], directory: Path = CACHE / "wheels") -> list[Path]:
    """Return the files of the wheels, after fetching those that are not in ``directory`` yet.

    Raises :class:`BuildError` if a file cannot be had or is not the one that was locked.
    """
    directory.mkdir(parents=True, exist_ok=True)
    missing = [wheel for wheel in wheels if not _is_intact(directory / wheel.file, wheel)]
    if missing:
        _download(missing, directory)
    for wheel in missing:
        if not _is_intact(directory / wheel.file, wheel):
            raise BuildError(f"{wheel.file}: pip fetched no such file, or not the one in {LOCK.name}")
    return [directory / wheel.file for wheel in wheels]


def _is_intact(path: Path, wheel: Wheel) -> bool:
    return path.is_file() and sha256(path) == wheel.sha256


def _download(wheels: list[Wheel], directory: Path) -> None:
    lines = [f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in wheels]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.writelines(lines)
        requirements.flush()
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        command += [*TARGET_OPTIONS, f"--dest={directory}", f"--requirement={requirements.name}"]
        if subprocess.run(command).returncode != 0:
            raise BuildError("pip could not fetch the wheels (see above)")
