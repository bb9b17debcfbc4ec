"""A person before the permission gate, for tests."""

from typing import Any

from tests.support.toolbox import URL, context, page_host
from webbrain.core.errors import ToolFailed
from webbrain.core.events import Card
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.host.memory import MemoryHost
from webbrain.policy.gate import Gate
from webbrain.policy.grants import Leave
from webbrain.tools import registry
from webbrain.tools.base import ToolSpec

ORDINARY: dict[str, Any] = {"submits": False, "commits": False, "control": "View my portfolio", "token": ""}
SENDING: dict[str, Any] = {
    "submits": True,
    "commits": True,
    "host": "shop.example",
    "action": "https://shop.example/order",
    "control": "Place order",
    "fields": [{"label": "Name", "value": "Ada", "masked": False}],
    "token": "t-1",
}
WORK = (Capability.CLICK, Capability.TYPE, Capability.NAVIGATE)
CLICK = {"ref_id": "ref_1"}
TYPE = {"ref_id": "ref_2", "text": "tea"}


def tool(name: str) -> ToolSpec:
    found = registry.get(name)
    assert found
    return found


def shop(probe: Any = ORDINARY, url: str = URL) -> MemoryHost:
    host = page_host(url)
    host.page.on("submit_probe", probe)
    return host


class Person:
    """Puts calls to a gate and answers its cards, one answer for each; the last one stays."""

    def __init__(self, *answers: str, host: MemoryHost | None = None, gate: Gate | None = None) -> None:
        self.host = host or shop()
        self.ctx = context(self.host)
        self.leave = Leave(said=lambda: self.said)
        self.gate = gate or Gate(self.leave)
        self.said = ""
        self.answers = list(answers) or ["once"]
        self.cards: list[Card] = []
        self.thinking: Any = None
        """Called while a card is open."""

    async def call(self, name: str, **args: Any) -> ToolResult | None:
        """``None`` if the call goes through, else the result that stands in for it."""
        spec = tool(name)
        try:
            while (card := await self.gate.needs_card(self.ctx, spec, args)) is not None:
                self.cards.append(card)
                if self.thinking:
                    self.thinking()
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if (refusal := await self.gate.answered(answer)) is not None:
                    return refusal
        except ToolFailed as error:
            return ToolResult.error(error.message, error.code, **error.data)
        self.gate.context(self.ctx)
        self.gate.ended(ToolResult.ok("done"))
        return None

    def asked(self) -> list[tuple[str, str]]:
        """What was asked about which host."""
        return [(card.ask, card.host) for card in self.cards]


def code(result: ToolResult | None) -> str:
    return "" if result is None else str(result.data["code"])
