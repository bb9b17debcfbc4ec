# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Presses and what they change, judged by what the page got."""

import pytest

from tests.content.harness import RECORD, Tab


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


SHADOWS = """<x-one></x-one><x-two></x-two><script>
  const root = (tag) => document.querySelector(tag).attachShadow({ mode: "open" });
  const one = root("x-one"), two = root("x-two");
  one.innerHTML = "<div role=button tabindex=0 id=b>Press</div><form onsubmit='return false'><button>Go on</button></form>";
  two.innerHTML = "<p id=p>old</p><div role=dialog aria-label=Ask hidden>Really?</div>";
  one.getElementById("b").onclick = () => eval(window.effect);
</script>"""


@pytest.mark.parametrize(
    ("effect", "change"),
    [
        ("two.getElementById('p').textContent = 'new words'", 'text: "new words"'),
        ("two.querySelector('[role=dialog]').hidden = false", 'opened: dialog "Ask"'),
        (
            "setTimeout(() => two.getElementById('p').append(document.createElement('i'), 'more'), 200)",
            "text:",
        ),
    ],
)
def test_changes_in_another_shadow_root_are_seen(tab: Tab, effect: str, change: str) -> None:
    tab.show(SHADOWS)
    tab.js(f"window.effect = {effect!r}")
    answer = tab.call("click", text="Press")
    assert any(c.startswith(change) for c in answer["changed"]), answer["changed"]
    assert "retry" not in answer


def test_a_submit_in_a_shadow_root_is_seen(tab: Tab) -> None:
    tab.show(SHADOWS)
    assert any(c.startswith("submitted") for c in tab.call("click", text="Go on")["changed"])


@pytest.mark.parametrize(
    "style", ["this.nextElementSibling.style.display = 'block'", "this.nextElementSibling.className = 'open'"]
)
def test_what_comes_to_light_is_named(tab: Tab, style: str) -> None:
    tab.show(
        f'<style>ul{{display:none}}ul.open{{display:block}}</style><nav><span style="cursor:pointer" onclick="{style}">Menu</span><ul><li>Settings</li></ul></nav>'
    )
    answer = tab.call("click", text="Menu")
    assert 'shown: list "Settings"' in answer["changed"], answer["changed"]
