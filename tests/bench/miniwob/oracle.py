"""A policy in the model's place: what it calls becomes the model's answer, what it gets is the tool's result.

A policy is an ordinary function that calls tools and reads what they return. It runs in a thread of its own
and waits there while the extension carries out its call, as a model waits between two requests. It sees what
a model sees, and nothing else: the text of tool results.
"""

import re
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from tests.bench.miniwob.suite import Policy
from tests.bench.miniwob.words import Words
from webbrain.testing.chat import Answer, ModelCall, Refusal, Reply
from webbrain.testing.demo.history import Step, steps
from webbrain.testing.model_server import call

NUMBER = re.compile(r"^Task (\d+): ", re.MULTILINE)
THINKING = 30.0
"""Seconds a policy may take between two calls; it decides in milliseconds."""
SUMMARY_CHARS = 300
RESULT_CHARS = 6_000


class Abandoned(BaseException):
    """The run ended under the policy. No ``Exception``, lest a policy take it for a tool's failure."""


@dataclass
class Part:
    """A policy at work on one episode. Created with ``start``."""

    policy: Policy
    goal: str
    calls: list[str] = field(default_factory=list)
    """Names of the tools that were called."""
    log: list[str] = field(default_factory=list)
    """Calls and results, for reading."""
    missing: list[str] = field(default_factory=list)
    """Tools that the policy wanted and the extension did not offer."""
    gave_up: str = ""
    """Why the policy ended without having done what it wanted."""
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """From an answer of the model to its next request, by the tool that was called."""
    _asked: SimpleQueue[Reply] = field(default_factory=SimpleQueue)
    _results: SimpleQueue[dict[str, Any] | None] = field(default_factory=SimpleQueue)
    _offered: dict[str, dict[str, Any]] = field(default_factory=dict)
    _thread: threading.Thread | None = None
    _answered: float = 0.0

    def answer(self, request: ModelCall) -> Answer:
        """What the model says to a request of the extension."""
        if self._answered and self.calls:
            self.seconds[self.calls[-1]].append(time.monotonic() - self._answered)
        self._offered = {tool["function"]["name"]: tool["function"] for tool in request.body.get("tools", ())}
        if self._thread is None:
            self._thread = threading.Thread(target=self._play, daemon=True, name="policy")
            self._thread.start()
        else:
            step = _last_step(request)
            if step is not None:
                self._note(f"   {step.text.strip()[:RESULT_CHARS]}")
                self._results.put(step.result or {"success": False, "error": step.text})
        if not self._thread.is_alive() and self._asked.empty():
            # Its claim of success was not accepted; whether the task is done the page knows anyway.
            return self._end("partial")
        try:
            reply = self._asked.get(timeout=THINKING)
        except Empty:
            self.gave_up = self.gave_up or "the policy went on thinking"
            reply = self._end("failed")
        self._answered = time.monotonic()
        return reply

    def abandon(self) -> None:
        """The run is over; let the policy's thread end too."""
        self._results.put(None)
        if self._thread is not None:
            self._thread.join(THINKING)

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool of the extension and wait for its result."""
        if tool not in self._offered:
            self.missing.append(tool)
            return {"success": False, "error": f"there is no tool {tool}"}
        self.calls.append(tool)
        self._note(f"{tool} {arguments}")
        self._asked.put(call(tool, **arguments))
        result = self._results.get()
        if result is None:
            raise Abandoned
        return result

    def schema(self, tool: str) -> dict[str, Any]:
        """The JSON schema of a tool's arguments by name, as it was offered to the model."""
        properties: dict[str, Any] = self._offered.get(tool, {}).get("parameters", {}).get("properties", {})
        return properties

    def _play(self) -> None:
        outcome = "success"
        try:
            self.policy(self.goal, Words(self))
        except Abandoned:
            return
        except Exception as error:
            self.gave_up = f"{type(error).__name__}: {error}"
            outcome = "failed"
        self._asked.put(self._end(outcome))

    def _end(self, outcome: str) -> Reply:
        self._note(f"done {outcome} {self.gave_up}")
        return call("done", summary=self.gave_up[:SUMMARY_CHARS] or "Done.", outcome=outcome)

    def _note(self, text: str) -> None:
        self.log.append(text)


class Oracle:
    """Answers for all episodes under way; the number in a task's text says which one a request belongs to."""

    def __init__(self) -> None:
        self._parts: dict[int, Part] = {}
        self._last = 0

    def cast(self, policy: Policy, goal: str) -> tuple[int, Part]:
        """Make a policy ready for a task."""
        self._last += 1
        part = self._parts[self._last] = Part(policy, goal)
        return self._last, part

    def dismiss(self, number: int) -> None:
        """Forget an episode."""
        self._parts.pop(number).abandon()

    def __call__(self, request: ModelCall) -> Answer:
        for turn in reversed(request.turns):
            if turn.role == "user" and (found := NUMBER.search(turn.text)):
                part = self._parts.get(int(found[1]))
                return part.answer(request) if part else Refusal(410, _error("this episode is over"))
        return Refusal(400, _error("the request names no episode"))


def task_text(number: int, goal: str) -> str:
    """What the person types for an episode."""
    return f"Task {number}: {goal}"


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


def _last_step(request: ModelCall) -> Step | None:
    """The newest tool call with its result, or ``None`` before the first."""
    asked = [index for index, turn in enumerate(request.turns) if turn.calls]
    found = steps(request, asked[-1] - 1) if asked else []
    return found[-1] if found else None
