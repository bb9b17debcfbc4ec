"""What one run knows about the tabs it works on; tools read it and change it, the run keeps it."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(slots=True)
class Dialog:
    """A JavaScript dialog that is open in a tab and was seen by the debugger."""

    tab_id: int
    type: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default_text: str = ""


@dataclass(slots=True)
class RunState:
    """``home`` is the tab of the conversation, ``tab_id`` the one the run works on now."""

    home: int
    tab_id: int
    opened: dict[int, str] = field(default_factory=dict)
    """Tabs that came out of this run and are still open, with the address they were opened for."""
    dialog: Dialog | None = None
    """The dialog that waits for the model's answer."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Small notes of single tools, by the tool's name, for as long as the run lasts."""
