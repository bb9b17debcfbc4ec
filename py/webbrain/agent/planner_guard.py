"""What a run is held to that has a plan: it must have done something before it may say that it is done.

A model that only says what it would do, or claims success without one call that could have brought it about,
is told so, and believed the second or third time only in part. The rules know no tool by name.
"""

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from webbrain.agent.planner_model import Plan
from webbrain.core.results import ToolResult
from webbrain.tools.base import ToolSpec
from webbrain.tools.state import ReadScope

REFUSALS: Final = 2
"""Times that one run's claim of success is refused; after that it is passed on as a part."""

ACT_NOW: Final = (
    "Nothing of the task is done yet; the user wants it carried out, not described. Use the tools now. If it "
    "cannot be done, call done with outcome failed and say why."
)
CALL_DONE: Final = (
    "End with done: its summary is your answer, its outcome says how it went. If parts of the task are still "
    "open, do them first."
)
NO_EVIDENCE: Final = (
    "Not accepted: no call so far brought anything about. Do the task with the tools, then look at the "
    "page. If it was so already or cannot be done, say that in the summary, with outcome partial or failed."
)
NO_CHANGE: Final = (
    "Not accepted: the task is to change something, and no call so far changed anything. Do it, then look "
    "at the page. If it was so already or cannot be done, say that in the summary, with outcome partial or "
    "failed."
)
NO_FILE: Final = (
    "Not accepted: a file was to be saved, and none was. Save it and see that it is complete, or end with "
    "outcome partial or failed."
)
STILL_TO_DO: Final = (
    "Not accepted: the summary says what is still to be done. Do it now, or end with outcome partial and say "
    "plainly what is missing."
)
STEPS_OPEN: Final = (
    "Is every step of the plan done? There were fewer successful calls than steps. Do what is missing; if "
    "all is done, call done again; what cannot be done belongs into the summary, with outcome partial."
)

_TO_COME: Final = re.compile(
    r"""
      \b(?:next|now|then|first),?\s+i\s*(?:will|'ll|am\s+going\s+to|need\s+to|have\s+to|should|must)\b
    | \bi\s*(?:will|'ll|am\s+going\s+to|still\s+(?:need|have)\s+to|plan\s+to)\s+(?:now\s+|then\s+
        |next\s+|also\s+|try\s+to\s+)?(?:click|press|open|fill|type|enter|select|choose|go|navigate|submit|send|search
        |scroll|read|look|check|proceed|continue|complete|place|add|start|begin|order|book|write)\b
    | \b(?:next|remaining)\s+steps?\s*(?::|is|are)
    | \bstill\s+to\s+(?:be\s+done|do)\b
    | \blet\s+me\s+(?:now\s+)?(?:click|open|fill|go|check|look|start|try)\b
    | \b(?:als|im)\s+(?:nächstes|nächsten\s+schritt)\b | \b(?:jetzt|nun|dann|anschließend)\s+werde\s+ich\b
    | \bich\s+werde\s+(?:jetzt|nun|dann|als\s+nächstes)\b
    | \b(?:ensuite|maintenant),?\s+je\s+(?:vais|dois)\b | \bprochaine\s+étape\b
    | \bje\s+vais\s+(?:maintenant|ensuite)\b
    | \b(?:ahora|luego|después)\s+(?:voy\s+a|debo)\b | \bpróximo\s+paso\b | \bsiguiente\s+paso\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words of somebody who has not finished. Other languages than these pass."""
_PLAN_KEYS: Final = re.compile(r'"(?:steps|request_kind|requires_state_change)"\s*:')
_PLAN_HEAD: Final = re.compile(
    r"^\W*(?:here\s+is\s+)?(?:my|the)?\s*(?:plan|approach|strategy)\b\s*(?::|$)", re.IGNORECASE
)


def speaks_of_the_future(text: str) -> bool:
    """Whether a text that is meant to end a task says what comes next, or is a plan."""
    first = text.lstrip().split("\n", 1)[0]
    return bool(_TO_COME.search(text) or _PLAN_KEYS.search(text) or _PLAN_HEAD.match(first))


class Held(BaseModel):
    """What one task is held to and what was done of it, as it is kept over the Worker's death."""

    model_config = ConfigDict(extra="ignore")

    plan: Plan | None = None
    settled: bool = False
    """It is decided how the task goes on, so a Continue is not planned again."""
    nudged: bool = False
    """A plain text was refused."""
    unanswered: bool = False
    """A question of the model's was answered by nobody (``agent.clarify``)."""
    doubted: bool = False
    """A claim of success was passed on as a part."""
    looked: bool = False
    """The model was shown the page without having asked for it."""
    refused: int = 0
    asked_for_rest: bool = False
    calls: int = 0
    changes: int = 0
    files: int = 0


class ExecutionGuard:
    """Watches one task after the other of a conversation, each over a Continue too, and over the Worker's
    death: ``keep`` is given what must be stored for that. Without a plan, or for one of another kind, it asks
    for nothing."""

    def __init__(self) -> None:
        self.keep: Callable[[dict[str, Any]], None] = lambda _: None
        self._held = Held()
        self._kept: dict[str, Any] = {}

    def hold(self, plan: Plan | None, *, settled: bool = False) -> None:
        """A task begins, with this plan; or it goes on with it, once it is ``settled``."""
        self._held = Held(plan=plan, settled=settled, unanswered=settled and self._held.unanswered)
        self._kept = self._counts()
        self.keep(self._held.model_dump(mode="json"))

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on where another Worker was. What cannot be read holds the task to nothing."""
        with contextlib.suppress(ValidationError):
            self._held = Held.model_validate(dict(kept))
            self._kept = self._counts()

    @property
    def plan(self) -> Plan | None:
        """The plan of the task."""
        return self._held.plan

    @property
    def settled(self) -> bool:
        """Whether the task was planned as far as it is to be."""
        return self._held.settled

    @property
    def doubted(self) -> bool:
        """True once a claim of success was passed on as a part."""
        return self._held.doubted

    @property
    def nudged(self) -> bool:
        """True once a plain text was refused."""
        return self._held.nudged

    @property
    def unanswered(self) -> bool:
        """True while a question of the model's was answered by nobody."""
        return self._held.unanswered

    @unanswered.setter
    def unanswered(self, unanswered: bool) -> None:
        self._held.unanswered = unanswered
        self._keep_changes()

    @property
    def watching(self) -> bool:
        """Whether there is anything to hold the run to."""
        return self.plan is not None and self.plan.request_kind == "execute"

    @property
    def read_scope(self) -> ReadScope:
        """How much of the page an answer must rest on."""
        return self.plan.read_scope if self.plan else "none"

    def nudge(self) -> None:
        """A plain text was refused."""
        self._held.nudged = True
        self._keep_changes()

    def looked(self) -> None:
        """The model was shown the page; what it knows from there needs no call of a tool."""
        self._held.looked = True
        self._keep_changes()

    @property
    def wants_file(self) -> bool:
        """Whether the task is done only when a file was saved."""
        return self.watching and self.plan is not None and self.plan.download

    def file_saved(self) -> None:
        """A download of the task is known to be complete."""
        self._held.files = max(self._held.files, 1)
        self._keep_changes()

    def judged(self, spec: ToolSpec, result: ToolResult, *, effect: bool | None = None) -> ToolResult:
        """Take note of a call that was made; return its result, or what stands in for the one that ends the
        run. ``effect`` says whether this very call changed something, where that is not the tool's word."""
        if result.final is not None:
            result = self._judged_end(result)
        elif result.success and not spec.asks and not spec.own_notes:
            self._take_note(result, spec.effect if effect is None else effect)
        self._keep_changes()
        return result

    def _take_note(self, result: ToolResult, effect: bool) -> None:
        held = self._held
        held.calls += 1
        held.changes += effect and _brought_about(result)

    def refuse_text(self, text: str) -> str:
        """What is told to a model that ended in plain text, or an empty string if that is an answer.

        A question about the page may be answered so, once something was looked at.
        """
        plan, held = self.plan, self._held
        if plan is None or not self.watching:
            return ""
        if plan.requires_state_change:
            if held.changes and held.nudged and not speaks_of_the_future(text):
                return ""  # it was told how to end, and has done something: its words count
            return CALL_DONE if held.changes else ACT_NOW
        if not held.calls and not held.looked:
            return ACT_NOW
        return CALL_DONE if speaks_of_the_future(text) and not plan.allows_plan else ""

    def _judged_end(self, result: ToolResult) -> ToolResult:
        problem = self._problem(result)
        if not problem:
            return result
        if self._held.refused < REFUSALS:
            self._held.refused += 1
            return ToolResult.refused(problem, code="blocked_done")
        self._held.doubted = True
        result.outcome = "partial"
        result.data["outcome"] = "partial"
        result.summary = "done, not verified"
        return result

    def _problem(self, result: ToolResult) -> str:
        plan, held = self.plan, self._held
        if plan is None or not self.watching or result.outcome != "success":
            return ""
        if not held.calls and not held.looked:
            return NO_EVIDENCE
        if plan.requires_state_change and not held.changes:
            return NO_CHANGE
        if plan.download and not held.files:
            return NO_FILE
        if not plan.allows_plan and speaks_of_the_future(result.final or ""):
            return STILL_TO_DO
        few = plan.requires_state_change and held.calls + 1 < len(plan.steps)
        if few and not held.asked_for_rest and held.refused < REFUSALS:
            held.asked_for_rest = True
            return STEPS_OPEN
        return ""

    def _counts(self) -> dict[str, Any]:
        return self._held.model_dump(mode="json", exclude={"plan"})

    def _keep_changes(self) -> None:
        now = self._counts()
        news = {key: value for key, value in now.items() if self._kept.get(key) != value}
        if news:
            self._kept = now
            self.keep(news)


def _brought_about(result: ToolResult) -> bool:
    """Whether a call changed something, or saw that it was so already."""
    seen = result.data.get("verified") is True or "checkedAfter" in result.data
    return seen or result.data.get("changed") != ["nothing"]
