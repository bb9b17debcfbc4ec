"""The obedient model where its answers are held to the schema of each turn, and where they only should be."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webbrain.agent.constrained_page import ref_of
from webbrain.agent.constrained_schema import ELEMENT, FINISHED
from webbrain.core.messages import ModelReply, ModelRequest, Usage
from webbrain.core.types import Tier
from webbrain.testing.obedient import ObedientModel, Order, order, orders_in
from webbrain.testing.planning import asks_for_plan
from webbrain.testing.scripted import INFO

HELD: Final = replace(INFO, tier=Tier.FULL, constrained=True)
MEANS: Final[Mapping[str, str]] = {
    "click": "click_ax",
    "set_checked": "click_ax",
    "type_ax": "set_field",
    "type_text": "set_field",
}
"""What such a model has in the place of tools that it is not offered."""
IDLE: Final = ("read_page", "scroll", "done", "answer")
"""What it does while it has no order, the first that its schema lets it."""

Answer = dict[str, Any]


class HeldModel(ObedientModel):
    """Carries out what the schema of the turn has room for. Of a turn it is shown one message only; what is
    known of an order stays known.
    """

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.info = HELD
        self._known: list[Order] = []
        self._texts: list[str] = []
        self._idled: set[str] = set()
        self.answers: list[tuple[Answer, dict[str, Any]]] = []
        """Every answer, and the schema it was to be held to."""

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """Answer by the schema, or past it if the service does not see to it."""
        if request.response_schema is None or asks_for_plan(one.content for one in request.messages):
            return await super().complete(request, on_delta, on_reset)
        self.requests.append(request.model_copy(deep=True))
        text = request.messages[-1].content
        self._texts.append(text)
        self._known += [one for one in orders_in(text) if one not in self._known]
        answer = self._obeying(request.response_schema) or self._idle(request.response_schema)
        self.answers.append((answer, dict(request.response_schema)))
        usage = Usage(prompt_tokens=10, completion_tokens=5)
        return ModelReply(text=json.dumps(answer, ensure_ascii=False), usage=usage)

    def _obeying(self, schema: Mapping[str, Any]) -> Answer | None:
        """The first order that can be carried out now, in the order in which they were given."""
        for one in self._known:
            if one in self.obeyed:
                continue
            args = one.call(self._texts)
            if args is None:
                return None
            answer = self._answer(one.tool, args, schema)
            if answer is None:
                return None
            self.obeyed.append(one)
            if args.get("submit") and "submit" not in answer:
                self._known.insert(self._known.index(one) + 1, _enter())
            return answer
        return None

    def _answer(self, tool: str, args: Answer, schema: Mapping[str, Any]) -> Answer | None:
        ways = (tool, MEANS.get(tool, tool))
        return next((found for way in ways for found in fitting(way, args, schema)), None)

    def _idle(self, schema: Mapping[str, Any]) -> Answer:
        for name in IDLE:
            for branch in branches(schema):
                if _tool_of(branch) == name and name not in self._idled:
                    if name in ("read_page", "scroll"):
                        self._idled.add(name)
                    return filled(branch, {"summary": self.answer, "text": self.answer}) or {}
        return filled(branches(schema)[0], {}) or {}


class LooseModel(HeldModel):
    """The same behind a service that takes the schema and does not keep to it."""

    def _answer(self, tool: str, args: Answer, schema: Mapping[str, Any]) -> Answer | None:
        return {FINISHED: "no", "tool": tool, **args}


def _enter() -> Order:
    return next(orders_in(order("press_keys", key="Enter")))


def branches(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The alternatives of a turn."""
    return list(schema.get("anyOf") or [schema])


def _tool_of(branch: Mapping[str, Any]) -> str:
    return str(branch["properties"]["tool"]["const"])


def fitting(tool: str, args: Answer, schema: Mapping[str, Any]) -> Iterator[Answer]:
    """The answers by which a call can be made that the schema allows."""
    for branch in branches(schema):
        if _tool_of(branch) == tool and (answer := filled(branch, args)) is not None:
            yield answer


def filled(branch: Mapping[str, Any], args: Answer) -> Answer | None:
    """An alternative with these arguments in it, or nothing if they have no place there."""
    answer: Answer = {}
    for name, rule in branch["properties"].items():
        if name == ELEMENT:
            value = _element(rule["enum"], args)
        elif "const" in rule:
            value = rule["const"]
        elif "enum" in rule:
            value = args.get(name, rule["enum"][0])
            value = value if value in rule["enum"] else None
        else:
            value = args.get(name)
            if isinstance(value, str) and not re.search(rule.get("pattern", ""), value):
                value = None
        if value is None:
            return None
        answer[name] = value
    return answer


def _element(labels: Sequence[str], args: Answer) -> str | None:
    """The element that the arguments name, by reference or by words."""
    for label in labels:
        if args.get("ref_id") == ref_of(label) or (
            args.get("text") and label.startswith(f"{args['text']} [")
        ):
            return label
    return labels[0] if labels and not args else None
