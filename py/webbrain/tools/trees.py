"""What the page's action ``tree`` answers, as a tool's result."""

from typing import Any

from webbrain.core.results import ToolResult
from webbrain.tools.problems import from_page


def tree_result(answer: dict[str, Any]) -> ToolResult:
    """The tree for the model and the list of its controls for the agent.

    What says nothing is dropped, and the long text comes last, so that a hard cut never takes the paging
    away.
    """
    result = from_page(answer, _summary(answer))
    result.private = {"controls": result.data.pop("controls", [])}
    kept = {key: value for key, value in result.data.items() if value not in (None, "", False, [])}
    if "pageContent" in result.data:
        kept.pop("pageContent", None)
        kept["pageContent"] = result.data["pageContent"]
    result.data = kept
    return result


def _summary(answer: dict[str, Any]) -> str:
    lines = str(answer.get("pageContent", "")).count("\n") + 1
    more = ", more follows" if answer.get("hasMore") else ""
    return f"{lines} lines{more}"
