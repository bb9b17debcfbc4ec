"""What services demand of the schema that an answer is to be held to, as their documentation says it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, SchemaError

from webbrain.testing.chat import BadRequest

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
KNOWN = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref",
    "$defs", "description", "title", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
}  # fmt: skip
"""Keywords of OpenAI's strict mode; ``minLength``, ``default``, ``oneOf`` and more are not among them."""
DEPTH = 10
PROPERTIES = 5_000
CHOICES = 1_000


def described(value: Any) -> dict[str, Any]:
    """Check ``{name, schema, strict?, description?}``; return the schema."""
    if not isinstance(value, dict) or set(value) - {"name", "schema", "strict", "description"}:
        raise BadRequest("Unknown parameter in 'response_format.json_schema'.")
    if not isinstance(value.get("name"), str) or not NAME.fullmatch(value["name"]):
        raise BadRequest("Missing or invalid 'response_format.json_schema.name'.")
    schema = value.get("schema")
    if not isinstance(schema, dict):
        raise BadRequest("Missing required parameter: 'response_format.json_schema.schema'.")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise BadRequest(f"Invalid schema for response_format: {error.message}") from error
    if not isinstance(value.get("strict", False), bool):
        raise BadRequest("Invalid type for 'response_format.json_schema.strict'.")
    if value.get("strict"):
        check(schema)
    return schema


def check(schema: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` unless OpenAI's strict mode takes the schema. Source: OpenAI, Structured Outputs,
    "Supported schemas"."""
    if schema.get("type") != "object" or "anyOf" in schema:
        raise _invalid("schema must be a JSON Schema of 'type: \"object\"' and its root no 'anyOf'")
    places = list(_nodes(schema, "#", 1))
    if sum(len(node.get("properties", {})) for _, node in places) > PROPERTIES:
        raise _invalid(f"more than {PROPERTIES} properties")
    if sum(len(node.get("enum", ())) for _, node in places) > CHOICES:
        raise _invalid(f"more than {CHOICES} enum values")
    for place, node in places:
        _check_node(place, node)


GEMINI = {
    "type", "format", "title", "description", "nullable", "enum", "items", "maxItems", "minItems",
    "properties", "required", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf",
    "propertyOrdering",
}  # fmt: skip
"""Fields of Gemini's Schema object. Source: Google, Gemini API, "Schema"; ``additionalProperties``,
``$schema``, ``$ref``, ``const``, ``oneOf`` and ``default`` are answered with 400."""


def check_gemini(schema: Any, place: str = "parameters") -> None:
    """Raise ``BadRequest`` unless Gemini's function declarations take the schema of a tool."""
    if not isinstance(schema, Mapping):
        raise BadRequest(f"Invalid value at '{place}'")
    if unknown := set(schema) - GEMINI:
        raise BadRequest(f"Invalid JSON payload received. Unknown name \"{sorted(unknown)[0]}\" at '{place}'")
    if not isinstance(schema.get("type", "object"), str):
        raise BadRequest(f"Invalid value at '{place}.type'")
    if schema.get("type") == "null":
        raise BadRequest(f"Invalid value at '{place}.type' (TYPE_ENUM), \"null\"")
    if any(not isinstance(choice, str) for choice in schema.get("enum", ())):
        raise BadRequest(f"Invalid value at '{place}.enum' (TYPE_STRING)")
    for name, inner in schema.get("properties", {}).items():
        check_gemini(inner, f"{place}.properties[{name}]")
    if "items" in schema:
        check_gemini(schema["items"], f"{place}.items")
    for number, inner in enumerate(schema.get("anyOf", ())):
        check_gemini(inner, f"{place}.any_of[{number}]")


def _check_node(place: str, node: Mapping[str, Any]) -> None:
    if unknown := set(node) - KNOWN:
        raise _invalid(f"In {place}, '{sorted(unknown)[0]}' is not permitted.")
    if not node.keys() & {"type", "anyOf", "$ref"}:
        raise _invalid(f"In {place}, schema must have a 'type' key.")
    if node.get("type") == "object" or "properties" in node:
        if node.get("additionalProperties") is not False:
            raise _invalid(f"In {place}, 'additionalProperties' is required to be supplied and to be false.")
        if set(node.get("required", ())) != set(node.get("properties", {})):
            raise _invalid(f"In {place}, 'required' must be an array including every key in properties.")
    objects = [choice for choice in node.get("anyOf", ()) if "properties" in choice]
    first = [_first(choice) for choice in objects]
    if len({repr(key) for key in first}) < len(first):
        raise _invalid(f"In {place}, objects provided via 'anyOf' must not share identical first keys.")


def _first(choice: Mapping[str, Any]) -> tuple[str, Any]:
    """The first key, and what it may be if that is fixed."""
    key = next(iter(choice["properties"]), "")
    value = choice["properties"].get(key, {})
    return key, value.get("enum", value.get("const"))


def _nodes(node: Mapping[str, Any], place: str, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if depth > DEPTH:
        raise _invalid(f"In {place}, more than {DEPTH} levels of nesting.")
    yield place, node
    for name, inner in node.get("$defs", {}).items():
        yield from _nodes(inner, f"{place}/$defs/{name}", depth)
    for name, inner in node.get("properties", {}).items():
        yield from _nodes(inner, f"{place}/{name}", depth + 1)
    if isinstance(node.get("items"), Mapping):
        yield from _nodes(node["items"], f"{place}/items", depth + 1)
    for number, inner in enumerate(node.get("anyOf", ())):
        yield from _nodes(inner, f"{place}/anyOf/{number}", depth)


def _invalid(why: str) -> BadRequest:
    return BadRequest(f"Invalid schema for response_format 'answer': {why}")
