"""Turns for models that cannot be trusted with tools: each answer is held to a schema made from the page.

The prompt is laid out for a server that keeps the prefix of the last one: instructions and examples first,
then the task and the steps so far, which only grow, and the page, which changes, last. What pages wrote
stands between tags; those around the steps keep their id for the run, or the prefix would end there. The
examples are turns of a conversation in exactly the form of the real one: small models copy form far better
than they follow rules.
"""

import dataclasses
import functools
import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.agent import constrained_ends as ends
from webbrain.agent import constrained_page as pages
from webbrain.agent import constrained_steps as history
from webbrain.agent.constrained_schema import ELEMENT, FINISHED, NEVER, TurnSchema
from webbrain.agent.turns import PageView, Turn, TurnState
from webbrain.core.errors import ModelMayRetry
from webbrain.core.ids import new_id, nonce
from webbrain.core.limits import MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS_CONSTRAINED, PAGE_TITLE_CHARS
from webbrain.core.messages import Message, ModelReply, ModelRequest, ToolCall
from webbrain.policy.untrusted import wrap
from webbrain.prompts import prompt
from webbrain.providers.loose_json import parse_object

ANSWER: Final = "answer"
PATH_CHARS: Final = 80


class ConstrainedTurns:
    """One instance per run: it remembers what the elements of earlier pages were called."""

    needs_page = True
    sends_history = False

    def __init__(self) -> None:
        self._targets: dict[str, str] = {}
        self._shown: dict[int, frozenset[str]] = {}
        self._read: dict[str, history.Step] = {}
        self._with_names: dict[str, history.Step] = {}
        self._room = MAX_OUTPUT_TOKENS_CONSTRAINED
        self._steps_id = nonce()

    def request(self, state: TurnState) -> ModelRequest:
        """Build the prompt and the schema of this turn."""
        before, run = history.split(state.messages)
        read = history.steps(run, self._read)
        done = [self._named(step) for step in read]
        elements = pages.elements(state.page) if state.page else {}
        agreed = history.agreed(run)
        if agreed:  # what it names may be entered, as if the task named it
            state = dataclasses.replace(state, task="\n".join([state.task, *agreed]))
        asked = turn_text(
            state.task,
            attached=state.attached,
            earlier=history.earlier(before),
            steps=[history.line(step) for step in done[-history.STEPS_SHOWN :]],
            left_out=max(len(done) - history.STEPS_SHOWN, 0),
            notes=history.notes(run),
            page=_page_text(state.page, history.text_read(done)),
            steps_id=self._steps_id,
        )
        return ModelRequest(
            messages=[*self.opening(state), Message(role="user", content=asked)],
            temperature=0.0,
            max_tokens=self._room,
            response_schema=TurnSchema(state, elements, done, self._seen_before(done)).build(),
            response_name="step",
            thinking="off",
        )

    def _named(self, step: history.Step) -> history.Step:
        """The step with its element in words; made once for a step that has its result."""
        known = self._with_names.get(step.call.id)
        if known is None or known.data is not step.data:
            known = history.named(step, self._targets.get(step.call.id, ""))
            self._with_names[step.call.id] = known
        return known

    def opening(self, state: TurnState) -> list[Message]:
        """Instructions and examples: the server has them at hand from one call to the next."""
        return [
            Message(role="system", content=state.system),
            *examples(tuple(tool.name for tool in state.tools)),
        ]

    def _seen_before(self, done: Sequence[history.Step]) -> frozenset[str]:
        """Names of what could be clicked before the last form was sent."""
        sent = ends.last_sent(done)
        shown = (names for count, names in self._shown.items() if count <= sent)
        return frozenset().union(*shown)

    def _remember(self, state: TurnState) -> None:
        controls = state.page.controls if state.page else ()
        _, run = history.split(state.messages)
        names = frozenset(c.name for c in controls if c.can & {"click", "toggle"})
        self._shown[sum(len(message.tool_calls) for message in run)] = names

    def read(self, reply: ModelReply, state: TurnState) -> Turn:
        """Take the one call out of the answer; raise ``ModelMayRetry`` if there is none."""
        self._remember(state)
        if reply.finish == "length":
            if reply.reasoning:
                # It thinks whatever it is told, and thoughts count.
                self._room = MAX_OUTPUT_TOKENS
            raise ModelMayRetry("The answer was too long. Answer with one short JSON object.")
        value = parse_object(reply.text)
        if value is None or not isinstance(value.get("tool"), str):
            raise ModelMayRetry('Answer with one JSON object that has a "tool".')
        name = value["tool"]
        ours = ("tool", FINISHED, ELEMENT)
        args = {key: item for key, item in value.items() if key not in ours and item is not None}
        if isinstance(value.get(ELEMENT), str):
            args = {"ref_id": pages.ref_of(value[ELEMENT]), **args}
        if name == ANSWER and "text" in args:
            return Turn((), str(args["text"]))
        if name not in {tool.name for tool in state.tools}:
            raise ModelMayRetry(f"There is no tool {name!r} here.")
        call = ToolCall(id=new_id("call"), name=name, arguments=json.dumps(args, ensure_ascii=False))
        self._targets[call.id] = _target(args.get("ref_id"), state)
        return Turn((call,), "")


def turn_text(
    task: str,
    *,
    attached: str = "",
    earlier: Sequence[str] = (),
    steps: Sequence[str] = (),
    left_out: int = 0,
    notes: Sequence[str] = (),
    page: str = "",
    steps_id: str = "",
) -> str:
    """What the model is asked in one turn; the examples have the same form. ``left_out`` steps came before
    ``steps``."""
    lines = ["Earlier in this conversation:", *earlier, ""] if earlier else []
    lines += [f"Task: {task}", ""]
    if attached:
        lines += [attached, ""]
    if steps:
        listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, left_out + 1))
        lines += [
            f"Steps done so far{f' (the newest {len(steps)})' if left_out else ''}:",
            wrap(listed, steps_id or nonce()),
        ]
    else:
        lines.append("Steps done so far: none")
    lines += [*notes, "", "The page now:", wrap(page, nonce())]
    return "\n".join(lines)


@functools.cache
def examples(tools: tuple[str, ...]) -> tuple[Message, ...]:
    """Worked turns, those whose answer uses a tool that is offered. The same for every turn of a run."""
    out: list[Message] = []
    for block in prompt("constrained-examples").split("\n---\n"):
        asked, _, answer = block.strip().rpartition("\n\n")
        tool = json.loads(answer)["tool"]
        if tool in tools and tool not in NEVER:
            out += [Message(role="user", content=asked), Message(role="assistant", content=answer)]
    return tuple(out)


def _page_text(page: PageView | None, text: str) -> str:
    if page is None:
        return "(no page)"
    parts = urlsplit(page.url)
    path = parts.path[:PATH_CHARS] + ("?…" if parts.query else "")
    body = f"# {page.title[:PAGE_TITLE_CHARS]} ({path or page.url[:PATH_CHARS]})\n{pages.compact(page.tree)}"
    if text:
        body += f"\n\nText of the page:\n{text}"
    if page.truncated:
        body += "\n(more below: scroll down)"
    return body


def _target(ref: Any, state: TurnState) -> str:
    if not isinstance(ref, str):
        return ""
    controls = state.page.controls if state.page else ()
    return pages.describe(next((c for c in controls if c.ref == ref), None), ref)
