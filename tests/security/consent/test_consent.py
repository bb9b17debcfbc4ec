"""No approval without a person's own click, and no effect but the one that was shown.

Every test has its control: the same page and the same call with an honest yes, which the counter on the page
sees (``test_control_*``, and the last lines of the others).
"""

import json
from typing import Any

import pytest

from tests.security.consent.pages import RLO
from tests.support.browsers import Tab
from tests.support.port import Port
from tests.support.screens import Panel, Turn
from tests.support.script import call, done, last_result, on_ref, see, tree
from tests.support.small_site import SmallSite
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall

CARD = "section[data-card]"
ALLOW = f'{CARD} [data-option="once"]'
GUARD = f"{CARD}[data-ready=true]"
INVISIBLE = "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))))


class Try:
    """One call that needs a yes, stopped at its card."""

    def __init__(self, stage: Stage, tab: Tab, panel: Panel) -> None:
        self.stage, self.tab, self.panel = stage, tab, panel
        self.results: list[dict[str, Any]] = []
        self.text = ""

    def ask(self, *before: Any) -> "Try":
        """Have the model look, make the call and look at what came of it; stop at the card."""
        self.stage.plan(see(), *before, self.seen)
        self.panel.send("Do it.", "act")
        self.text = self.panel.wait_card()
        return self

    def seen(self, model_call: ModelCall) -> Answer:
        """The model's last step: keep what came of the call."""
        self.results.append(last_result(model_call).result)
        return done("Tried.", "partial")

    def press(self, name: str = "Show more") -> "Try":
        """A click on the button of that name."""
        return self.ask(on_ref("click_ax", name))

    @property
    def effects(self) -> list[str]:
        """What the page says was done to it."""
        found: list[str] = self.tab.page.eval("window.effects ?? []")
        return found

    def say_yes(self) -> Turn:
        """A person's yes, and the end of the run."""
        self.panel.answer("once")
        return self.panel.wait_over()

    def card_id(self) -> str:
        """Of the open card."""
        found: str = self.panel.page.eval(f"document.querySelector('{CARD}').getAttribute('aria-labelledby')")
        return found.removeprefix("card-")


@pytest.fixture
def shop(stage: Stage, site: SmallSite) -> Try:
    """A page that counts, with its panel."""
    return Try(stage, *stage.open(f"{site.url}/"))


def test_control_a_click_of_a_person_is_a_yes(shop: Try, site: SmallSite) -> None:
    """The counters see what is allowed: the click, and the form."""
    shop.press()
    assert "Show more" in shop.text
    assert site.url.removeprefix("http://") in shop.text
    shop.say_yes()
    assert shop.effects == ["go"]
    shop.press("Pay")
    assert "ada@bank.example" in shop.text
    shop.say_yes()
    assert [method for method, _ in site.asked("/sent")] == ["POST"]


def test_control_a_no_and_silence_do_nothing(shop: Try) -> None:
    shop.press()
    assert shop.effects == []
    shop.panel.answer("deny")
    shop.panel.wait_over()
    assert shop.effects == []
    assert shop.results[0]["denied"] is True


SYNTHETIC = {
    "click()": "b.click()",
    "dispatched click": "b.dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1}))",
    "whole press": "for (const t of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])"
    " b.dispatchEvent(new (t[0] === 'p' ? PointerEvent : MouseEvent)(t, {bubbles: true, detail: 1}))",
    "keys": "b.focus(); for (const t of ['keydown', 'keypress', 'keyup'])"
    " b.dispatchEvent(new KeyboardEvent(t, {key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true}))",
    "after a real press elsewhere": "document.body.dispatchEvent(new PointerEvent('pointerdown')); b.click()",
}


@pytest.mark.parametrize("script", SYNTHETIC.values(), ids=SYNTHETIC)
def test_a_click_that_a_script_made_is_no_answer(shop: Try, script: str) -> None:
    shop.press()
    shop.panel.page.wait_for(GUARD)
    shop.panel.page.eval(
        f"(() => {{ const b = document.querySelector('{ALLOW}'); {script}; return true }})()"
    )
    shop.panel.page.eval("new Promise((later) => setTimeout(() => later(true), 300))")
    assert shop.panel.page.exists(CARD)
    assert shop.effects == []
    shop.say_yes()
    assert shop.effects == ["go"]


def test_a_click_under_way_when_the_card_came_is_no_answer(shop: Try) -> None:
    """Where the button will be there is none to press yet, and it takes nothing for half a second."""
    shop.panel.page.eval(
        f"""(() => {{ window.early = []; new MutationObserver(() => {{
          const b = document.querySelector('{ALLOW}');
          if (b && !early.length) early.push(b.disabled, performance.now());
          if (b && !b.disabled && early.length === 2) early.push(performance.now());
        }}).observe(document.body, {{subtree: true, childList: true, attributes: true}}); return true }})()"""
    )
    shop.press()
    shop.panel.page.wait_for(GUARD)
    disabled, shown, ready = shop.panel.page.wait("window.early.length === 3 && window.early")
    assert disabled
    assert ready - shown >= 450
    shop.panel.answer("deny")
    shop.panel.wait_over()


def test_double_approval_is_one_effect(shop: Try, port: Port) -> None:
    shop.press()
    card = shop.card_id()
    shop.panel.page.wait_for(GUARD)
    box = shop.panel.page.eval(
        f"(() => {{ const r = document.querySelector('{ALLOW}').getBoundingClientRect();"
        " return [r.x + r.width / 2, r.y + r.height / 2] })()"
    )
    for _ in range(3):
        shop.panel.page.click_at(*box)
    shop.panel.wait_over()
    assert shop.effects == ["go"]
    with pytest.raises(RuntimeError, match="card_gone"):
        port.call("card.answer", tabId=shop.tab.id, cardId=card, answer="once")
    assert shop.effects == ["go"]


def test_a_stale_window_cannot_answer(shop: Try, port: Port) -> None:
    """A second panel that missed the answer, and the card of a run that is over."""
    shop.press()
    old = shop.card_id()
    second = shop.stage.open_panel(shop.tab)
    second.wait_card()
    shop.panel.stop()
    shop.stage.script.clear()
    second.wait_over()
    assert not second.page.exists(CARD)
    shop.press()
    for tab, card in ((shop.tab.id, old), (shop.tab.id + 1, shop.card_id())):
        with pytest.raises(RuntimeError, match="card_gone"):
            port.call("card.answer", tabId=tab, cardId=card, answer="once")
    assert shop.effects == []
    shop.say_yes()
    assert shop.effects == ["go"]


def test_a_question_dies_with_python(shop: Try, port: Port) -> None:
    shop.press()
    card = shop.card_id()
    # The run goes on by itself, and the model has nothing more to say.
    shop.stage.script.clear()
    shop.stage.browser.kill_python()
    shop.panel.page.wait_for("article.turn[data-status=interrupted]", timeout=60)
    assert not shop.panel.page.exists(CARD)
    with pytest.raises(RuntimeError, match="card_gone"):
        port.call("card.answer", tabId=shop.tab.id, cardId=card, answer="once")
    assert shop.effects == []
    shop.stage.script.clear()


CHANGES = {
    "reload": "location.reload()",
    "another page": "location.href = '/framed'",
    "another site": "location.href = 'OTHER/framed'",
    "another name": "go.textContent = 'Delete everything'",
    "another element": "go.replaceWith(Object.assign(document.createElement('button'),"
    " {textContent: 'Delete everything', onclick: () => took('other')}))",
    "a submit button": "document.forms[0].prepend(go)",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changed_after_the_question_is_not_done(shop: Try, site: SmallSite, change: str) -> None:
    shop.press()
    script = change.replace("OTHER", site.other)
    shop.tab.page.eval(f"(() => {{ setTimeout(() => {{ {script} }}, 0); return true }})()")
    shop.panel.page.eval("new Promise((later) => setTimeout(() => later(true), 700))")
    shop.say_yes()
    assert shop.effects == []
    assert shop.results[0]["success"] is False
    assert not site.asked("/sent")


FORMS = {
    "the receiver": "document.forms[0].to.value = 'eve@evil.example'",
    "the amount": "document.forms[0].amount.value = '10000'",
    "where it goes": "document.forms[0].action = 'OTHER/sent'",
    "another field": "document.forms[0].append(Object.assign(document.createElement('input'),"
    " {name: 'extra', value: 'all of it'}))",
}


@pytest.mark.parametrize("change", FORMS.values(), ids=FORMS)
def test_a_form_that_is_not_the_one_shown_is_not_sent(shop: Try, site: SmallSite, change: str) -> None:
    shop.press("Pay")
    shop.tab.page.eval(f"(() => {{ {change.replace('OTHER', site.other)}; return true }})()")
    shop.say_yes()
    assert shop.results[0]["code"] == "form_changed"
    assert shop.effects == []
    assert not site.asked("/sent")


def test_the_card_shows_names_that_cannot_deceive(stage: Stage, site: SmallSite) -> None:
    """A Cyrillic letter in the host's name, and direction marks in title and label."""
    host = "xn--pypal-4ve.localhost"
    deceiver = Try(stage, *stage.open(site.url.replace("127.0.0.1", host) + "/bidi"))
    deceiver.ask(first_button)
    assert host in deceiver.text
    assert "\u0430" not in deceiver.text
    html = deceiver.panel.page.eval(f"document.querySelector('{CARD}').textContent")
    assert not set(html) & {*INVISIBLE, RLO}
    assert "letters" in deceiver.text
    deceiver.panel.answer("deny")
    deceiver.panel.wait_over()
    assert deceiver.effects == []


def first_button(model_call: ModelCall) -> Answer:
    """Press whatever button the page has."""
    button = next(node for node in tree(model_call) if node.role == "button")
    return call("click_ax", ref_id=button.ref)


def test_no_page_can_show_our_cards_or_reach_them(shop: Try, site: SmallSite) -> None:
    """The panel cannot be put under an overlay: it cannot be framed, opened or found by a page."""
    shop.press()
    origin = shop.stage.browser.origin
    panel = f"{origin}/sidepanel.html?tabId={shop.tab.id}"
    shop.tab.page.eval(
        f"""(() => {{ const f = document.createElement('iframe'); f.src = {json.dumps(panel)};
        document.body.append(f); try {{ window.open({json.dumps(panel)}) }} catch {{}} return true }})()"""
    )
    shop.tab.page.eval("new Promise((later) => setTimeout(() => later(true), 800))")
    inside = shop.tab.page.eval(
        "(() => { try { return document.querySelector('iframe').contentDocument?.body?.textContent ?? '' }"
        " catch { return '' } })()"
    )
    assert "Allow" not in inside
    shown = shop.stage.browser.control.eval(
        f"(globalThis.browser ?? chrome).webNavigation.getAllFrames({{tabId: {shop.tab.id}}})"
        ".then((all) => all.map(({url}) => url))"
    )
    assert not any(url.startswith(f"{origin}/sidepanel") for url in shown), shown
    assert "Work on" not in shop.tab.page.eval("document.documentElement.outerHTML")
    assert shop.effects == []
    shop.say_yes()
    assert shop.effects == ["go"]


def test_a_question_waits_for_a_panel_with_a_mark_on_the_button(stage: Stage, site: SmallSite) -> None:
    tab, panel = stage.open(f"{site.url}/")
    attempt = Try(stage, tab, panel)
    mark = (
        "((globalThis.browser ?? chrome).action ?? (globalThis.browser ?? chrome).browserAction)"
        ".getBadgeText({})"
    )
    assert stage.browser.control.eval(mark) == ""
    attempt.press()
    stage.browser.control.wait(f"{mark}.then((text) => text !== '')", what="the mark")
    panel.close()
    stage.panels.remove(panel)
    attempt.panel = stage.open_panel(tab)
    assert "Show more" in attempt.panel.wait_card()
    assert attempt.effects == []
    attempt.say_yes()
    assert attempt.effects == ["go"]
    stage.browser.control.wait(f"{mark}.then((text) => text === '')", what="the mark to go")
