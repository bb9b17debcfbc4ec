"""The plan's part in a turn: whether one is made, what becomes of it, and what the run may do then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from webbrain.agent.enrich import note
from webbrain.agent.journal import Journal
from webbrain.agent.pins import Pins
from webbrain.agent.planner import NoPlan, Planner, PlanRules, form_for
from webbrain.agent.planner_guard import ExecutionGuard
from webbrain.agent.planner_model import Form
from webbrain.agent.planner_prompt import Asked
from webbrain.agent.planner_review import PlanReviewer, Verdict
from webbrain.agent.planner_text import reply_text, was_approved
from webbrain.agent.tally import Status
from webbrain.core.events import Thinking
from webbrain.core.events import Warning as RunWarning
from webbrain.core.messages import Message, Usage
from webbrain.core.types import Mode
from webbrain.host.protocols import Clock, Tab
from webbrain.providers.base import ModelClient, ModelInfo

READ_ONLY: Final = (
    "The model gave no usable plan, so in this turn it may only read and answer. Ask again, perhaps in "
    "other words, or choose a larger model."
)
READ_ONLY_NOTE: Final = (
    "No plan could be made, so in this turn you can read but change nothing, although the user chose Act. "
    "Answer what reading can answer; for the rest say that they should ask again."
)
NO_PLAN: Final = "The model gave no usable plan, and the settings say that nothing is done without one."
EXPIRED: Final = "Nobody answered the plan within ten minutes, so nothing was done."
ONLY_WORDS: Final = (
    "The model only says what it would do and does nothing. Ask again; a larger model may do better."
)
UNVERIFIED: Final = "The agent says that it is done, but nothing it did shows that. Look for yourself."
NOT_AGREED: Final = "(The user did not agree to the plan; nothing was done.)"
NOT_SEEN: Final = "(The plan was not answered in time; nothing was done.)"


@dataclass(frozen=True, slots=True)
class Start:
    """How a turn goes on. At most one of the fields is set."""

    pinned: str = ""
    """A note for the model: the plan to keep to."""
    reply: str = ""
    """Ends the turn: nothing is to be done."""
    refused: str = ""
    """Ends the turn: the user did not want it. What stands in the model's place in the history."""
    read_only: str = ""
    """A note for the model: this turn may only read."""

    @property
    def ends(self) -> str:
        """What stands in the model's place if the turn ends here."""
        return self.reply or self.refused

    @property
    def note(self) -> str:
        """What the model is told if it goes on."""
        return self.pinned or self.read_only

    @property
    def status(self) -> Status | None:
        """How the run ended, ``None`` if it goes on."""
        return "completed" if self.reply else "stopped" if self.refused else None


class Planning:
    """For one run. ``rules`` ``None``: no plans are made. ``unattended`` runs have nobody to ask."""

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        rules: PlanRules | None,
        guard: ExecutionGuard,
        *,
        unattended: bool = False,
        waits: Callable[[bool], None] | None = None,
    ) -> None:
        self.guard = guard
        self.pins: Pins | None = None
        self.allow_api = False
        self.strict = rules is not None and rules.mode == "strict"
        self._clock = clock
        self._journal = journal
        self._rules = rules or PlanRules(mode="off")
        self._wanted = rules is not None
        self.reviewer = PlanReviewer(journal, clock, self._rules, unattended=unattended, waits=waits)

    def form(self, info: ModelInfo, mode: Mode, text: str, history: Sequence[Message]) -> Form | None:
        """How much is asked of the model before this turn, ``None`` for nothing."""
        if not self._wanted or mode is Mode.ASK:
            return None
        return form_for(info, self._rules, text, follow_up=was_approved(history))

    async def begin(
        self,
        client: ModelClient,
        form: Form,
        asked: Asked,
        opening: Sequence[Message],
        spent: Callable[[Usage], None],
    ) -> Start:
        """Plan the turn. Raise ``NoPlan`` if there is none and nothing may be done without."""
        self._journal.emit(Thinking(step=0, note="plan"))
        planner = Planner(self._clock, self._journal, spent)
        try:
            plan = await planner.plan(client, asked, form, opening)
        except NoPlan as error:
            return self._without(error)
        if plan.request_kind != "execute":
            return Start(reply=reply_text(plan))
        if form == "least":
            # Its schema keeps it from ending before something was done, by the words of the task. What it
            # guesses of that itself would only refuse answers that are right.
            plan = plan.model_copy(update={"requires_state_change": False})
        if form == "intent":
            self.guard.hold(plan, settled=True)
            return Start()
        return self._decided(await self.reviewer.decide(plan))

    def asked(self, text: str, tab: Tab | None, history: Sequence[Message]) -> Asked:
        """What the planner is told."""
        url, title = (tab.url, tab.title) if tab else ("", "")
        asked = Asked(text, url, title, history, _prior_request(self._journal), self._rules.locale)
        notes = self.pins.scratchpad.text if self.pins else ""
        return replace(asked, notes=notes, allow_api=self.allow_api)

    def _decided(self, verdict: Verdict) -> Start:
        if verdict.decision == "expired":
            self._warn("plan_expired", EXPIRED)
            return Start(refused=NOT_SEEN)
        if not verdict.pinned:
            return Start(refused=NOT_AGREED)
        self.guard.hold(verdict.plan, settled=True)
        return Start(pinned=verdict.pinned)

    def _without(self, error: NoPlan) -> Start:
        if self._rules.mode == "off":
            self.guard.hold(None, settled=True)
            return Start()  # the user wanted no plan; the check before it is only a help
        if self._rules.mode == "strict":
            raise NoPlan(NO_PLAN, data={"detail": error.message}) from error
        self._warn("plan_failed", READ_ONLY)
        return Start(read_only=note(READ_ONLY_NOTE))

    def _warn(self, code: str, message: str) -> None:
        self._journal.emit(RunWarning(code=code, message=message))


def _prior_request(journal: Journal) -> str:
    """What the user asked before this run, in their own words."""
    for event in reversed(journal.events):
        if event.type == "user_message" and event.run_id != journal.run_id and not event.data["continued"]:
            return str(event.data["text"])
    return ""
