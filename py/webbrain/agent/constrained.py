"""Turns for models that cannot be trusted with tools: each answer is held to a schema made from the page.

The prompt is laid out for a server that keeps the prefix of the last one: instructions and task first, then
the steps so far, which only grow, and the page, which changes, last.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from webbrain.agent import constrained_page as pages
from webbrain.agent import constrained_steps as history
from webbrain.agent.constrained_schema import NEVER, TurnSchema
from webbrain.agent.turns import Turn, TurnState
from webbrain.core.errors import ModelMayRetry
from webbrain.core.ids import new_id, nonce
from webbrain.core.limits import MAX_OUTPUT_TOKENS_CONSTRAINED, PAGE_TITLE_CHARS
from webbrain.core.messages import Message, ModelReply, ModelRequest, ToolCall
from webbrain.policy.untrusted import wrap
from webbrain.providers.loose_json import parse_object
from webbrain.tools.base import ToolSpec

ANSWER: Final = "answer"


class ConstrainedTurns:
    """One instance per run: it remembers what the elements of earlier pages were called."""

    needs_page = True

    def __init__(self) -> None:
        self._targets: dict[str, str] = {}

    def request(self, state: TurnState) -> ModelRequest:
        """Build the prompt and the schema of this turn."""
        before, run = history.split(state.messages)
        done = history.steps(run)
        elements = pages.elements(state.page) if state.page else {}
        lines = [f"Task: {state.task}"]
        if said := history.earlier(before):
            lines = ["Earlier in this conversation:", *said, "", *lines]
        lines += ["", *self._so_far(done), *history.notes(run)]
        lines += ["", *self._page(state, history.text_read(done)), "", "The next step:"]
        return ModelRequest(
            messages=[
                Message(role="system", content=f"{state.system}\n\n{examples(state.tools)}"),
                Message(role="user", content="\n".join(lines)),
            ],
            temperature=0.0,
            max_tokens=MAX_OUTPUT_TOKENS_CONSTRAINED,
            response_schema=TurnSchema(state, elements, done).build(),
        )

    def read(self, reply: ModelReply, state: TurnState) -> Turn:
        """Take the one call out of the answer; raise ``ModelMayRetry`` if there is none."""
        if reply.finish == "length":
            raise ModelMayRetry("The answer was too long. Answer with one short JSON object.")
        value = parse_object(reply.text)
        if value is None or not isinstance(value.get("tool"), str):
            raise ModelMayRetry('Answer with one JSON object that has a "tool".')
        args = {key: item for key, item in value.items() if key != "tool"}
        name = value["tool"]
        if name == ANSWER and "text" in args:
            return Turn((), str(args["text"]))
        if name not in {tool.name for tool in state.tools}:
            raise ModelMayRetry(f"There is no tool {name!r} here.")
        call = ToolCall(id=new_id("call"), name=name, arguments=json.dumps(args, ensure_ascii=False))
        self._targets[call.id] = self._target(args.get("ref_id"), state)
        return Turn((call,), "")

    def _target(self, ref: Any, state: TurnState) -> str:
        if not isinstance(ref, str):
            return ""
        controls = state.page.controls if state.page else ()
        return pages.describe(next((c for c in controls if c.ref == ref), None), ref)

    def _so_far(self, done: Sequence[history.Step]) -> list[str]:
        if not done:
            return ["Steps done so far: none"]
        lines = [
            f"{number}. " + history.line(step, history.said(step, self._targets.get(step.call.id, step.ref)))
            for number, step in enumerate(done, 1)
        ]
        return ["Steps done so far:", *lines[-history.STEPS_SHOWN :]]

    @staticmethod
    def _page(state: TurnState, text: str) -> list[str]:
        if state.page is None:
            return ["There is no page."]
        title = state.page.title[:PAGE_TITLE_CHARS]
        body = f"{title}\n{pages.compact(state.page.tree)}"
        if text:
            body += f"\n\nText of the page:\n{text}"
        if state.page.truncated:
            body += "\n(more below: scroll down)"
        return ["The page now:", wrap(body, nonce())]


def examples(tools: Sequence[ToolSpec]) -> str:
    """One line per tool. All that are ever offered, so that the beginning of the prompt stays the same."""
    lines = ["Examples of one step:"]
    for tool in tools:
        if tool.name in NEVER or not tool.example:
            continue
        args = json.loads(tool.example)
        lines.append(json.dumps({"tool": tool.name, **args}, ensure_ascii=False))
    return "\n".join(lines)
