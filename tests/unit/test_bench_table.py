"""The table of the bench says what was measured and what was missed."""

from tests.bench.table import BEFORE, NOW, Table, cell, percentile


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
