"""Whether a JSON value fits a JSON schema, and if not, why, in one sentence for a model.

Knows the part of JSON Schema that our own schemas use: ``type``, ``enum``, ``const``, ``anyOf``, ``$ref`` to
``$defs``, ``properties``, ``required``, ``additionalProperties: false``, ``items`` and the limits of numbers,
texts and lists. Other keywords are passed over. Source: JSON Schema 2020-12.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

SHOWN_CHARS: Final = 60
CHOICES_SHOWN: Final = 12
DEPTH: Final = 40
"""Levels of nesting that are looked at."""

Schema = Mapping[str, Any]

_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: _is_number(value) and value == int(value),
    "number": lambda value: _is_number(value),
}


def problem(value: Any, schema: Schema) -> str:
    """What is wrong with ``value``, or an empty string."""
    return _Checker(schema).problem(value, schema, "the answer", 0)


def tidied(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """``value`` without keys the schema does not know, and without ``null`` for what may be left out."""
    out = _Checker(schema).tidied(value, schema, 0)
    return out if isinstance(out, dict) else value


class _Checker:
    def __init__(self, root: Schema) -> None:
        definitions = root.get("$defs")
        self._definitions = definitions if isinstance(definitions, Mapping) else {}

    def problem(self, value: Any, schema: Schema, place: str, depth: int) -> str:
        schema = self._resolved(schema)
        if depth > DEPTH:
            return f"{place} is nested too deeply."
        if choices := schema.get("anyOf"):
            found = [self.problem(value, choice, place, depth + 1) for choice in choices]
            return "" if "" in found else found[0] if len(found) == 1 else f"{place} fits none of its forms."
        if "const" in schema and not _same(value, schema["const"]):
            return f"{place} must be {_shown(schema['const'])}."
        if "enum" in schema and not any(_same(value, choice) for choice in schema["enum"]):
            listed = ", ".join(_shown(choice) for choice in schema["enum"][:CHOICES_SHOWN])
            return f"{place} is {_shown(value)}, but must be one of: {listed}."
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(_TYPES[kind](value) for kind in kinds if kind in _TYPES):
            return f"{place} must be of type {' or '.join(kinds)}."
        if isinstance(value, str):
            return _text_problem(value, schema, place)
        if _is_number(value):
            return _number_problem(value, schema, place)
        if isinstance(value, list):
            return self._list_problem(value, schema, place, depth)
        return self._object_problem(value, schema, place, depth) if isinstance(value, dict) else ""

    def tidied(self, value: Any, schema: Schema, depth: int) -> Any:
        schema = self._resolved(schema)
        if depth > DEPTH:
            return value
        if choices := schema.get("anyOf"):
            for choice in choices:
                mended = self.tidied(value, choice, depth + 1)
                if not self.problem(mended, choice, "", depth + 1):
                    return mended
            return value
        if isinstance(value, list) and isinstance(items := schema.get("items"), Mapping):
            return [self.tidied(item, items, depth + 1) for item in value]
        properties = schema.get("properties")
        if not isinstance(value, dict) or not isinstance(properties, Mapping):
            return value
        required = schema.get("required", ())
        out: dict[str, Any] = {}
        for key, item in value.items():
            if key not in properties:
                if schema.get("additionalProperties") is not False:
                    out[key] = item
                continue
            mended = self.tidied(item, properties[key], depth + 1)
            optional = mended is None and key not in required
            if not (optional and self.problem(None, properties[key], "", depth + 1)):
                out[key] = mended
        return out

    def _resolved(self, schema: Schema) -> Schema:
        for _ in range(DEPTH):
            ref = schema.get("$ref")
            if not isinstance(ref, str):
                break
            schema = self._definitions.get(ref.rsplit("/", 1)[-1], {})
        return schema

    def _list_problem(self, value: list[Any], schema: Schema, place: str, depth: int) -> str:
        if len(value) < schema.get("minItems", 0):
            return f"{place} must have at least {schema['minItems']} entries."
        if len(value) > schema.get("maxItems", len(value)):
            return f"{place} must have at most {schema['maxItems']} entries."
        items = schema.get("items")
        if isinstance(items, Mapping):
            for number, item in enumerate(value):
                if wrong := self.problem(item, items, f"{place}[{number}]", depth + 1):
                    return wrong
        return ""

    def _object_problem(self, value: dict[str, Any], schema: Schema, place: str, depth: int) -> str:
        properties = schema.get("properties", {})
        for key in schema.get("required", ()):
            if key not in value:
                return f"{place} lacks {_shown(key)}."
        for key, item in value.items():
            if key in properties:
                if wrong := self.problem(item, properties[key], _inside(place, key), depth + 1):
                    return wrong
            elif schema.get("additionalProperties") is False:
                return f"{place} has {_shown(key)}, which does not belong there."
        return ""


def _text_problem(value: str, schema: Schema, place: str) -> str:
    if len(value) < schema.get("minLength", 0):
        return f"{place} must not be empty." if not value else f"{place} is too short."
    if len(value) > schema.get("maxLength", len(value)):
        return f"{place} has more than {schema['maxLength']} characters."
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not re.search(pattern, value):
        return f"{place} is {_shown(value)}, which does not match {pattern}."
    return ""


def _number_problem(value: float, schema: Schema, place: str) -> str:
    if value < schema.get("minimum", value):
        return f"{place} must be at least {schema['minimum']}."
    if value > schema.get("maximum", value):
        return f"{place} must be at most {schema['maximum']}."
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _same(value: Any, other: Any) -> bool:
    """Equal as JSON: ``true`` is not 1."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _inside(place: str, key: str) -> str:
    return key if place == "the answer" else f"{place}.{key}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
