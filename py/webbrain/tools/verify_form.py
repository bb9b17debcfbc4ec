"""What a form would send now."""

from typing import Any, Final

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.policy.credentials import names_secret
from webbrain.tools import sight
from webbrain.tools.base import PAGE, ToolArgs, ToolContext, spec
from webbrain.tools.frames import MOST_FILTER_CHARS, pick
from webbrain.tools.problems import from_page

MOST_SELECTOR_CHARS: Final = 500


class Args(ToolArgs):
    """Check a filled form before sending it: target, values, what is not valid. selector: the form or
    anything in it."""

    selector: str | None = Field(None, min_length=1, max_length=MOST_SELECTOR_CHARS)
    urlFilter: str | None = Field(None, max_length=MOST_FILTER_CHARS, description="Of a frame")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Read the form back, with a picture if there are eyes for it."""
    frame = (await pick(ctx, args.urlFilter)).id if args.urlFilter else 0
    asked = {} if args.selector is None else {"selector": args.selector}
    answer = await ctx.page("verify_form", asked, timeout=PAGE_READ_TIMEOUT, frame_id=frame)
    result = from_page(answer, f"{answer.get('fieldCount', 0)} fields" if answer.get("found") else "no form")
    if not result.success:
        return result
    fields = result.data.get("fields")
    result.data["fields"] = [_masked(field) for field in fields] if isinstance(fields, list) else []
    if not answer.get("found"):
        return result
    look = await sight.glance(ctx.sight, ctx.tab_id)
    if look:
        sight.remember(ctx.state, look)
        result.data["screenshot"] = look.as_data()
    else:
        result.data["screenshotFailed"] = True
    return result


def _masked(field: Any) -> Any:
    """A field without the value of a credential, whatever the page made of it."""
    if not isinstance(field, dict) or not field.get("value"):
        return field
    named = " ".join(str(field.get(key) or "") for key in ("name", "label", "placeholder"))
    if field.get("type") == "password" or (isinstance(field["value"], str) and names_secret(named)):
        return {**field, "value": "", "masked": True}
    return field


SPEC = spec(
    "verify_form",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    shows=PAGE,
    label="Check the form",
    timeout=PAGE_READ_TIMEOUT + 30,
    example="{}",
)
