"""What the tools that show how a page is built have in common: for the largest models, and for developers."""

from collections.abc import Awaitable, Callable
from typing import Any

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import Shows, ToolArgs, ToolContext, ToolSpec, spec


def structure_spec(
    name: str,
    *,
    args: type[ToolArgs],
    run: Callable[[ToolContext, Any], Awaitable[ToolResult]],
    label: str,
    example: str,
    shows: Shows = "",
) -> ToolSpec:
    """A specification for a way round where the tree is not enough: Full in Act, and Mid too in Dev."""
    return spec(
        name,
        args=args,
        run=run,
        modes=(Mode.ACT,),
        tiers=(Tier.FULL,),
        dev_tiers=(Tier.MID,),
        capability=Capability.NONE,
        untrusted=True,
        effect=False,
        shows=shows,
        label=label,
        timeout=PAGE_READ_TIMEOUT + 10,
        example=example,
    )
