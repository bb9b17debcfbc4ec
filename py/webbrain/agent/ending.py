"""How a run ends in words: with ``done``, with a plain text that counts as the answer, or not yet."""

from typing import Final

from webbrain.agent import enrich
from webbrain.agent.completion import Completion
from webbrain.agent.journal import Journal
from webbrain.agent.planner_guard import ExecutionGuard
from webbrain.agent.planner_turn import ONLY_WORDS, UNVERIFIED
from webbrain.agent.run_words import RunEnded
from webbrain.agent.secrecy import Secrecy
from webbrain.agent.tally import Tally
from webbrain.agent.turns import TurnStrategy
from webbrain.core.events import MaxSteps, Text
from webbrain.core.events import Warning as RunWarning
from webbrain.core.messages import Message
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode

SOME_DONE: Final = (
    "The model did a part of it and then only said what comes next. Look how far it got, and ask for the "
    "rest in a new message. A larger model may do better."
)
UNSETTLED: Final = (
    "The agent ended in words, and what they say was not checked: something is open, or nobody looked at "
    "what came of the last action. Look for yourself."
)
CUT: Final = "The model reached its output limit; the answer is not complete."


class Ending:
    """The last words of one run."""

    def __init__(
        self, journal: Journal, secrecy: Secrecy, guard: ExecutionGuard, completion: Completion, tally: Tally
    ) -> None:
        self._journal = journal
        self._secrecy = secrecy
        self._guard = guard
        self._completion = completion
        self._tally = tally

    def refusal(self, text: str, strategy: TurnStrategy, mode: Mode) -> str:
        """What is told to a model whose plain text does not end the task; empty if it does. One that is held
        to a schema was offered that way of ending, so only its plan counts."""
        refusal = self._guard.refuse_text(text)
        if refusal or not strategy.sends_history:
            return refusal
        return self._completion.refuse_text(text, mode, self._guard)

    def refuse(self, text: str, refusal: str) -> None:
        """Tell the model once that words alone do not end the task; raise ``RunEnded`` the second time."""
        self._journal.emit(Text(content=self._secrecy.answer(text)))
        if self._guard.nudged:
            words = SOME_DONE if self._completion.acted else ONLY_WORDS
            raise RunEnded(words, code="plan_only_output")
        self._guard.nudge()
        self._journal.add(Message(role="user", content=enrich.note(refusal)))

    def in_words(self, text: str, mode: Mode, *, cut_off: bool) -> None:
        """A plain text is the answer; ``cut_off`` if the model's output limit ended it. What the record
        leaves open is no more settled by words than by ``done``."""
        if mode is not Mode.ASK and self._completion.unsettled(self._guard):
            self._tally.outcome = "partial"
            self._warn("unverified", UNSETTLED)
        self._tell(self._secrecy.answer(text))
        if cut_off:
            self._warn("answer_cut", CUT)

    def with_done(self, result: ToolResult) -> None:
        """The result of ``done`` is the answer."""
        if self._guard.doubted or self._completion.doubted:
            self._warn("unverified", UNVERIFIED)
        text = self._secrecy.answer((result.final or "").strip())
        self._tally.outcome = result.outcome or ""
        self._journal.add(Message(role="assistant", content=text or "(done)"))
        self._tell(text)

    def at_limit(self) -> None:
        """The step limit is reached: say how far things are."""
        recap = self._tally.recap(self._completion.pins.recap())
        self._journal.emit(MaxSteps(steps=self._tally.steps, recap=recap))

    def _tell(self, text: str) -> None:
        """The answer, with what the record says is not done."""
        self._journal.emit(Text(content=text, final=True, undone=self._completion.undone()))

    def _warn(self, code: str, message: str) -> None:
        self._journal.emit(RunWarning(code=code, message=message))
