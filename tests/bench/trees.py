"""Trees of large pages: time on the page's main thread and size, beside Playwright's snapshot of them."""

from typing import Final

from tests.bench.builds import folders
from tests.bench.table import Table
from tests.content import bench_tree

TARGETS: Final = {"10,000 nodes": 50.0, "1,000 controls": 25.0}
"""Milliseconds for the first page of everything."""
SHARE_TARGET: Final = 1 / 5
"""Of the time that the snapshot takes, on the page ``SHARED`` with everything."""
SHARED: Final = "10,000 nodes"
CONTROLS_TIME: Final = bench_tree.TIME_TARGET
CONTROLS_SIZE: Final = bench_tree.SIZE_TARGET
"""Of the snapshot's time and characters, a tree of controls."""
LAYOUTS_TARGET: Final = 1.0
LOST_TARGET: Final = 0.0


def measure(table: Table) -> None:
    """Every page with every filter, in Chromium."""
    for build, folder in folders("chromium").items():
        script = (folder / "js/content.js").read_text()
        for found in bench_tree.measure(script):
            add(table, build, found)


def add(table: Table, build: str, found: bench_tree.Reading) -> None:
    """The rows of one reading."""
    everything, controls = found.filter == "all", found.filter == "interactive"
    what = f"{found.page}, {found.filter}"
    target = TARGETS.get(found.page) if everything else None
    table.row(f"tree of {what}", "ms", target).add(build, *found.ours)
    wanted = CONTROLS_TIME if controls else SHARE_TARGET if everything and found.page == SHARED else None
    share = table.row(f"  {what}: part of the aria snapshot's time", "", wanted)
    share.add(build, *(ours / theirs for ours, theirs in zip(found.ours, found.theirs, strict=True)))
    table.row(f"  {what}: characters", "characters").add(build, found.chars)
    size = table.row(f"  {what}: part of its characters", "", CONTROLS_SIZE if controls else None)
    size.add(build, found.chars / found.snapshot_chars)
    table.row(f"  {what}: layouts forced", "", LAYOUTS_TARGET).add(build, found.layouts)
    if found.lost is not None:
        table.row(f"  {what}: controls of it that are not there", "", LOST_TARGET).add(build, found.lost)
