# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Typing and values, judged by what the page holds afterwards."""

import pytest

from tests.content.harness import RECORD, Tab


def test_each_character_has_its_keys(tab: Tab) -> None:
    tab.show(f"<input data-watch id=i aria-label=I>{RECORD}")
    assert tab.type("textbox", "aB")["verified"]
    assert tab.js("seen.map((e) => e.type)")[1:] == [
        *(["keydown", "keypress", "beforeinput", "input", "keyup"] * 2),
        "change",
    ]
    keys = tab.js(
        "seen.filter((e) => e.type === 'keydown').map((e) => [e.key, e.code, e.keyCode, e.shiftKey])"
    )
    assert keys == [["a", "KeyA", 65, False], ["B", "KeyB", 66, True]]
    assert tab.js("seen.filter((e) => e.type === 'input').map((e) => [e.data, e.inputType])") == [
        ["a", "insertText"],
        ["B", "insertText"],
    ]


def test_a_field_that_refuses_keys_is_reported_as_it_is(tab: Tab) -> None:
    tab.show("<input id=i aria-label=I onkeydown='return /[0-9]/.test(event.key)'>")
    answer = tab.fill("textbox", "a1b2")
    assert (answer["success"], answer["actual"], answer["code"]) == (False, "12", "not_verified")
    assert answer["recoveryRequired"] == "fresh_tree"
    assert tab.js("i.value") == "12"


def test_a_mask_is_told_from_a_refusal(tab: Tab) -> None:
    tab.show(
        "<input id=i aria-label=I oninput=\"this.value = this.value.replace(/\\D/g, '').replace(/^(\\d{3})(\\d)/, '($1) $2')\">"
    )
    answer = tab.fill("textbox", "5551234")
    assert tab.js("i.value") == "(555) 1234"
    assert (answer["success"], answer["verified"], answer["actual"]) == (True, False, "(555) 1234")


def test_a_value_taken_back_later_is_no_success(tab: Tab) -> None:
    tab.show("<input id=i aria-label=I oninput=\"setTimeout(() => this.value = '', 30)\">")
    answer = tab.fill("textbox", "hello")
    assert (answer["success"], answer["actual"]) == (False, "")


def test_adding_and_replacing(tab: Tab) -> None:
    tab.show(
        "<input id=i aria-label=I value=one><textarea id=t aria-label=T>one</textarea><div id=e contenteditable aria-label=E>one</div>"
    )
    for start in ('textbox "I"', 'textbox "T"', 'textbox "E"'):
        assert tab.type(start, " two")["verified"], start
    assert tab.js("[i.value, t.value, e.innerText]") == ["one two"] * 3
    for start in ('textbox "I"', 'textbox "T"', 'textbox "E"'):
        assert tab.fill(start, "three")["verified"], start
    assert tab.js("[i.value, t.value, e.innerText]") == ["three"] * 3
    for start in ('textbox "I"', 'textbox "T"', 'textbox "E"'):
        assert tab.fill(start, "")["verified"], start
    assert tab.js("[i.value, t.value, e.innerText.trim()]") == [""] * 3


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", "Ünïcödé 👩‍👩‍👧 ok", "Ünïcödé 👩‍👩‍👧 ok"),
        ("email", "a@b.example", "a@b.example"),
        ("number", "-1.5", "-1.5"),
        ("tel", "+41 1", "+41 1"),
        ("url", "https://x.example/", "https://x.example/"),
        ("password", "s3cret", "s3cret"),
        ("search", "tea", "tea"),
        ("date", "2031-02-03", "2031-02-03"),
        ("time", "14:30", "14:30"),
        ("datetime-local", "2031-02-03T14:30", "2031-02-03T14:30"),
        ("month", "2031-02", "2031-02"),
        ("week", "2031-W05", "2031-W05"),
        ("color", "#1E90FF", "#1e90ff"),
        ("range", "30", "30"),
    ],
)
def test_every_kind_of_input(tab: Tab, kind: str, text: str, value: str) -> None:
    tab.show(
        f"<input id=i type={kind} aria-label=I><script>i.oninput = () => window.inputs = (window.inputs || 0) + 1; i.onchange = () => window.changed = true;</script>"
    )
    answer = tab.call("set_field", ref_id=tab.ref_of("I"), text=text)
    assert answer["verified"], answer
    assert tab.js("[i.value, window.inputs > 0, window.changed]") == [value, True, True]


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ("type=date", "3 February 2031"),
        ("type=date", "2031-02-30"),
        ("type=date min=2031-03-01", "2031-02-03"),
        ("type=time", "half past two"),
        ("type=month", "2031-13"),
        ("type=color", "blue"),
        ("type=range min=0 max=10", "11"),
        ("type=range", "much"),
    ],
)
def test_values_that_do_not_fit(tab: Tab, attributes: str, text: str) -> None:
    tab.show(f"<input id=i {attributes} aria-label=I>")
    before = tab.js("i.value")
    answer = tab.call("set_field", ref_id=tab.ref_of("I"), text=text)
    assert (answer["success"], answer["code"]) == (False, "bad_value")
    assert "it takes" in answer["error"]
    assert tab.js("i.value") == before


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<input type=checkbox aria-label=I>", "not_typeable"),
        ("<input type=radio aria-label=I>", "not_typeable"),
        ("<input type=color aria-label=I>", "not_typeable"),
        ("<input type=range aria-label=I>", "not_typeable"),
        ("<input type=file aria-label=I>", "file_input"),
        ("<input type=submit value=I>", "not_typeable"),
        ("<button>I</button>", "not_typeable"),
        ("<h1>I</h1>", "not_typeable"),
        ("<input readonly aria-label=I>", "readonly"),
        ("<input disabled aria-label=I>", "disabled"),
    ],
)
def test_what_type_ax_refuses(tab: Tab, html: str, code: str) -> None:
    tab.show(html)
    answer = tab.call("type_ax", ref_id=tab.ref_of("I"), text="x")
    assert (answer["success"], answer["code"]) == (False, code)


def test_set_field_switches(tab: Tab) -> None:
    tab.show("""<input type=checkbox id=c aria-label=C><input type=radio name=r id=a aria-label=A><input type=radio name=r id=b aria-label=B checked>
      <div id=s role=switch aria-checked=false tabindex=0 onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">S</div>""")
    assert tab.fill('checkbox "C"', "true")["verified"]
    assert tab.fill('checkbox "C"', "true")["verified"]
    assert tab.js("c.checked")
    assert tab.fill('checkbox "C"', "no")["verified"]
    assert not tab.js("c.checked")
    assert tab.fill('radio "A"', "true")["verified"]
    assert tab.js("[a.checked, b.checked]") == [True, False]
    assert tab.fill('radio "A"', "false")["code"] == "bad_value"
    assert tab.fill('switch "S"', "on")["verified"]
    assert tab.js("s.getAttribute('aria-checked')") == "true"
    assert tab.fill('checkbox "C"', "perhaps")["code"] == "bad_value"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("Two", ["Two"]),
        ("two ", ["Two"]),
        ("v3", ["Three more"]),
        ("Thr", ["Three more"]),
        ("more", ["Three more"]),
    ],
)
def test_selects_by_text_and_value(tab: Tab, text: str, chosen: list[str]) -> None:
    tab.show(
        "<select id=s aria-label=S><option>One<option>Two<option value=v3>Three more<option disabled>Four</select>"
    )
    answer = tab.type("combobox", text)
    assert (answer["verified"], answer["method"]) == (True, "type_ax_select")
    assert tab.js("[...s.selectedOptions].map((o) => o.text)") == chosen


@pytest.mark.parametrize(("text", "code"), [("Five", "no_option"), ("Four", "no_option"), ("T", "ambiguous")])
def test_options_that_are_not_there(tab: Tab, text: str, code: str) -> None:
    tab.show("<select id=s aria-label=S><option>One<option>Two<option>Three<option disabled>Four</select>")
    answer = tab.fill("combobox", text)
    assert (answer["success"], answer["code"]) == (False, code)
    assert "Two" in answer["options"]
    assert tab.js("s.value") == "One"


def test_several_choices(tab: Tab) -> None:
    tab.show("<select multiple id=s aria-label=S><option>One<option>Two<option>Three, four</select>")
    assert tab.fill("listbox", "One\nThree, four")["verified"]
    assert tab.js("[...s.selectedOptions].map((o) => o.text)") == ["One", "Three, four"]
    assert tab.fill("listbox", "Two")["verified"]
    assert tab.js("[...s.selectedOptions].map((o) => o.text)") == ["Two"]


def test_secrets_do_not_leave_the_page(tab: Tab) -> None:
    tab.show(
        "<input type=password id=p aria-label=Password><input id=t name=api_key aria-label=Key><input id=n aria-label=Name>"
    )
    for start in ('textbox "Password"', 'textbox "Key"'):
        answer = tab.fill(start, "s3cr3t-value")
        assert answer["verified"]
        assert (answer["sensitiveField"], answer["actualRedacted"]) == (True, True)
        assert "s3cr3t" not in str(answer)
    assert tab.js("[p.value, t.value]") == ["s3cr3t-value"] * 2
    assert "sensitiveField" not in tab.fill('textbox "Name"', "Ada")
    assert "s3cr3t" not in tab.tree(filter="all").replace('value="s3cr3t-value"', "", 1)


def test_field_meta(tab: Tab) -> None:
    tab.show(
        "<label for=m>Mail</label><input id=m name=mail type=email autocomplete=email placeholder='you@x'>"
    )
    assert tab.fill('textbox "you@x"', "a@b.example")["fieldMeta"] == {
        "tag": "input",
        "type": "email",
        "name": "mail",
        "id": "m",
        "autocomplete": "email",
        "ariaLabel": "",
        "placeholder": "you@x",
        "labelText": "Mail",
    }


def test_a_maximum_length_is_kept(tab: Tab) -> None:
    tab.show("<input id=i aria-label=I maxlength=3>")
    answer = tab.fill("textbox", "abcdef")
    assert tab.js("i.value") == "abc"
    assert not answer["success"]
    assert "at most 3" in answer["note"]


def test_a_label_or_a_wrapper_stands_for_its_field(tab: Tab) -> None:
    tab.show("<div class=w tabindex=0><span>Search in</span><input id=i aria-label=I></div>")
    assert tab.call("set_field", ref_id=tab.ref("generic"), text="tea")["verified"]
    assert tab.js("i.value") == "tea"


def test_a_field_that_opens_something_and_switches_off(tab: Tab) -> None:
    tab.show("<input id=i aria-label=I onfocus='this.disabled = true'>")
    answer = tab.fill("textbox", "x")
    assert (answer["success"], answer["code"]) == (False, "disabled")


def test_long_text_goes_in_whole(tab: Tab) -> None:
    tab.show("<textarea id=t aria-label=T></textarea>")
    text = "Some longer words. " * 300
    assert tab.fill("textbox", text)["verified"]
    assert tab.js("t.value") == text


DROPDOWN = """<button id=b role=combobox type=button aria-expanded=false aria-controls=l aria-label="Billing period">Choose</button>
  <ul id=l role=listbox hidden><li role=option>Month<li role=option>Year</ul><script>
  b.onclick = () => setTimeout(() => { l.hidden = !l.hidden; b.setAttribute("aria-expanded", String(!l.hidden)); }, 60);
  for (const o of l.children) o.onclick = () => { b.textContent = o.textContent; l.hidden = true; b.setAttribute("aria-expanded", "false"); };
</script>"""


def test_a_drop_down_made_by_the_page(tab: Tab) -> None:
    tab.show(DROPDOWN)
    assert tab.call("tree")["controls"][0]["can"] == ["select", "click"]
    answer = tab.fill("combobox", "Year")
    assert (answer["success"], answer["picked"]) == (True, "Year"), answer
    assert tab.js("b.textContent") == "Year"


def test_an_option_the_drop_down_does_not_have(tab: Tab) -> None:
    tab.show(DROPDOWN)
    answer = tab.fill("combobox", "Decade")
    assert (answer["success"], answer["code"]) == (False, "no_option")
    assert [s["text"] for s in answer["suggestions"]] == ["Month", "Year"]
    assert tab.call("click_ax", ref_id=answer["suggestions"][0]["ref_id"])["success"]
    assert tab.js("b.textContent") == "Month"


def test_enter_in_a_composer_without_a_form_adds_no_line_break(tab: Tab) -> None:
    tab.show("<textarea id=t aria-label=T></textarea>")
    answer = tab.fill("textbox", "Hello", submit=True)
    assert not answer["submitted"]
    assert "probably not sent" in answer["hint"]
    assert tab.js("t.value") == "Hello"
