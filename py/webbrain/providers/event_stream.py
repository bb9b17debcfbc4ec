"""Amazon's event stream framing (``application/vnd.amazon.eventstream``), read from bytes cut anywhere.

A message is: total length and length of the headers (32 bits each, big endian), the CRC of these eight bytes,
headers, payload, the CRC of everything before it (CRC-32 as of zlib). A header is a name with one byte of
length, a type, and a value whose size follows from the type.
Source: "Event stream encoding" in Amazon's Transcribe and Smithy documentation.
"""

import struct
import zlib
from typing import Final

from webbrain.providers.sse import EVENT_CHARS, SseEvent, SseTooLarge
from webbrain.providers.wire import StreamBroken

CONTENT_TYPE: Final = "application/vnd.amazon.eventstream"
EXCEPTION: Final = "exception:"
"""Begins the name of an event that reports a failure; the rest is the kind of failure."""

_PRELUDE: Final = 12
_AROUND: Final = 16
"""Prelude and the last CRC: a message without headers and payload."""
_FIXED_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of values by type; 6 (bytes) and 7 (text) say their own length."""


class EventStreamReader:
    """Feed bytes, get events; the same interface as ``SseReader``."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events that ``chunk`` completes; raise ``StreamBroken`` and ``SseTooLarge``."""
        self._pending += chunk
        events: list[SseEvent] = []
        while len(self._pending) >= _PRELUDE:
            total, headers, crc = struct.unpack_from(">III", self._pending)
            if zlib.crc32(self._pending[:8]) != crc:
                raise StreamBroken("a frame whose lengths are damaged")
            if total > EVENT_CHARS:
                raise SseTooLarge(f"a frame of more than {EVENT_CHARS} bytes")
            if total < _AROUND or headers > total - _AROUND:
                raise StreamBroken("a frame with impossible lengths")
            if len(self._pending) < total:
                break
            frame = bytes(self._pending[:total])
            del self._pending[:total]
            if zlib.crc32(frame[:-4]) != int.from_bytes(frame[-4:], "big"):
                raise StreamBroken("a damaged frame")
            events.append(_event(frame[_PRELUDE : _PRELUDE + headers], frame[_PRELUDE + headers : -4]))
        return events

    def close(self) -> list[SseEvent]:
        """End of the stream; raise ``StreamBroken`` if it ends inside a frame."""
        if self._pending:
            raise StreamBroken("the stream ended inside a frame")
        return []


def encode_event(headers: dict[str, str], payload: bytes) -> bytes:
    """One message with text headers; what a server sends."""
    raw = b"".join(_text_header(name, value) for name, value in headers.items())
    prelude = struct.pack(">II", _AROUND + len(raw) + len(payload), len(raw))
    head = prelude + struct.pack(">I", zlib.crc32(prelude)) + raw + payload
    return head + struct.pack(">I", zlib.crc32(head))


def _text_header(name: str, value: str) -> bytes:
    key, text = name.encode(), value.encode()
    return bytes([len(key)]) + key + b"\x07" + struct.pack(">H", len(text)) + text


def _event(raw_headers: bytes, payload: bytes) -> SseEvent:
    headers = _headers(raw_headers)
    kind = headers.get(":message-type", "event")
    if kind == "event":
        name = headers.get(":event-type", "message")
    else:
        name = EXCEPTION + (headers.get(":exception-type") or headers.get(":error-code") or kind)
    try:
        data = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StreamBroken("a frame that is not UTF-8") from error
    return SseEvent(data or headers.get(":error-message", ""), name)


def _headers(raw: bytes) -> dict[str, str]:
    """Headers with text values; others are stepped over."""
    out: dict[str, str] = {}
    position = 0
    try:
        while position < len(raw):
            end = position + 1 + raw[position]
            name, kind = raw[position + 1 : end].decode("utf-8"), raw[end]
            position = end + 1
            if kind in _FIXED_SIZES:
                position += _FIXED_SIZES[kind]
                continue
            if kind not in (6, 7):
                raise StreamBroken("a header of an unknown type")
            (size,) = struct.unpack_from(">H", raw, position)
            value = raw[position + 2 : position + 2 + size]
            position += 2 + size
            if position > len(raw):
                raise StreamBroken("a header that is cut off")
            if kind == 7:
                out[name] = value.decode("utf-8")
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise StreamBroken("a damaged header") from error
    return out
