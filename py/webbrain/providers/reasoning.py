"""How much a model may think, said in the way its service understands.

One choice (``Effort``) becomes fields of the body. Which fields is data: ``CatalogEntry.thinking``.

| thinking | off | a measure |
| --- | --- | --- |
| ``reasoning_effort`` | ``reasoning_effort: "none"`` | ``reasoning_effort: "high"`` |
| ``reasoning`` | ``reasoning: {enabled: false}`` | ``reasoning: {effort: "high"}``, low to high |
| ``enable_thinking`` | ``enable_thinking: false`` | ``enable_thinking: true`` |
| ``thinking_type`` | ``thinking: {type: "disabled"}`` | ``thinking: {type: "enabled"}`` |
| ``by_model`` | ``chat_template_kwargs`` of Qwen and DeepSeek models, nothing for others | the same |
| ``effort_by_model`` | ``reasoning_effort`` in words of Qwen and gpt-oss models, else nothing | the same |
| ``anthropic`` | nothing: it thinks only when told to | ``thinking`` with a budget, or adaptive |
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

Effort = Literal["auto", "off", "minimal", "low", "medium", "high", "xhigh", "max"]
EFFORTS: Final[tuple[Effort, ...]] = ("auto", "off", "minimal", "low", "medium", "high", "xhigh", "max")

BUDGETS: Final[Mapping[str, int]] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 24_576,
    "max": 32_000,
}
"""Tokens of thinking for models that want a number."""

_LOW_TO_HIGH: Final = {"minimal": "low", "xhigh": "high", "max": "high"}


def chat_fields(control: str, effort: Effort, model: str) -> dict[str, Any]:
    """The fields of a Chat Completions body; nothing for ``auto``, which leaves it to the service."""
    if effort == "auto":
        return {}
    off = effort == "off"
    if control == "reasoning_effort":
        return {"reasoning_effort": "none" if off else effort}
    if control == "reasoning":
        return {"reasoning": {"enabled": False} if off else {"effort": _LOW_TO_HIGH.get(effort, effort)}}
    if control == "enable_thinking":
        return {"enable_thinking": not off}
    if control == "thinking_type":
        return {"thinking": {"type": "disabled" if off else "enabled"}}
    if control == "effort_by_model":
        return _effort_by_model(model.lower(), effort)
    if control == "by_model":
        return template_fields(model, thinking=not off)
    return {}


def _effort_by_model(name: str, effort: Effort) -> dict[str, Any]:
    """Source: Groq's documentation; each family takes words of its own and refuses all others."""
    off = effort == "off"
    if "qwen" in name:
        return {"reasoning_effort": "none" if off else "default"}
    if "gpt-oss" in name:
        return {"reasoning_effort": "low" if off else _LOW_TO_HIGH.get(effort, effort)}
    return {}


def template_fields(model: str, *, thinking: bool) -> dict[str, Any]:
    """What the chat templates of model families read, on servers that pass it on."""
    name = model.lower()
    if "deepseek" in name:
        return {"chat_template_kwargs": {"thinking": thinking}}
    if "qwen" in name or "qwq" in name:
        return {"chat_template_kwargs": {"enable_thinking": thinking}}
    return {}


def responses_effort(effort: Effort) -> str:
    """The word of the Responses format."""
    return {"auto": "medium", "off": "none"}.get(effort, effort)


def anthropic_fields(effort: Effort, *, adaptive: bool) -> dict[str, Any]:
    """The ``thinking`` of a Messages body, and ``output_config`` for models that measure it themselves."""
    if effort in ("auto", "off"):
        return {}
    if adaptive:
        word = "low" if effort == "minimal" else "high" if effort == "xhigh" else effort
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": word}}
    return {"thinking": {"type": "enabled", "budget_tokens": BUDGETS[effort]}}
