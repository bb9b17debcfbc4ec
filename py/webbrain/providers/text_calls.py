"""Tool calls that a model wrote as text, and thoughts it wrote into its answer.

Small and local models know many private ways to call a tool. They are read only when tools were offered and
no native call came, and only in short texts. What could be ordinary text is a call only if it names a tool
that was offered; markup that nothing else looks like always is one.
"""

import re
from collections.abc import Collection
from typing import Final

from webbrain.core.messages import ToolCall
from webbrain.providers.text_forms import Finder, markup_at, unreadable

TEXT_CALL_CHARS: Final = 10_000
# The beginning of a call as bare JSON.
_CUT_OBJECT = re.compile(
    r"(?:\A|\n)[ \t]*(?:```[a-zA-Z_]*[ \t]*\n\s*)?\[?\s*\{+\s*(?:\"type\"\s*:\s*\"function\"\s*,\s*)?"
    r"\"(?:name|tool|tool_name|function|action)\"\s*:\s*(?:\{\s*\"name\"\s*:\s*)?\"([\w.-]{1,64})\""
)

_THINK = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Some templates put the opening tag into the prompt, so only the closing one comes back.
_THINK_END = re.compile(r"\A(.*?)</(think|thinking)>[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.IGNORECASE)

# Where a call may begin, perhaps cut off by the end of what has come so far.
_MARKUP: Final = (
    "<tool",
    "<function",
    "<invoke",
    "<minimax:",
    "<seed:",
    "<arg_",
    "<|",
    "<\uff5c",
    "[TOOL_CALLS]",
    "<start_function_call",
    "call:",
    "functools[",
    "Action:",
)
_JSON_BEGINS = re.compile(
    r"(?:\A|\n)[ \t]*(?:\{|\[\s*(?:\{|[A-Za-z_][\w.]*\(|[A-Za-z_][\w.]*\Z|\Z)|``?\Z"
    r"|```[a-zA-Z_]*[ \t]*\r?\n?\s*(?:[{\[]|\Z)|```(?:tool_code|tool_call)\b)"
    r"|\A\s*(?:[A-Za-z_][\w.]*\(|[A-Za-z]+_\w*\Z)|\A\s*\Z"
)


def split_thoughts(text: str) -> tuple[str, str]:
    """Split an answer into ``(visible, thoughts)``; only a block at the very beginning is a thought."""
    if match := _THINK.match(text):
        return text[match.end() :].lstrip(), match[2].strip()
    if "</think" in text.lower() and (match := _THINK_END.match(text)):
        return text[match.end() :].lstrip(), match[1].strip()
    return text, ""


def extract(text: str, allowed: Collection[str]) -> tuple[list[ToolCall], str]:
    """Return the calls hidden in ``text`` and what is left of it to show.

    Without a call of an allowed tool the text comes back unchanged.
    """
    if not allowed or len(text) > TEXT_CALL_CHARS:
        return [], text
    finder = Finder(text, frozenset(allowed))
    calls = finder.find()
    return (calls, finder.rest()) if calls else ([], text)


def strays(text: str, *, more: bool = False) -> tuple[list[ToolCall], str]:
    """Return the calls in a text that are marked as such beyond doubt, whatever tool they name, and what is
    left to show: nobody is to read markup, and the model is to be told that it did not work.

    ``more``: other calls were taken out of the text already, and may have left some markup of theirs.
    """
    start = markup_at(text)
    if start < 0:
        return [], text
    calls: list[ToolCall] = []
    if len(text) <= TEXT_CALL_CHARS:
        finder = Finder(text, None)
        if calls := finder.find_marked():
            text = finder.rest()
            start = markup_at(text)
    shown = text[:start].rstrip() if start >= 0 else text
    return calls or ([] if more else [unreadable(text[start:])]), shown


def begins_call(text: str, offered: Collection[str]) -> bool:
    """Whether a text that was cut off may have been about to call a tool: it has markup of a call, or ends in
    an object that names an offered tool."""
    if markup_at(text) >= 0:
        return True
    match = _CUT_OBJECT.search(text)
    return bool(match and match[1] in offered)


class VisibleText:
    """Filters streamed text: thoughts and anything that may be a tool call in disguise are held back.

    Held text is not lost: the finished reply has it, if it turned out to be ordinary.
    """

    def __init__(self, *, tools: bool) -> None:
        self._tools = tools
        self._text = ""
        self._shown = 0

    def feed(self, piece: str) -> str:
        """Return what may be shown now."""
        self._text += piece
        visible = self._thoughtless()
        if visible is None:
            return ""
        end = len(visible)
        if self._tools:
            end = _suspicious_from(visible)
        new = visible[self._shown : end]
        self._shown = max(self._shown, end)
        return new

    def _thoughtless(self) -> str | None:
        """The text without a thought at its beginning; ``None`` while that may still be coming."""
        start = self._text.lstrip()
        if not start:
            return None
        if start[0] != "<":
            return self._text
        for tag in ("<thinking>", "<thought>", "<think>", "<reasoning>"):
            if tag.startswith(start.lower()):
                return None
            if start.lower().startswith(tag):
                if f"</{tag[1:]}" not in start.lower():
                    return None
                return split_thoughts(self._text)[0]
        return self._text


def _suspicious_from(text: str) -> int:
    """Where something that may become a call begins; the length of the text if nowhere."""
    found = [index for opener in _MARKUP if (index := text.find(opener)) >= 0]
    if match := _JSON_BEGINS.search(text):
        found.append(match.start())
    for opener in _MARKUP:
        for size in range(len(opener) - 1, 0, -1):
            if text.endswith(opener[:size]):
                found.append(len(text) - size)
                break
    return min(found, default=len(text))
