"""What the agent needs of a browser beyond one page: events, debugger, downloads, windows, pictures, PDFs.

Protocols like those of ``host.protocols``, with the same errors. What a browser lacks is a capability that is
false, and the method then raises ``BridgeError(code="not_available")``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a tab. ``id`` 0 is the page itself; ``parent_id`` is -1 for it."""

    id: int
    parent_id: int
    url: str


EventKind = Literal[
    "tab_opened",
    "tab_removed",
    "navigation",
    "frame_navigation",
    "download_created",
    "download_changed",
    "cdp",
    "debugger_detached",
]


@dataclass(frozen=True, slots=True)
class BrowserEvent:
    """Something the browser did by itself.

    ``tab_id`` is the tab it concerns, -1 for none. ``data`` by kind:

    ``tab_opened``      ``{tabId, url}`` of a tab that a page of ``tab_id`` opened, once for each; tabs that a
                        person or :meth:`Browser.open_tab` opens are not told
    ``tab_removed``     nothing
    ``navigation``      ``{phase, url}`` of the page itself, never of a frame in it; ``phase`` is ``started``,
                        ``committed``, ``completed``, ``failed`` or ``same_document``. In Firefox a page
                        that gets another process is ``started``, ``failed`` and ``started`` again
    ``frame_navigation``  ``{frameId, url}``: a frame of the tab shows a new document; at most 50 a second
    ``download_created``  ``{id, url, filename}``, the name may still be empty
    ``download_changed``  ``{id, state}``
    ``cdp``             ``{method, params}``, reduced to what js/bridge/events.js lets through
    ``debugger_detached``  ``{reason}``: ``canceled_by_user`` or ``target_closed``
    """

    kind: EventKind
    tab_id: int
    data: Mapping[str, Any] = field(default_factory=dict)


class Events(Protocol):
    """Browser events as they come."""

    def listen(self, hear: Callable[[BrowserEvent], None]) -> Callable[[], None]:
        """Have every later event told to ``hear``, which must not block; the answer ends it."""
        ...


class Debugger(Protocol):
    """The debugging protocol of a tab (capability ``cdp``), limited to the methods of methods.json."""

    async def attach(self, tab_id: int) -> None:
        """Attach, with Page and the reports of the table switched on; nothing happens if attached already.

        ``BridgeError`` codes: ``debugger_refused`` with ``data.reason``: ``forbidden`` (this page only) or
        ``taken`` (another debugger has the tab). A user's cancel is an event; attaching again would work, and
        is the caller's decision.
        """
        ...

    async def detach(self, tab_id: int) -> None:
        """Detach; nothing happens if not attached."""
        ...

    def attached(self, tab_id: int) -> bool:
        """Whether this tab is attached now, as far as is known."""
        ...

    async def send(
        self, tab_id: int, method: str, params: Mapping[str, Any] | None = None, *, timeout: float = 10.0
    ) -> dict[str, Any]:
        """One command.

        ``BridgeError`` codes: ``debugger_detached`` if the session is gone (``data.sent`` is false where the
        command surely never left); ``no_dialog`` for the answer to a dialog that is not open. Input that was
        cut off is ``OutcomeUnknown``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Download:
    """A row of the browser's downloads. Sizes are bytes, -1 if unknown; times are ISO texts."""

    id: int
    url: str
    final_url: str
    filename: str
    state: Literal["in_progress", "complete", "interrupted"]
    bytes_received: int = 0
    total_bytes: int = -1
    mime: str = ""
    started: str = ""
    ended: str = ""
    error: str = ""
    exists: bool = True


class Downloads(Protocol):
    """The browser's own downloads."""

    async def start(self, url: str, *, filename: str | None = None) -> int:
        """Begin a download (http, https, or a ``data:`` address of at most 30 MB); return its id.

        ``filename`` is a relative path below the user's folder for downloads. ``BridgeError`` codes:
        ``bad_params``, ``download_refused``.
        """
        ...

    async def search(self, *, ids: Sequence[int] | None = None, limit: int = 10) -> list[Download]:
        """Those ids, or the newest first."""
        ...

    async def cancel(self, download_id: int) -> None:
        """Stop it; nothing happens if it is over."""
        ...


@dataclass(frozen=True, slots=True)
class Window:
    """A browser window, in CSS pixels of the screen."""

    id: int
    left: int
    top: int
    width: int
    height: int
    state: str
    type: str
    focused: bool


class Windows(Protocol):
    """Browser windows."""

    async def get(self, window_id: int) -> Window:
        """``BridgeError(code="no_window")`` if it is gone."""
        ...

    async def resize(
        self, window_id: int, *, width: int, height: int, left: int | None = None, top: int | None = None
    ) -> Window:
        """Change its bounds (a maximised window is restored first); return what it became."""
        ...


class Pictures(Protocol):
    """Screenshots of a tab's viewport, background tabs included where the browser can."""

    async def capture(self, tab_id: int, *, quality: int = 75, scale: float = 1.0) -> str:
        """The viewport as a JPEG ``data:`` address.

        ``quality`` is 1 to 100, ``scale`` multiplies its CSS size. ``BridgeError`` codes: ``not_visible`` (a
        background tab that this browser cannot draw), ``restricted_page``, ``page_busy`` (it hangs, or a
        dialog is open in it: nothing is drawn then).
        """
        ...

    async def mask(
        self, picture: str, *, regions: Sequence[Mapping[str, int]], scale: float, quality: int = 75
    ) -> str:
        """The picture with a mosaic over ``regions``, ``{x, y, width, height}`` in CSS pixels of the
        viewport, of which it has ``scale`` pixels each. Only the picture is drawn on, never the page.
        """
        ...


class Pdfs(Protocol):
    """A PDF reader in a Worker of its own, started for one document and thrown away."""

    async def read(
        self, data: bytes, *, from_page: int, to_page: int, max_chars: int, password: str = "", timeout: float
    ) -> dict[str, Any]:
        """``{title, totalPages, fromPage, toPage, pages: [{page, text}], truncated, encrypted}``.

        ``BridgeError`` codes: ``pdf_broken``, ``pdf_encrypted``, ``timeout``.
        """
        ...
