"""Carrying out what a model asked for: one tool call after the other, each with a result in the history."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.agent.arguments import parse_arguments
from webbrain.agent.cards import Cards
from webbrain.agent.completion import Completion
from webbrain.agent.enrich import clean
from webbrain.agent.evidence import place_of, seen_by
from webbrain.agent.journal import Journal
from webbrain.agent.origins import Origins
from webbrain.agent.page import read_controls
from webbrain.agent.parts import AgentParts, ConfirmPolicy
from webbrain.agent.planner_guard import ExecutionGuard
from webbrain.agent.run_tabs import RunTabs
from webbrain.agent.telling import NAME_CHARS, Teller, error_text, plain_text
from webbrain.agent.waiting import detached
from webbrain.core.errors import ModelMayRetry, OutcomeUnknown, WebBrainError
from webbrain.core.limits import PAGE_URL_CHARS
from webbrain.core.messages import Message, ToolCall
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Host
from webbrain.policy.loops import LoopGuard, mark_final
from webbrain.policy.results import NOTE
from webbrain.tools.base import ToolContext, ToolSpec

TOOLS_NAMED: Final = 40

UNKNOWN: Final = "It is not known whether this happened. Look at the page before you decide to do it again."
SKIPPED: Final = "Not done: an earlier call of the same answer ended or broke off the batch."
SKIPPED_AFTER_UNKNOWN: Final = (
    "Not done: the outcome of an earlier call of the same answer is unknown. Look at the page first."
)
CANCELLED: Final = "The user stopped the run before this was finished."
NOT_STARTED: Final = "The user stopped the run before this was started."
NOT_ON_RECORD: Final = (
    "Not done: the browser's storage is full or refuses, so that it could not be put on record. Only reading "
    "works until there is room."
)
NO_PROBE: Final = "The page did not answer in time; nothing was done."
CUT_OFF: Final = "Your answer reached the output limit before it was complete. Write less at a time."
NAVIGATED: Final = "navigation occurred: the tab shows another page now. Refs from before are void."


@dataclass(slots=True)
class Batch:
    """How the calls of one answer went."""

    malformed: bool = False
    """True if not one of them could be carried out as written."""
    final: ToolResult | None = None
    """The result that ends the run."""
    tab_gone: bool = False
    loop: str = ""
    """The detector that found the run going in circles for too long, see ``policy.loops``."""
    done: list[tuple[ToolSpec, ToolResult]] = field(default_factory=list)
    """The calls that ran, with what came of them."""


@dataclass(slots=True)
class _Open:
    """The call that screens were told of and that has no result yet."""

    call: ToolCall
    spec: ToolSpec
    started: float
    effect: bool = False
    in_flight: bool = False
    result: ToolResult | None = None
    unknown: bool = False


@dataclass(slots=True)
class _Outcome:
    result: ToolResult
    text: str
    malformed: bool = False
    unknown: bool = False
    origin: str = ""
    loop: str = ""


@dataclass(slots=True)
class Caller:
    """Carries out the calls of one run."""

    host: Host
    parts: AgentParts
    journal: Journal
    cards: Cards
    policies: Sequence[ConfirmPolicy]
    tabs: RunTabs
    teller: Teller
    guard: ExecutionGuard
    completion: Completion
    loops: LoopGuard = field(default_factory=LoopGuard, init=False)
    _path: str = field(default="", init=False)
    """Where the run's tab was after the last call, without query and fragment."""
    _open: _Open | None = field(default=None, init=False)

    async def run_all(
        self,
        calls: Sequence[ToolCall],
        tools: Sequence[ToolSpec],
        ctx: ToolContext,
        step: int,
        *,
        cut_off: bool = False,
    ) -> Batch:
        """Carry out ``calls`` in order. Each gets its result in the history, whatever becomes of the others.

        ``cut_off`` says that the answer ended at the output limit, which explains broken arguments.
        """
        offered = {tool.name: tool for tool in tools}
        self.completion.turn()
        self.loops.turn()
        batch = Batch(malformed=bool(calls))
        skip = ""
        for call in calls:
            if skip:
                self._answer(call, error_text(skip, "skipped"))
                continue
            outcome = await self._run(call, offered, self._now(ctx), step, cut_off)
            batch.malformed = batch.malformed and outcome.malformed
            if not outcome.malformed:
                batch.done.append((offered[call.name], outcome.result))
            if outcome.loop:
                batch.loop = outcome.loop
                skip = SKIPPED
            elif outcome.unknown:
                skip = SKIPPED_AFTER_UNKNOWN
            elif outcome.result.final is not None:
                batch.final = outcome.result
                skip = SKIPPED
            elif outcome.result.data.get("code") == "no_tab" and await self.tabs.gone():
                batch.tab_gone = True
                skip = SKIPPED
        return batch

    def close(self) -> None:
        """The run ends now: give every call that is still open a result. Synchronous: nothing can interrupt
        it.
        """
        current, self._open = self._open, None
        for call in self.journal.orphans():
            if current is None or call.id != current.call.id:
                self._answer(call, error_text(NOT_STARTED, "cancelled"))
                continue
            if current.result is None:
                current.unknown = current.in_flight and current.effect
                current.result = (
                    ToolResult.refused(UNKNOWN, code=OutcomeUnknown.code)
                    if current.unknown
                    else ToolResult.refused(CANCELLED if current.in_flight else NOT_STARTED, code="cancelled")
                )
            self.teller.finish(call, current.spec, current.result, current.started, unknown=current.unknown)
            self._answer(call, self.parts.render(current.spec, current.result))

    def _now(self, ctx: ToolContext) -> ToolContext:
        """``ctx`` on the tab that the run works on at this moment."""
        return dataclasses.replace(ctx, tab_id=ctx.state.tab_id)

    async def _run(
        self, call: ToolCall, offered: dict[str, ToolSpec], ctx: ToolContext, step: int, cut_off: bool
    ) -> _Outcome:
        spec = offered.get(call.name)
        started = self.host.clock.monotonic()
        try:
            args = self._understood(call, spec, offered)
        except ModelMayRetry as error:
            self.teller.begin(call, spec, None, step)
            result = _from_error(error)
            if cut_off:
                result.data["cutOff"] = CUT_OFF
            self.teller.finish(call, spec, result, started)
            self._answer(call, plain_text(result))
            return _Outcome(result, "", malformed=True)
        assert spec is not None
        outcome = await self._act(call, spec, args, ctx, step)
        self._answer(call, outcome.text, outcome.origin)
        return outcome

    def _understood(self, call: ToolCall, spec: ToolSpec | None, offered: dict[str, ToolSpec]) -> Any:
        if spec is None:
            names = ", ".join(list(offered)[:TOOLS_NAMED]) or "none"
            name = clean(call.name, NAME_CHARS) or "(no name)"
            raise ModelMayRetry(f"There is no tool {name} here. Available: {names}.", code="unknown_tool")
        return parse_arguments(spec, call.arguments)

    async def _act(self, call: ToolCall, spec: ToolSpec, args: Any, ctx: ToolContext, step: int) -> _Outcome:
        """Ask a person if need be, then do it."""
        given = args.model_dump(mode="json", exclude_none=True)
        await self.tabs.make_ready(spec)
        self.journal.learn()
        origins = Origins(ctx, spec, given)
        origins.begin()
        refusal = self._blind(spec, given) or await self._refusal(spec, given, ctx)
        effect = refusal is None and (spec.effect or self._allowed(ctx).allow_api)
        place = place_of(spec, given) if effect else ""
        self.teller.begin(call, spec, given, step, effect=effect, place=place)
        label = self.teller.label_of(spec, given)
        current = self._open = _Open(call, spec, self.host.clock.monotonic(), effect, result=refusal)
        # What is about to happen must be on record before it can happen. Nothing else waits for the store.
        if effect and not await self.journal.secured():
            current.result = ToolResult.refused(NOT_ON_RECORD, code="not_recorded")
        if current.result is None:
            since = ctx.state.signals.mark
            current.in_flight = True
            allowed = self._allowed(ctx)
            current.result, current.unknown = await self._result_of(spec, args, allowed)
            self.completion.took(
                allowed,
                spec,
                given,
                current.result,
                effect=effect,
                unknown=current.unknown,
                call_id=call.id,
                label=label,
            )
            if self.completion.files.proven:
                self.guard.file_saved()
            for policy in self.policies:
                policy.ended(current.result)
            if spec.effect and not current.unknown:
                await self._note_navigation(ctx, spec, since, current.result)
        assert current.result is not None
        if current.result.final is not None:
            current.result = await self.completion.judged(ctx, current.result, self.guard)
        current.result = self.guard.judged(spec, current.result, effect=effect)
        document = ctx.state.documents[ctx.tab_id, 0]
        mark_final(spec, given, current.result, f"{ctx.tab_id}.{document}")
        current.result.notes.extend(self.tabs.take_notes())
        await self.tabs.observer.after(ctx.tab_id, spec, given, current.result)
        self._open = None
        seen = seen_by(spec, given) if current.result.success else ""
        self.teller.finish(call, spec, current.result, current.started, unknown=current.unknown, seen=seen)
        origin = await origins.of(current.result)
        if current.result.data.get("sensitiveField"):
            self.journal.taint.note_entered(given, origin)
        loop = self._in_circles(spec, given, current.result, ctx)
        text = self.parts.render(spec, current.result)
        if told := self.completion.shown(ctx, given, current.result, text):
            text = f"{text}{NOTE}{told}"
        return _Outcome(current.result, text, unknown=current.unknown, origin=origin, loop=loop)

    def _in_circles(self, spec: ToolSpec, given: dict[str, Any], result: ToolResult, ctx: ToolContext) -> str:
        """Tell the model of a circle it goes in; the name of the detector that has seen enough, or empty."""
        if spec.terminal:
            return ""
        if ctx.state.path != self._path:
            self._path = ctx.state.path
            self.loops.moved()
        verdict = self.loops.after(spec, given, result, self.host.clock.monotonic())
        if verdict.nudge:
            result.notes.append(verdict.nudge)
        return verdict.stop

    async def _result_of(self, spec: ToolSpec, args: Any, ctx: ToolContext) -> tuple[ToolResult, bool]:
        """Run the tool with ``ctx``; return its result, and whether it is unknown what came of it."""
        effect = spec.effect or ctx.allow_api
        self.journal.flush()
        try:
            result = await detached(spec.run(ctx, args), spec.timeout)
        except TimeoutError:
            code = OutcomeUnknown.code if effect else "timeout"
            result = ToolResult.error(f"No answer within {spec.timeout:g} seconds.", code=code)
        except WebBrainError as error:
            result = _from_error(error)
        except Exception as error:  # noqa: BLE001 - a tool's bug must not end the run; it is told, not hidden
            code = OutcomeUnknown.code if effect else "internal_error"
            result = ToolResult.error(f"The tool itself failed ({type(error).__name__}).", code=code)
        if not spec.untrusted:
            result.data.pop("dialog", None)  # a page wrote its text, and this result is not marked so
        self.teller.learn_names(read_controls(result.private.get("controls")))
        unknown = result.data.get("code") == OutcomeUnknown.code
        if unknown:
            result.notes.append(UNKNOWN)
        return result, unknown

    def _blind(self, spec: ToolSpec, given: dict[str, Any]) -> ToolResult | None:
        """The result that stands in for an action before anybody has looked what came of an earlier one."""
        told = self.completion.blind_to(spec, given)
        return ToolResult.refused(told, code="look_first") if told else None

    async def _refusal(self, spec: ToolSpec, given: dict[str, Any], ctx: ToolContext) -> ToolResult | None:
        """The result that stands in for a call that may not be made, or ``None``."""
        for policy in self.policies:
            try:
                while card := await detached(policy.needs_card(ctx, spec, given), spec.timeout):
                    refusal = await policy.answered(await self.cards.ask(card))
                    if refusal is not None:
                        return refusal
            except TimeoutError:
                return ToolResult.refused(NO_PROBE, code="page_busy")
            except WebBrainError as error:
                return _from_error(error)
        return None

    def _allowed(self, ctx: ToolContext) -> ToolContext:
        """``ctx`` with what the policies add to a call they let through."""
        for policy in self.policies:
            ctx = policy.context(ctx)
        return ctx

    async def _note_navigation(
        self, ctx: ToolContext, spec: ToolSpec, since: int, result: ToolResult
    ) -> None:
        """Say so if the tab shows another page than before and the tool itself did not notice. The address is
        the page's word, and no part of the note."""
        if result.notes or "pageUrlChanged" in result.data or ctx.tab_id != ctx.state.tab_id:
            return
        for event in reversed(ctx.state.signals.since(since)):
            phase = event.data.get("phase") if event.kind == "navigation" else None
            if phase == "committed" and event.tab_id == ctx.tab_id:
                if spec.untrusted:
                    result.data["currentUrl"] = str(event.data.get("url") or "")[:PAGE_URL_CHARS]
                result.notes.append(NAVIGATED)
                return

    def _answer(self, call: ToolCall, text: str, origin: str = "") -> None:
        answer = Message(role="tool", content=text, tool_call_id=call.id, name=call.name, origin=origin)
        self.journal.add(answer)


def _from_error(error: WebBrainError) -> ToolResult:
    data = {key: value for key, value in error.data.items() if key not in ("error", "code", "message")}
    return ToolResult.error(error.message, error.code, **data)
