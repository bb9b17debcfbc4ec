"""The one client all wire formats share: every byte of network, time-out, retry and abort is here.

A stream that breaks in transport is repeated once without streaming, and the client streams no more; what a
provider *says* went wrong is never asked for again from here. Cancelling a call closes the transfer at
once.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.core.limits import STALL_TIMEOUT
from webbrain.core.messages import ModelReply, ModelRequest
from webbrain.host.protocols import Clock, Http, HttpRequest, HttpResponse
from webbrain.providers import errors, refusals
from webbrain.providers.anthropic import Anthropic
from webbrain.providers.azure import AzureChat
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.providers.bedrock import BedrockConverse
from webbrain.providers.catalog import WireName
from webbrain.providers.config import Endpoint
from webbrain.providers.fragments import Fragments
from webbrain.providers.llamacpp import LlamaCpp
from webbrain.providers.openai_chat import OpenAIChat
from webbrain.providers.openai_responses import OpenAIResponses
from webbrain.providers.reading import AnswerReader
from webbrain.providers.sigv4 import signed_headers
from webbrain.providers.vertex_anthropic import VertexAnthropic
from webbrain.providers.wire import Learned, StreamBroken, Wire, WireRequest

ERROR_BODY_BYTES: Final = 100_000
LEARNING_ROUNDS: Final = 3
"""Optional fields a model may refuse one after the other before we give up."""

WIRES: Final[dict[WireName, Wire]] = {
    "openai_chat": OpenAIChat(),
    "openai_responses": OpenAIResponses(),
    "azure": AzureChat(),
    "llamacpp": LlamaCpp(),
    "anthropic": Anthropic(),
    "vertex_anthropic": VertexAnthropic(),
    "bedrock": BedrockConverse(),
}
SIGNED_SERVICE: Final = "bedrock"
"""The one service of Amazon's that we call."""

_BROKEN_TRANSPORT: Final = frozenset({"net_cut"})


class HttpModelClient:
    """A ``ModelClient`` for one run over the host's HTTP."""

    def __init__(self, http: Http, clock: Clock, endpoint: Endpoint, learned: Learned | None = None) -> None:
        self.learned = learned if learned is not None else Learned()
        self._look(endpoint, blind=self.learned.blind)
        self._http = http
        self._clock = clock
        self._wire = WIRES[endpoint.wire]
        self._fragments = Fragments()
        self._streams = endpoint.info.streams_in_ask

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """See ``ModelClient.complete``."""
        repeated = False
        if request.stream and self._streams:
            try:
                return await self._attempt(request, on_delta, stream=True)
            except StreamBroken:
                # For the rest of this run: a server or proxy that breaks streams breaks the next one too.
                self._streams, repeated = False, True
                if on_reset is not None:
                    on_reset()
        try:
            return await self._attempt(request, None, stream=False)
        except StreamBroken as broken:
            raise errors.begun(errors.bad_response(self.endpoint, str(broken))) from broken
        except ProviderFailed as failure:
            if repeated and failure.data.get("began"):
                failure.transient = False  # one repeat is all there is: this answer was paid for twice by now
            raise

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
                if failure.code == SCHEMA_REFUSED:
                    # Asked for in other words by whoever asks: the schema must then stand in the prompt.
                    info = replace(self.info, structured=False, constrained=False)
                    self._look(replace(self.endpoint, info=info))
                    raise
                if self._sends_pictures(request) and refusals.may_mean_pictures(failure):
                    return await self._without_pictures(failure, request, on_delta, stream=stream)
                if round_ < LEARNING_ROUNDS and self.learned.obey(refusals.demanded(failure)):
                    continue
                if failure.code != "unsupported_parameter" or round_ == LEARNING_ROUNDS:
                    raise
                if not self.learned.refuse(str(failure.data.get("param", ""))):
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
        if not refusals.means_this_picture(refusal):
            self.learned.close_eyes()
        return reply

    async def _call(
        self, request: ModelRequest, on_delta: Callable[[str], None] | None, *, stream: bool
    ) -> ModelReply:
        made = self._wire.request(self.endpoint, request, self.learned, stream=stream)
        body = self._fragments.encode(made.fields)
        try:
            response = await self._http.send(
                HttpRequest(
                    method="POST",
                    url=made.url,
                    headers=self._signed(made, body),
                    body=body,
                    headers_timeout=self.endpoint.headers_timeout,
                    stall_timeout=max(STALL_TIMEOUT, self.endpoint.headers_timeout if not stream else 0.0),
                )
            )
        except BridgeError as error:
            raise errors.network_failure(self.endpoint, error) from error
        try:
            if not 200 <= response.status < 300:
                raise await self._refused(response, body)
            return await AnswerReader(self._wire, self.endpoint, request, on_delta).read(response)
        except BridgeError as error:
            if stream and error.code in _BROKEN_TRANSPORT:
                raise StreamBroken("the connection broke") from error
            failure = errors.network_failure(self.endpoint, error)
            raise errors.begun(failure) if 200 <= response.status < 300 else failure from error
        finally:
            await response.close()

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
            sent=refusals.fields_of(sent),
        )

    def _signed(self, request: WireRequest, body: bytes) -> dict[str, str]:
        """The headers, with a signature where that opens what a key opens elsewhere; the clock is ours, so
        the wire format cannot make it."""
        if self.endpoint.entry.auth != "sigv4":
            return request.headers
        values = self.endpoint.parameters
        return signed_headers(
            "POST",
            request.url,
            request.headers,
            body,
            access_key=values.get("accessKeyId", ""),
            secret_key=self.endpoint.api_key,
            session_token=values.get("sessionToken", ""),
            region=values.get("region", ""),
            service=SIGNED_SERVICE,
            now=self._clock.now(),
        )
