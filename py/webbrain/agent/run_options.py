"""What one run is asked to do, and under which of the user's wishes."""

from dataclasses import dataclass, field

from webbrain.agent.attachments import AtHand, Attached
from webbrain.agent.clarify import DEFAULT as CLARIFY_SECONDS
from webbrain.agent.planner import PlanRules
from webbrain.core.limits import MAX_STEPS_DEFAULT
from webbrain.core.types import Mode
from webbrain.policy.grants import Need


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run is asked to do. ``max_steps`` 0 means no limit. ``continued`` carries no text."""

    run_id: str
    request_id: str
    mode: Mode
    text: str = ""
    files: tuple[Attached, ...] = ()
    continued: bool = False
    resumed: bool = False
    """It goes on by itself after a death."""
    max_steps: int = MAX_STEPS_DEFAULT
    streaming: bool = True
    strict_secrets: bool = False
    """Withhold an answer that quotes a credential."""
    asks: bool = True
    """False: nobody is there to answer, and whoever set the run up waived all questions."""
    allow_api: bool = False
    """``/allow-api`` was given in this conversation."""
    observes_api: bool = False
    """Watch what requests presses make, to suggest one in their place."""
    api_news: bool = False
    """The model has not heard of that yet."""
    plans: PlanRules | None = None
    """How the task is planned before the first tool; ``None``: not at all."""
    clarify_seconds: int = CLARIFY_SECONDS
    """How long a question of the model's waits; 0: not at all, negative: for ever."""
    attached: AtHand = field(default_factory=AtHand)
    """The files of all messages of the conversation."""
    once: dict[Need, bool] = field(default_factory=dict)
    """What was granted or denied for the task at hand; a Continue goes on with the same."""
