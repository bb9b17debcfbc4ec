"""Azure OpenAI: Chat Completions below the address of a deployment, with the version in the query."""

from dataclasses import replace
from urllib.parse import quote

from webbrain.providers.config import Endpoint
from webbrain.providers.openai_chat import OpenAIChat


class AzureChat(OpenAIChat):
    """The deployment's name is the model; the body does not repeat it."""

    def url(self, endpoint: Endpoint) -> str:
        """``{base}/openai/deployments/{deployment}/chat/completions?api-version=...``"""
        deployment = quote(endpoint.info.model, safe="")
        version = quote(endpoint.parameters.get("apiVersion", ""), safe="")
        return f"{endpoint.base_url}/openai/deployments/{deployment}/chat/completions?api-version={version}"

    def named(self, endpoint: Endpoint) -> Endpoint:
        """A deployment's name says nothing about the model behind it, and the body does not repeat it."""
        return replace(endpoint, info=replace(endpoint.info, model=""))
