"""Runs of one tool call each, through the panel and a model server, with what the model got to read."""

from typing import Any

from tests.support.browsers import Browser
from tests.support.screens import Panel, Settings
from tests.support.script import call, done, last_result
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.demo.history import Step


def use(stage: Stage, panel: Panel, tool: str, /, *, answers: tuple[str, ...] = (), **arguments: Any) -> Step:
    """Have the model call a tool once, answer the cards that come, and return the call with its result."""
    seen: list[Step] = []

    def look(model_call: ModelCall) -> Answer:
        seen.append(last_result(model_call))
        return done("Seen.", "partial")  # one call is no task, so nothing is claimed

    stage.plan(call(tool, **arguments), look)
    before = len(panel.turns())
    panel.send(f"Use {tool}.", "act")
    shown = "document.querySelectorAll('article.turn[data-status]').length"
    panel.page.wait(f"{shown} > {before}", what="the run to begin")
    for answer in answers:
        panel.wait_card()
        panel.answer(answer)
    turn = panel.wait_over(120)
    assert turn.status == "completed", turn
    assert not turn.card
    stage.settled()
    return seen[0]


def allow_local_network(browser: Browser, *, allowed: bool = True) -> None:
    """Switch the setting in the settings page."""
    settings = Settings(browser)
    settings.page.click('a[href="#general"]')
    box = '[data-setting="agentAllowLocalNetwork"] input'
    settings.page.wait(f"!!document.querySelector('{box}')", what="the setting")
    if settings.page.eval(f"document.querySelector('{box}').checked") != allowed:
        settings.page.click('label[for="setting-agentAllowLocalNetwork"]')
    settings.page.wait(
        f"document.querySelector('{box}').checked === {str(allowed).lower()}", what="the switch"
    )
    settings.page.wait(
        "!!document.querySelector('[data-setting=\"agentAllowLocalNetwork\"] .setting-state.ok')"
        if allowed
        else "true",
        what="the setting to be saved",
    )
    settings.close()
