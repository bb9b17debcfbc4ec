"""One call of the model: what is sent, what is shown while it comes, and what a failure leads to."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from webbrain.agent.compaction import Compactor
from webbrain.agent.context import ContextGuard, answer_room, message_chars, tools_chars
from webbrain.agent.journal import Journal
from webbrain.agent.patience import Patience
from webbrain.agent.turns import TurnState, TurnStrategy
from webbrain.agent.waiting import detached
from webbrain.core.errors import ProviderFailed
from webbrain.core.events import Text
from webbrain.core.events import Warning as RunWarning
from webbrain.core.limits import STREAMED_TEXT_CHARS
from webbrain.core.messages import Message, ModelReply, ModelRequest, Usage
from webbrain.core.types import Mode
from webbrain.host.protocols import Host
from webbrain.providers.base import ModelClient, ModelInfo

SETTLE_DELAY: Final = 0.01
"""Seconds after the request: what the memory of page texts has to do is done while the model thinks."""
CONTEXT_OVERFLOW: Final = "context_too_small"
"""The code by which a provider says that the request is longer than its window."""

PICTURES_REFUSED: Final = (
    "{label} does not accept pictures with this model, so it gets none from now on. "
    "A vision model can be chosen in the settings."
)


class ModelCaller:
    """Calls the model of one run. A broken stream closes streaming for the rest of the run (see the
    client).
    """

    def __init__(
        self, host: Host, journal: Journal, guard: ContextGuard, spent: Callable[[Usage], None]
    ) -> None:
        """``spent`` is told of tokens that no answer of :meth:`call` holds."""
        self._host = host
        self._journal = journal
        self._guard = guard
        self._compactor = Compactor(journal, guard, spent)
        self._shown = ""
        self.streamed = False
        """True if text of the newest answer is on the screens already."""

    async def call(
        self, client: ModelClient, strategy: TurnStrategy, state: TurnState, *, pinned: int, streaming: bool
    ) -> ModelReply:
        """Return a whole answer; raise ``ProviderFailed`` once a repeat cannot help."""
        # A strategy that reads the page for every step tells the steps before it in lines.
        sends_history = not strategy.needs_page
        # What is not the history is measured without it: a step must not cost more the longer a run is.
        bare = _request(strategy, state, ()) if sends_history else None
        fixed = _chars(bare) + tools_chars(bare.tools) if bare else 0
        output = answer_room(client.info.context_window, bare.max_tokens) if bare else 0
        if bare:
            await self._compactor.before_step(
                client, state.messages, output=output, fixed=fixed, pinned=pinned
            )

        def fitting(*, emergency: bool = False) -> ModelRequest:
            if bare is None:
                return strategy.request(state)
            history = self._guard.fit(
                state.messages,
                window=client.info.context_window,
                output=output,
                fixed=fixed,
                pinned=pinned,
                emergency=emergency,
            )
            fitted = _request(strategy, state, history)
            fitted.max_tokens = output
            return fitted

        request = fitting()
        shortened, patience = False, Patience(self._host.clock, self._journal)
        while True:
            request.stream = streaming and _may_stream(client.info, state.mode)
            saw = client.info.supports_vision
            asyncio.get_running_loop().call_later(SETTLE_DELAY, self._learn)
            self._journal.flush()
            try:
                reply = await detached(client.complete(request, self._show, self._void))
            except ProviderFailed as error:
                self._void()
                if error.code == CONTEXT_OVERFLOW and not shortened:
                    shortened, longer = True, request
                    request = fitting(emergency=True)
                    if _chars(request) >= _chars(longer):
                        raise  # all of it is needed, so that the same would be sent again
                    self._warn(
                        "context_shortened", "The conversation was too long for the model and was shortened."
                    )
                elif not await patience.wait(error):
                    raise
            else:
                if saw and not client.info.supports_vision:
                    self._warn("pictures_refused", PICTURES_REFUSED.format(label=client.info.label))
                self.streamed, self._shown = bool(self._shown), ""
                if not reply.usage.estimated:
                    self._guard.learn(_chars(request) + tools_chars(request.tools), reply.usage.prompt_tokens)
                return reply

    def take_partial(self) -> str:
        """The text of an answer that was cut off by a Stop, if any of it was shown."""
        partial, self._shown = self._shown, ""
        return partial.strip()

    def _learn(self) -> None:
        """Learn what the newest results say now, not when a call waits for it."""
        self._journal.learn().settle()

    def _show(self, delta: str) -> None:
        room = STREAMED_TEXT_CHARS - len(self._shown)
        if room > 0:
            self._shown += delta[:room]
            self._journal.delta(delta[:room])

    def _void(self) -> None:
        """What was shown of the answer does not count any more."""
        if self._shown:
            self._shown = ""
            self._journal.emit(Text(content="", replace=True))

    def _warn(self, code: str, message: str) -> None:
        self._journal.emit(RunWarning(code=code, message=message))


def _request(strategy: TurnStrategy, state: TurnState, history: Sequence[Message]) -> ModelRequest:
    """What the strategy makes of this much of the history."""
    everything = state.messages
    state.messages = history
    try:
        return strategy.request(state)
    finally:
        state.messages = everything


def _chars(request: ModelRequest) -> int:
    return sum(map(message_chars, request.messages))


def _may_stream(info: ModelInfo, mode: Mode) -> bool:
    return mode is Mode.ASK and info.streams_in_ask and not info.constrained
