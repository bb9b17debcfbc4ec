"""What pages ask their servers for by script: kept by the supervisor page, told without what they carry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.rpc import Connection

WITH_BODIES: Final[dict[str, int]] = {
    "maxTotalBufferSize": 1,
    "maxResourceBufferSize": 1,
    "maxPostDataSize": 16_000,
}
"""Parameters of ``Network.enable`` with which a debugger tells bodies too; as attached it does not."""


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request of a page's script. The page wrote ``url``; secrets in it are masked."""

    id: str
    method: str
    url: str
    ago: float
    """Seconds since it was made."""
    has_body: bool
    header_names: tuple[str, ...] = ()
    replayable: bool = False
    """It can be sent again by its id: by the page that made it, to its own origin."""


@dataclass(frozen=True, slots=True)
class Described:
    """What a person is shown of a request: ``(name, value, masked)`` of what it carries, ``more`` of it left
    out."""

    method: str
    url: str
    fields: tuple[tuple[str, str, bool], ...]
    more: int = 0


class Requests(Protocol):
    """The requests of tabs that are watched. What they carry never comes to Python, but for a person's eyes
    and without secrets."""

    async def watch(self, tab_id: int) -> None:
        """Keep account of a tab from now on: the newest forty requests."""
        ...

    async def forget(self, tab_id: int) -> None:
        """Forget all of them and watch no more."""
        ...

    async def seen(self, tab_id: int) -> list[SeenRequest]:
        """Those kept of a tab, the oldest first; none if it is not watched."""
        ...

    async def describe(self, tab_id: int, request_id: str) -> Described:
        """``BridgeError(code="unknown_request")`` if that tab has none with this id to be sent again."""
        ...

    async def replay(self, tab_id: int, request_id: str, *, timeout: float) -> dict[str, Any]:
        """Have the page send it once more: ``{success, status, contentType, text, truncated}``, or
        ``{success: false, error, code}``. ``OutcomeUnknown`` if nobody knows whether it was sent.
        """
        ...


class BridgeRequests:
    """See :class:`Requests`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def watch(self, tab_id: int) -> None:
        await self._connection.call("requests.watch", {"tabId": tab_id}, timeout=BRIDGE_CALL_TIMEOUT)

    async def forget(self, tab_id: int) -> None:
        await self._connection.call("requests.forget", {"tabId": tab_id}, timeout=BRIDGE_CALL_TIMEOUT)

    async def seen(self, tab_id: int) -> list[SeenRequest]:
        answer = await self._connection.call("requests.list", {"tabId": tab_id}, timeout=BRIDGE_CALL_TIMEOUT)
        return [_seen(raw) for raw in answer["requests"]]

    async def describe(self, tab_id: int, request_id: str) -> Described:
        params = {"tabId": tab_id, "id": request_id}
        answer = await self._connection.call("requests.describe", params, timeout=BRIDGE_CALL_TIMEOUT)
        lines = [(str(one["name"]), str(one["value"]), one["masked"] is True) for one in answer["fields"]]
        return Described(str(answer["method"]), str(answer["url"]), tuple(lines), int(answer["more"]))

    async def replay(self, tab_id: int, request_id: str, *, timeout: float) -> dict[str, Any]:
        params = {"tabId": tab_id, "id": request_id}
        try:
            return dict(await self._connection.call("requests.replay", params, timeout=timeout))
        except BridgeError as error:
            if error.code in ("timeout", "page_gone", "page_busy"):
                raise OutcomeUnknown(error.message) from error
            raise


def _seen(raw: Mapping[str, Any]) -> SeenRequest:
    return SeenRequest(
        id=str(raw["id"]),
        method=str(raw["method"]),
        url=str(raw["url"]),
        ago=float(raw["agoMs"]) / 1000,
        has_body=raw["hasBody"] is True,
        header_names=tuple(str(name) for name in raw["headerNames"]),
        replayable=raw["replayable"] is True,
    )
