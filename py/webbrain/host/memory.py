"""A host that lives in memory, for tests and for authors of tools.

    host = MemoryHost(tabs=[Tab(1, "https://shop.example/", "Shop")])
    host.page.on("tree", {"pageContent": "button Buy [ref_1]"})
    host.page.on("click_ax", lambda call: {"changed": [call.args["ref_id"]]})
    host.http.on("POST", "https://api.example/v1/*", Reply(chunks=[b"data: 1", CUT]))
    gate = host.page.block("click_ax")      # the next click hangs until gate.release()
    host.browser.pop_up(1, Tab(2, "https://shop.example/terms", "Terms"))
    host.debugger.report(1, "Page.javascriptDialogOpening", type="confirm", message="Sure?")
    host.downloads.end(7)

An answer may be a value, an exception (it is raised), or a function, plain or a coroutine, that gets the call
and returns either. Several answers are used one after the other; the last one stays. What was asked of
the host is recorded (``page.calls``, ``http.requests``, ``browser.visits``, ``ui.events``). ``host.hook`` is
awaited at every call, so a test can stop or break a run at any of its await points.
"""

import asyncio
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from webbrain.host.memory_builtin import MemoryBuiltin
from webbrain.host.memory_parts import Gate, Hook, MemoryEvents, Taps, json_copy
from webbrain.host.memory_reach import (
    MemoryDebugger,
    MemoryDownloads,
    MemoryPdfs,
    MemoryPictures,
    MemoryWindows,
)
from webbrain.host.memory_requests import MemoryRequests
from webbrain.host.memory_tables import MemoryTables
from webbrain.host.memory_web import (
    CUT,
    STALL,
    MemoryBrowser,
    MemoryHttp,
    MemoryPage,
    MemoryResponse,
    PageCall,
    Reply,
)
from webbrain.host.protocols import Capabilities, Tab

__all__ = [
    "CUT",
    "STALL",
    "Gate",
    "MemoryBrowser",
    "MemoryBuiltin",
    "MemoryClock",
    "MemoryDebugger",
    "MemoryDownloads",
    "MemoryEvents",
    "MemoryHost",
    "MemoryHttp",
    "MemoryKeyValue",
    "MemoryPage",
    "MemoryPdfs",
    "MemoryPictures",
    "MemoryResponse",
    "MemoryStore",
    "MemoryTables",
    "MemoryToolbar",
    "MemoryUi",
    "MemoryWindows",
    "PageCall",
    "Reply",
    "Tab",
]

START_OF_TIME: Final = 1_796_000_000.0
"""Seconds since 1970 at which every memory host begins."""


class MemoryKeyValue:
    """A JSON store. ``fail`` set to an exception makes every write raise it."""

    def __init__(self, name: str, taps: Taps, values: Mapping[str, Any] | None = None) -> None:
        self._name = name
        self._taps = taps
        self.values: dict[str, Any] = json_copy(dict(values or {}))
        self.fail: Exception | None = None

    async def get(self, keys: Sequence[str] | None = None) -> dict[str, Any]:
        await self._taps.reach(f"{self._name}.get")
        wanted = (
            self.values if keys is None else {key: self.values[key] for key in keys if key in self.values}
        )
        return copy.deepcopy(dict(wanted))

    async def set(self, values: Mapping[str, Any]) -> None:
        await self._taps.reach(f"{self._name}.set")
        if self.fail:
            raise self.fail
        self.values.update(json_copy(dict(values)))

    async def remove(self, keys: Sequence[str]) -> None:
        await self._taps.reach(f"{self._name}.remove")
        if self.fail:
            raise self.fail
        for key in keys:
            self.values.pop(key, None)


class MemoryStore:
    """Append-only records by stream. ``fail`` set to an exception makes every append raise it."""

    def __init__(
        self, taps: Taps, data: Mapping[str, Sequence[tuple[int, dict[str, Any]]]] | None = None
    ) -> None:
        self._taps = taps
        self.data: dict[str, list[tuple[int, dict[str, Any]]]] = copy.deepcopy(
            {name: list(records) for name, records in (data or {}).items()}
        )
        self.fail: Exception | None = None

    async def append(self, stream: str, records: Sequence[Mapping[str, Any]]) -> int:
        await self._taps.reach("store.append")
        if self.fail:
            raise self.fail
        kept = self.data.setdefault(stream, [])
        for record in records:
            kept.append((kept[-1][0] + 1 if kept else 1, json_copy(dict(record))))
        return kept[-1][0] if kept else 0

    async def read(
        self, stream: str, after: int = 0, limit: int = 10_000
    ) -> list[tuple[int, dict[str, Any]]]:
        await self._taps.reach("store.read")
        newer = [record for record in self.data.get(stream, []) if record[0] > after]
        return copy.deepcopy(newer[:limit])

    async def streams(self) -> list[str]:
        await self._taps.reach("store.streams")
        return list(self.data)

    async def delete(self, stream: str) -> None:
        await self._taps.reach("store.delete")
        self.data.pop(stream, None)


class MemoryClock:
    """Time that a test owns. Sleeping moves it on at once; after :meth:`hold` only :meth:`advance` does."""

    def __init__(self, taps: Taps) -> None:
        self._taps = taps
        self._time = 0.0
        self._held = False
        self._sleepers: list[tuple[float, asyncio.Event]] = []
        self.sleeps: list[float] = []

    def hold(self) -> None:
        """From now on sleepers sleep until the test advances time."""
        self._held = True

    def advance(self, seconds: float) -> None:
        """Move time on and wake everybody whose time has come."""
        self._time += seconds
        for due, event in self._sleepers:
            if due <= self._time:
                event.set()
        self._sleepers = [sleeper for sleeper in self._sleepers if sleeper[0] > self._time]

    def now(self) -> float:
        return START_OF_TIME + self._time

    def monotonic(self) -> float:
        return self._time

    def local_time(self) -> str:
        return datetime.fromtimestamp(self.now(), UTC).strftime("%A %Y-%m-%d %H:%M (UTC+00:00)")

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        await self._taps.reach("clock.sleep")
        if not self._held:
            self.advance(max(seconds, 0.0))
            return
        event = asyncio.Event()
        self._sleepers.append((self._time + seconds, event))
        await event.wait()


class MemoryUi:
    """Records what screens would have been told, as ``(event, params)``."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._news: list[asyncio.Event] = []

    def emit(self, event: str, params: Mapping[str, Any]) -> None:
        self.events.append((event, json_copy(dict(params))))
        for waiting in self._news:
            waiting.set()

    def named(self, event: str) -> list[dict[str, Any]]:
        """The params of every event of that name."""
        return [params for name, params in self.events if name == event]

    async def until(
        self, check: Callable[[str, dict[str, Any]], bool], timeout: float = 20.0
    ) -> dict[str, Any]:
        """Return the params of the first event, past or future, that passes ``check(event, params)``."""
        news = asyncio.Event()
        self._news.append(news)
        seen = 0
        try:
            async with asyncio.timeout(timeout):
                while True:
                    news.clear()
                    for event, params in self.events[seen:]:
                        seen += 1
                        if check(event, params):
                            return params
                    await news.wait()
        finally:
            self._news.remove(news)


class MemoryToolbar:
    """Records the marks on the button; ``text`` is what stands there now."""

    def __init__(self, taps: Taps) -> None:
        self._taps = taps
        self.text = ""
        self.marks: list[str] = []

    async def mark(self, text: str) -> None:
        await self._taps.reach("toolbar.mark")
        self.text = text
        self.marks.append(text)


class MemoryHost:
    """Everything the agent needs, in memory. See the module's docstring."""

    def __init__(
        self,
        tabs: Iterable[Tab] = (),
        *,
        settings: Mapping[str, Any] | None = None,
        capabilities: Capabilities | None = None,
    ) -> None:
        self._taps = Taps()
        self.capabilities = capabilities or Capabilities(browser="memory")
        self.events = MemoryEvents()
        self.browser = MemoryBrowser(tabs, self._taps, self.events)
        self.page = MemoryPage(self.browser, self._taps)
        self.http = MemoryHttp(self._taps)
        self.settings = MemoryKeyValue("settings", self._taps, settings)
        self.session = MemoryKeyValue("session", self._taps)
        self.store = MemoryStore(self._taps)
        self.tables = MemoryTables(self._taps)
        self.clock = MemoryClock(self._taps)
        self.ui = MemoryUi()
        self.debugger = MemoryDebugger(self.browser, self._taps, self.events, self.capabilities)
        self.downloads = MemoryDownloads(self._taps, self.events)
        self.windows = MemoryWindows(self.browser, self._taps)
        self.pictures = MemoryPictures(self.browser, self.debugger, self._taps, self.capabilities)
        self.pdfs = MemoryPdfs(self._taps)
        self.toolbar = MemoryToolbar(self._taps)
        self.builtin = MemoryBuiltin(self._taps)
        self.requests = MemoryRequests(self._taps)

    @property
    def hook(self) -> Hook | None:
        """Called, and awaited if it must be, at every call of any part."""
        return self._taps.hook

    @hook.setter
    def hook(self, hook: Hook | None) -> None:
        self._taps.hook = hook

    def successor(self, *, keep_session: bool = True) -> "MemoryHost":
        """The host that a replaced Worker would find: tabs and stores as they are this moment, nothing else.

        ``keep_session=False`` is a restart of the browser, which empties ``storage.session``.
        """
        later = MemoryHost(self.browser.tabs(), settings=self.settings.values, capabilities=self.capabilities)
        later.store = MemoryStore(later._taps, self.store.data)
        later.tables = MemoryTables(later._taps, self.tables.data)
        if keep_session:
            later.session = MemoryKeyValue("session", later._taps, self.session.values)
        later.clock.advance(self.clock.monotonic())
        return later
