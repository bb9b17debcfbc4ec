# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Would it send a form? The probe, its card, its token, and what is no submit at all."""

from typing import Any

import pytest

from tests.content.harness import INSECURE, Tab

FORM = """<form id=f action="/sent/order?x=1#frag" method=post><input type=hidden name=csrf value=abc>
  <label>Name <input name=action value=Ada></label><label>Mail <input name=id type=email></label>
  <label>Password <input type=password name=pw value=hunter2></label><label>Code <input name=otp value=123456></label>
  <label><input type=checkbox name=news checked> News</label><label><input type=radio name=size value=l checked> Large</label>
  <label>Note <textarea name=submit>Hello</textarea></label><select name=c aria-label=Country><option>Chad<option selected>Cuba</select>
  <button id=b>Order now</button></form>"""


def test_what_the_card_needs(tab: Tab) -> None:
    tab.show(FORM)
    probe = tab.probe("click_ax", ref_id=tab.ref('button "Order now"'))
    host = tab.site.origin.removeprefix("http://")
    assert probe["submits"]
    assert (probe["host"], probe["action"], probe["method"], probe["control"]) == (
        host,
        f"{tab.site.origin}/sent/order",
        "post",
        "Order now",
    )
    assert {f["label"]: f["value"] for f in probe["fields"]} == {
        "Name": "Ada",
        "Password": "••••••••",
        "Code": "••••••••",
        "News": "yes",
        "Large": "yes",
        "Note": "Hello",
        "Country": "Cuba",
    }
    assert {f["label"] for f in probe["fields"] if f["masked"]} == {"Password", "Code"}
    assert "hunter2" not in str(probe)
    assert "123456" not in str(probe)


def test_long_values_keep_their_lines_and_what_is_missing_is_counted(tab: Tab) -> None:
    tab.show(
        "<form><textarea aria-label=Text></textarea>"
        + "".join(f"<input aria-label=F{i} value=v>" for i in range(50))
        + "<input aria-label=None><button>Save</button></form>"
    )
    tab.js("document.querySelector('textarea').value = 'Dear all,\\n' + 'x'.repeat(1200)")
    probe = tab.probe("click_ax", ref_id=tab.ref("button"))
    assert (probe["total"], len(probe["fields"])) == (51, 40)
    text = "Dear all,\n" + "x" * 990
    assert probe["fields"][0] == {"label": "Text", "value": text, "masked": False, "more": 210}


def test_it_changes_nothing(tab: Tab) -> None:
    tab.show(FORM)
    ref = tab.ref('button "Order now"')
    before = tab.js("document.documentElement.outerHTML")
    tab.js(
        "window.events = []; for (const t of ['focus', 'input', 'change', 'submit', 'click', 'mousedown']) addEventListener(t, (e) => events.push(t), true)"
    )
    tab.probe("click_ax", ref_id=ref)
    tab.probe("set_field", ref_id=tab.ref('textbox "Mail"'), text="a@b.example", submit=True)
    assert tab.js("document.documentElement.outerHTML") == before
    assert tab.js(
        "[events, document.activeElement.tagName, getSelection().rangeCount, f.elements.id.value]"
    ) == [[], "BODY", 0, ""]
    assert tab.site.received == [] or tab.site.received[-1][1] != "/sent/order"


def test_the_changed_fields_come_first(tab: Tab) -> None:
    tab.show(
        "<form>"
        + "".join(f"<input aria-label=F{i} value=v{i}>" for i in range(20))
        + "<button>Save</button></form>"
    )
    tab.fill('textbox "F15"', "new")
    fields = tab.probe("click_ax", ref_id=tab.ref("button"))["fields"]
    assert fields[0] == {"label": "F15", "value": "new", "masked": False}
    assert len(fields) == 20


@pytest.mark.parametrize(
    ("html", "start"),
    [
        ("<form><button>Go</button></form>", "button"),
        ("<form><button><b>Go</b></button></form>", "button"),
        ("<form><input type=submit value=Go></form>", "button"),
        ("<form><input type=image src=x alt=Go style='width:9px;height:9px'></form>", "button"),
        ("<form id=away></form><button form=away>Go</button>", "button"),
        ("<form><button type=button>Save changes</button></form>", "button"),
        ("<form><div role=button tabindex=0>Send</div></form>", "button"),
        ("<div role=dialog><a href='#'>Confirm</a></div>", "link"),
        ("<dialog open><button>Place order</button></dialog>", "button"),
        ("<form><a href='#'>Log in</a></form>", "link"),
        ("<form><div id=x style='cursor:pointer'>Pay 20</div></form>", "generic"),
    ],
)
def test_submits(tab: Tab, html: str, start: str) -> None:
    tab.show(html)
    assert tab.probe("click_ax", ref_id=tab.ref(start))["submits"]


@pytest.mark.parametrize(
    ("html", "start"),
    [
        ("<form><button type=button>Show more</button></form>", "button"),
        ("<form><button type=reset>Clear all</button></form>", "button"),
        ("<form><a href='#'>Help</a></form>", "link"),
        ("<form><label><input type=checkbox> Send me letters</label></form>", "checkbox"),
        ("<form><input aria-label='Send to'></form>", "textbox"),
        ("<form><button type=button>Address book</button></form>", "button"),
        ("<form><button type=button>Payment details</button></form>", "button"),
        ("<div role=dialog><button>Close</button></div>", "button"),
        ("<form><select aria-label='Post code'><option>Post</select></form>", "combobox"),
    ],
)
def test_does_not_submit(tab: Tab, html: str, start: str) -> None:
    tab.show(html)
    probe = tab.probe("click_ax", ref_id=tab.ref(start))
    assert probe["success"]
    assert not probe["submits"]
    assert probe["token"] == ""
    assert probe["reason"]


@pytest.mark.parametrize(
    ("html", "start", "fields"),
    [
        ("<button>Save</button>", "button", []),
        ("<form></form><button>Send</button>", "button", []),
        ("<a href='#x'>Sign in</a>", "link", []),
        ("<div role=button tabindex=0>Nachricht senden</div>", "button", []),
        ("<div><textarea aria-label=Text>Hi</textarea><p><button>Post</button></p></div>", "button", ["Hi"]),
    ],
)
def test_a_name_may_say_that_it_commits_where_there_is_no_form(
    tab: Tab, html: str, start: str, fields: list[str]
) -> None:
    tab.show(html)
    ref = tab.ref(start)
    probe = tab.probe("click_ax", ref_id=ref)
    assert (probe["submits"], probe["commits"]) == (False, True)
    assert [field["value"] for field in probe["fields"]] == fields
    tab.js("(document.querySelector('button,a,[role=button]').textContent = 'Delete it', 0)")
    refused = tab.call("click_ax", ref_id=ref, token=probe["token"])
    assert refused["code"] == "form_changed"


# Row 105
def test_an_ordinary_item_beside_a_composer_is_no_send(tab: Tab) -> None:
    tab.show(
        "<div><ul role=menu><li role=menuitem tabindex=0>View my portfolio</ul>"
        "<div contenteditable role=textbox aria-label='Send a message'>Hi</div><button>Send</button></div>"
    )
    for args in ({"text": "View my portfolio"}, {"selector": "[contenteditable]"}):
        probe = tab.probe("click", **args)
        assert (probe["submits"], probe["commits"]) == (False, False), probe
    assert tab.probe("click", text="Send")["commits"]


OPENER = "<form onsubmit=\"document.title='Sent'; return false\">"
CLOSER = "<button id=pay>Pay</button></form>"
HIDES = "<div class=wrap style='display:inline-block'>"
"""What a press may be meant for, where it lands in something else."""


@pytest.mark.parametrize(
    ("html", "tool", "args"),
    [
        # The press lands inside what is meant
        (f"{OPENER}{HIDES}{CLOSER}</div>", "click", {"selector": ".wrap"}),
        (f"{OPENER}{HIDES}<p><span>{CLOSER}</span></p></div>", "click", {"selector": ".wrap p"}),
        (f"<section class=wrap>{OPENER}<button style='width:100%'>Pay</button></form></section>", "click", {"selector": ".wrap"}),
        (f"{HIDES}<div role=button tabindex=0>Delete</div></div>", "click", {"selector": ".wrap"}),
        # What is meant lies inside a control
        ("<div role=button tabindex=0 aria-label=Delete><svg class=i width=20 height=20></svg></div>", "click", {"selector": ".i"}),
        ("<div role=button tabindex=0 aria-label=Delete><a><svg class=i width=20 height=20></svg></a></div>", "frame_click", {"selector": ".i"}),
        ("<ul role=menu><li role=menuitem tabindex=-1><b class=i>Delete</b><br>for ever</li></ul>", "click", {"selector": ".i"}),
        ("<div aria-label=Delete style='cursor:pointer'><svg class=i width=20 height=20></svg></div>", "click", {"selector": ".i"}),
        (f"{OPENER}<button><span role=button tabindex=0 class=i>Next</span></button></form>", "click", {"selector": ".i"}),
        # A label presses what it is for
        (f"<label for=pay class=i>Go on</label>{OPENER}{CLOSER}", "click", {"selector": ".i"}),
        (f"<label for=pay><em class=i>Go on</em></label>{OPENER}{CLOSER}", "click", {"text": "Go on"}),
        (f"<label for=pay style='position:fixed;inset:0'>Go on</label>{OPENER}{CLOSER}", "click", {"x": 50, "y": 50}),
    ],
)  # fmt: skip
def test_what_a_press_sets_off_counts(tab: Tab, html: str, tool: str, args: dict[str, Any]) -> None:
    tab.show(html)
    probe = tab.probe(tool, **args)
    assert probe["submits"] or probe["commits"], probe
    assert probe["token"]
    assert probe["control"].split()[0] in ("Pay", "Delete", "Next", "Go")
    if "Pay" in html:
        tab.js("(document.querySelector('form').action = 'https://evil.example/', 0)")
        assert tab.call(tool, **args, token=probe["token"])["code"] == "form_changed"
        assert tab.js("document.title") == "Test"
        assert tab.call(tool, **args)["success"]
        assert tab.js("document.title") == "Sent", "a row counts only if the press does send"


def test_a_label_is_judged_by_reference_too(tab: Tab) -> None:
    tab.show(f"<label for=pay>Go on</label>{OPENER}<button id=pay aria-label=Pay>Pay</button></form>")
    probe = tab.probe("click_ax", ref_id=tab.call("click", selector="label")["ref_id"])
    assert (probe["submits"], probe["control"]) == (True, "Pay")


@pytest.mark.parametrize(
    ("html", "args"),
    [
        (f"{OPENER}<div class=wrap><p>Terms</p><p>{CLOSER}</div>", {"selector": ".wrap"}),
        ("<main tabindex=0>Add salt <img class=i alt='' width=20 height=20><a href='#'>x</a></main>", {"selector": ".i"}),
        ("<div contenteditable aria-label='Send a message'>Hi</div>", {"selector": "[contenteditable]"}),
        ("<label for=c class=i>Send me letters</label><input type=checkbox id=c>", {"selector": ".i"}),
        (f"{OPENER}<label><input type=checkbox> Pay later</label></form>", {"text": "Pay later"}),
        ("<article onclick='1' style='cursor:pointer'>Delete <a href='#'>Details</a></article>", {"text": "Details"}),
    ],
)  # fmt: skip
def test_a_press_beside_a_button_is_no_press_of_it(tab: Tab, html: str, args: dict[str, Any]) -> None:
    tab.show(html)
    probe = tab.probe("click", **args)
    assert probe["success"]
    assert (probe["submits"], probe["commits"]) == (False, False), probe


def test_what_is_out_of_view_is_judged_by_what_lies_there(tab: Tab) -> None:
    tab.show(f"<div style='height:3000px'></div>{OPENER}{HIDES}{CLOSER}</div>")
    probe = tab.probe("click", selector=".wrap")
    assert (probe["submits"], probe["control"]) == (True, "Pay")
    assert tab.call("click", selector=".wrap", token=probe["token"])["success"]
    assert tab.js("document.title") == "Sent"


@pytest.mark.parametrize(
    ("html", "args"),
    [
        (f"{OPENER}{CLOSER}", {"dx": 1}),
        (f"{OPENER}<button draggable=true>Pay</button></form>", {"dx": 1}),
        (f"{OPENER}{CLOSER}", {"dx": 300}),
        ("<div role=button tabindex=0>Pay</div>", {"dx": 1, "dy": 1}),
        ("<div style='cursor:pointer;display:inline-block'>Pay</div>", {"dx": 1}),
        (f"{OPENER}{CLOSER}<b>Here</b>", {"toRefId": "Here", "dx": 1}),
    ],
)
def test_a_drag_may_be_a_press(tab: Tab, html: str, args: dict[str, Any]) -> None:
    tab.show(html)
    ends = {"fromRefId": tab.ref_of("Pay"), **args}
    if "toRefId" in args:
        ends["toRefId"] = tab.ref_of("Here")
    probe = tab.probe("drag_drop", **ends)
    assert probe["submits"] or probe["commits"], probe
    assert probe["control"] == "Pay"
    tab.js("(document.querySelector('button,div').textContent = 'Pay all', 0)")
    assert tab.call("drag_drop", **ends, token=probe["token"])["code"] == "form_changed"
    aimed = tab.call("aim", tool="drag_drop", args={**ends, "token": probe["token"]})
    assert aimed["code"] == "form_changed"
    assert tab.js("document.title") == "Test"


def test_a_drag_within_a_button_does_press_it(tab: Tab) -> None:
    """The negative control: without a token nothing stops it."""
    tab.show(f"{OPENER}{CLOSER}")
    tab.call("drag_drop", fromRefId=tab.ref_of("Pay"), dx=1)
    assert tab.js("document.title") == "Sent"


def test_a_drag_with_its_token_is_carried_out(tab: Tab) -> None:
    tab.show(f"{OPENER}{CLOSER}")
    ends = {"fromRefId": tab.ref_of("Pay"), "dx": 1}
    tab.call("drag_drop", **ends, token=tab.probe("drag_drop", **ends)["token"])
    assert tab.js("document.title") == "Sent"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<li draggable=true id=a>Update docs</li>", "<p>Bin"),
        ("<div id=a>Send letter</div>", "<p>Bin"),
        ("<a href='#' id=a>Save the whales</a>", "<p>Bin"),
        ("<div id=a role=button tabindex=0 aria-roledescription=sortable>Pay rent</div>", "<p>Bin"),
        ("<input id=a type=range aria-label='Add percent'>", "<p>Bin"),
    ],
)
def test_dragging_a_thing_elsewhere_is_no_press(tab: Tab, start: str, end: str) -> None:
    tab.show(f"{start}{end}")
    ref = tab.tree(filter="all", maxChars=12_000).split("[ref_")[1].split("]")[0]
    probe = tab.probe("drag_drop", fromRefId=f"ref_{ref}", toRefId=tab.ref_of("Bin"))
    assert probe["success"], probe
    assert (probe["submits"], probe["commits"]) == (False, False), probe


def test_a_drop_on_a_button_is_a_press_of_it(tab: Tab) -> None:
    tab.show("<li draggable=true>Letter</li><button>Delete</button>")
    probe = tab.probe("drag_drop", fromRefId=tab.ref_of("Letter"), toRefId=tab.ref_of("Delete"))
    assert (probe["commits"], probe["control"]) == (True, "Delete")


def test_a_button_may_have_its_own_destination(tab: Tab) -> None:
    tab.show(
        "<form action=/sent/a method=get><input name=q value=1><button formaction='https://other.example/b' formmethod=post>Send</button></form>"
    )
    probe = tab.probe("click_ax", ref_id=tab.ref("button"))
    assert (probe["host"], probe["action"], probe["method"]) == (
        "other.example",
        "https://other.example/b",
        "post",
    )


def test_search_forms_are_forms(tab: Tab) -> None:
    tab.show(
        "<form action=/sent/search><input type=search name=q aria-label=Q><button>Search</button></form>"
    )
    probe = tab.probe("set_field", ref_id=tab.ref("searchbox"), text="tea", submit=True)
    assert (probe["submits"], probe["method"], probe["fields"]) == (
        True,
        "get",
        [{"label": "Q", "value": "tea", "masked": False}],
    )


@pytest.mark.parametrize(
    ("focus", "submits"),
    [
        ("#one", True),
        ("#area", False),
        ("#lonely", False),
        ("#editor", True),
        ("#plain", False),
        ("#link", False),
        ("#b", True),
    ],
)
def test_enter(tab: Tab, focus: str, submits: bool) -> None:
    tab.show("""<form><input id=one value=x><textarea id=area></textarea><button id=b>Order</button></form>
      <input id=lonely><section><div id=editor contenteditable>Hi</div><button>Send</button></section>
      <section><section><section><section><div id=plain contenteditable>Hi</div></section></section></section></section><a id=link href='#'>x</a>""")
    if focus == "#area":
        tab.js("document.querySelector('#b').textContent = 'Next'")
    tab.js(f"document.querySelector('{focus}').focus()")
    assert tab.probe("press_keys", key="Enter")["submits"] is submits
    assert not tab.probe("press_keys", key="Tab")["submits"]


@pytest.mark.parametrize(
    ("html", "control"),
    [
        ("<div role=button tabindex=0 id=f>Send</div>", "Send"),
        ("<div tabindex=0 id=f>Send</div>", "Send"),
        (
            "<ul role=menu tabindex=0 id=f aria-activedescendant=d><li role=menuitem id=d>Delete</ul>",
            "Delete",
        ),
        ("<div><input id=f aria-label=Message value=Hi><button>Send</button></div>", "Message"),
        ("<div><input id=f aria-label=To value=Al><p><div role=button tabindex=0>Send</div></div>", "To"),
        ("<form><input id=f aria-label=A value=1><input><div role=button>Send</div></form>", "A"),
    ],
)
def test_enter_may_send_without_a_form(tab: Tab, html: str, control: str) -> None:
    tab.show(html)
    tab.js("document.querySelector('#f').focus()")
    probe = tab.probe("press_keys", key="Enter")
    assert probe["submits"] or probe["commits"], probe
    assert probe["control"] == control
    tab.js(
        "(document.querySelector('input') ? document.querySelector('input').value = 'other' : document.querySelector('#d,#f').textContent = 'Pay', 0)"
    )
    assert tab.call("press_keys", key="Enter", token=probe["token"])["code"] == "form_changed"


@pytest.mark.parametrize(
    "html",
    [
        "<div role=button tabindex=0 id=f>Next</div>",
        "<div><input id=f><button>Look</button></div>",
        "<div><input id=f type=checkbox aria-label='Send me letters'><button>Save</button></div>",
        "<div><input id=f><button disabled>Send</button></div>",
        "<form><input id=f><button disabled>Send</button></form>",
        "<div><select id=f aria-label='Send to'><option>Al</select><button>Send</button></div>",
    ],
)
def test_enter_that_sends_nothing(tab: Tab, html: str) -> None:
    tab.show(html)
    tab.js("document.querySelector('#f').focus()")
    probe = tab.probe("press_keys", key="Enter")
    assert (probe["submits"], probe["commits"]) == (False, False), probe


def test_typing_alone_is_no_submit(tab: Tab) -> None:
    tab.show(FORM)
    ref = tab.ref('textbox "Mail"')
    assert not tab.probe("set_field", ref_id=ref, text="x")["submits"]
    assert not tab.probe("type_ax", ref_id=ref, text="x")["submits"]


def test_the_token_lets_the_same_form_through_once(tab: Tab) -> None:
    tab.show(
        "<form onsubmit=\"document.title += ' sent'; return false\"><input aria-label=A value=1><button>Save</button></form>"
    )
    ref = tab.ref("button")
    token = tab.probe("click_ax", ref_id=ref)["token"]
    assert tab.call("click_ax", ref_id=ref, token=token)["success"]
    assert tab.js("document.title") == "Test sent"
    again = tab.call("click_ax", ref_id=ref, token=token)
    assert (again["success"], again["code"]) == (False, "form_changed")
    assert tab.js("document.title") == "Test sent"


@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('[aria-label=A]').value = '2'",
        "document.forms[0].action = 'https://evil.example/'",
        "document.forms[0].method = 'post'",
        "document.querySelector('button').textContent = 'Delete all'",
        "document.querySelector('button').setAttribute('formaction', 'https://evil.example/')",
        "document.querySelector('[type=checkbox]').checked = true",
        "document.querySelector('[type=password]').value = 'other'",
        "document.forms[0].append(Object.assign(document.createElement('input'), {name: 'extra', value: 'x'}))",
        "document.querySelector('button').replaceWith(document.querySelector('button').cloneNode(true))",
    ],
)
def test_a_changed_form_is_refused(tab: Tab, change: str) -> None:
    tab.show("""<form onsubmit="document.title += ' sent'; return false"><input aria-label=A value=1><input type=checkbox aria-label=B>
      <input type=password aria-label=P value=x><button>Save</button></form>""")
    ref = tab.ref("button")
    token = tab.probe("click_ax", ref_id=ref)["token"]
    tab.js(change)
    answer = tab.call("click_ax", ref_id=ref, token=token)
    assert not answer["success"]
    assert answer["code"] in ("form_changed", "stale_ref")
    assert tab.js("document.title") == "Test"


def test_a_changed_form_without_the_check_would_be_sent(tab: Tab) -> None:
    """The negative control: it is the token that stops it."""
    tab.show(
        "<form onsubmit=\"document.title += ' sent'; return false\"><input aria-label=A value=1><button>Save</button></form>"
    )
    ref = tab.ref("button")
    tab.probe("click_ax", ref_id=ref)
    tab.js("document.querySelector('input').value = '2'")
    assert tab.call("click_ax", ref_id=ref)["success"]
    assert tab.js("document.title") == "Test sent"


def test_tokens_belong_to_one_tool(tab: Tab) -> None:
    tab.show(
        "<form onsubmit=\"document.title += ' sent'; return false\"><input id=i aria-label=A><button>Save</button></form>"
    )
    token = tab.probe("click_ax", ref_id=tab.ref("button"))["token"]
    tab.js("i.focus()")
    assert tab.call("press_keys", key="Enter", token=token)["code"] == "form_changed"
    assert tab.call("click_ax", ref_id=tab.ref("button"), token="st_made_up")["code"] == "form_changed"
    assert tab.js("document.title") == "Test"


def test_set_field_with_submit(tab: Tab) -> None:
    tab.show(
        "<form action=/sent/find method=get><label>Words <input name=q></label><button>Find</button></form>"
    )
    ref = tab.ref('textbox "Words"')
    args = {"ref_id": ref, "text": "green tea", "submit": True}
    probe = tab.probe("set_field", **args)
    assert probe["fields"] == [{"label": "Words", "value": "green tea", "masked": False}]
    answer = tab.call("set_field", **args, token=probe["token"])
    assert answer["success"]
    assert answer["submitted"]
    tab.until("document.title === 'Sent'")
    assert tab.site.received[-1] == ("GET", "/sent/find", {"q": ["green tea"]})


def test_set_field_does_not_send_what_it_could_not_type(tab: Tab) -> None:
    tab.show(
        "<form onsubmit=\"document.title='sent'; return false\"><input aria-label=A oninput=\"this.value=''\"><button>Go</button></form>"
    )
    answer = tab.fill("textbox", "x", submit=True)
    assert not answer["success"]
    assert tab.js("document.title") == "Test"


def test_another_field_that_changes_meanwhile_stops_the_sending(tab: Tab) -> None:
    tab.show(
        """<form onsubmit="document.title='sent'; return false"><input aria-label=A oninput="b.value='1000'"><input id=b aria-label=B value=1><button>Go</button></form>"""
    )
    args = {"ref_id": tab.ref('textbox "A"'), "text": "x", "submit": True}
    token = tab.probe("set_field", **args)["token"]
    assert tab.call("set_field", **args, token=token)["code"] == "form_changed"
    assert tab.js("document.title") == "Test"


def test_a_bad_ref_is_an_error_of_the_probe(tab: Tab) -> None:
    tab.show(FORM)
    assert tab.probe("click_ax", ref_id="ref_999999")["code"] == "unknown_ref"


def test_tokens_on_a_page_without_tls(tab: Tab) -> None:
    tab.open(tab.site.page(FORM).replace("127.0.0.1", INSECURE))
    assert not tab.js("isSecureContext")
    ref = tab.ref('button "Order now"')
    token = tab.probe("click_ax", ref_id=ref)["token"]
    assert tab.call("click_ax", ref_id=ref, token=token)["success"]
    tab.until("document.title === 'Sent'")


@pytest.mark.parametrize(
    ("body", "label"),
    [
        ("<label>Message <textarea></textarea></label>", "Message"),
        ("<label>Message <textarea> \n </textarea></label>", "Message"),
        ("<div contenteditable role=textbox aria-label=Message></div>", "Message"),
        ("<div contenteditable role=textbox aria-label=Message><p><br></p></div>", "Message"),
        ("<label>Message <textarea>Hi</textarea></label>", ""),
        ("<div contenteditable role=textbox aria-label=Message>Hi</div>", ""),
        ("<div contenteditable role=textbox aria-label=Message><img alt=x width=9 height=9></div>", ""),
        ("<textarea aria-label=A></textarea><textarea aria-label=B>Hi</textarea>", ""),
        ("<textarea hidden></textarea>", ""),
        ("<span contenteditable role=textbox aria-multiline=false aria-label=To></span>", ""),
        ("<input aria-label=Subject>", ""),
    ],
)
@pytest.mark.parametrize("around", ["form", "div role=dialog", "div"])
def test_a_field_for_a_longer_text_that_is_empty(tab: Tab, body: str, label: str, around: str) -> None:
    tab.show(
        f"<{around}><input aria-label=Subject value=Hi>{body}<button>Send</button></{around.split()[0]}>"
    )
    assert tab.probe("click_ax", ref_id=tab.ref("button"))["emptyText"] == label


@pytest.mark.parametrize("text", ["", "Dear all"])
def test_an_editor_in_a_frame_is_part_of_what_is_sent(tab: Tab, text: str) -> None:
    tab.show(
        "<div role=dialog><input aria-label=Subject value=Hi>"
        f"<iframe srcdoc=\"<body contenteditable aria-label='Message'>{text}</body>\"></iframe><button>Send</button></div>"
    )
    tab.until("document.querySelector('iframe').contentDocument.body.isContentEditable")
    probe = tab.probe("click_ax", ref_id=tab.ref("button"))
    assert probe["emptyText"] == ("" if text else "Message")
    assert {field["value"] for field in probe["fields"]} == {"Hi", text} - {""}
    tab.js("(document.querySelector('iframe').contentDocument.body.textContent = 'Other', 0)")
    refused = tab.call("click_ax", ref_id=tab.ref("button"), token=probe["token"])
    assert refused["code"] == "form_changed"


def test_a_text_that_is_about_to_be_typed_counts(tab: Tab) -> None:
    tab.show("<form><div contenteditable role=textbox aria-label=Message></div><button>Send</button></form>")
    ref = tab.ref('textbox "Message"')
    assert tab.probe("set_field", ref_id=ref, text="Hi", submit=True)["emptyText"] == ""
