"""Both wires against hand-made streams of the documented formats, whole, cut at every byte and mutated.

Every ``streams/<wire>/<name>.sse`` is found by directory; ``<name>.json`` beside it says what must come of
it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.models import client, request, whole
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply
from webbrain.host.memory import MemoryHost
from webbrain.host.memory import CUT, Reply

FOLDER = Path(__file__).parent / "streams"
STREAMS = sorted(FOLDER.glob("*/*.sse"))
PROVIDER = {"openai_chat": "openrouter", "anthropic": "anthropic"}
SSE = {"content-type": "text/event-stream"}
BIGGEST = 20_000
MUTATIONS = 500


@dataclass
class Seen:
    """What a caller of the client got to see."""

    reply: ModelReply | None = None
    error: str = ""
    shown: str = ""
    resets: int = 0
    requests: int = 0


async def call(wire: str, *chunks: bytes | str, fallback: Any = None) -> Seen:
    """One streamed call; a repeat without streaming gets ``fallback``."""
    host = MemoryHost()
    answers = [Reply(200, SSE, list(chunks)), Reply.json(whole(wire) if fallback is None else fallback)]
    host.http.on("POST", "*", *answers)
    seen = Seen()
    pieces: list[str] = []

    def reset() -> None:
        pieces.clear()
        seen.resets += 1

    try:
        seen.reply = await client(host, PROVIDER[wire]).complete(request(stream=True), pieces.append, reset)
    except ProviderFailed as failure:
        seen.error = failure.code
    seen.shown, seen.requests = "".join(pieces), len(host.http.requests)
    assert all(response.closed for response in host.http.responses), "a transfer was left open"
    return seen


def calls_of(reply: ModelReply) -> list[list[Any]]:
    return [[call.id, call.name, json.loads(call.arguments)] for call in reply.tool_calls]


def check(seen: Seen, expected: dict[str, Any]) -> None:
    """The outcome is exactly the expected one, and took one request."""
    assert (seen.requests, seen.resets) == (1, 0)
    if "error" in expected:
        assert seen.error == expected["error"]
        return
    reply = seen.reply
    assert reply is not None, seen.error
    assert seen.shown == expected["shown"]
    assert reply.text == expected.get("text", "")
    assert reply.reasoning == expected.get("reasoning", "")
    assert reply.finish == expected["finish"]
    wanted = expected.get("calls", [])
    got = calls_of(reply)
    assert [c[1:] for c in got] == [c[1:] for c in wanted]
    assert [c[0] for c, w in zip(got, wanted, strict=True) if w[0]] == [w[0] for w in wanted if w[0]]
    for key in ("model", "replay"):
        if key in expected:
            assert getattr(reply, key) == expected[key]
    if "usage" in expected:
        assert reply.usage.model_dump(exclude_none=True) == expected["usage"]


def load(path: Path) -> tuple[str, bytes, dict[str, Any]]:
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return path.parent.name, path.read_bytes(), expected


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def test_there_are_streams_of_every_kind_for_both_wires() -> None:
    kinds = {"text", "one_tool", "several_tools", "interleaved_tools", "refusal", "error_in_stream"}
    for wire in PROVIDER:
        names = {path.stem for path in STREAMS if path.parent.name == wire}
        assert kinds <= names
    assert all(path.stat().st_size <= BIGGEST for path in STREAMS)
    assert {path.with_suffix(".json") for path in STREAMS} == set(FOLDER.glob("*/*.json"))


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
async def test_the_whole_stream(path: Path) -> None:
    wire, raw, expected = load(path)
    check(await call(wire, raw), expected)


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
async def test_the_same_in_two_pieces_and_byte_by_byte(path: Path) -> None:
    wire, raw, expected = load(path)
    for place in range(1, len(raw)):
        # Every place inside a character or at a line's end, and every fifth of the rest.
        if (
            place % 5
            and raw[place] < 0x80
            and raw[place - 1 : place + 1].strip(b"\r\n") == raw[place - 1 : place + 1]
        ):
            continue
        check(await call(wire, raw[:place], raw[place:]), expected)
    check(await call(wire, *[raw[i : i + 1] for i in range(len(raw))]), expected)


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
@pytest.mark.parametrize("how", ["ends", "breaks"])
async def test_cut_at_every_byte(path: Path, how: str) -> None:
    """Cut short, a stream gives the whole answer of the one repeat, its own error, or all it had: never a
    part."""
    wire, raw, expected = load(path)
    repeats = 0
    places = range(0, len(raw) + 1, 1 if how == "ends" else 7)
    for place in places:
        tail: list[bytes | str] = [CUT] if how == "breaks" else []
        seen = await call(wire, raw[:place], *tail)
        if seen.requests == 2:
            repeats += 1
            assert seen.resets == 1
            assert seen.shown == ""
            assert seen.reply is not None
            assert (seen.reply.text, seen.reply.tool_calls) == ("whole answer", [])
        else:
            check(seen, expected)
    assert repeats > len(places) / 3, "the negative control: most cuts must have been noticed"


@pytest.mark.parametrize("wire", PROVIDER)
async def test_after_one_broken_stream_the_run_streams_no_more(wire: str) -> None:
    host = MemoryHost()
    raw = (FOLDER / wire / "text.sse").read_bytes()
    broken = Reply(200, SSE, [raw[: len(raw) // 2]])
    host.http.on("POST", "*", broken, Reply.json(whole(wire)))
    model = client(host, PROVIDER[wire])
    for _ in range(3):
        await model.complete(request(stream=True), lambda _: None)
    assert [body["stream"] for body in host.http.bodies()] == [True, False, False, False]


@pytest.mark.parametrize("wire", PROVIDER)
@pytest.mark.parametrize("second", ["cut", "broken", "html", "refused"])
async def test_the_repeat_is_the_last_try(wire: str, second: str) -> None:
    host = MemoryHost()
    answers = {
        "cut": Reply(200, {"content-type": "application/json"}, [b'{"choices": [', CUT]),
        "broken": Reply(200, {"content-type": "application/json"}, [b'{"choices": ["']),
        "html": Reply(200, {"content-type": "text/html"}, [b"<html>hello"]),
        "refused": Reply.json({"error": {"message": "no"}}, 500),
    }
    host.http.on("POST", "*", Reply(200, SSE, [b"data: {"]), answers[second])
    with pytest.raises(ProviderFailed):
        await client(host, PROVIDER[wire]).complete(request(stream=True))
    assert len(host.http.requests) == 2


@pytest.mark.parametrize("wire", PROVIDER)
async def test_sizes_are_bounded(wire: str) -> None:
    """A 10 MB line, and an endless stream of small ones: an answer of the repeat, not a full memory."""
    seen = await call(wire, b"data: ", *[b"x" * 1_000_000] * 10)
    assert (seen.requests, seen.resets) == (2, 1)
    seen = await call(wire, *[b": filler\n" * 100_000] * 25)
    assert (seen.error, seen.requests) == ("bad_response", 1)


@pytest.mark.parametrize("wire", PROVIDER)
@settings(max_examples=MUTATIONS, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
async def test_mutations(wire: str, data: st.DataObject) -> None:
    """Bytes lost, doubled, swapped, replaced: an answer or a ``ProviderFailed``, and no call of unreadable
    arguments
    that the stream did not finish."""
    path = data.draw(st.sampled_from([p for p in STREAMS if p.parent.name == wire]))
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, max(len(raw) - 1, 0)))
        size = data.draw(st.integers(1, 60))
        match data.draw(st.sampled_from(["drop", "double", "swap", "noise", "json", "cut"])):
            case "drop":
                del raw[start : start + size]
            case "double":
                raw[start:start] = raw[start : start + size]
            case "swap":
                part = raw[start : start + size]
                del raw[start : start + size]
                raw[data.draw(st.integers(0, len(raw))) :][:0] = part
                raw += part
            case "noise":
                raw[start : start + 1] = data.draw(st.binary(min_size=1, max_size=4))
            case "json":
                values = [b"null", b"[]", b"{}", b"-1", b'"x"', b"1e999", b"[[[[", b"true"]
                raw[start : start + size] = data.draw(st.sampled_from(values))
            case "cut":
                del raw[start:]
        if not raw:
            break
    seen = await call(wire, bytes(raw))
    assert seen.requests <= 2
    if seen.requests == 2:
        assert seen.reply is not None
        assert seen.reply.tool_calls == []
    if seen.reply is not None and seen.reply.tool_calls:
        assert all(call.name for call in seen.reply.tool_calls)
        assert len({call.id for call in seen.reply.tool_calls}) == len(seen.reply.tool_calls)
