"""How a request says that its answer must fit a JSON schema: the forms of ``CatalogEntry.structured``.

| structured | what is sent |
| --- | --- |
| ``response_format`` | ``response_format: {type: "json_schema", ...}`` with the schema as it is |
| ``strict`` | the same with ``strict: true`` and the schema in OpenAI's strict dialect |

In the Responses format the same stands under ``text.format``. Sources: the documentation of llama.cpp's
server, Ollama (``docs/openai``), LM Studio, vLLM, SGLang and LocalAI for the first form; OpenAI, Azure,
Mistral and xAI for the second.
"""

from typing import Any

from webbrain.core.messages import ModelRequest
from webbrain.providers.config import Endpoint
from webbrain.providers.strict_schema import strict, unwrapped


def chat_fields(endpoint: Endpoint, request: ModelRequest) -> dict[str, Any]:
    """The field of a Chat Completions body, if there is a schema and the service takes one."""
    described = _described(endpoint, request)
    return {"response_format": {"type": "json_schema", "json_schema": described}} if described else {}


def responses_fields(endpoint: Endpoint, request: ModelRequest) -> dict[str, Any]:
    """The field of a Responses body."""
    described = _described(endpoint, request)
    return {"text": {"format": {"type": "json_schema", **described}}} if described else {}


def plain(endpoint: Endpoint, request: ModelRequest, text: str) -> str:
    """The text of an answer as one to the caller's own schema, whatever form was sent."""
    if request.response_schema is None or endpoint.entry.structured != "strict":
        return text
    return unwrapped(text, request.response_schema)


def _described(endpoint: Endpoint, request: ModelRequest) -> dict[str, Any]:
    schema = request.response_schema
    if schema is None or not endpoint.info.structured:
        return {}
    if endpoint.entry.structured == "strict":
        return {"name": request.response_name, "strict": True, "schema": strict(schema)}
    return {"name": request.response_name, "schema": schema}
