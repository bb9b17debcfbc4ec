"""``python -m build.lock``: resolve the wheels anew and write ``build/wheels.lock``. For maintainers.

Runs in an environment of its own, with the tools of the extra ``lock``, which need a newer Python than the
build does. pip fetches candidates, pyodide-build makes an index of them, micropip resolves from it inside the
interpreter the wheels are for, and pyodide-lock writes down what it chose.

pip alone is not enough: it chooses files for the interpreter in the browser, but reads the conditions of
requirements (``python_version < "3.9"``) with the one it runs on.
"""

import json
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pyodide_build.create_package_index import create_package_index
from pyodide_lock import PyodideLockSpec
from pyodide_lock.spec import PackageSpec
from pyodide_lock.utils import update_package_sha256

from build import wheels
from build.errors import BuildError
from build.layout import CACHE, ROOT

_RESOLVER = Path(__file__).with_name("resolve.mjs")
_TOOLS = CACHE / "micropip"
_FULL_LOCK = CACHE / "pyodide-lock.json"

_INDEX = "package_index"
"""The folder that pyodide-build puts an index into."""

_HEADER = """\
# The wheels that are packaged into the extension. Made by `make lock` from the dependencies in \
pyproject.toml.
# `make build` fetches these files from wherever pip is set up to look, and takes no others.
"""


def main() -> int:
    """Write the lock; return the exit status."""
    try:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        _fetch_micropip(project["optional-dependencies"]["lock"])
        resolved = _lock(project["dependencies"])
    except BuildError as error:
        print(f"lock failed: {error}", file=sys.stderr)
        return 1
    entries = [
        "\n[[wheel]]\n"
        + "".join(f"{key} = {json.dumps(getattr(wheel, key))}\n" for key in wheels.Wheel.__slots__)
        for wheel in resolved
    ]
    wheels.LOCK.write_text(_HEADER + "".join(entries))
    print(f"{wheels.LOCK.name}: {len(resolved)} wheels")
    return 0


def _fetch_micropip(tools: list[str]) -> None:
    """Put micropip into a folder by itself, for the interpreter in the browser and not for ours, which may be
    too old for it."""
    pin = next(tool for tool in tools if tool.startswith("micropip==")).partition(";")[0].strip()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-deps"]
    command += ["--ignore-requires-python", f"--target={_TOOLS}", *wheels.TARGET_OPTIONS]
    if subprocess.run([*command, pin]).returncode != 0:
        raise BuildError("pip could not fetch micropip (see above)")


def _lock(wanted: list[str]) -> list[wheels.Wheel]:
    """Resolve until micropip has found all it asked for: pip may have left out what only the interpreter in
    the browser needs, and is then asked for that by name."""
    offered = list(wanted)
    while True:
        candidates = _candidates(offered)
        files = dict(zip([wheel.file for wheel in candidates], wheels.fetch(candidates), strict=True))
        missed, frozen = _resolve(wanted, candidates)
        if frozen is not None:
            return _write(frozen, files)
        if not missed - set(offered):
            raise BuildError("micropip could not resolve the dependencies (see above)")
        offered += sorted(missed - set(offered))


def _candidates(wanted: list[str]) -> list[wheels.Wheel]:
    with tempfile.NamedTemporaryFile(suffix=".json") as report, tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += [f"--target={target}", f"--report={report.name}", *wheels.TARGET_OPTIONS, *wanted]
        if subprocess.run(command).returncode != 0:
            raise BuildError("pip found no candidates for the dependencies (see above)")
        return [_wheel(item) for item in json.load(report)["install"]]


def _wheel(item: dict[str, Any]) -> wheels.Wheel:
    download = item["download_info"]
    return wheels.Wheel(
        name=item["metadata"]["name"].lower().replace("_", "-"),
        version=item["metadata"]["version"],
        file=download["url"].rsplit("/", 1)[-1],
        sha256=download["archive_info"]["hashes"]["sha256"],
    )


def _resolve(wanted: list[str], candidates: list[wheels.Wheel]) -> tuple[set[str], PyodideLockSpec | None]:
    """Return the projects that micropip asked for in vain, and its lock if it found a solution."""
    with _index(candidates) as (address, missed), tempfile.NamedTemporaryFile(suffix=".json") as target:
        job = {
            "tools": str(_TOOLS),
            "index": address,
            "requirements": wanted,
            "target": target.name,
        }
        process = subprocess.run(["node", str(_RESOLVER)], input=json.dumps(job), text=True)
        frozen = PyodideLockSpec.from_json(Path(target.name)) if process.returncode == 0 else None
    return missed, frozen


class _Handler(SimpleHTTPRequestHandler):
    """Serves the index and the wheels, and keeps the names of the projects that are not there."""

    def __init__(self, *args: Any, missed: set[str], **kwargs: Any) -> None:
        self._missed = missed
        super().__init__(*args, **kwargs)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        if code == HTTPStatus.NOT_FOUND:
            self._missed.add(self.path.strip("/").rsplit("/", 1)[-1])
        super().send_error(code, message, explain)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Requests are nobody's business."""


@contextmanager
def _index(candidates: list[wheels.Wheel]) -> Iterator[tuple[str, set[str]]]:
    """Serve the candidates to this machine; give the address and a set that missed names are added to."""
    missed: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "wheels").symlink_to(CACHE / "wheels")
        handler = partial(_Handler, directory=folder, missed=missed)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            origin = f"http://127.0.0.1:{server.server_port}"
            packages = {
                wheel.name: PackageSpec(wheel.name, wheel.version, wheel.file, "site", wheel.sha256)
                for wheel in candidates
            }
            create_package_index(packages, Path(folder), f"{origin}/wheels/")
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield f"{origin}/{_INDEX}", missed
            finally:
                server.shutdown()


def _write(frozen: PyodideLockSpec, files: dict[str, Path]) -> list[wheels.Wheel]:
    """Write micropip's lock without the addresses of our index, and return what it names.

    The hashes are taken anew from the files, and must be those that micropip saw.
    """
    for name, package in frozen.packages.items():
        package.file_name = package.file_name.rsplit("/", 1)[-1]
        seen = package.sha256
        if update_package_sha256(package, files[package.file_name]).sha256 != seen:
            raise BuildError(f"{name}: micropip installed another file than {package.file_name}")
    try:
        frozen.check_wheel_filenames()
    except ValueError as error:
        raise BuildError(str(error)) from error
    frozen.to_json(_FULL_LOCK, indent=1)
    return [
        wheels.Wheel(name, package.version, package.file_name, package.sha256)
        for name, package in sorted(frozen.packages.items())
    ]


if __name__ == "__main__":
    sys.exit(main())
