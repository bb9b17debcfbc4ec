"""Notices that a run goes in circles: first the model is told, and if that does not help the run ends.

Every detector counts one kind of circle (the same call with the same outcome, presses on one spot, reads of a
page that nothing changed, ...). A nudge is a sentence of ours beside the result; a stop ends the run with a
reason for the person. What a page shows is not looked at here, only names, arguments and outcomes of calls.
"""

import hashlib
import json
import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.tools.base import ToolSpec

REPEAT_WINDOW: Final = 6
REPEATS: Final = 3
CIRCLE_CALLS: Final = 10
"""Calls of the longest circle that is noticed."""
CIRCLE_ROUNDS: Final = 3
NUDGES_BEFORE_STOP: Final = 8
HEALTHY_CALLS: Final = 2
"""Calls in a row that no detector minded, after which nudges are counted anew."""
SPOT_PIXELS: Final = 5
SPOT_WINDOW: Final = 12
SPOT_NUDGE: Final = 5
SPOT_STOP: Final = 8
FAILED_FETCHES: Final = 3
FINAL_REFUSALS: Final = 2
FAILED_EFFECT_NUDGE: Final = 2
FAILED_EFFECT_STOP: Final = 3
EFFECT_SCOPES: Final = 32
"""Failed effects that are remembered at a time, the newest ones."""
UNMOVED_NUDGE: Final = 2
UNMOVED_STOP: Final = 3
REREAD_NUDGE: Final = 3
REREAD_STOP: Final = 6
REREADS_IN_ALL: Final = 12
"""Of re-reads that follow another one with nothing done in between."""
LOOKS_BEFORE_CHECKPOINT: Final = 8
"""Calls in a row that only observe, after which the model is asked whether it has what it needs."""
NOTES_BEFORE_CHECKPOINT: Final = 16
"""Calls in a row that only write down what the model thinks of."""
ONE_LOOK_SECONDS: Final = 1.0
"""A look that is repeated within this time and sees the same is one look that goes on, as when somebody waits
for a page to change."""

TREE: Final = "get_accessibility_tree"
FETCHES: Final = frozenset({"fetch_url", "research_url", "read_pdf", "download_files"})
"""Tools that take the address to fetch."""
FINAL_HERE: Final = frozenset({"restricted_page", "own_page"})
"""Codes of refusals that hold for as long as the tab shows this page."""
FINAL_FOR_HOST: Final = "forbidden_address"
FINAL_FOR_ALL: Final = "requires_api_allow"
WHICH: Final = ("tab_id", "frameId", "urlFilter", "url", "urls")
"""Arguments that say what a call is for."""
PAGING: Final = frozenset({"page", "offset", "tree_revision", "continuationArgs", "fromPage"})
"""Arguments that go on with a reading: such a call is no repetition."""
VOLATILE: Final = frozenset(
    {"treeRevision", "durationMs", "elapsedMs", "capture_id", "captureId", "tabId", "chars", "droppedChars"}
)
"""Fields of results that differ from call to call though nothing else does."""
URL_TAIL_PARTS: Final = 3
SCOPE_CHARS: Final = 300
_REPOSITORY: Final = re.compile(r"^/([^/]+/[^/]+)/(?:raw|blob|contents|tree)/")
_RAW_HOSTS: Final = frozenset({"raw.githubusercontent.com", "api.github.com", "github.com"})

REPEATED: Final = (
    "The same call with the same outcome was made several times. Doing it again will not help: look at the "
    "page as it is now, try another way, or call done and say what is missing."
)
CIRCLE: Final = (
    "The same few calls were made in the same order, with the same outcomes, three times over. Another round "
    "will not help: try another way, or call done and say what is missing."
)
SPOT: Final = (
    "You have pressed the same spot several times. Read the tree and press an element by its ref, or do "
    "something else."
)
FAILED_EFFECT: Final = "The same action has failed twice. Read why, and do it differently or leave it."
UNCHECKED: Final = (
    "The box still has its old state. It may be switched by its label or by another control; look."
)
UNMOVED: Final = (
    "Scrolling does not move anything here: the end is reached, or another container is the one that scrolls."
)
REREAD: Final = (
    "The tree was read again though nothing was done in between. It will not say more: act on it, read a "
    "part by its ref_id, or use find_text."
)
CHECKPOINT: Final = (
    "Several calls in a row have only looked. If you have what the task needs, answer or act now; if not, "
    "say what is missing."
)
JOTTED: Final = "Several calls in a row have only written notes. Go on with the task itself, or end it."
FINAL: Final = "This is refused every time. Leave it: the next try ends the task."

STOPPED: Final[Mapping[str, str]] = {
    "repeat": "It repeated the same step without getting on.",
    "spot": "It pressed the same spot over and over.",
    "fetch": "An address could not be fetched, and it went on trying.",
    "refused": "It went on with something that cannot be done.",
    "failed_effect": "The same action failed three times.",
    "checkbox": "A box could not be switched.",
    "scroll": "It went on scrolling where nothing moves.",
    "reread": "It read the same page again and again without doing anything.",
}
"""By detector, what the person is told when the run is ended."""


WHAT_NEXT: Final = "The task was stopped. Tell it what to do differently, in a new message."


def reason(stop: str) -> str:
    """What the person is told when the detector of that name ends the run."""
    return f"{STOPPED[stop]} {WHAT_NEXT}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the detectors say of a call: ``nudge`` is for the model, ``stop`` names the detector that ends the
    run. Both may be empty."""

    nudge: str = ""
    stop: str = ""


@dataclass(frozen=True, slots=True)
class _Made:
    """A call that was carried out. ``call`` and ``outcome`` are equal for equal ones."""

    spec: ToolSpec
    args: Mapping[str, Any]
    result: ToolResult
    call: str
    outcome: str

    @property
    def whole(self) -> str:
        return f"{self.call} {self.outcome}"


@dataclass(slots=True)
class LoopGuard:
    """The detectors of one run, told about every call that was carried out."""

    _recent: deque[str] = field(default_factory=lambda: deque(maxlen=REPEAT_WINDOW))
    _effects: set[str] = field(default_factory=set)
    """Those of the recent calls that change something."""
    _all: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=CIRCLE_CALLS * CIRCLE_ROUNDS))
    """The newest calls with their outcomes, whatever page they were made on."""
    _spots: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=SPOT_WINDOW))
    _fetches: Counter[str] = field(default_factory=Counter)
    _refused: Counter[str] = field(default_factory=Counter)
    _refused_now: set[str] = field(default_factory=set)
    """What was refused in the answer under way: its calls were made before the model could know."""
    _failed: dict[str, int] = field(default_factory=dict)
    _unchecked: Counter[str] = field(default_factory=Counter)
    _unmoved: int = 0
    _reads: dict[str, str] = field(default_factory=dict)
    _rereads: int = 0
    _rereads_in_all: int = 0
    _looks: int = 0
    _jotted: int = 0
    _paged: dict[str, str] = field(default_factory=dict)
    """By tool, the newest part of a reading that went on."""
    _look: tuple[str, float] = ("", 0.0)
    """The newest call if it was a look, and when it was first made."""
    _nudges: int = 0
    _healthy: int = 0

    def turn(self) -> None:
        """An answer of the model begins to be carried out."""
        self._refused_now.clear()

    def moved(self) -> None:
        """The tab shows another page: what was counted about the old one is forgotten."""
        self._recent.clear()
        self._spots.clear()
        self._failed.clear()
        self._unchecked.clear()
        self._reads.clear()
        self._unmoved = self._rereads = 0

    def after(self, spec: ToolSpec, args: Mapping[str, Any], result: ToolResult, at: float) -> Verdict:
        """Count a call that was carried out ``at`` that time (monotonic seconds); say what to make of it."""
        made = _Made(spec, args, result, _call(spec, args), _outcome(result))
        if self._goes_on(made, at):
            return Verdict()
        nudges: list[str] = []
        for detector in (
            self._repeat,
            self._circle,
            self._spot,
            self._fetch,
            self._final_refusal,
            self._failed_effect,
            self._checkbox,
            self._scroll,
            self._reread,
            self._checkpoint,
        ):
            verdict = detector(made)
            if verdict.stop:
                return verdict
            if verdict.nudge:
                nudges.append(verdict.nudge)
        return self._tally(nudges)

    def _goes_on(self, made: _Made, at: float) -> bool:
        look = "" if made.spec.effect else made.whole
        before, since = self._look
        if look and look == before and at - since < ONE_LOOK_SECONDS:
            return True
        self._look = (look, at)
        return False

    def _tally(self, nudges: list[str]) -> Verdict:
        if not nudges:
            self._healthy += 1
            if self._healthy >= HEALTHY_CALLS:
                self._nudges = 0
            return Verdict()
        self._healthy = 0
        # The checkpoints are questions, and a refusal for good of something new no repetition.
        self._nudges += any(nudge not in (CHECKPOINT, JOTTED, FINAL) for nudge in nudges)
        if self._nudges >= NUDGES_BEFORE_STOP:
            return Verdict(stop="repeat")
        return Verdict(nudge=nudges[0])

    # --- the detectors ---

    def _repeat(self, made: _Made) -> Verdict:
        newest = made.whole
        if made.spec.effect and newest not in self._recent:
            # Something new was done, so what was read before may well be read again.
            self._recent = deque([other for other in self._recent if other in self._effects], REPEAT_WINDOW)
        elif not made.spec.effect:
            # The same look that sees something else is no repetition, not even when the page changes back.
            kept = [other for other in self._recent if other == newest or not other.startswith(made.call)]
            self._recent = deque(kept, REPEAT_WINDOW)
        self._recent.append(newest)
        if made.spec.effect:
            self._effects = {call for call in self._recent if call in self._effects} | {newest}
        recent = list(self._recent)
        if recent.count(newest) >= REPEATS:
            return Verdict(REPEATED)
        last = recent[-4:]
        if len(last) == 4 and last[0] == last[2] != last[1] == last[3]:
            return Verdict(REPEATED)
        return Verdict()

    def _circle(self, made: _Made) -> Verdict:
        """Longer circles, and those that lead over several pages. One call made over and over is none of
        them: it may watch a page, or mean something else on each."""
        self._all.append((made.call, made.outcome))
        newest = list(self._all)
        for calls in range(2, CIRCLE_CALLS + 1):
            rounds = newest[-calls * CIRCLE_ROUNDS :]
            if len(rounds) < calls * CIRCLE_ROUNDS:
                break
            one_round = rounds[:calls]
            if rounds == one_round * CIRCLE_ROUNDS and len({call for call, _ in one_round}) > 1:
                return Verdict(CIRCLE)
        return Verdict()

    def _spot(self, made: _Made) -> Verdict:
        args = made.args
        if made.spec.capability is not Capability.CLICK or "x" not in args or "y" not in args:
            return Verdict()
        spot = (round(float(args["x"]) / SPOT_PIXELS), round(float(args["y"]) / SPOT_PIXELS))
        self._spots.append(spot)
        return _graded(self._spots.count(spot), SPOT_NUDGE, SPOT_STOP, SPOT, "spot")

    def _fetch(self, made: _Made) -> Verdict:
        if made.spec.name not in FETCHES:
            return Verdict()
        status = made.result.data.get("status")
        worked = made.result.success and not (isinstance(status, int) and status >= 400)
        worst = 0
        for family in {family_of(url, made.args) for url in _addresses(made.args)}:
            if worked:
                self._fetches.pop(family, None)
            else:
                self._fetches[family] += 1
                worst = max(worst, self._fetches[family])
        return Verdict(stop="fetch" if worst >= FAILED_FETCHES else "")

    def _final_refusal(self, made: _Made) -> Verdict:
        data = made.result.data
        if made.result.success or data.get("nonRetryable") is not True:
            return Verdict()
        scope = str(data.get("scope") or f"{made.spec.name} {data.get('code')}")
        if scope not in self._refused_now:
            self._refused_now.add(scope)
            self._refused[scope] += 1
        return _graded(self._refused[scope], 1, FINAL_REFUSALS, FINAL, "refused")

    def _failed_effect(self, made: _Made) -> Verdict:
        if not made.spec.effect:
            return Verdict()
        if made.result.success:
            self._failed.pop(made.call, None)
            return Verdict()
        self._failed[made.call] = self._failed.pop(made.call, 0) + 1
        for oldest in list(self._failed)[:-EFFECT_SCOPES]:
            del self._failed[oldest]
        failed = self._failed[made.call]
        return _graded(failed, FAILED_EFFECT_NUDGE, FAILED_EFFECT_STOP, FAILED_EFFECT, "failed_effect")

    def _checkbox(self, made: _Made) -> Verdict:
        if "checked" not in made.args:
            return Verdict()
        target = str(made.args.get("ref_id"))
        if made.result.success:
            self._unchecked.pop(target, None)
            return Verdict()
        self._unchecked[target] += 1
        return _graded(self._unchecked[target], UNMOVED_NUDGE, UNMOVED_STOP, UNCHECKED, "checkbox")

    def _scroll(self, made: _Made) -> Verdict:
        data = made.result.data
        if "moved" not in data or "direction" not in made.args:
            return Verdict()
        self._unmoved = 0 if data["moved"] else self._unmoved + 1
        return _graded(self._unmoved, UNMOVED_NUDGE, UNMOVED_STOP, UNMOVED, "scroll")

    def _reread(self, made: _Made) -> Verdict:
        if made.spec.effect:
            # Something was done, so the page may say something new.
            self._reads.clear()
            self._rereads = 0
            return Verdict()
        if made.spec.name != TREE or not made.result.success:
            return Verdict()
        known = self._reads.get(made.call)
        self._reads[made.call] = made.outcome
        if known != made.outcome:
            # A page that changes by itself may be watched.
            self._rereads = 0
            return Verdict()
        self._rereads += 1
        # One more look between two actions is ordinary, however often that happens in a long task.
        self._rereads_in_all += self._rereads > 1
        if self._rereads_in_all >= REREADS_IN_ALL:
            return Verdict(stop="reread")
        return _graded(self._rereads, REREAD_NUDGE, REREAD_STOP, REREAD, "reread")

    def _checkpoint(self, made: _Made) -> Verdict:
        if made.spec.own_notes:
            self._jotted += 1
            due = self._jotted % NOTES_BEFORE_CHECKPOINT == 0
            return Verdict(JOTTED if due else "")
        self._jotted = 0
        if made.spec.effect or not made.result.success:
            self._looks = 0
            return Verdict()
        if PAGING & made.args.keys() and self._reads_on(made):
            return Verdict()
        self._looks += 1
        if self._looks < LOOKS_BEFORE_CHECKPOINT:
            return Verdict()
        self._looks = 0
        return Verdict(CHECKPOINT)

    def _reads_on(self, made: _Made) -> bool:
        """Whether a reading that goes on brought something new."""
        before = self._paged.get(made.spec.name)
        self._paged[made.spec.name] = made.outcome
        return made.outcome != before


def mark_final(spec: ToolSpec, args: Mapping[str, Any], result: ToolResult, page: str) -> None:
    """Say on a result that is refused for good that it is, and what that holds for (``scope``). ``page``
    names the page that the run's tab shows."""
    code = result.data.get("code")
    if result.success or "nonRetryable" in result.data:
        return
    which = " ".join(str(args[key]) for key in WHICH if args.get(key))
    if code in FINAL_HERE:
        scope = f"{spec.name} {page} {which}"
    elif code == FINAL_FOR_HOST:
        scope = " ".join(sorted({_parts(url).hostname or url for url in _addresses(args)}))
    elif code == FINAL_FOR_ALL:
        scope = ""
    else:
        return
    result.data |= {"nonRetryable": True, "scope": f"{code} {scope}".strip()[:SCOPE_CHARS]}


def _addresses(args: Mapping[str, Any]) -> list[str]:
    """The addresses that a call names."""
    given = [args.get("url"), *(args["urls"] if isinstance(args.get("urls"), list | tuple) else [])]
    return [url for url in given if isinstance(url, str) and url]


def _graded(count: int, nudge: int, stop: int, sentence: str, name: str) -> Verdict:
    if count >= stop:
        return Verdict(stop=name)
    return Verdict(sentence if count >= nudge else "")


def _call(spec: ToolSpec, args: Mapping[str, Any]) -> str:
    return f"{spec.name} {_digest(dict(args))}"


def _outcome(result: ToolResult) -> str:
    """What came of a call, as far as two outcomes can be told apart by what the model reads."""
    told = {key: value for key, value in result.data.items() if key not in VOLATILE}
    return _digest([result.success, told])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _parts(url: str) -> SplitResult:
    """An address in its parts; one that is none has no host."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url, "", "")


def family_of(url: str, args: Mapping[str, Any]) -> str:
    """What counts as the same thing at one server: the ways to one file of a repository, else the host and
    the last three parts of the path; with the method and the part that was asked for."""
    parts = _parts(url)
    host = (parts.hostname or "").removeprefix("www.")
    path = parts.path
    if host in _RAW_HOSTS:
        host, path = "repository", _REPOSITORY.sub(r"/\1/", path.removeprefix("/repos"))
    tail = "/".join([part for part in path.split("/") if part][-URL_TAIL_PARTS:])
    asked = " ".join(str(args.get(key) or "") for key in ("method", "offset", "find"))
    return f"{host} {tail} {asked}"
