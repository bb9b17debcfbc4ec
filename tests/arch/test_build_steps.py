"""The steps of the build that need no interpreter in the browser."""

import hashlib
import json
import os
import re
import struct
import tomllib
import zlib
from pathlib import Path

import pytest

from build import icons, licenses, lint, wheels
from build.assemble import input_files, library_file, package_files, package_version
from build.errors import BuildError
from build.files import read_archive, write_archive
from build.layout import BROWSERS, PAGES, ROOT, SCRIPTS, TEST_ONLY, platform_source
from build.snapshot import occupied_runs

LOCKED = wheels.read_lock()


def test_archives_depend_on_their_contents_only(tmp_path: Path) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    write_archive(first, [("b", b"2"), ("a", b"1" * 1000)])
    write_archive(second, [("a", b"1" * 1000), ("b", b"2")])
    os.utime(first, (0, 0))
    assert first.read_bytes() == second.read_bytes()
    assert read_archive(first) == {"a": b"1" * 1000, "b": b"2"}


@pytest.mark.parametrize("size", icons.SIZES)
def test_icons_are_sound_png_files_of_their_size(size: int) -> None:
    image = icons.draw(size)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", image[16:24]) == (size, size)
    start, length = 33, struct.unpack(">I", image[33:37])[0]
    assert image[start + 4 : start + 8] == b"IDAT"
    rows = zlib.decompress(image[start + 8 : start + 8 + length])
    assert len(rows) == size * (1 + 4 * size)
    pixels = [rows[1 + 4 * x + y * (1 + 4 * size) :][:4] for y in range(size) for x in range(size)]
    assert pixels[0][3] < 128, "the corners are round"
    assert bytes([255, 255, 255, 255]) in pixels, "the mark is white"


def test_only_occupied_blocks_are_stored() -> None:
    block = 4 * 1024
    content = bytearray(5 * block + 100)
    content[block] = 1
    content[2 * block + 5] = 1
    content[-1] = 1
    runs = list(occupied_runs(bytes(content)))
    assert runs == [(block, 2 * block), (5 * block, 100)]
    restored = bytearray(len(content))
    for offset, length in runs:
        restored[offset : offset + length] = content[offset : offset + length]
    assert restored == content
    assert list(occupied_runs(bytes(block))) == []


def test_the_lock_names_files_and_no_addresses() -> None:
    text = wheels.LOCK.read_text()
    assert "://" not in text
    for wheel in LOCKED:
        assert re.fullmatch(r"[0-9a-f]{64}", wheel.sha256)
        assert wheel.file.endswith(("-none-any.whl", f"-cp314-cp314-{wheels.PLATFORM}.whl"))
        assert wheel.version in wheel.file


def test_every_dependency_of_the_package_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = {f"{wheel.name}=={wheel.version}" for wheel in LOCKED}
    assert set(project["dependencies"]) <= locked


def test_every_tool_is_locked_by_hash() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "requirements.lock").read_text()
    pins = dict(re.findall(r"^([a-z0-9-]+)==([^ \\]+)", text, re.MULTILINE))
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        name, version = requirement.split("==")
        assert pins.get(name) == version, f"requirements.lock is stale: {requirement}; run `make lock`"
    assert text.count("--hash=sha256:") >= len(pins)
    assert "://" not in text


def test_node_packages_are_pinned_exactly() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    lock = json.loads((ROOT / "package-lock.json").read_text())
    for name, version in (package["dependencies"] | package["devDependencies"]).items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), f"{name} is not pinned"
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    entries = {path: entry for path, entry in lock["packages"].items() if path and not entry.get("link")}
    assert all("integrity" in entry for entry in entries.values())
    assert not any("resolved" in entry for entry in entries.values()), "the lock holds no addresses"


def test_a_wheel_that_is_not_the_locked_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = b"the wheel"
    wheel = wheels.Wheel("demo", "1.0", "demo-1.0-py3-none-any.whl", hashlib.sha256(good).hexdigest())
    (tmp_path / wheel.file).write_bytes(good)
    monkeypatch.setattr(wheels, "_download", lambda *_: pytest.fail("it is there already"))
    assert wheels.fetch([wheel], tmp_path) == [tmp_path / wheel.file]

    (tmp_path / wheel.file).write_bytes(b"something else")
    asked = []
    monkeypatch.setattr(wheels, "_download", lambda missing, _: asked.extend(missing))
    with pytest.raises(BuildError, match=re.escape(wheel.file)):
        wheels.fetch([wheel], tmp_path)
    assert asked == [wheel]


def test_the_package_is_shipped_with_its_data_and_without_its_test_parts() -> None:
    files = package_files()
    assert "webbrain/boot.py" in files
    assert "webbrain/providers/catalog.toml" in files
    assert not [name for name in files if name.startswith(TEST_ONLY) or "__pycache__" in name]
    assert (ROOT / "py/webbrain/host/memory.py").is_file(), "what is left out must exist under that name"
    assert (ROOT / "py/webbrain/testing").is_dir()


def test_versions_agree() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", package_version())


def test_compiled_libraries_lose_the_ending_that_stores_frown_on() -> None:
    member = "pydantic_core/_pydantic_core.cpython-314-wasm32-emscripten.so"
    assert library_file(member) == "pydantic_core.wasm"


def test_sources_of_every_script_and_page_exist() -> None:
    for source in [*(script.source for script in SCRIPTS), *PAGES.values()]:
        assert (ROOT / source).is_file(), source


def test_both_platform_files_have_the_same_exports() -> None:
    exports = [
        set(re.findall(r"^export (?:async )?(?:const|function) (\w+)", platform_source(b).read_text(), re.M))
        for b in BROWSERS
    ]
    assert exports[0] == exports[1] != set()
    assert not any(re.search(r"^import ", platform_source(b).read_text(), re.M) for b in BROWSERS)


def test_a_change_of_any_input_is_noticed() -> None:
    inputs = {path.relative_to(ROOT).as_posix() for path in input_files()}
    assert {"py/webbrain/boot.py", "js/bridge/boot.js", "build/wheels.lock", "LICENSE"} <= inputs
    assert {"manifests/base.json", "package-lock.json", "js/_locales/en/messages.json"} <= inputs
    assert not [path for path in inputs if "__pycache__" in path or path.startswith("dist/")]


def test_an_unexpected_warning_of_the_store_fails() -> None:
    expected = {"code": "DANGEROUS_EVAL", "file": "pyodide/pyodide.asm.mjs", "line": 1, "message": "eval"}
    assert lint.unexpected({"errors": [], "warnings": [expected]}) == []
    ours = expected | {"file": "js/worker.js"}
    assert len(lint.unexpected({"errors": [], "warnings": [expected, ours]})) == 1
    assert len(lint.unexpected({"errors": [expected], "warnings": []})) == 1


def test_a_dependency_without_a_licence_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "demo-1.0-py3-none-any.whl"
    write_archive(wheel, [("demo-1.0.dist-info/METADATA", b"Name: demo\nLicense: MIT\n")])
    assert licenses.collect([wheel])["demo.txt"] == b"demo: MIT\n"
    write_archive(wheel, [("demo-1.0.dist-info/METADATA", b"Name: demo\n")])
    with pytest.raises(BuildError, match="demo"):
        licenses.collect([wheel])
