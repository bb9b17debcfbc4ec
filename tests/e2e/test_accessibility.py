"""axe finds nothing on the real screens, light and dark, in the states a person meets."""

from pathlib import Path

import pytest

from tests.support.browsers import Page
from tests.support.screens import Settings
from tests.support.script import done, on_ref, say, see
from tests.support.stage import Stage
from webbrain.testing.chat import Refusal

pytestmark = pytest.mark.same_in_firefox

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("light", "dark")


def violations(page: Page) -> list[str]:
    """What axe says against the page, one line each."""
    page.eval(f"(() => {{ {AXE.read_text(encoding='utf-8')}; return true; }})()")
    found = page.eval(
        "axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.flatMap("
        "(v) => v.nodes.map((n) => `${v.id}: ${v.help}: ${n.html.slice(0, 160)}`)))"
    )
    return [str(line) for line in found]


def test_axe_itself_works(stage: Stage) -> None:
    """The control: on a page with known faults it finds them."""
    tab = stage.open_tab("/about")
    tab.page.eval("document.body.insertAdjacentHTML('beforeend', '<img src=x><button></button>')")
    assert violations(tab.page)


@pytest.mark.parametrize("theme", THEMES)
def test_panel(stage: Stage, theme: str) -> None:
    """Empty, with an answer, with a card, with an error."""
    _, panel = stage.open("/order?product=oak-stool")
    panel.page.eval(f"document.documentElement.dataset.theme = '{theme}'")
    assert violations(panel.page) == []
    stage.plan(say("An **answer** with `code` and a [link](https://example.org).\n\n- one\n- two"))
    panel.send("Say something.", "ask")
    panel.wait_over()
    assert violations(panel.page) == []
    stage.plan(see(), on_ref("click_ax", "Place order", "button"))
    panel.send("Order.", "act")
    panel.wait_card()
    assert violations(panel.page) == []
    stage.plan(done("Not sent.", "partial"))
    panel.answer("deny")
    panel.wait_over()
    stage.plan(Refusal(401, {"error": {"message": "no"}}))
    panel.send("Break.", "ask")
    panel.wait_turn("turn.error")
    assert violations(panel.page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_settings(stage: Stage, theme: str) -> None:
    """The list and an open form."""
    settings = Settings(stage.browser)
    settings.page.eval(f"document.documentElement.dataset.theme = '{theme}'")
    settings.open_provider("custom")
    assert violations(settings.page) == []
    settings.close()
