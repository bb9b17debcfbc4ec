"""llama.cpp's server: Chat Completions that need no model, with fields and figures of its own."""

import json
from collections.abc import Iterator
from typing import Any

from webbrain.testing import openai_wire
from webbrain.testing.chat import ModelCall, Reply

PATH = "/llamacpp/v1/chat/completions"
MODEL = "loaded.gguf"


def read(body: Any, headers: dict[str, str]) -> ModelCall:
    """As Chat Completions; a request without a model gets the one that is loaded."""
    named = {"model": MODEL, **body} if isinstance(body, dict) else body
    return openai_wire.read(named, headers, openai_wire.DIALECTS["llamacpp"])


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one JSON object, with timings."""
    return {**openai_wire.whole(reply, call, number), "timings": _timings(reply)}


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[str]:
    """The answer as server-sent events; the last but one has the timings."""
    events = list(openai_wire.pieces(reply, call, number, words))
    last = json.loads(events[-2].removeprefix("data: "))
    events[-2] = f"data: {json.dumps({**last, 'timings': _timings(reply)})}\n\n"
    yield from events


def error(message: str, kind: str = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    """An error body; the code is the status."""
    return {"error": {"code": 401 if code else 400, "message": message, "type": kind}}


def _timings(reply: Reply) -> dict[str, float]:
    return {
        "cache_n": 4,
        "prompt_n": 6,
        "prompt_ms": 1.0,
        "predicted_n": len(reply.text) // 4 + 1,
        "predicted_ms": 1.0,
    }
