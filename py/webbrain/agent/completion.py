"""What a claim of success has to stand on: somebody must have looked after the last thing that counted.

A consequential action leaves a debt, which only a look at the place where it shows pays, on a later turn
(``agent.evidence``): what was read in the same answer was asked for before anybody could know what came of
the action. Besides that a claim must agree with the run's own records: no open row in its progress list, a
file that is there, a conversation that was read whole. When the run ends, the page is looked at once more;
an open dialog, or a form that still holds what was entered, contradicts "sent". The loop never argues for
ever: after two refusals of a kind the claim is passed on as a part, and the person is told.

All of it belongs to the task: a Continue goes on with the same evidence.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from webbrain.agent.evidence import Owed, changes, last_actions, left_unknown, place_of, seen_by, shows
from webbrain.agent.journal import Journal
from webbrain.agent.pins import RECORDED, Pins
from webbrain.agent.planner_guard import ACT_NOW, CALL_DONE, STILL_TO_DO, ExecutionGuard, speaks_of_the_future
from webbrain.agent.saved_files import SavedFiles
from webbrain.agent.thread import ThreadReading
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.events import Undone
from webbrain.core.limits import PAGE_TITLE_CHARS, PAGE_URL_CHARS
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode
from webbrain.policy.consequential import FRESH_CAPABILITIES
from webbrain.tools.base import DOWNLOADS, PAGE, ToolContext, ToolSpec
from webbrain.tools.sight import glance
from webbrain.tools.state import DialogOpen

REFUSALS: Final = 2
"""Times that a claim is refused for one and the same reason; then it is passed on as a part."""
ALL_REFUSALS: Final = 5
"""Refusals of one run, whatever their reasons."""
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
LOOK_AGAIN: Final = (
    "Not done: you were interrupted before you saw what your last action did. Read the page first (whatever "
    "shows what came of it), then decide."
)
LOOK_AT_DOWNLOADS: Final = (
    "it is not known whether an earlier download began. Look at list_downloads, then decide."
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
STILL_AT_ENTRY: Final = (
    "Not accepted yet: by its address the page is still the one for entering or changing this, and nothing "
    "on it says that it was taken. Read it. If it is done all the same, call done again."
)
ROWS_OPEN: Final = (
    "Not accepted: rows of the progress list are open. Do them or look how they went, and set each row to "
    "processed, skipped or failed; or end with outcome partial."
)
ROWS_NOT_DONE: Final = (
    "Not accepted as a success: rows of the progress list were skipped or failed. End with outcome partial "
    "(or failed) and say in the summary which, and why."
)
NO_FILE: Final = (
    "Not accepted: no download of this task is known to be complete. Look at list_downloads; if the file is "
    "not there, end with outcome partial or failed."
)
AS_IT_WAS: Final = "The page as it was when the task ended."
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


_ENTRY_PAGE: Final = re.compile(r"/(?:create|edit|new)/?$|/(?:create|edit)/[^/]+/?$", re.IGNORECASE)
"""The path of a page where something is entered or changed: ``/orders/new``, ``/posts/7/edit``,
``/edit/7``."""

_SAVED: Final = re.compile(
    r"\b(?:downloaded|heruntergeladen|téléchargée?s?|descargad[oa]s?|scaricat[oaie]|baixad[oa]s?)\b",
    re.IGNORECASE,
)
"""Words that say that a file was saved."""


@dataclass(frozen=True, slots=True)
class _Problem:
    """Why a claim of success does not hold. ``rows`` are those of the progress list that it is about."""

    reason: str
    sentence: str
    rows: list[dict[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Completion:
    """The evidence of one task after the other of a conversation."""

    pins: Pins
    doubted: bool = False
    """True once a claim of success was passed on as a part."""
    files: SavedFiles = field(default_factory=SavedFiles)
    thread: ThreadReading = field(default_factory=ThreadReading)
    _task: str = ""
    _turn: int = 0
    _owed: list[Owed] = field(default_factory=list)
    """Oldest first."""
    _looked_early: bool = False
    _acted: bool = False
    _calls: int = 0
    _pictures: int = 0
    """Pictures that were taken when the last effect was had."""
    _text_refused: bool = False
    _refused: Counter[str] = field(default_factory=Counter)
    _last: dict[str, Any] = field(default_factory=dict)

    def begin(self, journal: Journal, now: float) -> None:
        """A run begins: of a new task, or of the one that is continued."""
        self.pins.begin()
        self.doubted = self._text_refused = False
        self._refused.clear()
        self._last.clear()
        task = self.pins.ledger.task
        if task != self._task:
            fresh, self._task = not self._task, task
            self.files, self.thread = SavedFiles(), ThreadReading()
            self._acted, self._calls = False, 0
            # What may have happened in the task before is no part of this one; it may not be repeated either.
            self._owed = [
                replace(owed, counts=False) for owed in self._owed if owed.unknown and not owed.seen
            ]
            if fresh:
                # If another Worker did something in this task, it is owed a look, whatever that one had seen.
                self._recall(reversed(list(last_actions(journal))))
                self._acted = bool(self._owed)
        # That of a call which the end of a run cut off is known from the record only.
        self._recall(left_unknown(journal))
        self.files.begin(now, 0)

    def _recall(self, found: Iterable[Owed]) -> None:
        news = {owed.call_id: owed for owed in found}
        known = {owed.call_id for owed in self._owed if owed.unknown}
        self._owed = [owed for owed in self._owed if owed.call_id in known or owed.call_id not in news]
        self._owed += [owed for owed in news.values() if owed.call_id not in known]

    @property
    def blind(self) -> bool:
        """True from an action of which nobody knows whether it happened, or what a run did just before it was
        interrupted, until somebody has looked: nothing more is done meanwhile, or it might be done twice. No
        end of a run changes that."""
        return bool(self._unlooked())

    def blind_to(self, spec: ToolSpec, args: Mapping[str, Any]) -> str:
        """What is told instead of an action before anybody has looked what came of an earlier one; empty if
        it may be made. A page that cannot be read may be left."""
        if not changes(spec, args) or spec.capability is Capability.NAVIGATE or not self.blind:
            return ""
        waiting = self._unlooked()
        if any(owed.place == DOWNLOADS for owed in waiting):
            return f"Not done: {LOOK_AT_DOWNLOADS}"
        return LOOK_BEFORE if any(owed.unknown for owed in waiting) else LOOK_AGAIN

    def _unlooked(self) -> list[Owed]:
        return [owed for owed in self._owed if (owed.unknown or owed.unseen) and not owed.seen]

    def turn(self) -> None:
        """An answer of the model begins to be carried out."""
        self._turn += 1
        self._looked_early = False

    def looked(self) -> None:
        """The page was read for the model before it answers, all of it. Such a model has no other way to
        look."""
        for owed in self._owed:
            owed.seen = True
        self._owed = [owed for owed in self._owed if not shows(PAGE, owed.place)]

    def took(
        self,
        ctx: ToolContext,
        spec: ToolSpec,
        args: Mapping[str, Any],
        result: ToolResult,
        *,
        effect: bool,
        unknown: bool,
        call_id: str = "",
        label: str = "",
    ) -> None:
        """Take note of a call that was made. ``ctx`` is what the tool ran with; ``effect``: this call was one
        that changes something, whatever the tool does at other times; ``label`` is how a person is told of
        it. What the model should know at once is added to the result's notes.
        """
        for number, name, size in self.files.took(ctx, args, result):
            self.pins.file_saved(number, name, size)
        if effect:
            self._acted = self._acted or result.success
            self._pictures = ctx.sight.taken if ctx.sight else 0
            counts = bool(ctx.submit_token) or ctx.allow_api or spec.capability in UNSEEN
            if unknown or (counts and result.success):
                place, frame = place_of(spec, args), ctx.frame_id or 0
                self._owe(Owed(call_id, place, self._turn, frame=frame, unknown=unknown, label=label))
            if not unknown and result.success and spec.capability is Capability.CLICK:
                self._list(ctx, args, result)
        self._calls += result.success and not spec.own_notes and not spec.asks and not spec.terminal
        if result.success and not effect:
            self.thread.noted(ctx, args, result)
            self._saw(seen_by(spec, args), ctx, args)

    def _owe(self, news: Owed) -> None:
        """One look at a place is enough for everything that shows there; what is unknown stays named."""
        self._owed = [
            owed
            for owed in self._owed
            if owed.unknown or (owed.place, owed.frame) != (news.place, news.frame)
        ]
        self._owed.append(news)

    def _saw(self, seen: str, ctx: ToolContext, args: Mapping[str, Any]) -> None:
        """A place was looked at."""
        for owed in [owed for owed in self._owed if shows(seen, owed.place)]:
            owed.seen = True
            if owed.turn == self._turn:
                self._looked_early = True
            elif not owed.frame or FRAME_ARGUMENTS & args.keys() or ctx.frame_of(args) == owed.frame:
                self._owed.remove(owed)

    def shown(self, ctx: ToolContext, args: Mapping[str, Any], result: ToolResult, text: str) -> str:
        """Take note of a result as the model gets it; return what is to be added to it."""
        return self.thread.shown(ctx, args, result, text)

    def _list(self, ctx: ToolContext, args: Mapping[str, Any], result: ToolResult) -> None:
        """Put a press that is one of many into the progress list."""
        if ctx.notebook is None or result.data.get("changed") == ["nothing"]:
            return
        name = str(result.data.get("name") or result.data.get("text") or args.get("text") or "")
        listed = bool(self.pins.ledger.rows())
        url = str(result.data.get("previousUrl") or result.data.get("beforeUrl") or "")
        if self.pins.pressed(name, str(args.get("ref_id") or ""), url) and not listed:
            result.notes.append(RECORDED)

    def refuse_text(self, text: str, mode: Mode, guard: ExecutionGuard) -> str:
        """What is told to a model that ended in plain text, where no plan says more; empty if that is an
        answer. It is told once; whoever then still speaks of what comes next has not finished.
        """
        if mode is Mode.ASK:
            return ""
        future = not guard.watching and speaks_of_the_future(text)
        if self._text_refused or guard.nudged:
            return ACT_NOW if future and self._calls else ""
        self._text_refused = True
        if guard.read_scope == "complete_thread" and (missing := self.thread.problem()):
            return missing
        if self._acted or self.pins.ledger.unresolved():
            return CALL_DONE
        return ACT_NOW if future else ""

    @property
    def acted(self) -> bool:
        """Whether anything was changed in this task."""
        return self._acted

    def unsettled(self, guard: ExecutionGuard) -> bool:
        """Whether the record leaves open what an answer in plain words claims: a look is owed, rows are open,
        or what was to be read whole was not."""
        unread = guard.read_scope == "complete_thread" and bool(self.thread.problem())
        return bool(self._debts) or bool(self.pins.open_rows()) or unread

    async def judged(self, ctx: ToolContext, result: ToolResult, guard: ExecutionGuard) -> ToolResult:
        """The result that ends the run, with what the page shows; or what stands in for it."""
        if ctx.mode is Mode.ASK:
            return result
        state = await _page_state(ctx) if self._acted else {}
        problem = self._problem(ctx, result, state, guard) if result.outcome == "success" else None
        told = _told(state)
        if told and (shot := await self._picture(ctx)):
            told["screenshot"] = shot
        refused = self._refused.total() < ALL_REFUSALS
        if problem and refused and self._refused[problem.reason] < REFUSALS:
            self._refused[problem.reason] += 1
            more = {"rows": problem.rows} if problem.rows else {}
            seen = {"verification": told} if told else {}
            return ToolResult.refused(
                problem.sentence, code="blocked_done", reason=problem.reason, **more, **seen
            )
        if problem:
            self.doubted = True
            result.outcome = "partial"
            result.data["outcome"] = "partial"
            result.summary = "done, not verified"
            told["completionWarning"] = DOUBT
        if told:
            result.data["verification"] = {**told, "note": AS_IT_WAS}
        return result

    def undone(self) -> list[Undone]:
        """What of the task is not done or not known to be, for the person: rows of the list, and calls that
        nobody has looked after."""
        labels = dict.fromkeys(owed.label for owed in self._debts if owed.unknown)
        unknown = [Undone(label=label, status="unknown") for label in labels]
        return [*self.pins.undone(), *unknown]

    @property
    def _debts(self) -> list[Owed]:
        """What a claim of success in this task must wait for."""
        return [owed for owed in self._owed if owed.counts]

    async def _picture(self, ctx: ToolContext) -> dict[str, Any] | None:
        """A picture of how the page ended up, for a model that sees; none if the last one shows it."""
        sight = ctx.sight
        if sight is None or not sight.shows_end or sight.taken > self._pictures:
            return None
        look = await glance(sight, ctx.tab_id)
        return look.as_data() if look else None

    def _problem(
        self, ctx: ToolContext, result: ToolResult, state: dict[str, Any], guard: ExecutionGuard
    ) -> _Problem | None:
        if debts := self._debts:
            debt = debts[-1]
            if debt.frame:
                return _Problem("iframe_form_verification_required", LOOK_INTO_FRAME)
            if debt.place == DOWNLOADS:
                return _Problem("verification_required", f"Not accepted yet: {LOOK_AT_DOWNLOADS}")
            if self._looked_early and debt.turn == self._turn:
                return _Problem("prior_turn_verification_required", LOOK_LATER)
            return _Problem("verification_required", LOOK_FIRST)
        # Whoever has no tool for the list cannot settle it; the person is told of its rows all the same.
        if ctx.notebook is not None and (rows := self.pins.open_rows()):
            return _Problem("unresolved_rows", ROWS_OPEN, rows)
        if ctx.notebook is not None and (rows := self.pins.given_up()):
            return _Problem("rows_not_done", ROWS_NOT_DONE, rows)
        if ctx.state.read_scope == "complete_thread" and (missing := self.thread.problem()):
            return _Problem("complete_thread_required", missing)
        said = result.final or ""
        told_of_file = self._acted and bool(_SAVED.search(said))
        # A word alone may mean something else, so whoever insists is believed.
        if not self.files.proven and (guard.wants_file or (told_of_file and self._first_time("saved"))):
            return _Problem("download_required", NO_FILE)
        if not guard.watching and speaks_of_the_future(said):
            return _Problem("still_to_do", STILL_TO_DO)
        if not state or not _CLAIMS.search(said):
            return None
        if state.get("openDialogCount"):
            return _Problem("dialog_open", DIALOG_OPEN) if self._first_time("dialog") else None
        if state.get("liveRegionMessages"):
            return None
        if _unsent(state):
            return _Problem("form_open", FORM_FULL) if self._first_time("form") else None
        if _is_entry_page(str(state.get("url") or "")):
            return _Problem("entry_page", STILL_AT_ENTRY) if self._first_time("form") else None
        return None

    def _first_time(self, what: str) -> bool:
        """What a page shows may be as it should be: whoever insists after a look is believed."""
        seen = what in self._last
        self._last[what] = True
        return not seen


def _unsent(state: Mapping[str, Any]) -> bool:
    """Whether the page holds entries that were not taken: in a form, or in fields that stand outside of any,
    as those of pages that send without one. What is for searching stays filled in when it has done its work;
    so does a form of one field that posts nothing, which is mostly for that."""
    forms = state.get("forms")
    full = [form for form in forms if _is_full(form)] if isinstance(forms, list) else []
    return any(form.get("fields") != 1 or form.get("method") == "post" for form in full) or _is_full(
        state.get("loose")
    )


def _is_entry_page(url: str) -> bool:
    """Whether an address, or the one that a page keeps behind the ``#``, is one for entering something."""
    address, _, fragment = url.partition("#")
    return any(_ENTRY_PAGE.search(part.partition("?")[0]) for part in (address, fragment))


def _is_full(place: Any) -> bool:
    return isinstance(place, Mapping) and bool(place.get("dirty")) and place.get("search") is not True


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
    shown: dict[str, Any] = {key: state[key] for key in COUNTS if isinstance(state.get(key), int)}
    for key, name in (("openDialogs", "dialogTitles"), ("liveRegionMessages", "liveRegionMessages")):
        listed = state.get(key)
        if isinstance(listed, list) and listed:
            texts = [item.get("title") if isinstance(item, dict) else item for item in listed[:TITLES]]
            shown[name] = [str(text or "")[:TEXT_CHARS] for text in texts]
    return {
        "pageUrl": str(state.get("url") or "")[:PAGE_URL_CHARS],
        "pageTitle": str(state.get("title") or "")[:PAGE_TITLE_CHARS],
        "pageState": shown,
    }
