# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Rich editors: text along the browser's own editing path, with keys, judged by the editor's model."""

import pytest

from tests.content.harness import RECORD, Tab


def test_an_editor_that_reads_its_own_dom(tab: Tab) -> None:
    tab.case("44-observing-editor")
    assert tab.fill('textbox "Article"', "First line\nand a second")["verified"]
    tab.until("model.textContent.includes('second')")
    assert tab.js("model.textContent") == '["First line","and a second"]'
    assert tab.fill('textbox "Article"', "All new")["verified"]
    tab.until("model.textContent.includes('All')")
    assert tab.js("model.textContent") == '["All new"]'
    assert tab.type('textbox "Article"', " and more")["verified"]
    tab.until("model.textContent.includes('more')")
    assert tab.js("model.textContent") == '["All new and more"]'


def test_each_character_of_an_editor_has_its_keys(tab: Tab) -> None:
    tab.show(f"<div id=e data-watch contenteditable aria-label=E></div>{RECORD}")
    assert tab.type("textbox", "aB")["verified"]
    kinds = [k for k in tab.js("seen.map((e) => e.type)") if k in {"keydown", "keypress", "input", "keyup"}]
    assert kinds == ["keydown", "keypress", "input", "keyup"] * 2
    assert tab.js("seen.filter((e) => e.type === 'keydown').map((e) => [e.key, e.keyCode])") == [
        ["a", 65],
        ["B", 66],
    ]


def test_an_editor_that_inserts_on_keys_itself(tab: Tab) -> None:
    tab.show(
        "<div id=e contenteditable aria-label=E></div><script>e.onkeypress = (ev) => { ev.preventDefault(); e.append(ev.key.toUpperCase()); }</script>"
    )
    answer = tab.fill("textbox", "abc")
    assert tab.js("e.textContent") == "ABC"
    assert answer["actual"] == "ABC"


def test_an_editor_that_refuses_everything(tab: Tab) -> None:
    tab.show(
        "<div id=e contenteditable aria-label=E>old</div><script>e.onbeforeinput = (ev) => ev.preventDefault()</script>"
    )
    answer = tab.fill("textbox", "new")
    assert (answer["success"], answer["code"], answer["actual"]) == (False, "not_verified", "old")
    assert tab.js("e.textContent") == "old"


def test_a_list_of_mentions_that_opens_while_typing(tab: Tab) -> None:
    tab.show(
        """<div id=e contenteditable aria-label=Comment></div><ul id=l role=listbox hidden></ul><script>
        e.onkeyup = () => { const m = /@(\\w*)$/.exec(e.textContent); l.hidden = !m; if (!m) return;
          l.replaceChildren(...["Ada", "Alan"].filter((n) => n.startsWith(m[1])).map((n) => { const li = document.createElement("li"); li.role = "option"; li.textContent = n; li.onmousedown = (ev) => { ev.preventDefault(); e.textContent = "Hello @" + n; l.hidden = true; }; return li; })); };
        </script>"""
    )
    answer = tab.fill("textbox", "Hello @A")
    assert answer["verified"], answer
    assert any(c.startswith(("opened: listbox", "shown: listbox")) for c in answer["changed"]), answer[
        "changed"
    ]
    assert tab.call("click", text="Alan")["success"]
    assert tab.js("e.textContent") == "Hello @Alan"


def test_line_breaks_press_no_enter(tab: Tab) -> None:
    tab.show(
        "<div id=e contenteditable aria-label=E style='white-space:pre-wrap'></div><script>window.sent = 0; e.onkeydown = (ev) => { if (ev.key === 'Enter') { ev.preventDefault(); sent++; } }</script>"
    )
    assert tab.fill("textbox", "one\ntwo\n\nthree")["verified"]
    assert tab.js("sent") == 0
    assert tab.js("e.innerText.split(/\\n+/).filter(Boolean)") == ["one", "two", "three"]


@pytest.mark.parametrize("length", [399, 401, 1500])
def test_long_texts_in_an_editor(tab: Tab, length: int) -> None:
    tab.show("<div id=e contenteditable aria-label=E></div>")
    text = ("All work and no play. " * 100)[:length].strip()
    assert tab.fill("textbox", text)["verified"]
    assert tab.js("e.innerText.replace(/\\u00a0/g, ' ').trim()") == text


def test_an_editor_that_keeps_losing_the_focus(tab: Tab) -> None:
    tab.show(
        "<div id=e contenteditable aria-label=E></div><input id=o aria-label=Other><script>e.addEventListener('focus', () => setTimeout(() => o.focus(), 0))</script>"
    )
    answer = tab.fill('textbox "E"', "text")
    assert not answer["success"]
    assert (tab.js("o.value"), tab.js("e.textContent")) == ("", "")


# Typing without a reference


def test_type_text_goes_to_the_focus(tab: Tab) -> None:
    tab.show("<input id=i aria-label=I><textarea id=t></textarea>")
    assert tab.call("type_text", text="x")["code"] == "no_focus"
    tab.js("i.focus()")
    answer = tab.call("type_text", text="Ada")
    assert (answer["success"], answer["value"], answer["method"]) == (True, "Ada", "type_text_input")
    assert "warning" not in answer
    again = tab.call("type_text", text=" Lovelace")
    assert "same field" in again["warning"]
    assert tab.js("i.value") == "Ada Lovelace"
    assert "warning" not in tab.call("type_text", text="Grace", clear=True)
    assert tab.js("i.value") == "Grace"
    assert tab.call("type_text", text="a\nb", selector="#t")["verified"]
    assert tab.js("t.value") == "a\nb"


def test_type_text_by_a_selector(tab: Tab) -> None:
    tab.show("<input class=a id=i><input class=a id=j><input class=b hidden><button>B</button>")
    assert tab.call("type_text", text="x", selector=".a")["code"] == "ambiguous"
    assert tab.call("type_text", text="x", selector=".b")["code"] == "not_found"
    assert tab.call("type_text", text="x", selector=".a:has-text(x)")["code"] == "bad_selector"
    assert tab.call("type_text", text="x", selector="button")["code"] == "not_typeable"
    assert tab.js("[i.value, j.value]") == ["", ""]
    assert tab.call("type_text", text="x", selector="#j")["value"] == "x"
    assert tab.js("j.value") == "x"


def test_type_text_refuses_what_takes_none(tab: Tab) -> None:
    tab.show("<input type=checkbox id=c><button id=b>B</button><input readonly id=r>")
    for name, code in (("c", "not_typeable"), ("b", "not_typeable"), ("r", "readonly")):
        tab.js(f"{name}.focus()")
        assert tab.call("type_text", text="x")["code"] == code


def test_a_line_break_typed_into_a_single_line_sends_nothing(tab: Tab) -> None:
    tab.show("<form onsubmit=\"document.title = 'sent'; return false\"><input id=i></form>")
    tab.js("i.focus()")
    tab.call("type_text", text="a\nb")
    assert tab.js("[i.value, document.title]") == ["a b", "Test"]


def test_secrets_stay_on_the_page(tab: Tab) -> None:
    tab.show("<input type=password id=p>")
    tab.js("p.focus()")
    answer = tab.call("type_text", text="hunter2")
    again = tab.call("type_text", text="hunter2")
    assert tab.js("p.value") == "hunter2hunter2"
    assert "hunter2" not in str(answer) + str(again)


# What a field says after it was filled


def test_the_complaint_of_a_field_is_reported(tab: Tab) -> None:
    tab.show(
        "<input type=email aria-label=Mail><input aria-label=Zip pattern='[0-9]{5}' title='five digits'>"
    )
    assert "@" in tab.fill('textbox "Mail"', "nobody")["validationMessage"]
    assert "five digits" in tab.fill('textbox "Zip"', "12")["validationMessage"]
    assert "validationMessage" not in tab.fill('textbox "Zip"', "12345")


def test_a_pop_up_on_focus_stops_the_typing(tab: Tab) -> None:
    tab.show(
        "<input id=i aria-label=User onfocus='d.showModal()'><dialog id=d aria-label=Cookies><button>OK</button></dialog>"
    )
    answer = tab.fill("textbox", "ada")
    assert (answer["success"], answer["code"]) == (False, "inert")
    assert "modal dialog" in answer["error"]
    assert tab.js("i.value") == ""


def test_an_editor_that_loses_its_first_input(tab: Tab) -> None:
    tab.show(
        "<div id=e contenteditable aria-label=E></div><script>let set = false; e.oninput = () => { if (set) return; set = true; const p = document.createElement('p'); p.append(document.createElement('br')); e.replaceChildren(p); getSelection().collapse(p, 0); }</script>"
    )
    assert tab.fill("textbox", "All of it")["verified"]
    assert tab.js("e.innerText.trim()") == "All of it"
    assert tab.js("e.querySelectorAll('p').length") == 1


def test_keys_for_what_is_no_field(tab: Tab) -> None:
    tab.show(
        "<div id=g tabindex=0 style='height:40px'>Game</div><p id=p></p><script>g.onkeydown = (e) => p.append(e.key)</script>"
    )
    tab.js("g.focus()")
    answer = tab.call("type_text", text="wasd")
    assert (answer["success"], answer["method"]) == (True, "type_text_keys"), answer
    assert tab.js("p.textContent") == "wasd"
    tab.js("g.onkeydown = null")
    assert tab.call("type_text", text="w")["code"] == "nothing_changed"
