"""The page as the loop reads it before each call of a model that answers by schema."""

from collections.abc import Mapping
from typing import Any, Final

from webbrain.agent.turns import Control, PageView
from webbrain.core.errors import BridgeError
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.refs import RefNumbers
from webbrain.host.protocols import Host, Tab

TREE_CHARS: Final = 4_000
"""A small model's prompt is read at some hundred tokens a second on a plain computer: about a thousand
tokens.
"""
TREE_DEPTH: Final = 15
CONTROLS: Final = 400
UNREADABLE: Final = "(This page cannot be read: {reason})"


async def read_page(host: Host, tab_id: int, refs: RefNumbers) -> PageView:
    """Read the whole page if it is short, else what is in the viewport.

    A form's button often lies below the fold, and a small model that does not see it takes another one. What
    cannot be read is a page that says why; only a closed tab raises.
    """
    tab = await host.browser.get_tab(tab_id)
    try:
        answer = await _tree(host, tab_id, refs, "all")
        longer = bool(answer.get("hasMore"))
        if longer:
            answer = await _tree(host, tab_id, refs, "visible")
    except BridgeError as error:
        if error.code == "no_tab":
            raise
        return _unreadable(tab, error.message)
    if answer.get("success") is not True:
        return _unreadable(tab, str(answer.get("error", "no answer")))
    return PageView(
        url=str(answer.get("url", tab.url)),
        title=str(answer.get("title", tab.title)),
        tree=str(answer.get("pageContent", "")),
        controls=read_controls(answer.get("controls")),
        truncated=longer,
    )


async def _tree(host: Host, tab_id: int, refs: RefNumbers, part: str) -> dict[str, Any]:
    args = {
        "filter": part,
        "maxDepth": TREE_DEPTH,
        "maxChars": TREE_CHARS,
        "page": 1,
        "refs_after": refs.highest,
    }
    answer = await host.page.call(tab_id, "tree", args, timeout=PAGE_READ_TIMEOUT)
    refs.learn(answer)
    return answer


def read_controls(found: Any) -> tuple[Control, ...]:
    """The elements a tree says can be acted on; what is not one is passed over."""
    controls = [_control(item) for item in found[:CONTROLS]] if isinstance(found, list) else []
    return tuple(control for control in controls if control is not None)


def _control(item: Any) -> Control | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("ref"), str):
        return None
    can = item.get("can")
    return Control(
        ref=item["ref"],
        role=str(item.get("role", "")),
        name=str(item.get("name", "")),
        can=frozenset(word for word in can if isinstance(word, str))
        if isinstance(can, list)
        else frozenset(),
    )


def _unreadable(tab: Tab, reason: str) -> PageView:
    return PageView(url=tab.url, title=tab.title, tree=UNREADABLE.format(reason=reason))
