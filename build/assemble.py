"""Puts the trees together, step by step."""

import json
import re
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

from build import bytecode, checks, icons, licenses, linking, snapshot, wheels
from build.errors import BuildError
from build.files import read_archive, read_tree, sha256, write_archive, write_tree
from build.layout import (
    BROWSERS,
    CACHE,
    LOCALES,
    PAGES,
    ROOT,
    RUNTIME,
    RUNTIME_FILES,
    SCRIPTS,
    SITE_ARCHIVE,
    STANDARD_LIBRARY,
    STYLES,
    TEST_ONLY,
    Browser,
    platform_source,
)
from build.manifests import manifest

SITE_PREFIX = "/lib/webbrain/site.zip"
_STANDARD_PREFIX = "/lib/python314.zip"
"""Where the archives will lie in the interpreter's file system."""

_LIBRARY_SUFFIX = ".so"


def package_version() -> str:
    """Return the version in pyproject.toml, which all others must repeat."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    other = json.loads((ROOT / "package.json").read_text())["version"]
    module = re.search(
        r'^__version__ = "(.+)"$', (ROOT / "py/webbrain/__init__.py").read_text(), re.MULTILINE
    )
    if version != other or not module or version != module[1]:
        raise BuildError("the versions in pyproject.toml, package.json and py/webbrain/__init__.py differ")
    return version


def build(target: Path, cache: Path | None = CACHE) -> None:
    """Build both trees and their archives in ``target``, which is replaced when all checks passed.

    With ``cache`` byte code of unchanged sources is taken from there; the locked wheels always are.
    """
    version = package_version()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as directory:
        work = Path(directory)
        common = work / "common"
        _add_front_end(common)
        _add_python(common, version, cache)
        trees = {browser: _make_tree(work, common, browser, version) for browser in BROWSERS}
        shutil.rmtree(common)
        _check(trees)
        for browser, tree in trees.items():
            archive = work / f"webbrain-{browser}-{version}.zip"
            write_archive(archive, read_tree(tree).items())
            checks.demand(checks.archive_faults(tree, archive))
        _replace(target, work)


def _add_python(tree: Path, version: str, cache: Path | None) -> None:
    """Runtime, byte code, compiled libraries, snapshot."""
    for name in RUNTIME_FILES:
        _copy(RUNTIME / name, tree / "pyodide" / name)
    locked = wheels.fetch(wheels.read_lock())
    site, libraries = _site_files(locked)
    standard, dependencies, package = bytecode.compile_sources(
        [
            bytecode.Sources(_STANDARD_PREFIX, read_archive(RUNTIME / STANDARD_LIBRARY)),
            bytecode.Sources(SITE_PREFIX, site),
            bytecode.Sources(SITE_PREFIX, package_files(), docs=True),
        ],
        cache and cache / "bytecode",
    )
    write_archive(tree / "pyodide" / STANDARD_LIBRARY, standard.items())
    write_archive(tree / SITE_ARCHIVE, (dependencies | package).items())
    write_tree(tree, {f"py/{library_file(name)}": content for name, content in libraries.items()})
    write_tree(tree, {f"licenses/{name}": text for name, text in licenses.collect(locked).items()})

    info = json.loads((RUNTIME / "pyodide-lock.json").read_text())["info"]
    boot = snapshot.boot_manifest(
        tree,
        build_id=_build_id(),
        versions={
            "package": version,
            "python": info["python"],
            "runtime": json.loads((RUNTIME / "package.json").read_text())["version"],
        },
        lock_info=info,
        site=SITE_ARCHIVE,
        libraries=[
            snapshot.Library(_module_name(name), Path(name).name, f"py/{library_file(name)}")
            for name in libraries
        ],
    )
    script = tree / "pyodide/pyodide.asm.mjs"
    script.write_text(linking.without_unused(script.read_text(), boot["exports"]))
    snapshot.add_snapshot(tree, boot)


def _site_files(locked: list[Path]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the files of the wheels, and apart from them the compiled libraries, in order of name."""
    site: dict[str, bytes] = {}
    for wheel in locked:
        for name, content in read_archive(wheel).items():
            if ".dist-info/" in name and not name.endswith("/METADATA"):
                continue
            if name in site:
                raise BuildError(f"two wheels contain {name}")
            site[name] = content
    libraries = {name: site.pop(name) for name in sorted(site) if name.endswith(_LIBRARY_SUFFIX)}
    return site, libraries


def package_files() -> dict[str, bytes]:
    """Return the files of our package that are shipped, by their path below ``py/``."""
    return {
        name: content
        for name, content in read_tree(ROOT / "py").items()
        if "__pycache__" not in name and ".egg-info" not in name and not name.startswith(TEST_ONLY)
    }


def library_file(member: str) -> str:
    """Return the packaged name of a compiled library: stores frown on ``.so``, and it is WebAssembly
    anyway."""
    return Path(member).name.split(".")[0].lstrip("_") + ".wasm"


def _module_name(member: str) -> str:
    *packages, file = member.split("/")
    return ".".join([*packages, file.split(".")[0]])


def _build_id() -> str:
    """Return the runtime's build id, which a snapshot is bound to."""
    found = re.search(r'BUILD_ID:"([0-9a-f]{64})"', (RUNTIME / "pyodide.mjs").read_text())
    if not found:
        raise BuildError("pyodide.mjs names no build id")
    return found[1]


def _add_front_end(tree: Path) -> None:
    """Bundles, pages, style sheets, icons, messages."""
    for target, source in PAGES.items():
        _copy(ROOT / source, tree / target)
    for size in icons.SIZES:
        write_tree(tree, {f"icons/icon-{size}.png": icons.draw(size)})
    for messages in sorted((ROOT / LOCALES).glob("*/messages.json")):
        _copy(messages, tree / "_locales" / messages.parent.name / messages.name)
    pages = "".join(page.read_text() for page in tree.glob("*.html"))
    linked = set(re.findall(r'href="css/([\w-]+\.css)"', pages))
    scripts = [{"source": s.source, "target": s.target, "format": s.format} for s in SCRIPTS]
    styles = [{"source": f"{STYLES}/{name}", "target": f"css/{name}"} for name in sorted(linked)]
    job = {"outdir": str(tree), "scripts": scripts, "styles": styles}
    missing = [entry["source"] for entry in scripts + styles if not (ROOT / entry["source"]).is_file()]
    if missing:
        raise BuildError(f"these sources do not exist: {', '.join(missing)}")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        if subprocess.run(["node", "build/bundle.mjs", file.name], cwd=ROOT).returncode != 0:
            raise BuildError("the scripts could not be bundled (see above)")


def _make_tree(work: Path, common: Path, browser: Browser, version: str) -> Path:
    tree = work / browser
    shutil.copytree(common, tree)
    for script in SCRIPTS:
        if browser not in script.browsers:
            (tree / script.target).unlink()
    _copy(platform_source(browser), tree / "js/platform.js")
    text = json.dumps(manifest(browser, version), indent=2, ensure_ascii=False)
    (tree / "manifest.json").write_text(text + "\n")
    return tree


def _check(trees: dict[Browser, Path]) -> None:
    rows = checks.bridge_rows()
    for browser, tree in trees.items():
        checks.demand(f"{browser}: {fault}" for fault in checks.check_tree(tree, browser, rows))
    checks.demand(checks.tree_differences(trees))


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        raise BuildError(f"{source.relative_to(ROOT)} does not exist")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Content only: modes and times of the checkout are nobody's business.
    target.write_bytes(source.read_bytes())


def _replace(target: Path, work: Path) -> None:
    """Put the finished build in place of the old one. Browsers that have the old one loaded keep a whole
    tree."""
    target.mkdir(exist_ok=True)
    for old in target.iterdir():
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    for new in work.iterdir():
        new.rename(target / new.name)


def summary(target: Path) -> str:
    """Return a table of what the build weighs, the large parts first."""
    lines = []
    for archive in sorted(target.glob("*.zip")):
        lines.append(f"{archive.name}  {_mb(archive.stat().st_size)}  sha256 {sha256(archive)}")
    tree = target / "chrome"
    sizes: dict[str, int] = {}
    for path in tree.rglob("*"):
        if path.is_file():
            relative = path.relative_to(tree)
            large = relative.parts[0] in ("py", "pyodide")
            name = (
                relative.as_posix() if large else relative.parts[0] + ("/" if len(relative.parts) > 1 else "")
            )
            sizes[name] = sizes.get(name, 0) + path.stat().st_size
    lines += [f"{_mb(size):>10}  {name}" for name, size in sorted(sizes.items(), key=lambda item: -item[1])]
    lines.append(f"{_mb(sum(sizes.values())):>10}  dist/chrome in all")
    return "\n".join(lines)


def _mb(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def input_files() -> list[Path]:
    """Return every file a build depends on."""
    names = ["LICENSE", "pyproject.toml", "package.json", "package-lock.json"]
    folders = ["py", "js", "build", "manifests"]
    found = [ROOT / name for name in names]
    for folder in folders:
        found += [
            p for p in sorted((ROOT / folder).rglob("*")) if p.is_file() and "__pycache__" not in p.parts
        ]
    return found
