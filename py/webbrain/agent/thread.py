"""The evidence that a whole conversation was read, where a task needs that.

An answer about all of a thread that rests on its last messages is wrong without looking so. What counts is
what our own content script says beside the tree (which element holds the conversation, whether all of it is
unfolded, which reading a page belongs to), never what a page's text says of itself. Needed is the tree
anchored at that element, from its first page to its last without a gap, all of one reading, with everything
unfolded, and none of it cut on the way to the model.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from webbrain.core.results import ToolResult
from webbrain.core.types import Mode
from webbrain.policy.results import CUT_NOTE
from webbrain.policy.untrusted import TAG
from webbrain.tools.base import ToolContext

DEPTH: Final = 15
UNFOLDED: Final = frozenset({"expanded", "not_applicable"})
_REF: Final = re.compile(r"ref_\d{1,12}")

ASK_FOLDED: Final = (
    "Part of this conversation is folded, and Ask mode cannot unfold it. Say so in the answer: it covers "
    "only what is shown; the user can unfold the rest, or switch to Act."
)
UNFOLD: Final = (
    'This task needs the whole conversation, and part of it is folded: press "Expand all" (or unfold each '
    "message), then read again from page 1."
)
ANCHOR: Final = (
    'This task needs the whole conversation: read the tree with ref_id {root}, filter "all", from page 1, '
    "and go on with the exact continuationArgs until hasMore is false. Other parts of the page do not count."
)
CUT: Final = (
    "This page was cut on its way to you, so the conversation is not read whole: begin again at page 1 with "
    "a smaller maxChars."
)
MISSING: Final = (
    "Not accepted: the task needs the whole conversation, and it was not read from beginning to end. {what} "
    "If that cannot be done, end with outcome partial and say what the answer does not cover."
)
NO_ROOT: Final = (
    "Read the tree of the page that shows it; where it has conversationRootRefId, read that whole."
)


class ThreadReading:
    """How much of the conversation was read in one task."""

    def __init__(self) -> None:
        self.complete = False
        self._root = ""
        self._expansion = ""
        self._place: tuple[Any, ...] = ()
        self._revision = ""
        self._page = 0
        self._end = -1

    def noted(self, ctx: ToolContext, args: Mapping[str, Any], result: ToolResult) -> None:
        """Put on a tree's result what the model must know about the conversation in it."""
        root = result.data.get("conversationRootRefId")
        if not result.success or not isinstance(root, str) or not _REF.fullmatch(root):
            return
        self._root, self._expansion = root, str(result.data.get("conversationExpansionState") or "")
        if ctx.mode is Mode.ASK:
            if self._expansion == "collapsed":
                result.notes.append(ASK_FOLDED)
        elif ctx.state.read_scope == "complete_thread" and not self.complete:
            if self._expansion not in UNFOLDED:
                result.notes.append(UNFOLD)
            elif _asked(args).get("ref_id") != root:
                result.notes.append(ANCHOR.format(root=root))

    def shown(self, ctx: ToolContext, args: Mapping[str, Any], result: ToolResult, text: str) -> str:
        """Take note of a page of a tree as the model got it; return what it must be told, if anything."""
        data, asked = result.data, _asked(args)
        root, revision = data.get("conversationRootRefId"), data.get("treeRevision")
        if not result.success or not isinstance(root, str) or not isinstance(revision, str):
            return ""
        if asked.get("ref_id") != root or asked.get("filter", "all") != "all":
            return ""
        if int(asked.get("maxDepth") or DEPTH) < DEPTH:
            return ""
        page = int(asked.get("page") or 1)
        place = (ctx.tab_id, ctx.state.documents[ctx.tab_id, 0], data.get("url"), root)
        first = page == 1 and int(data.get("chunkStart") or 0) == 0
        follows = (place, revision, page, data.get("chunkStart")) == (
            self._place,
            self._revision,
            self._page + 1,
            self._end + 1,
        )
        if CUT_NOTE in text.rpartition(f"</{TAG}")[2]:
            self._page, self._revision = 0, ""
            return CUT if ctx.state.read_scope == "complete_thread" else ""
        if not first and not follows:
            return ""
        self._place, self._revision, self._page = place, revision, page
        self._end = int(data.get("chunkEnd") or 0)
        # The last page says in its notice if levels or whole parts were left out.
        whole = not data.get("hasMore") and not data.get("autoDegraded") and not data.get("notice")
        self.complete = self.complete or (whole and data.get("conversationExpansionState") in UNFOLDED)
        return ""

    def problem(self) -> str:
        """What keeps the reading from being complete, for the model; empty if nothing does."""
        if self.complete:
            return ""
        if not self._root:
            return MISSING.format(what=NO_ROOT)
        if self._expansion not in UNFOLDED:
            return MISSING.format(what=UNFOLD)
        return MISSING.format(what=ANCHOR.format(root=self._root))


def _asked(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tree call, those for its next page over the others, as the tool takes them."""
    further = args.get("continuationArgs")
    return {**args, **(further if isinstance(further, Mapping) else {})}
