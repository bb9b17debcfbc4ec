"""Attaching the debugger to a tab of the run, once per run and only if the person lets it."""

from typing import Final

from webbrain.core.errors import BridgeError
from webbrain.host.protocols import Host
from webbrain.tools.state import RunState

FORBIDDEN: Final = "forbidden"
"""Reason of a refusal that is due to the page alone; another page may be attached to."""

STANDS_STILL: Final = frozenset({"timeout", "page_busy"})
"""What comes of attaching to a page that a dialog, or a script of its own, keeps from answering."""

REFUSED: Final = (
    "The browser's debugger could not be used. The task goes on without it: presses are made by the page "
    "itself, and dialogs of a page must be closed by you."
)


async def attach(host: Host, state: RunState, tab_id: int) -> bool:
    """Attach to ``tab_id``; say whether it is attached now.

    A refusal is told to the person once and remembered for the run. Raise nothing but cancellation.
    """
    if not host.capabilities.cdp:
        return False
    if tab_id in state.debugged and host.debugger.attached(tab_id):
        return True
    if state.no_debugger or tab_id in state.unattachable:
        return False
    try:
        await host.debugger.attach(tab_id)
    except BridgeError as error:
        if error.code == "debugger_refused" and error.data.get("reason") != FORBIDDEN:
            state.no_debugger = True
            state.warn("debugger_refused", REFUSED)
        elif error.code in STANDS_STILL:
            state.unattachable.add(tab_id)
        return False
    state.debugged.add(tab_id)
    return True


async def detach_all(host: Host, state: RunState) -> None:
    """Let go of every tab this run attached to."""
    for tab_id in list(state.debugged):
        state.debugged.discard(tab_id)
        try:
            await host.debugger.detach(tab_id)
        except BridgeError:
            continue
