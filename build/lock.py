"""``python -m build.lock``: resolve the wheels anew and write ``build/wheels.lock``. For maintainers.

pip resolves for the interpreter in the browser, but it reads the conditions of requirements
(``python_version < "3.9"``) with the one it runs on. So the result is then checked inside the very
interpreter that will import it.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from build import wheels
from build.errors import BuildError
from build.files import read_archive
from build.layout import CACHE, ROOT

_CHECKER = Path(__file__).with_name("check_lock.mjs")

_HEADER = """\
# The wheels that are packaged into the extension. Made by `make lock` from the dependencies in
# pyproject.toml. `make build` fetches these files from wherever pip is set up to look, and takes no others.
"""


def main() -> int:
    """Write the lock; return the exit status."""
    try:
        wanted: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        resolved = _resolve(wanted)
        _check(wanted, resolved)
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


def _resolve(wanted: list[str]) -> list[wheels.Wheel]:
    with tempfile.NamedTemporaryFile(suffix=".json") as report, tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += [f"--target={target}", f"--report={report.name}", *wheels.TARGET_OPTIONS, *wanted]
        if subprocess.run(command).returncode != 0:
            raise BuildError("pip could not resolve the dependencies (see above)")
        found = [_wheel(item) for item in json.load(report)["install"]]
    return sorted(found, key=lambda wheel: wheel.name)


def _wheel(item: dict[str, Any]) -> wheels.Wheel:
    download = item["download_info"]
    return wheels.Wheel(
        name=item["metadata"]["name"].lower().replace("_", "-"),
        version=item["metadata"]["version"],
        file=download["url"].rsplit("/", 1)[-1],
        sha256=download["archive_info"]["hashes"]["sha256"],
    )


def _check(wanted: list[str], resolved: list[wheels.Wheel]) -> None:
    """Have the interpreter in the browser read all requirements: each is met, and no wheel is there for
    nothing."""
    requirements = {"": wanted}
    for wheel, path in zip(resolved, wheels.fetch(resolved), strict=True):
        metadata = next(
            text for name, text in read_archive(path).items() if name.endswith(".dist-info/METADATA")
        )
        lines = metadata.decode().split("\n\n", 1)[0].splitlines()
        requirements[wheel.name] = [
            line.split(": ", 1)[1] for line in lines if line.startswith("Requires-Dist: ")
        ]
    packaging = CACHE / "packaging"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--upgrade",
        "--no-deps",
        f"--target={packaging}",
    ]
    if subprocess.run([*command, "packaging"]).returncode != 0:
        raise BuildError("pip could not fetch packaging (see above)")
    versions = {wheel.name: wheel.version for wheel in resolved}
    job = json.dumps({"packaging": str(packaging), "requirements": requirements, "versions": versions})
    if subprocess.run(["node", str(_CHECKER)], input=job, text=True).returncode != 0:
        raise BuildError("the wheels do not satisfy each other in the interpreter they are for (see above)")


if __name__ == "__main__":
    sys.exit(main())
