"""Typing into an element, and choosing in a native select."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import guard_result
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.frames import editing

MOST_TEXT_CHARS: Final = 20_000


class Args(ToolArgs):
    """Type at the end of a field or editor, or choose an option of a native select by its text (one more,
    if it takes several). To replace what a field holds use set_field. "not_verified": see actual."""

    ref_id: str
    text: str = Field(max_length=MOST_TEXT_CHARS)
    clear: bool = Field(False, json_schema_extra={UNTOLD: True})


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Type, and pass on what the field held afterwards."""
    asked = args.model_dump()
    async with editing(ctx, asked) as ended:
        return guard_result(ended(await act(ctx, "type_ax", asked, summary="typed")))


SPEC = spec(
    "type_ax",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.TYPE,
    untrusted=True,
    effect=True,
    label="Type into {ref_id}",
    acts_on="type",
    timeout=ACTING_TIMEOUT,
    example='{"ref_id": "ref_7", "text": "Paris"}',
)
