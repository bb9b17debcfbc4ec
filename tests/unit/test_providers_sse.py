"""The SSE reader against the standard's own rules and bytes cut anywhere."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webbrain.providers import sse
from webbrain.providers.sse import SseEvent, SseReader, SseTooLarge


def read(*chunks: bytes) -> list[SseEvent]:
    reader = SseReader()
    return [event for chunk in chunks for event in reader.feed(chunk)] + reader.close()


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b"data: a\n\n", [("a", "message")]),
        (b"data:a\r\n\r\n", [("a", "message")]),
        (b"data: a\r\r", [("a", "message")]),
        (b"data:  a\n\n", [(" a", "message")]),
        (b"event: ping\ndata: {}\n\n", [("{}", "ping")]),
        (b"data: a\ndata: b\n\n", [("a\nb", "message")]),
        (b": comment\n\n: more\ndata: a\n\n", [("a", "message")]),
        (b"event: lonely\n\ndata: a\n\n", [("a", "message")]),
        (b"id: 7\nretry: 10\nunknown: x\ndata: a\n\n", [("a", "message")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("a", "message")]),
        (b"data\n\n", [("", "message")]),
        (b"data: a\n\n\n\ndata: b\n\n", [("a", "message"), ("b", "message")]),
        (b"data: [DONE]", [("[DONE]", "message")]),
        (b"data: a\n", [("a", "message")]),
        (b"", []),
        (b"data: \xff\xfe\n\n", [("\ufffd\ufffd", "message")]),
    ],
)
def test_rules(raw: bytes, events: list[tuple[str, str]]) -> None:
    assert [(event.data, event.event) for event in read(raw)] == events


STREAM = "event: x\r\ndata: ä🫖\r\n\r\n: c\rdata: 1\rdata: 2\r\r\ndata: end\n\n".encode()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_pieces_make_no_difference(places: list[int]) -> None:
    cuts = [0, *sorted(places), len(STREAM)]
    assert read(*[STREAM[a:b] for a, b in itertools.pairwise(cuts)]) == read(STREAM)
    assert [event.data for event in read(STREAM)] == ["ä🫖", "1\n2", "end"]


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "LINE_CHARS", 100)
    monkeypatch.setattr(sse, "EVENT_CHARS", 150)
    assert read(b"data: " + b"x" * 94 + b"\n\n")
    with pytest.raises(SseTooLarge):
        read(b"data: ", *[b"x" * 50] * 2)
    with pytest.raises(SseTooLarge):
        read(*[b"data: " + b"x" * 60 + b"\n"] * 3)
