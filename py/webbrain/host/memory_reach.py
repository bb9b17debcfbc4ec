"""The half of the memory host that stands for the browser around the pages: debugger, downloads, windows,
pictures, PDFs. See ``memory.py``."""

import base64
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from webbrain.core.errors import BridgeError
from webbrain.host.memory_parts import Answers, MemoryEvents, Taps, json_copy
from webbrain.host.memory_web import MemoryBrowser
from webbrain.host.protocols import Capabilities
from webbrain.host.reach import Download, Window

NO_CDP: Final = "This browser has no debugger for extensions."
TINY_JPEG: Final = "data:image/jpeg;base64,/9j/2Q=="
"""What a picture is unless a test says otherwise: begin and end of a JPEG."""


class MemoryDebugger:
    """A debugger whose answers a test writes; a command without an answer gets ``{}``.

    ``commands`` lists ``(tab_id, method, params)``, ``attachments`` and ``detachments`` the tabs of those
    calls. ``refuse`` set to an exception makes every attach raise it. Needs the capability ``cdp``.
    """

    def __init__(
        self, browser: MemoryBrowser, taps: Taps, events: MemoryEvents, capabilities: Capabilities
    ) -> None:
        self._browser = browser
        self._taps = taps
        self._events = events
        self._capabilities = capabilities
        self._answers: dict[str, Answers] = {}
        self._attached: set[int] = set()
        self.commands: list[tuple[int, str, dict[str, Any]]] = []
        self.attachments: list[int] = []
        self.detachments: list[int] = []
        self.refuse: Exception | None = None

    def on(self, method: str, *answers: Any) -> None:
        """Answer a command; a function gets its params."""
        self._answers[method] = Answers(answers)

    def cancel(self, tab_id: int, reason: str = "canceled_by_user") -> None:
        """The user ends the debugging of this tab, or the browser does."""
        if tab_id in self._attached:
            self._attached.discard(tab_id)
            self._events.tell("debugger_detached", tab_id, reason=reason)

    def report(self, tab_id: int, method: str, **params: Any) -> None:
        """The debugger reports something, if it is attached."""
        if tab_id in self._attached:
            self._events.tell("cdp", tab_id, method=method, params=params)

    def commands_of(self, method: str) -> list[dict[str, Any]]:
        """The params of every command of that name."""
        return [params for _, name, params in self.commands if name == method]

    async def attach(self, tab_id: int) -> None:
        await self._taps.reach("debugger.attach")
        self._demand()
        await self._browser.get_tab(tab_id)
        if self.attached(tab_id):
            return
        if self.refuse is not None:
            raise self.refuse
        self.attachments.append(tab_id)
        self._attached.add(tab_id)

    async def detach(self, tab_id: int) -> None:
        await self._taps.reach("debugger.detach")
        self._demand()
        if tab_id in self._attached:
            self.detachments.append(tab_id)
            self._attached.discard(tab_id)

    def attached(self, tab_id: int) -> bool:
        return tab_id in self._attached & {tab.id for tab in self._browser.tabs()}

    async def send(
        self, tab_id: int, method: str, params: Mapping[str, Any] | None = None, *, timeout: float = 10.0
    ) -> dict[str, Any]:
        await self._taps.reach(f"debugger.{method}")
        self._demand()
        if not self.attached(tab_id):
            raise BridgeError(
                "The debugger is not attached to this tab.", code="debugger_detached", data={"sent": False}
            )
        given = json_copy(dict(params or {}))
        self.commands.append((tab_id, method, given))
        if method not in self._answers:
            return {}
        return dict(json_copy(await self._answers[method].next(given)))

    def _demand(self) -> None:
        if not self._capabilities.cdp:
            raise BridgeError(NO_CDP, code="not_available")


class MemoryDownloads:
    """Downloads that a test finishes. ``started`` lists ``(url, filename)``, ``cancelled`` ids."""

    def __init__(self, taps: Taps, events: MemoryEvents) -> None:
        self._taps = taps
        self._events = events
        self._rows: dict[int, Download] = {}
        self._refused: list[str] = []
        self.started: list[tuple[str, str | None]] = []
        self.cancelled: list[int] = []

    def add(self, download: Download) -> None:
        """The browser has begun a download, by a page or a person; who listens hears of it."""
        self._rows[download.id] = download
        self._events.tell("download_created", id=download.id, url=download.url, filename=download.filename)

    def refuse(self, url: str) -> None:
        """Let downloads of that address (``*`` and ``?`` are wild) fail."""
        self._refused.append(url)

    def end(
        self, download_id: int, state: Literal["complete", "interrupted"] = "complete", **fields: Any
    ) -> None:
        """A download is over; ``fields`` are those of :class:`Download` that change with it."""
        self._rows[download_id] = replace(self._rows[download_id], state=state, **fields)
        self._events.tell("download_changed", id=download_id, state=state)

    async def start(self, url: str, *, filename: str | None = None) -> int:
        await self._taps.reach("downloads.start")
        if not url.startswith(("http://", "https://", "data:")):
            raise BridgeError("This kind of address cannot be downloaded.", code="bad_params")
        if any(fnmatch.fnmatchcase(url, pattern) for pattern in self._refused):
            raise BridgeError("The browser refused the download.", code="download_refused")
        self.started.append((url, filename))
        number = max(self._rows, default=0) + 1
        name = filename or url.split("?")[0].rsplit("/", 1)[-1] or "download"
        self.add(Download(number, url, url, f"/home/user/Downloads/{name}", "in_progress"))
        return number

    async def search(self, *, ids: Sequence[int] | None = None, limit: int = 10) -> list[Download]:
        await self._taps.reach("downloads.search")
        if ids is not None:
            return [self._rows[number] for number in ids if number in self._rows]
        return [self._rows[number] for number in sorted(self._rows, reverse=True)][:limit]

    async def cancel(self, download_id: int) -> None:
        await self._taps.reach("downloads.cancel")
        self.cancelled.append(download_id)
        row = self._rows.get(download_id)
        if row is not None and row.state == "in_progress":
            self.end(download_id, "interrupted", error="USER_CANCELED")


class MemoryWindows:
    """Windows of the screen. A window a tab lives in exists; ``resizes`` lists ``(id, width, height)``."""

    def __init__(self, browser: MemoryBrowser, taps: Taps) -> None:
        self._browser = browser
        self._taps = taps
        self._windows: dict[int, Window] = {}
        self.least = (500, 300)
        """Width and height below which this browser makes no window."""
        self.resizes: list[tuple[int, int, int]] = []

    def open(self, window: Window) -> None:
        """Add a window, or replace what is known of it."""
        self._windows[window.id] = window

    async def get(self, window_id: int) -> Window:
        await self._taps.reach("windows.get")
        return self._need(window_id)

    async def resize(
        self, window_id: int, *, width: int, height: int, left: int | None = None, top: int | None = None
    ) -> Window:
        await self._taps.reach("windows.resize")
        before = self._need(window_id)
        self.resizes.append((window_id, width, height))
        after = replace(
            before,
            width=max(width, self.least[0]),
            height=max(height, self.least[1]),
            left=before.left if left is None else left,
            top=before.top if top is None else top,
            state="normal",
        )
        self._windows[window_id] = after
        return after

    def _need(self, window_id: int) -> Window:
        if window_id in self._windows:
            return self._windows[window_id]
        if any(tab.window_id == window_id for tab in self._browser.tabs()):
            return Window(window_id, 0, 0, 1280, 800, "normal", "normal", True)
        raise BridgeError(f"Window {window_id} is gone.", code="no_window")


class MemoryPictures:
    """Pictures a test hands in. ``taken`` lists ``(tab_id, quality, scale)``."""

    def __init__(
        self, browser: MemoryBrowser, debugger: MemoryDebugger, taps: Taps, capabilities: Capabilities
    ) -> None:
        self._browser = browser
        self._debugger = debugger
        self._taps = taps
        self._capabilities = capabilities
        self._answers = Answers([TINY_JPEG])
        self.taken: list[tuple[int, int, float]] = []
        self.masked: list[list[dict[str, int]]] = []
        """The regions of every picture that was drawn over."""

    def on(self, *answers: Any) -> None:
        """The pictures to come, as ``data:`` addresses; a function gets the tab's id."""
        self._answers = Answers(answers)

    async def capture(self, tab_id: int, *, quality: int = 75, scale: float = 1.0) -> str:
        await self._taps.reach("pictures.capture")
        tab = await self._browser.get_tab(tab_id)
        drawn = self._capabilities.captures_background_tabs or self._debugger.attached(tab_id)
        if not tab.active and not drawn:
            raise BridgeError("This tab is not the one its window shows.", code="not_visible")
        self.taken.append((tab_id, quality, scale))
        return str(await self._answers.next(tab_id))

    async def mask(
        self, picture: str, *, regions: Sequence[Mapping[str, int]], scale: float, quality: int = 75
    ) -> str:
        """The same picture, with bytes behind its end that say that it was drawn over."""
        await self._taps.reach("pictures.mask")
        self.masked.append([dict(region) for region in regions])
        head, _, body = picture.partition(",")
        return f"{head},{base64.b64encode(base64.b64decode(body) + b'masked').decode()}"


class MemoryPdfs:
    """PDF files whose content a test writes. ``reads`` lists the arguments of every call."""

    def __init__(self, taps: Taps) -> None:
        self._taps = taps
        self._answers: Answers | None = None
        self.reads: list[dict[str, Any]] = []

    def on(self, *answers: Any) -> None:
        """What the reader finds, as the protocol says; a function gets the call's arguments."""
        self._answers = Answers(answers)

    async def read(
        self, data: bytes, *, from_page: int, to_page: int, max_chars: int, password: str = "", timeout: float
    ) -> dict[str, Any]:
        await self._taps.reach("pdfs.read")
        call = {
            "data": data,
            "from_page": from_page,
            "to_page": to_page,
            "max_chars": max_chars,
            "password": password,
            "timeout": timeout,
        }
        self.reads.append(call)
        if self._answers is None:
            raise BridgeError("This is not a PDF that can be read.", code="pdf_broken")
        return dict(json_copy(await self._answers.next(call)))
