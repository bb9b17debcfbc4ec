# ruff: noqa: E501, RUF001 (markup of the pages under test is more readable unwrapped)
"""``click`` by text, selector, number and place: what is meant, and what is refused instead of guessed."""

from typing import Any

import pytest

from tests.content.harness import Tab

LOG = "<script>window.log = []; addEventListener('click', (e) => log.push(e.target.closest('[id]')?.id), true)</script>"


def press(tab: Tab, **args: Any) -> dict[str, Any]:
    """A click that must succeed."""
    answer = tab.call("click", **args)
    assert answer["success"], answer
    return answer


@pytest.mark.parametrize(
    ("html", "text", "hit"),
    [
        ("<button id=a>Save</button><button id=b>Save all</button>", "Save", "a"),
        ("<button id=a>Save</button><button id=b>Save all</button>", "save ALL", "b"),
        ("<button id=a>Save as draft</button><button id=b>Don't save</button>", "Save", "a"),
        ("<p>Please save your work.</p><button id=b>Save</button>", "Save", "b"),
        ("<h2>Save</h2><button id=b>Save</button>", "Save", "b"),
        ("<button id=a aria-label=Close>×</button>", "close", "a"),
        ("<button id=a title=Close>×</button>", "Close", "a"),
        ("<input type=submit id=a value='Log in' onclick='return false'>", "Log in", "a"),
        ("<div id=a>more</div><p>Text with more words.</p>", "more", "a"),
        ("<button id=a><b>Sign</b> <i>in</i></button>", "Sign in", "a"),
        ("<button id=a>   Two\n   words </button>", "Two words", "a"),
        ("<div style='cursor:pointer' id=a>Card</div><p>Card</p>", "Card", "a"),
        ("<button id=a disabled>Go</button><button id=b>Go</button>", "Go", "b"),
        ("<button style='display:none'>Go</button><button id=b>Go</button>", "Go", "b"),
        (
            "<nav style='position:absolute;left:-900px'><button>Go</button></nav><button id=b>Go</button>",
            "Go",
            "b",
        ),
        (
            "<nav style='height:0;overflow:hidden'><button>Go</button></nav><button id=b>Go</button>",
            "Go",
            "b",
        ),
        ("<button id=a>Don’t save</button>", "Don't save", "a"),
        ("<button id=a>Loading…</button><button id=b>Loading more</button>", "Loading…", "a"),
        (f"<button id=a>{'very long name ' * 9}</button><p>x</p>", ("very long name " * 9)[:99] + "…", "a"),
        ("<a id=a href='#x'>Terms</a><p>Read our <span>terms</span> first</p>", "Terms", "a"),
    ],
)
def test_what_a_text_means(tab: Tab, html: str, text: str, hit: str) -> None:
    tab.show(html + LOG)
    press(tab, text=text)
    assert tab.js("log") == [hit]


def test_the_kinds_of_match(tab: Tab) -> None:
    tab.show(f"<button id=a>Add to basket</button>{LOG}")
    assert tab.call("click", text="basket", textMatch="exact")["code"] == "not_found"
    assert tab.call("click", text="basket", textMatch="prefix")["code"] == "not_found"
    assert tab.js("log") == []
    press(tab, text="basket", textMatch="contains")
    press(tab, text="Add", textMatch="prefix")
    press(tab, text="Add to basket", textMatch="exact")
    assert tab.js("log") == ["a", "a", "a"]
    assert tab.call("click", text="Add", textMatch="fuzzy")["code"] == "bad_text_match"


def test_several_hits_are_never_chosen_among(tab: Tab) -> None:
    rows = "".join(f"<li id=r{i}>Item {i} <button>Delete</button></li>" for i in range(9))
    tab.show(f"<ul>{rows}</ul>{LOG}")
    answer = tab.call("click", text="Delete")
    assert (answer["success"], answer["code"], answer["matchCount"]) == (False, "ambiguous", 9)
    assert tab.js("log") == []
    assert len(answer["candidates"]) == 6
    third = answer["candidates"][2]
    assert set(third) == {"index", "tag", "role", "text", "ref_id", "cx", "cy", "rect", "ancestor"}
    assert "Item 2" in third["ancestor"]
    tab.js("document.querySelectorAll('li').forEach((li) => li.onclick = () => document.title = li.id)")
    assert tab.call("click_ax", ref_id=third["ref_id"])["success"]
    assert tab.js("document.title") == "r2"
    press(tab, index=answer["candidates"][4]["index"])
    assert tab.js("document.title") == "r4"
    press(tab, x=answer["candidates"][1]["cx"], y=answer["candidates"][1]["cy"])
    assert tab.js("document.title") == "r1"


def test_a_number_never_means_another_element(tab: Tab) -> None:
    tab.show(f"<button id=a>One</button><button id=b>One</button>{LOG}")
    candidates = tab.call("click", text="One")["candidates"]
    tab.js("document.body.prepend(Object.assign(document.createElement('button'), {textContent: 'One'}))")
    press(tab, index=candidates[1]["index"])
    assert tab.js("log") == ["b"]
    tab.js("b.remove()")
    gone = tab.call("click", index=candidates[1]["index"])
    assert gone["code"] == "stale_index"
    assert tab.call("click", index=99)["code"] == "unknown_index"
    assert tab.call("click", index=-1)["code"] == "bad_index"
    assert tab.js("log") == ["b"]


def test_numbers_are_those_of_the_list_of_elements(tab: Tab) -> None:
    tab.show(f"<button id=a>One</button><button id=b>Two</button>{LOG}")
    listed = tab.call("get_interactive_elements")["elements"]
    number = next(e["index"] for e in listed if e["text"] == "Two")
    tab.js("a.remove()")
    press(tab, index=number)
    assert tab.js("log") == ["b"]


def test_a_label_means_its_control(tab: Tab) -> None:
    tab.show(
        "<label for=c>I agree</label><input type=checkbox id=c><label>Mail <input id=m></label><label class=sw>Dark<input id=h type=checkbox hidden></label>"
    )
    answer = press(tab, text="I agree")
    assert (answer["tag"], tab.js("c.checked")) == ("input", True)
    assert press(tab, text="Mail")["next_required"] == "type_ax"
    assert tab.js("document.activeElement.id") == "m"
    press(tab, text="Dark")
    assert tab.js("h.checked")


def test_a_text_of_an_option_chooses_it(tab: Tab) -> None:
    tab.show(
        "<label>Size <select id=s onchange='document.title = this.value'><option>Small<option>Large</select></label>"
    )
    answer = press(tab, text="Large")
    assert answer["verified"]
    assert tab.js("[s.value, document.title]") == ["Large", "Large"]
    refused = tab.call("click", text="Size")
    assert (refused["success"], refused["code"]) == (False, "use_set_field")


def test_an_option_that_several_lists_have(tab: Tab) -> None:
    tab.show("<select id=s><option>No<option>Yes</select><select id=t><option>No<option>Yes</select>")
    answer = tab.call("click", text="Yes")
    assert (answer["code"], answer["matchCount"]) == ("ambiguous", 2)
    assert tab.js("[s.value, t.value]") == ["No", "No"]


def test_only_the_modal_dialog_is_searched(tab: Tab) -> None:
    tab.show(
        f"<button id=a>Delete</button><button id=z>Archive</button><dialog id=d aria-label=Sure><button id=b>Delete</button></dialog>{LOG}"
    )
    tab.js("d.showModal()")
    press(tab, text="Delete")
    assert tab.js("log") == ["b"]
    answer = tab.call("click", text="Archive")
    assert answer["code"] == "not_found"
    assert "behind it" in answer["error"]
    assert tab.js("log") == ["b"]


def test_a_dialog_by_the_word_of_the_page(tab: Tab) -> None:
    tab.show(
        f"<button id=a>OK</button><div role=dialog aria-modal=true style='position:fixed;inset:50px;background:#fff'><button id=b>OK</button></div><ul role=listbox style='position:fixed;top:60px;left:300px'><li role=option id=o>Portal option</ul>{LOG}"
    )
    press(tab, text="OK")
    press(tab, text="Portal option")
    assert tab.js("log") == ["b", "o"]


def test_a_dialog_of_a_shadow_root_by_the_word_of_the_page(tab: Tab) -> None:
    tab.show(f"<button id=a>OK</button><x-box id=x></x-box>{LOG}")
    tab.js(
        "document.querySelector('x-box').attachShadow({mode: 'open'}).innerHTML ="
        ' "<div role=dialog aria-modal=true aria-label=Ask><button id=b>OK</button></div>"'
    )
    press(tab, text="OK")
    assert tab.js("log") == ["x"], "the press in the shadow root, as the page hears of it"


def test_rows_that_come_with_scrolling(tab: Tab) -> None:
    tab.show(
        """<ul id=l></ul><script>
        const more = () => { for (let i = 0; i < 30; i++) { const li = document.createElement("li"); li.textContent = "Row " + l.children.length; li.style.height = "40px"; li.onclick = () => document.title = li.textContent; l.append(li); } };
        more(); addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 300) more(); });</script>"""
    )
    answer = press(tab, text="Row 47")
    assert tab.js("document.title") == "Row 47"
    assert "scrolling" in answer["note"]


def test_a_text_that_is_nowhere(tab: Tab) -> None:
    tab.show(f"<button>Place order</button><div style='height:4000px'></div>{LOG}")
    answer = tab.call("click", text="Cancel the order")
    assert (answer["success"], answer["code"]) == (False, "not_found")
    assert answer["similar"] == ["place order"]
    assert tab.js("[log, scrollY]") == [[], 0]


def test_texts_in_shadow_roots_and_frames(tab: Tab) -> None:
    tab.show(
        """<x-a></x-a><iframe srcdoc="<button onclick='parent.document.title = `frame`'>In the frame</button>"></iframe><script>
        document.querySelector("x-a").attachShadow({mode: "closed"}).innerHTML = "<button onclick='document.title = `shadow`'>In the shadow</button>";</script>"""
    )
    tab.page.frame_locator("iframe").locator("button").wait_for()
    tab.isolated(
        "chrome.dom = { openOrClosedShadowRoot: (e) => e.localName === 'x-a' ? null : e.shadowRoot }"
    )
    press(tab, text="In the frame")
    assert tab.js("document.title") == "frame"


def test_selectors(tab: Tab) -> None:
    tab.show(
        f"<button class=x id=a>One</button><button class=x id=b>Two</button><button class=y id=c hidden>Three</button><button class='y' id=d>Four</button>{LOG}"
    )
    press(tab, selector="#b")
    answer = tab.call("click", selector=".x")
    assert (answer["code"], answer["matchCount"]) == ("ambiguous", 2)
    press(tab, selector=".y")
    assert tab.js("log") == ["b", "d"]
    assert tab.call("click", selector="#c")["code"] == "hidden"
    assert tab.call("click", selector="#nowhere")["code"] == "not_found"


@pytest.mark.parametrize(
    "selector",
    [
        "button:contains('Save')",
        "button:has-text(Save)",
        "text=Save",
        "//button",
        "a >> b",
        "button[",
        "",
        "#",
        "xpath=//a",
        "b:visible",
    ],
)
def test_selectors_that_are_none(tab: Tab, selector: str) -> None:
    tab.show(f"<button>Save</button>{LOG}")
    answer = tab.call("click", selector=selector)
    assert (answer["success"], answer["code"]) == (False, "bad_selector")
    assert tab.js("log") == []


def test_a_selector_may_hold_such_words_in_quotes(tab: Tab) -> None:
    tab.show(f"<button id=a title='a:contains(b) >> c'>Save</button>{LOG}")
    press(tab, selector="[title='a:contains(b) >> c']")
    assert tab.js("log") == ["a"]


def test_places(tab: Tab) -> None:
    tab.show(
        f"<button id=a style='position:absolute;left:100px;top:100px;width:80px;height:40px'><span id=i>Go</span></button>{LOG}"
    )
    answer = press(tab, x=140, y=120, expected_name="go", expected_role="button")
    assert answer["tag"] == "button"
    assert "Go" in answer["hit"]
    assert tab.js("log") == ["i"]
    assert answer["changed"] == ["nothing"]
    miss = tab.call("click", x=500, y=400, expected_name="Go")
    assert miss["code"] == "unexpected_target"
    assert tab.js("log.length") == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"x": 0.5, "y": 0.25}, "normalised_point"),
        ({"x": 1, "y": 1}, "normalised_point"),
        ({"x": -5, "y": 20}, "outside_viewport"),
        ({"x": 5000, "y": 20}, "outside_viewport"),
        ({"x": 20, "y": 700}, "outside_viewport"),
        ({"x": 20}, "bad_point"),
        ({"x": "left", "y": 2}, "bad_point"),
        ({}, "bad_target"),
        ({"text": "a", "selector": "b"}, "bad_target"),
        ({"text": "  "}, "bad_text"),
        ({"text": {}}, "bad_text"),
    ],
)
def test_targets_that_are_none(tab: Tab, args: dict[str, Any], code: str) -> None:
    tab.show(f"<button>Go</button>{LOG}")
    answer = tab.call("click", **args)
    assert (answer["success"], answer["code"]) == (False, code)
    assert tab.js("log") == []


def test_a_place_in_a_nested_frame(tab: Tab) -> None:
    tab.case("62-nested-frames")
    inner = tab.page.frame_locator("#outer").frame_locator("#inner").locator("button")
    inner.wait_for()
    box = inner.bounding_box()
    assert box
    press(tab, x=round(box["x"] + box["width"] / 2), y=round(box["y"] + box["height"] / 2))
    assert tab.js("document.title") == "inner"


def test_a_place_is_taken_as_it_is(tab: Tab) -> None:
    tab.show(
        "<canvas id=c width=300 height=200 style='position:absolute;left:50px;top:50px'></canvas><script>c.onclick = (e) => document.title = e.offsetX + ',' + e.offsetY</script>"
    )
    press(tab, x=123, y=87)
    assert tab.js("document.title") == "73,37"


def test_double_clicks(tab: Tab) -> None:
    tab.show(
        "<div id=a>Row</div><script>window.seen = []; for (const t of ['click', 'dblclick']) a.addEventListener(t, (e) => seen.push(t + e.detail))</script>"
    )
    press(tab, text="Row", count=2)
    assert tab.js("seen") == ["click1", "click2", "dblclick2"]


def test_repeats_are_pointed_out(tab: Tab) -> None:
    tab.show("<button>Next</button><input aria-label=I>")
    assert "warning" not in press(tab, text="Next")
    assert "number 2" in press(tab, text="Next")["warning"]
    tab.fill("textbox", "x")
    assert "warning" not in press(tab, text="Next")


def test_a_press_means_the_item_and_not_the_one_inside_it(tab: Tab) -> None:
    tab.show(
        """<ul><li id=a role=menuitem tabindex=0 aria-expanded=true style='padding-top:2px'>Reports
        <ul style='padding:30px'><li id=b role=menuitem tabindex=0>Yearly</li><li id=c role=menuitem tabindex=0>Monthly</li></ul></li></ul>
        <script>for (const e of [a, b, c]) e.onclick = (ev) => { ev.stopPropagation(); document.title = e.id; }</script>"""
    )
    assert tab.click('menuitem "Reports')["success"]
    assert tab.js("document.title") == "a"


def test_covered_targets_name_what_lies_over_them(tab: Tab) -> None:
    tab.case("12-chat-over-submit")
    answer = tab.call("click", text="Submit")
    assert (answer["success"], answer["code"]) == (False, "covered")
    assert "Chat with us" in answer["coveredBy"]
    assert tab.js("log.textContent") == ""


def test_nothing_of_us_stays_on_the_page(tab: Tab) -> None:
    tab.show(
        "<button id=a>Go</button><input id=i aria-label=I><div id=d draggable=true>Drag</div><div id=e>Here</div>"
    )
    before = tab.js(
        "[document.documentElement.outerHTML, Object.keys(window).length, Object.getOwnPropertyNames(window).length]"
    )
    press(tab, text="Go")
    tab.call("hover", ref_id=tab.ref('button "Go"'))
    tab.call("drag_drop", fromRefId=tab.ref_of("Drag"), toRefId=tab.ref_of("Here"))
    tab.call("aim", tool="hover", args={"ref_id": tab.ref('button "Go"')})
    assert (
        tab.js(
            "[document.documentElement.outerHTML, Object.keys(window).length, Object.getOwnPropertyNames(window).length]"
        )
        == before
    )
