"""Setting a form field in one go."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import guard_result
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_TEXT_CHARS: Final = 20_000


class Args(ToolArgs):
    """Set a form field: focus, clear, type, check, and submit if asked. First choice for forms, search
    boxes and comboboxes. Dates as YYYY-MM-DD, times as HH:MM. submit=true presses Enter in the field or
    takes a combobox's first suggestion; the user may be asked before a form is sent. verified=false: read
    the field again before you go on. recoveryRequired "fresh_tree": read the tree, then repeat with the new
    ref."""

    ref_id: str = Field(description="e.g. ref_12")
    text: str = Field(max_length=MOST_TEXT_CHARS, description="The whole new value")
    clear: bool = Field(True, description="Replace what is there")
    submit: bool = Field(False, description="Submit afterwards")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Set the field, and pass on what it held afterwards."""
    summary = "field set and submitted" if args.submit else "field set"
    return guard_result(await act(ctx, "set_field", args.model_dump(), summary=summary, submits=args.submit))


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
