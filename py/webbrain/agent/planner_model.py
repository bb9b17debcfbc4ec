"""The plan that a model makes before it acts: what it may hold, and what is made of an answer that is not
quite it.

Nothing a model puts into a plan is fatal but a missing summary and missing steps: values are bounded, clamped
or dropped. A plan grants nothing; whatever is done on its account is asked about as ever.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from webbrain.agent.enrich import plain
from webbrain.core.errors import ModelMayRetry
from webbrain.policy.untrusted import neutralise
from webbrain.tools.state import ReadScope

SUMMARY_CHARS: Final = 400
STEPS: Final = 12
STEP_CHARS: Final = 300
STEP_ID_CHARS: Final = 20
STEP_TOOLS: Final = 8
TOOL_CHARS: Final = 40
RISKS: Final = 6
RISK_CHARS: Final = 200
REPLY_CHARS: Final = 4_000
"""What ends the turn of a request that needs nothing done."""
CONFIDENCE: Final = 0.75
"""Where a model gives none."""

SMALL_STEPS: Final = 5
SMALL_STEP_CHARS: Final = 100
SMALL_SUMMARY_CHARS: Final = 160

RequestKind = Literal["execute", "respond", "plan_only", "clarify"]
KINDS: Final[tuple[RequestKind, ...]] = ("execute", "respond", "plan_only", "clarify")
NEEDS_STEPS: Final = frozenset({"execute", "plan_only"})

Form = Literal["full", "intent", "small", "least"]
"""How much is asked for: all of it, what kind of request it is, what a small model can say, or summary and
steps alone, of a model that is held to a schema at every step."""

NO_SUMMARY: Final = "The plan has no summary."
NO_STEPS: Final = "The plan has no steps."
NO_REPLY: Final = "The question to the user is missing: put it into reply."

_PERCENT = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*%?\s*")
_YES: Final = frozenset({"true", "yes", "1", "on"})


def line(value: Any, limit: int) -> str:
    """Text of a model on one line: no control or direction characters, nothing that looks like our tags."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    return neutralise(plain(str(value)))[:limit].strip()


def _flag(value: Any) -> bool:
    return value.strip().casefold() in _YES if isinstance(value, str) else bool(value)


def _confidence(value: Any) -> float:
    """0 to 1; what is above 1 was meant as per cent."""
    if isinstance(value, str) and (found := _PERCENT.fullmatch(value)):
        value = float(found[1].replace(",", "."))
        if found[0].rstrip().endswith("%"):
            value /= 100
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return CONFIDENCE
    return min(max(value / 100 if value > 1 else float(value), 0.0), 1.0)


def _kind(value: Any) -> RequestKind:
    word = value.strip().casefold() if isinstance(value, str) else ""
    return next((kind for kind in KINDS if kind == word), "execute")


def _scope(value: Any) -> ReadScope:
    word = value.strip().casefold() if isinstance(value, str) else ""
    return next((scope for scope in get_args(ReadScope) if scope == word), "none")


def _lines(value: Any, most: int, limit: int) -> list[str]:
    items = value if isinstance(value, list | tuple) else [value]
    return [text for item in items if (text := line(item, limit))][:most]


def _reply(value: Any) -> str:
    return neutralise(value).strip()[:REPLY_CHARS] if isinstance(value, str) else ""


Flag = Annotated[bool, BeforeValidator(_flag)]


class Step(BaseModel):
    """One step. ``tools`` are the names a model thought of; they bind nobody."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Annotated[str, BeforeValidator(lambda value: line(value, STEP_ID_CHARS))] = ""
    action: Annotated[str, BeforeValidator(lambda value: line(value, STEP_CHARS))]
    tools: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: tuple(_lines(value, STEP_TOOLS, TOOL_CHARS)))
    ] = ()


def _steps(value: Any) -> list[Step]:
    """Steps as texts or objects; what is neither, or says nothing, is dropped."""
    items = value if isinstance(value, list | tuple) else []
    found = [
        Step.model_validate({"action": "", **item} if isinstance(item, Mapping) else {"action": item})
        for item in items
    ]
    return [step for step in found if step.action][:STEPS]


class Plan(BaseModel):
    """What a model intends. Made by :func:`plan_from`."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    request_kind: Annotated[RequestKind, BeforeValidator(_kind)] = "execute"
    requires_state_change: Flag = False
    """It is done only when something was changed."""
    download: Flag = False
    """It is done only when a file was saved."""
    allows_plan: Annotated[Flag, Field(validation_alias="allows_planner_shaped_result")] = False
    """The user wants to read of what is to be done, so an answer that only speaks of it is one."""
    summary: Annotated[str, BeforeValidator(lambda value: line(value, SUMMARY_CHARS))] = ""
    read_scope: Annotated[ReadScope, BeforeValidator(_scope)] = "none"
    """How much of the page an answer must rest on."""
    steps: Annotated[tuple[Step, ...], BeforeValidator(_steps)] = ()
    risks: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: tuple(_lines(value, RISKS, RISK_CHARS)))
    ] = ()
    confidence: Annotated[float, BeforeValidator(_confidence)] = CONFIDENCE
    says_confidence: bool = False
    """The model has said how sure it is."""
    reply: Annotated[str, BeforeValidator(_reply)] = ""
    """What the user is told where nothing is to be done."""

    @property
    def told_confidence(self) -> float | None:
        """What people are shown of it."""
        return self.confidence if self.says_confidence else None

    @property
    def actions(self) -> list[str]:
        """The steps in words."""
        return [step.action for step in self.steps]

    def edited(self, summary: str, actions: list[str]) -> "Plan":
        """The plan with the user's own words; steps they left alone keep what else is known of them."""
        known = {step.action: step for step in self.steps}
        texts = [text for action in actions[:STEPS] if (text := line(action, STEP_CHARS))]
        steps = tuple(known.get(text) or Step(action=text) for text in texts)
        return self.model_copy(update={"summary": line(summary, SUMMARY_CHARS), "steps": steps})


def plan_from(answer: Mapping[str, Any], form: Form = "full") -> Plan:
    """The plan in a model's answer. Raise ``ModelMayRetry`` if there is none in it."""
    value = {**answer, "says_confidence": answer.get("confidence") is not None}
    told = value.get("localized")
    if isinstance(told, Mapping):
        value.update(_localized(told, value))
    needs = value.get("completion_requirements")
    if isinstance(needs, Mapping):
        value.setdefault("download", needs.get("download"))
    changes = (value.get("requires_state_change"), value.get("download"), value.get("requires_submission"))
    value["requires_state_change"] = any(map(_flag, changes)) or bool(value.get("scheduling"))
    try:
        plan = Plan.model_validate({key: item for key, item in value.items() if item is not None})
    except ValidationError as error:  # every field mends itself, so this is a value nobody thought of
        raise ModelMayRetry("The plan cannot be read.", code="invalid_plan") from error
    if plan.request_kind != "execute":
        plan = plan.model_copy(update={"read_scope": "none"})
    if problem := _problem(plan, form):
        raise ModelMayRetry(problem, code="invalid_plan")
    return plan


def _localized(told: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """What takes the place of the plan's own words where a model gave them in the user's language as well."""
    kind = _kind(value.get("request_kind"))
    out = {key: told[key] for key in ("steps", "risks") if told.get(key)}
    if told.get("summary"):
        out["reply" if kind in ("respond", "clarify") else "summary"] = told["summary"]
    return out


def _problem(plan: Plan, form: Form) -> str:
    if plan.request_kind == "clarify" and not plan.reply:
        return NO_REPLY
    if not plan.summary and not (plan.reply and plan.request_kind != "execute"):
        return NO_SUMMARY
    if form != "intent" and plan.request_kind in NEEDS_STEPS and not plan.steps:
        return NO_STEPS
    return ""


def schema_for(form: Form, *, held: bool) -> dict[str, Any]:
    """What a model is asked for. ``held``: its service keeps to the schema, so it is exact. In words it is
    loose: what does not fit is mended afterwards rather than asked for again."""
    if not held:
        return {"type": "object", "required": ["summary"]}
    if form in ("small", "least"):
        step = {"type": "string", "minLength": 1, "maxLength": SMALL_STEP_CHARS}
        short: dict[str, Any] = {
            "summary": {"type": "string", "minLength": 1, "maxLength": SMALL_SUMMARY_CHARS},
            "steps": {"type": "array", "items": step, "minItems": 1, "maxItems": SMALL_STEPS},
        }
        return _object(short if form == "least" else {**short, "requires_state_change": {"type": "boolean"}})
    texts = {"type": "array", "items": {"type": "string"}}
    first: dict[str, Any] = {
        "request_kind": {"enum": list(KINDS), "type": "string"},
        "requires_state_change": {"type": "boolean"},
        "download": {"type": "boolean"},
        "read_scope": {"enum": list(get_args(ReadScope)), "type": "string"},
        "summary": {"type": "string"},
    }
    full = {"steps": texts, "risks": texts, "confidence": {"type": "number"}} if form == "full" else {}
    return _object({**first, **full, "reply": {"type": "string"}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
