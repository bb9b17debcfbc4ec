"""The one client all wire formats share: every byte of network, time-out, retry and abort is here.

A stream that breaks in transport is repeated once without streaming, and the client streams no more; what a
provider *says* went wrong is never asked for again from here. Cancelling a call closes the transfer at
once.
"""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, Final

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.core.limits import RESPONSE_BYTES, STALL_TIMEOUT
from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.host.protocols import Clock, Http, HttpRequest, HttpResponse
from webbrain.providers import errors
from webbrain.providers.anthropic import Anthropic
from webbrain.providers.config import Endpoint
from webbrain.providers.openai_chat import OpenAIChat
from webbrain.providers.sse import SseReader, SseTooLarge
from webbrain.providers.text_calls import VisibleText, extract, split_thoughts
from webbrain.providers.wire import Learned, ReplyBuilder, StreamBroken, TextDelta, Wire, WireEvent

ERROR_BODY_BYTES: Final = 100_000
LEARNING_ROUNDS: Final = 3
"""Optional fields a model may refuse one after the other before we give up."""

WIRES: Final[dict[str, Wire]] = {"openai_chat": OpenAIChat(), "anthropic": Anthropic()}
_OTHER_LIMIT: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

_BROKEN_TRANSPORT: Final = frozenset({"net_cut"})


class HttpModelClient:
    """A ``ModelClient`` for one run over the host's HTTP."""

    def __init__(self, http: Http, clock: Clock, endpoint: Endpoint, learned: Learned | None = None) -> None:
        self.learned = learned if learned is not None else Learned()
        self._look(endpoint, blind=self.learned.blind)
        self._http = http
        self._clock = clock
        self._wire = WIRES[endpoint.entry.wire]
        self._streams = endpoint.info.streams_in_ask

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """See ``ModelClient.complete``."""
        if request.stream and self._streams:
            try:
                return await self._attempt(request, on_delta, stream=True)
            except StreamBroken:
                # For the rest of this run: a server or proxy that breaks streams breaks the next one too.
                self._streams = False
                if on_reset is not None:
                    on_reset()
        try:
            return await self._attempt(request, None, stream=False)
        except StreamBroken as broken:
            raise errors.bad_response(self.endpoint, str(broken)) from broken

    def _look(self, endpoint: Endpoint, *, blind: bool = False) -> None:
        """Use ``endpoint`` from now on; ``blind`` sends it no pictures whatever its model is said to read."""
        info = replace(endpoint.info, supports_vision=endpoint.info.supports_vision and not blind)
        self.endpoint = replace(endpoint, info=info)
        self.info = info

    async def _attempt(
        self, request: ModelRequest, on_delta: Callable[[str], None] | None, *, stream: bool
    ) -> ModelReply:
        """One call; repeated only while the model refuses an optional field that we can leave out."""
        for round_ in range(LEARNING_ROUNDS + 1):
            try:
                return await self._call(request, on_delta, stream=stream)
            except ProviderFailed as failure:
                if self._sends_pictures(request) and errors.may_mean_pictures(failure):
                    return await self._without_pictures(failure, request, on_delta, stream=stream)
                param = str(failure.data.get("param", ""))
                if failure.code != "unsupported_parameter" or round_ == LEARNING_ROUNDS:
                    raise
                if not self._learn(param):
                    raise
        raise AssertionError("unreachable")

    def _sends_pictures(self, request: ModelRequest) -> bool:
        return self.info.supports_vision and any(message.images for message in request.messages)

    async def _without_pictures(
        self,
        refusal: ProviderFailed,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None,
        *,
        stream: bool,
    ) -> ModelReply:
        """Ask the same without pictures. If that is answered they were what was refused, and no more are
        sent: for the rest of the run, and, if it was not about one picture's size, from then on.

        Raises ``refusal`` if it was about something else.
        """
        endpoint = self.endpoint
        self._look(endpoint, blind=True)
        try:
            reply = await self._attempt(request, on_delta, stream=stream)
        except ProviderFailed:
            self._look(endpoint)
            raise refusal from None
        self.learned.blind = self.learned.blind or not errors.means_this_picture(refusal)
        return reply

    def _learn(self, param: str) -> bool:
        """Remember a refused field; false if leaving it out was tried already."""
        other = _OTHER_LIMIT.get(param)
        if other and not self.learned.limit_field:
            self.learned.limit_field = other
            return True
        if param in self.learned.omit:
            return False
        self.learned.omit.add(param)
        return True

    async def _call(
        self, request: ModelRequest, on_delta: Callable[[str], None] | None, *, stream: bool
    ) -> ModelReply:
        wire_request = self._wire.request(self.endpoint, request, self.learned, stream=stream)
        try:
            response = await self._http.send(
                HttpRequest(
                    method="POST",
                    url=wire_request.url,
                    headers=wire_request.headers,
                    body=wire_request.body,
                    headers_timeout=self.endpoint.headers_timeout,
                    stall_timeout=max(STALL_TIMEOUT, self.endpoint.headers_timeout if not stream else 0.0),
                )
            )
        except BridgeError as error:
            raise errors.network_failure(self.endpoint, error) from error
        try:
            if not 200 <= response.status < 300:
                raise await self._refused(response, wire_request.body)
            builder = await self._read(response, request, on_delta)
        except BridgeError as error:
            if stream and error.code in _BROKEN_TRANSPORT:
                raise StreamBroken("the connection broke") from error
            raise errors.network_failure(self.endpoint, error) from error
        finally:
            await response.close()
        return self._finish(builder.reply(), request)

    async def _refused(self, response: HttpResponse, sent: bytes) -> ProviderFailed:
        try:
            body = (await response.read(ERROR_BODY_BYTES)).decode("utf-8", "replace")
        except BridgeError as error:
            # The status alone still says most of it.
            body = error.message
        return errors.http_failure(
            self.endpoint,
            response.status,
            response.headers,
            body,
            now=self._clock.now(),
            sent=frozenset(json.loads(sent)),
        )

    async def _read(
        self, response: HttpResponse, request: ModelRequest, on_delta: Callable[[str], None] | None
    ) -> ReplyBuilder:
        """Read whatever came, as a stream or as one object: some servers ignore what they were asked for."""
        head, chunks = await _peek(response)
        content_type = next((v for k, v in response.headers.items() if k.lower() == "content-type"), "")
        kind = content_type.partition(";")[0].strip().lower()
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if kind == "text/event-stream" or (
            start[:1] != b"{" and start.startswith((b"data:", b"event:", b":", b"id:"))
        ):
            return await self._read_stream(chunks, request, on_delta)
        if errors.is_html(content_type, start[:1].decode("ascii", "replace")):
            raise errors.wrong_address(self.endpoint, errors.redact(start[:300].decode("utf-8", "replace")))
        return await self._read_whole(chunks)

    async def _read_stream(
        self, chunks: AsyncIterator[bytes], request: ModelRequest, on_delta: Callable[[str], None] | None
    ) -> ReplyBuilder:
        reader, decoder, builder = SseReader(), self._wire.decoder(self.endpoint), ReplyBuilder()
        visible = VisibleText(tools=bool(request.tools))
        try:
            async for chunk in chunks:
                for event in reader.feed(chunk):
                    self._take(decoder.feed(event), builder, visible, on_delta)
                if builder.complete:
                    return builder
            for event in reader.close():
                self._take(decoder.feed(event), builder, visible, on_delta)
        except SseTooLarge as error:
            raise StreamBroken(str(error)) from error
        if not builder.complete:
            raise StreamBroken("the stream ended before its last event")
        return builder

    @staticmethod
    def _take(
        events: Any, builder: ReplyBuilder, visible: VisibleText, on_delta: Callable[[str], None] | None
    ) -> None:
        event: WireEvent
        for event in events:
            builder.add(event)
            if on_delta is not None and isinstance(event, TextDelta) and not builder.complete:
                show = visible.feed(event.text)
                if show:
                    on_delta(show)

    async def _read_whole(self, chunks: AsyncIterator[bytes]) -> ReplyBuilder:
        body = b"".join([chunk async for chunk in chunks])
        try:
            value = json.loads(body.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            detail = errors.redact(
                body[: errors.BODY_CHARS].decode("utf-8", "replace"), self.endpoint.api_key
            )
            raise errors.bad_response(self.endpoint, "it is not a JSON object", detail)
        builder = ReplyBuilder()
        for event in self._wire.whole(self.endpoint, value):
            builder.add(event)
        return builder

    def _finish(self, reply: ModelReply, request: ModelRequest) -> ModelReply:
        """Take thoughts out of the text, find calls in disguise, refuse a call that was cut off."""
        visible, thoughts = split_thoughts(reply.text)
        update: dict[str, Any] = {}
        if thoughts or visible != reply.text:
            update["text"] = visible
            update["reasoning"] = "\n\n".join(part for part in (reply.reasoning, thoughts) if part)
        if request.tools and not reply.tool_calls and request.tool_choice != "none":
            calls, rest = extract(visible, {tool.name for tool in request.tools})
            if calls and reply.finish != "length":
                update |= {"tool_calls": calls, "text": rest, "finish": "tool_calls"}
        if reply.tool_calls and reply.finish == "length":
            raise errors.answer_cut(self.endpoint, request.max_tokens)
        return reply.model_copy(update=update) if update else reply


async def _peek(response: HttpResponse) -> tuple[bytes, AsyncIterator[bytes]]:
    """The first bytes that are not white space, and the whole body (bounded) including them."""
    source = response.chunks()
    first: list[bytes] = []
    async for chunk in source:
        first.append(chunk)
        if chunk.strip():
            break

    async def all_chunks() -> AsyncIterator[bytes]:
        size = 0
        for chunk in first:
            size += len(chunk)
            yield chunk
        async for chunk in source:
            size += len(chunk)
            if size > RESPONSE_BYTES:
                raise BridgeError("The answer is larger than any answer should be.", code="too_large")
            yield chunk

    return b"".join(first), all_chunks()
