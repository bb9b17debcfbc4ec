"""Presses that come down to one request: when that is worth a word, and when it is not."""

from itertools import count
from typing import Any

import pytest

from webbrain.host.requests import SeenRequest
from webbrain.policy.shortcuts import ALIKE, SAME, Shortcut, Shortcuts, shape_of

MORE = "https://shop.example/api/more"


class Page:
    """A page whose presses and requests are noted by the second."""

    def __init__(self, *, may_write: bool = False) -> None:
        self.shortcuts = Shortcuts(may_write=may_write)
        self.seen: list[tuple[float, SeenRequest]] = []
        self.now = 100.0
        self._ids = count(1)

    def asks(self, url: str = MORE, method: str = "GET", later: float = 0.1, **how: Any) -> None:
        one = SeenRequest(f"rq_{next(self._ids)}", method, url, 0, how.pop("has_body", False), **how)
        self.seen.append((self.now + later, one))

    def press(self, url: str = "", gap: float = 10.0, **how: Any) -> Shortcut | None:
        """A press, what it makes the page ask for, and what is said of it a second later."""
        self.now += gap
        self.shortcuts.pressed(self.now)
        if url:
            self.asks(url, **how)
        return self.judge(1.0)

    def judge(self, later: float = 0.0) -> Shortcut | None:
        now = self.now + later
        seen = [
            SeenRequest(one.id, one.method, one.url, now - at, one.has_body, (), one.replayable)
            for at, one in self.seen
            if at <= now
        ]
        return self.shortcuts.judge(now, seen)


def test_the_second_press_with_the_same_request_is_worth_a_word_once() -> None:
    page = Page()
    assert page.press(MORE, replayable=True) is None
    found = page.press(MORE, replayable=True)
    assert found == Shortcut({"method": "GET", "url": MORE, "presses": 2, "replayRequestId": "rq_2"}, SAME)
    assert page.press(MORE, replayable=True) is None


def test_three_seconds_count_and_no_more() -> None:
    page = Page()
    page.press(MORE, later=0.9)
    assert page.press(MORE, later=0.9)
    page = Page()
    page.press(MORE, later=3.1)
    page.press(MORE, later=3.1)
    assert page.judge(4.0) is None


def test_a_request_that_comes_late_counts_at_the_next_look() -> None:
    page = Page()
    page.press(MORE, later=2.5)
    assert page.press(MORE, later=2.5) is None
    assert page.press(MORE) is not None


def test_what_a_page_asks_for_anyway_is_no_shortcut() -> None:
    page = Page()
    for _ in range(4):
        page.asks(MORE, later=5.0)
        assert page.press(MORE) is None


def test_presses_that_ask_for_nothing_are_ordinary() -> None:
    page = Page()
    assert [page.press() for _ in range(10)] == [None] * 10


@pytest.mark.parametrize("may_write", [False, True])
def test_a_change_is_spoken_of_only_where_changes_may_be_made(may_write: bool) -> None:
    page = Page(may_write=may_write)
    page.press(MORE, method="POST", has_body=True, replayable=True)
    assert (page.press(MORE, method="POST", has_body=True, replayable=True) is not None) == may_write


def test_a_body_or_secret_that_nobody_could_make_up_is_not_pointed_to() -> None:
    page = Page(may_write=True)
    page.press(MORE, method="POST", has_body=True)
    assert page.press(MORE, method="POST", has_body=True) is None
    page = Page()
    masked = f"{MORE}?token=%E2%80%A2%E2%80%A2"
    page.press(masked)
    assert page.press(masked) is None


def test_addresses_of_one_shape_are_told_and_told_again() -> None:
    page = Page()
    urls = [f"https://shop.example/items/{n}/price?v={n}" for n in range(7)]
    told = [page.press(url, gap=3.0) for url in urls]
    assert [found is not None for found in told] == [False, True, False, True, False, True, False]
    assert told[1] == Shortcut({"method": "GET", "urls": urls[:2], "presses": 2}, ALIKE)


def test_what_is_more_than_a_minute_apart_is_not_one_shape() -> None:
    page = Page()
    assert [page.press(f"https://shop.example/items/{n}", gap=70.0) for n in range(4)] == [None] * 4


def test_one_failure_ends_a_shape() -> None:
    page = Page()
    page.press("https://shop.example/items/1")
    page.shortcuts.failed("GET", "https://shop.example/items/9")
    assert [page.press(f"https://shop.example/items/{n}") for n in range(2, 6)] == [None] * 4
    assert [page.press(MORE), page.press(MORE) is not None] == [None, True]


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("https://a.example/items/1", "https://a.example/items/22", True),
        ("https://a.example/i/3f2a9c1e", "https://a.example/i/aa00bb11cc", True),
        ("https://a.example/u/ada-1815", "https://a.example/u/bob-1901", True),
        ("https://a.example/x?b=1&a=2", "https://a.example/x?a=9&b=8", True),
        ("https://a.example/items/1", "https://a.example/users/1", False),
        ("https://a.example/x?a=1", "https://a.example/x?b=1", False),
        ("https://a.example/x", "https://b.example/x", False),
    ],
)
def test_shapes(one: str, two: str, same: bool) -> None:
    assert (shape_of("GET", one) == shape_of("GET", two)) == same
    assert shape_of("GET", one) != shape_of("POST", one)


def test_memory_is_bounded() -> None:
    page = Page()
    for _ in range(200):
        page.press()
    assert len(page.shortcuts._presses) == 24
