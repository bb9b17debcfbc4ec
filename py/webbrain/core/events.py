"""The closed set of things a run can say.

The journal stores them, the panel draws them, traces record them. On the wire an event is ``RunEvent``:
``{tabId, conversationId, runId, requestId, seq, type, at, data}``. ``seq`` grows by one per conversation.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Camel(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class AttachedFile(_Camel):
    """A file that a person attached. ``picture_id`` is there for a picture: screens fetch it by that."""

    name: str
    media_type: str
    bytes: int
    picture_id: str = ""


class UserMessage(_Camel):
    """What the person typed. ``continued`` marks a trusted Continue, which carries no text."""

    text: str
    mode: Literal["ask", "act", "dev"]
    continued: bool = False
    files: list[AttachedFile] = Field(default_factory=list)


class AttachmentRejected(_Camel):
    """A file keeps a request from becoming a run. Told and not recorded: ``run_id`` is empty, ``seq`` that of
    the newest event. ``index`` is the file's place among those of the request."""

    name: str
    reason: str
    code: str
    index: int


class QueuedMessage(_Camel):
    """What the person typed while a run was going on: it waits in the place its coming gives it, also where
    it waited before. ``held``: it is not sent by itself. A run whose request has this ``id`` is the message
    being sent."""

    id: str
    text: str
    mode: Literal["ask", "act", "dev"]
    held: bool = False


class QueuedRemoved(_Camel):
    """The person took a message out that waited."""

    id: str


class Thinking(_Camel):
    """A model call began; ``step`` counts from 1. Step 0, with the note ``plan``, is the making of a plan."""

    step: int
    note: str = ""


class Waiting(_Camel):
    """The model service refused for now and is asked again, for the ``attempt``-th time, at ``until``
    (milliseconds since 1970)."""

    code: str
    message: str
    seconds: float
    until: float
    attempt: int


RowStatus = Literal["pending", "acted", "processed", "skipped", "failed"]


class Undone(_Camel):
    """Something of the task that is not done, or (``unknown``) of which nobody knows whether it is. ``more``
    stands for ``count`` others."""

    label: str
    status: Literal["pending", "acted", "skipped", "failed", "unknown", "more"]
    reason: str = ""
    count: int = 0


class Text(_Camel):
    """Assistant text, whole. ``replace`` drops what deltas of this step showed before. ``undone`` stands with
    the answer that ends a run, and comes from the record, not from the model's words."""

    content: str
    replace: bool = True
    final: bool = False
    undone: list[Undone] = Field(default_factory=list)


class ProgressRow(_Camel):
    """An item of a task. ``label`` and ``reason`` are words of the model, perhaps of a page."""

    id: str
    label: str
    status: RowStatus
    reason: str = ""


class Progress(_Camel):
    """Rows of the run's list of items are new or different; the others stay as they were told before.
    ``session`` names the list: a run may go on with that of an earlier one."""

    session: str
    rows: list[ProgressRow]


class TextDelta(_Camel):
    """A piece of streamed assistant text (Ask only)."""

    delta: str


class ToolCallStarted(_Camel):
    """A tool is about to run. ``label`` is a sentence for people, ``args`` is JSON text, capped."""

    call_id: str
    name: str
    label: str
    args: str
    step: int


class ToolCallFinished(_Camel):
    """A tool call has its result. ``result`` is JSON text, capped; ``unknown`` marks an unknown outcome."""

    call_id: str
    name: str
    ok: bool
    summary: str
    result: str
    duration_ms: int
    unknown: bool = False


class CardField(_Camel):
    """A line of a card: what will be sent. Secret values are masked before they get here."""

    label: str
    value: str
    masked: bool = False


class CardOption(_Camel):
    """A button of a card. ``code`` names its words, for screens of other languages."""

    id: str
    label: str
    code: str = ""
    style: Literal["primary", "secondary", "danger"] = "secondary"


class Card(_Camel):
    """A question only a person answers; any reply but its yes means no. Permission and submit cards never
    time out and take no free text. A ``clarify`` card may: after ``seconds`` (0: never) its first option is
    taken.
    """

    card_id: str
    kind: Literal["submit", "clarify", "permission"]
    title: str
    question: str
    host: str = ""
    origin: str = ""
    """``host`` as people may be shown it: encoded where its letters could pass for another's."""
    ask: str = ""
    """What is asked (``policy.asking.Ask``), by which screens find their own words for ``title`` and
    ``question``, with ``params`` in the places of both and a sentence more for each of ``warnings``."""
    params: dict[str, str] = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)
    details: list[CardField] = Field(default_factory=list)
    """What would be done, in exact values. ``fields`` are those of a form."""
    fields: list[CardField] = Field(default_factory=list)
    options: list[CardOption]
    seconds: int = 0
    free_text: bool = False


class CardResolved(_Camel):
    """A card was answered or withdrawn (``answer`` is then ``cancelled``). ``answer`` ``text`` is one in the
    person's own words; ``source`` says of a ``clarify`` card who answered."""

    card_id: str
    answer: str
    text: str = ""
    source: Literal["user", "timeout", "auto"] = "user"


PlanDecision = Literal["approved", "edited", "rejected", "expired", "withdrawn"]
"""What became of a plan that a person was shown; only the first two let it be carried out."""


class PlanReview(_Camel):
    """A plan waits for a person until ``expires_at`` (milliseconds since 1970); then it counts as rejected.
    Nothing is done before. ``confidence`` is 0 to 1, ``None`` if the model said none."""

    plan_id: str
    summary: str
    steps: list[str]
    risks: list[str] = Field(default_factory=list)
    confidence: float | None
    markdown: str
    verbose_markdown: str
    expires_at: int


class PlanResolved(_Camel):
    """What became of a plan that was shown."""

    plan_id: str
    decision: PlanDecision


class PlanAutoApproved(_Camel):
    """A plan that nobody had to look at, by the user's settings, is being carried out."""

    plan_id: str
    summary: str
    steps: list[str]
    confidence: float | None


class OpenTab(_Camel):
    """A tab of the browser and where it is."""

    tab_id: int
    url: str


class Warning(_Camel):  # noqa: A001 - the name of the event
    """Something the person should know; the run goes on. ``tabs`` are those it speaks of."""

    code: str
    message: str
    tabs: list[OpenTab] = Field(default_factory=list)


PictureReason = Literal["first", "auto", "fallback", "asked"]
"""Why a picture was taken: a conversation began, an action changed the page, a page had hardly any text, a
tool asked."""


class Picture(_Camel):
    """A picture of the page was taken, and given to the model or described for it (``description``). Screens
    fetch the picture itself by its id."""

    picture_id: str
    reason: PictureReason
    width: int
    height: int
    description: str = ""


class RunError(_Camel):
    """The run ended because of an error. ``retryable`` offers a Retry button."""

    code: str
    message: str
    detail: str = ""
    retryable: bool = True


class ContextCompacted(_Camel):
    """Older messages were folded into a summary; models see ``messages_after`` of ``messages_before``."""

    messages_before: int
    messages_after: int


class MaxSteps(_Camel):
    """The step limit was reached; Continue is offered."""

    steps: int
    recap: str


class RunComplete(_Camel):
    """The run is over. ``status`` says how, ``outcome`` is what ``done`` claimed.

    ``cached_tokens`` are a part of ``prompt_tokens``. Money is US dollars, of this run and of the
    conversation up to its end, ``None`` where nothing that costs money was used.
    """

    status: Literal["completed", "stopped", "failed", "max_steps", "cost_limit", "interrupted"]
    outcome: Literal["success", "partial", "failed", ""] = ""
    steps: int = 0
    duration_ms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    tokens_estimated: bool = False
    cost_usd: float | None = None
    cost_estimated: bool = False
    conversation_cost_usd: float | None = None


EVENTS: dict[str, type[_Camel]] = {
    "user_message": UserMessage,
    "attachment_rejected": AttachmentRejected,
    "queued_message": QueuedMessage,
    "queued_removed": QueuedRemoved,
    "thinking": Thinking,
    "waiting": Waiting,
    "text": Text,
    "text_delta": TextDelta,
    "progress": Progress,
    "tool_call": ToolCallStarted,
    "tool_result": ToolCallFinished,
    "clarify": Card,
    "card_resolved": CardResolved,
    "plan_review": PlanReview,
    "plan_resolved": PlanResolved,
    "plan_auto_approved": PlanAutoApproved,
    "warning": Warning,
    "picture": Picture,
    "error": RunError,
    "context_compacted": ContextCompacted,
    "max_steps_reached": MaxSteps,
    "run_complete": RunComplete,
}
"""Event type on the wire to its model. A type that is not here does not exist."""

NAMES: dict[type[_Camel], str] = {model: name for name, model in EVENTS.items()}

Event = (
    UserMessage
    | AttachmentRejected
    | QueuedMessage
    | QueuedRemoved
    | Thinking
    | Waiting
    | Text
    | TextDelta
    | Progress
    | ToolCallStarted
    | ToolCallFinished
    | Card
    | CardResolved
    | PlanReview
    | PlanResolved
    | PlanAutoApproved
    | Warning
    | Picture
    | RunError
    | ContextCompacted
    | MaxSteps
    | RunComplete
)


class RunEvent(_Camel):
    """An event with its place in a conversation."""

    tab_id: int
    conversation_id: str
    run_id: str
    request_id: str
    seq: int
    type: str
    at: float
    """Milliseconds since 1970."""
    data: dict[str, Any]
