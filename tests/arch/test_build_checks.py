"""Each check of a built tree, on a tree it must accept and on one it must not."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from build import checks
from build.errors import BuildError
from build.files import read_tree, write_archive, write_tree
from build.layout import BROWSERS, SITE_ARCHIVE, Browser
from build.manifests import manifest, merge

ROWS = checks.bridge_rows()
SCRIPT = (
    b"chrome.alarms.x;chrome.offscreen.x;chrome.sidePanel.x('sidepanel.html');"
    b"api.storage.x;indexedDB;api.webRequest;"
)


def make_tree(root: Path, browser: Browser) -> Path:
    """Write the smallest tree that passes, with the real manifest."""
    content = manifest(browser, "1.2.3")
    files = {
        "manifest.json": json.dumps(content).encode(),
        "host.html": b'<script type="module" src="js/host.js"></script>',
        "sidepanel.html": b'<link rel="stylesheet" href="css/app.css"><a href="https://example.org">x</a>',
        "settings.html": b"",
        "css/app.css": b"",
        "js/host.js": b'import { a } from "./platform.js";\n' + SCRIPT,
        "js/platform.js": f"export const a = '{browser}';".encode(),
        "_locales/en/messages.json": b"{}",
        **dict.fromkeys(content["icons"].values(), b"png"),
    }
    if browser == "chrome":
        files["js/background.js"] = b""
    write_tree(root / browser, files)
    write_archive(root / browser / SITE_ARCHIVE, [("webbrain/core/ids.pyc", b"webbrain.core")])
    return root / browser


def faults(tree: Path, kind: Browser, rows: dict[str, Any] = ROWS) -> list[str]:
    return list(checks.check_tree(tree, kind, rows))


def change_manifest(tree: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = tree / "manifest.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.fixture(params=BROWSERS)
def kind(request: pytest.FixtureRequest) -> Browser:
    return request.param


@pytest.fixture
def tree(tmp_path: Path, kind: Browser) -> Iterator[Path]:
    tree = make_tree(tmp_path, kind)
    assert faults(tree, kind) == [], "the tree must be sound before a test breaks it"
    return tree


@pytest.mark.parametrize(
    "name",
    ["icons/icon-48.png", "js/platform.js", "js/host.js", "css/app.css", "settings.html", "sidepanel.html"],
)
def test_a_named_file_that_is_missing_is_found(tree: Path, kind: Browser, name: str) -> None:
    (tree / name).unlink()
    assert any(name.split("/")[-1] in fault and "does not exist" in fault for fault in faults(tree, kind))


def test_a_missing_service_worker_is_found(tmp_path: Path) -> None:
    tree = make_tree(tmp_path, "chrome")
    (tree / "js/background.js").unlink()
    assert any("js/background.js" in fault for fault in faults(tree, "chrome"))


def test_missing_messages_are_found(tree: Path, kind: Browser) -> None:
    (tree / "_locales/en/messages.json").unlink()
    assert any("default locale" in fault for fault in faults(tree, kind))


@pytest.mark.parametrize(
    "policy",
    [
        None,
        "script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'; object-src 'self'",
        "script-src 'self' 'wasm-unsafe-eval' https://example.org; object-src 'self'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "script-src 'self' 'wasm-unsafe-eval';  object-src 'self'",
    ],
)
def test_any_other_policy_is_refused(tree: Path, kind: Browser, policy: str | None) -> None:
    value = {"extension_pages": policy} if kind == "chrome" and policy else policy
    change_manifest(tree, lambda content: content.update(content_security_policy=value))
    assert any("content_security_policy" in fault for fault in faults(tree, kind))


def test_a_policy_for_sandboxed_pages_is_refused(tmp_path: Path) -> None:
    tree = make_tree(tmp_path, "chrome")
    change_manifest(tree, lambda content: content["content_security_policy"].update(sandbox="script-src *"))
    assert any("content_security_policy" in fault for fault in faults(tree, "chrome"))


@pytest.mark.parametrize("name", ["history", "cookies", "nativeMessaging"])
def test_a_permission_nobody_needs_is_refused(tree: Path, kind: Browser, name: str) -> None:
    change_manifest(tree, lambda content: content["permissions"].append(name))
    assert any(repr(name) in fault and "no row" in fault for fault in faults(tree, kind))


def test_a_permission_that_a_row_needs_must_be_asked_for(tree: Path, kind: Browser) -> None:
    row = {"browsers": [kind], "permission": "bookmarks"}
    assert faults(tree, kind, ROWS | {"bookmarks.getTree": row}) != []
    other = {"browsers": ["another"], "permission": "bookmarks"}
    assert faults(tree, kind, ROWS | {"bookmarks.getTree": other}) == []


@pytest.mark.parametrize("name", ["storage", "tabs", "<all_urls>"])
def test_a_missing_permission_is_found(tree: Path, kind: Browser, name: str) -> None:
    def remove(content: dict[str, Any]) -> None:
        for key in ("permissions", "host_permissions"):
            if name in content.get(key, []):
                content[key].remove(name)

    change_manifest(tree, remove)
    assert any(repr(name) in fault and "needed" in fault for fault in faults(tree, kind))


def test_an_exception_to_the_table_must_be_in_use(tree: Path, kind: Browser) -> None:
    script = tree / "js/host.js"
    script.write_text(script.read_text().replace("indexedDB", "nothing"))
    assert any("unlimitedStorage" in fault for fault in faults(tree, kind))


@pytest.mark.parametrize("key", ["externally_connectable", "content_scripts", "optional_permissions"])
def test_other_doors_are_refused(tree: Path, kind: Browser, key: str) -> None:
    change_manifest(tree, lambda content: content.update({key: []}))
    assert any(key in fault for fault in faults(tree, kind))


@pytest.mark.parametrize("version", [None, "101", "60.0"])
def test_a_minimum_version_must_be_given_and_suffice(tree: Path, kind: Browser, version: str | None) -> None:
    def set_version(content: dict[str, Any]) -> None:
        if kind == "chrome":
            content["minimum_chrome_version"] = version
        else:
            content["browser_specific_settings"]["gecko"]["strict_min_version"] = version

    change_manifest(tree, set_version)
    assert any("minimum version" in fault for fault in faults(tree, kind))


@pytest.mark.parametrize("name", ["js/host.js", "host.html"])
def test_names_for_tests_are_found_in_scripts_and_pages(tree: Path, kind: Browser, name: str) -> None:
    path = tree / name
    path.write_bytes(path.read_bytes() + b"<!-- webbrain.testing -->")
    assert any(name in fault and "for tests" in fault for fault in faults(tree, kind))


@pytest.mark.parametrize(
    "member",
    [
        ("webbrain/testing/site.pyc", b""),
        ("webbrain/host/memory.pyc", b""),
        ("webbrain/app.pyc", b"webbrain.testing"),
        ("webbrain/app.pyc", b"crash_point"),
    ],
)
def test_names_for_tests_are_found_in_the_package(
    tree: Path, kind: Browser, member: tuple[str, bytes]
) -> None:
    write_archive(tree / SITE_ARCHIVE, [member])
    assert any(SITE_ARCHIVE in fault and "for tests" in fault for fault in faults(tree, kind))


def test_trees_may_differ_in_three_files_only(tmp_path: Path) -> None:
    trees = {browser: make_tree(tmp_path, browser) for browser in BROWSERS}
    assert list(checks.tree_differences(trees)) == []
    (trees["firefox"] / "settings.html").write_text("changed")
    (trees["firefox"] / "extra.txt").write_text("extra")
    assert list(checks.tree_differences(trees)) == [
        "extra.txt is in one tree only",
        "settings.html differs between the trees",
    ]


def test_an_archive_holds_the_tree_and_nothing_else(tree: Path, tmp_path: Path) -> None:
    archive = tmp_path / "tree.zip"
    files = read_tree(tree)
    write_archive(archive, files.items())
    assert list(checks.archive_faults(tree, archive)) == []

    write_archive(archive, {**files, "extra.txt": b"", "host.html": b"changed"}.items())
    assert len(list(checks.archive_faults(tree, archive))) == 2

    # What web-ext's own packer does: it leaves out every zip.
    write_archive(archive, ((name, content) for name, content in files.items() if not name.endswith(".zip")))
    assert list(checks.archive_faults(tree, archive)) == [f"tree.zip: {SITE_ARCHIVE} is only in the tree"]


def test_faults_stop_the_build() -> None:
    checks.demand(iter([]))
    with pytest.raises(BuildError, match="one\ntwo"):
        checks.demand(iter(["one", "two"]))


def test_patches_merge_objects_and_replace_the_rest() -> None:
    base = {"a": {"b": 1, "c": [1]}, "d": 1, "e": 1}
    assert merge(base, {"a": {"c": [2]}, "d": None, "f": 3}) == {"a": {"b": 1, "c": [2]}, "e": 1, "f": 3}
    assert base == {"a": {"b": 1, "c": [1]}, "d": 1, "e": 1}
