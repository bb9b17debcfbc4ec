"""What a run does for secrets besides the redaction of known ones: strict secret mode."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from webbrain.agent.journal import Journal
from webbrain.agent.parts import AgentParts
from webbrain.core.messages import ToolCall
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode, Tier
from webbrain.policy.credentials import WITHHELD, strict, tells_secret
from webbrain.prompts import prompt
from webbrain.providers.loose_json import parse_object
from webbrain.tools.base import ToolSpec

STRICT_PROMPT: Final = "strict-secrets"
ENDS: Final = frozenset({"done"})
"""Tools whose argument is the answer."""


def strict_parts(parts: AgentParts) -> AgentParts:
    """The parts of a run in strict secret mode: the reminder is the last thing a system prompt says, and
    results that have to do with a credential repeat it.
    """

    def system_prompt(mode: Mode, tier: Tier, constrained: bool) -> str:
        return f"{parts.system_prompt(mode, tier, constrained)}\n\n{prompt(STRICT_PROMPT)}"

    def render(spec: ToolSpec, result: ToolResult) -> str:
        return parts.render(spec, strict(result))

    return replace(parts, system_prompt=system_prompt, render=render)


@dataclass(frozen=True, slots=True)
class Secrecy:
    """What one run may say, on the way and at its end. Loose, that is up to the prompt."""

    journal: Journal
    strict: bool = False

    def answer(self, text: str) -> str:
        """The answer as the user may see it."""
        quotes = self.strict and (tells_secret(text) or self.journal.redacted(text) != text)
        return WITHHELD if quotes else text

    def calls(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """The calls as they are made, told and stored: the words of one that ends the run are an answer."""
        return tuple(self._ending(call) if call.name in ENDS else call for call in calls)

    def _ending(self, call: ToolCall) -> ToolCall:
        args = parse_object(call.arguments)
        if not self.strict or args is None:
            return call
        told = {key: self.answer(value) if isinstance(value, str) else value for key, value in args.items()}
        return call if told == args else call.model_copy(update={"arguments": json.dumps(told)})
