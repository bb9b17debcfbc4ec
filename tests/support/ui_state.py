"""One state of a screen: what Python and the browser answer, and what a person then does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.ui_providers import (
    settings_replies,
)
from tests.support.ui_runs import (
    CONVERSATION,
    PICTURE,
    TAB,
    Run,
)
from webbrain.services.commands import COMMANDS

Action = tuple[str, ...]
"""``click`` css, ``type`` css text, ``press`` key, ``eval`` JavaScript, ``wait`` css."""

SHOP = {
    "id": TAB,
    "url": "https://shop.example/rain-jackets",
    "title": "Rain jackets - Field & Fjord",
    "active": True,
}
NEWS = {"id": 8, "url": "https://news.example/", "title": "Morning paper", "active": False}
PHASES = [
    {"name": "runtime", "ms": 212},
    {"name": "snapshot", "ms": 148},
    {"name": "package", "ms": 61},
    {"name": "tools", "ms": 9},
    {"name": "recovery", "ms": 4},
]
READY = {"state": "ready", "epoch": 1, "mode": "snapshot", "phases": PHASES, "totalMs": 434, "reason": ""}
STARTING = {"state": "starting", "epoch": 1, "mode": "", "phases": PHASES[:2], "totalMs": 360, "reason": ""}
PROVIDER = {"id": "anthropic", "label": "Anthropic Claude", "model": "claude-sonnet-5", "tier": "full"}

SIDE_PANEL = "wb.inTab = false, navigator.permissions.query = async () => ({ state: 'prompt' })"
"""As in a side panel, which cannot show the browser's questions."""


COMMAND_REPLIES = {
    "commands.list": {"commands": [command.view() for command in COMMANDS.values()]},
    "commands.run": {"ok": True, "code": "mode_act", "send": ""},
}
NO_COMMAND = {
    "code": "unknown_command",
    "message": "There is no command /nonsense.",
    "data": {"name": "nonsense"},
}


def panel(events: Sequence[Mapping[str, Any]] = (), **change: Any) -> dict[str, Any]:
    """The answer to ``panel.open``."""
    return {
        "tabId": TAB,
        "conversationId": CONVERSATION,
        "mode": "act",
        "running": False,
        "run": None,
        "events": list(events),
        "tab": {"url": SHOP["url"], "title": SHOP["title"]},
        "provider": PROVIDER,
        "settings": {"wbLocale": "auto", "verboseMode": False},
        "capabilities": {},
        **change,
    }


@dataclass(frozen=True)
class State:
    """One state. ``ready`` is a selector that is there once it is fully shown."""

    page: str = "sidepanel"
    replies: Mapping[str, Any] = field(default_factory=dict)
    boot: Mapping[str, Any] = field(default_factory=lambda: READY)
    tabs: Sequence[Mapping[str, Any]] = (SHOP, NEWS)
    ensure: Mapping[str, Any] = field(default_factory=lambda: {"ok": True})
    actions: Sequence[Action] = ()
    ready: str = "#composer"
    query: str = ""
    anchor: str = ""
    events: Sequence[Mapping[str, Any]] = ()

    def table(self) -> dict[str, Any]:
        """What the fake port reads."""
        replies = dict(self.replies)
        if self.page == "sidepanel":
            replies.setdefault("panel.open", panel(self.events))
            replies.setdefault("pictures.get", {"dataUrl": PICTURE})
        else:
            replies = {**settings_replies(), **replies}
        return {
            "replies": replies,
            "boot": dict(self.boot),
            "tabs": list(self.tabs),
            "ensure": dict(self.ensure),
        }


def running(run: Run, **change: Any) -> dict[str, Any]:
    return {"panel.open": panel(run.events, running=True, **change)}
