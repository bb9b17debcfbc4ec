"""Dates, numbers and addresses, found in the words of a task."""

import re

import pytest

from webbrain.agent.constrained_values import PATTERNS, named


@pytest.mark.parametrize(
    ("task", "dates"),
    [
        ("Deliver on 2027-01-04.", ["2027-01-04"]),
        ("on 5 March 2027", ["2027-03-05"]),
        ("on the 5th of March, 2027", ["2027-03-05"]),
        ("March 5, 2027 or Sept. 1st 2027", ["2027-03-05", "2027-09-01"]),
        ("am 5.3.2027", ["2027-03-05"]),
        ("from 2027-02-01 to 2027-02-03, and 2027-02-01 again", ["2027-02-01", "2027-02-03"]),
        ("on 30 February 2027", None),
        ("tomorrow", None),
        ("on 03/04/2027", None),
        ("next Friday", None),
        ("in May", None),
        ("Order 2 lamps for may@example.com", []),
        ("Put Ada into the name.", []),
    ],
)
def test_dates(task: str, dates: list[str] | None) -> None:
    assert named("date", task) == dates


@pytest.mark.parametrize(
    ("task", "numbers"),
    [
        ("Order 2 of the lamp for bob7@example.com on 2027-01-04 at 10:30", ["2"]),
        ("three pieces, or a dozen", ["3", "12"]),
        ("Set the price to -4.50", ["-4.50"]),
        ("2 x A4 paper, 2 pens", ["2"]),
        ("Put Ada into the name.", []),
        ("on 5 March 2027", []),
    ],
)
def test_numbers(task: str, numbers: list[str]) -> None:
    assert named("number", task) == numbers


def test_addresses_and_times() -> None:
    assert named("email", "Write to ada@example.com. Or b.c+d@e-f.org, ada@example.com") == [
        "ada@example.com",
        "b.c+d@e-f.org",
    ]
    assert named("email", "Write to Ada") == []
    assert named("time", "at 9:05 or 17:30") == ["09:05", "17:30"]
    assert named("time", "in the evening") is None
    assert named("text", "anything") is None
    assert named("month", "in May") is None


def test_found_values_fit_the_patterns() -> None:
    task = "On 5 March 2027 at 9:05, 3 pieces, to ada@example.com"
    for kind in ("date", "time", "number", "email"):
        found = named(kind, task)
        assert found
        assert all(re.fullmatch(PATTERNS[kind], value) for value in found)
