"""What the browser has downloaded."""

from typing import Any, Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.reach import Download
from webbrain.tools.base import DOWNLOADS, ToolArgs, ToolContext, spec
from webbrain.tools.saving import base_name

DEFAULT_ROWS: Final = 10
MOST_ROWS: Final = 50
URL_CHARS: Final = 200
LIST_TIMEOUT: Final = 40.0


class Args(ToolArgs):
    """List the browser's downloads, newest first, with ids for read_downloaded_file and upload_file."""

    limit: int = Field(DEFAULT_ROWS, ge=1, le=MOST_ROWS)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the browser."""
    await ctx.host.browser.get_tab(ctx.tab_id)
    rows = await ctx.host.downloads.search(limit=args.limit)
    return ToolResult.ok(f"{len(rows)} downloads", downloads=[_row(row) for row in rows])


def _row(row: Download) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": row.id,
        "filename": base_name(row.filename),
        "state": row.state,
        "bytes": row.bytes_received,
        "mime": row.mime,
        "url": row.url[:URL_CHARS],
        "started": row.started,
        "ended": row.ended,
    }
    if row.state == "in_progress" and row.total_bytes >= 0:
        told["totalBytes"] = row.total_bytes
    if row.error:
        told["error"] = row.error[:80]
    if not row.exists:
        told["deleted"] = True
    return {key: value for key, value in told.items() if value != ""}


SPEC = spec(
    "list_downloads",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=DOWNLOADS,
    label="Look at the downloads",
    timeout=LIST_TIMEOUT,
    example="{}",
)
