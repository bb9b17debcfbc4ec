"""A model that says what a test tells it to: a ``ModelClient`` without any wire.

    model = ScriptedModel(call("click_ax", ref_id="ref_1"), "All done.") model = ScriptedModel(Stream("Hel",
    "lo"), [call("scroll"), call("done", summary="x")], ProviderFailed("no"))

Each step answers one request; asking for more than was scripted fails the test. Requests are kept in
``requests``. Those for a plan are kept in ``plans`` and answered with ``plan``: a dictionary of what is
special about it, a text, an exception, a function of the request, or a list of these for one request after
the other.
"""

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.core.messages import ModelReply, ModelRequest, ToolCall, Usage
from webbrain.core.types import Tier
from webbrain.host.memory import Gate
from webbrain.prompts import prompt
from webbrain.providers.base import ModelInfo
from webbrain.testing.planning import asks_for_plan, plan_text

INFO = ModelInfo(
    provider_id="scripted", label="Scripted", model="script-1", tier=Tier.FULL, context_window=128_000
)

SUMMARY: Final = "What was done before went well."


def call(name: str, /, raw: str | None = None, call_id: str = "", **arguments: Any) -> ToolCall:
    """A tool call; ``raw`` is argument text as it stands, broken or not."""
    return ToolCall(id=call_id, name=name, arguments=json.dumps(arguments) if raw is None else raw)


@dataclass(frozen=True, slots=True)
class Stream:
    """Text that comes in pieces, if streaming was asked for. ``gate`` holds it up before the last piece.

    ``broken`` voids the text after all pieces came, as a client does whose stream broke; then ``then``
    answers.
    """

    pieces: tuple[str, ...]
    gate: Gate | None
    broken: bool
    then: Any

    def __init__(
        self, *pieces: str, gate: Gate | None = None, broken: bool = False, then: Any = None
    ) -> None:
        object.__setattr__(self, "pieces", pieces)
        object.__setattr__(self, "gate", gate)
        object.__setattr__(self, "broken", broken)
        object.__setattr__(self, "then", then)


@dataclass
class ScriptedModel:
    """See the module's docstring."""

    steps: list[Any]
    info: ModelInfo = INFO
    requests: list[ModelRequest] = field(default_factory=list)
    summary: str = SUMMARY
    """Answers every request for a summary of older messages; empty: they take a step as others do."""
    plans: list[ModelRequest] = field(default_factory=list)
    plan: Any = None

    def __init__(self, *steps: Any, info: ModelInfo = INFO, summary: str = SUMMARY, plan: Any = None) -> None:
        self.steps = list(steps)
        self.info = info
        self.requests = []
        self.summary = summary
        self.plans = []
        self.plan = plan

    async def connect(self) -> "ScriptedModel":
        """Itself, for whoever wants a fresh client per run."""
        return self

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """Play the next step."""
        if asks_for_plan(message.content for message in request.messages):
            self.plans.append(request.model_copy(deep=True))
            return await self._play(self._plan(request), request, on_delta, on_reset)
        if self.summary and request.messages[0].content == prompt("summarise"):
            return _reply(self.summary)
        self.requests.append(request.model_copy(deep=True))
        if not self.steps:
            raise AssertionError(f"request {len(self.requests)} was not scripted")
        return await self._play(self.steps.pop(0), request, on_delta, on_reset)

    def _plan(self, request: ModelRequest) -> Any:
        plan = self.plan.pop(0) if isinstance(self.plan, list) else self.plan
        if plan is None or isinstance(plan, dict):
            return plan_text(request.response_schema, **(plan or {}))
        return plan

    async def _play(
        self,
        step: Any,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None,
        on_reset: Callable[[], None] | None,
    ) -> ModelReply:
        if callable(step):
            step = step(request)
            if inspect.isawaitable(step):
                step = await step
            return await self._play(step, request, on_delta, on_reset)
        if isinstance(step, Gate):
            await step.wait()
            return await self._play(self.steps.pop(0), request, on_delta, on_reset)
        if isinstance(step, Stream):
            return await self._stream(step, request, on_delta, on_reset)
        return _reply(step)

    async def _stream(
        self,
        step: Stream,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None,
        on_reset: Callable[[], None] | None,
    ) -> ModelReply:
        for number, piece in enumerate(step.pieces):
            if step.gate is not None and number == len(step.pieces) - 1:
                await step.gate.wait()
            if request.stream and on_delta is not None:
                on_delta(piece)
        if step.broken and on_reset is not None:
            on_reset()
        if step.then is not None:
            return await self._play(step.then, request, on_delta, on_reset)
        return _reply("".join(step.pieces))


def _reply(step: Any) -> ModelReply:
    if isinstance(step, BaseException):
        raise step
    if isinstance(step, ModelReply):
        return step
    usage = Usage(prompt_tokens=10, completion_tokens=5)
    if isinstance(step, str):
        return ModelReply(text=step, usage=usage)
    calls: Sequence[ToolCall] = [step] if isinstance(step, ToolCall) else step
    return ModelReply(tool_calls=list(calls), usage=usage, finish="tool_calls")
