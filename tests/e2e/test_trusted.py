"""Input through the debugger: what only a person's own pointer and keys do, and a debugger that is lost.

Firefox has no debugger for extensions; there the page makes the events, and what pages refuse stays undone.
"""

import threading
from collections.abc import Iterator

import pytest

from tests.support.browsers import Browser
from tests.support.page_site import PageSite
from tests.support.port import Port
from tests.support.script import Results, call, done, on_ref, see, tree
from tests.support.stage import CHROMIUM_ONLY, Stage
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop

SAID = "<p id=said>nothing</p><script>const say = (t) => { said.textContent = t; }</script>"
PAGES = {
    "/real": f"""{SAID}<div id=chip style="cursor:pointer;width:160px;height:40px">Blue theme</div>
        <script>chip.addEventListener('click', (e) => {{ if (e.isTrusted) say('blue'); }})</script>""",
    "/sends": f"""{SAID}<div id=chip style="cursor:pointer;width:160px;height:40px">Blue theme</div>
        <script>let presses = 0; chip.addEventListener('click', (e) => {{
          presses += 1; fetch('/count', {{method: 'POST'}}); }})</script>""",
    "/count": "",
    "/place": f"""{SAID}<canvas id=map width=200 height=100 style="position:fixed;left:0;top:100px"></canvas>
        <script>map.addEventListener('click', (e) => say(`${{e.isTrusted}} ${{e.offsetX}},${{e.offsetY}}`))
        </script>""",
    "/keys": f"""{SAID}<input id=field autofocus><script>
        field.addEventListener('keydown', (e) => say(`${{e.isTrusted}} ${{e.key}}`))</script>""",
    "/menu": f"""<style>#sub {{ display: none }} #menu:hover #sub {{ display: block }}</style>{SAID}
        <div id=menu style="cursor:pointer" onmouseenter="say('over ' + event.isTrusted)">Products
        <div id=sub>Teapots</div></div>""",
    "/drag": f"""{SAID}<div id=card draggable=true style="width:120px;height:40px">Card</div>
        <div id=box role=group aria-label=Box style="margin-top:80px;width:200px;height:80px">Box</div>
        <script>card.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'the card');
        box.ondragover = (e) => e.preventDefault();
        box.ondrop = (e) => say(`${{e.isTrusted}} ${{e.dataTransfer.getData('text/plain')}}`);</script>""",
}


@pytest.fixture(scope="module", params=CHROMIUM_ONLY)
def engine(request: pytest.FixtureRequest) -> str:
    """Chromium."""
    return str(request.param)


@pytest.fixture(scope="module")
def module_stage(browser: Browser) -> Iterator[Stage]:
    """The stage with a model of the full tier, which has all tools."""
    script = Script()
    with Shop() as shop, ModelServer(script) as model:
        Port(browser).choose_model(model.url, model.model, {})
        yield Stage(browser, shop, model, script)


@pytest.fixture(scope="module")
def site() -> Iterator[PageSite]:
    """Pages that tell a person's input from a page's."""
    with PageSite(PAGES) as running:
        yield running


def test_a_page_that_takes_real_presses_only(stage: Stage, site: PageSite) -> None:
    tab, panel = stage.open(f"{site.url}/real")
    seen = Results()
    stage.plan(see(), on_ref("click_ax", "Blue theme"), seen.then(done("Blue.")))
    panel.send("Make it blue.", "act")
    panel.wait_over()
    assert tab.page.text("#said") == "blue"
    assert any("blue" in change for change in seen.results[0]["changed"])


def test_a_click_that_sent_something_is_never_pressed_again(stage: Stage, site: PageSite) -> None:
    """The control: nothing on the page shows the first click, but the browser saw what it sent."""
    tab, panel = stage.open(f"{site.url}/sends")
    stage.plan(see(), on_ref("click_ax", "Blue theme"), done("Blue."))
    panel.send("Make it blue.", "act")
    panel.wait_over()
    assert site.count("/count") == 1
    assert tab.page.eval("presses") == 1


def test_a_click_at_a_place_lands_there(stage: Stage, site: PageSite) -> None:
    tab, panel = stage.open(f"{site.url}/place")
    stage.plan(call("click", x=50, y=130), done("Clicked."))
    panel.send("Click the map.", "act")
    panel.wait_over()
    assert tab.page.text("#said") == "true 50,30"


def test_keys_are_real(stage: Stage, site: PageSite) -> None:
    tab, panel = stage.open(f"{site.url}/keys")
    tab.page.click("#field")
    stage.plan(call("press_keys", key="ArrowDown"), done("Pressed."))
    panel.send("Press down.", "act")
    panel.wait_over()
    assert tab.page.text("#said") == "true ArrowDown"


def test_a_menu_that_opens_under_the_pointer(stage: Stage, site: PageSite) -> None:
    tab, panel = stage.open(f"{site.url}/menu")
    stage.plan(see(), on_ref("hover", "Products"), done("Open."))
    panel.send("Open the menu.", "act")
    panel.wait_over()
    assert tab.page.text("#said") == "over true"
    assert tab.page.eval("getComputedStyle(sub).display") == "block"


def test_a_drag_carries_its_data(stage: Stage, site: PageSite) -> None:
    tab, panel = stage.open(f"{site.url}/drag")

    def drag(model_call: ModelCall) -> Answer:
        refs = {node.name: node.ref for node in tree(model_call) if node.ref}
        return call("drag_drop", fromRefId=refs["Card"], toRefId=refs["Box"])

    stage.plan(see(filter="all"), drag, done("Dragged."))
    panel.send("Put the card into the box.", "act")
    panel.wait_over()
    assert tab.page.text("#said") == "true the card"


def test_a_debugger_that_was_lost_is_attached_again(stage: Stage, site: PageSite) -> None:
    """Somebody ends the session between two steps; the next press arrives all the same."""
    tab, panel = stage.open(f"{site.url}/place")
    seen = Results()
    reached, go_on = threading.Event(), threading.Event()

    def lost_meanwhile(_: ModelCall) -> Answer:
        reached.set()
        assert go_on.wait(20)
        return call("click", x=60, y=140)

    stage.plan(call("click", x=50, y=130), lost_meanwhile, seen.then(done("Clicked.")))
    panel.send("Click twice.", "act")
    assert reached.wait(20)
    stage.browser.control.eval(f"chrome.debugger.detach({{tabId: {tab.id}}}).then(() => true)")
    go_on.set()
    assert panel.wait_over().status == "completed"
    assert seen.results[0]["success"] is True
    assert tab.page.text("#said") == "true 60,40"
