# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Hovering, dragging, switching, marking: judged by what the page got."""

from typing import Any

import pytest

from tests.content.harness import Tab

# Hover


def test_hover_opens_what_listens_for_it(tab: Tab) -> None:
    tab.show(
        """<ul><li id=a>File<ul id=sub hidden><li>Open</li></ul></li></ul><script>window.seen = [];
        for (const t of ["pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove", "click"]) a.addEventListener(t, (e) => seen.push(t));
        a.onmouseenter = () => sub.hidden = false; a.onmouseleave = () => sub.hidden = true;</script>"""
    )
    answer = tab.call("hover", ref_id=tab.ref('listitem "File"'))
    assert answer["success"]
    assert any("Open" in c for c in answer["changed"]), answer["changed"]
    assert not tab.js("sub.hidden")
    assert tab.js("seen.includes('click')") is False
    assert {"pointerover", "mouseover", "mouseenter", "mousemove"} <= set(tab.js("seen"))
    assert tab.call("click", text="Open")["success"]


def test_the_pointer_stays_until_it_goes_elsewhere(tab: Tab) -> None:
    tab.show(
        "<button id=a>A</button><button id=b>B</button><script>window.seen = []; for (const e of [a, b]) for (const t of ['mouseenter', 'mouseleave']) e.addEventListener(t, (ev) => seen.push(t + ev.target.id + (ev.relatedTarget?.id ?? '')))</script>"
    )
    tab.call("hover", ref_id=tab.ref('button "A"'))
    assert tab.js("seen") == ["mouseentera"]
    tab.call("hover", ref_id=tab.ref('button "B"'))
    assert tab.js("seen") == ["mouseentera", "mouseleaveab", "mouseenterba"]


def test_a_hover_without_effect_says_so(tab: Tab) -> None:
    answer = tab.show("<button>A</button>").call("hover", ref_id=tab.ref("button"))
    assert answer["changed"] == ["nothing"]
    assert "hint" in answer


def test_a_target_that_moves_on_hover_is_pressed_where_it_is_then(tab: Tab) -> None:
    tab.show(
        """<div style="position:relative;height:200px"><img id=i alt=Like width=30 height=30 style="position:absolute;left:10px;top:10px" src="data:,"></div><script>
        i.onmouseenter = () => { i.style.left = "120px"; i.src = "data:,2"; }; i.onclick = () => document.title = "liked";</script>"""
    )
    assert tab.click('image "Like"')["success"]
    assert tab.js("document.title") == "liked"


def test_hover_refuses_what_cannot_be_reached(tab: Tab) -> None:
    tab.show("<button>A</button>")
    ref = tab.ref("button")
    tab.js("document.querySelector('button').style.display = 'none'")
    assert tab.call("hover", ref_id=ref)["code"] == "hidden"
    assert tab.call("hover", ref_id="ref_x")["code"] == "bad_ref"


# Drag

BOX = "position:absolute;width:60px;height:40px;background:#ccc"
MOUSE_DRAG = f"""<div id=a style="{BOX};left:20px;top:20px">Box</div><div id=t style="{BOX};left:400px;top:300px">Target</div><script>
  let from = null; window.moves = 0; window.buttons = new Set();
  a.onmousedown = (e) => {{ from = [e.clientX - a.offsetLeft, e.clientY - a.offsetTop]; e.preventDefault(); }};
  document.addEventListener("mousemove", (e) => {{ if (!from) return; moves++; buttons.add(e.buttons + "/" + e.which); a.style.left = e.clientX - from[0] + "px"; a.style.top = e.clientY - from[1] + "px"; }});
  document.addEventListener("mouseup", () => from = null);</script>"""


def test_dragging_by_the_mouse(tab: Tab) -> None:
    tab.show(MOUSE_DRAG)
    answer = tab.call("drag_drop", fromRefId=tab.ref_of("Box"), toRefId=tab.ref_of("Target"), steps=8)
    assert answer["success"], answer
    assert answer["changed"][0] == "moved: by 380,280 pixels"
    assert tab.js("[a.offsetLeft, a.offsetTop, moves >= 8]") == [400, 300, True]
    assert tab.js("[...buttons]") == ["1/1"]


def test_dragging_by_an_offset(tab: Tab) -> None:
    tab.show(MOUSE_DRAG)
    ref = tab.ref_of("Box")
    assert tab.call("drag_drop", fromRefId=ref, dx=100, dy=-10)["success"]
    assert tab.js("[a.offsetLeft, a.offsetTop]") == [120, 10]
    assert tab.call("drag_drop", fromRefId=ref, toRefId=tab.ref_of("Target"), dx=-50, dy=5)["success"]
    assert tab.js("[a.offsetLeft, a.offsetTop]") == [350, 305]


def test_dragging_by_pointer_events(tab: Tab) -> None:
    tab.show(
        f"""<div id=a style="{BOX};left:20px;top:20px;touch-action:none">Box</div><script>
        a.onpointerdown = (e) => {{ try {{ a.setPointerCapture(e.pointerId) }} catch {{}} a.onpointermove = (m) => a.style.left = m.clientX - 30 + "px"; }};
        document.onpointermove = (m) => a.onpointermove?.(m);
        document.onpointerup = () => a.onpointermove = null;</script>"""
    )
    assert tab.call("drag_drop", fromRefId=tab.ref_of("Box"), dx=200, dy=0)["success"]
    assert tab.js("a.offsetLeft") == 220


HTML_DRAG = """<ul id=todo style="min-height:60px;padding:20px;background:#eee"><li id=a draggable=true>Write tests</li></ul>
  <ul id=done style="min-height:60px;padding:20px;background:#eef">Done</ul><script>window.seen = [];
  for (const t of ["dragstart", "dragenter", "dragover", "drop", "dragend"]) addEventListener(t, (e) => { if (seen.at(-1) !== t) seen.push(t); });
  a.ondragstart = (e) => { e.dataTransfer.setData("text/plain", a.id); e.dataTransfer.effectAllowed = "move"; };
  done.ondragover = (e) => { e.preventDefault(); e.dataTransfer.dropEffect = "move"; };
  done.ondrop = (e) => { e.preventDefault(); done.append(document.getElementById(e.dataTransfer.getData("text/plain"))); };</script>"""


def test_drag_and_drop_of_html(tab: Tab) -> None:
    tab.show(HTML_DRAG)
    answer = tab.call("drag_drop", fromRefId=tab.ref('listitem "Write tests"'), toRefId=tab.ref_of("Done"))
    assert answer["success"], answer
    assert answer["draggable"]
    assert answer["changed"][0].startswith("moved: into list")
    assert tab.js("a.parentElement.id") == "done"
    assert tab.js("[seen[0], seen.at(-2), seen.at(-1)]") == ["dragstart", "drop", "dragend"]


def test_a_place_that_takes_nothing_gets_no_drop(tab: Tab) -> None:
    tab.show(HTML_DRAG)
    tab.js("done.ondragover = null")
    answer = tab.call("drag_drop", fromRefId=tab.ref('listitem "Write tests"'), toRefId=tab.ref_of("Done"))
    assert (answer["success"], answer["code"]) == (False, "nothing_moved")
    assert tab.js("[a.parentElement.id, seen.includes('drop'), seen.at(-1)]") == ["todo", False, "dragend"]


def test_a_drop_that_only_a_script_remembers(tab: Tab) -> None:
    tab.show(HTML_DRAG)
    tab.js(
        "void (done.ondrop = (e) => { e.preventDefault(); window.got = e.dataTransfer.getData('text/plain'); })"
    )
    answer = tab.call("drag_drop", fromRefId=tab.ref('listitem "Write tests"'), toRefId=tab.ref_of("Done"))
    assert (answer["success"], answer["changed"]) == (True, ["dropped: the page's own script took it"])
    assert tab.js("window.got") == "a"


def test_a_drag_on_a_canvas_promises_nothing(tab: Tab) -> None:
    tab.show(
        "<canvas id=c aria-label=Board role=img width=300 height=200></canvas><script>window.pts = []; c.onmousemove = (e) => e.buttons && pts.push(e.offsetX)</script>"
    )
    answer = tab.call("drag_drop", fromRefId=tab.ref('image "Board"'), dx=80, dy=10)
    assert answer["changed"] == ["nothing"]
    assert "drawing surface" in answer["hint"]
    assert tab.js("pts.length") >= 10


@pytest.mark.parametrize(
    ("args", "code"),
    [({}, "bad_target"), ({"dx": "far"}, "bad_offset"), ({"toRefId": "ref_999999"}, "unknown_ref")],
)
def test_drags_that_are_none(tab: Tab, args: dict[str, Any], code: str) -> None:
    tab.show(MOUSE_DRAG)
    answer = tab.call("drag_drop", fromRefId=tab.ref_of("Box"), **args)
    assert (answer["success"], answer["code"]) == (False, code)
    assert tab.js("moves") == 0


# Switches


def test_a_checkbox_is_brought_into_a_state(tab: Tab) -> None:
    tab.show("<label><input type=checkbox id=c onchange='window.n = (window.n || 0) + 1'>Mail me</label>")
    ref = tab.ref("checkbox")
    first = tab.call("set_checked", ref_id=ref, checked=True)
    assert (first["success"], first["checkedBefore"], first["checkedAfter"]) == (True, False, True)
    again = tab.call("set_checked", ref_id=ref, checked=True)
    assert (again["success"], again["pressed"], again["changed"]) == (True, False, ["nothing"])
    assert tab.js("[c.checked, window.n]") == [True, 1]
    assert tab.call("set_checked", ref_id=ref, checked=False)["checkedAfter"] is False
    assert tab.js("[c.checked, window.n]") == [False, 2]


def test_switches_of_all_kinds(tab: Tab) -> None:
    tab.show(
        """<style>.sw input{position:absolute;opacity:0;width:0;height:0}.sw span{display:inline-block;width:40px;height:20px;background:#aaa}</style>
        <label class=sw><input type=checkbox id=a aria-label=Drawn><span></span></label>
        <div id=b role=switch tabindex=0 aria-checked=false aria-label=Role onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">s</div>
        <button id=d aria-pressed=false onclick="this.setAttribute('aria-pressed', 'true')">Bold</button>
        <input type=radio name=r id=e aria-label=E><input type=radio name=r id=f aria-label=F checked>"""
    )
    for start in ('checkbox "Drawn"', 'switch "Role"', 'button "Bold"', 'radio "E"'):
        answer = tab.call("set_checked", ref_id=tab.ref(start), checked=True)
        assert (answer["success"], answer["checkedAfter"]) == (True, True), (start, answer)
    assert tab.js("[a.checked, b.ariaChecked, d.ariaPressed, e.checked, f.checked]") == [
        True,
        "true",
        "true",
        True,
        False,
    ]
    assert tab.call("set_checked", ref_id=tab.ref('radio "E"'), checked=False)["code"] == "bad_value"


def test_a_state_that_needs_a_confirmation(tab: Tab) -> None:
    tab.show(
        """<div id=s role=switch aria-checked=false tabindex=0>Airplane mode</div><dialog id=d aria-label="Really?"><button>Yes</button></dialog><script>
        s.onclick = () => d.showModal();</script>"""
    )
    answer = tab.call("set_checked", ref_id=tab.ref("switch"), checked=True)
    assert (answer["success"], answer["code"], answer["confirmationRequired"]) == (
        False,
        "confirmation_required",
        True,
    )
    assert answer["checkedAfter"] is False
    assert "Really?" in answer["error"]
    assert tab.js("d.open")


def test_a_state_that_is_taken_back_is_no_success(tab: Tab) -> None:
    tab.show(
        "<input type=checkbox id=c aria-label=C onchange='setTimeout(() => this.checked = false, 40); window.n = (window.n || 0) + 1'>"
    )
    answer = tab.call("set_checked", ref_id=tab.ref("checkbox"), checked=True)
    assert (answer["success"], answer["code"], answer["checkedAfter"]) == (False, "not_verified", False)
    assert tab.js("window.n") == 1


def test_what_has_no_state(tab: Tab) -> None:
    tab.show("<button>B</button><input type=checkbox disabled aria-label=C>")
    assert tab.call("set_checked", ref_id=tab.ref("button"), checked=True)["code"] == "not_a_switch"
    assert tab.call("set_checked", ref_id=tab.ref("checkbox"), checked=True)["code"] == "disabled"
    assert tab.call("set_checked", ref_id=tab.ref("checkbox"), checked="perhaps")["code"] == "bad_value"


# Marking text


def test_marking_all_and_some_words(tab: Tab) -> None:
    tab.show(
        "<p id=p>One <b>two</b> three. Threefold two.</p><p>Other</p><script>window.ups = 0; document.onmouseup = () => ups++; document.onselectionchange = () => window.text = String(getSelection())</script>"
    )
    ref = tab.ref_of("One two three. Threefold two.")
    answer = tab.call("select_text", ref_id=ref)
    assert (answer["success"], answer["text"]) == (True, "One two three. Threefold two.")
    answer = tab.call("select_text", ref_id=ref, text="two three")
    assert (answer["success"], answer["text"]) == (True, "two three")
    assert tab.js("[String(getSelection()), window.text, ups]") == ["two three", "two three", 2]
    assert tab.call("select_text", ref_id=ref, text="four")["code"] == "not_found"


@pytest.mark.parametrize(
    "name", ["pointerdown", "mousedown", "pointerup", "mouseup", "mouseover", "mousemove", "click"]
)
def test_marking_presses_nothing(tab: Tab, name: str) -> None:
    tab.show(
        f"<div role=button tabindex=0 aria-label=Delete><b>Delete all</b></div><script>document.querySelector('div').addEventListener('{name}', () => {{ document.title = 'Gone' }})</script>"
    )
    for _ in range(2):
        answer = tab.call("select_text", ref_id=tab.ref_of("Delete"))
    assert answer["text"] == "Delete all"
    assert tab.js("document.title") == "Test"


def test_marking_in_fields_and_editors(tab: Tab) -> None:
    tab.show(
        "<textarea id=t aria-label=T>alpha beta</textarea><div id=e contenteditable aria-label=E>gamma delta</div>"
    )
    assert tab.call("select_text", ref_id=tab.ref('textbox "T"'), text="beta")["text"] == "beta"
    assert tab.js("[t.selectionStart, t.selectionEnd]") == [6, 10]
    assert tab.call("select_text", ref_id=tab.ref('textbox "E"'))["text"] == "gamma delta"
    assert tab.js("document.activeElement.id") == "e"


def test_text_that_cannot_be_marked(tab: Tab) -> None:
    tab.show(
        "<p style='user-select:none'>Locked</p><script>document.onselectionchange = () => getSelection().removeAllRanges()</script>"
    )
    answer = tab.call("select_text", ref_id=tab.ref_of("Locked"))
    assert (answer["success"], answer["code"]) == (False, "not_selected")
