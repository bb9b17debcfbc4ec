"""The real parts of the agent's loop: tools, prompts, the gate and how a model is asked."""

from webbrain.agent.constrained import ConstrainedTurns
from webbrain.agent.parts import AgentParts
from webbrain.agent.turns import NativeTurns, TurnStrategy
from webbrain.core.ids import nonce
from webbrain.core.types import Mode, Tier
from webbrain.policy.gate import Gate
from webbrain.policy.outgoing import carried
from webbrain.policy.results import cap_for, render_result
from webbrain.prompts import system_prompt
from webbrain.providers.base import ModelInfo
from webbrain.tools import registry


def agent_parts() -> AgentParts:
    """The loop's real parts."""
    return AgentParts(
        tools_for=registry.tools_for,
        system_prompt=_prompt,
        render=lambda spec, result: render_result(spec, result, cap=cap_for(spec, result), nonce=nonce()),
        strategy=_strategy,
        confirm=lambda leave: (Gate(leave, outgoing=carried),),
        plans=True,
    )


def _prompt(mode: Mode, tier: Tier, constrained: bool) -> str:
    return system_prompt(mode, tier, constrained=constrained)


def _strategy(info: ModelInfo) -> TurnStrategy:
    return ConstrainedTurns() if info.constrained else NativeTurns()
