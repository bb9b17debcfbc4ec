"""What a death left open in a journal, and how it is closed: honestly, and without doing anything twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webbrain.agent.calls import UNKNOWN
from webbrain.agent.cards import WITHDRAWN
from webbrain.agent.journal import Journal
from webbrain.agent.telling import cut, error_text
from webbrain.core.errors import OutcomeUnknown
from webbrain.core.events import CardResolved, PlanResolved, RunComplete, RunEvent, Text, ToolCallFinished
from webbrain.core.limits import UI_RESULT_CHARS
from webbrain.core.messages import Message

INTERRUPTED: Final = "The extension was interrupted before this was finished."
ENDING: Final = "(I was interrupted here.)"
LOST: Final = "This was finished, but the extension was interrupted and the result is lost."
ASIDE: Final = frozenset({"queued_message", "queued_removed"})
"""Events that come between others and belong to no run."""
NEVER_STARTED: Final = "The extension was interrupted before this was started."
RESUMED: Final = "resumed"
"""Code of the warning with which a run begins that goes on by itself after a death."""
READS_ONLY: Final = "plan_failed"
"""Code of the warning that a run without a plan may only read."""
CARRIED_OUT: Final = ("approved", "edited")
"""What a person may say to a plan so that it is carried out."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A run that was cut off by a death and is closed now."""

    run_id: str
    resumes: bool
    """Whether it may go on without anybody's word: only what a person has let go on, and only once."""


def interrupt(journal: Journal, run_id: str) -> Interrupted | None:
    """Close a run that was going on when Python died; ``None`` if it had ended, and is left alone.

    Calls that had started get an unknown outcome if they may have changed something; partial text is kept.
    """
    events = [event for event in journal.events if event.run_id == run_id]
    if not events or any(event.type == "run_complete" for event in events):
        mend(journal)
        return None
    resumes = _may_resume(events)
    journal.begin(run_id, events[0].request_id)
    finished = {event.data["callId"] for event in events if event.type == "tool_result"}
    started = [
        event for event in events if event.type == "tool_call" and event.data["callId"] not in finished
    ]
    reasons = {}
    for event in started:
        unknown = event.seq in journal.effects
        text = UNKNOWN if unknown else INTERRUPTED
        result = error_text(text, OutcomeUnknown.code if unknown else "interrupted")
        reasons[event.data["callId"]] = result
        journal.emit(
            ToolCallFinished(
                call_id=event.data["callId"],
                name=event.data["name"],
                ok=False,
                summary="interrupted",
                result=cut(result, UI_RESULT_CHARS),
                duration_ms=0,
                unknown=unknown,
            )
        )
    if run_id not in journal.spoken and events[0].data.get("text"):
        journal.add(Message(role="user", content=str(events[0].data["text"])))
    for call in journal.orphans():
        # What screens got of a finished call's result is not wrapped for a model, so it is not used here.
        default = error_text(LOST if call.id in finished else NEVER_STARTED, "interrupted")
        journal.answer_orphan(call, reasons.get(call.id, default))
    _keep_partial_text(journal, run_id)
    journal.round_off(ENDING)
    resolved = {event.data["cardId"] for event in events if event.type == "card_resolved"}
    for event in events:
        if event.type == "clarify" and event.data["cardId"] not in resolved:
            journal.emit(CardResolved(card_id=event.data["cardId"], answer=WITHDRAWN))
    settled = {event.data["planId"] for event in events if event.type == "plan_resolved"}
    for event in events:
        if event.type == "plan_review" and event.data["planId"] not in settled:
            journal.emit(PlanResolved(plan_id=event.data["planId"], decision="withdrawn"))
    steps = max((event.data["step"] for event in events if event.type == "thinking"), default=0)
    journal.emit(
        RunComplete(status="interrupted", steps=steps, duration_ms=round(events[-1].at - events[0].at))
    )
    return Interrupted(run_id, resumes)


def was_interrupted(journal: Journal) -> bool:
    """Whether the newest run that ended was cut off."""
    ends = (event for event in reversed(journal.events) if event.type == "run_complete")
    newest = next(ends, None)
    return newest is not None and newest.data["status"] == "interrupted"


def _may_resume(events: Sequence[RunEvent]) -> bool:
    """Whether a run may go on by itself: not twice, not with a plan that nobody has agreed to, and not if it
    was held to reading, which a new run would not know."""
    codes = {event.data["code"] for event in events if event.type == "warning"}
    shown = {event.data["planId"] for event in events if event.type == "plan_review"}
    agreed = {
        event.data["planId"]
        for event in events
        if event.type == "plan_resolved" and event.data["decision"] in CARRIED_OUT
    }
    return not codes & {RESUMED, READS_ONLY} and shown <= agreed


def mend(journal: Journal) -> None:
    """Give every call without a result one, so that the history can be sent to a model again."""
    for call in journal.orphans():
        journal.answer_orphan(call, error_text(INTERRUPTED, "interrupted"))
    journal.round_off(ENDING)


def _keep_partial_text(journal: Journal, run_id: str) -> None:
    """If the last thing on the screen was streaming text, make it an answer that the model remembers too."""
    streamed: list[str] = []
    for event in reversed(journal.events):
        if event.type in ASIDE:
            continue
        if event.run_id != run_id or event.type != "text_delta":
            break
        streamed.append(str(event.data["delta"]))
    text = "".join(reversed(streamed)).strip()
    if text:
        journal.add(Message(role="assistant", content=text))
        journal.emit(Text(content=text, final=True))
