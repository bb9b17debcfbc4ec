"""Answering JavaScript dialogs, and putting away those that nobody answered."""

from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.host.protocols import Host
from webbrain.tools.state import Dialog, DialogType, RunState

SAFE_ANSWERS: Final[Mapping[DialogType, bool]] = {
    "alert": True,
    "confirm": False,
    "prompt": False,
    "beforeunload": False,
}
"""What each kind is answered with when the model went on to something else: what agrees to nothing."""
IN_A_ROW: Final = 8
"""Dialogs that are put away one after the other; a page that opens more is left to the person."""
NEXT_WAIT: Final = 0.05
"""Seconds in which a script that went on may open its next dialog."""

PUT_AWAY: Final = (
    "A JavaScript dialog ({type}) was open. It was {how}, because something else was done instead of "
    "answering it."
)
WAITS: Final = (
    "A JavaScript dialog is open and the page stands still. Answer it with answer_dialog; anything else "
    "that acts on the page dismisses it first (an alert is accepted)."
)


async def answer(
    host: Host, state: RunState, dialog: Dialog, *, accept: bool, text: str | None = None
) -> bool:
    """Answer ``dialog``; false if it was not there any more."""
    params: dict[str, Any] = {"accept": accept}
    if text is not None:
        params["promptText"] = text
    try:
        await host.debugger.send(dialog.tab_id, "Page.handleJavaScriptDialog", params)
    except BridgeError:
        answered = False
    else:
        answered = True
    if state.dialogs.get(dialog.tab_id) is dialog:
        del state.dialogs[dialog.tab_id]
    return answered


async def put_away(host: Host, state: RunState) -> None:
    """Answer whatever dialog is open with what agrees to nothing, and note it for the next result."""
    for _ in range(IN_A_ROW):
        dialog = state.dialog
        if dialog is None:
            return
        since = state.signals.mark
        accept = SAFE_ANSWERS[dialog.type]
        if await answer(host, state, dialog, accept=accept):
            how = "accepted" if accept else "dismissed"
            state.notes.append(PUT_AWAY.format(type=dialog.type, how=how))
        await next_dialog(host, state, since)


async def next_dialog(host: Host, state: RunState, since: int, wait: float = NEXT_WAIT) -> Dialog | None:
    """The dialog that opens within ``wait`` seconds."""
    if state.dialog is None:
        await state.signals.first(
            lambda event: event.tab_id in state.dialogs, host.clock.sleep(wait), since=since
        )
    return state.dialog
