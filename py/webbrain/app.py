"""The composition root: builds the services from a host and routes what screens ask for.

``handle_ui`` and ``handle_legacy`` are called by ``main.py`` for every request; ``tab_removed`` for the
event of that name. A refusal is a ``WebBrainError`` whose code and message go back to the screen as they
are.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from webbrain import app_services, legacy
from webbrain.agent.attachments import Attached
from webbrain.agent.compaction import Compactor
from webbrain.agent.parts import AgentParts
from webbrain.agent.pictures import Eyes
from webbrain.agent.run import Run
from webbrain.agent.run_options import RunOptions
from webbrain.agent.run_words import last_request
from webbrain.agent.runs import Runs
from webbrain.agent.secrecy import strict_parts
from webbrain.agent.spending import Account, PaidClient
from webbrain.app_params import (
    AnswerParams,
    CommandParams,
    ContinueParams,
    HistoryOpenParams,
    ModeParams,
    NoParams,
    Params,
    PlanAnswerParams,
    QueueAddParams,
    QueueRemoveParams,
    StartParams,
    TabParams,
    checked,
)
from webbrain.app_parts import agent_parts
from webbrain.app_records import Records
from webbrain.core.errors import BridgeError, NeedsPerson, WebBrainError
from webbrain.core.ids import new_id
from webbrain.core.tasks import begun, consume
from webbrain.core.types import Mode
from webbrain.host.protocols import Host
from webbrain.services.attachments import AttachmentService, Rejected, with_buffers
from webbrain.services.badge import Badge
from webbrain.services.commands import CommandService, Doors
from webbrain.services.conversations import Conversation, Conversations, Died
from webbrain.services.history import History
from webbrain.services.permissions import PermissionService
from webbrain.services.pictures import PictureStore
from webbrain.services.providers import ProviderService
from webbrain.services.queue import MessageQueue
from webbrain.services.secrets import stored_secrets
from webbrain.services.settings import SettingsService, values
from webbrain.services.spending import SpendingService
from webbrain.services.transcription import TranscriptionService
from webbrain.services.vision import VisionService
from webbrain.tools import registry
from webbrain.tools.hidden_tabs import close_left_behind

ACCEPT_SAVE_TIMEOUT: Final = 2.0
"""Seconds that an accepted request waits for the store before it is answered anyway."""
RESUME: Final = "resume-"
"""Before a run's id: the request by which it goes on after a death."""
PANEL_SETTINGS: Final = (
    "themeMode",
    "wbLocale",
    "verboseMode",
    "voiceInputEnabled",
    "askBeforeConsequentialActions",
)

_log = logging.getLogger(__name__)

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """A method of the port: what it takes and who answers it."""

    params: type[Params]
    handler: Callable[[Any], Awaitable[Answer]]


class App:
    """The agent as one object. ``parts`` and ``providers`` are replaced in tests only."""

    def __init__(
        self, host: Host, *, parts: AgentParts | None = None, providers: ProviderService | None = None
    ) -> None:
        self.host = host
        self.runs = Runs()
        self.conversations = Conversations(host)
        self.settings = SettingsService(host)
        self.spending = SpendingService(host, self.settings)
        self.pictures = PictureStore(host)
        self.records = Records(host, self.pictures)
        self.providers = providers or ProviderService(
            host, purse=self.spending, witnesses=self.records.watch_tests()
        )
        self.vision = VisionService(host, self.providers)
        self.transcription = TranscriptionService(host, self.providers, self.spending)
        self.attachments = AttachmentService(host, self.pictures)
        self.history = History(
            host,
            self.conversations,
            self.pictures,
            self.attachments.documents,
            running=lambda tab_id: self.runs.active(tab_id) is not None,
            leave=self._leave_conversation,
        )
        self.conversations.on_recovered = self.history.keep_soon
        self.permissions = PermissionService(host)
        self.badge = Badge(host)
        self.commands = CommandService(self._doors())
        self.resumes = True
        """Whether runs that died with the last Worker go on by themselves."""
        self._parts = parts or agent_parts()
        self._starting: dict[int, asyncio.Lock] = {}
        self.queue = MessageQueue(self.conversations, self.runs, self._start_run)
        self._background: set[asyncio.Future[None]] = set()
        self.routes: Mapping[str, Route] = {
            "panel.open": Route(TabParams, self._panel_open),
            "chat.start": Route(StartParams, self._chat_start),
            "chat.continue": Route(ContinueParams, self._chat_continue),
            "chat.abort": Route(TabParams, self._chat_abort),
            "queue.add": Route(QueueAddParams, self._queue_add),
            "queue.remove": Route(QueueRemoveParams, self._queue_remove),
            "conversation.clear": Route(TabParams, self._conversation_clear),
            "mode.set": Route(ModeParams, self._mode_set),
            "card.answer": Route(AnswerParams, self._card_answer),
            "plan.answer": Route(PlanAnswerParams, self._plan_answer),
            "history.open": Route(HistoryOpenParams, self._history_open),
            "commands.list": Route(NoParams, self._commands_list),
            "commands.run": Route(CommandParams, self._commands_run),
            **{name: Route(*method) for name, method in self._services().items()},
        }

    def _services(self) -> app_services.Methods:
        """The calls that a service answers by itself."""
        return {
            **app_services.of_providers(self.providers),
            **app_services.of_auxiliary(self.vision, self.transcription),
            **app_services.of_settings(self.settings, self.spending, self.permissions, self.pictures),
            **app_services.of_history(self.history),
            **self.records.methods(),
        }

    async def start(self) -> list[dict[str, Any]]:
        """Make ready; return the boot phases as ``{name, ms}``."""
        phases: list[dict[str, Any]] = []
        for name, work in (("tools", self._load_tools), ("recovery", self._recover)):
            began = self.host.clock.monotonic()
            await work()
            phases.append({"name": name, "ms": round((self.host.clock.monotonic() - began) * 1000)})
        return phases

    async def _load_tools(self) -> None:
        registry.load()

    async def _recover(self) -> None:
        """Mark runs that died with the last Worker, and close the tabs it had opened for itself. A
        conversation is mended again when it is read, so whatever goes wrong here must not keep the agent from
        starting."""
        mends = (self._recover_runs(), close_left_behind(self.host), self.badge.clear())
        for outcome in await asyncio.gather(*mends, return_exceptions=True):
            if isinstance(outcome, Exception):  # an agent that does not start would lose more than this
                _log.error("Something that the last start left behind could not be mended", exc_info=outcome)

    async def _recover_runs(self) -> None:
        for died in await self.conversations.recover():
            if self.resumes and died.here and died.run.resumes:
                self._in_background(self._resume(died))

    async def _resume(self, died: Died) -> None:
        """Let a run that died go on. If that cannot be, it stays interrupted: a person may continue it."""
        tab_id, request_id = died.conversation.tab_id, f"{RESUME}{died.run.run_id}"
        with contextlib.suppress(WebBrainError):
            await self.host.browser.get_tab(tab_id)
            await self._start_run(tab_id, request_id, None, "", resumed=True)

    async def handle_ui(
        self, method: str, params: Mapping[str, Any] | None, buffers: Sequence[bytes] = ()
    ) -> Answer:
        """Answer one call of a screen; raise ``WebBrainError`` to refuse it. ``buffers`` came beside it."""
        route = self.routes.get(method)
        if route is None:
            raise WebBrainError(f"There is no method {method[:60]}.", code="not_allowed")
        given = with_buffers(params or {}, buffers) if buffers else params or {}
        return await route.handler(checked(route.params, given))

    async def handle_legacy(self, message: Mapping[str, Any]) -> Answer:
        """Answer one of the older runtime messages; never raises for what a screen did wrong."""
        return await legacy.handle(self, message)

    def tab_removed(self, tab_id: int) -> None:
        """The user closed the tab: stop its run and drop what belongs to the tab alone."""
        self.host.ui.emit("tab_gone", {"tabId": tab_id})
        self._in_background(self._forget_tab(tab_id))

    async def settled(self) -> None:
        """Wait for work that nobody waits for otherwise."""
        while self._background:
            await asyncio.wait(set(self._background))
        await self.records.traces.saved()

    # --- the panel ---

    async def _panel_open(self, params: TabParams) -> Answer:
        tab_id = params.tab_id
        conversation = await self.conversations.of(tab_id)
        settings = values(await self.settings.load())
        tab, provider = await self._tab_view(tab_id), await self._provider_view()
        voice = (await self.transcription.view())["usable"]
        # No await from here on: events and running state must be of the same moment.
        run = self.runs.active(tab_id)
        last = conversation.last_run()
        return {
            "tabId": tab_id,
            "conversationId": conversation.id,
            "mode": conversation.mode.value,
            "allowApi": conversation.allow_api,
            "running": run is not None,
            "run": {"runId": last[0], "requestId": last[1], "status": run.status} if run and last else None,
            "queue": self.queue.view(conversation),
            "events": conversation.for_panel(),
            "tab": tab,
            "provider": provider,
            "voice": voice,
            "settings": {key: settings[key] for key in PANEL_SETTINGS},
            "capabilities": asdict(self.host.capabilities),
        }

    async def _tab_view(self, tab_id: int) -> Answer | None:
        try:
            tab = await self.host.browser.get_tab(tab_id)
        except BridgeError:
            return None
        return {"url": tab.url, "title": tab.title}

    async def _provider_view(self) -> Answer | None:
        info = await self.providers.active_info()
        if info is None:
            return None
        return {"id": info.provider_id, "label": info.label, "model": info.model, "tier": info.tier.value}

    async def _chat_start(self, params: StartParams) -> Answer:
        if not params.text.strip():
            raise WebBrainError("There is nothing to send.", code="bad_params")
        files = await self._attached(params) if params.files else ()
        mode = Mode(params.mode)
        return await self._start_run(params.tab_id, params.request_id, mode, params.text, files)

    async def _attached(self, params: StartParams) -> tuple[Attached, ...]:
        """The files of a request, checked before it becomes a run. A refusal is told to screens too."""
        conversation = await self.conversations.of(params.tab_id)
        if conversation.run_of(params.request_id) is not None:
            return ()  # accepted before, with its files
        if self.runs.active(params.tab_id) is not None:
            raise WebBrainError("A task is already running on this tab.", code="run_active")
        if await self.providers.active_info() is None:
            raise NeedsPerson("Choose a model in the settings first.", code="no_provider")
        info = (await self.providers.active()).info
        described = await self.vision.describer(Account(self.spending)) is not None
        try:
            return await self.attachments.prepare(params.files, info, described=described)
        except Rejected as refusal:
            for one in refusal.rejected:
                conversation.journal.tell(one, params.request_id)
            raise

    async def _chat_continue(self, params: ContinueParams) -> Answer:
        return await self._start_run(params.tab_id, params.request_id, None, "")

    async def _start_run(
        self,
        tab_id: int,
        request_id: str,
        mode: Mode | None,
        text: str,
        files: tuple[Attached, ...] = (),
        *,
        resumed: bool = False,
    ) -> Answer:
        """Start a run, or say which run this very request started. ``mode`` ``None`` means Continue."""
        # The run asks first of all for its tab; asked already, a service worker that sleeps wakes meanwhile.
        begun(self.host.browser.get_tab(tab_id)).add_done_callback(consume)
        async with self._starting.setdefault(tab_id, asyncio.Lock()):
            conversation = await self.conversations.of(tab_id)
            earlier = conversation.run_of(request_id)
            if earlier is not None:
                return _accepted(request_id, earlier)
            await self.runs.make_room(tab_id)
            self.runs.refuse_shared(tab_id)
            _refuse_dev(mode)
            if mode is None and not conversation.journal.events:
                raise WebBrainError("There is nothing to continue here.", code="nothing_to_continue")
            run = await self._new_run(conversation, request_id, mode, text, files, resumed=resumed)
            run_id = run.options.run_id
            # It goes out now, and the store keeps the order: what the run records comes behind it.
            self._look_after(begun(self.conversations.run_begins(conversation, run_id, request_id)))
            self.runs.start(tab_id, run, partial(self._run_ended, conversation, run_id))
            if mode is not None and mode is not conversation.mode:
                await self.conversations.set_mode(tab_id, mode)
            self.history.keep_soon(conversation)
            await conversation.journal.saved(ACCEPT_SAVE_TIMEOUT)
        return _accepted(request_id, run_id)

    def _run_ended(self, conversation: Conversation, run_id: str) -> None:
        self._in_background(self.conversations.run_ends(run_id))
        self._in_background(self.queue.run_ended(conversation))
        self.history.keep_soon(conversation)

    async def _new_run(
        self,
        conversation: Conversation,
        request_id: str,
        mode: Mode | None,
        text: str,
        files: tuple[Attached, ...],
        *,
        resumed: bool = False,
    ) -> Run:
        if await self.providers.active_info() is None:
            raise NeedsPerson("Choose a model in the settings first.", code="no_provider")
        settings = await self.settings.load()
        if mode is not None:
            conversation.once.clear()  # what was allowed for the task before ends with it
        conversation.attached.add(files)
        options = RunOptions(
            run_id=new_id("run"),
            request_id=request_id,
            mode=mode or conversation.mode,
            text=text,
            files=files,
            attached=conversation.attached,
            continued=mode is None,
            resumed=resumed,
            max_steps=settings.step_limit(),
            streaming=settings.openai_ask_streaming_enabled,
            strict_secrets=settings.strict_secret_mode,
            allow_api=conversation.allow_api,
            observes_api=settings.api_observer_enabled,
            api_news=mode is not None and conversation.take_api_news(),
            once=conversation.once,
            plans=settings.plan_rules() if self._parts.plans else None,
            clarify_seconds=settings.clarify_timeout_sec,
        )
        connect = partial(self.providers.active, settings.headers_timeout())
        journal = conversation.journal
        await self.attachments.revive(journal.messages)
        account = Account(
            self.spending, self.records.watch(journal, options, recorded=settings.tracing_enabled)
        )
        describer = await self.vision.describer(account)
        eyes = Eyes(self.host, journal, settings.picture_rules(), describer, self.pictures)
        for secret in await stored_secrets(self.host):
            journal.taint.note_secret(secret, "a key")
        journal.taint.learn_entered(journal.messages)
        waits = partial(self.badge.waits, conversation.tab_id)
        parts = strict_parts(self._parts) if options.strict_secrets else self._parts
        guard, execution = conversation.guard, conversation.execution
        completion = conversation.completion
        return Run(
            self.host, parts, connect, journal, guard, options, eyes, account, waits, execution, completion
        )

    async def _chat_abort(self, params: TabParams) -> Answer:
        return {"ok": True, "stopped": await self.runs.stop(params.tab_id)}

    async def _queue_add(self, params: QueueAddParams) -> Answer:
        return await self.queue.add(params.tab_id, params.id, params.text, Mode(params.mode))

    async def _queue_remove(self, params: QueueRemoveParams) -> Answer:
        return await self.queue.remove(params.tab_id, params.id)

    async def _conversation_clear(self, params: TabParams) -> Answer:
        await self.runs.stop(params.tab_id)
        conversation = await self.conversations.clear(params.tab_id)
        told = {"tabId": params.tab_id, "conversationId": conversation.id}
        self.host.ui.emit("conversation_cleared", told)
        return {"ok": True, "conversationId": conversation.id}

    async def _mode_set(self, params: ModeParams) -> Answer:
        mode = Mode(params.mode)
        _refuse_dev(mode)
        await self.conversations.set_mode(params.tab_id, mode)
        self.host.ui.emit("mode_changed", {"tabId": params.tab_id, "mode": mode.value})
        return {"ok": True, "mode": mode.value}

    async def _card_answer(self, params: AnswerParams) -> Answer:
        run = self.runs.active(params.tab_id)
        if run is None:
            raise WebBrainError("This question is no longer open.", code="card_gone")
        run.cards.answer(params.card_id, params.answer, params.text)
        return {"ok": True}

    async def _plan_answer(self, params: PlanAnswerParams) -> Answer:
        run = self.runs.active(params.tab_id)
        if run is None:
            raise WebBrainError("This plan is no longer open.", code="plan_gone")
        run.planning.reviewer.answer(
            params.plan_id, params.decision, summary=params.summary, steps=params.steps, text=params.text
        )
        return {"ok": True}

    # --- commands ---

    async def _commands_list(self, params: NoParams) -> Answer:
        return self.commands.view()

    async def _commands_run(self, params: CommandParams) -> Answer:
        return await self.commands.run(params.tab_id, params.text)

    def _doors(self) -> Doors:
        async def set_mode(tab_id: int, mode: Mode) -> None:
            await self._mode_set(ModeParams(tab_id=tab_id, mode=mode.value))

        async def allow_api(tab_id: int, allow: bool) -> None:
            await self.conversations.allow_api(tab_id, allow)
            self.host.ui.emit("api_allowed", {"tabId": tab_id, "allowed": allow})

        async def reset(tab_id: int) -> None:
            await self._conversation_clear(TabParams(tab_id=tab_id))

        async def verbose() -> bool:
            shown = not (await self.settings.load()).verbose_mode
            await self.settings.save({"verboseMode": shown})
            return shown

        def running(tab_id: int) -> bool:
            return self.runs.active(tab_id) is not None

        return Doors(running, set_mode, allow_api, reset, self._compact, verbose)

    async def _compact(self, tab_id: int) -> None:
        """Fold the older messages of a tab's conversation; no task may begin meanwhile."""
        async with self._starting.setdefault(tab_id, asyncio.Lock()):
            await self.runs.make_room(tab_id)
            conversation = await self.conversations.of(tab_id)
            journal = conversation.journal
            compactor = Compactor(journal, conversation.guard)
            pinned, _ = last_request(journal)
            if not compactor.can_fold(journal.messages, pinned=pinned):
                raise WebBrainError("There is not enough to summarise here.", code="nothing_to_compact")
            if await self.providers.active_info() is None:
                raise NeedsPerson("Choose a model in the settings first.", code="no_provider")
            client = await self.providers.active((await self.settings.load()).headers_timeout())
            paid = PaidClient(client, Account(self.spending, self.records.watch_between(journal)))
            await compactor.by_hand(paid, journal.messages, pinned=pinned)
            await journal.saved(ACCEPT_SAVE_TIMEOUT)

    # --- the history ---

    async def _history_open(self, params: HistoryOpenParams) -> Answer:
        async with self._starting.setdefault(params.tab_id, asyncio.Lock()):
            if await self.conversations.shown_on(params.id) is None:
                await self.runs.make_room(params.tab_id)
            return await self.history.open(params.tab_id, params.id)

    async def _leave_conversation(self, tab_id: int) -> None:
        """Give the tab a new conversation, for good: nothing of the old one is written any more."""
        async with self._starting.setdefault(tab_id, asyncio.Lock()):
            await self.runs.make_room(tab_id)
            await (await self.conversations.of(tab_id)).journal.saved(ACCEPT_SAVE_TIMEOUT)
            conversation = await self.conversations.clear(tab_id)
        told = {"tabId": tab_id, "conversationId": conversation.id}
        self.host.ui.emit("conversation_cleared", told)

    # --- small things ---

    async def _forget_tab(self, tab_id: int) -> None:
        await self.runs.stop(tab_id, closed=True)
        self._starting.pop(tab_id, None)
        with contextlib.suppress(
            BridgeError
        ):  # leftovers of a tab that never comes back; the session ends them
            await self.conversations.forget_tab(tab_id)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        self._look_after(asyncio.ensure_future(work))

    def _look_after(self, task: asyncio.Future[None]) -> None:
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _refuse_dev(mode: Mode | None) -> None:
    if mode is Mode.DEV:
        raise WebBrainError("Dev mode is not available in this version.", code="not_available")


def _accepted(request_id: str, run_id: str) -> Answer:
    return {"ok": True, "accepted": True, "requestId": request_id, "runId": run_id}
