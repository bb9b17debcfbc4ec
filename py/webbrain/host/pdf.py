"""Reading PDFs over the bridge: the supervisor page starts a Worker for each document."""

from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.host.rpc import Connection

MOST_BYTES: Final = 32_000_000
"""Bytes of one document."""


class BridgePdfs:
    """See ``host.reach.Pdfs``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(
        self, data: bytes, *, from_page: int, to_page: int, max_chars: int, password: str = "", timeout: float
    ) -> dict[str, Any]:
        if len(data) > MOST_BYTES:
            raise BridgeError(f"The PDF has more than {MOST_BYTES:,} bytes.", code="too_large")
        params = {"from_page": from_page, "to_page": to_page, "max_chars": max_chars, "password": password}
        return dict(await self._connection.call("pdf.read", params, timeout=timeout, buffers=[data]))
