"""What came of it: a line per task, failures by reason, and whether that is enough."""

import json
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.bench.miniwob.driver import Row

TARGET = 0.95
"""Share of the episodes that must succeed in Chromium."""
TASKS_FEWER = 5
"""Firefox may do with so many tasks' worth of episodes fewer than Chromium."""
DETAIL_CHARS = 150
TASKS_NAMED = 12


def needed(browser: str, tasks: int, seeds: int, chromium: int | None = None) -> int:
    """Episodes that must succeed; ``chromium``: how many did there, if that is known."""
    target = math.ceil(TARGET * tasks * seeds)
    if browser == "chromium":
        return target
    return max(0, (target if chromium is None else chromium) - TASKS_FEWER * seeds)


def shortcomings(browser: str, rows: Sequence[Row], chromium: int | None = None) -> list[str]:
    """Why the target is missed; empty if it is met."""
    tasks = by_task(rows)
    seeds = max((len(found) for found in tasks.values()), default=0)
    good, least = sum(row.ok for row in rows), needed(browser, len(tasks), seeds, chromium)
    out = []
    if good < least:
        out.append(f"{good} of {len(rows)} episodes succeeded, {least} must")
    if never := [task for task, found in tasks.items() if not any(row.ok for row in found)]:
        out.append(f"never solved: {', '.join(never)}")
    return out


def by_task(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of each task, in the order of seeds."""
    tasks: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        tasks[row.task].append(row)
    return {task: sorted(found, key=lambda row: row.seed) for task, found in tasks.items()}


def task_line(task: str, rows: Sequence[Row]) -> str:
    """Successes of a task and what it cost."""
    calls, seconds = (statistics.mean(getattr(row, key) for row in rows) for key in ("calls", "seconds"))
    return f"{task:30} {sum(row.ok for row in rows)}/{len(rows)}  {calls:5.1f} calls {seconds:6.1f} s"


def reasons(rows: Iterable[Row]) -> str:
    """Failures, the commonest reason first."""
    counted = Counter(row.reason for row in rows if not row.ok)
    lines = []
    for reason, count in counted.most_common():
        tasks = sorted({row.task for row in rows if row.reason == reason and not row.ok})
        named = ", ".join(tasks[:TASKS_NAMED]) + (" ..." if len(tasks) > TASKS_NAMED else "")
        lines.append(f"  {count:4}  {reason:28} {named}")
    return "\n".join(lines)


def costs(seconds: Mapping[str, Sequence[float]]) -> str:
    """What the steps took, the dearest tool first."""
    lines = [
        f"  {tool:26} {len(times):6} times, median {statistics.median(times) * 1000:6.0f} ms, "
        f"together {sum(times):7.1f} s"
        for tool, times in sorted(seconds.items(), key=lambda item: -sum(item[1]))
    ]
    return "\n".join(lines)


def detail(row: Row) -> str:
    """A failed episode in one line."""
    return f"    {row.task} seed {row.seed}: {row.reason}: {row.detail[:DETAIL_CHARS]} | {row.goal[:100]}"


def save(path: Path, browser: str, rows: Sequence[Row], elapsed: float) -> None:
    """Everything but the conversations, as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain: list[dict[str, Any]] = [
        {key: value for key, value in asdict(row).items() if key != "log"} for row in rows
    ]
    good = sum(row.ok for row in rows)
    whole = {
        "browser": browser,
        "episodes": len(rows),
        "succeeded": good,
        "seconds": round(elapsed),
        "rows": plain,
    }
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False), encoding="utf-8")
