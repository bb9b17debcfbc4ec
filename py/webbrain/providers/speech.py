"""Sound as the transcription interfaces take it: a WAV file with one channel of 16-bit samples."""

import math
import struct
from typing import Final

SAMPLE_RATE: Final = 16_000
"""Samples per second; what speech models work with inside."""
SAMPLE_BYTES: Final = 2
SECONDS_MAX: Final = 300.0
"""Of one recording."""
TONE_SECONDS: Final = 1.0
_TONE_HERTZ: Final = 440.0
_LOUDNESS: Final = 0.2
_HEADER: Final = struct.Struct("<4sI4s4sIHHIIHH4sI")


def tone() -> bytes:
    """A second of a plain tone, for a test: no model hears words in it, every one accepts it."""
    step, loudest = 2 * math.pi * _TONE_HERTZ / SAMPLE_RATE, _LOUDNESS * 32_767
    count = round(TONE_SECONDS * SAMPLE_RATE)
    return wav(struct.pack(f"<{count}h", *(round(loudest * math.sin(step * n)) for n in range(count))))


def wav(samples: bytes) -> bytes:
    """A WAV file of little-endian samples."""
    size = len(samples)
    head = _HEADER.pack(
        *(b"RIFF", _HEADER.size - 8 + size, b"WAVE", b"fmt ", 16, 1, 1, SAMPLE_RATE),
        *(SAMPLE_RATE * SAMPLE_BYTES, SAMPLE_BYTES, 8 * SAMPLE_BYTES, b"data", size),
    )
    return head + samples


def seconds(sound: bytes) -> float:
    """How long a recording is. Raises ``ValueError`` for anything but a whole file of our own form."""
    if len(sound) <= _HEADER.size:
        raise ValueError("no sound")
    riff, size, kind, fmt, _, code, channels, rate, _, _, bits, data, length = _HEADER.unpack_from(sound)
    usual = (riff, kind, fmt, data, code, channels, rate, bits) == (
        *(b"RIFF", b"WAVE", b"fmt ", b"data", 1, 1, SAMPLE_RATE, 8 * SAMPLE_BYTES),
    )
    if not usual or length != len(sound) - _HEADER.size or size != len(sound) - 8:
        raise ValueError("not a recording of this extension")
    return float(length / SAMPLE_BYTES / SAMPLE_RATE)
