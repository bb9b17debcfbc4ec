"""Whether a task was done, by the state of page and server; what the model says of itself does not count."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tests.bench.llm.tasks import Effect, Fact, Task

UNUSABLE = ("malformed_output", "empty_output", "malformed_tool_call")
"""Errors of the panel that mean: what the model wrote could not be used."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found when the run was over."""

    effects: tuple[Effect, ...] = ()
    path: str = ""
    controls: Mapping[str, str] | None = None
    answer: str = ""
    """The last thing the agent said."""
    status: str = "completed"
    """As the panel shows it; empty if the run did not end in time."""
    error: str = ""
    """The code of an error that the panel shows."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` is equal for equal causes, ``detail`` says more; both are empty if the task was done."""

    ok: bool
    reason: str = ""
    detail: str = ""


def judge(task: Task, found: Evidence) -> Verdict:
    """Compare what is with what should be. A task counts if its run ended by itself and all is as wanted."""
    short = _shortcoming(task, found)
    too_much = _too_much(task, found)
    if too_much is not None:
        return too_much
    if not found.status:
        return Verdict(False, "time", short.detail if short else "all was as wanted, but the run went on")
    if found.error in UNUSABLE:
        return Verdict(False, "unusable answer", found.error)
    if found.status != "completed":
        return Verdict(False, f"run {found.status}", found.error)
    return short or Verdict(True)


def says(fact: Fact, answer: str) -> bool:
    """The answer holds the fact, as a word or number of its own, and none of those it could be mixed up
    with.
    """
    return any(_holds(answer, way) for way in fact.ways) and not any(
        _holds(answer, other) for other in fact.others
    )


def _holds(answer: str, text: str) -> bool:
    words = re.escape(" ".join(text.casefold().split()))
    return bool(
        re.search(rf"(?<!\w)(?<!\d[.,:]){words}(?!\w)(?![.,:]\d)", " ".join(answer.casefold().split()))
    )


def _too_much(task: Task, found: Evidence) -> Verdict | None:
    """Something happened that was not asked for."""
    extra = Counter(found.effects) - Counter(task.wanted.effects)
    for effect in extra:
        if effect in task.wanted.effects:
            return Verdict(False, "did it twice", effect.name)
        if effect.kind == "pressed":
            return Verdict(False, "wrong click", f"pressed {effect.name}")
        wanted = next((w for w in task.wanted.effects if w.name == effect.name), None)
        if wanted is None:
            return Verdict(False, "wrong click", f"sent the form {dict(effect.values)}")
        return Verdict(False, "wrong values", _differences(dict(wanted.values), dict(effect.values)))
    return None


def _shortcoming(task: Task, found: Evidence) -> Verdict | None:
    """Something that was asked for is not so."""
    wanted = task.wanted
    missing = Counter(wanted.effects) - Counter(found.effects)
    for effect in missing:
        done = "was not pressed" if effect.kind == "pressed" else "did not come"
        return Verdict(False, "gave up", f"{effect.name} {done}; it said: {found.answer[-120:]}")
    if wanted.path and found.path != wanted.path:
        return Verdict(False, "wrong page", f"at {found.path}, not {wanted.path}")
    if wanted.controls is not None and found.controls != wanted.controls:
        return Verdict(False, "wrong state", _differences(wanted.controls, found.controls or {}))
    if wanted.fact is not None and not says(wanted.fact, found.answer):
        return Verdict(
            False, "wrong answer", f"{wanted.fact.ways[0]} is right; it said: {found.answer[-120:]}"
        )
    return None


def _differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    keys = [key for key in {**wanted, **found} if wanted.get(key, "") != found.get(key, "")]
    return ", ".join(f"{key} is {found.get(key, '')!r}, not {wanted.get(key, '')!r}" for key in keys)
