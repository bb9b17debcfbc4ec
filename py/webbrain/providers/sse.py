"""Server-sent events, read incrementally from bytes cut anywhere.

Follows the event stream format of the WHATWG HTML standard (LF, CR and CRLF, comments, byte order mark, one
optional space after the colon), with three differences: sizes are bounded; an event at the very end counts
without its closing blank line, because servers that close right after ``data: [DONE]`` are common; and a
field ``error`` is an event of that name with its value as data, which is how llama.cpp ends a stream that
failed.
"""

import codecs
from dataclasses import dataclass
from typing import Final

LINE_CHARS: Final = 2_000_000
EVENT_CHARS: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event. ``event`` is ``message`` unless the stream named it."""

    data: str
    event: str = "message"


class SseTooLarge(ValueError):
    """A line or an event is longer than any honest server sends."""


class SseReader:
    """Feed bytes, get events."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._pending: list[str] = []
        self._pending_chars = 0
        self._after_cr = False
        self._first = True
        self._event = ""
        self._data: list[str] = []
        self._data_chars = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events that ``chunk`` completes; raise ``SseTooLarge``."""
        return self._text(self._decoder.decode(chunk))

    def close(self) -> list[SseEvent]:
        """End of the stream: return the last event if it was not followed by a blank line."""
        events = self._text(self._decoder.decode(b"", final=True))
        if self._pending:
            self._line("".join(self._pending))
            self._pending = []
        last = self._dispatch()
        return [*events, last] if last else events

    def _text(self, text: str) -> list[SseEvent]:
        if self._first and text:
            self._first = False
            text = text.removeprefix("\ufeff")
        events: list[SseEvent] = []
        start = 0
        while start < len(text):
            if self._after_cr:
                self._after_cr = False
                if text[start] == "\n":
                    start += 1
                    continue
            end = _line_end(text, start)
            if end < 0:
                self._hold(text[start:])
                break
            self._hold(text[start:end])
            self._after_cr = text[end] == "\r"
            start = end + 1
            line = "".join(self._pending)
            self._pending, self._pending_chars = [], 0
            if line:
                self._line(line)
            elif done := self._dispatch():
                events.append(done)
        return events

    def _hold(self, piece: str) -> None:
        if piece:
            self._pending.append(piece)
            self._pending_chars += len(piece)
            if self._pending_chars > LINE_CHARS:
                raise SseTooLarge(f"a line of more than {LINE_CHARS} characters")

    def _line(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "error":
            self._event = "error"
        if name in ("data", "error"):
            self._data.append(value)
            self._data_chars += len(value)
            if self._data_chars > EVENT_CHARS:
                raise SseTooLarge(f"an event of more than {EVENT_CHARS} characters")
        elif name == "event":
            self._event = value

    def _dispatch(self) -> SseEvent | None:
        data, event = self._data, self._event
        self._data, self._data_chars, self._event = [], 0, ""
        return SseEvent("\n".join(data), event or "message") if data else None


def _line_end(text: str, start: int) -> int:
    """Index of the next line terminator, or -1."""
    lf, cr = text.find("\n", start), text.find("\r", start)
    if lf < 0 or cr < 0:
        return max(lf, cr)
    return min(lf, cr)
