# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Single keys and what a browser does on them."""

from typing import Any

import pytest

from tests.content.harness import Tab


def test_enter_submits_by_the_default_button(tab: Tab) -> None:
    tab.show(
        "<form onsubmit=\"document.title = event.submitter?.id ?? 'none'; return false\"><input id=i aria-label=I><input aria-label=J><button id=first>A</button><button id=second>B</button></form>"
    )
    tab.js("i.focus()")
    answer = tab.call("press_keys", key="Enter")
    assert tab.js("document.title") == "first"
    assert any(c.startswith("submitted") for c in answer["changed"])


@pytest.mark.parametrize(
    ("inside", "sent"),
    [
        ("<input id=i>", True),
        ("<input id=i><input>", False),
        ("<input id=i><input type=checkbox>", True),
        ("<input id=i><button disabled>x</button>", False),
        ("<input id=i onkeydown='event.preventDefault()'><button>x</button>", False),
        ("<textarea id=i></textarea><button>x</button>", False),
        ("<input id=i><button type=button>x</button>", True),
    ],
)
def test_implicit_submission(tab: Tab, inside: str, sent: bool) -> None:
    tab.show(f"<form onsubmit=\"document.title='sent'; return false\">{inside}</form>")
    tab.js("i.focus()")
    tab.call("press_keys", key="Enter")
    assert (tab.js("document.title") == "sent") is sent


def test_enter_elsewhere(tab: Tab) -> None:
    tab.show(
        "<textarea id=t>ab</textarea><button id=b onclick=\"document.title='pressed'\">B</button><a id=a href='#x'>A</a><summary id=s>S</summary>"
    )
    tab.js("t.focus(); t.setSelectionRange(1, 1)")
    tab.call("press_keys", key="Enter")
    assert tab.js("t.value") == "a\nb"
    tab.js("b.focus()")
    tab.call("press_keys", key="Enter")
    assert tab.js("document.title") == "pressed"
    tab.js("a.focus()")
    tab.call("press_keys", key="Enter")
    assert tab.js("location.hash") == "#x"


def test_tab_moves_the_focus(tab: Tab) -> None:
    tab.show(
        "<input id=a><input id=b disabled><div id=c tabindex=0>c</div><input id=d style='display:none'><button id=e tabindex=-1>e</button><a id=f href='#'>f</a>"
    )
    seen = []
    for _ in range(4):
        tab.call("press_keys", key="Tab")
        seen.append(tab.js("document.activeElement.id"))
    assert seen == ["a", "c", "f", "a"]
    tab.call("press_keys", key="Tab", repeat=2)
    assert tab.js("document.activeElement.id") == "f"


def test_escape_closes(tab: Tab) -> None:
    tab.show("<dialog id=d><button>x</button></dialog><div popover id=p>pop</div>")
    tab.js("d.showModal()")
    answer = tab.call("press_keys", key="Escape")
    assert not tab.js("d.open")
    assert any(c.startswith("closed: dialog") for c in answer["changed"])
    tab.js("p.showPopover()")
    tab.call("press_keys", key="Escape")
    assert not tab.js("p.matches(':popover-open')")
    tab.js("d.oncancel = (e) => e.preventDefault(); d.showModal()")
    tab.call("press_keys", key="Escape")
    assert tab.js("d.open")


@pytest.mark.parametrize(
    ("html", "key", "expression", "value"),
    [
        ("<select id=x><option>1<option disabled>2<option>3</select>", "ArrowDown", "x.value", "3"),
        ("<input id=x type=number value=5 step=2>", "ArrowUp", "x.value", "7"),
        ("<input id=x type=range value=50>", "ArrowLeft", "x.value", "49"),
        (
            "<input type=radio name=r id=x checked><input type=radio name=r id=y>",
            "ArrowDown",
            "y.checked",
            True,
        ),
        ("<input id=x value=abc>", "ArrowLeft", "x.selectionStart < 3", True),
    ],
)
def test_arrows(tab: Tab, html: str, key: str, expression: str, value: Any) -> None:
    tab.show(f"{html}<script>window.changes = 0; x.addEventListener('change', () => changes++)</script>")
    tab.js("x.focus(); x.setSelectionRange && x.type === 'text' && x.setSelectionRange(3, 3)")
    assert tab.call("press_keys", key=key)["success"]
    assert tab.js(expression) == value


def test_arrows_scroll_the_page(tab: Tab) -> None:
    tab.show("<div style='height:5000px'>x</div>")
    tab.call("press_keys", key="ArrowDown", repeat=3)
    assert tab.js("scrollY") == 120


@pytest.mark.parametrize("key", ["a", "Control+A", "F5", "", None])
def test_other_keys_are_refused(tab: Tab, key: Any) -> None:
    answer = tab.show("<p>x</p>").call("press_keys", key=key)
    assert (answer["success"], answer["code"]) == (False, "bad_key")


def test_a_page_can_handle_keys_itself(tab: Tab) -> None:
    tab.show(
        "<div role=listbox tabindex=0 id=l aria-label=L><div role=option id=o1>1</div><div role=option id=o2>2</div></div><script>let n = 0; l.onkeydown = (e) => { e.preventDefault(); document.title = e.key + ++n; };</script>"
    )
    tab.js("l.focus()")
    answer = tab.call("press_keys", key="ArrowDown", repeat=2)
    assert answer["handledByPage"]
    assert tab.js("document.title") == "ArrowDown2"
