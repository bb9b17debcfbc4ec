"""One streamed call of a wire over scripted HTTP, and what its caller got to see."""

import json
from dataclasses import dataclass
from typing import Any

from tests.support.models import client, request, whole
from tests.support.streams import FORM, PROVIDER, headers_of
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers.client import HttpModelClient


@dataclass
class Seen:
    """What a caller of the client got to see."""

    reply: ModelReply | None = None
    error: str = ""
    shown: str = ""
    resets: int = 0
    requests: int = 0


def model_of(host: MemoryHost, wire: str) -> HttpModelClient:
    """A client of a service that speaks ``wire`` and streams."""
    provider = PROVIDER[wire]
    return client(host, provider, **FORM.get(provider, {}))


async def call(wire: str, *chunks: bytes | str, fallback: Any = None) -> Seen:
    """One streamed call; a repeat without streaming gets ``fallback``."""
    host = MemoryHost()
    answers = [
        Reply(200, headers_of(wire), list(chunks)),
        Reply.json(whole(wire) if fallback is None else fallback),
    ]
    host.http.on("POST", "*", *answers)
    seen = Seen()
    pieces: list[str] = []

    def reset() -> None:
        pieces.clear()
        seen.resets += 1

    try:
        seen.reply = await model_of(host, wire).complete(request(stream=True), pieces.append, reset)
    except ProviderFailed as failure:
        seen.error = failure.code
    seen.shown, seen.requests = "".join(pieces), len(host.http.requests)
    assert all(response.closed for response in host.http.responses), "a transfer was left open"
    return seen


def asked_to_stream(sent: HttpRequest) -> bool:
    """Whether a request asks for a stream, in its body or its address."""
    if "/model/" in sent.url and "converse" in sent.url:
        return sent.url.endswith("-stream")
    return json.loads(sent.body or b"{}")["stream"] is True
