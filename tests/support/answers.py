"""Answers that a JSON schema allows, as a server that enforces it would give them."""

import random
import re
from typing import Any

from webbrain.agent import fits


def answer(schema: dict[str, Any], rng: random.Random) -> Any:
    """Some value that fits the schema."""
    return _value(schema, schema.get("$defs", {}), rng)


def _value(schema: dict[str, Any], definitions: dict[str, Any], rng: random.Random) -> Any:
    if ref := schema.get("$ref"):
        return _value(definitions[ref.rsplit("/", 1)[-1]], definitions, rng)
    if choices := schema.get("anyOf"):
        return _value(rng.choice(choices), definitions, rng)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = rng.choice(kind)
    if kind == "object":
        required = schema.get("required", ())
        names = [name for name in schema.get("properties", {}) if name in required or rng.random() < 0.5]
        return {name: _value(schema["properties"][name], definitions, rng) for name in names}
    if kind == "array":
        count = rng.randint(schema.get("minItems", 0), min(schema.get("maxItems", 3), 5))
        return [_value(schema["items"], definitions, rng) for _ in range(count)]
    if kind == "string":
        return _text(schema, rng)
    if kind in ("integer", "number"):
        return rng.randint(schema.get("minimum", 0), schema.get("maximum", 9))
    return rng.choice([True, False]) if kind == "boolean" else None


def _text(schema: dict[str, Any], rng: random.Random) -> str:
    samples = ["2026-11-30", "12:30", "2026-11", "2026-11-30T12:30", "12", "ada@example.com", "Ada", "x y z"]
    pattern = schema.get("pattern", "")
    fitting = [text for text in samples if re.search(pattern, text)]
    assert fitting, f"no sample for {pattern}"
    text = rng.choice(fitting)
    assert not fits.problem(text, {**schema, "type": "string"}), schema
    return text
