"""The readable text of a page."""

from typing import Any, Final

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import PAGE, UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page

DEFAULT_CHARS: Final = 4_000
FEWEST_CHARS: Final = 500
MOST_CHARS: Final = 6_000


class Continuation(ToolArgs):
    """The object a cut text gave for its next part."""

    includeChrome: bool | None = None
    offset: int | None = None
    limit: int | None = None


class Args(ToolArgs):
    """Read the page's text in reading order, without refs: for articles, threads, results. If hasMore is
    true, the rest comes with the returned continuationArgs. accessState or pageGate tell of a wall
    (sign-in, payment): report it, do not go round it."""

    includeChrome: bool = Field(False, description="Also menus, headers and footers")
    offset: int = Field(0, ge=0)
    limit: int = Field(DEFAULT_CHARS, ge=FEWEST_CHARS, le=MOST_CHARS)
    continuationArgs: Continuation | None = Field(None, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Ask the page for one part of its text."""
    asked = args.model_dump(exclude={"continuationArgs"})
    if args.continuationArgs:
        asked |= args.continuationArgs.model_dump(exclude_none=True)
    asked["limit"] = max(FEWEST_CHARS, min(asked["limit"], MOST_CHARS))
    answer = await ctx.page("read_page", asked, timeout=PAGE_READ_TIMEOUT)
    result = from_page(answer, _summary(answer))
    if "text" in result.data:
        result.data["text"] = result.data.pop("text")
    return result


def _summary(answer: dict[str, Any]) -> str:
    read, total = answer.get("returnedLength"), answer.get("originalLength")
    if isinstance(read, int) and isinstance(total, int):
        return f"{read} of {total} characters"
    return "text read"


SPEC = spec(
    "read_page",
    args=Args,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Read the page's text",
    timeout=PAGE_READ_TIMEOUT + 10,
    example="{}",
)
