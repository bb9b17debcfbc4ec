"""A file field that exists only for the moment in which a control is pressed.

Many pages make the field in the press itself, and a press that is not a person's opens no chooser. So the
control is really pressed while the debugger holds choosers back. A field that the page has put somewhere is
found by the page script. Most are put nowhere, where no page script can reach: then the browser names the
field that asks, and it is moved into the document's head, where nothing is drawn. The page script takes it
out again at once and puts the file in as into any other field.

The file's content travels as always. No path of the disk is given to anybody, and no command is used that
could have one read.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.host.reach import BrowserEvent
from webbrain.tools import trusted
from webbrain.tools.base import ToolContext
from webbrain.tools.debugging import attach

CHOOSER_WAIT: Final = 3.0
"""Seconds in which a press must have led to a chooser. Browsers allow one for five after a press."""
DOCUMENT_DEPTH: Final = 2
"""The document, its root element, head and body."""
ELEMENT: Final = 1
"""The DOM's number for elements among the nodes."""

OPENED: Final = "Page.fileChooserOpened"
INTERCEPT: Final = "Page.setInterceptFileChooserDialog"

ADDS_FILE: Final = re.compile(
    r"add\b.*\b(file|photo|picture|image|video|attachment|document|media)s?\b"
    r"|.*\b(datei|foto|bild|video|anhang|dokument)(en|s|er|e)?\b.* hinzufügen",
    re.IGNORECASE | re.DOTALL,
)
"""Names of controls that only choose, although they begin with a verb that commits something elsewhere."""

ASK_USER: Final = "Ask the user to press it and choose the file {name}."
NO_DEBUGGER: Final = (
    "The page has no file field. If this control opens a file chooser all the same, the page makes the field "
    "in the moment it is pressed, and only the browser's debugger could reach it, which is not there. "
)
IN_BACKGROUND: Final = (
    "This control makes its file field when it is really pressed, and only the tab in front can be pressed "
    "so. Ask the user to show this tab, then try again. Otherwise: "
)
MAY_SEND: Final = (
    "This control may send something, so it was not pressed to see whether it asks for a file. "
    "Use the ref_id of the control that only chooses the file. Otherwise: "
)
NOT_PRESSED: Final = "The control could not be pressed. Read the page again."
NO_CHOOSER: Final = (
    "The control was pressed, and no file chooser opened. A menu may be open now: read the page, and give "
    "the ref_id of the item or area meant for files."
)
OTHER_PICKER: Final = (
    "The control opens a chooser that belongs to no file field, and no extension can put a file there. "
)
NOT_HAD: Final = "The control asked for a file, but its field could not be had. "


async def take_field(ctx: ToolContext, opener: str, name: str) -> None:
    """Press the control ``opener`` and have the page script take the field that asks for a file then.

    ``name`` is the file's, for sentences. Raise ``ToolFailed`` if there is no such field; what a press did to
    the page is in its ``data``.
    """
    ask_user = ASK_USER.format(name=name)
    where = {"ref_id": opener}
    if not ctx.host.capabilities.cdp or ctx.frame_of(where):
        raise ToolFailed(NO_DEBUGGER + ask_user, code="no_file_input")
    if not await attach(ctx.host, ctx.state, ctx.tab_id):
        raise ToolFailed(NO_DEBUGGER + ask_user, code="no_file_input")
    if not await trusted.usable(ctx, where):
        raise ToolFailed(IN_BACKGROUND + ask_user, code="not_in_front")
    asked = {"tool": "click_ax", "args": where}
    probe = await ctx.page("submit_probe", asked, timeout=PAGE_READ_TIMEOUT)
    if probe.get("success") is not True:
        raise ToolFailed(str(probe.get("error") or NOT_PRESSED), code=str(probe.get("code") or "not_pressed"))
    commits = probe.get("commits") is True and not ADDS_FILE.match(str(probe.get("control") or ""))
    if probe.get("submits") is not False or commits:
        raise ToolFailed(MAY_SEND + ask_user, code="may_submit")
    try:
        await _send(ctx, INTERCEPT, {"enabled": True})
        try:
            opened = await _pressed(ctx, where)
            taken = await ctx.page("take_field", where, timeout=PAGE_READ_TIMEOUT)
            if taken.get("success") is not True:
                await _hand_over(ctx, opened, ask_user)
                taken = await ctx.page("take_field", {**where, "moved": True}, timeout=PAGE_READ_TIMEOUT)
        finally:
            await _quietly(ctx, INTERCEPT, {"enabled": False})
    except BridgeError as error:
        raise ToolFailed(NOT_HAD + ask_user, code="no_file_input") from error
    if taken.get("success") is not True:
        raise ToolFailed(NOT_HAD + ask_user, code="no_file_input")


async def _pressed(ctx: ToolContext, where: Mapping[str, str]) -> BrowserEvent:
    """Press the control; return the event of the chooser that did not open."""
    signals = ctx.state.signals
    since = signals.mark
    try:
        answer = await trusted.perform(ctx, "open_chooser", where)
    except trusted.NotPossible:
        raise ToolFailed(NOT_PRESSED, code="not_pressed") from None
    if answer.get("success") is not True:
        code, error = str(answer.get("code") or "not_pressed"), str(answer.get("error") or NO_CHOOSER)
        raise ToolFailed(error, code=code, data=_shown(answer))
    opened = await signals.first(
        lambda event: event.tab_id == ctx.tab_id and event.data.get("method") == OPENED,
        ctx.host.clock.sleep(CHOOSER_WAIT),
        since=since,
    )
    if opened is None:
        raise ToolFailed(NO_CHOOSER, code="no_file_input", data=_shown(answer))
    return opened


async def _hand_over(ctx: ToolContext, opened: BrowserEvent, ask_user: str) -> None:
    """Move the field that asked into the document's head."""
    number = (opened.data.get("params") or {}).get("backendNodeId")
    if not isinstance(number, int):
        raise ToolFailed(OTHER_PICKER + ask_user, code="no_file_input")
    try:
        head = _head(await _send(ctx, "DOM.getDocument", {"depth": DOCUMENT_DEPTH}))
        found = await _send(ctx, "DOM.pushNodesByBackendIdsToFrontend", {"backendNodeIds": [number]})
        nodes = found.get("nodeIds")
        if head is None or not isinstance(nodes, list) or not nodes:
            raise ToolFailed(NOT_HAD + ask_user, code="no_file_input")
        await _send(ctx, "DOM.moveTo", {"nodeId": nodes[0], "targetNodeId": head})
    finally:
        # Otherwise every change of the document would be reported from now on.
        await _quietly(ctx, "DOM.disable", {})


def _head(document: Mapping[str, Any]) -> int | None:
    """The debugger's number for the document's head."""
    root = document.get("root")
    for html in _elements(root):
        for part in _elements(html):
            if part.get("localName") == "head" and isinstance(part.get("nodeId"), int):
                return int(part["nodeId"])
    return None


def _elements(node: object) -> list[Mapping[str, Any]]:
    children = node.get("children") if isinstance(node, Mapping) else None
    found = children if isinstance(children, list) else []
    return [child for child in found if isinstance(child, Mapping) and child.get("nodeType") == ELEMENT]


def _shown(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"changed": answer["changed"]} if "changed" in answer else {}


async def _send(ctx: ToolContext, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return await ctx.host.debugger.send(ctx.tab_id, method, params)


async def _quietly(ctx: ToolContext, method: str, params: Mapping[str, Any]) -> None:
    try:
        await _send(ctx, method, params)
    except BridgeError:
        return  # a debugger that is gone holds nothing back
