"""Streams with bytes lost, doubled, moved or replaced, for every wire: 500 of each, or ``MUTATIONS``.

Whatever comes, the caller gets an answer or a ``ProviderFailed``, in time, after at most one repeat, and
never a tool call of a message that did not end as its format says.
"""

import asyncio
import os
import random
import re
from typing import Final

import pytest

from tests.support.stream_calls import call
from tests.support.streams import PROVIDER, of_wire, raw
from webbrain.providers.event_stream import EventStreamReader, encode_event
from webbrain.providers.sse import SseEvent, SseTooLarge
from webbrain.providers.wire import StreamBroken

MUTATIONS: Final = int(os.environ.get("MUTATIONS", "500"))
SEED: Final = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 2**32)
DEADLINE: Final = 10.0
"""Seconds for one answer; a hang is a failure."""
TERMINAL: Final = {
    "openai_chat": b"[DONE]",
    "azure": b"[DONE]",
    "llamacpp": b"[DONE]",
    "openai_responses": b"response.completed",
    "anthropic": b"message_stop",
    "vertex_anthropic": b"message_stop",
    "bedrock": b"metadata",
}
"""Without these bytes no call may be run, and no text is complete except with a finish reason."""
FINISHED: Final = re.compile(rb'"finish_reason"\s*:\s*"[^"]')
"""How the Chat Completions format says that a message is whole."""
CHAT: Final = ("openai_chat", "azure", "llamacpp")
JSON = [b"null", b"[]", b"{}", b"-1", b'"x"', b"1e999", b"[[[[", b"true", b"NaN", b'"\\ud800"', b"0" * 5_000]
LINES = [
    b"data: [DONE]\n\n",
    b"\n\n",
    b"\r",
    b"event: error\n",
    b": c\n",
    b"id: 1\n",
    b"retry: 1\n",
    b"data:\n",
]


def mutated(data: bytearray, rng: random.Random) -> None:
    """Change ``data`` in one place."""
    start, size = rng.randrange(len(data) + 1), rng.randint(1, 60)
    match rng.choice(["drop", "double", "move", "noise", "json", "cut", "line", "frame", "bit"]):
        case "drop":
            del data[start : start + size]
        case "double":
            data[start:start] = data[start : start + size]
        case "move":
            part = data[start : start + size]
            del data[start : start + size]
            place = rng.randrange(len(data) + 1)
            data[place:place] = part
        case "noise":
            data[start : start + 1] = rng.randbytes(rng.randint(1, 4))
        case "json":
            data[start : start + size] = rng.choice(JSON)
        case "cut":
            del data[start:]
        case "line":
            data[start:start] = rng.choice(LINES)
        case "frame":
            # A whole event lost or doubled.
            end = data.find(b"\n\n", start)
            if end > 0:
                begin = data.rfind(b"\n\n", 0, start) + 2
                data[begin : end + 2] = data[begin : end + 2] * rng.choice([0, 2])
        case "bit" if start < len(data):
            data[start] ^= 1 << rng.randrange(8)


def damaged_payloads(data: bytes, rng: random.Random) -> bytes:
    """Frames whose checksums are right and whose payloads are not: what the checksums would have caught."""
    events = EventStreamReader().feed(data)
    frames: list[bytes] = []
    for event in events:
        payload = bytearray(event.data.encode())
        if rng.random() < 0.3:
            mutated(payload, rng)
        kind = "exception" if event.event.startswith("exception:") else "event"
        name = event.event.removeprefix("exception:")
        frames.append(encode_event({f":{kind}-type": name, ":message-type": kind}, bytes(payload)))
    if rng.random() < 0.3 and frames:
        place = rng.randrange(len(frames))
        frames[place : place + 1] = frames[place : place + 1] * rng.choice([0, 2])
    return b"".join(frames)


def whole_enough(wire: str, data: bytes, *, calls: bool) -> bool:
    """Whether a stream says that the answer in it is complete."""
    ended = TERMINAL[wire] in data
    if wire not in CHAT:
        return ended
    finished = FINISHED.search(data) is not None
    return ended and finished if calls else ended or finished


@pytest.mark.parametrize("wire", PROVIDER)
async def test_mutations(wire: str) -> None:
    streams = [raw(path) for path in of_wire(wire, shared=True)]
    repeated = answered = called = 0
    for number in range(MUTATIONS):
        rng = random.Random(f"{SEED} {number}")
        source = rng.choice(streams)
        if wire == "bedrock" and rng.random() < 0.5:
            source = damaged_payloads(source, rng)
        data = bytearray(source)
        if wire != "bedrock" or rng.random() < 0.5:
            for _ in range(rng.randint(1, 4)):
                mutated(data, rng)
        what = f"SEED={SEED}, mutation {number}: {bytes(data)!r}"
        try:
            async with asyncio.timeout(DEADLINE):
                seen = await call(wire, bytes(data))
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error}; {what}")
        assert seen.requests <= 2, what
        assert (seen.reply is None) is bool(seen.error), what
        if seen.requests == 2:
            repeated += 1
            assert seen.reply is not None, what
            assert (seen.reply.tool_calls, seen.reply.text) == ([], "whole answer"), what
        elif seen.reply is not None:
            answered += 1
            calls = seen.reply.tool_calls
            called += bool(calls)
            if not bytes(data).lstrip().startswith(b"{"):
                assert whole_enough(wire, bytes(data), calls=bool(calls)), what
            assert all(made.name for made in calls), what
            assert len({made.id for made in calls}) == len(calls), what
    # Negative control: the mutations must be neither all fatal nor all harmless.
    assert repeated > MUTATIONS / 10
    assert answered > MUTATIONS / 50
    assert called


def fuzz_reader(data: bytes, rng: random.Random) -> list[SseEvent]:
    reader, events = EventStreamReader(), list[SseEvent]()
    while data:
        size = rng.randint(1, 50)
        events += reader.feed(data[:size])
        data = data[size:]
    return events + reader.close()


def test_binary_frames_let_no_damage_through() -> None:
    """Every frame that comes out of damaged bytes is one that went in: the checksums are looked at."""
    source = b"".join(raw(path) for path in of_wire("bedrock")[:3])
    honest = {(event.event, event.data) for event in EventStreamReader().feed(source)}
    caught = 0
    for number in range(MUTATIONS):
        rng = random.Random(f"{SEED} {number}")
        data = bytearray(source)
        mutated(data, rng)
        try:
            events = fuzz_reader(bytes(data), rng)
        except (StreamBroken, SseTooLarge):
            caught += 1
            continue
        assert {(event.event, event.data) for event in events} <= honest, f"SEED={SEED}, mutation {number}"
    assert caught > MUTATIONS / 2
