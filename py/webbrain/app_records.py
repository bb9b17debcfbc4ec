"""The part of the composition root that has to do with recordings of runs and the debug log."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from webbrain import __version__
from webbrain.agent.debug_log import DebugLog
from webbrain.agent.exchanges import Witness
from webbrain.agent.journal import Journal
from webbrain.agent.run_options import RunOptions
from webbrain.app_params import ID_CHARS, NoParams, Params
from webbrain.host.protocols import Host
from webbrain.policy.redaction import StrictRedactor
from webbrain.policy.taint import Secret, squash
from webbrain.services.pictures import PictureStore
from webbrain.services.secrets import stored_secrets
from webbrain.services.traces import TraceService

Handler = Callable[[Any], Awaitable[dict[str, Any]]]


class Place(Params):
    """The last recording of a list, behind which the next part begins."""

    time: float
    id: str = Field(min_length=1, max_length=ID_CHARS)


class TraceListParams(Params):
    """``traces.list``"""

    before: Place | None = None


class TraceParams(Params):
    """A call about one recording."""

    run_id: str = Field(min_length=1, max_length=ID_CHARS)


class TraceReadParams(TraceParams):
    """``traces.read``"""

    after: int = Field(default=0, ge=0)


class TraceShotParams(TraceParams):
    """``traces.shot``"""

    n: int = Field(ge=1)


class TraceExportParams(TraceParams):
    """``traces.export``"""

    format: Literal["markdown", "json"]
    after: int = Field(default=0, ge=0)


class TraceDeleteParams(Params):
    """``traces.delete``: one of the two."""

    run_id: str = Field(default="", max_length=ID_CHARS)
    all: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.run_id) is self.all:
            raise ValueError("either runId or all")
        return self


class Records:
    """What is kept for looking into problems. One per app."""

    def __init__(self, host: Host, pictures: PictureStore) -> None:
        self._host = host
        self.traces = TraceService(host, pictures)
        self.log = DebugLog(host.clock)

    def methods(self) -> dict[str, tuple[type[Params], Handler]]:
        """What screens may call: the params of each method and who answers it."""
        return {
            "traces.list": (TraceListParams, self._list),
            "traces.read": (TraceReadParams, self._read),
            "traces.shot": (TraceShotParams, self._shot),
            "traces.export": (TraceExportParams, self._export),
            "traces.delete": (TraceDeleteParams, self._delete),
            "debuglog.get": (NoParams, self._debug_log),
        }

    def watch(self, journal: Journal, options: RunOptions, *, recorded: bool) -> Sequence[Witness]:
        """The witnesses of the run that is about to begin on the journal's conversation."""
        secrets = journal.taint.secrets
        log = self.log.of(lambda: secrets)
        recorder = self.traces.recorder(journal, options) if recorded else None
        journal.watcher = recorder
        return (log, recorder) if recorder else (log,)

    def watch_between(self, journal: Journal) -> Sequence[Witness]:
        """The witnesses of a call about a conversation that belongs to no run: a summary by hand."""
        secrets = journal.taint.secrets
        return (self.log.of(lambda: secrets),)

    def watch_tests(self) -> Sequence[Witness]:
        """The witnesses of calls that belong to no run: tests of services."""
        return (self.log.of(tuple),)

    async def _list(self, params: TraceListParams) -> dict[str, Any]:
        before = params.before
        return await self.traces.list((before.time, before.id) if before else None)

    async def _read(self, params: TraceReadParams) -> dict[str, Any]:
        return await self.traces.read(params.run_id, params.after)

    async def _shot(self, params: TraceShotParams) -> dict[str, Any]:
        return await self.traces.shot(params.run_id, params.n)

    async def _export(self, params: TraceExportParams) -> dict[str, Any]:
        secrets = await self._stored()
        redactor = StrictRedactor(lambda: secrets)
        return await self.traces.export(params.run_id, params.format, params.after, redactor)

    async def _delete(self, params: TraceDeleteParams) -> dict[str, Any]:
        return await self.traces.delete(None if params.all else params.run_id)

    async def _debug_log(self, params: NoParams) -> dict[str, Any]:
        browser = self._host.capabilities.browser
        return {"text": self.log.text(__version__, browser, await self._stored())}

    async def _stored(self) -> list[Secret]:
        """The keys of services as they are now, in case one was entered after a run."""
        return [Secret(text, squash(text), "a key") for text in await stored_secrets(self._host)]
