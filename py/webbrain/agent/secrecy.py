"""What a run does for secrets besides the redaction of known ones: strict secret mode."""

from dataclasses import dataclass, replace
from typing import Final

from webbrain.agent.journal import Journal
from webbrain.agent.parts import AgentParts
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode, Tier
from webbrain.policy.credentials import WITHHELD, strict, tells_secret
from webbrain.prompts import prompt
from webbrain.tools.base import ToolSpec

STRICT_PROMPT: Final = "strict-secrets"


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
    """What one run's final answer may say. Loose, that is up to the prompt."""

    journal: Journal
    strict: bool = False

    def answer(self, text: str) -> str:
        """The answer as the user may see it."""
        quotes = self.strict and (tells_secret(text) or self.journal.redacted(text) != text)
        return WITHHELD if quotes else text
