"""States of the panel with messages that wait for a task."""

from typing import Any

from tests.support.ui_runs import shopping
from tests.support.ui_state import State, panel
from webbrain.core import events as ev

SHORT = "Then tell me when it arrives."
LONG = (
    "And when that is done, look for a matching pair of waterproof trousers in the same size, at most 90 €, "
    "and compare the three best ones in a table with their weight and how well they can be mended."
)


def waiting(held: bool = False) -> list[dict[str, Any]]:
    """Two messages, as ``panel.open`` tells of them."""
    return [
        {"id": "q1", "text": SHORT, "mode": "ask", "held": held},
        {"id": "q2", "text": LONG, "mode": "act", "held": held},
    ]


def queue_states() -> dict[str, State]:
    """Waiting, held back after a Stop, and paused at the step limit."""
    going = shopping().think().tool("navigate", "Open shop.example/checkout", {})
    paused = shopping().add(ev.MaxSteps(steps=130, recap="130 steps.")).end("max_steps")
    return {
        "queue": State(
            replies={
                "panel.open": panel(going.events, running=True, queue=waiting()),
                "queue.remove": {"ok": True, "removed": True},
                "queue.add": {"ok": True, "waits": True},
            },
            ready="[data-queued]",
        ),
        "queue-held": State(
            replies={
                "panel.open": panel(shopping().end("stopped").events, queue=waiting(held=True)),
                "queue.remove": {"ok": True, "removed": True},
                "chat.start": {"ok": True, "accepted": True},
            },
            ready="[data-queued]",
        ),
        "queue-paused": State(
            replies={"panel.open": panel(paused.events, queue=waiting()[:1])},
            ready="[data-queued]",
        ),
    }
