"""Which downloads of a task are complete, as the browser itself said.

That a file was asked for proves nothing: it may be refused, break off, or be a page that says "sign in". What
counts is the browser's own word: the outcome a download tool watched for, a list of downloads, or an event.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from webbrain.core.results import ToolResult
from webbrain.tools.base import ToolContext

COMPLETE: Final = "complete"
NAME_CHARS: Final = 120
SLACK: Final = 2.0
"""Seconds by which the browser's clock may differ from ours."""


class SavedFiles:
    """The downloads of one task."""

    def __init__(self) -> None:
        self._since = 0.0
        self._names: dict[int, str] = {}
        """Of downloads that this task began, what is known of their names."""
        self._complete: set[int] = set()
        self._read = False
        self._mark = 0

    @property
    def proven(self) -> bool:
        """Whether a file is known to be there."""
        return bool(self._complete) or self._read

    def begin(self, now: float, mark: int) -> None:
        """A run begins at ``now``; browser events after ``mark`` are of its time."""
        self._since, self._mark = now, mark

    def took(
        self, ctx: ToolContext, args: Mapping[str, Any], result: ToolResult
    ) -> list[tuple[int, str, int | None]]:
        """Learn from a call and from what the browser said since the last one; return the downloads that are
        newly known to be complete: number, name and size.
        """
        news: list[tuple[int, str, int | None]] = []
        data = result.data
        for row in _rows(data, "download", "downloads", "files"):
            number = row.get("id", row.get("downloadId"))
            if not isinstance(number, int) or not (number in self._names or self._is_ours(row)):
                continue
            self._names[number] = str(row.get("filename") or self._names.get(number, ""))[:NAME_CHARS]
            if row.get("state") == COMPLETE:
                size = row.get("bytes")
                news += self._settle(number, size if isinstance(size, int) else None)
        for event in ctx.state.signals.since(self._mark):
            number = event.data.get("id")
            done = event.kind == "download_changed" and event.data.get("state") == COMPLETE
            if done and isinstance(number, int) and number in self._names:
                news += self._settle(number, None)
        self._mark = ctx.state.signals.mark
        # A file that a person names as one of the downloads is there if it can be read.
        self._read = self._read or (result.success and "downloadId" in args and "filename" in data)
        return news

    def _settle(self, number: int, size: int | None) -> list[tuple[int, str, int | None]]:
        if number in self._complete:
            return []
        self._complete.add(number)
        return [(number, self._names.get(number, ""), size)]

    def _is_ours(self, row: Mapping[str, Any]) -> bool:
        """Whether a download belongs to the task: a tool or an action of it told of it just now, or it began
        since the run did."""
        if "downloadId" in row or "state" not in row:
            return True  # the outcome of a download tool, or one that an action began
        started = str(row.get("started") or "")
        try:
            began = datetime.fromisoformat(started.replace("Z", "+00:00")).timestamp()
        except ValueError:
            return False
        return began >= self._since - SLACK


def _rows(data: Mapping[str, Any], *keys: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for key in keys:
        value = data.get(key)
        found += [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, Mapping)]
    return found
