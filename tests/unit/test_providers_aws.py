"""Signing and framing of Amazon's services, against figures that were not made here."""

import struct
import zlib

import pytest

from webbrain.providers.event_stream import EventStreamReader, encode_event
from webbrain.providers.sigv4 import signed_headers
from webbrain.providers.sse import SseEvent, SseTooLarge
from webbrain.providers.wire import StreamBroken

# The example of the IAM user guide: credentials and date of AWS's own signature test suite.
ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
NOW = 1_440_938_160.0  # 2015-08-30T12:36:00Z
EMPTY = bytes.fromhex("00000010 00000000 05c248eb 7d98c8ff".replace(" ", ""))
"""The empty message of the event stream test vectors."""


def sign(method: str, url: str, headers: dict[str, str], body: bytes = b"", **extra: str) -> str:
    out = signed_headers(
        method,
        url,
        headers,
        body,
        access_key=ACCESS_KEY,
        secret_key=SECRET_KEY,
        region="us-east-1",
        service="service",
        now=NOW,
        **extra,
    )
    return out["Authorization"]


@pytest.mark.parametrize(
    ("method", "url", "signature"),
    [
        (
            "GET",
            "https://example.amazonaws.com/",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            "POST",
            "https://example.amazonaws.com/",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            "GET",
            "https://example.amazonaws.com/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
    ],
)
def test_signatures_of_the_published_suite(method: str, url: str, signature: str) -> None:
    """get-vanilla, post-vanilla and get-vanilla-query-order-key-case."""
    assert sign(method, url, {}) == (
        f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20150830/us-east-1/service/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    )


def test_everything_sent_is_signed() -> None:
    url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude%3A0/converse"
    headers = {"Content-Type": "application/json"}
    first = sign("POST", url, headers, b"{}")
    assert "SignedHeaders=content-type;host;x-amz-date," in first
    others = {
        sign("POST", url, headers, b"{ }"),
        sign("POST", url.replace("%3A0", "%3A1"), headers, b"{}"),
        sign("POST", url, {"Content-Type": "text/plain"}, b"{}"),
        sign("POST", url, headers, b"{}", session_token="token"),
    }
    assert len(others | {first}) == 5
    assert "x-amz-security-token" in sign("POST", url, headers, b"{}", session_token="token")


def test_the_published_empty_message() -> None:
    assert encode_event({}, b"") == EMPTY
    assert EventStreamReader().feed(EMPTY) == [SseEvent("")]


def test_frames_cut_anywhere() -> None:
    data = encode_event({":message-type": "event", ":event-type": "a"}, "☕".encode()) * 3
    for size in (1, 2, 7, len(data)):
        reader = EventStreamReader()
        events = [event for at in range(0, len(data), size) for event in reader.feed(data[at : at + size])]
        assert events == [SseEvent("☕", "a")] * 3
        assert reader.close() == []


def test_a_flipped_bit_anywhere_is_noticed() -> None:
    data = encode_event({":message-type": "event", ":event-type": "a"}, b'{"x": 1}')
    for place in range(len(data) * 8):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        with pytest.raises((StreamBroken, SseTooLarge)):
            read_all(bytes(damaged))


def test_headers_of_every_type_are_stepped_over() -> None:
    values = {0: b"", 1: b"", 2: b"x", 3: b"xx", 4: b"xxxx", 5: b"x" * 8, 6: b"\x00\x02ab", 8: b"x" * 8}
    raw = b"".join(b"\x01k" + bytes([kind]) + value for kind, value in values.items())
    raw += b"\x0b:event-type\x07\x00\x01e"
    assert EventStreamReader().feed(framed(raw)) == [SseEvent("{}", "e")]


@pytest.mark.parametrize(
    "raw", [b"\x01k\x0a", b"\x01k", b"\xff", b"\x01k\x07\x00\x09x", b"\x01k\x07\x00\x01\xff"]
)
def test_damaged_headers_with_right_checksums(raw: bytes) -> None:
    with pytest.raises(StreamBroken):
        EventStreamReader().feed(framed(raw))


def test_lengths_that_cannot_be() -> None:
    for total, headers, error in ((5_000_000, 0, SseTooLarge), (15, 0, StreamBroken), (16, 1, StreamBroken)):
        prelude = struct.pack(">II", total, headers)
        with pytest.raises(error):
            EventStreamReader().feed(prelude + struct.pack(">I", zlib.crc32(prelude)))
    reader = EventStreamReader()
    reader.feed(EMPTY[:10])
    with pytest.raises(StreamBroken):
        reader.close()


def read_all(data: bytes) -> list[SseEvent]:
    reader = EventStreamReader()
    return reader.feed(data) + reader.close()


def framed(headers: bytes, payload: bytes = b"{}") -> bytes:
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    head = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return head + struct.pack(">I", zlib.crc32(head))
