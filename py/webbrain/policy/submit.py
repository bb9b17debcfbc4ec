"""In Act no form is sent before a person saw a card that says what goes where.

Before a call that might submit, the page is asked (``submit_probe``, which changes nothing). If it would, the
run waits for the card's answer. The probe's token goes with the action: the page refuses it if the form is no
longer what the card showed. A page that does not answer the probe gets no action either.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.events import Card, CardField
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode
from webbrain.policy.asking import ONCE, PRESS_OPTIONS, SUBMIT_OPTIONS, VALUE_CHARS, Ask, card
from webbrain.policy.credentials import MASK, names_secret
from webbrain.policy.origins import is_local, known_key, plain, quoted
from webbrain.policy.place import changed
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.frames import pick
from webbrain.tools.pointing import click_args
from webbrain.tools.problems import sentence

CARD_FIELDS: Final = 12
FIELD_LABEL_CHARS: Final = 80
HOST_CHARS: Final = 200
CONTROL_CHARS: Final = 80

DENIED: Final = (
    "The user did not allow this form to be sent. Do not try to send it another way; "
    "ask what they want changed, or finish."
)

UNSURE: Final = (
    "The page could not say whether this would send a form, so it was not done. Read the page again."
)


def may_submit(spec: ToolSpec, args: Mapping[str, Any]) -> bool:
    """Whether a call of this kind can send a form at all."""
    match spec.name:
        case "click_ax" | "click" | "iframe_click" | "set_checked" | "drag_drop":
            return True
        case "set_field":
            return bool(args.get("submit"))
        case "press_keys":
            return args.get("key") == "Enter"
    return False


@dataclasses.dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of which frame: an action of the page (docs/protocol.md) and its arguments."""

    action: str
    args: dict[str, Any]
    frame_id: int


async def _asked(ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> _Question:
    """The action that a call comes down to. Raise ``ToolFailed`` or ``ModelMayRetry`` as the tool would."""
    if spec.name == "iframe_click":
        frame = await pick(ctx, args.get("urlFilter"), frame_id=args.get("frameId"))
        inside = {key: args[key] for key in ("selector", "matchIndex") if key in args}
        return _Question("frame_click", inside, frame.id)
    if spec.name == "click":
        return _Question("click", click_args(ctx.state, args), ctx.frame_of(args))
    return _Question(spec.name, dict(args), ctx.frame_of(args))


class SubmitPolicy:
    """Decides which calls of one run need a card. One instance per run, asked about one call at a time."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        """Off only in tests proving that it is this policy which stops a submit."""
        self.token = ""
        """The page's token for the call last asked about; empty if that call sends nothing."""
        self._frame: int | None = None
        """The frame that was asked; the call must not go to another one."""
        self.seen: Mapping[str, Any] = {}
        """What the page said of the call last asked about."""
        self._asked: Mapping[str, Any] | None = None
        """The arguments of the call whose card was shown."""

    async def needs_card(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> Card | None:
        """The card to show before this call, or ``None``.

        Raise ``ToolFailed``, to be shown to the model as the call's result, if the page cannot say.
        """
        if args is self._asked:
            return None
        self.forget()
        if not self._enabled or ctx.mode is Mode.ASK or not may_submit(spec, args):
            return None
        probe = self.seen = await self._probe(ctx, spec, args)
        if not (probe["submits"] or probe.get("commits") is True):
            return None
        self.token = str(probe.get("token") or "")
        tab = await ctx.host.browser.get_tab(ctx.tab_id)
        inside = await self._frame_address(ctx)
        self._asked = args
        return card_for(probe, tab.url, inside)

    def forget(self) -> None:
        """Another call: nothing of the last one counts."""
        self.token, self._asked, self._frame, self.seen = "", None, None, {}

    async def recheck(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> None:
        """After another question about the same call: raise ``ToolFailed`` (``changed_since_asked``) if the
        page now says something else of it than before.
        """
        if not self.seen:
            return
        before = self.seen
        now = await self._probe(ctx, spec, args)
        if any(before.get(key) != now.get(key) for key in ("submits", "commits", "control")):
            raise changed("what would be pressed is not what it was")

    async def _probe(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> dict[str, Any]:
        """What the page says of a call; raise ``ToolFailed`` if it cannot say."""
        try:
            question = await _asked(ctx, spec, args)
            self._frame = question.frame_id
            probe = await ctx.page(
                "submit_probe",
                {"tool": question.action, "args": question.args},
                timeout=PAGE_READ_TIMEOUT,
                frame_id=question.frame_id,
            )
        except BridgeError as error:
            raise ToolFailed(sentence(error), code=error.code) from error
        if probe.get("success") is not True or not isinstance(probe.get("submits"), bool):
            raise ToolFailed(
                str(probe.get("error") or UNSURE),
                code=str(probe.get("code") or "probe_failed"),
                data={key: value for key, value in probe.items() if key not in ("success", "error", "code")},
            )
        return probe

    async def _frame_address(self, ctx: ToolContext) -> str:
        """The address of the frame that was asked; empty for the page itself."""
        if not self._frame:
            return ""
        frames = await ctx.host.browser.frames(ctx.tab_id)
        return next((frame.url for frame in frames if frame.id == self._frame), "")

    def answered(self, answer: str) -> ToolResult | None:
        """Nothing if the person lets the form be sent, else what stands in for the call."""
        return None if allows(answer) else denied()

    def context(self, ctx: ToolContext) -> ToolContext:
        """``ctx`` with the token and the frame of the call last asked about: what the tool must run with."""
        frame = ctx.frame_id if self._frame is None else self._frame
        return dataclasses.replace(ctx, submit_token=self.token, frame_id=frame)


def allows(answer: str) -> bool:
    """Whether a card's answer allows the submit; anything but the plain yes does not."""
    return answer == ONCE


def denied() -> ToolResult:
    """The result of a call whose card was answered with anything but yes."""
    return ToolResult.refused(DENIED, code="denied", denied=True, dispatched=False)


def card_for(probe: Mapping[str, Any], page_url: str, frame_url: str = "") -> Card:
    """A card that shows what would be sent and where to.

    ``frame_url`` is the form's own document, if it is in a frame.
    """
    here = frame_url or page_url
    action = str(probe.get("action") or here)
    host = known_key(action) or plain(str(probe.get("host") or ""), HOST_CHARS) or known_key(here)
    fields = probe.get("fields")
    entries = [entry for entry in fields if isinstance(entry, Mapping)] if isinstance(fields, list) else []
    more = max(len(entries), _count(probe.get("total"))) - CARD_FIELDS
    control = quoted(str(probe.get("control") or ""), CONTROL_CHARS)
    submits = probe.get("submits") is not False
    ask = (Ask.SUBMIT if control else Ask.SUBMIT_UNNAMED) if submits else Ask.PRESS
    params = {"control": control, "page": known_key(page_url), "more": str(more)}
    return card(
        ask,
        host,
        SUBMIT_OPTIONS if submits else PRESS_OPTIONS,
        kind="submit",
        fields=[_field(entry) for entry in entries[:CARD_FIELDS]],
        warnings=_warnings(submits, action, host, params["page"], more),
        params=params,
    )


def _warnings(submits: bool, action: str, host: str, page: str, more: int) -> list[str]:
    known = (
        ("goes_to" if host else "goes_nowhere", submits),
        ("other_site", bool(host and page and host != page)),
        ("plain_text", urlsplit(action).scheme == "http" and not is_local(host)),
        ("more_fields", more > 0),
    )
    return [code for code, holds in known if holds]


def _field(entry: Mapping[str, Any]) -> CardField:
    label = plain(str(entry.get("label") or ""), FIELD_LABEL_CHARS) or "(no label)"
    masked = entry.get("masked") is not False or names_secret(label)
    value = str(entry.get("value") or "")
    if masked:
        return CardField(label=label, value=MASK if value else "", masked=True)
    shown = plain(value, VALUE_CHARS, lines=True)
    if missing := _count(entry.get("more")):
        shown = f"{shown}… (+{missing})"
    return CardField(label=label, value=shown, masked=False)


def _count(value: Any) -> int:
    """A number of the page's side, or none."""
    return value if type(value) is int and value > 0 else 0
