"""Tabs of a run: opened ones are reported and followed, the user's are left alone, and nothing is lost."""

import threading
from collections.abc import Iterator

import pytest

from tests.support.browsers.sidepanel import open_side_panel
from tests.support.page_site import PageSite
from tests.support.screens import Panel
from tests.support.script import Results, call, done, on_ref, say, see, tree
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall

SAID = "<p id=said>nothing</p><script>const say = (t) => { said.textContent = t; }</script>"
PAGES = {
    "/shop": f"""{SAID}<a href="/size" target="_blank">Size table</a>
        <button onclick="window.open('/size')">Open sizes</button>
        <a href="/slow" target="_blank">Slow sizes</a>
        <button onclick="say('bought')">Take it</button>
        <button onclick="say(said.textContent + ' twice')">Again</button>""",
    "/size": f"{SAID}<h1>Sizes</h1><button onclick=\"say('chosen')\">Choose 42</button>",
    "/slow": "<h1>Slow sizes</h1>",
    "/mail": "<h1>Mail</h1><p>Two new letters.</p>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[PageSite]:
    """A shop that opens tabs."""
    with PageSite(PAGES, slow={"/slow": 2.0}) as running:
        yield running


class Notes(Results):
    """What tools answered, and what may be done with it."""

    def into_new_tab(self, _: ModelCall) -> Answer:
        """Go on in the tab that the newest result named."""
        return call("switch_tab", tab_id=self.results[-1]["newTab"]["tabId"])


def opened(stage: Stage, site: PageSite, path: str) -> list[int]:
    """The tabs that show that path; closed at once, so that no test sees those of another."""
    found = [int(tab["id"]) for tab in stage.browser.tabs() if tab["url"] == site.url + path]
    for number in found:
        stage.browser.control.eval(f"(globalThis.browser ?? chrome).tabs.remove({number}).then(() => true)")
    return found


@pytest.mark.parametrize("control", ["Size table", "Open sizes"])
def test_the_run_goes_on_in_the_tab_that_a_click_opened(stage: Stage, site: PageSite, control: str) -> None:
    tab, panel = stage.open(f"{site.url}/shop")
    notes = Notes()
    stage.plan(see(), on_ref("click_ax", control), notes.then(notes.into_new_tab))
    stage.plan(see(), on_ref("click_ax", "Choose 42"), notes.then(done("Chosen.")))
    panel.send("Choose size 42.", "act")
    turn = panel.wait_over()
    number = notes.results[0]["newTab"]["tabId"]
    assert notes.results[0]["newTab"]["url"] == f"{site.url}/size"
    assert any("chosen" in change for change in notes.results[1]["changed"])
    assert tab.page.text("#said") == "nothing", "the page the run came from is as it was"
    assert any("/size" in warning for warning in turn.warnings), "a tab that is left open is listed"
    assert opened(stage, site, "/size") == [number]
    stage.settled()


def test_a_slow_target_is_opened_once(stage: Stage, site: PageSite) -> None:
    _, panel = stage.open(f"{site.url}/shop")
    site.hits.clear()
    notes = Notes()
    stage.plan(see(), on_ref("click_ax", "Slow sizes"), notes.then(on_ref("click_ax", "Slow sizes")))
    stage.plan(notes.then(on_ref("click_ax", "Slow sizes")), notes.then(done("Opened.")))
    panel.send("Open the slow table.", "act")
    panel.wait_over()
    assert [result.get("code") for result in notes.results] == [None, "already_open", "already_open"]
    assert len({result["newTab"]["tabId"] for result in notes.results}) == 1
    assert site.count("/slow") == 1
    assert len(opened(stage, site, "/slow") or ["still loading"]) == 1


def test_a_tab_that_goes_to_the_background_is_still_worked_on(stage: Stage, site: PageSite) -> None:
    """Between two steps the user opens another tab in front and drags the task's tab into another window."""
    tab, panel = stage.open(f"{site.url}/shop")
    reached, go_on = threading.Event(), threading.Event()

    def hidden_meanwhile(model_call: ModelCall) -> Answer:
        reached.set()
        assert go_on.wait(20)
        reply: Answer = on_ref("click_ax", "Again")(model_call)
        return reply

    stage.plan(see(), on_ref("click_ax", "Take it"), hidden_meanwhile, see(), done("Bought."))
    panel.send("Buy it twice.", "act")
    assert reached.wait(20)
    stage.browser.control.eval(
        "(async (api) => {"
        f" const here = await api.tabs.get({tab.id});"
        f" await api.tabs.create({{url: '{site.url}/mail', windowId: here.windowId, active: true}});"
        f" const other = await api.windows.create({{url: '{site.url}/mail'}});"
        f" await api.tabs.move({tab.id}, {{windowId: other.id, index: 0}});"
        f" return !(await api.tabs.get({tab.id})).active; }})(globalThis.browser ?? chrome)"
    )
    go_on.set()
    assert panel.wait_over().status == "completed"
    assert tab.page.text("#said") == "bought twice"
    assert len(opened(stage, site, "/mail")) == 2
    stage.settled()


def test_a_question_in_another_tab_is_about_that_tab(stage: Stage, site: PageSite) -> None:
    _, shop = stage.open(f"{site.url}/shop")
    _, mail = stage.open(f"{site.url}/mail")
    stage.plan(say("A shop."), say("Mail."))
    shop.send("What is this page?", "ask")
    shop.wait_over()
    mail.send("What is this page?", "ask")
    mail.wait_over()
    asked = [model_call.turns[-1].text for model_call in stage.model.calls]
    assert "/shop" in asked[0]
    assert "/mail" in asked[1]
    assert "/shop" not in asked[1]
    assert [turn.text for turn in shop.turns()] == ["A shop."]


def test_78_the_panel_goes_with_the_user_and_the_run_stays(stage: Stage, site: PageSite) -> None:
    """A run begins in one tab; the user goes to another and asks there about "this page".

    The panel beside the tabs names the tab that is meant, the answer is about that one, and the run that was
    begun goes on in its own.
    """
    shop, mail = stage.open_tab(f"{site.url}/shop"), stage.open_tab(f"{site.url}/mail")
    shop.page.activate()
    panel = Panel(stage.browser, shop, open_side_panel(stage.browser, shop.id))
    stage.panels.append(panel)
    named = "document.querySelector('.tab-title')?.textContent"
    panel.page.wait(f"{named} === 'shop'", what="the shop to be named")
    stage.plan(call("wait_for_element", selector="#go", timeout=30_000))
    panel.send("Take it once it can be had.", "act")
    panel.wait_turn("turn.steps.some((step) => step.state === 'running')")

    mail.page.activate()
    panel.page.wait("!document.querySelector('article.turn')", what="the conversation of the other tab")
    panel.page.wait(f"{named} === 'mail'", what="the mail to be named")
    stage.plan(see(), lambda seen: say(f"It is headed {tree(seen)[0].name}."))
    panel.send("What is this page about?", "ask")
    panel.wait_turn("turn.answers.join().includes('It is headed Mail.')")
    assert panel.wait_over().status == "completed"
    asked = stage.model.calls[-1].turns
    assert "/mail" in asked[1].text
    assert "/shop" not in " ".join(turn.text for turn in asked)
    assert shop.page.text("#said") == "nothing"

    stage.plan(see(), on_ref("click_ax", "Take it"), done("Taken in the shop.", "partial"))
    shop.page.eval("document.body.append(Object.assign(document.createElement('i'), {id: 'go'})) ?? true")
    shop.page.activate()
    panel.page.wait(f"{named} === 'shop'", what="the shop to be named again")
    panel.wait_turn("turn.answers.join().includes('Taken in the shop.')")
    assert panel.wait_over().status == "completed"
    assert shop.page.text("#said") == "bought"
    assert [turn.question.splitlines()[-1] for turn in panel.turns()] == ["Take it once it can be had."]
    stage.settled()


def test_a_page_of_our_own_is_no_target(stage: Stage, site: PageSite) -> None:
    """A task in a tab that shows our settings neither reads them nor takes them away."""
    page = stage.browser.open_page(f"{stage.browser.origin}/settings.html")
    own = next(
        int(tab["id"])
        for tab in reversed(stage.browser.tabs())
        if tab["url"].startswith(f"{stage.browser.origin}/settings.html")
    )
    panel = stage.open_panel(own)
    notes = Notes()
    stage.plan(see(), notes.then(call("navigate", url=f"{site.url}/mail")))
    stage.plan(notes.then(done("Cannot.", "failed")))
    panel.send("Read the mail.", "act")
    panel.wait_over()
    assert [result["code"] for result in notes.results] == ["restricted_page", "own_page"]
    assert page.url.startswith(stage.browser.origin)
    page.close()


def test_tabs_in_the_background_are_opened_and_closed(stage: Stage, site: PageSite) -> None:
    tab, panel = stage.open(f"{site.url}/shop")
    notes = Notes()

    def close(_: ModelCall) -> Answer:
        return call("close_tab", tab_id=notes.results[0]["tabId"])

    stage.plan(call("new_tab", url="/mail"), notes.then(close), notes.then(done("Compared.")))
    panel.send("Compare.", "act")
    turn = panel.wait_over()
    assert notes.results[1]["success"] is True
    assert turn.warnings == []
    assert opened(stage, site, "/mail") == []
    assert tab.page.eval("document.visibilityState") == "visible"
