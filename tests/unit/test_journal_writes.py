"""Records go to the store some at a time, and none of them late."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import ANSWERS, page_host
from webbrain.agent import journal as journals
from webbrain.agent.journal import Journal
from webbrain.host.memory import MemoryHost
from webbrain.testing.scripted import ScriptedModel, call

READS = 4


class Writes:
    """What was given to the store of a host, write by write, before it answers."""

    def __init__(self, host: MemoryHost) -> None:
        self.given: list[list[str]] = []
        append = host.store.append

        async def noted(stream: str, records: Sequence[Mapping[str, Any]]) -> int:
            if stream.startswith("conv"):
                self.given.append([_name(record) for record in records])
            return await append(stream, records)

        host.store.append = noted  # type: ignore[method-assign]

    @property
    def names(self) -> list[str]:
        """All of them, in order."""
        return [name for write in self.given for name in write]


def _name(record: Mapping[str, Any]) -> str:
    match record["kind"]:
        case "event":
            return str(record["event"]["type"])
        case "message":
            return str(record["message"]["role"])
        case kind:
            return str(kind)


async def test_a_step_that_reads_takes_two_writes() -> None:
    host = page_host()
    writes = Writes(host)
    await Bench(*[call("get_accessibility_tree")] * READS, "Tea.", host=host).run("What?", "ask")
    before = [write for write in writes.given if "tool_call" in write]
    after = [write for write in writes.given if "tool_result" in write]
    assert before == [["assistant", "tool_call"]] * READS
    assert after == [["held", "tool_result", "tool", "thinking"]] * READS


@pytest.mark.parametrize("flushes", [True, False])
async def test_a_tool_or_a_request_begins_after_what_was_before_it(
    flushes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python may hang in either. Without the flush before them that would be lost: the control."""
    if not flushes:
        monkeypatch.setattr(Journal, "flush", lambda self: None)
        monkeypatch.setattr(journals, "WRITE_PERIOD", 60.0)
    host = page_host()
    writes = Writes(host)
    seen: list[bool] = []

    def tree(_: Any) -> dict[str, Any]:
        seen.append("tool_call" in writes.names)
        return ANSWERS["tree"]

    def answer(_: Any) -> str:
        seen.append("tool_result" in writes.names)
        return "Tea."

    host.page.on("tree", tree)
    await Bench(model=ScriptedModel(call("get_accessibility_tree"), answer), host=host).run("What?", "ask")
    assert seen == [flushes] * 2


async def test_nothing_waits_for_long() -> None:
    host = page_host()
    writes = Writes(host)
    bench = Bench(host=host)
    conversation = await bench.app.conversations.of(7)
    conversation.journal.write({"kind": "else"})
    async with asyncio.timeout(10):
        while "else" not in writes.names:
            await asyncio.sleep(0.001)
