"""What a run is held to that has a plan: it must have done something before it may say that it is done.

A model that only says what it would do, or claims success without one call that could have brought it about,
is told so, and believed the second or third time only in part. The rules know no tool by name.
"""

import re
from typing import Final

from webbrain.agent.planner_model import Plan
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
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


class ExecutionGuard:
    """Watches one task after the other of a conversation, each over a Continue too. Without a plan, or for
    one of another kind, it asks for nothing."""

    def __init__(self) -> None:
        self.hold(None)

    def hold(self, plan: Plan | None) -> None:
        """A task begins, with this plan."""
        self.plan = plan
        self.nudged = False
        """True once a plain text was refused."""
        self.unanswered = False
        """True while a question of the model's was answered by nobody (``agent.clarify``)."""
        self.doubted = False
        """True once a claim of success was passed on as a part."""
        self._refused = 0
        self._asked_for_rest = False
        self._calls = 0
        self._changes = 0
        self._files = 0

    @property
    def watching(self) -> bool:
        """Whether there is anything to hold the run to."""
        return self.plan is not None and self.plan.request_kind == "execute"

    @property
    def read_scope(self) -> ReadScope:
        """How much of the page an answer must rest on."""
        return self.plan.read_scope if self.plan else "none"

    def judged(self, spec: ToolSpec, result: ToolResult) -> ToolResult:
        """Take note of a call that was made; return its result, or what stands in for the one that ends the
        run."""
        if result.final is not None:
            return self._judged_end(result)
        if result.success and not spec.asks:
            self._take_note(spec, result)
        return result

    def _take_note(self, spec: ToolSpec, result: ToolResult) -> None:
        self._calls += 1
        self._changes += spec.effect and _brought_about(result)
        self._files += spec.capability is Capability.DOWNLOAD

    def refuse_text(self, text: str) -> str:
        """What is told to a model that ended in plain text, or an empty string if that is an answer.

        A question about the page may be answered so, once something was looked at.
        """
        plan = self.plan
        if plan is None or not self.watching:
            return ""
        if plan.requires_state_change:
            if self._changes and self.nudged and not speaks_of_the_future(text):
                return ""  # it was told how to end, and has done something: its words count
            return CALL_DONE if self._changes else ACT_NOW
        if not self._calls:
            return ACT_NOW
        return CALL_DONE if speaks_of_the_future(text) and not plan.allows_plan else ""

    def _judged_end(self, result: ToolResult) -> ToolResult:
        problem = self._problem(result)
        if not problem:
            return result
        if self._refused < REFUSALS:
            self._refused += 1
            return ToolResult.error(problem, code="blocked_done")
        self.doubted = True
        result.outcome = "partial"
        result.data["outcome"] = "partial"
        result.summary = "done, not verified"
        return result

    def _problem(self, result: ToolResult) -> str:
        plan = self.plan
        if plan is None or not self.watching or result.outcome != "success":
            return ""
        if not self._calls:
            return NO_EVIDENCE
        if plan.requires_state_change and not self._changes:
            return NO_CHANGE
        if plan.download and not self._files:
            return NO_FILE
        if not plan.allows_plan and speaks_of_the_future(result.final or ""):
            return STILL_TO_DO
        few = plan.requires_state_change and self._calls + 1 < len(plan.steps)
        if few and not self._asked_for_rest and self._refused < REFUSALS:
            self._asked_for_rest = True
            return STEPS_OPEN
        return ""


def _brought_about(result: ToolResult) -> bool:
    """Whether a call changed something, or saw that it was so already."""
    seen = result.data.get("verified") is True or "checkedAfter" in result.data
    return seen or result.data.get("changed") != ["nothing"]
