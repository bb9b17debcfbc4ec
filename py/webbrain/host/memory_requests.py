"""Requests of pages in memory; see ``memory.py``."""

from typing import Any

from webbrain.core.errors import BridgeError
from webbrain.host.memory_parts import Answers, Taps, json_copy
from webbrain.host.requests import Described, SeenRequest


class MemoryRequests:
    """What a test says that pages asked for: ``add`` while the tab is watched. ``replays`` lists what was
    sent again."""

    def __init__(self, taps: Taps) -> None:
        self._taps = taps
        self._answers: Answers | None = None
        self.watched: dict[int, list[SeenRequest]] = {}
        self.described: dict[str, Described] = {}
        self.replays: list[tuple[int, str]] = []

    def add(self, tab_id: int, *seen: SeenRequest) -> None:
        """The page of that tab asked for this; nothing happens if nobody watches."""
        if tab_id in self.watched:
            self.watched[tab_id] += seen

    def on(self, *answers: Any) -> None:
        """What comes back of a request that is sent again, one after the other."""
        self._answers = Answers(answers)

    async def watch(self, tab_id: int) -> None:
        await self._taps.reach("requests.watch")
        self.watched.setdefault(tab_id, [])

    async def forget(self, tab_id: int) -> None:
        await self._taps.reach("requests.forget")
        self.watched.pop(tab_id, None)

    async def seen(self, tab_id: int) -> list[SeenRequest]:
        await self._taps.reach("requests.list")
        return list(self.watched.get(tab_id, []))

    async def describe(self, tab_id: int, request_id: str) -> Described:
        await self._taps.reach("requests.describe")
        found = self._known(tab_id, request_id)
        return self.described.get(request_id, Described(found.method, found.url, ()))

    async def replay(self, tab_id: int, request_id: str, *, timeout: float) -> dict[str, Any]:
        await self._taps.reach("requests.replay")
        self._known(tab_id, request_id)
        self.replays.append((tab_id, request_id))
        if self._answers is None:
            return {"success": True, "status": 200, "contentType": "text/plain", "text": "ok"}
        return dict(json_copy(await self._answers.next((tab_id, request_id))))

    def _known(self, tab_id: int, request_id: str) -> SeenRequest:
        for one in self.watched.get(tab_id, []):
            if one.id == request_id and one.replayable:
                return one
        raise BridgeError("No request of this tab has this id.", code="unknown_request")
