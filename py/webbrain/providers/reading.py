"""The body of an answer, as a stream or as one object, read into a reply."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from webbrain.core.bounded_json import loads
from webbrain.core.errors import BridgeError
from webbrain.core.limits import RESPONSE_BYTES
from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.host.protocols import HttpResponse
from webbrain.providers import errors, event_stream, held, refusals
from webbrain.providers.config import Endpoint
from webbrain.providers.event_stream import EventStreamReader
from webbrain.providers.sse import SseReader, SseTooLarge
from webbrain.providers.text_calls import VisibleText, begins_call, extract, split_thoughts, strays
from webbrain.providers.wire import ReplyBuilder, StreamBroken, TextDelta, Wire, WireEvent

OnDelta = Callable[[str], None] | None


class AnswerReader:
    """Reads one answer. Text goes to ``on_delta`` as it comes, everything else waits for the last event."""

    def __init__(self, wire: Wire, endpoint: Endpoint, request: ModelRequest, on_delta: OnDelta) -> None:
        self.endpoint = endpoint
        self._wire = wire
        self._request = request
        self._on_delta = on_delta
        self._unended = False
        """True if a stream ended without the format's own last event, or without a reason for the end."""

    async def read(self, response: HttpResponse) -> ModelReply:
        """Read whatever came, as a stream or as one object: some servers ignore what they were asked for."""
        head, chunks = await _peek(response)
        content_type = next((v for k, v in response.headers.items() if k.lower() == "content-type"), "")
        kind = content_type.partition(";")[0].strip().lower()
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if kind == "text/event-stream" or (
            start[:1] != b"{" and start.startswith((b"data:", b"event:", b":", b"id:"))
        ):
            return self._finish(await self._read_stream(chunks, SseReader()))
        if kind == event_stream.CONTENT_TYPE:
            return self._finish(await self._read_stream(chunks, EventStreamReader()))
        if refusals.is_html(content_type, start[:1].decode("ascii", "replace")):
            raise errors.wrong_address(self.endpoint, refusals.redact(start[:300].decode("utf-8", "replace")))
        return self._finish(await self._read_whole(chunks))

    async def _read_stream(
        self, chunks: AsyncIterator[bytes], reader: SseReader | EventStreamReader
    ) -> ReplyBuilder:
        decoder, builder = self._wire.decoder(self.endpoint), ReplyBuilder()
        visible = VisibleText(tools=bool(self._request.tools))
        try:
            async for chunk in chunks:
                for event in reader.feed(chunk):
                    self._take(decoder.feed(event), builder, visible)
                if builder.complete:
                    break
            else:
                for event in reader.close():
                    self._take(decoder.feed(event), builder, visible)
                if not builder.complete:
                    self._take(decoder.end(), builder, visible)
                    self._unended = True
        except SseTooLarge as error:
            raise StreamBroken(str(error)) from error
        if not builder.complete:
            raise StreamBroken("the stream ended before its last event")
        # Proxies close what they lost in the middle with the last event too.
        self._unended = self._unended or builder.finish is None
        return builder

    def _take(self, events: Iterable[WireEvent], builder: ReplyBuilder, visible: VisibleText) -> None:
        for event in events:
            builder.add(event)
            if self._on_delta is not None and isinstance(event, TextDelta) and not builder.complete:
                show = visible.feed(event.text)
                if show:
                    self._on_delta(show)

    async def _read_whole(self, chunks: AsyncIterator[bytes]) -> ReplyBuilder:
        body = b"".join([chunk async for chunk in chunks])
        try:
            value = loads(body.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            detail = refusals.redact(
                body[: errors.BODY_CHARS].decode("utf-8", "replace"), self.endpoint.api_key
            )
            raise errors.bad_response(self.endpoint, "it is not a JSON object", detail)
        builder = ReplyBuilder()
        for event in self._wire.whole(self.endpoint, value):
            builder.add(event)
        return builder

    def _finish(self, builder: ReplyBuilder) -> ModelReply:
        """Take thoughts out of the text, find calls in disguise, refuse a call that was cut off."""
        reply, request = builder.reply(), self._request
        visible, thoughts = split_thoughts(reply.text)
        visible = held.plain(self.endpoint, request, visible)
        update: dict[str, Any] = {}
        if thoughts or visible != reply.text:
            update["text"] = visible
            update["reasoning"] = "\n\n".join(part for part in (reply.reasoning, thoughts) if part)
        if request.tools and not reply.tool_calls and request.tool_choice != "none":
            update |= self._disguised(visible, reply.finish)
        if reply.tool_calls and reply.finish == "length":
            raise errors.answer_cut(self.endpoint, request.max_tokens)
        return reply.model_copy(update=update) if update else reply

    def _disguised(self, text: str, finish: str) -> dict[str, Any]:
        """What becomes of a reply whose text calls a tool. Raises ``ProviderFailed`` if that was cut off."""
        offered = {tool.name for tool in self._request.tools}
        calls, rest = extract(text, offered)
        if finish == "length" and (calls or begins_call(text, offered)):
            raise errors.answer_cut(self.endpoint, self._request.max_tokens)
        others, rest = strays(rest, more=bool(calls))
        calls += others
        if calls and self._unended:
            raise StreamBroken("the stream ended before its last event")
        return {"tool_calls": calls, "text": rest, "finish": "tool_calls"} if calls else {}


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
