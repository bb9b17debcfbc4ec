# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Presses, typing, values and keys, judged by what the page got."""

from typing import Any

import pytest

from tests.content.harness import Tab

RECORD = """<script>
  window.seen = [];
  const types = ["pointerover", "pointerenter", "mouseover", "mousemove", "pointerdown", "mousedown", "focus", "pointerup", "mouseup",
    "click", "dblclick", "keydown", "keypress", "beforeinput", "input", "keyup", "change", "submit"];
  for (const type of types) addEventListener(type, (e) => { if (e.target.dataset?.watch !== undefined) seen.push(e); }, true);
  window.kinds = () => seen.map((e) => e.type).filter((t, i, all) => t !== all[i - 1]);
</script>"""


def test_the_press_sequence_and_its_coordinates(tab: Tab) -> None:
    tab.show(
        f"<div style='height:50px'></div><button data-watch id=b style='margin-left:120px'>Press</button>{RECORD}"
    )
    answer = tab.click("button")
    order = [
        "pointerover",
        "pointerenter",
        "mouseover",
        "mousemove",
        "pointerdown",
        "mousedown",
        "focus",
        "pointerup",
        "mouseup",
        "click",
    ]
    assert tab.js("kinds()") == order
    box = tab.js("b.getBoundingClientRect().toJSON()")
    assert tab.js("seen.filter((e) => e.type !== 'focus').every((e) => e.clientX === seen[0].clientX)")
    x, y = tab.js("[seen.at(-1).clientX, seen.at(-1).clientY]")
    assert box["left"] < x < box["right"]
    assert box["top"] < y < box["bottom"]
    assert tab.js(
        "[seen.find((e) => e.type === 'mousedown').buttons, seen.at(-1).detail, seen.at(-1).button]"
    ) == [1, 1, 0]
    assert answer["focused"]
    assert answer["rect"]["x"] == round(box["left"])


def test_a_prevented_mousedown_keeps_the_focus_where_it_was(tab: Tab) -> None:
    tab.show("<input id=i aria-label=I><button id=b onmousedown='event.preventDefault()'>B</button>")
    tab.js("i.focus()")
    tab.click("button")
    assert tab.js("document.activeElement.id") == "i"


def test_the_press_goes_to_the_innermost_element(tab: Tab) -> None:
    tab.show(
        "<button onclick=\"document.title = event.target.id\"><span id=inner style='padding:9px'>Text</span></button>"
    )
    tab.click("button")
    assert tab.js("document.title") == "inner"


def test_a_target_that_moves_under_the_pointer_is_followed(tab: Tab) -> None:
    tab.show("""<div id=d style="position:relative"><button id=b style="position:absolute;left:0;top:0" onclick="document.title='hit'">Go</button></div>
      <script>b.addEventListener("mouseover", () => { b.style.left = "300px"; b.style.top = "40px"; }, { once: true });</script>""")
    assert tab.click("button")["success"]
    assert tab.js("document.title") == "hit"


def test_a_target_replaced_on_mousedown_is_not_called_a_success(tab: Tab) -> None:
    tab.show("""<div id=d><button onclick="document.title='hit'">Go</button></div>
      <script>d.addEventListener("mousedown", (e) => e.target.remove());</script>""")
    answer = tab.click("button")
    assert tab.js("document.title") == "Test"
    assert answer.get("success") is not True or "no click was delivered" in answer["hint"]


def test_nothing_changed_is_said(tab: Tab) -> None:
    tab.show("<button onmousedown='event.preventDefault()'>Idle</button>")
    answer = tab.click("button")
    assert answer["changed"] == ["nothing"]
    assert "nothing on the page changed" in answer["hint"]


@pytest.mark.parametrize(
    ("html", "start", "change"),
    [
        ("<input type=checkbox aria-label=X>", "checkbox", "checked: true"),
        (
            "<button onclick=\"this.setAttribute('aria-expanded', 'true')\" aria-expanded=false>X</button>",
            "button",
            "expanded: true",
        ),
        ("<button onclick=\"location.hash='there'\">X</button>", "button", "url:"),
        ("<button onclick=\"document.title='other'\">X</button>", "button", 'title: "other"'),
        (
            "<button onclick='d.showModal()'>X</button><dialog id=d aria-label=Ask>q</dialog>",
            "button",
            'opened: dialog "Ask"',
        ),
        (
            "<p id=p>old</p><button onclick=\"p.textContent='new words'\">X</button>",
            "button",
            'text: "new words"',
        ),
        (
            "<p role=status id=p></p><button onclick=\"p.textContent='Saved'\">X</button>",
            "button",
            'message: "Saved"',
        ),
        ("<button onclick='this.remove()'>X</button>", "button", "removed:"),
        ("<form><input required aria-label=Mail><button>X</button></form>", "button", 'invalid: "Mail":'),
        (
            "<form onsubmit='return false'><button>X</button></form>",
            "button",
            "submitted: the page's own script",
        ),
        (
            "<a href='#far'>X</a><div style='height:3000px'></div><p id=far>far</p><div style='height:3000px'>",
            "link",
            "scrolled:",
        ),
        (
            "<button onclick='i.focus()'>X</button><input id=i aria-label=Field>",
            "button",
            'focus: textbox "Field"',
        ),
        (
            "<button onclick='setTimeout(() => document.title = `late`, 40)'>X</button>",
            "button",
            'title: "late"',
        ),
    ],
)
def test_changes(tab: Tab, html: str, start: str, change: str) -> None:
    answer = tab.show(html).click(start)
    assert answer["success"]
    assert any(entry.startswith(change) for entry in answer["changed"]), answer["changed"]


def test_links_say_where_they_lead(tab: Tab) -> None:
    tab.show("<a href='/cases/06-page-two.html'>Away</a><a href='#down'>Down</a><p id=down>x</p>")
    down = tab.click('link "Down"')
    assert (
        down["sameDocumentAnchor"],
        down["anchorTarget"],
        down["atAnchor"],
        down["hashChanged"],
        down["navigates"],
    ) == (
        True,
        "down",
        True,
        True,
        False,
    )
    away = tab.click('link "Away"')
    assert (away["navigates"], away["targetUrl"]) == (True, f"{tab.site.origin}/cases/06-page-two.html")
    tab.until("document.title === '06 page two'")


def test_a_link_whose_script_takes_over_does_not_navigate(tab: Tab) -> None:
    tab.show(
        "<a href='/cases/06-page-two.html' onclick='event.preventDefault(); document.title=`own`'>Away</a>"
    )
    assert not tab.click("link")["navigates"]
    assert tab.js("document.title") == "own"


@pytest.mark.parametrize(
    ("html", "start", "code", "advice"),
    [
        ("<select aria-label=S><option>One</select>", "combobox", "use_set_field", "set_field"),
        ("<input type=file aria-label=F>", "button", "file_input", "upload_file"),
        (
            "<label>Pick <input type=file style='display:none'></label>",
            "button",
            "file_input",
            "upload_file",
        ),
        ("<fieldset disabled><button>B</button></fieldset>", "button", "disabled", "disabled"),
        (
            "<button style='pointer-events:auto;width:0;height:0;border:0;padding:0;overflow:hidden'></button>",
            "button",
            "hidden",
            "size",
        ),
    ],
)
def test_what_a_click_is_the_wrong_means_for(tab: Tab, html: str, start: str, code: str, advice: str) -> None:
    answer = tab.show(html).click(start)
    assert (answer["success"], answer["code"]) == (False, code)
    assert advice in answer["error"]


def test_options_can_be_clicked_by_their_own_ref(tab: Tab) -> None:
    tab.show(
        "<select id=s aria-label=S multiple><option>One<option>Two<option>Three</select><select id=t aria-label=T><option>A<option>B</select>"
    )
    assert tab.click('option "B"')["success"]
    assert tab.js("t.value") == "B"
    tab.click('option "One"')
    tab.click('option "Three"', add=True)
    assert tab.js("[...s.selectedOptions].map((o) => o.text)") == ["One", "Three"]


def test_far_targets_are_scrolled_to_and_near_ones_are_not(tab: Tab) -> None:
    tab.show(
        "<button>Near</button><div style='height:4000px'></div><button onclick=\"document.title='far'\">Far</button>"
    )
    assert not tab.click('button "Near"')["scrollChanged"]
    assert tab.js("scrollY") == 0
    assert tab.click('button "Far"')["success"]
    assert tab.js("document.title") == "far"


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


# Keys


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
