"""Whether a person looks at a plan before it is carried out, and what they make of it.

A plan that nobody answers within ten minutes is not carried out. Only what comes through the port from our
own screens is an answer.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.agent.planner import PlanRules
from webbrain.agent.planner_model import Plan
from webbrain.agent.planner_text import EDITED_CHARS, markdown, pinned, verbose_markdown
from webbrain.core.errors import WebBrainError
from webbrain.core.events import PlanAutoApproved, PlanDecision, PlanResolved, PlanReview
from webbrain.core.ids import new_id
from webbrain.host.protocols import Clock

REVIEW_TIMEOUT: Final = 600.0
"""Seconds; then it counts as rejected."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a plan. ``pinned`` is what the model is to keep to; empty unless it is carried out."""

    decision: PlanDecision
    plan: Plan
    pinned: str = ""


@dataclass(slots=True)
class _Open:
    id: str
    plan: Plan
    expires: float
    """By the wall clock."""
    answer: asyncio.Future[Verdict]


class PlanReviewer:
    """The plans of one run. ``unattended``: nobody is there to ask, and the user agreed beforehand.
    ``waits`` is told whether the run waits for a person.
    """

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        rules: PlanRules,
        *,
        unattended: bool,
        waits: Callable[[bool], None] | None = None,
    ) -> None:
        self._waits = waits or (lambda _: None)
        self._journal = journal
        self._clock = clock
        self._rules = rules
        self._unattended = unattended
        self._open: _Open | None = None

    @property
    def waiting(self) -> bool:
        """True while a plan waits for a person."""
        return self._open is not None

    async def decide(self, plan: Plan) -> Verdict:
        """Return what is to become of ``plan``, asking a person if need be. Cancelling withdraws the card."""
        if self._unattended:
            return Verdict("approved", plan, pinned(plan, seen=False))
        if self._passes(plan):
            told = PlanAutoApproved(
                plan_id=new_id("plan"),
                summary=plan.summary,
                steps=plan.actions,
                confidence=plan.told_confidence,
            )
            self._journal.emit(told)
            return Verdict("approved", plan, pinned(plan, seen=False))
        return await self._ask(plan)

    def answer(
        self,
        plan_id: str,
        decision: str,
        *,
        summary: str | None,
        steps: Sequence[str] | None,
        text: str | None,
    ) -> None:
        """Deliver what the person chose. Raise ``plan_gone`` if nobody waits for it, ``bad_params`` if an
        edited plan has nothing in it."""
        waiting = self._open
        if waiting is None or waiting.id != plan_id or waiting.answer.done():
            raise WebBrainError("This plan is no longer open.", code="plan_gone")
        if self._clock.now() >= waiting.expires:
            raise WebBrainError("This plan was open for too long; ask again.", code="plan_gone")
        waiting.answer.set_result(_verdict(waiting.plan, decision, summary, steps, text))

    def _passes(self, plan: Plan) -> bool:
        """Whether the user wants to see a plan like this one."""
        if self._rules.review == "confidence":
            return plan.confidence >= self._rules.threshold
        return self._rules.review == "never"

    async def _ask(self, plan: Plan) -> Verdict:
        expires = self._clock.now() + REVIEW_TIMEOUT
        waiting = _Open(new_id("plan"), plan, expires, asyncio.get_running_loop().create_future())
        self._open = waiting
        self._journal.emit(
            PlanReview(
                plan_id=waiting.id,
                summary=plan.summary,
                steps=plan.actions,
                risks=list(plan.risks),
                confidence=plan.told_confidence,
                markdown=markdown(plan),
                verbose_markdown=verbose_markdown(plan),
                expires_at=round(expires * 1000),
            )
        )
        self._journal.flush()
        self._waits(True)
        decision: PlanDecision = "withdrawn"
        timer = asyncio.ensure_future(self._clock.sleep(REVIEW_TIMEOUT))
        try:
            either: set[asyncio.Future[Any]] = {waiting.answer, timer}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            verdict = waiting.answer.result() if waiting.answer.done() else Verdict("expired", plan)
            decision = verdict.decision
            return verdict
        finally:
            timer.cancel()
            self._open = None
            self._waits(False)
            self._journal.emit(PlanResolved(plan_id=waiting.id, decision=decision))


def _verdict(
    plan: Plan, decision: str, summary: str | None, steps: Sequence[str] | None, text: str | None
) -> Verdict:
    if decision == "rejected":
        return Verdict("rejected", plan)
    if decision != "edited":
        return Verdict("approved", plan, pinned(plan, seen=True))
    if text is not None:
        if not text.strip() or len(text) > EDITED_CHARS:
            raise WebBrainError(f"A plan has 1 to {EDITED_CHARS} characters.", code="bad_params")
        return Verdict("edited", plan, pinned(plan, seen=True, text=text.strip()))
    edited = plan.edited(
        plan.summary if summary is None else summary, plan.actions if steps is None else list(steps)
    )
    if not edited.summary or not edited.steps:
        raise WebBrainError("A plan needs a summary and at least one step.", code="bad_params")
    return Verdict("edited", edited, pinned(edited, seen=True))
