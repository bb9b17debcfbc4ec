"""What must be true of a built tree. Each check yields one sentence per fault, and nothing if all is well."""

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from build.errors import BuildError
from build.files import read_archive
from build.layout import BROWSERS, DIFFERENT_FILES, ROOT, SITE_ARCHIVE, TEST_ONLY, Browser

CSP = "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'"
"""Scripts from the package only, WebAssembly, and nothing made from text. Both manifests must say exactly
this."""

ALL_SITES = "<all_urls>"

BEYOND_THE_TABLE: dict[Browser, dict[str, str]] = {
    "chrome": {
        # The service worker's own means, which Python cannot call: permission, and what its use looks like.
        "alarms": "chrome.alarms.",  # a watchdog re-creates the page that Python lives in
        "offscreen": "chrome.offscreen.",  # that page
        "sidePanel": "chrome.sidePanel.",  # the panel opens at a click on the toolbar icon
        "storage": ".storage.",
        "unlimitedStorage": "indexedDB",  # conversations are kept until the user deletes them
    },
    "firefox": {
        "storage": ".storage.",
        "unlimitedStorage": "indexedDB",
        # What presses ask of servers, if the user has it watched; in Chrome the debugger tells.
        "webRequest": ".webRequest",
    },
}
"""Permissions that no row of the bridge's table asks for, each with a piece of text found where it is
used."""

MINIMUM_VERSIONS: dict[Browser, dict[str, int]] = {
    "chrome": {
        "service worker as a module": 91,
        "chrome.offscreen with WORKERS": 113,
        "chrome.sidePanel": 114,
        "runtime.getContexts": 116,
        "Promise.withResolvers": 119,
        "documentLifecycle of webNavigation": 106,
        "an attached debugger keeps the service worker": 118,
        "checkVisibility with options": 121,
        "light-dark() in style sheets": 123,
        "what the bundles are compiled for": 123,
    },
    "firefox": {
        "tabs.captureTab": 59,
        "scripting in MV2": 102,
        "storage.session": 115,
        "wasm-unsafe-eval": 102,
        "module Workers": 114,
        "Promise.withResolvers": 121,
        "popovers": 125,
        "data_collection_permissions on every platform": 142,
        "what the bundles are compiled for": 142,
    },
}
"""First versions of what we use. A manifest must demand at least the highest of them."""

_TEST_NAMES = re.compile(rb"webbrain[./]testing|WEBBRAIN_CRASH|crash_point")
"""Names that only a test build may contain."""

_SCRIPT_SUFFIXES = (".js", ".mjs", ".html", ".css", ".json")


def check_tree(tree: Path, browser: Browser, rows: dict[str, Any]) -> Iterator[str]:
    """Check one built tree against ``rows``, the bridge's table of methods."""
    manifest = json.loads((tree / "manifest.json").read_text())
    yield from missing_files(tree, manifest)
    yield from policy_faults(manifest)
    yield from permission_faults(tree, manifest, browser, rows)
    yield from version_faults(manifest, browser)
    yield from test_names(tree)


def missing_files(tree: Path, manifest: dict[str, Any]) -> Iterator[str]:
    """Every file that the manifest, a page or a script names is there."""
    for name in _named_by_manifest(manifest):
        if not (tree / name).is_file():
            yield f"manifest.json names {name}, which does not exist"
    for page in sorted(tree.glob("*.html")):
        for name in re.findall(r"""(?:src|href)=["']([^"'#?]+)""", page.read_text()):
            if ":" not in name and not (tree / name).is_file():
                yield f"{page.name} names {name}, which does not exist"
    for script in sorted(tree.glob("js/*.js")):
        text = script.read_text()
        for name in re.findall(r"""(?:from|import)\s*["'](\.[^"']+)["']""", text):
            if not (script.parent / name).resolve().is_file():
                yield f"{script.name} imports {name}, which does not exist"
        for name in re.findall(r"""["']((?:js/)?[\w-]+\.(?:html|js))["']""", text):
            if not (tree / name).is_file() and not (tree / "js" / name).is_file():
                yield f"{script.name} names {name}, which does not exist"
    default = manifest.get("default_locale")
    if not (tree / f"_locales/{default}/messages.json").is_file():
        yield f"manifest.json: there are no messages of the default locale {default!r}"


def _named_by_manifest(value: Any) -> Iterator[str]:
    """Yield the strings of a manifest that look like packaged files."""
    if isinstance(value, dict):
        for entry in value.values():
            yield from _named_by_manifest(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _named_by_manifest(entry)
    elif isinstance(value, str) and PurePosixPath(value).suffix in (
        *_SCRIPT_SUFFIXES,
        ".png",
        ".svg",
        ".wasm",
    ):
        yield value


def policy_faults(manifest: dict[str, Any]) -> Iterator[str]:
    """The content security policy is exactly the expected one."""
    policy = manifest.get("content_security_policy")
    if manifest["manifest_version"] >= 3:
        policy = policy if isinstance(policy, dict) else {}
        if set(policy) - {"extension_pages"}:
            yield f"content_security_policy: only extension_pages is expected, not {sorted(policy)}"
        policy = policy.get("extension_pages")
    if policy != CSP:
        yield f"content_security_policy is {policy!r}, not {CSP!r}"


def permission_faults(
    tree: Path, manifest: dict[str, Any], browser: Browser, rows: dict[str, Any]
) -> Iterator[str]:
    """The permissions are those of the bridge's rows and the listed few beyond it, and the few are in use."""
    beyond = BEYOND_THE_TABLE[browser]
    expected = {row["permission"] for row in rows.values() if browser in row["browsers"]} - {None} | set(
        beyond
    )
    given = [*manifest.get("permissions", []), *manifest.get("host_permissions", [])]
    for name in sorted(set(given) - expected - {ALL_SITES}):
        yield f"permission {name!r} is asked for, but no row of methods.json needs it"
    for name in sorted((expected | {ALL_SITES}) - set(given)):
        yield f"permission {name!r} is needed, but the manifest does not ask for it"
    if len(given) != len(set(given)):
        yield "a permission is asked for twice"
    for name in (
        "optional_permissions",
        "optional_host_permissions",
        "externally_connectable",
        "content_scripts",
    ):
        if name in manifest:
            yield f"{name} is not expected in the manifest"
    scripts = "".join(path.read_text() for path in sorted(tree.glob("js/*.js")))
    for name, sign in beyond.items():
        if sign not in scripts:
            yield f"permission {name!r} is justified by {sign!r}, which no script contains"


def version_faults(manifest: dict[str, Any], browser: Browser) -> Iterator[str]:
    """The minimum version of the browser is given and has everything we use."""
    given = (
        manifest.get("minimum_chrome_version")
        if browser == "chrome"
        else manifest.get("browser_specific_settings", {}).get("gecko", {}).get("strict_min_version")
    )
    if given is None:
        yield "the manifest has no minimum version"
        return
    major = int(given.split(".")[0])
    for feature, needed in MINIMUM_VERSIONS[browser].items():
        if major < needed:
            yield f"the minimum version is {given}, but {feature} needs {needed}"


def test_names(tree: Path) -> Iterator[str]:
    """Nothing that exists for tests is in the tree."""
    for path in sorted(tree.rglob("*")):
        relative = path.relative_to(tree).as_posix()
        if path.suffix in _SCRIPT_SUFFIXES and (found := _TEST_NAMES.search(path.read_bytes())):
            yield f"{relative} contains {found[0].decode()!r}, which is for tests"
    archive = tree / SITE_ARCHIVE
    if not archive.is_file():
        yield f"{SITE_ARCHIVE} does not exist"
        return
    for name, content in read_archive(archive).items():
        source_name = name[:-1] if name.endswith(".pyc") else name
        if source_name.startswith(TEST_ONLY):
            yield f"{SITE_ARCHIVE} contains {name}, which is for tests"
        elif name.startswith("webbrain/") and (found := _TEST_NAMES.search(content)):
            yield f"{SITE_ARCHIVE}: {name} contains {found[0].decode()!r}, which is for tests"


def tree_differences(trees: dict[Browser, Path]) -> Iterator[str]:
    """The trees of the browsers are the same but for the files that are meant to differ."""
    contents = {
        browser: {path.relative_to(tree).as_posix(): path for path in tree.rglob("*") if path.is_file()}
        for browser, tree in trees.items()
    }
    first, second = BROWSERS
    for name in sorted(set(contents[first]) | set(contents[second])):
        if name in DIFFERENT_FILES:
            continue
        paths = [contents[browser].get(name) for browser in (first, second)]
        if None in paths:
            yield f"{name} is in one tree only"
        elif paths[0].read_bytes() != paths[1].read_bytes():  # type: ignore[union-attr]
            yield f"{name} differs between the trees"


def archive_faults(tree: Path, archive: Path) -> Iterator[str]:
    """The zip holds the files of the tree, byte for byte, and no others."""
    with zipfile.ZipFile(archive) as opened:
        packed = {name: opened.read(name) for name in opened.namelist()}
    present = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    for name in sorted(present ^ set(packed)):
        yield f"{archive.name}: {name} is only in the {'tree' if name in present else 'archive'}"
    for name in sorted(present & set(packed)):
        if (tree / name).read_bytes() != packed[name]:
            yield f"{archive.name}: {name} is not the tree's"


def bridge_rows() -> dict[str, Any]:
    """Return the bridge's table of methods."""
    rows: dict[str, Any] = json.loads((ROOT / "js/bridge/methods.json").read_text())
    return rows


def demand(faults: Iterator[str]) -> None:
    """Raise :class:`BuildError` with all faults, if there are any."""
    if found := list(faults):
        raise BuildError("\n".join(found))
