"""Anthropic's models on Google Vertex AI: Messages with the model in the address, the version in the body."""

import re
from collections.abc import Iterator
from typing import Any

from webbrain.testing import anthropic_wire
from webbrain.testing.chat import BadRequest, ModelCall, Reply

PATH = re.compile(
    r"/v1/projects/[a-z0-9-]+/locations/[a-z0-9-]+/publishers/anthropic/models/(?P<model>[^/:]+)"
    r":(?P<verb>rawPredict|streamRawPredict)"
)
ROUTE = (
    "/v1/projects/{project}/locations/{location}/publishers/anthropic/models/"
    "{model:[^/:]+}:{verb:rawPredict|streamRawPredict}"
)
VERSION = "vertex-2023-10-16"


def check_address(path: str, body: Any) -> None:
    """Raise ``BadRequest`` unless the address names a model, and the verb that goes with ``stream``."""
    named = PATH.fullmatch(path)
    if named is None:
        raise BadRequest("The requested URL was not found on this server.")
    streams = bool(body.get("stream")) if isinstance(body, dict) else False
    if streams is not (named["verb"] == "streamRawPredict"):
        raise BadRequest("stream: must be true for streamRawPredict and only there")


def read(body: Any, headers: dict[str, str]) -> ModelCall:
    """As Messages; the key is a token of Google's, and nothing of Anthropic's stands in the headers."""
    if not headers.get("authorization", "").startswith("Bearer "):
        raise BadRequest("Request is missing required authentication credential.")
    if wrong := {"x-api-key", "anthropic-version"} & set(headers):
        raise BadRequest(f"{sorted(wrong)[0]}: not a header of this service")
    if not isinstance(body, dict):
        raise BadRequest("the body is not a JSON object")
    if body.get("anthropic_version") != VERSION:
        raise BadRequest("anthropic_version: Field required")
    if "model" in body:
        raise BadRequest("model: Extra inputs are not permitted")
    rest = {key: value for key, value in body.items() if key != "anthropic_version"}
    return anthropic_wire.read_body({**rest, "model": "claude"}, headers)


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one JSON object."""
    return anthropic_wire.whole(reply, call, number)


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[str]:
    """The answer as server-sent events; ``words`` are the pieces of its text."""
    yield from anthropic_wire.pieces(reply, call, number, words)


def error(message: str, kind: str = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    """An error body of this wire."""
    return anthropic_wire.error(message, kind, code)
