"""What the checks of stored records find. A check that finds nothing anywhere would prove nothing."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.e2e.kill.records import faults
from webbrain.core.events import (
    NAMES,
    Event,
    RunComplete,
    RunEvent,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from webbrain.services.interrupted import OPEN_RUNS

Records = list[Any]

OVER: Final = RunComplete(status="completed", steps=1)


def event(seq: int, event: Event) -> dict[str, Any]:
    """A stored event."""
    told = RunEvent(
        tab_id=1,
        conversation_id="conv_1",
        run_id="run_1",
        request_id="r",
        seq=seq,
        type=NAMES[type(event)],
        at=0,
        data=event.model_dump(mode="json", by_alias=True),
    )
    return {"kind": "event", "event": told.model_dump(mode="json", by_alias=True)}


def message(number: int, role: str, **fields: Any) -> dict[str, Any]:
    """A stored message."""
    return {
        "kind": "message",
        "n": number,
        "runId": "run_1",
        "message": {"role": role, "content": "", **fields},
    }


def whole() -> Records:
    """A conversation with one call, as it is stored."""
    asked = UserMessage(text="Go.", mode="act")
    made = ToolCallStarted(call_id="c1", name="click_ax", label="Click", args="{}", step=1)
    came = ToolCallFinished(call_id="c1", name="click_ax", ok=True, summary="", result="", duration_ms=1)
    calls = [{"id": "c1", "name": "click_ax", "arguments": "{}"}]
    return [
        {"kind": "open", "tabId": 1, "at": 0},
        event(1, asked),
        message(1, "user"),
        message(2, "assistant", tool_calls=calls),
        event(2, made),
        event(5, came),
        message(3, "tool", tool_call_id="c1", name="click_ax"),
        event(6, OVER),
    ]


def found(records: Records, **streams: Records) -> list[str]:
    """The faults of a conversation, and of other streams."""
    everything = {"conv_1": records, **streams}
    return faults({name: list(enumerate(one, 1)) for name, one in everything.items()})


def test_a_whole_conversation_has_no_fault() -> None:
    assert found(whole()) == []


def test_a_record_that_was_written_twice_is_no_fault() -> None:
    records = whole()
    assert found([*records[:4], records[3], records[4], records[4], *records[5:]]) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda r: r.pop(5), "c1 has 1 tool_call and 0 tool_result"),
        (lambda r: r.pop(4), "c1 has 0 tool_call and 1 tool_result"),
        (lambda r: r.pop(7), "run_1 has 1 user_message and 0 run_complete"),
        (lambda r: r.append(event(7, OVER)), "and 2 run_complete"),
        (lambda r: r.pop(6), "calls in the messages: {'c1': 1}, answers: {}"),
        (lambda r: r.append(message(4, "tool", tool_call_id="c1", name="click_ax")), "answers: {'c1': 2}"),
        (lambda r: r.pop(2), "the messages are numbered [2, 3]"),
        (lambda r: r[5]["event"].update(seq=1), "there are two events 1"),
        (lambda r: r.append(r.pop(4)), "comes after 6"),
        (lambda r: r[5]["event"].pop("runId"), "is no event"),
        (lambda r: r[3].update(message={}), "is no message"),
        (lambda r: r[0].pop("kind"), "has no kind"),
    ],
)
def test_a_fault_is_found(change: Callable[[Records], object], fault: str) -> None:
    records = whole()
    change(records)
    faults = found(records)
    assert any(fault in one for one in faults), faults


def test_a_gap_between_records_is_found() -> None:
    assert "are numbered [1, 3]" in faults({"other": [(1, {}), (3, {})]})[0]


def test_a_run_left_on_the_list_is_found() -> None:
    begun = {"open": True, "runId": "run_1", "conversationId": "conv_1", "tabId": 1}
    assert found(whole(), **{OPEN_RUNS: [begun, {"open": False, "runId": "run_1"}]}) == []
    assert "run_1" in found(whole(), **{OPEN_RUNS: [begun]})[0]
