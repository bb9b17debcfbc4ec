"""JavaScript dialogs: in Chromium the model answers them, in Firefox they are noticed; no run hangs."""

from collections.abc import Iterator

import pytest

from tests.support.browsers import Browser
from tests.support.page_site import PageSite
from tests.support.script import Results, call, done, on_ref, see
from tests.support.stage import Stage

SAID = "<p id=said>nothing</p><script>const say = (t) => { said.textContent = t; }</script>"
PAGES = {
    "/confirm": f"""{SAID}
        <button onclick="say(confirm('Really delete it?') ? 'deleted' : 'kept')">Delete</button>
        <button onclick="say(said.textContent + ', then other')">Other</button>""",
    "/prompt": f"""{SAID}<button onclick="say('name is ' + prompt('New name?', 'old'))">Rename</button>""",
    "/alert-on-load": "<p>Before</p><script>alert('Welcome!')</script><p>The shop is open.</p>",
    "/alert": f"""{SAID}<button onclick="alert('Sold out'); say('told')">Buy</button>""",
    "/draft": """<textarea></textarea><script>
        window.onbeforeunload = (event) => event.preventDefault();</script>""",
    "/next": "<h1>The next page</h1>",
}


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[PageSite]:
    """Pages with dialogs, in a browser that leaves them open."""
    browser.hold_dialogs()
    with PageSite(PAGES) as running:
        yield running


def chromium_only(stage: Stage) -> None:
    if stage.browser.name != "chromium":
        pytest.skip("Firefox gives extensions no debugger, so nobody there can see or answer a dialog")


@pytest.mark.parametrize(("accept", "outcome"), [(True, "deleted"), (False, "kept")])
def test_the_model_answers_a_confirm(stage: Stage, site: PageSite, accept: bool, outcome: str) -> None:
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/confirm")
    notes = Results()
    answer = notes.then(call("answer_dialog", accept=accept))
    stage.plan(see(), on_ref("click_ax", "Delete"), answer, see(), done("Answered."))
    panel.send("Delete it.", "act")
    turn = panel.wait_over()
    assert notes.results[0]["dialog"] == {"type": "confirm", "message": "Really delete it?"}
    assert tab.page.text("#said") == outcome
    assert turn.status == "completed"
    stage.settled()


def test_a_prompt_gets_the_model_s_text(stage: Stage, site: PageSite) -> None:
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/prompt")
    notes = Results()
    answer = notes.then(call("answer_dialog", accept=True, text="Ada"))
    stage.plan(see(), on_ref("click_ax", "Rename"), answer, done("Renamed."))
    panel.send("Rename it to Ada.", "act")
    panel.wait_over()
    assert notes.results[0]["dialog"] == {"type": "prompt", "message": "New name?", "defaultText": "old"}
    assert tab.page.text("#said") == "name is Ada"


def test_a_confirm_that_the_model_ignores_is_not_agreed_to(stage: Stage, site: PageSite) -> None:
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/confirm")
    stage.plan(see(), on_ref("click_ax", "Delete"), on_ref("click_ax", "Other"), see(), done("Done."))
    panel.send("Delete it.", "act")
    assert panel.wait_over().status == "completed"
    assert tab.page.text("#said") == "kept, then other"


def test_reading_shows_the_dialog_and_leaves_it(stage: Stage, site: PageSite) -> None:
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/confirm")
    notes = Results()
    stage.plan(see(), on_ref("click_ax", "Delete"), see())
    stage.plan(notes.then(call("answer_dialog", accept=True)), done("Done."))
    panel.send("Delete it.", "act")
    panel.wait_over()
    assert notes.results[0]["code"] == "dialog_open"
    assert tab.page.text("#said") == "deleted"


def test_a_run_that_ends_leaves_no_dialog_behind(stage: Stage, site: PageSite) -> None:
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/confirm")
    stage.plan(see(), on_ref("click_ax", "Delete"), done("Over.", "partial"))
    panel.send("Delete it.", "act")
    panel.wait_over()
    tab.page.wait("said.textContent === 'kept'")


def test_an_alert_while_a_page_loads(stage: Stage, site: PageSite) -> None:
    """The debugger is there before the page is, so the dialog is seen."""
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/next")
    notes = Results()
    stage.plan(call("navigate", url=f"{site.url}/alert-on-load"))
    stage.plan(notes.then(call("answer_dialog", accept=True)), see(), notes.then(done("Read.")))
    panel.send("Read the shop.", "act")
    assert panel.wait_over().status == "completed"
    assert notes.results[0]["dialog"] == {"type": "alert", "message": "Welcome!"}
    assert "The shop is open." in str(notes.results[1])
    assert tab.page.url.endswith("/alert-on-load")


@pytest.mark.parametrize("force", [False, True])
def test_a_page_that_asks_whether_to_leave(stage: Stage, site: PageSite, force: bool) -> None:
    chromium_only(stage)
    tab, panel = stage.open(f"{site.url}/draft")
    tab.page.click("textarea")
    tab.page.keys("a draft")
    notes = Results()
    stage.plan(call("navigate", url=f"{site.url}/next", force=force), notes.then(done("Tried.")))
    panel.send("Go on.", "act")
    panel.wait_over()
    if force:
        assert notes.results[0]["success"] is True
        assert tab.page.url.endswith("/next")
    else:
        assert notes.results[0]["code"] == "unsaved_changes"
        assert tab.page.url.endswith("/draft")
        assert tab.page.eval("document.querySelector('textarea').value") == "a draft"
        tab.page.eval("window.onbeforeunload = null")


def test_firefox_notices_a_page_that_stands_still(stage: Stage, site: PageSite) -> None:
    """Nobody but the user can close it there: the model and the user are told, long before any deadline."""
    if stage.browser.name != "firefox":
        pytest.skip("In Chromium the debugger tells of the dialog; see above")
    tab, panel = stage.open(f"{site.url}/alert")
    notes = Results()
    stage.plan(see(), on_ref("click_ax", "Buy"), notes.then(done("A dialog is open.", "partial")))
    panel.send("Buy it.", "act")
    turn = panel.wait_over(30)
    assert "dialog" in notes.texts[0]
    assert any("dialog" in warning for warning in turn.warnings)
    assert turn.status == "completed"
    tab.page.close_dialog(accept=True)
    tab.page.wait("said.textContent === 'told'")
