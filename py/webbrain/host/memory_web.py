"""The half of the memory host that stands for the web: tabs, pages and servers. See ``memory.py``."""

import asyncio
import fnmatch
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.host.memory_parts import Answers, Gate, MemoryEvents, Taps, json_copy
from webbrain.host.protocols import HttpRequest, Tab
from webbrain.host.reach import Frame

RESTRICTED_SCHEMES: Final = (
    "chrome:",
    "about:",
    "chrome-extension:",
    "moz-extension:",
    "edge:",
    "view-source:",
)

OPENABLE: Final = ("http://", "https://", "about:blank")


class MemoryBrowser:
    """Tabs with a history each.

    ``visits`` lists ``(tab_id, url)`` of every accepted navigation, ``opened`` ``(tab_id, url, beside)`` and
    ``closed`` the tabs that :meth:`open_tab` and :meth:`close_tab` were asked for.
    """

    def __init__(self, tabs: Iterable[Tab], taps: Taps, events: MemoryEvents) -> None:
        self._taps = taps
        self._events = events
        self._tabs = {tab.id: tab for tab in tabs}
        self._past: dict[int, list[str]] = {}
        self._future: dict[int, list[str]] = {}
        self._gates: list[Gate] = []
        self._frames: dict[int, list[Frame]] = {}
        self._openers: dict[int, int] = {}
        self.visits: list[tuple[int, str]] = []
        self.opened: list[tuple[int, str, int]] = []
        self.closed: list[int] = []

    def open(self, tab: Tab) -> None:
        """Add a tab, or replace what is known of it."""
        self._tabs[tab.id] = tab

    def pop_up(self, opener: int, tab: Tab) -> None:
        """A page of tab ``opener`` opens ``tab`` (``target=_blank``, ``window.open``)."""
        self.open(tab)
        self._openers[tab.id] = opener
        self._events.tell("tab_opened", opener, tabId=tab.id, url=tab.url)

    def close(self, tab_id: int) -> None:
        """The user closes the tab."""
        if self._tabs.pop(tab_id, None) is not None:
            self._events.tell("tab_removed", tab_id)

    def set_frames(self, tab_id: int, *frames: Frame) -> None:
        """The frames of a tab besides the page itself, which is always there."""
        self._frames[tab_id] = list(frames)

    def move(self, tab_id: int, url: str, title: str | None = None) -> None:
        """The tab goes elsewhere on its own: a link was followed, a script navigated."""
        tab = self._need(tab_id)
        self._past.setdefault(tab_id, []).append(tab.url)
        self._future.pop(tab_id, None)
        self._tabs[tab_id] = replace(tab, url=url, title=url if title is None else title)
        for phase in ("started", "committed", "completed"):
            self._events.tell("navigation", tab_id, phase=phase, url=url)

    def block(self) -> Gate:
        """Make the next ``wait_loaded`` hang: a page that never finishes loading."""
        gate = Gate()
        self._gates.append(gate)
        return gate

    def tabs(self) -> list[Tab]:
        """All open tabs."""
        return list(self._tabs.values())

    def _need(self, tab_id: int) -> Tab:
        try:
            return self._tabs[tab_id]
        except KeyError:
            raise BridgeError(f"Tab {tab_id} is gone.", code="no_tab") from None

    async def get_tab(self, tab_id: int) -> Tab:
        await self._taps.reach("browser.get_tab")
        return self._need(tab_id)

    async def active_tab(self) -> Tab | None:
        await self._taps.reach("browser.active_tab")
        return next((tab for tab in self._tabs.values() if tab.active), None)

    async def navigate(self, tab_id: int, url: str) -> None:
        await self._taps.reach("browser.navigate")
        self.move(tab_id, url)
        self.visits.append((tab_id, url))

    async def go_back(self, tab_id: int) -> None:
        await self._taps.reach("browser.go_back")
        self._step(tab_id, self._past, self._future)

    async def go_forward(self, tab_id: int) -> None:
        await self._taps.reach("browser.go_forward")
        self._step(tab_id, self._future, self._past)

    def _step(self, tab_id: int, source: dict[int, list[str]], target: dict[int, list[str]]) -> None:
        tab = self._need(tab_id)
        if not source.get(tab_id):
            raise BridgeError("The tab has no history in that direction.", code="no_history")
        url = source[tab_id].pop()
        target.setdefault(tab_id, []).append(tab.url)
        self._tabs[tab_id] = replace(tab, url=url, title=url)

    async def wait_loaded(self, tab_id: int, timeout: float) -> Tab:
        await self._taps.reach("browser.wait_loaded")
        if self._gates:
            try:
                await asyncio.wait_for(self._gates.pop(0).wait(), timeout)
            except TimeoutError:
                return replace(self._need(tab_id), status="loading")
        return self._need(tab_id)

    async def frames(self, tab_id: int) -> list[Frame]:
        await self._taps.reach("browser.frames")
        return self.frames_now(tab_id)

    def frames_now(self, tab_id: int) -> list[Frame]:
        """As :meth:`frames`, for a test to look at."""
        return [Frame(0, -1, self._need(tab_id).url), *self._frames.get(tab_id, [])]

    async def open_tab(self, url: str, *, beside: int, active: bool = False) -> Tab:
        await self._taps.reach("browser.open_tab")
        neighbour = self._need(beside)
        if not url.startswith(OPENABLE):
            raise BridgeError("Only http and https addresses can be opened.", code="restricted_page")
        tab = Tab(max(self._tabs) + 1, url, url, window_id=neighbour.window_id, active=active)
        if active:
            self._tabs = {
                key: replace(other, active=other.active and other.window_id != tab.window_id)
                for key, other in self._tabs.items()
            }
        self.opened.append((tab.id, url, beside))
        self.open(tab)
        self._openers[tab.id] = beside
        return tab

    async def opened_from(self, tab_id: int) -> list[Tab]:
        await self._taps.reach("browser.opened_from")
        return [tab for tab in self._tabs.values() if self._openers.get(tab.id) == tab_id]

    async def close_tab(self, tab_id: int) -> None:
        await self._taps.reach("browser.close_tab")
        self.closed.append(tab_id)
        self.close(tab_id)


@dataclass(frozen=True, slots=True)
class PageCall:
    """One message to a content script."""

    tab_id: int
    action: str
    args: dict[str, Any]
    effect: bool
    timeout: float
    frame_id: int


class MemoryPage:
    """Content scripts whose answers a test writes. An action without an answer fails."""

    def __init__(self, browser: MemoryBrowser, taps: Taps) -> None:
        self._browser = browser
        self._taps = taps
        self._answers: dict[str, Answers] = {}
        self._gates: dict[str, list[Gate]] = {}
        self.calls: list[PageCall] = []

    def on(self, action: str, *answers: Any) -> None:
        """Answer ``action``; a mapping without ``success`` means success."""
        self._answers[action] = Answers(answers)

    def block(self, action: str) -> Gate:
        """Make the next call of ``action`` hang."""
        gate = Gate()
        self._gates.setdefault(action, []).append(gate)
        return gate

    def actions(self) -> list[str]:
        """The actions called so far, in order."""
        return [call.action for call in self.calls]

    async def call(
        self,
        tab_id: int,
        action: str,
        args: Mapping[str, Any],
        *,
        timeout: float,
        effect: bool = False,
        frame_id: int = 0,
    ) -> dict[str, Any]:
        await self._taps.reach(f"page.{action}")
        tab = await self._browser.get_tab(tab_id)
        if tab.url.startswith(RESTRICTED_SCHEMES):
            raise BridgeError("The browser keeps extensions out of this page.", code="restricted_page")
        if frame_id not in [frame.id for frame in self._browser.frames_now(tab_id)]:
            raise BridgeError("This frame is not in the page any more.", code="no_frame")
        call = PageCall(tab_id, action, json_copy(dict(args)), effect, timeout, frame_id)
        self.calls.append(call)
        try:
            async with asyncio.timeout(timeout):
                gates = self._gates.get(action)
                if gates:
                    await gates.pop(0).wait()
                if action not in self._answers:
                    return {"success": False, "code": "unknown_action", "error": f"Unknown action {action}."}
                answer = json_copy(await self._answers[action].next(call))
        except TimeoutError:
            if effect:
                raise OutcomeUnknown("The page did not answer; the action may have happened.") from None
            raise BridgeError("The page did not answer in time.", code="page_busy") from None
        return {"success": True, **answer}


STALL: Final = "stall"
"""A chunk that never comes: the reader gets ``net_stalled``."""
CUT: Final = "cut"
"""The connection breaks here: the reader gets ``net_cut``."""


@dataclass(slots=True)
class Reply:
    """What a server answers. ``chunks`` holds bytes, ``STALL``, ``CUT``, or a ``Gate`` to wait at."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Sequence[bytes | str | Gate] = ()
    url: str = ""
    """Where redirects led; nothing means the address that was asked."""

    @classmethod
    def json(cls, value: Any, status: int = 200) -> "Reply":
        """A JSON document in one chunk."""
        return cls(status, {"content-type": "application/json"}, [json.dumps(value).encode()])

    @classmethod
    def sse(cls, *events: str, pieces: int = 0) -> "Reply":
        """A stream of server-sent events; ``pieces`` above 0 cuts it into chunks of that many bytes."""
        whole = "".join(f"data: {event}\n\n" for event in events).encode()
        size = pieces or max(len(whole), 1)
        chunks = [whole[start : start + size] for start in range(0, len(whole), size)]
        return cls(200, {"content-type": "text/event-stream"}, chunks)


class MemoryResponse:
    """A response whose chunks come from a :class:`Reply`."""

    def __init__(self, reply: Reply, url: str = "") -> None:
        self.status = reply.status
        self.url = reply.url or url
        self.headers = {name.lower(): value for name, value in reply.headers.items()}
        self._chunks = list(reply.chunks)
        self.closed = False

    async def chunks(self) -> AsyncIterator[bytes]:
        while self._chunks:
            chunk = self._chunks.pop(0)
            await asyncio.sleep(0)
            if self.closed:
                return
            if isinstance(chunk, Gate):
                await chunk.wait()
            elif isinstance(chunk, bytes):
                yield chunk
            elif chunk == STALL:
                raise BridgeError("The server stopped sending.", code="net_stalled")
            else:
                raise BridgeError("The connection was cut.", code="net_cut")

    async def read(self, limit: int) -> bytes:
        whole = b""
        async for chunk in self.chunks():
            whole += chunk
            if len(whole) > limit:
                raise BridgeError(f"The answer is larger than {limit} bytes.", code="too_large")
        return whole

    async def close(self) -> None:
        self.closed = True


class MemoryHttp:
    """Servers whose answers a test writes. An address nobody serves refuses the connection."""

    def __init__(self, taps: Taps) -> None:
        self._taps = taps
        self._routes: list[tuple[str, str, Answers]] = []
        self.requests: list[HttpRequest] = []
        self.responses: list[MemoryResponse] = []

    def on(self, method: str, url: str, *answers: Any) -> None:
        """Answer ``method url`` (``*`` and ``?`` are wild). A mapping or list is sent as JSON, text as it is.

        A later route for the same address goes first.
        """
        self._routes.insert(0, (method.upper(), url, Answers(answers)))

    def bodies(self) -> list[Any]:
        """The JSON bodies of all requests so far."""
        return [json.loads(request.body) if request.body else None for request in self.requests]

    async def send(self, request: HttpRequest) -> MemoryResponse:
        await self._taps.reach("http.send")
        self.requests.append(request)
        for method, url, answers in self._routes:
            if method == request.method.upper() and fnmatch.fnmatchcase(request.url, url):
                response = MemoryResponse(_as_reply(await answers.next(request)), request.url)
                self.responses.append(response)
                return response
        raise BridgeError(f"Nobody answers at {request.url}.", code="net_refused")


def _as_reply(answer: Any) -> Reply:
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, bytes):
        return Reply(chunks=[answer])
    if isinstance(answer, str):
        return Reply(chunks=[answer.encode()])
    return Reply.json(answer)
