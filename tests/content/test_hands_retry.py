# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Which presses may be repeated by the debugger, and the page's half of its input."""

import pytest

from tests.content.harness import Tab

TRUSTED = "<script>document.addEventListener('click', (e) => { if (e.isTrusted) document.title = 'trusted ' + e.target.id; })</script>"


@pytest.mark.parametrize(
    "html",
    [
        "<div id=x role=button tabindex=0>Plain thing</div>",
        "<span id=x style='cursor:pointer'>Plain thing</span>",
        "<div id=x class='block order-1 items-start p-4' onclick='void 0'>Plain thing</div>",
    ],
)
def test_plain_things_may_get_one_trusted_press(tab: Tab, html: str) -> None:
    tab.show(html + TRUSTED)
    ref = tab.ref_of("Plain thing")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["changed"] == ["nothing"]
    assert answer["retry"]["eligible"], answer["retry"]
    aim = tab.call("aim", tool="click_ax", args={"ref_id": ref})
    assert aim["success"], aim
    point = aim["points"][0]
    tab.page.mouse.click(point["x"], point["y"])
    landed = tab.call("landed", aim=aim["aim"])
    assert tab.js("document.title") == "trusted x"
    assert landed["changed"] == ['title: "trusted x"']
    assert landed["method"] == "click_ax_trusted"


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<a href='javascript:void 0'>X</a>", "X"),
        ("<a href='#' onclick='return false'>X</a>", "X"),
        ("<button type=button>X</button>", "X"),
        ("<button><span style='cursor:pointer'>X</span></button>", "X"),
        ("<form onsubmit='return false'><div role=button tabindex=0>X</div></form>", "X"),
        ("<button form=f type=button>X</button><form id=f></form>", "X"),
        ("<div role=switch aria-checked=false tabindex=0>X</div>", "X"),
        ("<div role=button aria-pressed=false tabindex=0>X</div>", "X"),
        ("<div role=button aria-expanded=false tabindex=0>X</div>", "X"),
        ("<div role=button aria-haspopup=menu tabindex=0>X</div>", "X"),
        ("<div role=tab tabindex=0>X</div>", "X"),
        ("<div role=button tabindex=0 class='like-toggle'>X</div>", "X"),
        ("<div role=button tabindex=0>Toggle theme</div>", "Toggle theme"),
        ("<div role=button tabindex=0>Download report</div>", "Download report"),
        ("<div role=button tabindex=0 download>X</div>", "X"),
        ("<div role=button tabindex=0>Delete</div>", "Delete"),
        ("<div role=button tabindex=0>Buy now</div>", "Buy now"),
        ("<div role=button tabindex=0>Kostenpflichtig bestellen</div>", "Kostenpflichtig bestellen"),
        ("<div role=button tabindex=0>支付</div>", "支付"),
        ("<div role=button tabindex=0 data-action='remove-row'>X</div>", "X"),
        ("<div role=button tabindex=0>+</div>", "+"),
        ("<div><input aria-label=Message><div role=button tabindex=0>X</div></div>", "X"),
        ("<div role=button tabindex=0 style='pointer-events:none'>X</div>", "X"),
        ("<div role=button tabindex=0 style='opacity:0'>X</div>", "X"),
    ],
)
def test_what_is_never_pressed_twice(tab: Tab, html: str, name: str) -> None:
    tab.show(html + TRUSTED)
    ref = tab.ref_of(name)
    answer = tab.call("click_ax", ref_id=ref)
    assert not answer.get("retry", {}).get("eligible"), answer
    if answer.get("changed") == ["nothing"]:
        assert answer["retry"]["why"]
    aim = tab.call("aim", tool="click_ax", args={"ref_id": ref})
    assert (aim["success"], aim["code"]) == (False, "not_eligible")


def test_only_once_for_a_document_and_element(tab: Tab) -> None:
    tab.show(f"<div id=x role=button tabindex=0>Thing</div>{TRUSTED}")
    ref = tab.ref_of("Thing")
    assert tab.call("click_ax", ref_id=ref)["retry"]["eligible"]
    assert not tab.call("click", text="Thing")["retry"]["eligible"]
    assert tab.call("aim", tool="click_ax", args={"ref_id": ref})["success"]
    assert tab.call("aim", tool="click_ax", args={"ref_id": ref})["code"] == "not_eligible"
    assert not tab.call("click_ax", ref_id=ref)["retry"]["eligible"]


@pytest.mark.parametrize(
    "script",
    [
        "x.onclick = () => document.title = 'new'",
        "x.onclick = () => setTimeout(() => document.title = 'new', 250)",
        "x.onclick = () => x.setAttribute('aria-current', 'page')",
        "x.onclick = () => setTimeout(() => x.setAttribute('aria-current', 'page'), 250)",
        "x.onclick = () => i.focus()",
        "x.onclick = () => x.append('!')",
        "x.onclick = () => location.hash = 'there'",
        "x.onclick = () => document.body.classList.add('dark')",
    ],
)
def test_an_effect_forbids_a_second_press(tab: Tab, script: str) -> None:
    tab.show(f"<div id=x role=button tabindex=0>Thing</div><p>text</p><input id=i><script>{script}</script>")
    answer = tab.call("click_ax", ref_id=tab.ref_of("Thing"))
    assert "retry" not in answer
    assert answer["changed"] != ["nothing"]


def test_what_moves_by_itself_elsewhere_is_no_effect(tab: Tab) -> None:
    tab.show(
        "<div id=x role=button tabindex=0>Thing</div><div><div><div><div><p id=p>busy</p></div></div></div></div><script>let n = 0; setInterval(() => p.className = 's' + n++, 20)</script>"
    )
    answer = tab.call("click_ax", ref_id=tab.ref_of("Thing"))
    assert answer["changed"] == ["nothing"]
    assert answer["retry"]["eligible"]
    assert "move by themselves" in answer["hint"]


def test_the_focus_of_the_press_itself_is_no_effect(tab: Tab) -> None:
    tab.show("<button id=x type=button>Idle</button><input id=i aria-label=I>")
    tab.js("i.focus()")
    answer = tab.click("button")
    assert tab.js("document.activeElement.id") == "x"
    assert (answer["changed"], answer["focused"]) == (["nothing"], True)
    assert tab.click('textbox "I"')["changed"] == [f'focus: textbox "I" [{tab.ref("textbox")}]']


# Aims


def test_a_place_needs_no_offer(tab: Tab) -> None:
    tab.show(
        f"<div id=x role=button tabindex=0 aria-expanded=false style='position:absolute;left:40px;top:40px'>Thing</div>{TRUSTED}"
    )
    aim = tab.call("aim", tool="click", args={"x": 50, "y": 50})
    assert aim["points"] == [{"x": 50, "y": 50}]
    tab.page.mouse.click(50, 50)
    assert tab.call("landed", aim=aim["aim"])["changed"] == ['title: "trusted x"']


def test_points_are_those_of_the_tab_in_nested_frames(tab: Tab) -> None:
    tab.case("62-nested-frames")
    tab.page.frame_locator("#outer").frame_locator("#inner").locator("button").wait_for()
    aim = tab.call("aim", tool="hover", args={"ref_id": tab.ref('button "Smallest"')})
    point = aim["points"][0]
    tab.page.mouse.click(point["x"], point["y"])
    assert tab.js("document.title") == "inner"
    assert tab.call("landed", aim=aim["aim"])["success"]


def test_a_frame_drawn_smaller(tab: Tab) -> None:
    tab.show(
        """<iframe style="width:600px;height:400px;transform:scale(0.5);transform-origin:0 0;margin:40px;border:5px solid" srcdoc="<button style='position:absolute;left:500px;top:300px' onclick='parent.document.title = `hit`'>Far</button>"></iframe>"""
    )
    tab.page.frame_locator("iframe").locator("button").wait_for()
    aim = tab.call("aim", tool="hover", args={"ref_id": tab.ref('button "Far"')})
    tab.page.mouse.click(aim["points"][0]["x"], aim["points"][0]["y"])
    assert tab.js("document.title") == "hit"


def test_a_real_hover_and_a_real_drag(tab: Tab) -> None:
    tab.show(
        """<div id=a style="position:absolute;left:20px;top:20px;width:60px;height:40px;background:#ccc">Box</div><script>
        let from = null; a.onmousedown = (e) => { from = e.clientX - a.offsetLeft; e.preventDefault(); };
        document.onmousemove = (e) => { if (from !== null) a.style.left = e.clientX - from + "px"; };
        document.onmouseup = () => from = null; a.onmouseenter = () => a.title = "seen";</script>"""
    )
    ref = tab.ref_of("Box")
    aim = tab.call("aim", tool="hover", args={"ref_id": ref})
    tab.page.mouse.move(aim["points"][0]["x"], aim["points"][0]["y"])
    assert tab.call("landed", aim=aim["aim"])["success"]
    assert tab.js("a.title") == "seen"
    aim = tab.call("aim", tool="drag_drop", args={"fromRefId": ref, "dx": 150, "dy": 0, "steps": 5})
    start, end = aim["points"]
    assert (aim["steps"], aim["draggable"]) == (5, False)
    tab.page.mouse.move(start["x"], start["y"])
    tab.page.mouse.down()
    tab.page.mouse.move(end["x"], end["y"], steps=aim["steps"])
    tab.page.mouse.up()
    landed = tab.call("landed", aim=aim["aim"])
    assert landed["changed"][0] == "moved: by 150,0 pixels"
    assert tab.js("a.offsetLeft") == 170


def test_real_keys(tab: Tab) -> None:
    tab.show("<input id=i type=number value=3 aria-label=I>")
    tab.js("i.focus()")
    aim = tab.call("aim", tool="press_keys", args={"key": "arrowup", "repeat": 2})
    assert aim["points"] == []
    tab.page.keyboard.press("ArrowUp")
    tab.page.keyboard.press("ArrowUp")
    landed = tab.call("landed", aim=aim["aim"])
    assert (landed["key"], landed["changed"]) == ("ArrowUp", ['value: "5"'])


def test_aims_that_are_none(tab: Tab) -> None:
    tab.show("<button>B</button>")
    assert tab.call("landed", aim="aim_7")["code"] == "unknown_aim"
    assert tab.call("aim", tool="navigate", args={})["code"] == "bad_tool"
    assert tab.call("aim", tool="press_keys", args={"key": "a"})["code"] == "bad_key"
    aim = tab.call("aim", tool="hover", args={"ref_id": tab.ref("button")})
    assert tab.call("landed", aim=aim["aim"])["success"]
    assert tab.call("landed", aim=aim["aim"])["code"] == "unknown_aim"


# Frames of other sites


def foreign(tab: Tab) -> Tab:
    """A page with a focused frame of another origin."""
    inner = tab.site.page("<form action=/sent/frame><input name=q autofocus><button>Go</button></form>")
    other = inner.replace("127.0.0.1", "localhost")
    tab.show(
        f"<iframe id=f style='position:absolute;left:0;top:0;width:300px;height:200px' src='{other}'></iframe><button style='position:absolute;left:400px'>Mine</button>"
    )
    tab.page.frame_locator("iframe").locator("button").wait_for()
    return tab


def test_no_input_goes_blindly_into_a_foreign_frame(tab: Tab) -> None:
    foreign(tab)
    for action, args in (
        ("click", {"x": 60, "y": 60}),
        ("aim", {"tool": "click", "args": {"x": 60, "y": 60}}),
        ("submit_probe", {"tool": "click", "args": {"x": 60, "y": 60}}),
    ):
        assert tab.call(action, **args)["code"] == "in_frame", action
    drag = tab.call(
        "aim", tool="drag_drop", args={"fromRefId": tab.ref('button "Mine"'), "dx": -350, "dy": 40}
    )
    assert drag["code"] == "in_frame"
    tab.page.frame_locator("iframe").locator("input").click()
    for action, args in (
        ("press_keys", {"key": "Enter"}),
        ("aim", {"tool": "press_keys", "args": {"key": "Enter"}}),
        ("submit_probe", {"tool": "press_keys", "args": {"key": "Enter"}}),
    ):
        assert tab.call(action, **args)["code"] == "focus_in_frame", action
    assert tab.call("type_text", text="x")["code"] == "focus_in_frame"
    assert not [r for r in tab.site.received if r[1] == "/sent/frame"]


# Probes


def test_clicks_by_text_and_place_are_probed_like_those_by_reference(tab: Tab) -> None:
    tab.show(
        "<form action=/sent/probe method=post><input name=q value=tea><button style='position:absolute;left:20px;top:60px'>Order</button></form><button>Help</button>"
    )
    for args in ({"text": "Order"}, {"selector": "form button"}, {"x": 40, "y": 70}):
        probe = tab.probe("click", **args)
        assert (probe["submits"], probe["action"].endswith("/sent/probe")) == (True, True), args
    assert not tab.probe("click", text="Help")["submits"]
    assert tab.probe("click", text="Nowhere")["code"] == "not_found"
    assert tab.probe("frame_click", selector="form button")["submits"]
    token = tab.probe("click", text="Order")["token"]
    tab.js("document.querySelector('input').value = 'coffee'")
    assert tab.call("click", text="Order", token=token)["code"] == "form_changed"
    assert not [r for r in tab.site.received if r[1] == "/sent/probe"]
    token = tab.probe("click", text="Order")["token"]
    tab.call("click", text="Order", token=token)
    tab.until("document.title === 'Sent'")
    assert [r for r in tab.site.received if r[1] == "/sent/probe"] == [
        ("POST", "/sent/probe", {"q": ["coffee"]})
    ]


def test_frame_actions(tab: Tab) -> None:
    tab.show(
        "<button class=b id=a>A</button><button class=b id=b>B</button><input class=i id=i><script>addEventListener('click', (e) => document.title = e.target.id)</script>"
    )
    answer = tab.call("frame_click", selector=".b")
    assert (answer["code"], [m["matchIndex"] for m in answer["matches"]]) == ("ambiguous", [0, 1])
    assert tab.js("document.title") == "Test"
    assert tab.call("frame_click", selector=".b", matchIndex=1)["success"]
    assert tab.js("document.title") == "b"
    assert tab.call("frame_click", selector=".b", matchIndex=2)["code"] == "not_found"
    assert tab.call("frame_type", selector=".i", text="hello")["verified"]
    assert tab.call("frame_type", selector=".i", text="bye", clear=True)["actual"] == "bye"
    assert tab.js("i.value") == "bye"
