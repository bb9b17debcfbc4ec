"""Keep what is sent to a model within its window.

Old tool results are replaced by a line first. What is still too long is folded into a summary (see
``compaction``); where that is not possible, long messages are cut and the oldest turns left out. The first
message of the user and the one that asks for what is done now stay. The full history stays in the journal
either way.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from webbrain.agent.enrich import NOTE
from webbrain.agent.planner_text import is_plan
from webbrain.core.messages import Message, ToolSchema
from webbrain.policy import untrusted

FILL: Final = 0.75
"""Share of the context window that a request may fill, if the answer has its room besides."""
FILL_AFTER: Final = 0.60
"""Share that is aimed at once something must go, so that the next steps need not shorten again: what is sent
keeps its beginning, and a provider's prefix cache stays of use."""
FILL_NEWEST: Final = 0.95
"""Share that a request and the room of its answer may fill together. Only beyond it the newest results are
cut: what was just asked for is worth more than room for the next step, which leaves it out."""
ANSWER_SHARE: Final = 0.25
"""Share that is kept free for an answer at most. In a small window an answer as long as we would like would
leave no room for what it is about."""
FILL_EMERGENCY: Final = 0.50
"""Share of what was sent that is aimed at after the provider itself said that it is too long, whatever we
believe about its window."""
CHARS_PER_TOKEN: Final = 4.0
IMAGE_CHARS: Final = 6_000
DOCUMENT_PAGE_CHARS: Final = 9_000
"""Of a page of a document: services read its text, 1,500 to 3,000 tokens of it, and look at it besides."""
MESSAGE_OVERHEAD_CHARS: Final = 16
RECENT_MESSAGES: Final = 6
"""Messages at the end whose tool results are never replaced."""
MOST_MESSAGES: Final = 50
"""More messages than that are folded, however short they are."""
MOST_CHARS: Final = 80_000
"""More characters than that behind the task are folded, however large the window: models lose the thread
before."""
EMERGENCY_MESSAGES: Final = 6
"""Messages at the end that are kept after the provider said that the request is too long."""
CUT_RESULT_CHARS: Final = 2_000
"""Of a result, where the newest messages alone are too much."""
CUT_TEXT_CHARS: Final = 5_000
"""Of any other message then; the task itself is never cut."""
LEAST_CHARS: Final = 400
"""Of each of the newest messages, where many large results were asked for at once in a small window."""
SMALL_RESULT_CHARS: Final = 200
"""Tool results up to this length are not worth replacing."""
OLD_PICTURE: Final = f"{NOTE}Left out to save room: what the page looked like at this point.]"
SUMMARY_ROOM_CHARS: Final = 2_000
"""Of a summary that is still to be made, with what introduces it."""


def message_chars(message: Message) -> int:
    """Size of a message, as if it were all text."""
    # Every step asks several times for all messages of a history, of which hardly any has anything attached.
    size = len(message.content) + MESSAGE_OVERHEAD_CHARS
    for call in message.tool_calls:
        size += len(call.name) + len(call.arguments)
    if message.images:
        size += IMAGE_CHARS * sum(bool(image.data_url) for image in message.images)
    if message.documents:
        size += DOCUMENT_PAGE_CHARS * sum(one.pages for one in message.documents if one.data_url)
    return size


def tools_chars(tools: Sequence[ToolSchema]) -> int:
    """Size of the tools that a request offers."""
    return sum(tool.chars for tool in tools)


def _tells_of_a_picture(message: Message) -> bool:
    """Whether a message is one of ours that brings what a page looked like at that time."""
    return message.role == "user" and message.content.startswith(NOTE) and untrusted.TAG in message.content


def _unseen_from(messages: Sequence[Message]) -> int:
    """Where the newest answer stands: of what is behind it, no model has seen anything."""
    last = len(messages) - 1
    return next((index for index in range(last, -1, -1) if messages[index].role == "assistant"), 0)


def answer_room(window: int, wanted: int) -> int:
    """How many tokens an answer may have of the ``wanted`` ones, where the model's window has ``window``."""
    return min(wanted, int(window * ANSWER_SHARE))


class ContextGuard:
    """Decides, for one conversation, what of its history a model still sees."""

    def __init__(self) -> None:
        self._chars_per_token = CHARS_PER_TOKEN
        self._refused: dict[int, float] = {}
        """By what a model's window was taken to be: the shortest request that was too long for it. Asking for
        as much again at every few steps would be refused as often."""
        self._replaced: set[str] = set()
        self._stubs: dict[str | None, Message] = {}
        self._dropped: set[int] = set()
        self._cut: dict[int, Message] = {}
        """Newer messages that were cut, by their place."""
        self.pins: Callable[[], str] = lambda: ""
        """What a model must know that does not see the older messages (``agent.pins``)."""
        self._pinned_text = ""
        """The same, as it was when messages were last left out. What came since is in view; were it renewed
        with every step, no request would begin like the one before it."""
        self._folded = 0
        self._kept: set[int] = set()
        self._plans: list[int] = []
        self._looked_upto = 0
        self._block = ""
        self.summary = ""
        """What stands for the folded messages."""

    def due(self, messages: Sequence[Message], *, window: int, output: int, fixed: int, pinned: int) -> bool:
        """Whether older messages should be folded now. Old results are shortened first if that is enough."""
        budget = self._budget(FILL, window, output, fixed)
        if self.shown(messages) > MOST_MESSAGES:
            return True
        most = self._most(messages, budget, pinned)
        if self._size(messages) <= most:
            return False
        self._shorten(messages, most * FILL_AFTER / FILL, pinned)
        return self._size(messages) > most

    def fits_folded(
        self, messages: Sequence[Message], *, kept: int, window: int, output: int, fixed: int, pinned: int
    ) -> bool:
        """Whether there is room for some steps more once all but the newest ``kept`` messages are folded."""
        upto = self._boundary(messages, kept)
        always = self._fixed(messages, pinned)
        stays = [index for index in self._visible(messages) if index >= upto or index in always]
        size = sum(message_chars(self._shown(messages[index], index)) for index in stays)
        most = self._most(messages, self._budget(FILL, window, output, fixed), pinned) * FILL_AFTER / FILL
        return len(stays) <= MOST_MESSAGES and size + SUMMARY_ROOM_CHARS + len(self.pins()) <= most

    def shown(self, messages: Sequence[Message]) -> int:
        """How many messages a model sees."""
        return len(self._visible(messages))

    def foldable(self, messages: Sequence[Message], *, kept: int, pinned: int) -> list[Message]:
        """The messages that would be folded if only the newest ``kept`` stay as they are."""
        fixed = self._fixed(messages, pinned)
        candidates = [*sorted(self._kept), *range(self._folded, self._boundary(messages, kept))]
        return [messages[index] for index in candidates if index not in fixed]

    def fold(self, messages: Sequence[Message], *, kept: int, pinned: int, summary: str, block: str) -> int:
        """Let ``summary`` stand for what :meth:`foldable` names; ``block`` is how models see it. Return the
        number of messages that are covered.
        """
        upto = self._boundary(messages, kept)
        fixed = self._fixed(messages, pinned)
        self.restore(upto, [index for index in sorted(fixed) if index < upto], summary, block)
        return upto

    def restore(self, upto: int, kept: Sequence[int], summary: str, block: str) -> None:
        """Take up a folding that was made before: of the first ``upto`` messages only those at ``kept``
        stay.
        """
        self._folded, self._kept, self.summary, self._block = upto, set(kept), summary, block
        self._pinned_text = self.pins()

    @property
    def kept(self) -> list[int]:
        """Where the messages stand that were not folded with their neighbours."""
        return sorted(self._kept)

    def learn(self, chars: int, prompt_tokens: int | None) -> None:
        """Correct the estimate by what a provider counted. It is never taken to be more generous than
        usual.
        """
        if prompt_tokens and chars > 0:
            self._chars_per_token = min(CHARS_PER_TOKEN, max(1.0, chars / prompt_tokens))

    def fit(
        self,
        messages: Sequence[Message],
        *,
        window: int,
        output: int,
        fixed: int = 0,
        pinned: int = 0,
        emergency: bool = False,
    ) -> list[Message]:
        """Return what to send: ``messages``, or a shorter version of them.

        ``window`` and ``output`` are tokens, ``fixed`` characters. ``pinned`` is the index of the message
        that asks for what is done now; it stays, as the first message of the user does. Calls and their
        results stay together.
        """
        if not emergency and self._size(messages) <= self._budget(FILL, window, output, fixed):
            return self._view(messages)
        target = self._budget(FILL_AFTER, window, output, fixed)
        if emergency:
            target = min(target, self._size(messages) * FILL_EMERGENCY)
            refused = self._size(messages) + fixed
            self._refused[window] = min(refused, self._refused.get(window, refused))
        self._shorten(messages, target, pinned)
        groups = self._groups(messages, pinned)
        if emergency:
            old = len(messages) - EMERGENCY_MESSAGES
            self._drop(group for group in groups if group.stop <= old)
            groups = [group for group in groups if group.stop > old]
        newest = groups[-1].stop if groups else 0
        self._cut_long(messages, pinned, range(newest), target)
        for group in groups:
            if self._size(messages) <= target:
                break
            self._drop([group])
        if not emergency:
            target = self._budget(FILL_NEWEST, window, output, fixed)
        last = range(newest, len(messages))
        self._cut_long(messages, pinned, last, target, just_enough=True)
        self._cut_long(messages, pinned, last, target, just_enough=True, least=LEAST_CHARS)
        return self._view(messages)

    def _drop(self, groups: Iterable[range]) -> None:
        dropped = {index for group in groups for index in group}
        if dropped:
            self._dropped |= dropped
            self._pinned_text = self.pins()

    def _cut_long(
        self,
        messages: Sequence[Message],
        pinned: int,
        places: range,
        target: float,
        *,
        just_enough: bool = False,
        least: int = 0,
    ) -> None:
        """Cut what is long at these places, the oldest first, until ``target`` characters are reached.

        ``just_enough`` leaves of the last of them what there is room for, ``least`` so much of each.
        """
        over = self._size(messages) - target
        fixed = self._fixed(messages, pinned)
        for index in self._visible(messages):
            if over <= 0:
                return
            message = self._shown(messages[index], index)
            most = least or (CUT_RESULT_CHARS if message.role == "tool" else CUT_TEXT_CHARS)
            if just_enough:
                most = max(most, int(len(message.content) - over))
            if index in places and index not in fixed and len(message.content) > most:
                whole = messages[index] if index in self._cut else message
                shorter = untrusted.cut(whole.content, most)
                self._cut[index] = message.model_copy(update={"content": shorter})
                over -= len(message.content) - len(shorter)

    def _shorten(self, messages: Sequence[Message], target: float, pinned: int) -> None:
        """Replace results, and what was said of pictures, the oldest first, until ``target`` characters are
        reached. What the conversation began with is cut once something else is asked for: it may hold a file.
        """
        over = self._size(messages) - target
        first = self._first(messages)
        end = min(len(messages) - RECENT_MESSAGES, _unseen_from(messages))
        for index in self._visible(messages):
            if over <= 0 or index >= end:
                return
            message = self._shown(messages[index], index)
            if len(message.content) <= SMALL_RESULT_CHARS:
                continue
            if message.role == "tool" and message.tool_call_id:
                self._replaced.add(message.tool_call_id)
            elif _tells_of_a_picture(message):
                self._cut[index] = message.model_copy(update={"content": OLD_PICTURE, "images": []})
            elif index == first != pinned and len(message.content) > CUT_TEXT_CHARS:
                shorter = untrusted.cut(message.content, CUT_TEXT_CHARS)
                self._cut[index] = message.model_copy(update={"content": shorter})
            over -= message_chars(message) - message_chars(self._shown(messages[index], index))

    def _first(self, messages: Sequence[Message]) -> int:
        return next((index for index, message in enumerate(messages) if message.role == "user"), 0)

    def _fixed(self, messages: Sequence[Message], pinned: int) -> set[int]:
        """What always stays: how it began, what is asked for now, and the plan for that."""
        if self._looked_upto > len(messages):
            self._plans, self._looked_upto = [], 0
        news = range(self._looked_upto, len(messages))
        self._plans += [index for index in news if is_plan(messages[index])]
        self._looked_upto = len(messages)
        return {self._first(messages), pinned, *(index for index in self._plans if index > pinned)}

    def _visible(self, messages: Sequence[Message]) -> list[int]:
        """Where the messages stand that models see. The longer a conversation, the more of it is folded: what
        a step costs must not depend on that part.
        """
        early = sorted(index for index in self._kept if index < self._folded)
        shown = itertools.chain(early, range(self._folded, len(messages)))
        return [index for index in shown if index not in self._dropped and index < len(messages)]

    def _boundary(self, messages: Sequence[Message], kept: int) -> int:
        """Where the newest messages begin, at least ``kept`` of them; never between a call and its result."""
        upto = max(len(messages) - kept, 0)
        while upto > 0 and messages[upto].role == "tool":
            upto -= 1
        return max(upto, self._folded)

    def _budget(self, share: float, window: int, output: int, fixed: int) -> float:
        tokens = max(0.0, min(window * share, window * FILL_NEWEST - output))
        most = tokens * self._chars_per_token
        if window in self._refused:
            most = min(most, self._refused[window] * share)
        return most - fixed

    def _most(self, messages: Sequence[Message], budget: float, pinned: int) -> float:
        """How many characters may be seen. A file that belongs to the task would not be shorter for a
        summary of the rest."""
        asked = message_chars(messages[pinned]) if pinned < len(messages) else 0
        return min(MOST_CHARS + asked, budget)

    def _size(self, messages: Sequence[Message]) -> int:
        return sum(message_chars(message) for message in self._view(messages))

    def _groups(self, messages: Sequence[Message], pinned: int) -> list[range]:
        """What may be dropped, oldest first: a message and, if it made calls, their results. Not the last
        one.
        """
        fixed = self._fixed(messages, pinned)
        starts = [index for index in self._visible(messages) if messages[index].role != "tool"]
        groups = [range(start, end) for start, end in itertools.pairwise(starts)]
        return [group for group in groups if group.start not in fixed]

    def _view(self, messages: Sequence[Message]) -> list[Message]:
        shown = [self._shown(messages[index], index) for index in self._visible(messages)]
        added = [part for part in (self._block, self._pinned_text) if part]
        if added and shown:
            first = shown[0]
            shown[0] = first.model_copy(update={"content": "\n\n".join([first.content, *added])})
        return shown

    def _shown(self, message: Message, index: int = -1) -> Message:
        if message.tool_call_id not in self._replaced:
            return self._cut.get(index, message)
        if message.tool_call_id not in self._stubs:
            left_out = f"an older result of {message.name}, {len(message.content)} characters"
            stub = message.model_copy(update={"content": f"[Left out to save room: {left_out}.]"})
            self._stubs[message.tool_call_id] = stub
        return self._stubs[message.tool_call_id]
