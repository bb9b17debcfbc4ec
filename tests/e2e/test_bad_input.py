"""Models talk nonsense, pages misbehave: a clear, short answer, and the run goes on or ends cleanly."""

import pytest

from tests.support.screens import Panel, Turn
from tests.support.script import call, done, last_result, on_ref, see, tree
from tests.support.stage import CHROMIUM_ONLY, ENGINES, Stage
from tests.support.whole import WHOLE
from webbrain.testing.chat import Call, ModelCall, Reply

LONGEST_ANSWER = 8_000
"""What a tool result may take of the model's context, without the wrapper."""
WRAPPER = 400


def results(stage: Stage) -> list[str]:
    """Every tool result that the model has been shown."""
    return [turn.text for turn in stage.model.calls[-1].turns if turn.role == "tool"]


def finish(stage: Stage, panel: Panel, task: str = "Try it.") -> Turn:
    """Run what was planned and expect a clean end with nothing malformed on the way."""
    panel.send(task, "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert all(len(text) <= LONGEST_ANSWER + WRAPPER for text in results(stage))
    stage.settled()
    return turn


@pytest.mark.same_in_firefox
def test_tool_call_with_broken_json(stage: Stage) -> None:
    """The model is told what was wrong with its arguments, and can mend it."""
    _, panel = stage.open("/about")
    stage.plan(Reply(calls=(Call("scroll", '{"direction": "down"'),)), call("scroll", direction="down"))
    stage.plan(done("Mended."))
    turn = finish(stage, panel)
    assert "Mended." in turn.text
    assert any("json" in text.lower() for text in results(stage))


@pytest.mark.same_in_firefox
def test_unknown_tool(stage: Stage) -> None:
    """A tool that does not exist is refused by name."""
    _, panel = stage.open("/about")
    stage.plan(call("launch_rocket", target="moon"), done("I have no rocket.", "failed"))
    finish(stage, panel)
    assert "launch_rocket" in results(stage)[0]


@pytest.mark.same_in_firefox
def test_unknown_argument(stage: Stage) -> None:
    """Unknown properties are refused, not ignored."""
    _, panel = stage.open("/about")
    stage.plan(call("scroll", direction="down", speed="ludicrous"), done("Slower, then.", "partial"))
    finish(stage, panel)
    assert "speed" in results(stage)[0]


@pytest.mark.same_in_firefox
@pytest.mark.parametrize("ref", ["ref_999999", "the blue button", ""])
def test_unknown_ref(stage: Stage, ref: str) -> None:
    """Nothing is clicked, and the model is told to look again."""
    _, panel = stage.open("/about")
    stage.plan(see(), call("click_ax", ref_id=ref), done("It was not there.", "failed"))
    turn = finish(stage, panel)
    assert turn.steps[1]["state"] == "failed"
    assert stage.shop.hits["/"] == 0


@pytest.mark.same_in_firefox
def test_calls_without_end(stage: Stage) -> None:
    """Nonsense several times in a row ends the run with words, instead of going on for ever."""
    _, panel = stage.open("/about")
    stage.plan(*[Reply(calls=(Call("scroll", "{"),))] * 12)
    panel.send("Try it.", "act")
    turn = panel.wait_over()
    assert turn.status in ("failed", "stopped", "max_steps")
    assert turn.error_text or turn.text
    assert not stage.model.refused


def test_page_that_leaves_under_a_tool(stage: Stage) -> None:
    """A click that navigates is a success that says so; the next read is of the new page."""
    tab, panel = stage.open("/hostile/leaves")
    stage.plan(see(), on_ref("click_ax", "Leave", "button"), see(), done("It left."))
    finish(stage, panel)
    assert tab.page.eval("location.pathname") == "/about"
    assert "About the shop" in results(stage)[2]


def test_page_that_leaves_while_something_waits(stage: Stage) -> None:
    """What is waited for may be on the page that comes next, so the rest of the time is spent there."""
    _, panel = stage.open("/hostile/leaves?after=1500")
    stage.plan(call("wait_for_element", selector="h1[data-next]", timeout=6_000), see(), done("Gone."))
    turn = finish(stage, panel)
    assert turn.steps[0]["state"] in ("ok", "failed")
    assert "About the shop" in results(stage)[1]


def test_closed_tab_is_told_apart(stage: Stage) -> None:
    """The panel of a tab that was closed says that it is gone."""
    tab, panel = stage.open("/about")
    stage.browser.close_tab(tab)
    panel.page.wait("document.querySelector('.notice, .composer-note').innerText.length > 0")
    panel.page.wait("document.querySelector('#composer').disabled || document.querySelector('.notice')")


def test_page_of_the_browser(stage: Stage) -> None:
    """The browser keeps extensions out of its own pages: said plainly, and navigating away works."""
    tab = stage.open_tab("/about")
    tab.page.goto("chrome://version" if stage.browser.name == "chromium" else "about:support")
    panel = stage.open_panel(tab)
    stage.plan(see(), call("navigate", url=f"{stage.shop.url}/about"), see(), done("There."))
    finish(stage, panel)
    first, _, last = results(stage)
    assert "restricted_page" in first
    assert "About the shop" in last


def test_page_without_a_body(stage: Stage) -> None:
    """An empty tree, not an error of ours."""
    _, panel = stage.open("/hostile/no-body")
    stage.plan(see(), call("read_page"), call("scroll", direction="down"), done("Nothing there."))
    finish(stage, panel)
    assert "TypeError" not in " ".join(results(stage))


def test_drawing_instead_of_a_page(stage: Stage) -> None:
    """An SVG document has no body either."""
    _, panel = stage.open("/hostile/drawing.svg")
    stage.plan(see(), call("read_page"), done("A drawing."))
    finish(stage, panel)
    assert "TypeError" not in " ".join(results(stage))


def test_page_that_never_finishes_loading(stage: Stage) -> None:
    """What has arrived can be read and used; nothing waits for the rest."""
    _, panel = stage.open("/hostile/never", wait=False)
    stage.plan(see(), on_ref("click_ax", "Press me", "button"), done("Pressed."))
    finish(stage, panel)
    assert "Half a page" in results(stage)[0]
    stage.shop.release("never")


# Half a minute, counted by the same code in both browsers; a page of Firefox that is silent for as long is in
# tests/cases/test_tabs.py.
@pytest.mark.parametrize("engine", ENGINES if WHOLE else CHROMIUM_ONLY, scope="module", indirect=True)
def test_navigation_that_never_answers(stage: Stage) -> None:
    """A server that is silent does not hold the run for ever: navigate comes back with what it knows."""
    _, panel = stage.open("/about")
    stage.plan(call("navigate", url=f"{stage.shop.url}/hostile/slow"), done("It does not answer.", "failed"))
    panel.send("Go there.", "act")
    turn = panel.wait_over(180)
    assert turn.status == "completed"
    assert "not answered within 30 seconds" in results(stage)[0]
    stage.shop.release("slow")
    stage.settled()


def test_page_with_a_hundred_thousand_nodes(stage: Stage) -> None:
    """The tree comes in pages, quickly, and the model's share stays small."""
    _, panel = stage.open("/hostile/huge")

    def next_page(seen: ModelCall) -> Reply:
        arguments = last_result(seen).result.get("continuationArgs")
        assert arguments, last_result(seen).text[:500]
        return see(**arguments)

    stage.plan(see(), next_page, call("read_page"), done("It is long."))
    turn = finish(stage, panel)
    assert [step["state"] for step in turn.steps[:3]] == ["ok", "ok", "ok"]


def test_attribute_of_a_million_characters(stage: Stage) -> None:
    """Names, addresses and values are cut, and the element can still be used."""
    _, panel = stage.open("/hostile/attribute")
    stage.plan(see(), _click_first_button, done("Clicked."))
    turn = finish(stage, panel)
    assert turn.steps[1]["state"] == "ok", results(stage)[1][:500]
    assert "x" * 200 not in results(stage)[0]


def _click_first_button(seen: ModelCall) -> Reply:
    button = next(node for node in tree(seen) if node.role == "button" and node.ref)
    return call("click_ax", ref_id=button.ref)
