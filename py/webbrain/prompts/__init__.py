"""System prompts, as Markdown files beside this module.

``COMPOSED`` says which files make the prompt of which mode and tier. They are read through
``importlib.resources``, so the package may be a zip, each only once.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from webbrain.core.types import Mode, Tier

COMPOSED: Final[Mapping[str, tuple[str, ...]]] = {
    "ask": ("ask", "untrusted", "secrets"),
    "act-compact": ("act-compact",),
    "act-mid": ("act-mid", "untrusted", "secrets"),
    "act-full": ("act-full", "untrusted", "secrets"),
    "constrained": ("constrained",),
    "constrained-examples": ("constrained-examples",),
    "describe-picture": ("describe-picture",),
    "planner": ("planner",),
    "planner-intent": ("planner-intent",),
    "planner-small": ("planner-small",),
    "planner-least": ("planner-least",),
    "summarise": ("summarise",),
    "strict-secrets": ("strict-secrets",),
    "describe-attachment": ("describe-attachment",),
}
"""Name of a prompt to the files it consists of, in order."""


def system_prompt(mode: Mode, tier: Tier, *, constrained: bool = False) -> str:
    """The system prompt for a run. Dev uses that of Act; ``constrained`` is for models held to a schema."""
    if constrained:
        return prompt("constrained")
    return prompt("ask" if mode is Mode.ASK else f"act-{tier.value}")


@cache
def prompt(name: str) -> str:
    """The prompt of that name, see ``COMPOSED``."""
    folder = files(__name__)
    parts = [folder.joinpath(f"{part}.md").read_text(encoding="utf-8").strip() for part in COMPOSED[name]]
    return "\n\n".join(parts)
