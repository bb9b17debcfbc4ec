"""What a card says of a request that a page made and that is to be made again."""

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.events import CardField
from webbrain.policy.asking import detail
from webbrain.policy.credentials import MASK, names_secret
from webbrain.tools.base import ToolContext
from webbrain.tools.fetching import REPLAY_UNKNOWN


async def replayed(ctx: ToolContext, request_id: str) -> list[CardField]:
    """A line for everything the request carries, secrets masked. Raise ``ToolFailed`` if there is none."""
    try:
        found = await ctx.host.requests.describe(ctx.tab_id, request_id)
    except BridgeError as error:
        raise ToolFailed(REPLAY_UNKNOWN, code=error.code, data={"dispatched": False}) from error
    lines = []
    for name, value, masked in found.fields:
        hidden = masked or names_secret(name)
        lines.append(detail(name, MASK if hidden else value, masked=hidden))
    if found.more:
        lines.append(detail("Body", f"+ {found.more}"))
    return lines
