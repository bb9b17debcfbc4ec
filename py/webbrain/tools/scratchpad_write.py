"""Writing down what a long task must not forget."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec

TEXT_CHARS: Final = 8_000
NO_NOTES: Final = "There is no scratchpad here."


class Args(ToolArgs):
    """Note what a long task needs later (values found, decisions): older messages get shortened, notes
    stay."""

    text: str = Field(min_length=1, max_length=TEXT_CHARS)
    replace: bool = Field(False, description="Instead of all earlier notes")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Add it to the notes of the conversation."""
    if ctx.notebook is None:
        return ToolResult.error(NO_NOTES, code="no_notebook")
    written = ctx.notebook.write(args.text, replace=args.replace)
    result = ToolResult.ok(f"{written.chars} characters noted", chars=written.chars)
    if written.dropped:
        result.data["droppedChars"] = written.dropped
        result.notes.append(
            "The notes were full; the oldest went. Write them anew, shorter, with replace: true."
        )
    return result


SPEC = spec(
    "scratchpad_write",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=False,
    effect=False,
    label="Make a note",
    own_notes=True,
    example='{"text": "Cheapest so far: Hotel Aster, 84 EUR"}',
)
