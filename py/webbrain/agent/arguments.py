"""From what a model wrote to arguments a tool can trust, or to one short sentence about what is wrong."""

import json
from typing import Any, Final

from pydantic import ValidationError

from webbrain.core.bounded_json import loads
from webbrain.core.errors import ModelMayRetry
from webbrain.tools.base import ToolArgs, ToolSpec

PREVIEW_CHARS: Final = 240
PROBLEMS_SHOWN: Final = 5
PROBLEM_CHARS: Final = 160


def parse_arguments(spec: ToolSpec, raw: str) -> ToolArgs:
    """Return validated arguments; raise ``ModelMayRetry`` (``invalid_tool_arguments``) with a short reason.

    Two habits of models are forgiven: an object written inside a JSON string, and ``null`` for an optional
    value.
    """
    value = _object(spec, raw)
    fields = spec.args.model_fields
    given = {
        name: item
        for name, item in value.items()
        if not (item is None and name in fields and not fields[name].is_required())
    }
    try:
        return spec.args.model_validate(given)
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"[
                :PROBLEM_CHARS
            ]
            for problem in error.errors(include_url=False, include_input=False)[:PROBLEMS_SHOWN]
        ]
        raise ModelMayRetry(f"Wrong arguments for {spec.name}. {'; '.join(problems)}.") from None


def _object(spec: ToolSpec, raw: str) -> dict[str, Any]:
    try:
        value = loads(raw) if raw.strip() else {}
        if isinstance(value, str):
            value = loads(value)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or too large"
        raise ModelMayRetry(
            f"The arguments of {spec.name} are not valid JSON ({reason}).",
            data={"youSent": raw[:PREVIEW_CHARS]},
        ) from None
    if not isinstance(value, dict):
        raise ModelMayRetry(
            f"The arguments of {spec.name} must be one JSON object.", data={"youSent": raw[:PREVIEW_CHARS]}
        )
    return value
