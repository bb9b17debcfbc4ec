"""``python -m build.crash``: the builds in which tests stop and kill, made from ``dist/``.

They are the shipped trees with a few files more: the executor of ``js/testing`` in the place of the real
one, and ``webbrain.testing.crash`` and ``stuck``, which ``webbrain.main`` imports there. They lie apart and
are never packed.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build import bytecode, snapshot
from build.assemble import SITE_PREFIX
from build.errors import BuildError
from build.files import read_archive, sha256, write_archive
from build.layout import BROWSERS, CACHE, DIST, ROOT, SCRIPTS, SITE_ARCHIVE, Browser

TARGET = CACHE / "crash"
"""Where the trees go, a folder per browser."""

_HOOK = "js/testing/executor.js"
_MODULES = tuple(f"webbrain/testing/{name}.py" for name in ("__init__", "crash", "stuck"))
_START = b"\nfrom webbrain.testing import crash, stuck\n\ncrash.install()\nstuck.install()\n"
_STAMP = TARGET / "stamp"


def build() -> None:
    """Make both trees, unless those that are there came from this very ``dist/``."""
    inputs = _hash_of_inputs()
    if _STAMP.is_file() and _STAMP.read_text() == inputs:
        return
    shutil.rmtree(TARGET, ignore_errors=True)
    for browser in BROWSERS:
        shutil.copytree(DIST / browser, TARGET / browser)
        _bundle(TARGET / browser, browser)
    first, *others = (TARGET / browser for browser in BROWSERS)
    _add_python(first)
    for other in others:
        shutil.rmtree(other / "py")
        shutil.copytree(first / "py", other / "py")
    _STAMP.write_text(inputs)


def _bundle(tree: Path, browser: Browser) -> None:
    """Bundle the scripts that hold the executor anew."""
    names = ("js/host.js", "js/background.js")
    wanted = [script for script in SCRIPTS if script.target in names and browser in script.browsers]
    job = {
        "outdir": str(tree),
        "scripts": [{"source": s.source, "target": s.target, "format": s.format} for s in wanted],
        "styles": [],
        "instead": {"executor.js": str(ROOT / _HOOK)},
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        if subprocess.run(["node", "build/bundle.mjs", file.name], cwd=ROOT).returncode != 0:
            raise BuildError("the scripts could not be bundled (see above)")


def _add_python(tree: Path) -> None:
    """Add the module to the site archive, and make the snapshot anew."""
    sources = {name: (ROOT / "py" / name).read_bytes() for name in _MODULES}
    main = "webbrain/main.py"
    sources[main] = (ROOT / "py" / main).read_bytes() + _START
    (compiled,) = bytecode.compile_sources([bytecode.Sources(SITE_PREFIX, sources, docs=True)], None)
    site = tree / SITE_ARCHIVE
    write_archive(site, (read_archive(site) | compiled).items())
    manifest = json.loads((tree / "py/boot.json").read_text())
    manifest["site"]["sha256"] = sha256(site)
    manifest["snapshot"] = None
    (tree / "py/snapshot.bin").unlink()
    snapshot.add_snapshot(tree, manifest)


def _hash_of_inputs() -> str:
    if not all((DIST / browser / "manifest.json").is_file() for browser in BROWSERS):
        raise BuildError("dist/ is not built: make build")
    digest = hashlib.sha256()
    own = [ROOT / "py" / name for name in _MODULES] + [ROOT / _HOOK, Path(__file__)]
    for path in [*own, *sorted(DIST.glob("*.zip"))]:
        digest.update(sha256(path).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    try:
        build()
    except BuildError as error:
        print(f"build failed: {error}", file=sys.stderr)
        sys.exit(1)
