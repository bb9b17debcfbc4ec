"""Keeping the list of a task's items."""

from typing import Any, Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.notebook import Status

ITEMS: Final = 100
"""Rows of one call."""
NO_LIST: Final = "There is no progress list here."


class Item(ToolArgs):
    """A row. Known by ``id``, else by ``label``."""

    id: str = ""
    label: str = ""
    url: str = Field("", json_schema_extra={UNTOLD: True})
    action: str = Field("", json_schema_extra={UNTOLD: True})
    status: Status | None = None
    fields: list[str] = Field(default_factory=list)
    reason: str = ""


class Args(ToolArgs):
    """Keep the list of a task with many items, so that none is lost or done twice: all as pending first, then
    each as it goes. acted: not yet seen to have worked; processed: seen. While rows are open, done cannot be
    a success."""

    items: list[Item] = Field(min_length=1, max_length=ITEMS)
    sessionId: str = Field("", json_schema_extra={UNTOLD: True})
    reopen: bool = Field(False, description="Change settled rows")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Change the list; say what is still open."""
    if ctx.notebook is None:
        return ToolResult.error(NO_LIST, code="no_notebook")
    items = [item.model_dump(exclude_none=True, exclude_defaults=True) for item in args.items]
    done = ctx.notebook.update(items, session=args.sessionId, reopen=args.reopen)
    told: dict[str, Any] = {"sessionId": done.session, "updated": done.updated, "counts": done.counts}
    if done.unresolved:
        told["unresolved"] = done.unresolved
    if done.warnings:
        told["warnings"] = done.warnings
    return ToolResult(True, told, summary=f"{done.updated} rows, {done.counts.get('total', 0)} in all")


SPEC = spec(
    "progress_update",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Update the progress list",
    own_notes=True,
    example='{"items": [{"id": "ada", "label": "Ada Lovelace", "status": "processed"}]}',
)
