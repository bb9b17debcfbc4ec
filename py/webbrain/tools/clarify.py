"""Asking the user a question in the middle of a task."""

from typing import Annotated, Final

from pydantic import Field

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec

QUESTION_CHARS: Final = 600
OPTION_CHARS: Final = 200
OPTIONS_MIN: Final = 2
OPTIONS_MAX: Final = 4
REASON_CHARS: Final = 300
PATIENCE: Final = 7 * 24 * 3600.0
"""Seconds. How long the card really waits is the user's setting; a week stands for "until answered"."""

NO_CONSENT: Final = (
    "The user did not answer; the first option was taken for them. That is no consent: what has consequences "
    "stays blocked until they answer a question."
)
NOBODY: Final = (
    "There is nobody to ask. Decide what can be decided safely, or finish and say what is missing."
)


class Args(ToolArgs):
    """Ask the user one question and wait. Only if you cannot go on rightly without it: two readings lead to
    different actions, or only they know something. Not for permission (asked for by itself), never for
    passwords or codes. Unless `source` is user nobody answered.
    """

    question: str = Field(min_length=1, max_length=QUESTION_CHARS)
    options: list[Annotated[str, Field(min_length=1, max_length=OPTION_CHARS)]] = Field(
        default_factory=list, max_length=OPTIONS_MAX, description="2 to 4 answers, the safest first"
    )
    reason: str = Field("", max_length=REASON_CHARS, description="Why it matters")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Show the card; what comes back is the user's own words, or a guess that is marked as one."""
    options = list(dict.fromkeys(option.strip() for option in args.options if option.strip()))
    if len(options) == 1:
        return ToolResult.error(f"Give no options, or {OPTIONS_MIN} to {OPTIONS_MAX}.", code="bad_options")
    if ctx.person is None:
        return ToolResult.error(NOBODY, code="nobody_there")
    answer = await ctx.person.choose(args.question, options, args.reason)
    result = ToolResult.ok(f"answered: {answer.source}", answer=answer.text, source=answer.source)
    if answer.source != "user":
        result.data["note"] = NO_CONSENT
    return result


SPEC = spec(
    "clarify",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=False,
    effect=False,
    label="Ask: {question}",
    timeout=PATIENCE,
    asks=True,
    example='{"question": "Which of the two invoices?", "options": ["March", "April"]}',
)
