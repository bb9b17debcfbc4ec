"""The hand-made streams of the wire formats, found by directory.

``tests/contract/streams/<wire>/<name>.sse`` is what a service sends, byte for byte. Amazon's binary framing
is kept readable: a line of ``<name>.frames`` is ``[headers, payload]`` of one frame. ``<name>.json`` beside
it says what must come of it.
"""

import json
from pathlib import Path
from typing import Any

from webbrain.providers.event_stream import CONTENT_TYPE, encode_event

FOLDER = Path(__file__).parents[1] / "contract" / "streams"
STREAMS = sorted([*FOLDER.glob("*/*.sse"), *FOLDER.glob("*/*.frames")])
PROVIDER = {
    "openai_chat": "openrouter",
    "openai_responses": "openai",
    "azure": "azure_openai",
    "llamacpp": "llamacpp",
    "anthropic": "anthropic",
    "vertex_anthropic": "google-vertex-anthropic",
    "bedrock": "aws_bedrock",
}
"""A service that speaks each wire."""
FORM = {"aws_bedrock": {"supportsAskStreaming": "on"}, "llamacpp": {"constrained": "off"}}
"""What must be chosen there so that it streams and is given tools."""
SHARED = {"azure": "openai_chat", "llamacpp": "openai_chat", "vertex_anthropic": "anthropic"}
"""Wires that speak another one's dialect, whose streams they must understand too."""


def headers_of(wire: str) -> dict[str, str]:
    """What a streaming service says about its body."""
    return {"content-type": CONTENT_TYPE if wire == "bedrock" else "text/event-stream"}


def raw(path: Path) -> bytes:
    """What goes over the line."""
    if path.suffix == ".sse":
        return path.read_bytes()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return b"".join(
        encode_event(headers, json.dumps(payload, ensure_ascii=False).encode()) for headers, payload in lines
    )


def expected(path: Path) -> dict[str, Any]:
    """What must come of it."""
    value: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return value


def text_stream(wire: str) -> bytes:
    """A stream with a text, in the dialect of ``wire``."""
    folder = FOLDER / wire if (FOLDER / wire).is_dir() else FOLDER / SHARED[wire]
    return raw(next(path for path in STREAMS if path.parent == folder and path.stem == "text"))


def of_wire(wire: str, *, shared: bool = False) -> list[Path]:
    """The streams of a wire; with ``shared`` those of the dialect it shares too."""
    folders = {wire, SHARED[wire]} if shared and wire in SHARED else {wire}
    return [path for path in STREAMS if path.parent.name in folders]
