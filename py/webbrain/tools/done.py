"""Ending the run."""

from typing import Final, Literal

from pydantic import Field

from webbrain.core.errors import ModelMayRetry
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec

MOST_SUMMARY_CHARS: Final = 8_000
Outcome = Literal["success", "partial", "failed"]


class Args(ToolArgs):
    """End the task with the answer for the user. Call it alone, when all is done and seen to be done, or
    when you cannot go on. The summary is all the user reads: the result itself, plainly what is missing or
    unverified, and nothing you did not see."""

    summary: str = Field(min_length=1, max_length=MOST_SUMMARY_CHARS, description="The answer, in Markdown")
    outcome: Outcome | None = Field(None, description="partial: some of it; failed: none of it")


class ActArgs(Args):
    outcome: Outcome = Field(
        description="success only if you saw it; partial: some of it; failed: none of it"
    )


ActArgs.__doc__ = Args.__doc__


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """End the run; where the agent may act it must say how it went."""
    if args.outcome is None and ctx.mode is not Mode.ASK:
        raise ModelMayRetry("done needs an outcome: success, partial or failed.")
    data: dict[str, str | bool] = {"done": True}
    if args.outcome:
        data["outcome"] = args.outcome
    summary = f"done, {args.outcome}" if args.outcome else "done"
    return ToolResult(True, data, final=args.summary, outcome=args.outcome, summary=summary)


SPEC = spec(
    "done",
    args=Args,
    act_args=ActArgs,
    run=run,
    modes=(Mode.ASK, Mode.ACT),
    tiers=Tier,
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="Finish",
    terminal=True,
    example='{"summary": "The form was sent; the page confirmed it.", "outcome": "success"}',
)
