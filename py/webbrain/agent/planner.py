"""The call that makes a plan: once before the first tool of a turn that may act, repaired once if need be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from webbrain.agent.journal import Journal
from webbrain.agent.patience import Patience
from webbrain.agent.planner_model import CONFIDENCE, Form, Plan, plan_from, schema_for
from webbrain.agent.planner_prompt import Asked, planner_messages
from webbrain.agent.structured import structured
from webbrain.agent.waiting import detached
from webbrain.core.errors import ModelMayRetry, ProviderFailed
from webbrain.core.messages import Message, ModelReply, ModelRequest, Usage
from webbrain.core.types import Tier
from webbrain.host.protocols import Clock
from webbrain.providers.base import ModelClient, ModelInfo
from webbrain.providers.loose_json import parse_object

TEMPERATURE: Final = 0.3
TEMPERATURE_REPAIR: Final = 0.1
MAX_TOKENS: Final[dict[Form, int]] = {"full": 4_096, "intent": 2_048, "small": 384, "least": 256}
ECHO_CHARS: Final = 4_000
"""Of an answer that is no plan, shown to the model again."""
FOLLOW_UP_CHARS: Final = 100
"""A request up to this length, after a plan that was approved, is taken for a follow-up."""
NAME: Final = "plan"
TOO_LONG: Final = "context_too_small"
"""The code by which a provider says that a request is longer than its window."""

REPAIR: Final = "{problem} Answer again, with one JSON object that has all the keys."

Mode = Literal["off", "try", "strict"]
Review = Literal["confidence", "always", "never"]


@dataclass(frozen=True, slots=True)
class PlanRules:
    """The user's wishes. ``threshold`` is the confidence from which on a plan needs no look, 0 to 1."""

    mode: Mode = "try"
    review: Review = "confidence"
    threshold: float = CONFIDENCE
    locale: str = ""


class NoPlan(ModelMayRetry):
    """The model did not manage a plan, after one repair."""

    code = "plan_failed"


def form_for(info: ModelInfo, rules: PlanRules, text: str, *, follow_up: bool) -> Form | None:
    """How much is asked of the model, ``None`` for nothing.

    ``follow_up``: an earlier plan of the conversation was approved. A small model has one form only, short as
    it is; where that would be the cheap check it is not asked at all (docs/adr/0008).
    """
    small = info.constrained or info.tier is Tier.COMPACT
    short = follow_up and rules.mode == "try" and len(text.strip()) <= FOLLOW_UP_CHARS and "://" not in text
    if rules.mode == "off" or short:
        return None if small else "intent"
    if info.constrained:
        return "least"
    return "small" if small else "full"


class Planner:
    """Makes the plan of one run. ``spent`` is told the tokens of each call."""

    def __init__(self, clock: Clock, journal: Journal, spent: Callable[[Usage], None]) -> None:
        self._clock = clock
        self._journal = journal
        self._spent = spent

    async def plan(self, client: ModelClient, asked: Asked, form: Form, opening: Sequence[Message]) -> Plan:
        """Raise ``NoPlan``; ``ProviderFailed`` and ``CostLimit`` as the client does."""
        line = _Line(client, Patience(self._clock, self._journal), self._spent)
        messages = planner_messages(asked, form, opening)
        temperature = TEMPERATURE
        problem = ""
        for _ in range(2):
            schema = schema_for(form, held=client.info.structured)
            try:
                await structured(
                    line,
                    messages,
                    schema,
                    name=NAME,
                    max_tokens=MAX_TOKENS[form],
                    temperature=temperature,
                    repair=False,
                )
            except ModelMayRetry as error:
                problem = error.message
            except ProviderFailed as error:
                if error.code != TOO_LONG:
                    raise
                raise NoPlan("The request is too long for the model to plan it.") from error
            answer = parse_object(line.said)
            if answer is not None:
                # What does not quite fit the schema is mended here; only what is missing is asked for again.
                try:
                    return plan_from(answer, form)
                except ModelMayRetry as error:
                    problem = error.message
            temperature = TEMPERATURE_REPAIR
            messages = [
                *messages,
                Message(role="assistant", content=line.said[:ECHO_CHARS] or "(nothing)"),
                Message(role="user", content=REPAIR.format(problem=problem)),
            ]
        raise NoPlan(problem)


class _Line:
    """The client as the planner uses it: patient with a busy service, every answer counted and kept."""

    def __init__(self, client: ModelClient, patience: Patience, spent: Callable[[Usage], None]) -> None:
        self._client = client
        self._patience = patience
        self._spent = spent
        self.said = ""
        """The newest answer."""

    @property
    def info(self) -> ModelInfo:
        """Facts about the model."""
        return self._client.info

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """See ``ModelClient.complete``."""
        while True:
            try:
                reply = await detached(self._client.complete(request, on_delta, on_reset))
            except ProviderFailed as error:
                if not await self._patience.wait(error):
                    raise
            else:
                self._spent(reply.usage)
                self.said = reply.text.strip()
                return reply
