"""Setting a form field in one go."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import guard_result
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.frames import editing

MOST_TEXT_CHARS: Final = 20_000


class Args(ToolArgs):
    """Set a form field: focus, clear, type, check, submit if asked. For text, search, comboboxes (picks the
    suggestion that equals text), dates (YYYY-MM-DD), times (HH:MM), checkboxes ("true" or "false").
    "not_verified": it holds something else, see actual and suggestions. recoveryRequired "fresh_tree": read
    the tree first."""

    ref_id: str
    text: str = Field(max_length=MOST_TEXT_CHARS, description="The whole new value")
    clear: bool = True
    submit: bool = Field(False)


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Set the field, and pass on what it held afterwards."""
    summary = "field set and submitted" if args.submit else "field set"
    asked = args.model_dump()
    async with editing(ctx, asked) as ended:
        return guard_result(ended(await act(ctx, "set_field", asked, summary=summary, submits=args.submit)))


SPEC = spec(
    "set_field",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.TYPE,
    untrusted=True,
    effect=True,
    label="Fill in {ref_id}",
    acts_on="type",
    timeout=ACTING_TIMEOUT,
    example='{"ref_id": "ref_7", "text": "Ada Lovelace"}',
)
