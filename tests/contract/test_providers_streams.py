"""All wires against hand-made streams of the documented formats: whole, in pieces, cut at every byte.

Mutated ones are in test_providers_mutations.py.
"""

import itertools
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.support.models import client, request, whole
from tests.support.stream_calls import Seen, asked_to_stream, call, model_of
from tests.support.streams import (
    FOLDER,
    PROVIDER,
    SHARED,
    STREAMS,
    expected,
    headers_of,
    of_wire,
    raw,
    text_stream,
)
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply
from webbrain.host.memory import CUT, MemoryHost, Reply
from webbrain.providers.client import WIRES
from webbrain.providers.event_stream import encode_event

BIGGEST = 20_000
CHAT = [wire for wire in PROVIDER if SHARED.get(wire, wire) == "openai_chat"]
"""Wires that speak the Chat Completions format."""
KINDS = {"text", "one_tool", "several_tools", "interleaved_tools", "refusal", "error_in_stream"}


def calls_of(reply: ModelReply) -> list[list[Any]]:
    return [[call.id, call.name, json.loads(call.arguments)] for call in reply.tool_calls]


def check(seen: Seen, wanted_outcome: dict[str, Any]) -> None:
    """The outcome is exactly the expected one, and took one request."""
    assert (seen.requests, seen.resets) == (1, 0)
    if "error" in wanted_outcome:
        assert seen.error == wanted_outcome["error"]
        return
    reply = seen.reply
    assert reply is not None, seen.error
    assert seen.shown == wanted_outcome["shown"]
    assert reply.text == wanted_outcome.get("text", "")
    assert reply.reasoning == wanted_outcome.get("reasoning", "")
    assert reply.finish == wanted_outcome["finish"]
    wanted = wanted_outcome.get("calls", [])
    got = calls_of(reply)
    assert [c[1:] for c in got] == [c[1:] for c in wanted]
    assert [c[0] for c, w in zip(got, wanted, strict=True) if w[0]] == [w[0] for w in wanted if w[0]]
    for key in ("model", "replay"):
        if key in wanted_outcome:
            assert getattr(reply, key) == wanted_outcome[key]
    if "usage" in wanted_outcome:
        assert reply.usage.model_dump(exclude_defaults=True) == wanted_outcome["usage"]


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def test_there_are_streams_of_every_kind_for_all_wires() -> None:
    assert set(PROVIDER) == set(WIRES)
    for wire in WIRES:
        assert {path.stem for path in of_wire(wire, shared=True)} >= KINDS, wire
    assert all(len(raw(path)) <= BIGGEST for path in STREAMS)
    assert {path.with_suffix(".json") for path in STREAMS} == set(FOLDER.glob("*/*.json"))


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
async def test_the_whole_stream(path: Path) -> None:
    check(await call(path.parent.name, raw(path)), expected(path))


@pytest.mark.parametrize("wire", SHARED)
async def test_dialects_understand_the_streams_of_the_format_they_share(wire: str) -> None:
    for path in of_wire(wire, shared=True):
        wanted = {key: value for key, value in expected(path).items() if key not in ("replay", "usage")}
        check(await call(wire, raw(path)), wanted)


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
async def test_the_same_in_two_pieces_and_byte_by_byte(path: Path) -> None:
    wire, data, wanted = path.parent.name, raw(path), expected(path)
    for place in range(1, len(data)):
        # Every place inside a character or at a line's end, and every fifth of the rest.
        if (
            place % 5
            and data[place] < 0x80
            and data[place - 1 : place + 1].strip(b"\r\n") == data[place - 1 : place + 1]
        ):
            continue
        check(await call(wire, data[:place], data[place:]), wanted)
    check(await call(wire, *[data[i : i + 1] for i in range(len(data))]), wanted)


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
@pytest.mark.parametrize("how", ["ends", "breaks"])
async def test_cut_at_every_byte(path: Path, how: str) -> None:
    """Cut short, a stream gives the whole answer of the one repeat, its own error, or all it had: never a
    part. A text whose finish reason came is whole, though its usage may be lost."""
    wire, data, wanted = path.parent.name, raw(path), expected(path)
    repeats = 0
    places = range(0, len(data) + 1, 1 if how == "ends" else 7)
    for place in places:
        tail: list[bytes | str] = [CUT] if how == "breaks" else []
        seen = await call(wire, data[:place], *tail)
        if seen.requests == 2:
            repeats += 1
            assert seen.resets == 1
            assert seen.shown == ""
            assert seen.reply is not None
            assert (seen.reply.text, seen.reply.tool_calls) == ("whole answer", [])
        elif wire in CHAT and seen.reply is not None and b"[DONE]" not in data[:place]:
            assert b'"finish_reason":"' in data[:place].replace(b": ", b":")
            assert not seen.reply.tool_calls
            check(seen, {key: value for key, value in wanted.items() if key != "usage"})
        else:
            check(seen, wanted)
    assert repeats > len(places) / 3, "the negative control: most cuts must have been noticed"


CHUNK = b'data: {"model":"m","choices":[{"index":0,"delta":%b,"finish_reason":%b}]}\n\n'
CALL = b'{"tool_calls":[{"index":0,"id":"c","function":{"name":"click_ax","arguments":"%b"}}]}'
DONE = b"data: [DONE]\n\n"
LOST: dict[str, list[bytes]] = {
    "arguments": [CHUNK % (CALL % b"", b"null"), DONE],
    "the end of the arguments": [CHUNK % (CALL % b"{}", b"null"), DONE],
    "the last event": [CHUNK % (CALL % b"{}", b"null"), CHUNK % (b"{}", b'"tool_calls"')],
    "the last event after a call as text": [
        CHUNK % (b'{"content":"<tool_call>{\\"name\\": \\"click_ax\\"}</tool_call>"}', b'"stop"')
    ],
    "the finish reason of a call as text": [
        CHUNK % (b'{"content":"<tool_call>{\\"name\\": \\"click_ax\\"}</tool_call>"}', b"null"),
        DONE,
    ],
    "the finish reason of a text": [CHUNK % (b'{"content":"It costs"}', b"null")],
}


@pytest.mark.parametrize("wire", CHAT)
@pytest.mark.parametrize("what", LOST)
async def test_no_call_of_a_stream_that_lost_something(wire: str, what: str) -> None:
    seen = await call(wire, *LOST[what])
    assert (seen.requests, seen.shown) == (2, "")
    assert seen.reply is not None
    assert (seen.reply.text, seen.reply.tool_calls) == ("whole answer", [])


@pytest.mark.parametrize("wire", CHAT)
async def test_a_call_with_its_finish_reason_is_one(wire: str) -> None:
    """The negative control, also for a tool that takes nothing and is called with nothing."""
    seen = await call(wire, CHUNK % (CALL % b"", b"null"), CHUNK % (b"{}", b'"tool_calls"'), DONE)
    assert seen.reply is not None
    assert [(made.name, made.arguments) for made in seen.reply.tool_calls] == [("click_ax", "{}")]
    assert seen.requests == 1


@pytest.mark.parametrize("wire", CHAT)
async def test_a_text_is_complete_with_its_finish_reason(wire: str) -> None:
    """Some servers never say [DONE]; to ask again would cost the same once more."""
    seen = await call(wire, CHUNK % (b'{"content":"It costs 24."}', b"null"), CHUNK % (b"{}", b'"stop"'))
    assert seen.reply is not None
    assert (seen.reply.text, seen.shown, seen.requests) == ("It costs 24.", "It costs 24.", 1)


@pytest.mark.parametrize("wire", PROVIDER)
async def test_after_one_broken_stream_the_run_streams_no_more(wire: str) -> None:
    host = MemoryHost()
    data = text_stream(wire)
    host.http.on("POST", "*", Reply(200, headers_of(wire), [data[: len(data) // 2]]), Reply.json(whole(wire)))
    model = model_of(host, wire)
    for _ in range(3):
        await model.complete(request(stream=True), lambda _: None)
    assert [asked_to_stream(sent) for sent in host.http.requests] == [True, False, False, False]


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
    host.http.on("POST", "*", Reply(200, headers_of(wire), [b"data: {"]), answers[second])
    with pytest.raises(ProviderFailed) as caught:
        await model_of(host, wire).complete(request(stream=True))
    assert len(host.http.requests) == 2
    if second == "cut":
        assert not caught.value.transient, "it was paid for twice by now, and would be a third time"


async def test_a_whole_answer_that_broke_on_the_way_may_be_asked_for_again() -> None:
    """It was not repeated yet; it counts as begun, which the account of costs wants to know."""
    host = MemoryHost()
    host.http.on("POST", "*", Reply(200, {"content-type": "application/json"}, [b'{"choices": [', CUT]))
    with pytest.raises(ProviderFailed) as caught:
        await client(host, "custom").complete(request())
    assert (caught.value.code, caught.value.transient, caught.value.data["began"]) == (
        "unreachable",
        True,
        True,
    )


@pytest.mark.parametrize("wire", PROVIDER)
async def test_sizes_are_bounded(wire: str) -> None:
    """A 10 MB line, and an endless stream of small ones: an answer of the repeat, not a full memory."""
    if wire == "bedrock":
        prelude = struct.pack(">II", 10_000_000, 0)
        start = prelude + struct.pack(">I", zlib.crc32(prelude))
        filler = encode_event({":event-type": "ping", ":message-type": "event"}, b"{}" + b" " * 100_000) * 10
    else:
        start, filler = b"data: ", b": filler\n" * 100_000
    seen = await call(wire, start, *[b"x" * 1_000_000] * 10)
    assert (seen.requests, seen.resets) == (2, 1)
    if wire not in ("openai_chat", "bedrock"):
        return  # the reader counts, and it is the same for all of a framing
    seen = await call(wire, *[filler] * 25)
    assert (seen.error, seen.requests) == ("bad_response", 1)


@pytest.mark.parametrize("wire", PROVIDER)
@pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
async def test_an_error_before_the_stream_is_final(wire: str, status: int) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json({"error": {"message": "no"}, "message": "no"}, status))
    with pytest.raises(ProviderFailed):
        await model_of(host, wire).complete(request(stream=True))
    assert len(host.http.requests) == 1


@pytest.mark.parametrize("wire", PROVIDER)
async def test_a_page_instead_of_an_answer(wire: str) -> None:
    for body in (b"<!doctype html><title>Sign in</title>", b"\xef\xbb\xbf  <html>"):
        host = MemoryHost()
        host.http.on("POST", "*", Reply(200, {"content-type": "text/html; charset=utf-8"}, [body]))
        with pytest.raises(ProviderFailed) as caught:
            await model_of(host, wire).complete(request(stream=True))
        assert caught.value.code == "wrong_address"
        assert len(host.http.requests) == 1


@pytest.mark.parametrize("path", [path for path in STREAMS if path.suffix == ".sse"], ids=name_of)
async def test_line_ends_of_every_kind(path: Path) -> None:
    plain = raw(path).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = itertools.cycle([b"\n", b"\r\n", b"\n", b"\r\n", b"\r\n"])
    mixed = b"".join(line + next(ends) for line in plain.split(b"\n"))
    check(await call(path.parent.name, mixed), expected(path))
    check(await call(path.parent.name, plain.replace(b"\n", b"\r")), expected(path))


TWO_CALLS_ONE_ID = {
    "openai_chat": {"choices": [{"message": {"tool_calls": [
        {"id": "c", "function": {"name": "scroll", "arguments": "{}"}},
        {"id": "c", "function": {"name": "click_ax", "arguments": '{"ref_id": '}}]},
        "finish_reason": "tool_calls"}]},
    "openai_responses": {"status": "completed", "output": [
        {"type": "function_call", "call_id": "c", "name": "scroll", "arguments": "{}"},
        {"type": "function_call", "call_id": "c", "name": "click_ax", "arguments": '{"ref_id": '}]},
    "anthropic": {"type": "message", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "c", "name": "scroll", "input": {}},
        {"type": "tool_use", "id": "c", "name": "click_ax", "input": {}}]},
    "bedrock": {"stopReason": "tool_use", "output": {"message": {"content": [
        {"toolUse": {"toolUseId": "c", "name": "scroll", "input": {}}},
        {"toolUse": {"toolUseId": "c", "name": "click_ax", "input": {}}}]}}},
}  # fmt: skip


@pytest.mark.parametrize("wire", PROVIDER)
async def test_ids_that_are_there_twice_are_told_apart(wire: str) -> None:
    """And broken arguments reach the agent as they are: it is for the agent to say so to the model."""
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json(TWO_CALLS_ONE_ID[SHARED.get(wire, wire)]))
    reply = await model_of(host, wire).complete(request())
    assert [made.name for made in reply.tool_calls] == ["scroll", "click_ax"]
    assert len({made.id for made in reply.tool_calls}) == 2
