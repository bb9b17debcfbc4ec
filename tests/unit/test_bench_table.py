"""The table of the bench says what was measured and what was missed."""

import json
from pathlib import Path

from tests.bench import trees
from tests.bench.builds import without_snapshot
from tests.bench.table import BEFORE, NOW, Table, cell, percentile
from tests.content.bench_tree import Reading


def test_a_row_is_judged_by_this_builds_median() -> None:
    table = Table([NOW, BEFORE])
    table.section("chromium")
    met, missed, free = table.row("start", "ms", 400), table.row("step", "ms", 10), table.row("other")
    met.add(NOW, 390, 400, 900)
    missed.add(NOW, 20)
    missed.add(BEFORE, 5)
    free.add(BEFORE, 1)
    assert [row.verdict for row in (met, missed, free)] == ["met", "missed, x 2.00", ""]
    lines = table.lines()
    assert lines[2] == "chromium"
    assert "400 ms (390-900, 3)" in lines[3]
    assert lines[3].endswith("met")
    assert lines[4].endswith("missed, x 2.00")
    assert "5.0 ms" in lines[4]


def test_a_row_asked_for_again_is_the_same_one() -> None:
    table = Table([NOW])
    assert table.row("start") is table.row("start")
    table.section("firefox")
    table.row("start").add(NOW, 1)
    assert table.sections[""][0].median() is None


def test_nothing_measured_is_no_figure() -> None:
    assert cell(None, "ms") == cell([], "ms") == "-"
    assert Table([NOW]).row("start", "ms", 1).verdict == ""


def test_the_95th_of_a_hundred_is_not_the_largest() -> None:
    values = list(map(float, range(1, 101)))
    assert percentile(values, 0.95) == 96
    assert percentile([5.0], 0.95) == 5


def test_nothing_at_all_may_be_a_target() -> None:
    table = Table([NOW])
    none, some = table.row("lost", "", 0), table.row("lost too", "", 0)
    none.add(NOW, 0)
    some.add(NOW, 3)
    assert [none.verdict, some.verdict] == ["met", "missed"]


def test_a_tree_has_rows_for_all_that_is_said_of_it() -> None:
    table = Table([NOW])
    for kind, lost in (("all", None), ("interactive", 2)):
        times = [10.0, 20.0], [50.0, 50.0]
        trees.add(table, NOW, Reading("10,000 nodes", kind, *times, 900, 1_000, layouts=2, lost=lost))
    verdicts = {row.name.strip(): row.verdict for row in table.sections[""] if row.target is not None}
    assert verdicts == {
        "tree of 10,000 nodes, all": "met",
        "10,000 nodes, all: part of the aria snapshot's time": "missed, x 1.50",
        "10,000 nodes, all: layouts forced": "missed, x 2.00",
        "10,000 nodes, interactive: part of the aria snapshot's time": "met",
        "10,000 nodes, interactive: part of its characters": "missed, x 1.35",
        "10,000 nodes, interactive: layouts forced": "missed, x 2.00",
        "10,000 nodes, interactive: controls of it that are not there": "missed",
    }


def test_the_plain_start_tries_no_snapshot(tmp_path: Path) -> None:
    build = tmp_path / "build"
    (build / "py").mkdir(parents=True)
    (build / "py/snapshot.bin").write_bytes(b"memory")
    (build / "py/boot.json").write_text('{"buildId": "x", "snapshot": {"path": "py/snapshot.bin"}}')
    copy = without_snapshot(build, tmp_path / "copy")
    assert json.loads((copy / "py/boot.json").read_text()) == {"buildId": "x", "snapshot": None}
    assert (build / "py/snapshot.bin").exists()
