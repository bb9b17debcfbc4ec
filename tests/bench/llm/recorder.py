"""Stands between the extension and the model server, passes everything on unchanged, and writes it down."""

import json
import time
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import ClientConnectionError, ClientSession, ClientTimeout, web

from webbrain.testing.local_server import LocalServer

HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "host"})
"""Headers of one connection, which mean nothing on the next (RFC 9110, section 7.6.1)."""
COMPUTED = frozenset({"content-length", "content-encoding", "accept-encoding"})
"""What the two HTTP libraries between them set by themselves."""
CHAT = "/chat/completions"
BODY_BYTES = 20_000_000


@dataclass
class Exchange:
    """A question to the model and its answer."""

    body: dict[str, Any]
    status: int = 0
    answer: str = ""
    seconds: float = 0.0
    """0 while the answer is not complete."""


@dataclass
class _State:
    session: ClientSession | None = None
    exchanges: list[Exchange] = field(default_factory=list)


class Recorder(LocalServer):
    """A server on 127.0.0.1 that answers as ``upstream`` does."""

    def __init__(self, upstream: str) -> None:
        super().__init__(self._app)
        self._upstream = upstream
        self._state = _State()

    def __enter__(self) -> Self:
        return self.start()

    def take(self) -> list[Exchange]:
        """What was said since the last call."""
        taken, self._state.exchanges = self._state.exchanges, []
        return taken

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self._pass_on)
        app.on_startup.append(self._begin_session)
        app.on_cleanup.append(self._end_session)
        return app

    async def _begin_session(self, _: web.Application) -> None:
        self._state.session = ClientSession(timeout=ClientTimeout(total=None))

    async def _end_session(self, _: web.Application) -> None:
        if self._state.session is not None:
            await self._state.session.close()

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        session = self._state.session
        assert session is not None
        body, started = await request.read(), time.monotonic()
        exchange = self._begin(request, body)
        headers = _kept(request.headers.items())
        address = self._upstream + request.path_qs
        try:
            async with session.request(
                request.method, address, headers=headers, data=body or None, allow_redirects=False
            ) as answer:
                response = web.StreamResponse(status=answer.status, headers=_kept(answer.headers.items()))
                await response.prepare(request)
                exchange.status = answer.status
                async for piece in answer.content.iter_any():
                    exchange.answer += piece.decode(errors="replace")
                    await response.write(piece)
                exchange.seconds = time.monotonic() - started
                await response.write_eof()
                return response
        except ClientConnectionError as error:
            raise web.HTTPBadGateway(text=str(error)) from error

    def _begin(self, request: web.Request, body: bytes) -> Exchange:
        exchange = Exchange({})
        if request.method == "POST" and request.path.endswith(CHAT):
            try:
                exchange.body = json.loads(body)
            except ValueError:
                exchange.body = {"unreadable": body.decode(errors="replace")}
            self._state.exchanges.append(exchange)
        return exchange


def transcript(exchanges: list[Exchange]) -> str:
    """The conversation for a person: what was new in each question, and the answer to it."""
    out, known = [], 0
    for number, exchange in enumerate(exchanges, 1):
        messages = exchange.body.get("messages") or []
        new = messages[known:] if len(messages) > known else messages[-1:]
        known = len(messages)
        extra = [
            key for key in ("response_format", "tools", "temperature", "max_tokens") if key in exchange.body
        ]
        out.append(f"=== {number}. {len(messages)} messages, with {', '.join(extra)}")
        out += [f"--- {message.get('role')}\n{_words(message)}" for message in new]
        schema = exchange.body.get("response_format")
        if schema:
            out.append(f"--- schema\n{json.dumps(schema, ensure_ascii=False)}")
        out.append(
            f"--- answer, status {exchange.status}, {exchange.seconds:.1f} s\n{_said(exchange.answer)}\n"
        )
    return "\n".join(out)


def _said(answer: str) -> str:
    """The message of a whole answer and what it cost; anything else as it came."""
    try:
        whole = json.loads(answer)
        message, usage = whole["choices"][0]["message"], whole.get("timings") or whole.get("usage")
    except (ValueError, LookupError, TypeError):
        return answer
    return f"{_words(message)}\n{json.dumps(usage)}"


def _words(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    content = message.get("content") or ""
    said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return f"{said}\n{json.dumps(calls, ensure_ascii=False)}" if calls else said


def _kept(headers: Any) -> list[tuple[str, str]]:
    return [(key, value) for key, value in headers if key.lower() not in HOP_BY_HOP | COMPUTED]
