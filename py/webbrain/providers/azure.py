"""Azure OpenAI: Chat Completions below the address of a deployment, with the version in the query."""

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from webbrain.core.messages import ModelRequest
from webbrain.providers.config import Endpoint
from webbrain.providers.openai_chat import OpenAIChat
from webbrain.providers.wire import Learned


class AzureChat(OpenAIChat):
    """The deployment's name is the model; the body does not repeat it."""

    def url(self, endpoint: Endpoint) -> str:
        """``{base}/openai/deployments/{deployment}/chat/completions?api-version=...``"""
        deployment = quote(endpoint.info.model, safe="")
        version = quote(endpoint.parameters.get("apiVersion", ""), safe="")
        return f"{endpoint.base_url}/openai/deployments/{deployment}/chat/completions?api-version={version}"

    def body(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> dict[str, Any]:
        """As Chat Completions, but a deployment's name says nothing about the model behind it."""
        nameless = replace(endpoint, info=replace(endpoint.info, model=""))
        out = super().body(nameless, request, learned, stream=stream)
        out.pop("model", None)
        return out
