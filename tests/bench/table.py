"""The table of ``make bench``: a row for each figure, a column for each build, the target beside it."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

NOW: Final = "this"
PLAIN: Final = "plain start"
BEFORE: Final = "earlier"
NAME_CHARS: Final = 66
CELL_CHARS: Final = 30
TARGET_CHARS: Final = 12


@dataclass(slots=True)
class Row:
    """One figure of every build that was measured. ``target`` is the highest median that meets it."""

    name: str
    unit: str
    target: float | None = None
    cells: dict[str, list[float]] = field(default_factory=dict)

    def add(self, build: str, *values: float) -> None:
        """Note what was measured of a build."""
        self.cells.setdefault(build, []).extend(values)

    def median(self, build: str = NOW) -> float | None:
        """The median of a build, if it was measured."""
        values = self.cells.get(build)
        return statistics.median(values) if values else None

    @property
    def verdict(self) -> str:
        """``met``, or ``missed`` with how many times the target it is."""
        found = self.median()
        if self.target is None or found is None:
            return ""
        if self.target == 0:
            return "missed" if found else "met"
        return "met" if found <= self.target else f"missed, x {found / self.target:.2f}"


@dataclass(slots=True)
class Table:
    """Rows in the order they were asked for, under headings."""

    builds: Sequence[str]
    sections: dict[str, list[Row]] = field(default_factory=dict)
    heading: str = ""

    def section(self, heading: str) -> None:
        """Rows that follow stand under this heading."""
        self.heading = heading
        self.sections.setdefault(heading, [])

    def row(self, name: str, unit: str = "ms", target: float | None = None) -> Row:
        """The row of that name under the present heading."""
        rows = self.sections.setdefault(self.heading, [])
        for row in rows:
            if row.name == name:
                return row
        rows.append(Row(name, unit, target))
        return rows[-1]

    def lines(self) -> list[str]:
        """The table as text."""
        head = "".join(f"{build:<{CELL_CHARS}}" for build in self.builds)
        out = [f"{'':<{NAME_CHARS}}{head}{'target':<{TARGET_CHARS}}"]
        for heading, rows in self.sections.items():
            out += ["", heading]
            for row in rows:
                cells = "".join(
                    f"{cell(row.cells.get(build), row.unit):<{CELL_CHARS}}" for build in self.builds
                )
                target = "" if row.target is None else f"{row.target:g} {row.unit}".rstrip()
                out.append(
                    f"  {row.name:<{NAME_CHARS - 2}}{cells}{target:<{TARGET_CHARS}}{row.verdict}".rstrip()
                )
        return out


def cell(values: Sequence[float] | None, unit: str) -> str:
    """Median, range and how often."""
    if not values:
        return "-"
    middle, low, high = statistics.median(values), min(values), max(values)
    digits = 0 if unit in ("characters",) or middle >= 100 else 2 if middle < 1 else 1
    text = f"{middle:,.{digits}f} {unit}".rstrip()
    if len(values) == 1:
        return text
    return f"{text} ({low:,.{digits}f}-{high:,.{digits}f}, {len(values)})"


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(round(share * len(ordered)), len(ordered) - 1)]
