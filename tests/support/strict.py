"""A host whose network is a strict model server, without sockets: requests are read as the real service reads
them, and answered with what a test scripted."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from tests.support.models import KEY
from webbrain.host.memory import MemoryHost
from webbrain.host.memory import Reply as HttpReply
from webbrain.host.protocols import HttpRequest
from webbrain.providers.event_stream import CONTENT_TYPE
from webbrain.testing import (
    anthropic_wire,
    azure_wire,
    bedrock_wire,
    llamacpp_wire,
    openai_wire,
    responses_wire,
    vertex_anthropic_wire,
)
from webbrain.testing.chat import BadRequest, ModelCall, Reply
from webbrain.testing.model_server import PIECE

SERVERS: dict[str, ModuleType] = {
    "openai_chat": openai_wire,
    "openai_responses": responses_wire,
    "azure": azure_wire,
    "llamacpp": llamacpp_wire,
    "anthropic": anthropic_wire,
    "vertex_anthropic": vertex_anthropic_wire,
    "bedrock": bedrock_wire,
}
"""The strict reader of each wire format."""
DIALECT = {
    "openai": "openai",
    "mistral": "openai",
    "xai": "openai",
    "groq": "openai",
    "nvidia": "local",
    "together": "local",
    "fireworks": "local",
    "openrouter": "openrouter",
    "deepseek": "deepseek",
    "opencode-go": "deepseek",
    "kimi": "moonshot",
    "z_ai": "zhipu",
    "alibaba": "dashscope",
    "minimax": "minimax",
    "gemini": "gemini",
    "google-vertex": "gemini",
}
"""Which dialect of Chat Completions a service reads; those of one's own read that of open models."""


class StrictHost(MemoryHost):
    """Answers ``think(call)``, or 400 in the words of the service, which ``refused`` keeps.

    ``service`` is the id of the one that is played, for formats that services bend.
    """

    def __init__(self, wire: str, think: Callable[[ModelCall], Reply], service: str = "") -> None:
        super().__init__()
        self._dialect = openai_wire.DIALECTS[DIALECT.get(service, "local")]
        self.calls: list[ModelCall] = []
        self.refused: list[str] = []
        self._server = SERVERS[wire]
        self._think = think
        self.http.on("POST", "*", self._answer)

    def _answer(self, sent: HttpRequest) -> HttpReply:
        parts = urlsplit(sent.url)
        headers = {name.lower(): value for name, value in {**sent.headers, "host": parts.netloc}.items()}
        body = sent.body or b""
        try:
            if self._server is bedrock_wire:
                bedrock_wire.check_signature(parts.path, headers, body, KEY)
            call = self._read(parts.path, json.loads(body), headers)
        except BadRequest as problem:
            self.refused.append(str(problem))
            return HttpReply.json(self._server.error(str(problem)), 400)
        self.calls.append(call)
        reply, number = self._think(call), len(self.calls)
        if not call.stream:
            return HttpReply.json(self._server.whole(reply, call, number))
        kind = CONTENT_TYPE if self._server is bedrock_wire else "text/event-stream"
        pieces = self._server.pieces(reply, call, number, PIECE.findall(reply.text))
        chunks = [piece.encode() if isinstance(piece, str) else piece for piece in pieces]
        return HttpReply(200, {"content-type": kind}, chunks)

    def _read(self, path: str, body: Any, headers: dict[str, str]) -> ModelCall:
        if self._server is openai_wire:
            return openai_wire.read(body, headers, self._dialect)
        if self._server is vertex_anthropic_wire:
            vertex_anthropic_wire.check_address(path, body)
        call: ModelCall = self._server.read(body, headers)
        return call
