"""One run: ask the model, do what it asks, give it the results, until it is done or somebody stops it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from webbrain.agent import attachments, enrich
from webbrain.agent.calls import Caller
from webbrain.agent.cards import Cards
from webbrain.agent.clarify import Clarifier
from webbrain.agent.completion import Completion
from webbrain.agent.context import ContextGuard
from webbrain.agent.ending import Ending
from webbrain.agent.evidence import left_unknown
from webbrain.agent.journal import Journal
from webbrain.agent.model import ModelCaller
from webbrain.agent.parts import AgentParts
from webbrain.agent.pictures import Eyes
from webbrain.agent.pins import Pins
from webbrain.agent.planner_guard import ExecutionGuard
from webbrain.agent.planner_turn import Planning
from webbrain.agent.recovery import RESUMED, was_interrupted
from webbrain.agent.run_options import RunOptions
from webbrain.agent.run_tabs import RunTabs, open_before, told_open
from webbrain.agent.run_words import (
    API_ALLOWED,
    CONTINUE,
    EMPTY,
    ENDINGS,
    GO_ON,
    GO_ON_UNKNOWN,
    NOT_STORED,
    RESUMED_WORDS,
    STORED,
    UNREADABLE,
    WITHOUT_SCHEMA,
    RunEnded,
    TabClosed,
    failure,
    last_request,
    one_more_malformed,
    spent_in,
    with_own_ids,
)
from webbrain.agent.secrecy import Secrecy
from webbrain.agent.spending import Account, PaidClient
from webbrain.agent.tally import Status, Tally
from webbrain.agent.telling import NAME_CHARS, Teller
from webbrain.agent.turns import Turn, TurnState, TurnStrategy
from webbrain.agent.waiting import detached
from webbrain.core.errors import (
    BridgeError,
    CostLimit,
    ModelMayRetry,
    ProviderFailed,
    ToolFailed,
)
from webbrain.core.events import Text, Thinking, UserMessage
from webbrain.core.events import Warning as RunWarning
from webbrain.core.messages import Message
from webbrain.core.refs import RefNumbers
from webbrain.core.types import Mode
from webbrain.host.protocols import Host, Tab
from webbrain.policy import loops
from webbrain.policy.grants import Leave
from webbrain.policy.taint import origin_of
from webbrain.providers.base import SCHEMA_REFUSED, ModelClient, ModelInfo, model_differs
from webbrain.tools.base import ToolContext

CLOSING_SAVE_TIMEOUT: Final = 2.0
"""Seconds that the end of a run waits for the store."""
CLOSING_TABS_TIMEOUT: Final = 2.0
"""Seconds that the end of a run waits for dialogs and debuggers to be let go; they are either way."""
CALLS_PER_REPLY: Final = 32
"""More calls in one answer than this are refused: no honest answer has them."""
REPLY_TEXT_CHARS: Final = 200_000


class Run:
    """A run on one tab. :meth:`execute` is its whole life; it always ends with a ``run_complete`` event."""

    def __init__(
        self,
        host: Host,
        parts: AgentParts,
        connect: Callable[[], Awaitable[ModelClient]],
        journal: Journal,
        guard: ContextGuard,
        options: RunOptions,
        eyes: Eyes,
        account: Account,
        waits: Callable[[bool], None] | None = None,
        execution: ExecutionGuard | None = None,
        completion: Completion | None = None,
    ) -> None:
        """``connect`` gives the model's client; it may ask a server, so it is called inside the run.
        ``waits`` is told whether the run waits for a person. ``execution`` and ``completion`` are the
        conversation's own: a Continue is held to what the task before it was held to, with its evidence.
        """
        self.options = options
        self.closed = False
        """True once the run said how it ended; what is left then is storing it."""
        self._host = host
        self._parts = parts
        self._connect = connect
        self._journal = journal
        self._tabs = RunTabs(
            host,
            journal.tab_id,
            self._warn,
            observes=options.observes_api,
            may_write=options.allow_api,
        )
        self._tabs.state.taint = journal.taint
        self._secrecy = Secrecy(journal, strict=options.strict_secrets)
        self._teller = Teller(journal, host.clock)
        self.cards = Cards(journal, waits)
        leave = Leave(
            asks=options.asks,
            allow_api=options.allow_api,
            once=options.once,
            said=lambda: self._task_text,
            name_of=self._teller.name_of,
        )
        policies = parts.confirm(leave)
        self._guard = execution or ExecutionGuard()
        self._guard.keep = journal.hold
        self.planning = Planning(
            host.clock, journal, options.plans, self._guard, unattended=not options.asks, waits=waits
        )
        self._mode = options.mode
        self._person = Clarifier(
            self.cards,
            host.clock,
            self._tabs.state,
            self._guard,
            options.clarify_seconds if options.asks else 0,
        )
        self._completion = completion or Completion(Pins(journal))
        self.planning.pins, self.planning.allow_api = self._completion.pins, options.allow_api
        self._caller = Caller(
            host,
            parts,
            journal,
            self.cards,
            policies,
            self._tabs,
            self._teller,
            self._guard,
            self._completion,
        )
        unknown = GO_ON_UNKNOWN if left_unknown(journal) else ""
        self._go_on = (GO_ON if was_interrupted(journal) else CONTINUE) + unknown
        self._tally = Tally()
        self._model = ModelCaller(host, journal, guard, self._tally.add)
        self._eyes = eyes
        self._account = account
        self._refs = RefNumbers(message.content for message in journal.messages)
        self._ending = Ending(journal, self._secrecy, self._guard, self._completion, self._tally)
        self._started = host.clock.monotonic()
        self._pinned = 0
        self._task_text = options.text
        self._introduced = False
        self._cut_off = False
        self._told_other_model = False
        self._told_store_fails = False
        self._tab_closed = False
        self._at_first: Tab | None = None
        """The tab as it was when the run began."""

    @property
    def tab_id(self) -> int:
        """The tab this run works on now, whichever the user looks at."""
        return self._tabs.state.tab_id

    @property
    def status(self) -> str:
        """What a screen shows: ``running``, or what a person must answer."""
        if self.planning.reviewer.waiting:
            return "awaiting_plan"
        return "awaiting_card" if self.cards.waiting else "running"

    def tab_closed(self) -> None:
        """The user closed the tab; the run is cancelled for that, and says so."""
        self._tab_closed = True

    def keep_out_of(self, taken: Callable[[int], bool]) -> None:
        """``taken`` says in which tabs another run works."""
        self._tabs.state.taken = taken

    def begin(self) -> None:
        """Put the user's words on record. Synchronous, so that an accepted request is never lost."""
        self._journal.begin(self.options.run_id, self.options.request_id)
        self._journal.on_storing = self._tell_storing
        self._journal.emit(
            UserMessage(
                text=self.options.text,
                mode=self.options.mode.value,
                continued=self.options.continued,
                files=[file.view() for file in self.options.files],
            )
        )
        self._completion.begin(self._journal, self._host.clock.now())
        if self.options.resumed:
            self._warn(RESUMED, RESUMED_WORDS)

    async def execute(self) -> None:
        """Run to the end. Cancelling stops the run; nothing is raised."""
        status: Status = "failed"
        try:
            self._tabs.listen()
            await self._introduce()
            client = PaidClient(await detached(self._connect()), self._account)
            # What the service can do is known better after the plan, so the strategy is chosen anew.
            status = await self._plan(client) or await self._loop(client, self._parts.strategy(client.info))
        except asyncio.CancelledError:
            # Stopping is this task's own end, so the cancellation goes no further.
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            status = "stopped"
            if self._tab_closed:
                self._journal.emit(failure(TabClosed()))
                status = "failed"
        except Exception as error:  # noqa: BLE001 - our own bug too: the user is told, the history stays whole
            self._journal.emit(failure(error))
            status = "cost_limit" if isinstance(error, CostLimit) else "failed"
        self.close(status)
        await asyncio.wait({asyncio.ensure_future(self._tabs.end())}, timeout=CLOSING_TABS_TIMEOUT)
        await self._journal.saved(CLOSING_SAVE_TIMEOUT)

    # --- the loop ---

    async def _introduce(self) -> None:
        tab = self._at_first = await self._tab()
        await self._tabs.take_over(open_before(self._journal.events, self.options.run_id))
        if self.options.continued:
            self._pinned, self._task_text = last_request(self._journal)
            self._journal.add(Message(role="user", content=enrich.note(self._go_on)))
        else:
            self._journal.add(await self._user_turn(tab))
            self._pinned = len(self._journal.messages) - 1
        self._introduced = True

    async def _user_turn(self, tab: Tab | None) -> Message:
        try:
            files = await self._eyes.described(self.options.files)
        except ToolFailed as error:
            raise RunEnded(error.message, code=error.code) from error
        text = enrich.user_turn(
            self.options.text,
            self._host.clock.local_time(),
            tab,
            self._tabs.left_open(),
            attachments.block(files),
        )
        if self.options.api_news:
            time, _, rest = text.partition("\n")  # a message that begins with a note is none of the user's
            text = f"{time}\n{enrich.note(API_ALLOWED)}\n{rest}"
        return Message(
            role="user",
            content=text,
            images=self._eyes.attached_images(files),
            documents=attachments.documents(files),
            origin=origin_of(tab.url) if tab else "",
        )

    async def _plan(self, client: ModelClient) -> Status | None:
        """Plan the task if it needs a plan; return how the run ended if it ends with that. A Continue goes on
        with the plan there is; where there is none because nobody agreed to it, one is made.
        """
        if not self.options.continued:
            self._guard.hold(None)
            self._tabs.state.unanswered = False
        elif self._guard.settled:
            self._tabs.state.read_scope = self._guard.read_scope
            return None
        history = self._journal.messages[: self._pinned]
        form = self.planning.form(client.info, self._mode, self._task_text, history)
        if form is None:
            return None
        state = await self._state(client.info, needs_page=False)
        opening = self._parts.strategy(client.info).opening(state)
        asked = self.planning.asked(self._task_text, self._at_first, history)
        start = await self.planning.begin(client, form, asked, opening, self._tally.add)
        self._tabs.state.read_scope = self._guard.read_scope
        if start.ends:
            self._journal.add(Message(role="assistant", content=start.ends))
        if start.reply:
            self._journal.emit(Text(content=self._secrecy.answer(start.reply), final=True))
        if start.read_only:
            self._mode = Mode.ASK
        if start.note:
            self._journal.add(Message(role="user", content=start.note))
        return start.status

    async def _loop(self, client: ModelClient, strategy: TurnStrategy) -> Status:
        malformed = empty = 0
        self._eyes.meet(client)
        if not self.options.continued:
            before = len(self._journal.messages)
            await self._eyes.first_look(self._mode, self._context(client.info))
            if len(self._journal.messages) > before:
                self._guard.looked()
        while True:
            if self.options.max_steps and self._tally.steps >= self.options.max_steps:
                self._ending.at_limit()
                return "max_steps"
            self._tally.steps += 1
            state = await self._state(client.info, needs_page=strategy.needs_page)
            self._journal.emit(Thinking(step=self._tally.steps))
            try:
                turn = await self._turn(client, strategy, state)
            except ProviderFailed as error:
                strategy = self._without_schema(error, client.info)
                continue
            except ModelMayRetry as error:
                malformed = one_more_malformed(malformed)
                self._journal.add(
                    Message(role="user", content=enrich.note(UNREADABLE.format(reason=error.message)))
                )
                continue
            if turn.calls:
                empty = 0
                ended, bad = await self._carry_out(turn, state, client.info)
                if ended:
                    return "completed"
                malformed = one_more_malformed(malformed) if bad else 0
            elif turn.text.strip() and (refusal := self._ending.refusal(turn.text, strategy, self._mode)):
                self._ending.refuse(turn.text, refusal)
            elif turn.text.strip():
                self._ending.in_words(turn.text, self._mode, cut_off=self._cut_off)
                return "completed"
            else:
                empty += 1
                if empty > 1:
                    raise RunEnded("The model gave an empty answer twice.", code="empty_output")
                self._journal.add(Message(role="user", content=enrich.note(EMPTY)))

    async def _state(self, info: ModelInfo, *, needs_page: bool) -> TurnState:
        """Everything the next model call is built from; the list of tools is made anew each time."""
        mode = self._mode
        self._eyes.forget_old()
        offered = self._parts.tools_for(mode, info.tier, self._host.capabilities)
        tools = [spec for spec in offered if self._eyes.offers(spec)]
        page = await self._tabs.read(self._refs) if needs_page else None
        if page is not None:
            self._completion.looked()
            self._guard.looked()
            self._teller.learn_names(page.controls)
            self._journal.taint.learn(f"{page.title}\n{page.tree}", origin_of(page.url))
        return TurnState(
            system=self._parts.system_prompt(mode, info.tier, info.constrained),
            task=self._task_text,
            messages=self._journal.messages,
            tools=tools,
            mode=mode,
            tier=info.tier,
            step=self._tally.steps,
            page=page,
            attached=self._attached(),
        )

    def _attached(self) -> str:
        """What is said of the files of the request under way, or of the one that a Continue goes on with."""
        asked = self._journal.messages[self._pinned : self._pinned + 1]
        return attachments.block_of(asked[0].content, self._task_text) if asked else ""

    async def _turn(self, client: ModelClient, strategy: TurnStrategy, state: TurnState) -> Turn:
        """One model call, read and put into the history; raise ``ModelMayRetry`` if it cannot be
        understood.
        """
        # What streams is on the screens before it can be judged.
        streaming = self.options.streaming and not (self.options.continued or self._secrecy.strict)
        reply = await self._model.call(client, strategy, state, pinned=self._pinned, streaming=streaming)
        self._tally.add(reply.usage)
        self._cut_off = reply.finish == "length"
        self._tell_other_model(client.info, reply.model)
        if reply.finish == "content_filter" and not reply.tool_calls:
            raise RunEnded("The provider's content filter held back the answer.", code="content_filter")
        try:
            turn = strategy.read(reply, state)
            if len(turn.calls) > CALLS_PER_REPLY:
                raise ModelMayRetry(
                    f"{len(turn.calls)} tool calls in one answer are too many; send a few at a time."
                )
        except ModelMayRetry:
            self._journal.add(
                Message(
                    role="assistant",
                    content=self._secrecy.answer(reply.text[:REPLY_TEXT_CHARS]) or "(unreadable)",
                )
            )
            raise
        said, made = turn.text[:REPLY_TEXT_CHARS], with_own_ids(turn.calls, self._journal)
        turn = Turn(self._secrecy.calls(made), self._secrecy.answer(said))
        # What a service wants back repeats what the model said, and so what had to be withheld of it.
        withheld = turn.text != said or turn.calls != made
        self._journal.add(
            Message(
                role="assistant",
                content=turn.text or ("" if turn.calls else "(no answer)"),
                tool_calls=list(turn.calls),
                replay=None if withheld else reply.replay,
            )
        )
        if turn.text.strip():
            self._tally.last_text = turn.text
        return turn

    async def _carry_out(self, turn: Turn, state: TurnState, info: ModelInfo) -> tuple[bool, bool]:
        """Do what was asked; return whether that ended the run, and whether nothing in it could be done."""
        if turn.text.strip() or self._model.streamed:
            self._journal.emit(Text(content=turn.text.strip()))
        for call in turn.calls:
            self._tally.called(enrich.clean(call.name, NAME_CHARS))
        batch = await self._caller.run_all(
            turn.calls, state.tools, self._context(info), self._tally.steps, cut_off=self._cut_off
        )
        if batch.tab_gone:
            raise TabClosed
        if batch.loop:
            raise RunEnded(loops.reason(batch.loop), code="loop", retryable=False)
        if batch.final is not None:
            self._ending.with_done(batch.final)
        else:
            await self._eyes.after_batch(batch.done, self._context(info))
        return batch.final is not None, batch.malformed

    def _without_schema(self, error: ProviderFailed, info: ModelInfo) -> TurnStrategy:
        """Go on with the service's own tools if it refused to hold its answers to a schema; raise any other
        failure.
        """
        if error.code != SCHEMA_REFUSED or info.constrained or not info.supports_tools:
            raise error
        self._warn(SCHEMA_REFUSED, f"{error.message} {WITHOUT_SCHEMA}")
        return self._parts.strategy(info)

    def _context(self, info: ModelInfo) -> ToolContext:
        """What a tool gets that runs now."""
        return ToolContext(
            self._host,
            self.tab_id,
            self._mode,
            info.tier,
            info.context_window,
            refs=self._refs,
            state=self._tabs.state,
            sight=self._eyes,
            person=self._person,
            notebook=None if info.constrained else self._completion.pins,
            attached=self.options.attached,
        )

    def _tell_other_model(self, info: ModelInfo, answered: str) -> None:
        """Say once if a server serves another model than the one that was chosen."""
        if not self._told_other_model and model_differs(info.model, answered):
            self._told_other_model = True
            name = enrich.clean(answered, NAME_CHARS)
            self._warn("other_model", f"{info.label} answered with the model {name}, not with {info.model}.")

    def _tell_storing(self, stores: bool) -> None:
        """Say once that the conversation cannot be stored, and once that it can be again."""
        if stores is self._told_store_fails:
            self._told_store_fails = not stores
            self._warn(*STORED if stores else NOT_STORED)

    async def _tab(self) -> Tab | None:
        try:
            return await self._host.browser.get_tab(self.tab_id)
        except BridgeError as error:
            if error.code == "no_tab":
                raise TabClosed from error
            return None

    def _warn(self, code: str, message: str) -> None:
        self._journal.emit(RunWarning(code=code, message=message))

    def close(self, status: Status) -> None:
        """Leave a history that can be sent again, and say how the run ended. Only the first call counts.

        Synchronous, so that nothing can interrupt it.
        """
        if self.closed:
            return
        self.closed = True
        if not self._introduced and not self.options.continued:
            self._journal.add(Message(role="user", content=self.options.text))
        partial = self._secrecy.answer(self._model.take_partial())
        if partial:
            self._journal.add(Message(role="assistant", content=partial))
            self._journal.emit(Text(content=partial, final=True))
        self._caller.close()
        self._journal.round_off(ENDINGS[status])
        tabs = self._tabs.left_open()
        if tabs:
            self._journal.emit(told_open(tabs))
        duration = round((self._host.clock.monotonic() - self._started) * 1000)
        earlier = spent_in(self._journal.events)
        self._journal.emit(self._tally.complete(status, duration, self._account, earlier))
