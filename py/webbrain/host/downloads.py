"""The browser's own downloads."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal
from urllib.parse import unquote_to_bytes

from webbrain.core.errors import BridgeError
from webbrain.core.limits import BRIDGE_CALL_TIMEOUT
from webbrain.host.reach import BrowserEvent, Download
from webbrain.host.rpc import Connection
from webbrain.host.tabs import unknown_if_cut_off

DATA_BYTES: Final = 30_000_000
"""Bytes of a ``data:`` address that may be saved."""
ADDRESS_CHARS: Final = 16_384
WEB: Final = ("http://", "https://")
STATES: Final[Mapping[str, Literal["in_progress", "complete", "interrupted"]]] = {
    "in_progress": "in_progress",
    "complete": "complete",
    "interrupted": "interrupted",
}


class BridgeDownloads:
    """Starts, lists and stops downloads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._blobs: dict[int, str] = {}
        """What ``data:`` addresses became, until their download is over."""

    def hear(self, event: BrowserEvent) -> None:
        """Let go of what a download that is over was made from."""
        if event.kind == "download_changed" and event.data.get("state") != "in_progress":
            blob = self._blobs.pop(int(event.data.get("id", -1)), None)
            if blob is not None:
                self._connection.event("blob.revoke", {"url": blob})

    async def start(self, url: str, *, filename: str | None = None) -> int:
        blob = None
        if url[:5].lower() == "data:":
            mime, data = _data_of(url)
            made = await self._connection.call(
                "blob.create", {"type": mime}, timeout=BRIDGE_CALL_TIMEOUT, buffers=[data]
            )
            blob = url = str(made["url"])
        elif not url.startswith(WEB) or len(url) > ADDRESS_CHARS:
            raise BridgeError("This kind of address cannot be downloaded.", code="bad_params")
        options: dict[str, Any] = {"url": url, "conflictAction": "uniquify", "saveAs": False}
        if filename is not None:
            options["filename"] = filename
        try:
            number = int(
                await self._connection.call(
                    "downloads.download", {"options": options}, timeout=BRIDGE_CALL_TIMEOUT
                )
            )
        except BridgeError as error:
            if blob is not None:
                self._connection.event("blob.revoke", {"url": blob})
            if error.code == "api_error":
                raise BridgeError(
                    f"The browser refused the download: {error.message}", code="download_refused"
                ) from error
            raise unknown_if_cut_off(error) from error
        if blob is not None:
            self._blobs[number] = blob
            # It may have been over before its number was known here.
            found = await self.search(ids=[number])
            if found and found[0].state != "in_progress":
                self.hear(BrowserEvent("download_changed", -1, {"id": number, "state": found[0].state}))
        return number

    async def search(self, *, ids: Sequence[int] | None = None, limit: int = 10) -> list[Download]:
        if ids is None:
            return await self._search({"orderBy": ["-startTime"], "limit": limit})
        return [found for number in ids for found in await self._search({"id": number, "limit": 1})]

    async def cancel(self, download_id: int) -> None:
        with suppress(BridgeError):
            await self._connection.call(
                "downloads.cancel", {"downloadId": download_id}, timeout=BRIDGE_CALL_TIMEOUT
            )

    async def _search(self, query: Mapping[str, Any]) -> list[Download]:
        found = await self._connection.call("downloads.search", {"query": query}, timeout=BRIDGE_CALL_TIMEOUT)
        return [_download(row) for row in found]


def _download(raw: Mapping[str, Any]) -> Download:
    url = str(raw.get("url", ""))
    total = raw.get("totalBytes", -1)
    return Download(
        id=int(raw["id"]),
        url=url,
        final_url=str(raw.get("finalUrl") or url),
        filename=str(raw.get("filename", "")),
        state=STATES.get(str(raw.get("state")), "interrupted"),
        bytes_received=int(raw.get("bytesReceived", 0)),
        total_bytes=int(total) if total is not None else -1,
        mime=str(raw.get("mime") or ""),
        started=str(raw.get("startTime") or ""),
        ended=str(raw.get("endTime") or ""),
        error=str(raw.get("error") or ""),
        exists=bool(raw.get("exists", True)),
    )


def _data_of(url: str) -> tuple[str, bytes]:
    """Media type and content of a ``data:`` address (RFC 2397)."""
    head, comma, body = url[5:].partition(",")
    # Base64 takes four characters for three bytes, percent signs three for one.
    if not comma or len(body) > DATA_BYTES * 3:
        raise BridgeError("This data: address is broken or too large.", code="bad_params")
    kind, *attributes = head.split(";")
    try:
        data = unquote_to_bytes(body)
        if any(attribute.strip().lower() == "base64" for attribute in attributes):
            data = base64.b64decode(data, validate=False)
    except (binascii.Error, ValueError) as error:
        raise BridgeError("This data: address cannot be decoded.", code="bad_params") from error
    if len(data) > DATA_BYTES:
        raise BridgeError(f"The address holds more than {DATA_BYTES} bytes.", code="too_large")
    return kind.strip() or "text/plain", data
