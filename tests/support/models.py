"""Endpoints, requests and canned answers for tests of providers."""

from dataclasses import replace
from importlib.resources import files
from typing import Any

from webbrain.core.messages import Message, ModelRequest, ToolSchema
from webbrain.host.memory import MemoryHost
from webbrain.providers import catalog, config
from webbrain.providers import entered as entered_form
from webbrain.providers.client import HttpModelClient
from webbrain.providers.config import Endpoint

KEY = "sk-test-0123456789abcdef"
NEW_ENTRY = """
[provider.example]
label = "Example AI"
category = "cloud"
base_url = "https://api.example.com/v1"
key_url = "https://example.com/keys"
default_model = "example-large"
context_window = 128000
"""
"""A service as somebody would add it to the catalogue."""
PARAMETERS = {
    "resource": "my-resource",
    "accessKeyId": "AKIAIOSFODNN7EXAMPLE",
    "accountId": "0123456789abcdef0123456789abcdef",
    "project": "my-project-1",
}
"""What a user would enter for the parameters of the catalogue that have no default."""


def catalog_text() -> str:
    """The catalogue as it is written."""
    folder = files("webbrain.providers")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in catalog.FILES)


def endpoint(provider_id: str, **form: Any) -> Endpoint:
    """A ready endpoint of the catalogue; ``form`` overrides what the user would have entered."""
    loaded = catalog.load()
    entry = loaded.entries[provider_id]
    entered = {"apiKey": KEY if entry.key == "required" else "", **form}
    if not entry.base_url:
        entered.setdefault("baseUrl", "http://localhost:9999/v1")
    for parameter in entry.parameters:
        if parameter.required and not parameter.default:
            entered.setdefault(parameter.key, PARAMETERS[parameter.key])
    if entry.requires_model and not entry.default_model and entry.category != "local":
        entered.setdefault("model", "my-deployment")
    return config.resolve(loaded, entry, entered_form.merge(entry, {}, entered))


def client(
    host: MemoryHost, provider_id: str, *, headers_timeout: float = 120.0, **form: Any
) -> HttpModelClient:
    """A client of that service over the host's scripted HTTP."""
    ready = replace(endpoint(provider_id, **form), headers_timeout=headers_timeout)
    return HttpModelClient(host.http, host.clock, ready)


def tool(name: str) -> ToolSchema:
    """A tool that takes anything."""
    return ToolSchema(name=name, description=f"{name} it", parameters={"type": "object", "properties": {}})


TOOLS = [
    tool(name) for name in ("click_ax", "set_field", "scroll", "done", "read_page", "get_accessibility_tree")
]


def request(*, stream: bool = False, tools: bool = True, **fields: Any) -> ModelRequest:
    """A call with one user turn."""
    fields.setdefault("messages", [Message(role="user", content="What does the teapot cost?")])
    return ModelRequest(tools=TOOLS if tools else [], stream=stream, **fields)


def whole(wire: str, text: str = "whole answer") -> dict[str, Any]:
    """A whole answer of a wire, without tool calls."""
    if wire in ("anthropic", "vertex_anthropic"):
        return {
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-6",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 4},
        }
    if wire == "openai_responses":
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
        return {"object": "response", "status": "completed", "error": None, "model": "m", "output": [item]}
    if wire == "bedrock":
        return {
            "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 10, "outputTokens": 4, "totalTokens": 14},
        }
    message = {"role": "assistant", "content": text}
    return {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
