"""A page and a context to run one tool against, and plausible answers of a page for every action."""

from typing import Any, Final

from webbrain.core.types import Mode, Tier
from webbrain.host.memory import MemoryHost
from webbrain.host.protocols import Tab
from webbrain.tools.base import ToolContext, ToolSpec

TAB: Final = 7
URL: Final = "https://shop.example/list"

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "tree": {
        "pageContent": 'button "Buy" [ref_1]\ntextbox "Name" [ref_2]',
        "hasMore": False,
        "truncated": False,
        "page": 1,
        "treeRevision": "r1",
        "controls": [{"ref": "ref_1", "role": "button", "name": "Buy", "can": ["click"]}],
    },
    "read_page": {"url": URL, "text": "Tea, 4 francs", "returnedLength": 13, "originalLength": 13},
    "get_selection": {"text": "Tea"},
    "scroll": {"moved": True},
    "wait_for_element": {"found": True, "timedOut": False, "elapsedMs": 12},
    "click_ax": {"ref_id": "ref_1", "tag": "button", "changed": ["aria-expanded"]},
    "type_ax": {"verified": True, "fieldMeta": {"tag": "input", "type": "text", "name": "name"}},
    "set_field": {"verified": True, "fieldMeta": {"tag": "input", "type": "text", "name": "name"}},
    "press_keys": {"target": "textbox Name", "changed": []},
    "page_state": {"url": URL, "title": "Shop", "forms": [{"fields": 2, "dirty": 0, "files": 0}]},
}


def page_host(url: str = URL) -> MemoryHost:
    """A host with one tab whose page answers every action as a small shop would."""
    host = MemoryHost([Tab(TAB, url, "Shop")])
    for action, answer in ANSWERS.items():
        host.page.on(action, answer)
    return host


def context(
    host: MemoryHost,
    mode: Mode = Mode.ACT,
    tier: Tier = Tier.FULL,
    context_window: int = 128_000,
    submit_token: str = "",
) -> ToolContext:
    """A context for the host's one tab."""
    return ToolContext(host, TAB, mode, tier, context_window, submit_token)


def example(spec: ToolSpec) -> Any:
    """The arguments of the tool's own example."""
    return spec.args.model_validate_json(spec.example)
