"""JSON as models write it: in a code fence, after a sentence, with a trailing comma or doubled braces."""

import json
import re
from typing import Any, Final

LOOSE_CHARS: Final = 100_000
_FENCE = re.compile(r"```[a-zA-Z_]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_decoder = json.JSONDecoder(strict=False)


def parse_object(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in ``text``, or ``None``.

    Tried in order: the whole text, each fenced block, the first object found after any other words.
    Duplicate keys: the last one wins, as in ``json.loads``.
    """
    if len(text) > LOOSE_CHARS:
        return None
    for candidate in (text.strip(), *(block.strip() for block in _FENCE.findall(text))):
        value = parse(candidate)
        if isinstance(value, dict):
            return value
    start = text.find("{")
    return leading_object(text[start:])[0] if start >= 0 else None


def parse(text: str) -> Any:
    """Return the JSON value ``text`` consists of, forgiving commas and doubled braces; ``None`` if it is
    none."""
    for candidate in _variants(text):
        try:
            return _decoder.decode(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def leading_object(text: str) -> tuple[dict[str, Any] | None, int]:
    """Parse an object at the very start of ``text``; return it and where it ends, or ``(None, 0)``."""
    try:
        value, end = _decoder.raw_decode(text)
        if isinstance(value, dict):
            return value, end
    except (ValueError, RecursionError):
        pass
    end = _balanced_end(text)
    if end:
        value = parse(text[:end])
        if isinstance(value, dict):
            return value, end
    return None, 0


def _variants(text: str) -> list[str]:
    out = [text]
    if _TRAILING_COMMA.search(text):
        out.append(_TRAILING_COMMA.sub(r"\1", text))
    # Some chat templates quote their own format as {{"name": ...}}, and the model copies the doubled braces.
    if text.startswith("{{") and text.endswith("}}"):
        out += [text[1:-1], text.replace("{{", "{").replace("}}", "}")]
    return out


def _balanced_end(text: str) -> int:
    """Index after the brace that closes the one at index 0, strings respected; 0 if there is none."""
    depth, in_string, escaped = 0, False, False
    for index, char in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return index + 1
        elif index == 0:
            return 0
    return 0
