"""The run so far, read from the conversation: each tool call beside its result."""

import json
import re
from dataclasses import dataclass
from typing import Any

from webbrain.testing.chat import Call, ModelCall

WRAPPER = re.compile(r"</?untrusted_page_content[^>]*>")


@dataclass(frozen=True, slots=True)
class Step:
    """A tool call with what came back."""

    call: Call
    arguments: dict[str, Any]
    result: dict[str, Any]
    text: str
    """The whole result as text, for what could not be read as JSON."""

    @property
    def ok(self) -> bool:
        """The tool said that it worked."""
        return bool(self.result.get("success", True)) and "error" not in self.result


def steps(model_call: ModelCall, after: int) -> list[Step]:
    """Return the finished steps that follow the turn with index ``after``."""
    results = {turn.call_id: turn.text for turn in model_call.turns if turn.role == "tool"}
    found = []
    for turn in model_call.turns[after + 1 :]:
        for call in turn.calls:
            text = WRAPPER.sub("", results.get(call.id, ""))
            found.append(Step(call, json.loads(call.arguments), _json(text), text))
    return found


def _json(text: str) -> dict[str, Any]:
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
