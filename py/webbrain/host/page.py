"""The content script of a tab: found or injected, asked or told, and watched while it works."""

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Never

from webbrain.core.errors import BridgeError
from webbrain.core.limits import NAVIGATION_TIMEOUT
from webbrain.host.reach import BrowserEvent
from webbrain.host.rpc import Connection
from webbrain.host.tabs import Tabs, restricted, unknown_if_cut_off

INJECTION_TIMEOUT: Final = 10.0
WATCH_INTERVAL: Final = 0.5
"""Seconds between two looks whether a page that has not answered yet is still there."""
KNOWN_SECONDS: Final = 2.0
"""So long after its last answer a page that began no navigation since is known to listen."""
MOST_TABS: Final = 100
"""Tabs of which is remembered when they answered."""
PING: Final = "ping"
LEAVING: Final = frozenset({"started", "committed", "failed"})
"""Phases of a navigation after which another page listens, or nobody."""
CONTENT_SCRIPT: Final = "js/content.js"


class BridgePage:
    """Messages to the content script, which is injected when nobody answers."""

    def __init__(self, connection: Connection, tabs: Tabs) -> None:
        self._connection = connection
        self._tabs = tabs
        self._answered: dict[int, float] = {}
        """By tab: when its page answered last, by the monotonic clock; gone when a navigation begins."""
        self._navigations = 0
        """How many were heard of, in all tabs."""

    def hear(self, event: BrowserEvent) -> None:
        """Another page comes into a tab, or the tab goes away: whoever listened there does so no more."""
        if event.kind == "tab_removed" or event.data.get("phase") in LEAVING:
            self._navigations += 1
            self._answered.pop(event.tab_id, None)

    def _listens(self, message: "_Message") -> bool:
        """Whether the page answered a moment ago. Of frames in it too little is told to know."""
        last = self._answered.get(message.tab_id, -math.inf)
        return not message.frame_id and time.monotonic() - last < KNOWN_SECONDS

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
        message = _Message(tab_id, frame_id, action, args, time.monotonic() + timeout)
        try:
            return await self._act(message) if effect else await self._ask_twice(message)
        except BridgeError as error:
            if frame_id and error.code in ("no_frame", "page_gone"):
                await self._judge_frame(message, error)
            raise

    async def _ask_twice(self, message: "_Message") -> dict[str, Any]:
        """Ask, and once more if the page went away under the question."""
        try:
            return await self._ask(message)
        except BridgeError as error:
            if error.code not in ("page_gone", "outcome_unknown"):
                raise
        if message.frame_id and not await self._has_frame(message):
            raise _no_frame()
        # The page that comes next is asked.
        await self._tabs.loaded(message.tab_id, min(NAVIGATION_TIMEOUT, message.seconds_left()))
        return await self._ask(message)

    async def _judge_frame(self, message: "_Message", error: BridgeError) -> None:
        """Say of a frame that cannot be reached whether it is gone or closed to extensions."""
        if not await self._has_frame(message):
            raise _no_frame() from error
        if error.code == "no_frame":
            raise BridgeError(
                "The browser keeps extensions out of this frame.", code="restricted_page"
            ) from error

    async def _has_frame(self, message: "_Message") -> bool:
        frames = await self._tabs.frames(message.tab_id)
        return any(frame["frameId"] == message.frame_id for frame in frames)

    async def _act(self, message: "_Message") -> dict[str, Any]:
        """Send an effect exactly once.

        Firefox says that nobody listens also when the page went away after it got the message, so that answer
        must not lead to a second try. Hence the content script is made sure of before, unless it has just
        answered.
        """
        if not self._listens(message):
            try:
                await self._send(message.with_action(PING))
            except BridgeError as error:
                if error.code not in ("no_receiver", "page_gone", "no_frame"):
                    raise
                await self._inject(message)
        try:
            return await self._watched(message)
        except BridgeError as error:
            raise unknown_if_cut_off(_gone_if_unheard(error)) from error

    async def _ask(self, message: "_Message") -> dict[str, Any]:
        """Send a question; inject the content script and ask once more if nobody was there to hear it."""
        try:
            return await self._watched(message)
        except BridgeError as error:
            if error.code == "page_gone":
                await self._prepare(message.tab_id)
            if error.code != "no_receiver":
                raise
        await self._inject(message)
        try:
            return await self._watched(message)
        except BridgeError as error:
            raise _gone_if_unheard(error) from error

    async def _watched(self, message: "_Message") -> dict[str, Any]:
        """Send, and notice when the page is replaced meanwhile: Firefox leaves such a call unanswered."""
        answer = asyncio.ensure_future(self._send(message))
        watch: asyncio.Future[Never] | None = None
        try:
            # Nearly every answer comes before the first look would be due.
            done, _ = await asyncio.wait((answer,), timeout=WATCH_INTERVAL)
            if not done:
                watch = asyncio.ensure_future(self._until_gone(message))
                await asyncio.wait((answer, watch), return_when=asyncio.FIRST_COMPLETED)
            return await (answer if watch is None or answer.done() else watch)
        finally:
            answer.cancel()
            if watch is not None:
                watch.cancel()

    async def _until_gone(self, message: "_Message") -> Never:
        while True:
            try:
                await self._send(message.with_action(PING))
            except BridgeError as error:
                if error.code in ("no_receiver", "no_tab"):
                    raise _gone_if_unheard(error) from error
            await asyncio.sleep(WATCH_INTERVAL)

    async def _send(self, message: "_Message") -> dict[str, Any]:
        navigations = self._navigations
        try:
            answer = await self._connection.call(
                "tabs.sendMessage", message.params(), timeout=message.seconds_left()
            )
        except BridgeError as error:
            if error.code == "timeout":
                raise BridgeError("The page did not answer in time.", code="page_busy") from error
            raise _gone_at_the_top(error, message) from error
        if answer is None:
            # One of our own screens has this tab: it hears messages to pages and leaves them alone.
            raise BridgeError("Nobody in the page answered.", code="no_receiver")
        if not isinstance(answer, dict):
            raise BridgeError("The page's answer is not an object.", code="api_error")
        if not message.frame_id and navigations == self._navigations:
            if len(self._answered) >= MOST_TABS:
                self._answered.clear()
            self._answered[message.tab_id] = time.monotonic()
        return answer

    async def _inject(self, message: "_Message") -> None:
        await self._prepare(message.tab_id)
        injection = {
            "target": {"tabId": message.tab_id, "frameIds": [message.frame_id]},
            "files": [CONTENT_SCRIPT],
            "injectImmediately": True,
        }
        try:
            await self._connection.call(
                "scripting.executeScript", {"injection": injection}, timeout=INJECTION_TIMEOUT
            )
        except BridgeError as error:
            raise _gone_at_the_top(error, message) from error

    async def _prepare(self, tab_id: int) -> None:
        """Refuse a page that is closed to extensions, and wake one that the browser has put to sleep."""
        tab = await self._tabs.get(tab_id)
        # Without an address there is nothing to judge by; the browser's own refusal follows.
        if (url := str(tab.get("url", ""))) and restricted(url):
            raise BridgeError("The browser keeps extensions out of this page.", code="restricted_page")
        if tab.get("discarded"):
            # Its address stays the same: only a load that is seen to begin tells the new page from the old.
            self._tabs.leaves(tab)
            await self._tabs.act("tabs.reload", {"tabId": tab_id})
            await self._tabs.loaded(tab_id, NAVIGATION_TIMEOUT)


@dataclass(frozen=True, slots=True)
class _Message:
    """One message to one frame; ``end`` is a time of the monotonic clock."""

    tab_id: int
    frame_id: int
    action: str
    args: Mapping[str, Any]
    end: float

    def seconds_left(self) -> float:
        return max(self.end - time.monotonic(), 0.0)

    def with_action(self, action: str) -> "_Message":
        return replace(self, action=action, args={})

    def params(self) -> dict[str, Any]:
        return {
            "tabId": self.tab_id,
            "message": {"target": "content", "action": self.action, "args": self.args},
            "options": {"frameId": self.frame_id},
        }


def _gone_at_the_top(error: BridgeError, message: _Message) -> BridgeError:
    """Only a page that is just being replaced has no frame at its top."""
    if error.code == "no_frame" and not message.frame_id:
        return BridgeError(error.message, code="page_gone")
    return error


def _no_frame() -> BridgeError:
    return BridgeError("This frame is not in the page any more.", code="no_frame")


def _gone_if_unheard(error: BridgeError) -> BridgeError:
    if error.code != "no_receiver":
        return error
    return BridgeError("The page went away during the call.", code="page_gone")
