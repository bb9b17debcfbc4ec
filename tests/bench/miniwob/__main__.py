"""``make bench-miniwob``: MiniWoB++ (https://miniwob.farama.org) with the built extension's own tools.

    python -m tests.bench.miniwob --oracle FOLDER [--browser chromium] [--tasks listed] [--seeds 5] [-v]

An oracle stands in for the model: a policy per task that sees the goal and the text of tool results. The
suite's pages judge. Exit status: 0 when the target is met, 1 when it is missed, 2 when something is not
there.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from tests.bench.miniwob import report
from tests.bench.miniwob.driver import Row, driver, write
from tests.bench.miniwob.suite import Suite, SuiteMissing, load, pages
from tests.support.browsers import BrowserMissing

RESULTS = Path(__file__).resolve().parents[3] / "test-results" / "miniwob"
BROWSERS = ("chromium", "firefox")


def main() -> int:
    """Play, print, compare with the target."""
    chosen = arguments()
    try:
        suite = load(chosen.oracle)
        tasks = suite.choose(chosen.tasks)
        names = BROWSERS if chosen.browser == "both" else (chosen.browser,)
        rows: dict[str, list[Row]] = {}
        for name in names:
            rows[name] = play(name, suite, tasks, chosen)
    except (SuiteMissing, BrowserMissing) as error:
        print(error, file=sys.stderr)
        return 2
    missed = [
        f"{name} misses the target: {line}"
        for name, found in rows.items()
        for line in report.shortcomings(name, found, good(rows.get("chromium")))
    ]
    print("\n".join(missed) or f"\nThe target is met in {' and '.join(rows)}.")
    return 1 if missed else 0


def good(rows: list[Row] | None) -> int | None:
    """Episodes that succeeded, where there were any."""
    return None if rows is None else sum(row.ok for row in rows)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.miniwob", description=__doc__)
    parser.add_argument("--oracle", type=Path, required=True, help="folder with policies.py and harness.py")
    parser.add_argument("--browser", choices=(*BROWSERS, "both"), default="chromium")
    parser.add_argument("--tasks", default="listed", help="listed, all, or names; name* is allowed")
    parser.add_argument("--seeds", default="5", help="how many (5), or which (2,4)")
    parser.add_argument("--windows", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for every failure as it happens")
    return parser.parse_args()


def seeds(text: str) -> list[int]:
    """``5`` means 1 to 5, ``2,4`` those two."""
    return [int(part) for part in text.split(",") if part] if "," in text else list(range(1, int(text) + 1))


def play(name: str, suite: Suite, tasks: list[str], chosen: argparse.Namespace) -> list[Row]:
    """All episodes in one browser, with a report."""
    wanted = seeds(chosen.seeds)
    episodes = [(task, seed) for task in tasks for seed in wanted]
    print(f"\n{name}: {len(tasks)} tasks, seeds {wanted}, {chosen.windows} windows", flush=True)
    rows: list[Row] = []
    begun = ready = time.monotonic()
    try:
        with pages() as server, driver(name, suite, server.url, chosen.windows) as player:
            ready, spent = time.monotonic(), player.seconds
            for row in player.play(episodes):
                rows.append(row)
                same = [other for other in rows if other.task == row.task]
                if chosen.verbose and not row.ok:
                    print(report.detail(row), flush=True)
                if len(same) == len(wanted):
                    print(report.task_line(row.task, same), flush=True)
    finally:
        played = time.monotonic() - ready
        write(rows, RESULTS / name)
        report.save(RESULTS / f"{name}.json", name, rows, played)
    full = sum(all(row.ok for row in found) for found in report.by_task(rows).values())
    print(f"\n{name}: {good(rows)} of {len(rows)} episodes, {full} of {len(tasks)} tasks on every seed")
    print(
        f"{ready - begun:.0f} s to start, {played / max(1, len(rows)):.2f} s for an episode; steps by tool:"
    )
    print(report.costs(spent))
    if full < len(tasks):
        print(f"failures by reason (conversations in {RESULTS / name}):\n{report.reasons(rows)}")
    return rows


if __name__ == "__main__":
    sys.exit(main())
