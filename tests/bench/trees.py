"""Trees of large pages: time on the page's main thread and size, beside Playwright's snapshot of them."""

from typing import Final

from tests.bench.builds import folders
from tests.bench.table import Table
from tests.content import bench_tree

TARGETS: Final = {"10,000 nodes": 50.0, "1,000 controls": 25.0}
"""Milliseconds for the first page of everything."""
SHARE_TARGET: Final = 1 / 5
"""Of the time that the snapshot takes."""
SHARED: Final = "10,000 nodes"


def measure(table: Table) -> None:
    """Every page with every filter, in Chromium."""
    for build, folder in folders("chromium").items():
        script = (folder / "js/content.js").read_text()
        for found in bench_tree.measure(script):
            what = f"{found.page}, {found.filter}"
            target = TARGETS.get(found.page) if found.filter == "all" else None
            table.row(f"tree of {what}", "ms", target).add(build, *found.ours)
            if found.filter != "all":
                continue
            shared = SHARE_TARGET if found.page == SHARED else None
            share = table.row(f"  {found.page}: part of the aria snapshot's time", "", shared)
            share.add(build, *(ours / theirs for ours, theirs in zip(found.ours, found.theirs, strict=True)))
            table.row(f"  {found.page}: characters", "").add(build, found.chars)
