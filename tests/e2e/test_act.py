"""Doing a task on a page: the form is filled in, the person is asked, the shop gets one order."""

from collections.abc import Iterator

import pytest

from tests.support.approve import approve
from tests.support.browsers import Browser
from tests.support.screens import Panel
from tests.support.script import done, on_ref, see
from tests.support.stage import CHROMIUM_ONLY, Stage, choose_model
from tests.support.whole import WHOLE
from webbrain.testing.demo import plan, think
from webbrain.testing.model_server import ModelServer
from webbrain.testing.site import Shop

SEEDS = range(20)
EVERY_WORD = (0, 2, 3, 4, 5, 9, 10, 11, 14)
"""Together they use every label, tie, person and sentence that all the seeds use."""
IN_BOTH = SEEDS if WHOLE else (0, 2, 10)
"""What the page says is read by the same content script in both browsers."""
IN_ONE = [seed for seed in EVERY_WORD if seed not in IN_BOTH]


@pytest.fixture(scope="module")
def demo(browser: Browser) -> Iterator[ModelServer]:
    """The browser with the demo model chosen."""
    with ModelServer(think, model="webbrain-demo", plan=plan) as model:
        choose_model(browser, model)
        yield model


@pytest.mark.parametrize("seed", IN_BOTH)
def test_demo_model_orders(browser: Browser, demo: ModelServer, seed: int) -> None:
    """Whatever the seed makes of the shop, exactly the wanted order is placed, once."""
    order(browser, demo, seed)


@pytest.mark.parametrize("engine", CHROMIUM_ONLY, scope="module", indirect=True)
@pytest.mark.parametrize("seed", IN_ONE)
def test_demo_model_finds_other_words(browser: Browser, demo: ModelServer, seed: int) -> None:
    """The other wordings of the shop; ``make test-all`` has all seeds in both browsers."""
    order(browser, demo, seed)


def order(browser: Browser, demo: ModelServer, seed: int) -> None:
    """Give the shop's task to the demo model and compare what the shop got."""
    with Shop(seed) as shop:
        tab = browser.open_tab(shop.url)
        panel = Panel(browser, tab)
        panel.send(shop.task, "act")
        assert approve(panel).startswith(f"Work on {shop.url.removeprefix('http://')}?")
        card = panel.wait_card()
        if card.startswith("Press"):  # a link whose name says that it buys
            approve(panel)
            card = panel.wait_card()
        assert "127.0.0.1" in card
        assert shop.expected.email in card
        assert not shop.submissions
        panel.answer("once")
        turn = panel.wait_over()
        panel.close()
        tab.page.close()
        assert shop.fulfilled(), f"{turn.steps} {turn.text} {shop.placed} instead of {shop.expected}"
        assert turn.status == "completed"
        assert shop.placed[0].number in turn.text
    assert not demo.refused


def test_demo_model_says_no_on_a_wrong_page(browser: Browser, demo: ModelServer) -> None:
    """Nothing fits, so nothing is done and the run says so."""
    with Shop(1) as shop:
        tab = browser.open_tab(f"{shop.url}/about")
        panel = Panel(browser, tab)
        panel.send(shop.task, "act")
        turn = panel.wait_over()
        panel.close()
        tab.page.close()
        assert "cannot" in turn.text
        assert not shop.submissions


def _filled_in(stage: Stage) -> None:
    for field, value in (("Full name", "Ada Lovelace"), ("E-mail address", "ada@example.com")):
        stage.plan(see(), on_ref("set_field", field, text=value))


def test_form_is_not_sent_when_the_person_says_no(stage: Stage) -> None:
    """The card comes before anything goes out; No means that the shop hears nothing, and the run goes on."""
    tab, panel = stage.open("/order?product=blue-teapot")
    _filled_in(stage)
    stage.plan(see(), on_ref("click_ax", "Place order", "button"), done("Not sent.", "partial"))
    panel.send("Order a teapot.", "act")
    card = panel.wait_card()
    assert "Ada Lovelace" in card
    panel.answer("deny")
    turn = panel.wait_over()
    assert not stage.shop.submissions
    assert tab.page.eval("location.pathname") == "/order"
    assert "Not sent." in turn.text
    stage.settled()


def test_enter_in_a_form_field_asks_too(stage: Stage) -> None:
    """A form can be sent without its button: that way is guarded as well."""
    _, panel = stage.open("/order?product=blue-teapot")
    stage.plan(see(), on_ref("set_field", "Full name", text="Ada", submit=True), done("Not sent.", "partial"))
    panel.send("Order a teapot.", "act")
    panel.wait_card()
    panel.answer("deny")
    panel.wait_over()
    assert not stage.shop.submissions
    stage.settled()


def test_search_works_and_combobox_keeps_what_was_chosen(stage: Stage) -> None:
    """The strict combobox: typed text alone is wiped, so the suggestion must be picked."""
    tab, panel = stage.open("/order?product=oak-stool")
    stage.plan(
        see(),
        on_ref("set_field", "City", "combobox", text="Lis"),
        see(),
        on_ref("click_ax", "Lisburn", "option"),
        done("The city is chosen."),
    )
    panel.send("Choose Lisburn as the city. Do not order.", "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    tab.page.eval("document.querySelector('[role=combobox]').blur()")
    assert tab.page.eval("document.querySelector('[role=combobox]').value") == "Lisburn"
    stage.settled()


def test_steps_open_to_show_arguments_and_results(stage: Stage) -> None:
    """A person can see what a tool was asked and what it said."""
    _, panel = stage.open("/")
    stage.plan(see(filter="interactive"), done("Seen."))
    panel.send("Look at the page.", "act")
    panel.wait_over()
    panel.page.click('[data-tool="get_accessibility_tree"] .step-row')
    panel.page.wait_for(".step-details")
    details = panel.page.text(".step-details")
    assert '"filter"' in details
    assert "Blue teapot" in details
