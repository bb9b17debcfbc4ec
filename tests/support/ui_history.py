"""States of the panel with earlier conversations. Their times count from now, and so do their days."""

from typing import Any

from tests.support.ui_runs import CONVERSATION, TAB, shopping
from tests.support.ui_state import COMMAND_REPLIES, NEWS, Action, State, panel

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
OPEN: tuple[Action, ...] = (("click", "#open-history"), ("wait", ".history-list"))
LONG = "Compare the three lightest waterproof jackets under 150 € and say how well each can be mended at home"
FOUND = "…the Fjordlys weighs 310 g and is the lightest of the waterproof jackets in the shop…"


def row(conversation_id: str, title: str, ago: int, **change: Any) -> dict[str, Any]:
    """A conversation as ``history.list`` tells of it. Negative times count from now."""
    return {
        "id": conversation_id,
        "title": title,
        "startedAt": -ago - 5 * MINUTE,
        "updatedAt": -ago,
        "turns": 1,
        "tabUrl": "https://shop.example/rain-jackets",
        "tabId": None,
        "running": False,
        "found": "",
        **change,
    }


ROWS = [
    row(CONVERSATION, "Order the jacket in size M", 0, tabId=TAB, turns=3),
    row(
        "conv_news",
        "Sum up the front page",
        0,
        tabId=NEWS["id"],
        running=True,
        tabUrl="https://news.example/",
    ),
    row("conv_tea", LONG, DAY, turns=12),
    row("conv_wifi", "كيف أغيّر كلمة مرور الشبكة؟", DAY, tabUrl=""),
    row("conv_train", "When does the last train to Bern leave?", 400 * DAY, tabUrl="https://trains.example/"),
]


def listed(*rows: dict[str, Any], more: bool = False, indexing: bool = False) -> dict[str, Any]:
    """The answer to ``history.list``."""
    return {"conversations": list(rows), "more": more, "indexing": indexing}


def history_states() -> dict[str, State]:
    """The list, a search, nothing, a question before deleting, and what is said of it."""
    base: dict[str, Any] = {"panel.open": panel(shopping().end().events)}
    full = {**base, "history.list": listed(*ROWS, more=True)}
    ask: tuple[Action, ...] = (*OPEN, ("click", "[data-conversation=conv_tea] [data-action=delete]"))
    ask_all: tuple[Action, ...] = (*OPEN, ("click", "[data-action=delete-all]"))
    yes: Action = ("click", "[data-action=confirm-delete]")
    return {
        "history": State(replies=full, actions=OPEN),
        "history-search": State(
            replies={**base, "history.list": listed({**ROWS[2], "found": FOUND})},
            actions=[*OPEN, ("type", "#history-search", "waterproof"), ("wait", ".history-found")],
        ),
        "history-empty": State(
            replies={**base, "history.list": listed(indexing=True)},
            actions=[*OPEN, ("wait", ".history-none")],
        ),
        "history-delete": State(replies=full, actions=[*ask, ("wait", ".history-confirm")]),
        "history-delete-all": State(replies=full, actions=[*ask_all, ("wait", ".history-confirm")]),
        "history-kept": State(
            replies={
                **base,
                "history.list": {"inTurn": [listed(*ROWS), listed(ROWS[1])]},
                "history.delete": {"ok": True, "deleted": 4, "kept": 1},
            },
            actions=[*ask_all, yes, ("wait", ".history-note")],
        ),
        "history-refused": State(
            replies={**full, "history.delete": {"fails": {"code": "run_active", "message": "A task runs."}}},
            actions=[*ask, yes, ("wait", ".history-note.bad")],
        ),
        "compacting": State(
            replies={**COMMAND_REPLIES, **base, "commands.run": {"hang": True}},
            actions=[
                ("type", "#composer", "/compact "),
                ("click", "#send"),
                ("wait", "[data-code=compacting]"),
            ],
        ),
    }
