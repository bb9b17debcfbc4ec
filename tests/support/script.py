"""Parts of scripts for the model server: what a test has the model say."""

from collections.abc import Callable
from typing import Any

from webbrain.testing.chat import Answer, ModelCall, Reply
from webbrain.testing.demo.history import Step, steps
from webbrain.testing.demo.tree import Node, parse
from webbrain.testing.model_server import call

__all__ = ["Results", "call", "done", "last_result", "on_ref", "say", "see", "tree"]

Think = Callable[[ModelCall], Answer]


class Results:
    """What tools answered, in order, remembered on the way to the next step of a script."""

    def __init__(self) -> None:
        self.results: list[dict[str, Any]] = []
        self.texts: list[str] = []

    def then(self, answer: Any) -> Think:
        """The next step, after a look at the newest result."""

        def think(model_call: ModelCall) -> Answer:
            step = last_result(model_call)
            self.results.append(step.result)
            self.texts.append(step.text)
            reply: Answer = answer(model_call) if callable(answer) else answer
            return reply

        return think


def say(text: str, **how: Any) -> Reply:
    """A plain answer."""
    return Reply(text, **how)


def see(**arguments: Any) -> Reply:
    """Read the page's tree."""
    return call("get_accessibility_tree", **arguments)


def done(summary: str, outcome: str = "success") -> Reply:
    """End the run."""
    return call("done", summary=summary, outcome=outcome)


def on_ref(tool: str, name: str, role: str = "", **arguments: Any) -> Think:
    """Call a tool on the element of that name in the newest tree the model was shown."""

    def think(model_call: ModelCall) -> Answer:
        nodes = tree(model_call)
        found = [node for node in nodes if node.ref and node.name == name and role in ("", node.role)]
        if not found:
            names = [node.name for node in nodes]
            raise LookupError(f"the tree shows no {role} {name!r}, only {names}")
        return call(tool, ref_id=found[0].ref, **arguments)

    return think


def tree(model_call: ModelCall) -> list[Node]:
    """The newest tree in a conversation."""
    for step in reversed(_steps(model_call)):
        if step.call.name == "get_accessibility_tree" and step.ok:
            return parse(str(step.result.get("pageContent", step.text)))
    return []


def last_result(model_call: ModelCall) -> Step:
    """The newest tool call with what came back."""
    return _steps(model_call)[-1]


def _steps(model_call: ModelCall) -> list[Step]:
    return steps(model_call, -1)
