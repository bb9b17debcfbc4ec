"""Answering a JavaScript dialog."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.dialogs import answer, next_dialog
from webbrain.tools.following import LOAD_WAIT, START_GRACE_LIKELY, follow

TEXT_CHARS: Final = 10_000
NEXT_WAIT: Final = 0.2
"""Seconds in which the page's script, which goes on now, may open another dialog."""


class Args(ToolArgs):
    """Answer the JavaScript dialog (alert, confirm, prompt, beforeunload) that a result showed as open.
    accept=true is OK or Leave, false is Cancel or Stay; text is for a prompt."""

    accept: bool
    text: str | None = Field(None, max_length=TEXT_CHARS)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Answer it, and report what the page's script, which goes on with the answer, leads to."""
    dialog = ctx.state.dialog
    if dialog is None:
        return ToolResult.error("No dialog is open.", code="no_dialog")
    if args.text is not None and dialog.type != "prompt":
        return ToolResult.error(
            f"This is a dialog of the kind {dialog.type}; only a prompt takes text.", code="no_text_here"
        )
    since = ctx.state.signals.mark
    before = await ctx.host.browser.get_tab(ctx.tab_id)
    text = args.text if args.accept else None
    if text is None and args.accept and dialog.type == "prompt":
        text = dialog.default_text
    if not await answer(ctx.host, ctx.state, dialog, accept=args.accept, text=text):
        return ToolResult.error("The dialog was closed before it could be answered.", code="no_dialog")
    said = "accepted" if args.accept else "dismissed"
    result = ToolResult.ok(f"{dialog.type} {said}", answered=dialog.type, accepted=args.accept)
    await next_dialog(ctx.host, ctx.state, since, NEXT_WAIT)
    leaves = dialog.type == "beforeunload" and args.accept
    await follow(ctx, before, result, START_GRACE_LIKELY if leaves else 0.0, since)
    if "dialog" not in result.data:
        result.notes.append(
            "The dialog is closed and the page goes on. Look at the page for what came of it."
        )
    return result


SPEC = spec(
    "answer_dialog",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.CLICK,
    untrusted=True,
    effect=True,
    label="Answer the page's dialog",
    requires=("cdp",),
    timeout=LOAD_WAIT + 20.0,
    example='{"accept": true}',
    keeps_dialog=True,
)
