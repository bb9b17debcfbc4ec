"""The border between the agent and the world, as typed protocols.

All methods are cancellable coroutines. They raise ``BridgeError`` (codes in docs/protocol.md) when the
browser refuses, ``OutcomeUnknown`` when a call that is not idempotent was cut off half-way.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from webbrain.host.builtin import BuiltinModel
from webbrain.host.reach import Debugger, Downloads, Events, Frame, Pdfs, Pictures, Windows
from webbrain.host.requests import Requests
from webbrain.host.tables import Tables


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this browser can do; tools ask this, never for a browser's name."""

    browser: Literal["chrome", "firefox", "memory"]
    cdp: bool = False
    captures_background_tabs: bool = False


@dataclass(frozen=True, slots=True)
class Tab:
    """A browser tab as last seen. ``status`` is the browser's own "loading" or "complete"."""

    id: int
    url: str
    title: str
    window_id: int = 0
    active: bool = False
    status: str = "complete"


class Browser(Protocol):
    """Tabs and navigation."""

    async def get_tab(self, tab_id: int) -> Tab:
        """Raise ``BridgeError(code="no_tab")`` if the tab is gone."""
        ...

    async def active_tab(self) -> Tab | None:
        """The active tab of the last focused ordinary window, or ``None``."""
        ...

    async def navigate(self, tab_id: int, url: str) -> None:
        """Start loading ``url`` in the tab; returns when the browser accepted it."""
        ...

    async def go_back(self, tab_id: int) -> None:
        """One step back in the tab's history; ``BridgeError(code="no_history")`` if there is none."""
        ...

    async def go_forward(self, tab_id: int) -> None:
        """One step forward; ``BridgeError(code="no_history")`` if there is none."""
        ...

    async def wait_loaded(self, tab_id: int, timeout: float) -> Tab:
        """Return the tab once it stopped loading, or as it is after ``timeout`` seconds."""
        ...

    async def frames(self, tab_id: int) -> list[Frame]:
        """Every frame of the tab, the page itself first."""
        ...

    async def open_tab(self, url: str, *, beside: int, active: bool = False) -> Tab:
        """Open ``url`` in a new tab of the window of tab ``beside``, in the background unless ``active``."""
        ...

    async def opened_from(self, tab_id: int) -> list[Tab]:
        """The tabs whose opener is tab ``tab_id``, with the address that each shows or is on its way to."""
        ...

    async def close_tab(self, tab_id: int) -> None:
        """Close a tab; nothing happens if it is gone."""
        ...


class Page(Protocol):
    """The content script of a tab. It is injected on demand, also in tabs older than the extension."""

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
        """Send one message to the page and return its JSON answer (``{"success": bool, ...}``).

        ``effect`` marks an action that changes something: if it is cut off, ``OutcomeUnknown`` is raised and
        the action is not repeated. Error codes: ``no_tab``, ``no_frame`` (``frame_id`` is not in the page any
        more; list the frames again), ``restricted_page``, ``page_busy`` (no answer in time), ``page_gone``.
        """
        ...


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request of ours. ``headers_timeout`` covers the time to headers only; both are seconds."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    headers_timeout: float = 120.0
    stall_timeout: float = 60.0
    follow: bool = False
    """Follow redirects. The response's ``url`` says where they led; look at it before the body is used."""
    cookies: bool = False
    """Send the user's cookies of that site along."""


class HttpResponse(Protocol):
    """A response whose head has come. Leaving it unread or closing it aborts the transfer."""

    @property
    def status(self) -> int: ...
    @property
    def url(self) -> str:
        """The address that answered, after redirects."""
        ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises ``BridgeError`` with code ``net_stalled`` or ``net_cut``."""
        ...

    async def read(self, limit: int) -> bytes:
        """The whole body, at most ``limit`` bytes (``BridgeError(code="too_large")`` beyond)."""
        ...

    async def close(self) -> None:
        """Abort what is left."""
        ...


class Http(Protocol):
    """Fetch through the supervisor; the Worker itself has no network."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send and wait for the head.

        Raises ``BridgeError``: ``net_refused`` (nobody listens, DNS, TLS or CORS), ``net_timeout``,
        ``offline``.
        """
        ...


class KeyValue(Protocol):
    """A small JSON store: ``storage.local`` for settings, ``storage.session`` for mirrors."""

    async def get(self, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Values of those keys that exist; all of them for ``None``."""
        ...

    async def set(self, values: Mapping[str, Any]) -> None:
        """Store each value under its key."""
        ...

    async def remove(self, keys: Sequence[str]) -> None:
        """Forget the keys."""
        ...


class Store(Protocol):
    """Append-only records in IndexedDB, grouped in streams (one per conversation)."""

    async def append(self, stream: str, records: Sequence[Mapping[str, Any]]) -> int:
        """Append in order, atomically; return the sequence number of the last (from 1)."""
        ...

    async def read(
        self, stream: str, after: int = 0, limit: int = 10_000
    ) -> list[tuple[int, dict[str, Any]]]:
        """Records with a sequence number above ``after``, oldest first, as ``(seq, record)``."""
        ...

    async def streams(self) -> list[str]:
        """Names of all streams."""
        ...

    async def delete(self, stream: str) -> None:
        """Remove a whole stream."""
        ...


class Clock(Protocol):
    """Time, so that tests own it."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def local_time(self) -> str:
        """The user's wall clock with its zone, e.g. ``Sunday 2026-11-29 21:04 (UTC+01:00)``."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Ui(Protocol):
    """Our own screens."""

    def emit(self, event: str, params: Mapping[str, Any]) -> None:
        """Send an event to every open screen; never blocks, never fails."""
        ...


class Toolbar(Protocol):
    """The extension's button in the browser's toolbar."""

    async def mark(self, text: str) -> None:
        """Put a short text on it, on every tab; an empty one takes the mark away."""
        ...


class Host(Protocol):
    """Everything above in one place."""

    @property
    def capabilities(self) -> Capabilities: ...
    @property
    def browser(self) -> Browser: ...
    @property
    def page(self) -> Page: ...
    @property
    def http(self) -> Http: ...
    @property
    def settings(self) -> KeyValue: ...
    @property
    def session(self) -> KeyValue: ...
    @property
    def store(self) -> Store: ...
    @property
    def tables(self) -> Tables: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def ui(self) -> Ui: ...
    @property
    def events(self) -> Events: ...
    @property
    def debugger(self) -> Debugger: ...
    @property
    def downloads(self) -> Downloads: ...
    @property
    def windows(self) -> Windows: ...
    @property
    def pictures(self) -> Pictures: ...
    @property
    def pdfs(self) -> Pdfs: ...
    @property
    def toolbar(self) -> Toolbar: ...
    @property
    def builtin(self) -> BuiltinModel: ...
    @property
    def requests(self) -> Requests: ...
