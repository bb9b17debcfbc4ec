"""Asking the fake port what the screens called, and telling it what to say."""

from typing import Any

from playwright.sync_api import Page


def asked(page: Page, method: str) -> list[dict[str, Any]]:
    """Params of every call of a method, in order."""
    found: list[dict[str, Any]] = page.evaluate(
        "(method) => wb.calls.filter((c) => c.method === method).map((c) => c.params)", method
    )
    return found


def wait_for_call(page: Page, method: str, times: int = 1) -> dict[str, Any]:
    """Params of the last of so many calls."""
    page.wait_for_function(
        "([method, times]) => wb.calls.filter((c) => c.method === method).length >= times",
        arg=[method, times],
    )
    return asked(page, method)[-1]


def emit(page: Page, method: str, params: dict[str, Any]) -> None:
    """An event from Python or the supervisor."""
    page.evaluate("([method, params]) => wb.emit(method, params)", [method, params])


def play(page: Page, events: list[dict[str, Any]]) -> None:
    """Events of a run."""
    for event in events:
        emit(page, "agent_update", event)
