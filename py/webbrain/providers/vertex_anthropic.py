"""Anthropic's models on Google Vertex AI: the Messages format with the model in the address."""

from typing import Final
from urllib.parse import quote

from webbrain.core.messages import ModelRequest
from webbrain.providers.anthropic import Anthropic
from webbrain.providers.config import Endpoint
from webbrain.providers.wire import Learned, WireRequest

VERSION: Final = "vertex-2023-10-16"


class VertexAnthropic(Anthropic):
    """``rawPredict`` and ``streamRawPredict`` of the publisher's model."""

    def request(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> WireRequest:
        """As Messages, with the version in the body and the model in the address."""
        made = super().request(endpoint, request, learned, stream=stream)
        body = {"anthropic_version": VERSION, **made.fields}
        model = quote(str(body.pop("model")), safe="")
        verb = "streamRawPredict" if stream else "rawPredict"
        url = f"{endpoint.base_url}/publishers/anthropic/models/{model}:{verb}"
        return WireRequest(url, endpoint.headers(), body)
