"""Tool schemas for services that know only a part of JSON Schema."""

from typing import Any, Final

REF_DEPTH: Final = 12

_GEMINI_KEYS: Final = frozenset(
    {
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
        "format",
        "nullable",
        "anyOf",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "pattern",
    }
)
_GEMINI_FORMATS: Final = frozenset({"enum", "date-time", "int32", "int64", "float", "double"})


def for_gemini(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema in Gemini's own dialect.

    ``$ref`` is written out, ``null`` alternatives become ``nullable``, ``const`` an enum of one, and
    everything the service does not know (``additionalProperties``, ``default``, ``$schema``, ...) is left
    out.
    """
    definitions = schema.get("$defs", {})
    cleaned = _gemini(schema, definitions if isinstance(definitions, dict) else {}, 0)
    return cleaned if isinstance(cleaned, dict) else {"type": "object", "properties": {}}


def _gemini(schema: Any, definitions: dict[str, Any], depth: int) -> Any:
    if not isinstance(schema, dict):
        return schema
    if depth > REF_DEPTH:
        return {"type": "object"}
    if isinstance(ref := schema.get("$ref"), str):
        target = definitions.get(ref.rsplit("/", 1)[-1], {})
        return _gemini({**target, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions, depth + 1)
    schema = _without_null(schema)
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "const":
            out["enum"] = [value]
        elif key == "oneOf":
            out["anyOf"] = [_gemini(item, definitions, depth + 1) for item in value]
        elif key not in _GEMINI_KEYS:
            continue
        elif key == "properties":
            out[key] = {name: _gemini(item, definitions, depth + 1) for name, item in value.items()}
        elif key == "items":
            out[key] = _gemini(value, definitions, depth + 1)
        elif key == "anyOf":
            out[key] = [_gemini(item, definitions, depth + 1) for item in value]
        elif key != "format" or value in _GEMINI_FORMATS:
            out[key] = value
    if "enum" in out:
        # Only strings may be listed.
        out["enum"] = [str(item) for item in out["enum"]]
        out["type"] = "string"
    return out


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Turn ``anyOf: [X, null]`` and ``type: [X, "null"]`` into X with ``nullable``."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        real = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": real[0] if real else "string", "nullable": "null" in kinds}
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        real = [choice for choice in choices if choice != {"type": "null"}]
        if len(real) < len(choices):
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            if len(real) == 1:
                return {**rest, **real[0], "nullable": True}
            return {**rest, "anyOf": real, "nullable": True}
    return schema
