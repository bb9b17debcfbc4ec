"""What one run knows about the tabs it works on; tools read it and change it, the run keeps it."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar, get_args
from urllib.parse import urlsplit

from webbrain.core.errors import ToolFailed
from webbrain.host.reach import BrowserEvent
from webbrain.policy.taint import Taint
from webbrain.tools.signals import Interrupted, Signals, drop

Result = TypeVar("Result")
DialogType = Literal["alert", "confirm", "prompt", "beforeunload"]
ReadScope = Literal["complete_thread", "current_message", "visible_page", "none"]
"""How much of what the page holds a task needs to be read, as the plan says."""

IN_USE: Final = (
    "Another task of the user's is at work in this tab, so it was left alone. Do without it, or say that it "
    "is needed."
)
UNANSWERED: Final = (
    "The user has not answered your question, so nothing that has consequences may be done. Do what is "
    "harmless, ask again with clarify, or finish and say what you need from them."
)
"""What stands in for a consequential call in a run that is ``unanswered``."""
MESSAGE_CHARS: Final = 1_000
"""Of a dialog's text; pages write it."""
URL_CHARS: Final = 2_000
ARRIVED: Final = ("committed", "same_document")
"""Phases of a navigation with which a tab has its new address."""
CANCELLED_BY_USER: Final = "canceled_by_user"
"""What Chrome calls a press on Cancel in the bar that says a tab is being debugged."""

DIALOG_OPENING: Final = "Page.javascriptDialogOpening"
DIALOG_CLOSED: Final = "Page.javascriptDialogClosed"

DEBUGGER_LOST: Final = (
    "The browser's debugging was cancelled. The task goes on without it: presses are made by the page "
    "itself, and dialogs of a page must be closed by you."
)


BACK_HOME: Final = "Tab {tab} is closed. The run is back in tab {home}, where it began."


@dataclass(frozen=True, slots=True)
class Dialog:
    """A JavaScript dialog that is open in a tab and was seen by the debugger."""

    tab_id: int
    type: DialogType
    message: str
    default_text: str = ""

    def as_data(self) -> dict[str, Any]:
        """The dialog as a result shows it. The page wrote ``message`` and ``defaultText``."""
        data: dict[str, Any] = {"type": self.type, "message": self.message}
        if self.default_text:
            data["defaultText"] = self.default_text
        return data


class DialogOpen(ToolFailed):
    """The page cannot answer because a JavaScript dialog is open in it or in a tab of the same run."""

    code = "dialog_open"

    def __init__(self, dialog: Dialog) -> None:
        super().__init__(
            "A JavaScript dialog is open; the page stands still until it is answered with answer_dialog.",
            data={"dialog": dialog.as_data()},
        )
        self.dialog = dialog


def _no_one(code: str, message: str) -> None:
    """Nobody is there to be warned."""


def _alone(tab_id: int) -> bool:
    """No other run is there."""
    return False


@dataclass(slots=True)
class RunState:
    """``home`` is the tab of the conversation, ``tab_id`` the one the run works on now."""

    home: int
    tab_id: int
    opened: dict[int, str] = field(default_factory=dict)
    """Tabs that came out of this run and are still open, with the address they were opened for."""
    visited: set[int] = field(default_factory=set)
    """Tabs the run has worked on besides the first."""
    dialogs: dict[int, Dialog] = field(default_factory=dict)
    """Dialogs that wait for the model's answer, by tab."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Small notes of single tools, by the tool's name, for as long as the run lasts."""
    notes: list[str] = field(default_factory=list)
    """Sentences of ours that the next result tells the model."""
    signals: Signals = field(default_factory=Signals)
    debugged: set[int] = field(default_factory=set)
    """Tabs this run attached the debugger to."""
    unattachable: set[int] = field(default_factory=set)
    """Tabs whose page stood still when they were to be attached, until they show another page."""
    path: str = ""
    """Host and path of the tab worked on, once it went anywhere."""
    no_debugger: bool = False
    """The debugger was refused or cancelled; it is not asked for again in this run."""
    documents: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often ``(tab, frame)`` has shown a new document since the run began; frame 0 is the page."""
    read_scope: ReadScope = "none"
    unanswered: bool = False
    """A question was answered by time-out or automatically, so nobody has agreed to anything since."""
    taint: Taint | None = None
    """What the model has seen, and of whom; ``None`` where nobody keeps account."""
    warn: Callable[[str, str], None] = _no_one
    """Tells the person ``(code, message)``."""
    taken: Callable[[int], bool] = _alone
    """Whether another run works in that tab."""

    @property
    def tabs(self) -> set[int]:
        """Every tab of the run."""
        return {self.home, self.tab_id, *self.opened}

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that keeps the run from going on: in the tab worked on, else in another of its tabs,
        which may share the page's process."""
        return self.dialogs.get(self.tab_id) or next(iter(self.dialogs.values()), None)

    def hear(self, event: BrowserEvent) -> None:
        """Keep what is known of the run's tabs true, then tell whoever waits. Never blocks."""
        if event.kind == "navigation" and event.tab_id == self.tab_id and event.data.get("phase") in ARRIVED:
            parts = urlsplit(str(event.data.get("url") or ""))
            self.path = f"{parts.netloc}{parts.path}"[:URL_CHARS]
        match event.kind:
            case "frame_navigation" if event.tab_id not in self.tabs:
                return  # there are too many of them to remember those of other tabs
            case "tab_opened" if event.tab_id in self.tabs:
                self.opened[int(event.data["tabId"])] = str(event.data.get("url") or "")[:URL_CHARS]
            case "tab_removed":
                self._forget(event.tab_id)
            case "navigation" if event.data.get("phase") == "committed":
                self.unattachable.discard(event.tab_id)
                self.documents[event.tab_id, 0] += 1
            case "frame_navigation":
                self.documents[event.tab_id, int(event.data.get("frameId", 0))] += 1
            case "cdp" if event.tab_id in self.tabs:
                self._debugger_said(event)
            case "debugger_detached" if event.tab_id in self.debugged:
                self._debugger_left(event)
        self.signals.add(event)

    def _forget(self, tab_id: int) -> None:
        self.opened.pop(tab_id, None)
        self.dialogs.pop(tab_id, None)
        self.debugged.discard(tab_id)
        if tab_id == self.tab_id != self.home:
            self.tab_id = self.home
            self.notes.append(BACK_HOME.format(tab=tab_id, home=self.home))

    def _debugger_said(self, event: BrowserEvent) -> None:
        params = event.data.get("params") or {}
        if event.data.get("method") == DIALOG_CLOSED:
            self.dialogs.pop(event.tab_id, None)
        elif event.data.get("method") == DIALOG_OPENING and params.get("type") in get_args(DialogType):
            self.dialogs[event.tab_id] = Dialog(
                event.tab_id,
                params["type"],
                str(params.get("message") or "")[:MESSAGE_CHARS],
                str(params.get("defaultPrompt") or "")[:MESSAGE_CHARS],
            )

    def _debugger_left(self, event: BrowserEvent) -> None:
        self.debugged.discard(event.tab_id)
        self.dialogs.pop(event.tab_id, None)
        if event.data.get("reason") == CANCELLED_BY_USER and not self.no_debugger:
            self.no_debugger = True
            self.warn("debugger_cancelled", DEBUGGER_LOST)


async def unless_dialog(state: RunState, work: Awaitable[Result]) -> Result:
    """Await what a page answers; raise ``DialogOpen`` as soon as a dialog keeps it from answering."""
    if state.dialog is not None:
        drop(work)
        raise DialogOpen(state.dialog)
    try:
        return await state.signals.unless(work, lambda event: event.tab_id in state.dialogs)
    except Interrupted as interruption:
        raise DialogOpen(state.dialogs[interruption.event.tab_id]) from None
