"""Recordings of runs: what is kept, what is not, and that a run never notices."""

import asyncio
import json
import re
from typing import Any

import pytest

from tests.support.agent import Bench, types
from tests.support.toolbox import TAB, page_host
from webbrain.agent import recording_writer
from webbrain.core.errors import BridgeError, ProviderFailed, WebBrainError
from webbrain.core.messages import ModelReply, Usage
from webbrain.host.memory import Gate, MemoryHost
from webbrain.policy import redaction
from webbrain.services import conversations, traces
from webbrain.testing.scripted import call

FULL = BridgeError("The browser's storage is full.", code="store_failed", data={"reason": "full"})
BROKEN = BridgeError("The browser's storage refused.", code="store_failed", data={"reason": "broken"})
USAGE = Usage(prompt_tokens=1_000, completion_tokens=20, cached_tokens=500)


def bench(*steps: Any, host: MemoryHost | None = None, on: bool = True, **settings: Any) -> Bench:
    host = host or page_host()
    host.settings.values.update({"tracingEnabled": on, **settings})
    return Bench(*steps, host=host)


def rows(bench: Bench) -> list[dict[str, Any]]:
    return sorted(
        (row for row in bench.host.tables.data.get("runs", {}).values()), key=lambda row: row["startedAt"]
    )


def events(bench: Bench, kind: str = "") -> list[dict[str, Any]]:
    kept = bench.host.tables.data.get("events", {})
    found = [value for _, value in sorted(kept.items(), key=lambda item: item[0][1] or 0)]
    return [event for event in found if kind in ("", event["type"])]


async def ask(bench: Bench, method: str, **params: Any) -> dict[str, Any]:
    return await bench.app.handle_ui(method, params)


def reads(count: int) -> list[ModelReply]:
    """Steps that read one part of the page after the other."""
    calls = [call("read_page", offset=100 * n) for n in range(count)]
    return [ModelReply(tool_calls=[one], finish="tool_calls", usage=USAGE) for one in calls]


READS = reads(1)[0]
DONE = ModelReply(text="It costs 4 euros.", usage=USAGE)


# --- what is kept ---


async def test_nothing_is_kept_unless_it_is_switched_on() -> None:
    one = bench(READS, DONE, on=False)
    await one.run()
    assert {"runs", "events", "shots"}.isdisjoint(one.host.tables.data)
    assert Bench().host.settings.values.get("tracingEnabled") is None
    assert (await ask(one, "settings.get"))["values"]["tracingEnabled"] is False


async def test_a_run_from_its_first_request_to_its_end() -> None:
    one = bench(READS, DONE)
    one.host.page.on("read_page", {"text": "Tea: 4 euros", "originalLength": 12})
    told = await one.run("What does tea cost?", "ask")
    (row,) = rows(one)
    end = told[-1]["data"]
    assert row["runId"] == told[0]["runId"]
    assert row["conversationId"] == told[0]["conversationId"]
    assert (row["userMessage"], row["finalContent"]) == ("What does tea cost?", "It costs 4 euros.")
    assert (row["status"], row["mode"], row["stepCount"]) == ("completed", "ask", 2)
    assert (row["promptTokens"], row["completionTokens"], row["cachedTokens"]) == (2_000, 40, 1_000)
    assert (row["durationMs"], row["totalCost"]) == (end["durationMs"], end["costUsd"])
    assert row["endedAt"] >= row["startedAt"] > 1_700_000_000_000
    assert (row["model"], row["providerId"], row["providerClass"]) == ("script-1", "scripted", "remote")
    assert (row["tabUrl"], row["tabTitle"]) == ("https://shop.example/list", "Shop")
    assert (row["schema"], row["recordingVersion"]) == (1, "0.1.0")
    assert [event["type"] for event in events(one)] == [
        "llm_request",
        "llm_response",
        "tool",
        "llm_request",
        "llm_response",
    ]
    assert [event["n"] for event in events(one)] == [1, 2, 3, 4, 5]
    assert [event["step"] for event in events(one)] == [1, 1, 1, 2, 2]
    tool = events(one, "tool")[0]["data"]
    assert (tool["name"], tool["state"], tool["ok"]) == ("read_page", "done", True)
    assert json.loads(tool["result"])["text"] == "Tea: 4 euros"
    assert events(one, "llm_response")[0]["data"]["toolCalls"][0]["name"] == "read_page"


async def test_a_request_is_kept_without_what_the_one_before_had() -> None:
    one = bench(*reads(6), DONE)
    await one.run("Look", "ask")
    requests = [event["data"] for event in events(one, "llm_request")]
    assert [request["messagesBefore"] for request in requests] == [0, 2, 4, 6, 8, 10, 12]
    assert [len(request["messages"]) for request in requests] == [2] * 7
    assert [message["role"] for message in requests[0]["messages"]] == ["system", "user"]
    assert [message["role"] for message in requests[1]["messages"]] == ["assistant", "tool"]
    assert ["tools" in request for request in requests] == [True, *[False] * 6]


async def test_a_long_result_is_kept_as_its_beginning_and_its_length() -> None:
    one = bench(READS, DONE)
    text = "The page goes on. " * 3_000
    one.host.page.on("read_page", {"text": text, "originalLength": len(text)})
    await one.run("Look", "ask")
    result = events(one, "tool")[0]["data"]["result"]
    assert result == {"_truncated": True, "length": result["length"], "head": result["head"]}
    assert len(result["head"]) == 20_000 < len(text) <= result["length"]
    assert result["head"].startswith('{"success": true')


async def test_pictures_are_kept_with_the_run() -> None:
    host = page_host()
    one = bench(call("click_ax", ref_id="ref_1"), DONE, host=host)
    one.model.info = one.model.info.__class__(**{**_fields(one.model.info), "supports_vision": True})
    await one.run("Press it")
    shown = events(one, "screenshot")
    assert shown, [event["type"] for event in events(one)]
    assert shown[0]["data"]["width"] > 0
    images = host.tables.data["shots"]
    assert [key[1] for key in images] == [event["n"] for event in shown]
    assert all(shot["dataUrl"].startswith("data:image/") for shot in images.values())
    run_id = rows(one)[0]["runId"]
    answer = await ask(one, "traces.shot", runId=run_id, n=shown[0]["n"])
    assert answer["dataUrl"].startswith("data:image/")
    assert (await ask(one, "traces.shot", runId=run_id, n=99))["dataUrl"] == ""
    # A request names its pictures and does not hold them.
    assert "data:image" not in json.dumps(events(one))


def _fields(info: Any) -> dict[str, Any]:
    return {name: getattr(info, name) for name in info.__slots__}


async def test_failures_and_notes_are_kept() -> None:
    failed = ProviderFailed("The key is wrong.", code="bad_key", data={"hint": "Enter it again."})
    one = bench(failed)
    await one.run()
    errors = [event["data"] for event in events(one, "error")]
    assert [(error["where"], error["code"]) for error in errors] == [("model", "bad_key"), ("run", "bad_key")]
    assert errors[0]["detail"] == "Enter it again."
    assert rows(one)[0]["status"] == "failed"


async def test_a_continued_run_is_a_recording_of_its_own() -> None:
    one = bench(READS, DONE, DONE, maxAgentSteps=0)
    await one.run()
    one.host.clock.advance(5)
    await one.go_on()
    assert [row["userMessage"] for row in rows(one)] == ["Buy tea", ""]
    assert [row["continued"] for row in rows(one)] == [False, True]


# --- secrets ---

KEY = "sk-canary-7f3a9c51e8d24b60"


@pytest.mark.parametrize("cleaned", [True, False])
async def test_secrets_are_taken_out_before_anything_is_stored(
    monkeypatch: pytest.MonkeyPatch, cleaned: bool
) -> None:
    """The second case is the control: without redaction the same search finds them."""
    if not cleaned:
        monkeypatch.setattr(redaction.StrictRedactor, "_clean", lambda self, text: text)
    told = "Your password is: Mountain-47-Lake. Tea costs 4 euros."
    one = bench(
        ModelReply(text=f"Key {KEY[::-1]}", tool_calls=[call("read_page")], finish="tool_calls"),
        told,
    )
    one.host.page.on("read_page", {"text": f"x{KEY}x ghp_abcdefghij0123456789", "originalLength": 50})
    conversation = await one.app.conversations.of(TAB)
    conversation.journal.taint.note_secret(KEY, "a key")
    conversation.journal.taint.note_secret("7-pin", "a password")
    await one.run(f"My pin is 7-pin, and {KEY}", "ask")
    stored = json.dumps(one.host.tables.data["events"] and list(one.host.tables.data["events"].values()))
    stored += json.dumps(rows(one))
    secrets = (KEY[::-1], KEY, "7-pin", "Mountain-47-Lake", "ghp_abcdefghij0123456789")
    found = [secret for secret in secrets if secret in stored]
    assert found == ([] if cleaned else list(secrets))
    assert "Tea costs 4 euros" in stored


async def test_a_secret_learned_late_is_taken_out_of_what_is_stored_already() -> None:
    late = "Correct-Horse-9"

    async def learn(_: Any) -> dict[str, Any]:
        await until_stored(one)
        assert late in json.dumps(list(one.host.tables.data["events"].values()))
        (await one.app.conversations.of(TAB)).journal.taint.note_secret(late, "a password")
        return {"text": "Nothing", "originalLength": 7}

    one = bench(call("read_page"), DONE)
    one.host.page.on("read_page", learn)
    await one.run(f"Sign in with {late}", "ask")
    assert late not in json.dumps(list(one.host.tables.data["events"].values())) + json.dumps(rows(one))


async def until_stored(one: Bench) -> None:
    async with asyncio.timeout(10):
        while not events(one, "llm_request"):
            await asyncio.sleep(0)


def test_a_secret_is_not_cut_in_two() -> None:
    text = "x" * 19_990 + KEY
    keeper = recording_writer._Keeper(lambda part: part.replace(KEY, "[redacted]"))
    assert keeper.kept({"result": text})["result"]["head"] == "x" * 19_990 + "[redacted]"


# --- never in the way ---


@pytest.mark.parametrize("fault", [BROKEN, RuntimeError("A bug."), FULL])
async def test_a_store_that_refuses_ends_the_recording_and_not_the_run(fault: Exception) -> None:
    one = bench(*reads(2), DONE)
    one.host.tables.fail = fault
    told = await one.run("Look", "ask")
    assert told[-1]["data"]["status"] == "completed"
    assert {"runs", "events", "shots"}.isdisjoint(one.host.tables.data)


async def test_a_recorder_with_a_bug_does_not_disturb(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("A bug.")

    monkeypatch.setattr("webbrain.agent.recording.Recorder._take", broken)
    monkeypatch.setattr("webbrain.agent.recording.Recorder.asked", broken)
    one = bench(READS, DONE)
    told = await one.run("Look", "ask")
    assert told[-1]["data"]["status"] == "completed"


async def test_a_slow_store_holds_up_nothing() -> None:
    one = bench(*reads(2), DONE)
    gate = asyncio.Event()

    async def hold(name: str) -> None:
        if name.startswith("table."):
            await gate.wait()

    one.host.hook = hold
    await one.start("Look", "ask")
    async with asyncio.timeout(20):
        await one.app.runs.wait(TAB)
    assert one.last("run_complete")["status"] == "completed"
    assert rows(one) == []
    gate.set()
    await one.end()
    assert rows(one)[0]["status"] == "completed"


async def test_a_refused_write_is_repeated() -> None:
    one = bench(*reads(2), DONE)
    refusals = 2

    def refuse(name: str) -> None:
        nonlocal refusals
        one.host.tables.fail = None
        if name == "table.put" and refusals:
            refusals -= 1
            one.host.tables.fail = BROKEN

    one.host.hook = refuse
    await one.run("Look", "ask")
    assert [event["n"] for event in events(one)] == list(range(1, 9))


# --- death ---


async def test_a_run_that_died_is_shown_as_interrupted() -> None:
    one = bench(call("read_page"))
    gate = one.host.page.block("read_page")
    await one.start("Look", "ask")
    await gate.reached()
    async with asyncio.timeout(10):
        while not events(one, "tool"):
            await asyncio.sleep(0)
    assert (await ask(one, "traces.list"))["runs"][0]["status"] == "running"
    later = Bench(host=one.host.successor())
    listed = (await ask(later, "traces.list"))["runs"]
    assert [run["status"] for run in listed] == ["interrupted"]
    told = await ask(later, "traces.read", runId=listed[0]["runId"])
    assert told["events"][-1]["data"]["state"] == "running"
    await one.stop()
    gate.release()


async def test_a_run_that_is_over_is_stored_as_such_at_once() -> None:
    """A Worker that dies right after the end leaves no interrupted run."""
    one = bench(READS, DONE)
    one.host.clock.hold()
    await one.start("Look", "ask")
    async with asyncio.timeout(10):
        await one.app.runs.wait(TAB)
        while not rows(one) or rows(one)[0]["status"] == "running":
            await asyncio.sleep(0)
    assert rows(one)[0]["status"] == "completed"
    assert [event["n"] for event in events(one)] == [1, 2, 3, 4, 5]


# --- room ---


async def many(one: Bench, count: int) -> None:
    for n in range(count):
        await one.run(f"Task {n}", "ask")
        one.host.clock.advance(10)


async def test_the_oldest_recordings_make_room_and_the_user_is_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = bench(*[DONE] * 8)
    await many(one, 2)
    size = max(row["chars"] for row in rows(one))
    monkeypatch.setattr(traces, "ALL_CHARS", 4 * size)
    await many(one, 6)
    kept = [row["userMessage"] for row in rows(one)]
    assert kept == [f"Task {n}" for n in range(2, 6)][-len(kept) :]
    assert 2 <= len(kept) <= 4
    assert {key[0] for key in one.host.tables.data["events"]} == {row["runId"] for row in rows(one)}
    warned = [event for event in one.events("warning") if event["data"]["code"] == "traces_dropped"]
    assert len(warned) == 1
    # The next session of the browser tells it anew.
    later = bench(*[DONE] * 3, host=one.host.successor(keep_session=False))
    await many(later, 3)
    assert len([e for e in later.events("warning") if e["data"]["code"] == "traces_dropped"]) == 1


async def test_a_full_browser_gets_room_from_the_oldest() -> None:
    one = bench(*[DONE] * 3)
    await many(one, 2)
    oldest = rows(one)[0]["runId"]

    def full(name: str) -> None:
        if name == "table.put":
            one.host.tables.fail = FULL
        if name == "table.delete":
            one.host.tables.fail = None
            one.host.hook = None

    one.host.hook = full
    told = await one.run("One more", "ask")
    assert [row["userMessage"] for row in rows(one)] == ["One more"]
    assert oldest not in [row["runId"] for row in rows(one)]
    assert "traces_dropped" in [event["data"].get("code") for event in told]


async def test_a_full_browser_with_nothing_to_delete_ends_the_recording_with_a_word() -> None:
    one = bench(*reads(3), DONE)
    one.host.tables.fail = FULL
    told = await one.run("Look", "ask")
    codes = [event["data"]["code"] for event in told if event["type"] == "warning"]
    assert codes == ["trace_stopped"]
    assert told[-1]["data"]["status"] == "completed"


NOTICE_MS = 2_000
"""What somebody waits at most for the word that a recording has ended."""


async def _told_after_ms() -> int:
    """How long after the disk became full, in the middle of a run, the user hears of it."""
    one = bench(READS, Gate(), DONE)
    full_at = 0.0

    def full(name: str) -> None:
        nonlocal full_at
        if name == "table.put" and one.host.tables.data.get("runs") and not full_at:
            full_at = one.host.clock.now() * 1000
            one.host.tables.fail = FULL

    one.host.hook = full
    await one.start("Look", "ask")
    await one.until("warning", lambda data: data["code"] == "trace_stopped")
    (told,) = [event for event in one.events("warning") if event["data"]["code"] == "trace_stopped"]
    await one.stop()
    return int(told["at"] - full_at)


@pytest.fixture
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory clock moves on with whoever sleeps: the mirror's pause would be counted as well."""
    monkeypatch.setattr(conversations, "MIRROR_PERIOD", 0.0)


@pytest.mark.usefixtures("no_mirror")
async def test_the_word_that_the_disk_is_full_comes_at_once() -> None:
    assert await _told_after_ms() < NOTICE_MS


@pytest.mark.usefixtures("no_mirror")
async def test_asking_a_full_disk_again_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the one before."""
    monkeypatch.setattr(recording_writer, "is_full", lambda error: False)
    assert await _told_after_ms() > NOTICE_MS


async def test_one_recording_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_writer, "RUN_CHARS", 40_000)
    one = bench(*reads(12), DONE)
    text = "A page. " * 1_000
    one.host.page.on("read_page", {"text": text, "originalLength": len(text)})
    await one.run("Look", "ask")
    (row,) = rows(one)
    assert row["cutOff"]
    assert row["chars"] <= 40_000
    assert (row["status"], row["stepCount"]) == ("completed", 13)


# --- what screens ask ---


async def test_lists_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "LIST_PAGE", 2)
    one = bench(*[DONE] * 5)
    await many(one, 5)
    first = await ask(one, "traces.list")
    assert ([run["userMessage"] for run in first["runs"]], first["more"]) == (["Task 4", "Task 3"], True)
    last = first["runs"][-1]
    second = await ask(one, "traces.list", before={"time": last["startedAt"], "id": last["runId"]})
    assert [run["userMessage"] for run in second["runs"]] == ["Task 2", "Task 1"]
    assert first["total"]["runs"] == 5
    assert first["total"]["chars"] == sum(row["chars"] for row in rows(one))


async def test_events_come_in_parts_with_long_texts_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "EVENT_PAGE", 2)
    one = bench(READS, DONE)
    one.host.page.on("read_page", {"text": "w" * 6_000, "originalLength": 6_000})
    await one.run("Look", "ask")
    run_id = rows(one)[0]["runId"]
    numbers, after = [], 0
    while True:
        part = await ask(one, "traces.read", runId=run_id, after=after)
        numbers += [event["n"] for event in part["events"]]
        assert all(len(text) <= 4_001 for text in texts(part["events"]))
        if not part["more"]:
            break
        after = numbers[-1]
    assert numbers == [1, 2, 3, 4, 5]


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in texts(item)]


async def test_one_recording_or_all_are_deleted() -> None:
    one = bench(*[DONE] * 3)
    await many(one, 3)
    gone = rows(one)[1]["runId"]
    await ask(one, "traces.delete", runId=gone)
    assert [row["userMessage"] for row in rows(one)] == ["Task 0", "Task 2"]
    assert gone not in {key[0] for key in one.host.tables.data["events"]}
    with pytest.raises(WebBrainError) as caught:
        await ask(one, "traces.read", runId=gone)
    assert caught.value.code == "trace_gone"
    await ask(one, "traces.delete", all=True)
    assert rows(one) == events(one) == []
    for params in ({}, {"runId": "x", "all": True}):
        with pytest.raises(WebBrainError):
            await ask(one, "traces.delete", **params)


async def test_a_recording_that_is_deleted_while_it_is_made_stays_gone() -> None:
    one = bench(call("read_page"), DONE)
    gate = one.host.page.block("read_page")
    await one.start("Look", "ask")
    await gate.reached()
    await until_stored(one)
    await ask(one, "traces.delete", all=True)
    gate.release()
    await one.end()
    assert one.last("run_complete")["status"] == "completed"
    assert rows(one) == events(one) == []
    assert "warning" not in types(one.events())


# --- files ---


async def exported(one: Bench, run_id: str, form: str) -> tuple[str, str]:
    text, after = "", 0
    while True:
        part = await ask(one, "traces.export", runId=run_id, format=form, after=after)
        text += part["text"]
        if part["next"] is None:
            return part["filename"], text
        after = part["next"]


@pytest.mark.parametrize("page", [1, 2, 100])
async def test_the_json_file(monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(traces, "EXPORT_PAGE", page)
    one = bench(READS, DONE)
    await one.run("Look", "ask")
    run_id = rows(one)[0]["runId"]
    name, text = await exported(one, run_id, "json")
    file = json.loads(text)
    assert name == f"webbrain-trace-{run_id}.json"
    assert (file["schema"], file["exportedByWebBrainVersion"]) == ("webbrain-trace/1", "0.1.0")
    assert file["recordedByWebBrainVersion"] == "0.1.0"
    assert file["run"]["userMessage"] == "Look"
    assert [event["n"] for event in file["events"]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("page", [1, 100])
async def test_the_markdown_file(monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(traces, "EXPORT_PAGE", page)
    one = bench(call("read_page", offset=0), DONE)
    one.host.page.on("read_page", {"text": "``` # Not a heading " + "w" * 5_000, "originalLength": 5_020})
    await one.run("Look at *this*", "ask")
    name, text = await exported(one, rows(one)[0]["runId"], "markdown")
    assert name.endswith(".md")
    assert "Look at *this*" in text
    assert "- Recorded by WebBrain: 0.1.0" in text
    assert re.findall(r"^## (?:\d+\. )(.*)", text, re.MULTILINE) == [
        "Request to script-1",
        "Answer",
        "Tool read\\_page",
        "Request to script-1",
        "Answer",
    ]
    assert "## Answer\n\nIt costs 4 euros." in text
    tool = text[text.index("Tool read") : text.index("## 4.")]
    blocks = tool.split("````\n")
    assert len(blocks[1]) <= 600 + len("… (5000 characters)\n") + 1
    assert "w" * 500 in tool
    assert "w" * 601 not in tool


async def test_a_recording_of_an_older_build_says_what_it_does_not_know() -> None:
    one = bench()
    one.host.tables.data["runs"] = {("old", None): {"startedAt": 1_700_000_000_000, "userMessage": "Hello"}}
    (run,) = (await ask(one, "traces.list"))["runs"]
    assert run["legacy"]
    _, text = await exported(one, "old", "markdown")
    assert "- Recorded by WebBrain: unavailable" in text
    assert "- Model: unavailable" in text
    _, text = await exported(one, "old", "json")
    assert json.loads(text)["recordedByWebBrainVersion"] == "unavailable"
    assert json.loads(text)["events"] == []


async def test_a_key_entered_after_the_run_is_not_in_its_file() -> None:
    one = bench("The old note says Blue-Whale-2031 here.")
    await one.run("Look", "ask")
    one.host.settings.values["providers"] = {"openai": {"apiKey": "Blue-Whale-2031"}}
    for form in ("markdown", "json"):
        _, text = await exported(one, rows(one)[0]["runId"], form)
        assert "Blue-Whale-2031" not in text
        assert "The old note says" in text
