"""Reading the list of a task's items."""

from typing import Any, Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.notebook import Status

DEFAULT_ROWS: Final = 50
MOST_ROWS: Final = 200
NO_LIST: Final = "There is no progress list here."


class Args(ToolArgs):
    """Read the progress list of this task, or of all."""

    status: Status | None = None
    limit: int = Field(DEFAULT_ROWS, ge=1, le=MOST_ROWS, json_schema_extra={UNTOLD: True})
    offset: int = Field(0, ge=0)
    sessionId: str = Field("", json_schema_extra={UNTOLD: True})
    allSessions: bool = Field(False, description="Earlier tasks too")
    currentTaskOnly: bool = Field(False, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Return a part of the rows."""
    if ctx.notebook is None:
        return ToolResult.error(NO_LIST, code="no_notebook")
    found = ctx.notebook.read(
        status=args.status,
        session=args.sessionId,
        everything=args.allSessions,
        task_only=args.currentTaskOnly,
        limit=args.limit,
        offset=args.offset,
    )
    told: dict[str, Any] = {
        "sessionId": found.session,
        "counts": found.counts,
        "total": found.total,
        "rows": found.rows,
    }
    if args.offset + len(found.rows) < found.total:
        told["nextOffset"] = args.offset + len(found.rows)
    return ToolResult(True, told, summary=f"{len(found.rows)} of {found.total} rows")


SPEC = spec(
    "progress_read",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Read the progress list",
    own_notes=True,
    example="{}",
)
