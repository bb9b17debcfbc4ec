"""``make bench``: figures of the built extension in both browsers. They inform; nothing here fails on a time.

    BASE=path/to/dist python -m tests.bench [chromium] [firefox] [--only starts,steps,memory]

Every figure is a median with its range and how often it was taken, seven times at least. This build, the same
without its snapshot and, with ``BASE``, an earlier build take turns in one run, so that what else the machine
does falls on all of them; compare them by ratio. Run it on a quiet machine.
"""

import argparse
import importlib
import importlib.util
import os
import statistics
import sys
from contextlib import ExitStack

from tests.bench import memory, package, starts, steps, trees
from tests.bench.builds import columns, opened
from tests.bench.table import NOW, Table
from tests.support.browsers import BrowserMissing
from tests.support.browsers.open import extension_folder

PARTS = ("starts", "steps", "memory", "package", "trees", "growth")
GROWTH = "tests.bench.growth"
RATIO_TARGET = 1.2
MEMORY_TARGET = 150.0
"""Megabytes that the process may grow by in the long run."""


def main() -> int:
    """Measure the browsers named on the command line, or both, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("browsers", nargs="*", default=["chromium", "firefox"])
    parser.add_argument("--only", default=",".join(PARTS))
    given = parser.parse_args()
    only = given.only.split(",")
    load = os.getloadavg()[0]
    try:
        table = Table(columns(given.browsers))
        for name in given.browsers:
            table.section(name)
            for part, measure in (
                ("starts", starts.measure),
                ("steps", steps.measure),
                ("memory", memory.measure),
                ("package", package.measure),
            ):
                if part in only:
                    print(f"{name}: {part}", file=sys.stderr, flush=True)
                    measure(table, name)
        if "trees" in only:
            table.section("trees, Chromium")
            print("trees", file=sys.stderr, flush=True)
            trees.measure(table)
        if "growth" in only and importlib.util.find_spec(GROWTH):
            table.section("growth")
            print("growth", file=sys.stderr, flush=True)
            _growth(table)
    except BrowserMissing as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{os.cpu_count()} processors, load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end\n"
    )
    print("\n".join(table.lines()))
    return 0


def _growth(table: Table) -> None:
    """The long run of the other bench, in the two figures that have a target."""
    growth = importlib.import_module(GROWTH)
    with opened("chromium", extension_folder("chromium")) as browser, ExitStack() as stack:
        found = growth.run(browser, growth.STEPS, stack)
    ends = statistics.median(found.costs[-growth.EDGE :]) / statistics.median(found.costs[: growth.EDGE])
    row = table.row(f"last {growth.EDGE} of {len(found.costs)} steps against the first", "", RATIO_TARGET)
    row.add(NOW, ends)
    sizes = [megabytes for _, megabytes in found.memory]
    table.row("  the extension's process grew by", "MB", MEMORY_TARGET).add(NOW, max(sizes) - sizes[0])


if __name__ == "__main__":
    sys.exit(main())
