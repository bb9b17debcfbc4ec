"""What a claim of success has to stand on: somebody must have looked after the last thing that counted.

A consequential action leaves a debt, which only a look at the page on a later turn pays: what was read in
the same answer was asked for before anybody could know what came of the action. When the run ends, the page
is looked at once more; an open dialog, or a form that still holds what was entered, contradicts "sent". The
loop never argues for ever: after two refusals the claim is passed on as a part, and the person is told.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.limits import PAGE_TITLE_CHARS, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode
from webbrain.policy.consequential import FRESH_CAPABILITIES
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.state import DialogOpen

REFUSALS: Final = 2
"""Claims of one run that are refused because of what was or was not looked at."""
PROBE_TIMEOUT: Final = 3.0
TITLES: Final = 3
TEXT_CHARS: Final = 160
FRAME_ARGUMENTS: Final = frozenset({"frameId", "urlFilter"})
"""Arguments with which a call means a frame."""
UNSEEN: Final = FRESH_CAPABILITIES - {Capability.DOWNLOAD}
"""What shows nowhere but on a page; a download's own result says whether the file is there."""
COUNTS: Final = ("openDialogCount", "visibleFormCount")

LOOK_FIRST: Final = (
    "Not accepted yet: look at the page after the last action, on a turn of its own, and see that it worked. "
    "Then call done."
)
LOOK_LATER: Final = (
    "Not accepted yet: what was read in the same answer as the action was read too early to show what came "
    "of it. Look at the page now, then call done."
)
LOOK_BEFORE: Final = (
    "Not done: it is not known whether an earlier action happened. Read the page first (whatever shows what "
    "came of it), then decide."
)
LOOK_INTO_FRAME: Final = (
    "Not accepted yet: the form was in a frame. Read that frame (iframe_read) and see what it shows now; "
    "then call done."
)
DIALOG_OPEN: Final = "Not accepted yet: a dialog is open on the page. Read it; it may say what is missing."
FORM_FULL: Final = (
    "Not accepted yet: the page still shows the form with what was entered, and nothing says that it was "
    "taken. Read the page; a field may be refused. If it is done all the same, call done again."
)
DOUBT: Final = "The success was claimed without a look at the result."

_CLAIMS: Final = re.compile(
    r"\b(?:creat|sav|submit|sen[dt]|publish|post|add|regist|book|order|updat|plac|complet|paid|sign)\w*"
    r"|\b(?:erstellt|gespeichert|gesendet|abgeschickt|veröffentlicht|hinzugefügt|registriert|gebucht|bestellt"
    r"|aktualisiert|bezahlt|angemeldet)\b"
    r"|\b(?:créé|enregistré|envoyé|publié|ajouté|réservé|commandé|payé)\w*"
    r"|\b(?:cread|guardad|enviad|publicad|añadid|reservad|pedid|pagad)\w*",
    re.IGNORECASE,
)
"""Words that say that something entered was taken."""


@dataclass(slots=True)
class _Debt:
    turn: int
    frame: int


@dataclass(slots=True)
class Completion:
    """The evidence of one run."""

    doubted: bool = False
    """True once a claim of success was passed on as a part."""
    blind: bool = False
    """True from an action of which nobody knows whether it happened until somebody has looked: nothing more
    is done meanwhile, or it might be done twice."""
    _turn: int = 0
    _debt: _Debt | None = None
    _looked_early: bool = False
    _acted: bool = False
    _refused: int = 0
    _last: dict[str, Any] = field(default_factory=dict)

    def turn(self) -> None:
        """An answer of the model begins to be carried out."""
        self._turn += 1
        self._looked_early = False

    def looked(self) -> None:
        """The page was read for the model before it answers, all of it."""
        self._debt, self.blind = None, False

    def took(
        self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any], result: ToolResult, *, unknown: bool
    ) -> None:
        """Take note of a call that was made. ``ctx`` is what the tool ran with."""
        looks = spec.untrusted and not spec.effect and not spec.terminal
        self.blind = self.blind and not (looks and result.success)
        if spec.effect:
            self.blind = self.blind or unknown
            self._acted = self._acted or result.success
            counts = bool(ctx.submit_token) or ctx.allow_api or spec.capability in UNSEEN
            if unknown or (counts and result.success):
                self._debt = _Debt(self._turn, ctx.frame_id or 0)
            return
        if spec.terminal or not spec.untrusted or not result.success or self._debt is None:
            return
        if self._turn == self._debt.turn:
            self._looked_early = True
        elif not self._debt.frame or FRAME_ARGUMENTS & args.keys() or ctx.frame_of(args) == self._debt.frame:
            self._debt = None

    async def judged(self, ctx: ToolContext, result: ToolResult) -> ToolResult:
        """The result that ends the run, with what the page shows; or what stands in for it."""
        if ctx.mode is Mode.ASK:
            return result
        state = await _page_state(ctx) if self._acted else {}
        problem = self._problem(result, state) if result.outcome == "success" else ""
        if problem and self._refused < REFUSALS:
            self._refused += 1
            return ToolResult.error(problem, code="blocked_done", **_told(state))
        if problem:
            self.doubted = True
            result.outcome = "partial"
            result.data |= {"outcome": "partial", "completionWarning": DOUBT}
            result.summary = "done, not verified"
        if state:
            result.data["verification"] = _told(state)
        return result

    def _problem(self, result: ToolResult, state: dict[str, Any]) -> str:
        if self._debt is not None:
            if self._debt.frame:
                return LOOK_INTO_FRAME
            return LOOK_LATER if self._looked_early and self._debt.turn == self._turn else LOOK_FIRST
        if not state or not _CLAIMS.search(result.final or ""):
            return ""
        if state.get("openDialogCount"):
            return DIALOG_OPEN if self._first_time("dialog") else ""
        full = any(
            isinstance(form, dict) and form.get("dirty") and form.get("method") == "post"
            for form in state.get("forms") or []
        )
        if full and not state.get("liveRegionMessages"):
            return FORM_FULL if self._first_time("form") else ""
        return ""

    def _first_time(self, what: str) -> bool:
        """What a page shows may be as it should be: whoever insists after a look is believed."""
        seen = what in self._last
        self._last[what] = True
        return not seen


async def _page_state(ctx: ToolContext) -> dict[str, Any]:
    """What the page shows now; empty if it does not answer."""
    try:
        return await ctx.page("page_state", {}, timeout=PROBE_TIMEOUT)
    except (DialogOpen, BridgeError, WebBrainError):
        return {}


def _told(state: dict[str, Any]) -> dict[str, Any]:
    """The part of a page's state that goes on record; the page wrote all of it."""
    if not state:
        return {}
    told: dict[str, Any] = {
        "pageUrl": str(state.get("url") or "")[:PAGE_URL_CHARS],
        "pageTitle": str(state.get("title") or "")[:PAGE_TITLE_CHARS],
    }
    told |= {key: state[key] for key in COUNTS if isinstance(state.get(key), int)}
    for key, name in (("openDialogs", "dialogTitles"), ("liveRegionMessages", "liveRegionMessages")):
        listed = state.get(key)
        if isinstance(listed, list) and listed:
            texts = [item.get("title") if isinstance(item, dict) else item for item in listed[:TITLES]]
            told[name] = [str(text or "")[:TEXT_CHARS] for text in texts]
    return told
