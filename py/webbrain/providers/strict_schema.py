"""JSON schemas in the dialect of OpenAI's strict mode, which takes only a part of JSON Schema.

The rules (OpenAI, Structured Outputs, "Supported schemas"; others copied them): the root is an object and no
alternative; every object is closed and requires all its properties, so that what may be left out becomes
nullable; lengths of texts, defaults and ``oneOf`` are not known; alternatives that are objects must differ
in their first key, or in its value.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

ROOT: Final = "answer"
"""The key under which a root goes that is no plain object."""

Schema = dict[str, Any]

_KEPT: Final = (
    "type",
    "description",
    "title",
    "enum",
    "pattern",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "$ref",
)
_NULL: Final[Schema] = {"type": "null"}


def strict(schema: Schema) -> Schema:
    """The schema in that dialect. A value that fits it also fits ``schema`` but for lengths and nulls."""
    definitions = {name: _node(value) for name, value in schema.get("$defs", {}).items()}
    root = _node({key: value for key, value in schema.items() if key != "$defs"})
    if root.get("type") != "object" or "properties" not in root:
        root = _closed({ROOT: root})
    return {**root, "$defs": definitions} if definitions else root


def wraps(schema: Schema) -> bool:
    """True if :func:`strict` puts the whole answer under ``ROOT``."""
    return ROOT in strict(schema).get("properties", {}) and ROOT not in schema.get("properties", {})


def unwrapped(text: str, schema: Schema) -> str:
    """An answer to ``strict(schema)`` as one to ``schema``; text that is no such answer stays as it is."""
    if not wraps(schema):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict) or set(value) != {ROOT}:
        return text
    inner = value[ROOT]
    if isinstance(inner, dict):
        # Alternatives that were put together have keys for each other.
        inner = {key: item for key, item in inner.items() if item is not None}
    return json.dumps(inner, ensure_ascii=False)


def _node(schema: Mapping[str, Any]) -> Schema:
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        found = _distinct([_node(choice) for choice in choices])
        return {"anyOf": found} if len(found) > 1 else found[0]
    out = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        out["enum"] = [schema["const"]]
    if "enum" in out and "type" not in out:
        kinds = sorted({_type_of(value) for value in out["enum"]})
        out["type"] = kinds[0] if len(kinds) == 1 else kinds
    if isinstance(items := schema.get("items"), Mapping):
        out["items"] = _node(items)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        required = schema.get("required", ())
        inner = {
            name: _node(value) if name in required else _nullable(_node(value))
            for name, value in properties.items()
        }
        return {**out, **_closed(inner)}
    return out


def _closed(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _nullable(schema: Schema) -> Schema:
    if _NULL in schema.get("anyOf", ()):
        return schema
    return {"anyOf": [*schema.get("anyOf", [schema]), _NULL]}


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) else "number"
    return "null" if value is None else "string"


# --- alternatives ---


def _distinct(choices: list[Schema]) -> list[Schema]:
    """Alternatives that are objects with the key that tells them apart in front, one for each of its values;
    a single one if no key does."""
    if not all("properties" in choice for choice in choices):
        return choices
    telling = _telling_key(choices)
    if not telling:
        return [_together(choices)]
    groups: dict[str, list[Schema]] = {}
    for choice in choices:
        groups.setdefault(json.dumps(choice["properties"][telling]["enum"]), []).append(choice)
    return [_together(group, telling) for group in groups.values()]


def _telling_key(choices: Sequence[Schema]) -> str:
    """The key that has one fixed value in each alternative, and the most different ones over all."""
    best, most = "", 1
    for key in choices[0]["properties"]:
        values = [choice["properties"].get(key, {}).get("enum", []) for choice in choices]
        if all(len(value) == 1 for value in values):
            different = len({json.dumps(value) for value in values})
            if different > most:
                best, most = key, different
    return best


def _together(group: Sequence[Schema], *first: str) -> Schema:
    """One object that takes what any of the group takes, its keys in their order behind ``first``."""
    keys = dict.fromkeys([*first, *(key for choice in group for key in choice["properties"])])
    properties: Schema = {}
    for key in keys:
        present = [choice["properties"][key] for choice in group if key in choice["properties"]]
        merged = _either(present)
        properties[key] = merged if len(present) == len(group) else _nullable(merged)
    return _closed(properties)


def _either(schemas: Sequence[Schema]) -> Schema:
    """What fits any of them."""
    if all(set(schema) == {"type", "enum"} for schema in schemas):
        values: list[Any] = []
        for schema in schemas:
            values += [value for value in schema["enum"] if value not in values]
        return _node({"enum": values})
    different: list[Schema] = []
    for schema in schemas:
        different += [choice for choice in schema.get("anyOf", [schema]) if choice not in different]
    return {"anyOf": different} if len(different) > 1 else different[0]
