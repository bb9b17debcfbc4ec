"""Which frame a reference belongs to.

All documents of a run share one row of numbers: before a frame is asked it is told the highest number the run
has met (``refs_after``) and gives its own from there, so what it gave is a range that is nobody else's. The
ranges come from the page script's own counter, never from text of the page.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webbrain.tools.state import RunState

KEPT: Final = 500
"""Ranges remembered per run; older ones are forgotten, their references then mean nothing."""
ARGUMENTS: Final = ("ref_id", "fromRefId")
"""Arguments that say in which document an action happens."""
_MEMORY: Final = "frame_refs"
_REF: Final = re.compile(r"ref_([1-9]\d{0,8})")


@dataclass(slots=True)
class _Range:
    tab_id: int
    frame_id: int
    after: int
    last: int


def learn(state: RunState, tab_id: int, frame_id: int, after: int, last: int) -> None:
    """The frame has given the numbers above ``after`` up to ``last``."""
    ranges: list[_Range] = state.memory.setdefault(_MEMORY, [])
    if ranges and (ranges[-1].tab_id, ranges[-1].frame_id, ranges[-1].last) == (tab_id, frame_id, after):
        ranges[-1].last = last
        return
    ranges.append(_Range(tab_id, frame_id, after, last))
    del ranges[:-KEPT]


def frame_of(state: RunState, tab_id: int, args: Mapping[str, Any]) -> int:
    """The frame whose document gave the reference in ``args``; 0, the page itself, for all others."""
    given = next((args[name] for name in ARGUMENTS if isinstance(args.get(name), str)), "")
    return frame_of_ref(state, tab_id, given)


def frame_of_ref(state: RunState, tab_id: int, ref: str) -> int:
    """The frame of one reference."""
    match = _REF.fullmatch(ref.strip())
    number = int(match[1]) if match else 0
    for known in reversed(state.memory.get(_MEMORY, [])):
        if known.tab_id == tab_id and known.after < number <= known.last:
            return int(known.frame_id)
    return 0
