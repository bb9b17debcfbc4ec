"""What a model says that is held to the schema of a step; it says nothing that the schema does not allow."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema

from webbrain.testing.chat import Answer, ModelCall, Reply


def step(tool: str, element: str = "", **values: Any) -> Callable[[ModelCall], Answer]:
    """The next answer of a script: ``tool`` on the first element whose label has ``element`` in it."""

    def think(call: ModelCall) -> Answer:
        schema = call.response_schema
        assert schema is not None, "no schema was sent"
        for choice in schema.get("anyOf", [schema]):
            properties = choice["properties"]
            if properties["tool"].get("const") != tool:
                continue
            labels = [label for label in properties.get("element", {}).get("enum", []) if element in label]
            if element and not labels:
                continue
            answer = {"finished": properties["finished"]["const"], "tool": tool, **values}
            if element:
                answer["element"] = labels[0]
            jsonschema.validate(answer, schema)
            return Reply(json.dumps(answer))
        raise LookupError(f"the schema offers no {tool} on {element!r}")

    return think


finished = step("done", outcome="success", summary="It is done.")
