"""What the end of a run reports: steps, tokens, tools, and the model's last words."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

from webbrain.agent.spending import Account
from webbrain.core.events import RunComplete
from webbrain.core.messages import Usage

Status = Literal["completed", "stopped", "failed", "max_steps", "cost_limit"]

RECAP_TOOLS: Final = 6
RECAP_TEXT_CHARS: Final = 600

OUTCOMES: Final[tuple[Literal["success", "partial", "failed"], ...]] = ("success", "partial", "failed")


@dataclass(slots=True)
class Tally:
    """Counts of one run."""

    steps: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    """True if any of these tokens are a guess."""
    tools: Counter[str] = field(default_factory=Counter)
    last_tool: str = ""
    last_text: str = ""
    outcome: str = ""
    """What ``done`` claimed."""

    def add(self, usage: Usage) -> None:
        """Count the tokens of one model call."""
        self.prompt_tokens += usage.prompt_tokens or 0
        self.completion_tokens += usage.completion_tokens or 0
        self.cached_tokens += usage.cached_tokens or 0
        self.estimated = self.estimated or usage.estimated

    def called(self, tool: str) -> None:
        """Count one tool call."""
        self.last_tool = tool
        self.tools[tool] += 1

    def recap(self, progress: str = "") -> str:
        """What was done so far, for the person who decides on more steps. ``progress`` is what is known of
        the task's items."""
        tools = ", ".join(f"{name} {count}x" for name, count in self.tools.most_common(RECAP_TOOLS))
        lines = [f"{self.steps} steps."]
        if tools:
            lines.append(f"Most used: {tools}. Last: {self.last_tool}.")
        if progress:
            lines.append(progress)
        if self.last_text.strip():
            lines.append(self.last_text.strip()[:RECAP_TEXT_CHARS])
        return "\n".join(lines)

    def complete(
        self, status: Status, duration_ms: int, account: Account, earlier_usd: float | None
    ) -> RunComplete:
        """The event that ends the run. ``earlier_usd`` is what the conversation cost before it."""
        cost = account.usd if account.paid else None
        both = [amount for amount in (earlier_usd, cost) if amount is not None]
        return RunComplete(
            status=status,
            outcome=next((outcome for outcome in OUTCOMES if outcome == self.outcome), ""),
            steps=self.steps,
            duration_ms=duration_ms,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached_tokens=self.cached_tokens,
            tokens_estimated=self.estimated,
            cost_usd=cost,
            cost_estimated=account.estimated,
            conversation_cost_usd=sum(both) if both else None,
        )
