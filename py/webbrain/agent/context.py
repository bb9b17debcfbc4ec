"""Keep what is sent to a model within its window.

This is the simple guard: old tool results are replaced by a line, then the oldest turns are left out; the
first message of the user stays. It forgets without a summary. The full history stays in the journal either
way.
"""

import itertools
import json
from collections.abc import Sequence
from typing import Final

from webbrain.core.messages import Message, ToolSchema

FILL: Final = 0.75
"""Share of the context window that a request may fill."""
FILL_AFTER: Final = 0.60
"""Share that is aimed at once something must go, so that the next steps need not shorten again: what is sent
keeps its beginning, and a provider's prefix cache stays of use."""
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
SMALL_RESULT_CHARS: Final = 200
"""Tool results up to this length are not worth replacing."""


def message_chars(message: Message) -> int:
    """Size of a message, as if it were all text."""
    calls = sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
    pictures = sum(bool(image.data_url) for image in message.images)
    pages = sum(document.pages for document in message.documents if document.data_url)
    attached = IMAGE_CHARS * pictures + DOCUMENT_PAGE_CHARS * pages
    return len(message.content) + calls + attached + MESSAGE_OVERHEAD_CHARS


def tools_chars(tools: Sequence[ToolSchema]) -> int:
    """Size of the tools that a request offers."""
    return sum(len(tool.name) + len(tool.description) + len(json.dumps(tool.parameters)) for tool in tools)


class ContextGuard:
    """Decides, for one conversation, what of its history a model still sees."""

    def __init__(self) -> None:
        self._chars_per_token = CHARS_PER_TOKEN
        self._replaced: set[str] = set()
        self._dropped: set[int] = set()

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
        for message in messages[: max(0, len(messages) - RECENT_MESSAGES)]:
            if self._size(messages) <= target:
                return self._view(messages)
            if message.role == "tool" and len(message.content) > SMALL_RESULT_CHARS and message.tool_call_id:
                self._replaced.add(message.tool_call_id)
        for group in self._groups(messages, pinned):
            if self._size(messages) <= target:
                break
            self._dropped.update(group)
        return self._view(messages)

    def _budget(self, share: float, window: int, output: int, fixed: int) -> float:
        return max(0.0, window * share - output) * self._chars_per_token - fixed

    def _size(self, messages: Sequence[Message]) -> int:
        return sum(message_chars(message) for message in self._view(messages))

    def _groups(self, messages: Sequence[Message], pinned: int) -> list[range]:
        """What may be dropped, oldest first: a message and, if it made calls, their results. Not the last
        one.
        """
        first = next((index for index, message in enumerate(messages) if message.role == "user"), 0)
        starts = [index for index, message in enumerate(messages) if message.role != "tool"]
        groups = [range(start, end) for start, end in itertools.pairwise(starts)]
        return [
            group
            for group in groups
            if group.start not in (first, pinned) and group.start not in self._dropped
        ]

    def _view(self, messages: Sequence[Message]) -> list[Message]:
        return [self._shown(message) for index, message in enumerate(messages) if index not in self._dropped]

    def _shown(self, message: Message) -> Message:
        if message.tool_call_id not in self._replaced:
            return message
        note = (
            f"[Left out to save room: an older result of {message.name}, {len(message.content)} characters.]"
        )
        return message.model_copy(update={"content": note})
