"""A model service on 127.0.0.1 that says what it is told to, or fails in the way it is told to.

One server speaks every wire format, each at its own path. What it answers comes from a function, so the same
server carries a fixed script (:class:`Script`) and the rule-based demo model.
"""

import asyncio
import json
import math
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from aiohttp import web

from webbrain.prompts import prompt
from webbrain.testing import (
    anthropic_wire,
    azure_wire,
    bedrock_wire,
    llamacpp_wire,
    openai_wire,
    responses_wire,
    speech_wire,
    vertex_anthropic_wire,
)
from webbrain.testing.chat import Answer, BadRequest, Call, ModelCall, Refusal, Reply, Stall
from webbrain.testing.local_server import Hosted, LocalServer
from webbrain.testing.planning import asks_for_plan, plan_text
from webbrain.testing.speech_wire import SpeechCall

REQUEST_LIMIT = 32_000_000
"""Bytes of a request, as Anthropic says it takes."""
EXTENSION_ORIGIN = re.compile(r"(chrome|moz)-extension://[\w-]+")
PIECE = re.compile(r"\S+\s*|\s+")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Think = Callable[[ModelCall], Answer]

WIRES: tuple[ModuleType, ...] = (
    openai_wire,
    anthropic_wire,
    responses_wire,
    azure_wire,
    llamacpp_wire,
    bedrock_wire,
    vertex_anthropic_wire,
)
DIALECTS = f"/dialects/{{dialect:{'|'.join(openai_wire.DIALECTS)}}}/v1/chat/completions"
"""Chat Completions as one service reads it and no other."""

SUMMARISE: Final = prompt("summarise")[:80]
"""How a request for a summary of older messages begins; it is answered beside the script."""


def call(name: str, **arguments: object) -> Reply:
    """An answer with one tool call."""
    return Reply(calls=(Call(name, json.dumps(arguments, ensure_ascii=False)),))


@dataclass(slots=True)
class Stamp:
    """When a well-formed request came and when the last piece of its answer was about to be written, in
    seconds since 1970: what this server does in between, checking the request above all, is none of its
    caller's time, and on a busy machine the caller goes on before the write returns.
    """

    arrived: float
    answered: float = math.nan


class Script:
    """Answers in a fixed order. An item may be a function of the call, to look at the conversation first.

    When the script is used up the server refuses loudly: a test that asks more often than planned must fail.
    """

    def __init__(self, answers: Iterable[Answer | Think] = ()) -> None:
        self._answers = list(answers)
        self._lock = threading.Lock()

    def add(self, *answers: Answer | Think) -> None:
        """Append answers."""
        with self._lock:
            self._answers.extend(answers)

    def clear(self) -> None:
        """Forget what was not asked for."""
        with self._lock:
            self._answers.clear()

    @property
    def left(self) -> int:
        """How many answers nobody has asked for yet."""
        with self._lock:
            return len(self._answers)

    def __call__(self, request: ModelCall) -> Answer:
        with self._lock:
            if not self._answers:
                return Refusal(500, {"error": {"message": "the test's script has no further answer"}})
            answer = self._answers.pop(0)
        return answer(request) if callable(answer) else answer


class ModelServer(Hosted):
    """Serves ``think`` on ``/v1/chat/completions``, ``/v1/messages``, ``/v1/responses`` and ``/v1/models``,
    and below ``/openai/deployments`` (Azure), ``/llamacpp``, ``/v1/projects`` (Claude on Vertex AI),
    ``/model`` (Bedrock, whose signatures are checked with ``api_key`` as the secret) and ``/dialects``
    (services that bend Chat Completions). Speech sent to ``/v1/audio/transcriptions`` becomes what
    ``hear`` makes of it.

    ``api_key``: if set, any other key is refused with 401. ``allow_origin``: which origins may call, as the
    CORS setting of a local server says; others get 403. ``calls`` are the well-formed requests so far,
    ``refused`` what was said to malformed ones: a test should find it empty. Requests for a plan go to
    ``plans`` instead of ``calls``, and ``plan`` answers them, by itself with one that needs no card.
    """

    def __init__(
        self,
        think: Think,
        *,
        model: str = "test-model",
        api_key: str = "",
        allow_origin: re.Pattern[str] = EXTENSION_ORIGIN,
        port: int = 0,
        plan: Think | None = None,
    ) -> None:
        self.think = think
        self.plan: Think = plan or _plain_plan
        self.plans: list[ModelCall] = []
        self.model = model
        self.api_key = api_key
        self.allow_origin = allow_origin
        self.hear: Callable[[SpeechCall], str | Refusal] = lambda call: ""
        self.calls: list[ModelCall] = []
        self.speech: list[SpeechCall] = []
        self.refused: list[str] = []
        self.stamps: list[Stamp] = []
        """One for each of ``calls`` and ``plans``, in the order in which they came."""
        self.aborted = 0
        """How many answers the caller broke off while they were being sent or awaited."""
        self._wires: dict[str, ModuleType] = {}
        self._gates: dict[str, asyncio.Event] = {}
        self._changed = threading.Condition()
        self._server = LocalServer(self._app, port=port)

    @property
    def url(self) -> str:
        """Address up to and with ``/v1``, as it is typed into the settings."""
        return f"{self._server.url}/v1"

    def release(self, gate: str) -> None:
        """Open a gate that a :class:`Reply` or :class:`Stall` waits for."""
        self._server.call(lambda: self._gate(gate).set())

    def wait_for_calls(self, count: int, timeout: float = 60.0) -> None:
        """Return once ``count`` well-formed calls came; raise ``TimeoutError``."""
        self._wait(lambda: len(self.calls) >= count, timeout, f"{count} model calls")

    def wait_for_abort(self, count: int = 1, timeout: float = 10.0) -> None:
        """Return once ``count`` answers were broken off by the caller; raise ``TimeoutError``."""
        self._wait(lambda: self.aborted >= count, timeout, f"{count} aborted answers")

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=REQUEST_LIMIT, middlewares=[self._guard])
        app.router.add_get("/v1/models", self._models)
        for path in (speech_wire.PATH, speech_wire.AZURE_PATH):
            app.router.add_post(path, self._hear)
        app.router.add_post(DIALECTS, self._speak)
        for wire in WIRES:
            route = app.router.add_post(getattr(wire, "ROUTE", wire.PATH), self._speak)
            if route.resource is not None:
                self._wires[route.resource.canonical] = wire
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin", "")
        if origin and not self.allow_origin.fullmatch(origin):
            return web.Response(status=403)
        if request.method == "OPTIONS":
            return web.Response(status=204, headers=self._cors(request))
        wire = self._wire(request)
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        key = request.headers.get("x-api-key") or request.headers.get("api-key") or bearer
        if self.api_key and wire is not bedrock_wire and key != self.api_key:
            body = wire.error("Incorrect API key provided.", code="invalid_api_key")
            return web.json_response(body, status=401, headers=self._cors(request))
        return await handler(request)

    async def _models(self, request: web.Request) -> web.Response:
        models = [{"id": self.model, "object": "model", "created": 0, "owned_by": "webbrain-testing"}]
        return web.json_response({"object": "list", "data": models}, headers=self._cors(request))

    async def _speak(self, request: web.Request) -> web.StreamResponse:
        stamp = Stamp(time.time())
        wire = self._wire(request)
        try:
            model_call = await self._read(request, wire)
        except BadRequest as error:
            with self._changed:
                self.refused.append(str(error))
            return web.json_response(wire.error(str(error)), status=400, headers=self._cors(request))
        planning = asks_for_plan(turn.text for turn in model_call.turns)
        summing_up = any(turn.text.startswith(SUMMARISE) for turn in model_call.turns)
        with self._changed:
            kept = self.plans if planning or summing_up else self.calls
            kept.append(model_call)
            self.stamps.append(stamp)
            number = len(kept)
            self._changed.notify_all()
        try:
            think = self.plan if planning else _summary if summing_up else self.think
            response = await self._carry_out(request, wire, model_call, think(model_call), stamp, number)
            if not response.prepared:
                await response.prepare(request)
                stamp.answered = time.time()
                await response.write_eof()
            return response
        except (asyncio.CancelledError, ConnectionError):
            with self._changed:
                self.aborted += 1
                self._changed.notify_all()
            raise

    async def _read(self, request: web.Request, wire: ModuleType) -> ModelCall:
        headers = {key.lower(): value for key, value in request.headers.items()}
        path = request.raw_path.partition("?")[0]
        if wire is bedrock_wire and self.api_key:
            sent = await request.read()
            bedrock_wire.check_signature(path, headers, sent, self.api_key, now=time.time())
        body = await _json(request)
        if wire is vertex_anthropic_wire:
            vertex_anthropic_wire.check_address(path, body)
        if dialect := request.match_info.get("dialect"):
            return openai_wire.read(body, headers, openai_wire.DIALECTS[dialect])
        call: ModelCall = wire.read(body, headers)
        return call

    async def _hear(self, request: web.Request) -> web.StreamResponse:
        headers = {key.lower(): value for key, value in request.headers.items()}
        try:
            azure = "deployment" in request.match_info
            call = speech_wire.read(await request.read(), headers, azure=azure)
        except BadRequest as error:
            with self._changed:
                self.refused.append(str(error))
            return web.json_response(openai_wire.error(str(error)), status=400, headers=self._cors(request))
        with self._changed:
            self.speech.append(call)
            self._changed.notify_all()
        answer = self.hear(call)
        if isinstance(answer, Refusal):
            return self._refusal(request, answer)
        return web.json_response(speech_wire.whole(answer), headers=self._cors(request))

    def _refusal(self, request: web.Request, answer: Refusal) -> web.Response:
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body or {})
        return web.Response(
            text=text,
            status=answer.status,
            content_type=answer.content_type,
            headers={**self._cors(request), **answer.headers},
        )

    async def _carry_out(
        self,
        request: web.Request,
        wire: ModuleType,
        model_call: ModelCall,
        answer: Answer,
        stamp: Stamp,
        number: int,
    ) -> web.StreamResponse:
        if isinstance(answer, Stall):
            await self._gate(answer.gate).wait()
            answer = answer.then
        if isinstance(answer, Refusal):
            return self._refusal(request, answer)
        if model_call.stream:
            return await self._stream(request, wire, model_call, answer, stamp, number)
        if answer.gate:
            await self._gate(answer.gate).wait()
        body = json.dumps(wire.whole(answer, model_call, number))
        if answer.cut_after is not None:
            return await self._cut_whole(request, body)
        return web.Response(text=body, content_type="application/json", headers=self._cors(request))

    async def _stream(
        self,
        request: web.Request,
        wire: ModuleType,
        model_call: ModelCall,
        reply: Reply,
        stamp: Stamp,
        number: int,
    ) -> web.StreamResponse:
        kind = getattr(wire, "STREAM_TYPE", "text/event-stream")
        response = web.StreamResponse(headers={"Content-Type": kind, **self._cors(request)})
        await response.prepare(request)
        words = PIECE.findall(reply.text)
        events: Iterator[str | bytes] = wire.pieces(reply, model_call, number, words)
        for sent, event in enumerate(events):
            if reply.gate and sent == reply.before_gate:
                await self._gate(reply.gate).wait()
            if reply.cut_after is not None and sent >= reply.cut_after:
                _drop(request)
                return response
            stamp.answered = time.time()
            await response.write(event.encode() if isinstance(event, str) else event)
            await asyncio.sleep(reply.pause)
        await response.write_eof()
        return response

    async def _cut_whole(self, request: web.Request, body: str) -> web.StreamResponse:
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **self._cors(request),
        }
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        await response.write(body[: len(body) // 2].encode())
        _drop(request)
        return response

    def _wire(self, request: web.Request) -> ModuleType:
        resource = request.match_info.route.resource
        return self._wires.get(resource.canonical if resource else "", openai_wire)

    def _cors(self, request: web.Request) -> dict[str, str]:
        origin = request.headers.get("Origin")
        if not origin:
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Headers": request.headers.get("Access-Control-Request-Headers", "*"),
            "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
            "Vary": "Origin",
        }

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    def _wait(self, condition: Callable[[], bool], timeout: float, what: str) -> None:
        with self._changed:
            if not self._changed.wait_for(condition, timeout):
                seen = f"calls: {len(self.calls)}, refused: {self.refused[-3:]}"
                raise TimeoutError(f"waited {timeout:.0f} s for {what}; {seen}")


def _summary(model_call: ModelCall) -> Answer:
    return Reply("What was done before went well.")


def _plain_plan(model_call: ModelCall) -> Answer:
    return Reply(plan_text(model_call.response_schema))


async def _json(request: web.Request) -> object:
    try:
        return json.loads(await request.read())
    except ValueError as error:
        raise BadRequest("we could not parse the JSON body of your request") from error


def _drop(request: web.Request) -> None:
    """Break the connection as a network fault would, without a proper end."""
    if request.transport is not None:
        request.transport.abort()
