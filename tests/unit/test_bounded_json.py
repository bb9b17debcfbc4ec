"""Objects with countless keys are refused wherever a page, a model or a server may write them."""

import json
from typing import Any

import pytest

from webbrain.agent.arguments import parse_arguments
from webbrain.core.bounded_json import OBJECT_KEYS, loads
from webbrain.core.errors import ModelMayRetry
from webbrain.core.messages import ToolCall
from webbrain.policy.taint import squash
from webbrain.policy.written import Written
from webbrain.providers.history import object_arguments
from webbrain.providers.wire import StreamBroken, frame
from webbrain.tools import registry


def text(keys: int) -> str:
    return json.dumps({f"k{number}": "v" for number in range(keys)})


def test_ordinary_json_is_read_as_ever() -> None:
    value: Any = {"a": [1, {"b": None}], "c": "ü"}
    assert loads(json.dumps(value)) == value
    assert len(loads(text(OBJECT_KEYS))) == OBJECT_KEYS


@pytest.mark.parametrize("nested", [False, True])
def test_countless_keys_are_no_json(nested: bool) -> None:
    large = text(OBJECT_KEYS + 1)
    with pytest.raises(ValueError, match=str(OBJECT_KEYS + 1)):
        loads(f'[{{"x": {large}}}]' if nested else large)


def test_arguments_a_frame_and_a_call_of_the_history() -> None:
    large = text(OBJECT_KEYS + 1)
    spec = registry.get("scroll")
    assert spec is not None
    for raw in (large, json.dumps(large)):
        with pytest.raises(ModelMayRetry, match="too large"):
            parse_arguments(spec, raw)
    with pytest.raises(StreamBroken):
        frame(large)
    assert object_arguments(large) == "{}"
    Written(squash).take(ToolCall(id="c1", name="scroll", arguments=large))
