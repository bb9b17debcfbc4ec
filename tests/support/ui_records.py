"""Recordings of runs as the settings page gets them."""

from typing import Any

from tests.support.ui_runs import PICTURE
from tests.support.ui_state import State

START = 1_796_000_000_000
MINUTE = 60_000


def row(run_id: str, text: str, **change: Any) -> dict[str, Any]:
    """A run as it is listed."""
    return {
        "runId": run_id,
        "conversationId": "conv_1",
        "startedAt": START,
        "endedAt": START + 92_000,
        "durationMs": 92_000,
        "status": "completed",
        "outcome": "success",
        "userMessage": text,
        "continued": False,
        "finalContent": "The Fjell in medium is in the basket.",
        "model": "claude-sonnet-5",
        "providerLabel": "Anthropic Claude",
        "tabUrl": "https://shop.example/rain-jackets",
        "tabTitle": "Rain jackets - Field & Fjord",
        "mode": "act",
        "stepCount": 9,
        "promptTokens": 48_200,
        "completionTokens": 1_840,
        "totalCost": 0.0413,
        "costEstimated": False,
        "chars": 3_400_000,
        "cutOff": False,
        "recordingVersion": "0.1.0",
        "legacy": False,
        **change,
    }


RUNS = [
    row("run_5", "Put the cheapest rain jacket in medium into the basket"),
    row("run_4", "", continued=True, status="interrupted", endedAt=None, durationMs=None, stepCount=3),
    row("run_3", "What does the returns policy say about worn shoes?", status="failed", totalCost=None),
    row(
        "run_2",
        "Compare the three tents and write me a table of weight, price and season",
        status="max_steps",
    ),
    row("run_1", "Find the opening hours", legacy=True, status="", model="", stepCount=0, durationMs=None),
]
TOTAL = {"runs": 5, "chars": 34_000_000, "limit": 300_000_000}


def event(n: int, kind: str, step: int, data: dict[str, Any]) -> dict[str, Any]:
    return {"n": n, "at": START + n * 2_300, "type": kind, "step": step, "data": data}


CALL = {"id": "call_1", "name": "click_ax", "arguments": '{"ref_id": "ref_12"}'}
EVENTS = [
    event(
        1,
        "llm_request",
        1,
        {
            "model": "claude-sonnet-5",
            "provider": "anthropic",
            "messagesBefore": 0,
            "messages": [
                {"role": "system", "content": "You work in the user's browser."},
                {"role": "user", "content": RUNS[0]["userMessage"], "images": 1},
            ],
            "tools": ["get_accessibility_tree", "click_ax", "done"],
        },
    ),
    event(2, "screenshot", 1, {"reason": "first", "width": 640, "height": 400, "description": ""}),
    event(
        3,
        "llm_response",
        1,
        {
            "model": "claude-sonnet-5",
            "text": "I press the size first.",
            "reasoning": "The cheapest one is the Fjell.",
            "toolCalls": [CALL],
            "usage": {"promptTokens": 5_200, "completionTokens": 84},
            "durationMs": 1_840,
        },
    ),
    event(
        4,
        "tool",
        1,
        {
            "callId": "call_1",
            "name": "click_ax",
            "label": "Press “Medium”",
            "args": '{"ref_id": "ref_12"}',
            "state": "done",
            "ok": True,
            "unknown": False,
            "summary": "Medium is chosen.",
            "result": '{"success": true, "changed": ["radio Medium: checked"]}',
            "durationMs": 61,
        },
    ),
    event(
        5,
        "tool",
        2,
        {
            "callId": "call_2",
            "name": "read_page",
            "label": "Read the page",
            "args": "{}",
            "state": "done",
            "ok": False,
            "unknown": False,
            "summary": "The page did not answer in time.",
            "result": {"_truncated": True, "length": 48_210, "head": '{"success": false'},
            "durationMs": 10_000,
        },
    ),
    event(6, "note", 3, {"what": "warning", "code": "answer_cut", "message": "The answer was cut."}),
    event(
        7,
        "error",
        3,
        {"where": "model", "code": "overloaded", "message": "The service is overloaded.", "detail": ""},
    ),
]
LISTED = {"traces.list": {"runs": RUNS, "more": True, "total": TOTAL}}
OPENED = {
    "traces.read": {"run": RUNS[0], "events": EVENTS, "more": False},
    "traces.shot": {"dataUrl": PICTURE},
}
FILE = {"filename": "webbrain-trace-run_5.md", "text": "# Run run_5\n", "next": None}


def record_states() -> dict[str, State]:
    """The states of the screen."""
    old = {"traces.read": {"run": RUNS[-1], "events": [], "more": False}}
    return {
        "settings-records": State(
            "settings",
            {**LISTED, "debuglog.get": {"text": "WebBrain: the last 2 of 2 model calls"}},
            anchor="#records",
            ready=".records",
        ),
        "settings-records-none": State("settings", anchor="#records", ready=".records-none"),
        "settings-records-delete": State(
            "settings",
            LISTED,
            anchor="#records",
            ready=".records",
            actions=[("click", "[data-action=delete-records]"), ("wait", "[data-action=delete-records-yes]")],
        ),
        "settings-recording": State(
            "settings",
            {**OPENED, "traces.export": FILE},
            anchor="#records/run_5",
            ready=".shot img",
            actions=[("click", "[data-event=tool] summary")],
        ),
        "settings-recording-old": State("settings", old, anchor="#records/run_1", ready=".recording .help"),
        "settings-recording-gone": State(
            "settings",
            {"traces.read": {"fails": {"code": "trace_gone", "message": "This recording is gone."}}},
            anchor="#records/run_9",
            ready="[role=alert]",
        ),
    }
