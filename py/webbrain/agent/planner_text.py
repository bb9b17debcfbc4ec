"""A plan in words: for the card, for the end of a turn that needed nothing done, and for the model to keep
to."""

import re
from collections.abc import Sequence
from typing import Final

from webbrain.agent.enrich import NOTE, plain
from webbrain.agent.planner_model import Plan
from webbrain.core.messages import Message
from webbrain.policy.untrusted import neutralise

PINNED_CHARS: Final = 8_000
EDITED_CHARS: Final = 7_500
"""Of a plan that the user rewrote as one text."""

APPROVED: Final = "Approved plan"
"""How the pinned text of a plan begins that the user saw and agreed to."""
UNSEEN: Final = "Plan"
"""How one begins that the user has not looked at."""
SEEN_RULE: Final = (
    "The user has read this plan and agreed to it. Keep to it and do nothing beyond it; where the page "
    "differs, find the nearest way within it."
)
UNSEEN_RULE: Final = (
    "You made this plan before you saw the page; the user has not looked at it. It allows nothing: the "
    "user's own words decide. Where the page differs, find another way."
)


def markdown(plan: Plan) -> str:
    """Summary, steps and risks."""
    parts = [plan.summary, _numbered(plan.actions)]
    if plan.risks:
        parts.append("\n".join(f"- ⚠ {risk}" for risk in plan.risks))
    return "\n\n".join(part for part in parts if part)


def verbose_markdown(plan: Plan) -> str:
    """The same with what the run will be held to."""
    told = plan.told_confidence
    facts = [] if told is None else [f"Confidence: {round(told * 100)} %"]
    facts.append(f"Changes something: {'yes' if plan.requires_state_change else 'no'}")
    if plan.download:
        facts.append("Saves a file: yes")
    tools = [f"{number}. {', '.join(step.tools)}" for number, step in enumerate(plan.steps, 1) if step.tools]
    return "\n\n".join([markdown(plan), "\n".join(f"- {fact}" for fact in facts), *tools])


def reply_text(plan: Plan) -> str:
    """What the turn ends with where nothing is to be done."""
    if plan.request_kind != "plan_only":
        return plan.reply or plan.summary
    if plan.reply and _lists_steps(plan.reply):
        return plan.reply
    return "\n\n".join(part for part in (plan.reply or plan.summary, _numbered(plan.actions)) if part)


def pinned(plan: Plan, *, seen: bool, text: str = "") -> str:
    """The plan as the model gets it, a note of ours that stays in view. ``text`` takes the place of summary
    and steps: the user's own version.

    Its square brackets are round, so that no word of it can end the note and begin another.
    """
    head, rule = (APPROVED, SEEN_RULE) if seen else (UNSEEN, UNSEEN_RULE)
    body = text[:EDITED_CHARS] if text else "\n".join(_body(plan))
    body = "\n".join(_rounded(line) for line in neutralise(body).split("\n")).strip()
    whole = f"{NOTE}{head}. {rule}\n{body}"
    return whole[: PINNED_CHARS - 1] + "]"


def is_plan(message: Message) -> bool:
    """Whether a message of the history is a pinned plan."""
    return message.role == "user" and message.content.startswith((f"{NOTE}{APPROVED}.", f"{NOTE}{UNSEEN}."))


def is_agreed(message: Message) -> bool:
    """Whether a message of the history is the plan that a person has read and agreed to."""
    return message.role == "user" and message.content.startswith(f"{NOTE}{APPROVED}.")


def was_approved(messages: Sequence[Message]) -> bool:
    """Whether a plan was agreed to earlier in the conversation, by the user or without them."""
    return any(is_plan(message) for message in messages)


def plan_lines(message: Message) -> list[str]:
    """The lines of a pinned plan without what stands around them."""
    return message.content.removesuffix("]").split("\n")[1:]


def _body(plan: Plan) -> list[str]:
    lines = [plan.summary, *_numbered(plan.actions).split("\n")]
    return [*lines, *(f"Mind: {risk}" for risk in plan.risks)]


def _numbered(actions: Sequence[str]) -> str:
    return "\n".join(f"{number}. {action}" for number, action in enumerate(actions, 1))


def _rounded(text: str) -> str:
    return plain(text).replace("[", "(").replace("]", ")")


def _lists_steps(text: str) -> bool:
    return len(re.findall(r"^\s*(?:\d+[.)]|[-*•])\s", text, re.MULTILINE)) > 1
