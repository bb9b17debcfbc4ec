"""Typing into an element, and choosing in a native select."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import guard_result
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_TEXT_CHARS: Final = 20_000


class Args(ToolArgs):
    """Type at the end of a text field or editor, or choose an option of a native select by its text (one
    more, if it takes several). To replace what a field holds use set_field. Not for checkboxes, radios,
    files or sliders. "not_verified": the field holds something else than you typed; actual shows what."""

    ref_id: str = Field(description="e.g. ref_12")
    text: str = Field(max_length=MOST_TEXT_CHARS, description="Text to type, or the option to choose")
    clear: bool = Field(False, description="Empty the field first")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Type, and pass on what the field held afterwards."""
    return guard_result(await act(ctx, "type_ax", args.model_dump(), summary="typed"))


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
