"""Two models without a network of neurons: one that knows the way, and one that does nothing.

They prove that the pages can be done through the extension, and that nothing counts as done by itself.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from tests.bench.llm.tasks import Move, Task
from webbrain.agent.constrained_page import LABEL_CHARS
from webbrain.testing.chat import Answer, ModelCall, Refusal, Reply
from webbrain.testing.demo.history import steps
from webbrain.testing.demo.tree import Node, parse
from webbrain.testing.model_server import call

SEE = "get_accessibility_tree"
ASKED = re.compile(r"Task: (?P<task>.*?)\n\nSteps done so far:(?P<steps>.*?)\nThe page now:", re.DOTALL)
STEP = re.compile(r"^\d+\. ", re.MULTILINE)
ROLES = {"click": ("button", "link", "checkbox", "radio", "switch"), "choose": ("combobox", "listbox")}
DONE = "It is done."
NOTHING = "I would rather not."


class Perfect:
    """Goes the shortest way of each task, in whichever form it is asked."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = {task.text: task for task in tasks}

    def __call__(self, request: ModelCall) -> Answer:
        """The next move; a refusal that says why, if there is none."""
        try:
            schema = request.response_schema
            return Reply(self._held(request, schema)) if schema else self._native(request)
        except LookupError as error:
            return Refusal(400, {"error": {"message": f"no way: {error}"}})

    def _held(self, request: ModelCall, schema: dict[str, Any]) -> str:
        user = request.last("user")
        found = ASKED.search(user.text if user else "")
        if not found:
            raise LookupError("this is not one of our questions")
        move = _at(self._tasks[found["task"]].way, len(STEP.findall(found["steps"])))
        return json.dumps(held_answer(move, schema), ensure_ascii=False)

    def _native(self, request: ModelCall) -> Reply:
        task = next(
            (task for text, task in self._tasks.items() if any(text in turn.text for turn in request.turns)),
            None,
        )
        if task is None:
            raise LookupError("no task of ours")
        past = steps(request, -1)
        if not past or past[-1].call.name != SEE:
            return call(SEE, filter="all")
        move = _at(task.way, sum(step.call.name != SEE for step in past))
        if move.kind == "say":
            said = move.text or move.name
            return call("done", summary=said, outcome="success") if "done" in request.tools else Reply(said)
        tree = parse(str(past[-1].result.get("pageContent", "")))
        ref = _node(tree, move).ref
        if move.kind == "click":
            return call("click_ax", ref_id=ref)
        return call("type_ax" if move.kind == "choose" else "set_field", ref_id=ref, text=move.text)


def idle(request: ModelCall) -> Answer:
    """Say that it is done, and where that is not allowed do what has no effect."""
    schema = request.response_schema
    if schema is None:
        return Reply(NOTHING)
    branches = _branches(schema)
    for tool in ("done", "answer", "scroll", "press_keys"):
        for branch in branches:
            if _const(branch, "tool") == tool:
                return Reply(json.dumps(_filled(branch, {"summary": NOTHING, "text": NOTHING})))
    return Reply("{}")


def held_answer(move: Move, schema: dict[str, Any]) -> dict[str, Any]:
    """The answer for a move that a turn's schema allows; raise ``LookupError`` if it allows none."""
    if move.kind == "say":
        said = move.text or move.name
        for branch in _branches(schema):
            if _const(branch, "tool") in ("done", "answer"):
                wish = {"summary": said, "text": said, "outcome": "success"}
                return _filled(branch, wish)
        raise LookupError("the schema does not let it end")
    tool = {"click": "click_ax", "fill": "set_field", "choose": "type_ax"}[move.kind]
    start = move.name[:LABEL_CHARS].rstrip() + (" (" if move.kind == "choose" else " [")
    for branch in _branches(schema):
        if _const(branch, "tool") != tool:
            continue
        for element in branch["properties"]["element"]["enum"]:
            if element.startswith(start) and _allows(branch, move.text):
                return _filled(branch, {"element": element, "text": move.text})
    raise LookupError(f"the schema has no {tool} for {move.name!r} = {move.text!r}")


def _at(way: Sequence[Move], place: int) -> Move:
    return way[place] if place < len(way) else Move("say", DONE)


def _node(tree: Sequence[Node], move: Move) -> Node:
    for node in tree:
        named = node.attributes.get("label", node.name) if move.kind == "choose" else node.name
        if node.ref and named == move.name and node.role in ROLES.get(move.kind, (node.role,)):
            return node
    raise LookupError(f"the tree has no {move.name!r} to {move.kind}: {[node.name for node in tree]}")


def _branches(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return list(schema.get("anyOf", [schema]))


def _const(branch: dict[str, Any], key: str) -> Any:
    return branch["properties"].get(key, {}).get("const")


def _allows(branch: dict[str, Any], text: str) -> bool:
    options = branch["properties"].get("text", {}).get("enum")
    return not text or options is None or text in options


def _filled(branch: dict[str, Any], wish: dict[str, Any]) -> dict[str, Any]:
    """The branch's keys in their order, with what is wished for where it is allowed."""
    out = {}
    for key, part in branch["properties"].items():
        options = part.get("enum")
        wished = wish.get(key, "")
        out[key] = part.get("const", wished if options is None or wished in options else options[0])
    return out
