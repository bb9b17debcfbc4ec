"""What a run says in the model's or the user's place, and what it reads off the record of earlier ones."""

from collections.abc import Iterable
from typing import Final

from webbrain.agent import enrich
from webbrain.agent.journal import Journal
from webbrain.agent.tally import Status
from webbrain.core.errors import BridgeError, CostLimit, ProviderFailed, WebBrainError
from webbrain.core.events import RunError, RunEvent
from webbrain.core.ids import new_id
from webbrain.core.limits import LAST_ERROR_CHARS, MALFORMED_REPLIES_IN_A_ROW
from webbrain.core.messages import ToolCall

ENDINGS: Final[dict[Status, str]] = {
    "completed": "(Done.)",
    "stopped": "(The user stopped me here.)",
    "failed": "(An error ended this here.)",
    "max_steps": "(I reached the step limit here.)",
    "cost_limit": "(The user's spending allowance was used up here.)",
}
"""What stands in the model's place where a run ended before it could say anything."""

CONTINUE: Final = (
    "The user allows more steps. Go on with the task from where you are; do not repeat what is done."
)
GO_ON: Final = (
    "You were interrupted in the middle of this task and go on with it now. Look first: the page may have "
    "changed. Do not repeat what is done."
)
GO_ON_UNKNOWN: Final = (
    " Of your last action it is not known whether it happened: find out, and do it again only if you see "
    "that it did not."
)
RESUMED_WORDS: Final = "WebBrain had to restart in the middle of this task and goes on with it by itself."
EMPTY: Final = "Your answer was empty. Go on with the task, or give the answer for the user."
WITHOUT_SCHEMA: Final = (
    "This run goes on with its own tool calls. Set constrained calls to Never in the settings to save "
    "the try."
)
API_ALLOWED: Final = (
    "The user now allows requests that change data: fetch_url may use POST, PUT, PATCH and DELETE in this "
    "conversation. Each is shown to the user first. Prefer the page's own controls where they will do."
)
NOT_STORED: Final = (
    "journal_failed",
    "This conversation cannot be stored right now: the disk or the browser's storage is full, or refuses. "
    "It goes on, but what comes now may be lost.",
)
"""Code and words of a warning, as ``STORED``."""
STORED: Final = ("journal_stored", "This conversation is stored again, with nothing missing.")
TAB_CLOSED: Final = "The tab of this task was closed, so the task ended."
UNREADABLE: Final = "Your answer could not be used: {reason}"


class RunEnded(WebBrainError):
    """Ends the run as failed, with a reason for the person."""

    def __init__(self, message: str, *, code: str, retryable: bool = True) -> None:
        super().__init__(message, code=code)
        self.retryable = retryable


class TabClosed(RunEnded):
    """The run has no tab any more. There is nothing to try again with."""

    def __init__(self) -> None:
        super().__init__(TAB_CLOSED, code="no_tab", retryable=False)


def failure(error: Exception) -> RunError:
    """What the person is told of the error that ended a run."""
    detail, retryable = "", True
    if isinstance(error, BridgeError) and error.code == "no_tab":
        error = TabClosed()
    match error:
        case CostLimit():
            # Not retryable: the run is continued once the allowance has room again.
            detail, retryable = str(error.data.get("hint", "")), False
        case ProviderFailed():
            detail = "\n\n".join(filter(None, (str(error.data.get(key, "")) for key in ("hint", "detail"))))
        case RunEnded():
            retryable = error.retryable
    if isinstance(error, WebBrainError):
        code, message = error.code, error.message
    else:
        code, message, detail = "internal_error", "Something went wrong inside WebBrain.", repr(error)
    return RunError(
        code=code,
        message=message[:LAST_ERROR_CHARS],
        detail=detail[:LAST_ERROR_CHARS],
        retryable=retryable,
    )


def last_request(journal: Journal) -> tuple[int, str]:
    """Where the history holds what a Continue goes on with, and the user's own words for it."""
    place = next(
        (
            index
            for index, message in reversed(list(enumerate(journal.messages)))
            if message.role == "user" and not message.content.startswith(enrich.NOTE)
        ),
        0,
    )
    words = next(
        (
            str(event.data["text"])
            for event in reversed(journal.events)
            if event.type == "user_message" and not event.data["continued"]
        ),
        "",
    )
    return place, words


def spent_in(events: Iterable[RunEvent]) -> float | None:
    """Dollars that the finished runs among these events cost; ``None`` if none of them cost anything."""
    costs = [event.data.get("costUsd") for event in events if event.type == "run_complete"]
    paid = [cost for cost in costs if cost is not None]
    return sum(paid) if paid else None


def with_own_ids(calls: Iterable[ToolCall], journal: Journal) -> tuple[ToolCall, ...]:
    """Give calls without an id, or with one that was used before, an id of their own."""
    seen: set[str] = set()
    out = []
    for call in calls:
        if not call.id or call.id in seen or journal.knows_call(call.id):
            call = call.model_copy(update={"id": new_id("call")})
        seen.add(call.id)
        out.append(call)
    return tuple(out)


def one_more_malformed(so_far: int) -> int:
    """How many unusable answers came in a row; raise ``RunEnded`` once they are too many."""
    if so_far + 1 >= MALFORMED_REPLIES_IN_A_ROW:
        raise RunEnded(
            f"The model gave {MALFORMED_REPLIES_IN_A_ROW} unusable answers in a row. "
            "A larger model may do better.",
            code="malformed_output",
        )
    return so_far + 1
