"""Typing where the focus is, or into what a selector finds."""

from typing import Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import guard_result
from webbrain.tools.acting import ACTING_TIMEOUT, act
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_TEXT_CHARS: Final = 20_000
MOST_SELECTOR_CHARS: Final = 500


class Args(ToolArgs):
    """Type into the focused field or what a CSS selector finds, such as an editor. If the field has a ref
    use set_field."""

    text: str = Field(max_length=MOST_TEXT_CHARS)
    selector: str | None = Field(None, min_length=1, max_length=MOST_SELECTOR_CHARS)
    clear: bool = False


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Type, and pass on what the element holds afterwards."""
    return guard_result(await act(ctx, "type_text", args.model_dump(), summary="typed"))


SPEC = spec(
    "type_text",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.TYPE,
    untrusted=True,
    effect=True,
    label="Type into {selector}",
    timeout=ACTING_TIMEOUT,
    example='{"text": "hello"}',
)
