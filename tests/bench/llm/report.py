"""What came of it: a line per task, the sum of each run, and whether the median is enough."""

import json
import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TARGET = 0.8
"""Share of the tasks that must be done with constrained calls, as the median of the runs: 16 of 20."""
JUDGED = "constrained"
"""The mode the target is for. How native tools do is told and not judged."""
DETAIL_CHARS = 160


@dataclass(frozen=True, slots=True)
class Row:
    """How a task went."""

    number: int
    kind: str
    text: str
    ok: bool
    reason: str = ""
    detail: str = ""
    steps: int = 0
    requests: int = 0
    """Requests to the model."""
    seconds: float = 0.0
    waited: float = 0.0
    """Seconds of these in which the model was at work."""
    cards: int = 0


Runs = Mapping[str, Sequence[Sequence[Row]]]
"""Mode to its runs."""


def line(row: Row) -> str:
    """A task in a line; two if it failed."""
    state = "ok" if row.ok else "FAILED"
    cost = f"{row.steps} steps, {row.seconds:.0f} s ({row.waited:.0f} s the model)"
    first = f"{row.number:3} {row.kind:12} {state:7} {cost:34} {row.text}"
    return first if row.ok else f"{first}\n{'':17}{row.reason}: {row.detail[:DETAIL_CHARS]}"


def total(mode: str, seed: int, rows: Sequence[Row]) -> str:
    """The sum of a run."""
    text = (
        f"{mode}, seed {seed}: {good(rows)} of {len(rows)} done in {sum(row.seconds for row in rows):.0f} s"
    )
    reasons = Counter(row.reason for row in rows if not row.ok)
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return f"{text}; {listed}" if listed else text


def good(rows: Sequence[Row]) -> int:
    """How many were done."""
    return sum(row.ok for row in rows)


def summary(runs: Runs) -> str:
    """The median of each mode."""
    lines = []
    for mode, found in runs.items():
        counts = [good(rows) for rows in found]
        each = f" ({', '.join(map(str, counts))})" if len(counts) > 1 else ""
        lines.append(f"{mode}: median {statistics.median(counts):g} of {len(found[0])}{each}")
    return "\n".join(lines)


def shortcoming(runs: Runs) -> str:
    """Why the target is missed; empty if it is met or nothing was asked of these runs."""
    found = runs.get(JUDGED)
    if not found:
        return ""
    median, asked = statistics.median(good(rows) for rows in found), len(found[0])
    needed = math.ceil(TARGET * asked)
    return (
        ""
        if median >= needed
        else f"The median with {JUDGED} calls is {median:g} of {asked}; {needed} is the target."
    )


def save(path: Path, mode: str, seed: int, model: str, rows: Sequence[Row]) -> None:
    """Everything as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {
        "mode": mode,
        "seed": seed,
        "model": model,
        "done": good(rows),
        "rows": [asdict(row) for row in rows],
    }
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False), encoding="utf-8")
