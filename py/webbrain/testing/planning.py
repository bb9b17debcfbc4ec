"""What model servers and scripted models say when a task is to be planned, unless a test says otherwise."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from webbrain.agent.planner_prompt import PROMPTS
from webbrain.prompts import prompt

MARK_CHARS: Final = 80
MARKS: Final = tuple(prompt(name)[:MARK_CHARS] for name in PROMPTS.values())
"""How the texts of planner calls begin; nothing else that a model gets begins so."""

PLAN: Final[Mapping[str, Any]] = {
    "request_kind": "execute",
    "requires_state_change": False,
    "download": False,
    "read_scope": "none",
    "summary": "Do what the user asks for.",
    "steps": ["Look at the page", "Do what was asked"],
    "risks": [],
    "confidence": 0.9,
    "reply": "",
}
"""A plan that goes ahead without a card and asks for no particular effect."""


def asks_for_plan(texts: Iterable[str]) -> bool:
    """Whether a request with these texts is the planner's."""
    return any(text.startswith(MARKS) for text in texts)


def plan_text(schema: Mapping[str, Any] | None = None, **changes: Any) -> str:
    """A plan as JSON, with what ``schema`` knows of it."""
    known = (schema or {}).get("properties")
    plan = {**PLAN, **changes}
    return json.dumps({key: item for key, item in plan.items() if not known or key in known})
