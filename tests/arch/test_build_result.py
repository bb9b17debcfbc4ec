"""The trees in dist/, as they would be shipped."""

import json

import pytest

from build import checks, lint
from build.files import sha256
from build.layout import BROWSERS, DIST, Browser

pytestmark = pytest.mark.dist


@pytest.mark.parametrize("kind", BROWSERS)
def test_the_tree_passes_every_check(kind: Browser) -> None:
    assert list(checks.check_tree(DIST / kind, kind, checks.bridge_rows())) == []


def test_the_trees_differ_where_they_may_only() -> None:
    assert list(checks.tree_differences({browser: DIST / browser for browser in BROWSERS})) == []


@pytest.mark.parametrize("kind", BROWSERS)
def test_the_archive_is_the_tree(kind: Browser) -> None:
    (archive,) = DIST.glob(f"webbrain-{kind}-*.zip")
    assert list(checks.archive_faults(DIST / kind, archive)) == []


def test_the_boot_manifest_describes_the_files_beside_it() -> None:
    boot = json.loads((DIST / "chrome/py/boot.json").read_text())
    for part in (boot["site"], boot["snapshot"], *boot["libraries"]):
        assert sha256(DIST / "chrome" / part["path"]) == part["sha256"]
    assert boot["snapshot"]["buildId"] == boot["buildId"]
    stored = sum(length for _, length in boot["snapshot"]["runs"])
    assert stored == (DIST / "chrome/py/snapshot.bin").stat().st_size < boot["snapshot"]["size"]


def test_the_store_finds_no_error_and_no_warning_we_do_not_expect() -> None:
    report = lint.lint(DIST / "firefox")
    assert report["summary"]["errors"] == 0
    assert lint.unexpected(report) == []
