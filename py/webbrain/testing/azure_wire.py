"""Azure OpenAI deployments: Chat Completions with the model in the address and a filter's report."""

import json
from collections.abc import Iterator
from typing import Any

from webbrain.testing import openai_wire
from webbrain.testing.chat import BadRequest, ModelCall, Reply
from webbrain.testing.openai_wire import error as error

PATH = "/openai/deployments/{deployment}/chat/completions"
_FILTER = {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}


def read(body: Any, headers: dict[str, str]) -> ModelCall:
    """As Chat Completions; the deployment stands for the model, the key has a header of its own."""
    if "api-key" not in headers:
        raise BadRequest("Access denied due to missing api-key header.")
    if "authorization" in headers:
        raise BadRequest("the key belongs into the api-key header only")
    if isinstance(body, dict) and "model" in body:
        raise BadRequest("the deployment says which model it is; leave 'model' out")
    named = {**body, "model": "deployment"} if isinstance(body, dict) else body
    return openai_wire.read(named, headers, openai_wire.OPENAI)


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one JSON object, with the filter's report."""
    return {**openai_wire.whole(reply, call, number), **_FILTER}


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[str]:
    """The answer as server-sent events, after a frame without choices."""
    yield f"data: {json.dumps({'id': '', 'model': '', 'choices': [], **_FILTER})}\n\n"
    yield from openai_wire.pieces(reply, call, number, words)
