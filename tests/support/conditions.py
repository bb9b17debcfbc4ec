"""Model servers that refuse a conversation on a condition, as some services do, and else play a script."""

import json
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from webbrain.host.memory import Reply as HttpReply
from webbrain.host.protocols import HttpRequest
from webbrain.testing import anthropic_wire, openai_wire
from webbrain.testing.chat import BadRequest, Call, ModelCall, Reply
from webbrain.testing.openai_wire import Dialect

Condition = Callable[[ModelCall], None]
"""Raises ``BadRequest`` in the words of the service."""


class Server:
    """Answers the POSTs of a run; ``refused`` keeps what it said of those it did not like."""

    def __init__(
        self,
        *answers: Reply,
        conditions: Sequence[Condition] = (),
        dialect: str = "local",
        wire: ModuleType = openai_wire,
        thinks: bool = False,
    ) -> None:
        """``thinks``: each answer comes with a thought of its own, and calls with an id of their own."""
        self.calls: list[ModelCall] = []
        self.refused: list[str] = []
        self.thoughts: dict[str, str] = {}
        """By the id of the first call of the answer."""
        self.conditions = conditions
        self._answers = list(answers)
        self._dialect: Dialect = openai_wire.DIALECTS[dialect]
        self._wire = wire
        self.thinks = thinks

    def __call__(self, sent: HttpRequest) -> HttpReply:
        headers = {name.lower(): value for name, value in sent.headers.items()}
        try:
            call = self._read(json.loads(sent.body or b"{}"), headers)
            for condition in self.conditions:
                condition(call)
        except BadRequest as problem:
            self.refused.append(str(problem))
            return HttpReply.json(self._wire.error(str(problem)), 400)
        self.calls.append(call)
        return HttpReply.json(self._body(call))

    def _read(self, body: Any, headers: dict[str, str]) -> ModelCall:
        if self._wire is openai_wire:
            return openai_wire.read(body, headers, self._dialect)
        call: ModelCall = self._wire.read(body, headers)
        return call

    def _body(self, call: ModelCall) -> dict[str, Any]:
        if not call.tools:
            # A summary of older messages, or a title: no step of the script.
            return dict(self._wire.whole(Reply("Earlier: looked around."), call, len(self.calls)))
        answer, number = self._answers.pop(0), len(self.calls)
        body: dict[str, Any] = self._wire.whole(answer, call, number)
        if self.thinks:
            message = body["choices"][0]["message"]
            message["reasoning_content"] = f"thought {number}"
            if answer.calls:
                self.thoughts[message["tool_calls"][0]["id"]] = message["reasoning_content"]
        return body

    def wants_thoughts(self, call: ModelCall) -> None:
        """DeepSeek: each turn with calls must carry the thought it came with."""
        for message in call.body["messages"]:
            if message["role"] == "assistant" and message.get("tool_calls"):
                thought = self.thoughts[message["tool_calls"][0]["id"]]
                if message.get("reasoning_content") != thought:
                    raise BadRequest(
                        "The reasoning_content in the thinking mode must be passed back to the API."
                    )


def user_first(call: ModelCall) -> None:
    """DeepSeek, Gemini, Anthropic: behind the system text a user speaks first."""
    spoken = [turn.role for turn in call.turns if turn.role != "system"]
    if not spoken or spoken[0] != "user":
        raise BadRequest("The first non-system message must be a user message.")


def query_somewhere(call: ModelCall) -> None:
    """The chat template of Qwen models, in LM Studio's words: a user must have asked something."""
    if not any(turn.role == "user" and turn.text.strip() for turn in call.turns):
        raise BadRequest('Error rendering prompt with jinja template: "No user query found in messages."')


def at_most(messages: int) -> Condition:
    """A context window, counted in messages."""

    def check(call: ModelCall) -> None:
        if len([turn for turn in call.turns if turn.role != "system"]) > messages:
            raise BadRequest("This model's maximum context length is exceeded: prompt is too long")

    return check


def looks(number: int) -> list[Reply]:
    """So many steps that only read, none like the one before, with ids of their own."""
    return [
        Reply("", (Call("read_page", json.dumps({"offset": 1_000 * n}), id=f"look_{n}"),))
        for n in range(number)
    ]


ANTHROPIC = anthropic_wire
