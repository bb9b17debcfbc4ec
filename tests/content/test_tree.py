# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""What the tree shows and how: lines, roles, names, filters, overlays, pages."""

import re

import pytest

from tests.content.harness import Tab

LINE = re.compile(
    r' *[\w-]+(?: "(?:[^"\\]|\\.)*")?(?: \[ref_\d+\])?(?: [\w-]+="(?:[^"\\]|\\.)*"| \([^)]*\))*'
)


def line_of(text: str, part: str) -> str:
    """The first line with this part, references left out."""
    return re.sub(r" \[ref_\d+\]", "", next(line for line in text.splitlines() if part in line)).strip()


def test_the_shape_of_a_form(tab: Tab) -> None:
    text = tab.show("""
      <main><h2>Add a product</h2><form aria-label="Product">
      <label>Name <input type="text" placeholder="Product name" value='na"maz\\' aria-label="Name"></label>
      <label for="p">Price</label><input id="p" type="number" min="0" step="0.5" value="12.5" required>
      <label><input type="checkbox" checked> In stock</label>
      <label><input type="radio" name="r"> New</label>
      <label>Secret <input type="password" value="hunter2"></label>
      <textarea aria-label="About">two
lines</textarea>
      <button disabled>Save</button></form></main>""").tree(refs_after=0)
    assert re.sub(r"\[ref_\d+\]", "[r]", text) == "\n".join(
        [
            "main [r]",
            ' heading "Add a product" [r]',
            ' form "Product" [r]',
            '  textbox "Name" [r] type="text" placeholder="Product name" value="na\\"maz\\\\"',
            '  spinbutton "Price" [r] type="number" value="12.5" min="0" step="0.5" (required)',
            '  checkbox "In stock" [r] type="checkbox" checked="true"',
            '  radio "New" [r] type="radio" checked="false"',
            '  textbox "Secret" [r] type="password" (filled)',
            '  textbox "About" [r] value="two\\nlines"',
            '  button "Save" [r] (disabled)',
        ]
    )
    assert text.startswith("main [ref_1]\n")
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("html", "role"),
    [
        ("<a href='#x'>T</a>", "link"),
        ("<button>T</button>", "button"),
        ("<input aria-label=T>", "textbox"),
        ("<input type=search aria-label=T>", "searchbox"),
        ("<input type=range aria-label=T>", "slider"),
        ("<input type=submit value=T>", "button"),
        ("<input type=file aria-label=T>", "button"),
        ("<textarea aria-label=T></textarea>", "textbox"),
        ("<select aria-label=T></select>", "combobox"),
        ("<select aria-label=T multiple></select>", "listbox"),
        ("<h4>T</h4>", "heading"),
        ("<img alt=T src=x>", "image"),
        ("<nav aria-label=T><p>x</p></nav>", "navigation"),
        ("<main aria-label=T><p>x</p></main>", "main"),
        ("<header aria-label=T><p>x</p></header>", "banner"),
        ("<footer aria-label=T><p>x</p></footer>", "contentinfo"),
        ("<section aria-label=T><p>x</p></section>", "region"),
        ("<article aria-label=T><p>x</p></article>", "article"),
        ("<aside aria-label=T><p>x</p></aside>", "complementary"),
        ("<form aria-label=T><p>x</p></form>", "form"),
        ("<table aria-label=T><tr><td>x</table>", "table"),
        ("<ul aria-label=T><li>x</ul>", "list"),
        ("<ul><li>T<li>x</ul>", "listitem"),
        ("<label>T</label>", "label"),
        ("<div>T</div>", "generic"),
        ("<div role='tab'>T</div>", "tab"),
        ("<div role='nonsense switch'>T</div>", "switch"),
        ("<div role='img' aria-label=T></div>", "image"),
        ("<div contenteditable aria-label=T>x</div>", "textbox"),
        ("<details open><summary>T</summary></details>", "button"),
    ],
)
def test_roles(tab: Tab, html: str, role: str) -> None:
    assert line_of(tab.show(html).tree(), '"T"').startswith(f'{role} "T"')


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<select aria-label='L'><option>one<option selected>two</select>", "two"),
        ("<span id=i>by id</span><button aria-label='label' aria-labelledby=i>text</button>", "label"),
        ("<b id=i>by</b><b id=j>ids</b><button aria-labelledby='i j' title=t>text</button>", "by ids"),
        ("<label for=f>label</label><input id=f placeholder='place' title='title'>", "place"),
        ("<label for=f>label</label><input id=f title='title'>", "title"),
        ("<label for=f>label</label><input id=f type=image alt='alt' src=x>", "alt"),
        ("<label for=f>label</label><input id=f>", "label"),
        ("<label>around <input></label>", "around"),
        ("<input type=button value='value'>", "value"),
        ("<button>direct <b>and</b> more</button>", "direct and more"),
        ("<a href='#'><span>inside</span> <img alt='picture' src=x></a>", "inside picture"),
        ("<p>Every <input size=2> months</p>", "Every"),
        ("<div><span>Quantity</span></div><div><input></div>", "Quantity"),
        ("<div role=menuitem tabindex=0><span>deep</span> <i>inside</i></div>", "deep inside"),
        ("<h3><a>linked</a> heading</h3>", "linked heading"),
        ("<button><svg width=9 height=9><title>Close</title><path d='M0 0h9'/></svg></button>", "Close"),
    ],
)
def test_names(tab: Tab, html: str, name: str) -> None:
    text = tab.show(html).tree()
    assert f'"{name}"' in text, text
    wanted = re.compile(r"(combobox|button|textbox|link|menuitem|heading)")
    assert any(wanted.match(line.strip()) and f'"{name}"' in line for line in text.splitlines()), text


def test_a_value_is_never_a_text_fields_name(tab: Tab) -> None:
    assert (
        line_of(tab.show("<input value='typed words'>").tree(), "textbox")
        == 'textbox type="text" value="typed words"'
    )


def test_a_label_that_is_not_the_name_is_shown_too(tab: Tab) -> None:
    text = tab.show("<label for=f>Country</label><select id=f><option>Chad<option>Cuba</select>").tree()
    assert line_of(text, "combobox") == 'combobox "Chad" label="Country"'
    assert tab.call("tree")["controls"] == [
        {"ref": tab.ref("combobox"), "role": "combobox", "name": "Country (Chad)", "can": ["select"]}
    ]


def test_values_are_cut_in_the_page_and_whole_at_the_anchor(tab: Tab) -> None:
    value = "  " + "word " * 300 + " "
    tab.show("<input id=i aria-label=Long><button>x</button>")
    tab.js(f"i.value = {value!r}")
    shown = re.search(r'value="([^"]*)"', tab.tree())
    assert shown
    assert len(shown[1]) == 60
    assert shown[1].startswith("  word")
    ref = tab.ref('textbox "Long"')
    anchored = tab.tree(ref_id=ref)
    assert f'value="{value}"' in anchored
    assert "button" not in anchored
    tab.js("i.value = 'x'.repeat(5000)")
    assert "x" * 1999 + "…" in tab.tree(ref_id=ref)


def test_options(tab: Tab) -> None:
    tab.show("<select aria-label=N>" + "".join(f"<option>opt {i}" for i in range(100)) + "</select>")
    tab.js("document.querySelector('select').selectedIndex = 77")
    text = tab.tree(maxChars=12_000)
    assert text.count("option ") == 31
    assert '"opt 77"' in next(line for line in text.splitlines() if "(selected)" in line)
    assert "100 options in all" in text
    assert tab.tree(ref_id=tab.ref("combobox"), maxChars=12_000).count("option ") == 100


def test_states(tab: Tab) -> None:
    text = tab.show("""<button aria-expanded="false" aria-haspopup="menu">Menu</button>
      <button aria-pressed="true">Bold</button><div role="tab" aria-selected="true" tabindex="0">Tab</div>
      <div role="checkbox" aria-checked="mixed" tabindex="0">All</div><input readonly aria-label="Fixed" autofocus>
      <button aria-disabled="true">Later</button><input aria-invalid="true" aria-label="Wrong">""").tree()
    assert line_of(text, "Menu") == 'button "Menu" expanded="false"'
    assert line_of(text, "Bold") == 'button "Bold" pressed="true"'
    assert line_of(text, "Tab") == 'tab "Tab" selected="true"'
    assert line_of(text, "All") == 'checkbox "All" checked="mixed"'
    assert line_of(text, "Fixed") == 'textbox "Fixed" type="text" (focused) (readonly)'
    assert line_of(text, "Later") == 'button "Later" (disabled)'
    assert line_of(text, "Wrong") == 'textbox "Wrong" type="text" (invalid)'


FILTERED = """<h1>Top</h1><nav aria-label="Site"><a href="#a">Near</a></nav><p>Some text</p>
  <div aria-hidden="true"><p>Hidden words</p><button>Hidden button</button></div>
  <div style="visibility:hidden">Invisible <button style="visibility:visible">Shown again</button></div>
  <div style="display:none">Nothing</div><div style="display:contents">Contents</div>
  <div style="margin-top:3000px"><button>Far</button></div>"""


def test_filter_all(tab: Tab) -> None:
    text = tab.show(FILTERED).tree()
    for word in ("Top", "Site", "Near", "Some text", "Hidden button", "Shown again", "Contents", "Far"):
        assert word in text
    for word in ("Hidden words", "Invisible", "Nothing"):
        assert word not in text


def test_filter_visible(tab: Tab) -> None:
    text = tab.show(FILTERED).tree(filter="visible")
    for word in ("Top", "Near", "Some text", "Shown again"):
        assert word in text
    for word in ("Hidden", "Far"):
        assert word not in text
    tab.js("scrollTo(0, 5000)")
    assert "Far" in tab.tree(filter="visible")


def test_filter_interactive_rises_a_level(tab: Tab) -> None:
    lines = tab.show(FILTERED).tree(filter="interactive").splitlines()
    assert [re.sub(r" \[.*", "", line) for line in lines] == [
        'link "Near"',
        'button "Hidden button"',
        'button "Shown again"',
        'button "Far"',
    ]


def test_depth(tab: Tab) -> None:
    nest = "<section aria-label=S>" * 20 + "<button>Deep</button>" + "</section>" * 20
    answer = tab.show(nest).call("tree")
    assert answer["pageContent"].count("region") == 15
    assert "Deeper levels" in answer["notice"]
    assert "Deep" in tab.tree(maxDepth=30)
    assert tab.tree(maxDepth=2).count("\n") == 1


OVERLAYS = {
    "dialog": "<div role=dialog aria-label=O><button>In</button></div>",
    "alertdialog": "<div role=alertdialog aria-label=O><button>In</button></div>",
    "menu": "<div role=menu aria-label=O><div role=menuitem tabindex=0>In</div></div>",
    "listbox": "<ul role=listbox aria-label=O><li role=option>In</li></ul>",
    "modal": "<div aria-modal=true aria-label=O><button>In</button></div>",
    "open dialog": "<dialog open aria-label=O><button>In</button></dialog>",
    "expanded combobox": "<div role=combobox aria-expanded=true aria-label=O tabindex=0>In</div>",
}


@pytest.mark.parametrize("kind", OVERLAYS)
def test_open_overlays_come_first(tab: Tab, kind: str) -> None:
    page = f"<h1>Page</h1><p>{'word ' * 900}</p><div>{OVERLAYS[kind]}</div>"
    for given in ("all", "visible", "interactive"):
        lines = tab.show(page).tree(filter=given).splitlines()
        assert lines[0] == "[open overlays]", given
        assert '"O"' in lines[1]
    text = tab.tree()
    assert text.index('"O"') < text.index("[page]") < text.index('"Page"')
    assert text.count('"O"') == 1


def test_closed_overlays_do_not(tab: Tab) -> None:
    text = tab.show("""<h1>Page</h1><div role=dialog aria-label=O style="display:none"><button>In</button></div>
      <dialog aria-label=O2>x</dialog><div role=combobox aria-expanded=false aria-label=C tabindex=0>c</div>
      <div popover>Pop</div>""").tree()
    assert "[open overlays]" not in text
    assert "In" not in text
    assert 'combobox "C"' in text


def test_what_a_modal_dialog_shuts_out_is_marked(tab: Tab) -> None:
    tab.show("<button>Behind</button><dialog aria-label=Ask><button>Yes</button></dialog>")
    tab.js("document.querySelector('dialog').showModal()")
    text = tab.tree()
    assert line_of(text, "Behind") == 'button "Behind" (inert)'
    assert line_of(text, "Yes").startswith('button "Yes"')
    assert "(inert)" not in line_of(text, "Yes")
    assert tab.click('button "Behind"')["code"] == "inert"


IN_SHADOW = """<button id=a>Behind</button><input aria-label=Field>{0}<x-box></x-box><script>
  window.root = document.querySelector("x-box").attachShadow({{mode: "open"}});
  root.innerHTML = "<dialog aria-label=Ask><button>Yes</button></dialog>";
  root.querySelector("dialog").showModal();</script>"""


def test_a_modal_dialog_of_a_shadow_root_shuts_out_as_well(tab: Tab) -> None:
    text = tab.show(IN_SHADOW.format("")).tree()
    assert line_of(text, "Behind") == 'button "Behind" (inert)'
    assert "(inert)" in line_of(text, "Field")
    assert "(inert)" not in line_of(text, "Yes")
    assert text.count('"Yes"') == text.count('"Behind"') == 1
    behind = tab.ref_of("Behind")
    assert "(inert)" in tab.tree(ref_id=behind)
    assert tab.call("click_ax", ref_id=behind)["code"] == "inert"
    assert tab.call("set_field", ref_id=tab.ref_of("Field"), text="x")["code"] == "inert"
    missed = tab.call("click", text="Behind")
    assert (missed["code"], "behind it" in missed["error"]) == ("not_found", True)
    assert tab.call("click", text="Yes")["success"]
    tab.js("root.querySelector('dialog').close()")
    assert "(inert)" not in tab.tree()
    assert tab.call("click_ax", ref_id=behind)["success"]


def test_the_dialog_in_front_is_the_one_that_takes_input(tab: Tab) -> None:
    tab.show(IN_SHADOW.format("<dialog id=d aria-label=More><button>Really</button></dialog>"))
    tab.js("d.showModal()")
    text = tab.tree()
    assert "(inert)" in line_of(text, "Yes")
    assert "(inert)" not in line_of(text, "Really")
    assert tab.call("click_ax", ref_id=tab.ref_of("Yes"))["code"] == "inert"


def test_pages(tab: Tab) -> None:
    tab.show("".join(f"<p>Paragraph number {i} with some words in it</p>" for i in range(400)))
    first = tab.call("tree", maxChars=2_000)
    assert (first["hasMore"], first["truncated"], first["page"], first["nextPage"]) == (True, True, 1, 2)
    assert first["continuationArgs"] == {
        "filter": "all",
        "maxDepth": 15,
        "maxChars": 2_000,
        "page": 2,
        "tree_revision": first["treeRevision"],
    }
    tab.js("document.body.replaceChildren()")
    seen = [first["pageContent"]]
    answer = first
    while answer["hasMore"]:
        answer = tab.call("tree", **answer["continuationArgs"])
        assert answer["treeRevision"] == first["treeRevision"]
        assert answer["chunkStart"] == sum(len(part) + 1 for part in seen)
        assert len(answer["pageContent"]) <= 2_000
        seen.append(answer["pageContent"])
    whole = "\n".join(seen)
    assert len(whole) + 1 == first["totalChars"]
    assert [int(n) for n in re.findall(r"number (\d+)", whole)] == list(range(400))
    assert all(LINE.fullmatch(line) for line in whole.splitlines())


def test_page_one_is_always_fresh_and_later_ones_are_bound(tab: Tab) -> None:
    tab.show("".join(f"<p>Paragraph {i} of the first state of things</p>" for i in range(200)))
    first = tab.call("tree", maxChars=1_000)
    tab.js("document.body.innerHTML = '<h1>Changed</h1>'")
    assert 'heading "Changed"' in tab.tree(maxChars=1_000, tree_revision=first["treeRevision"])
    assert "Paragraph" in tab.tree(maxChars=1_000, page=2, tree_revision=first["treeRevision"])
    wrong = tab.call("tree", maxChars=1_000, page=2, tree_revision="zzzz-9")
    assert (wrong["success"], wrong["code"]) == (False, "stale_snapshot")
    other = tab.call("tree", maxChars=1_500, page=2, tree_revision=first["treeRevision"])
    assert other["code"] == "stale_snapshot"
    far = tab.tree(maxChars=1_000, page=99, tree_revision=first["treeRevision"])
    assert re.fullmatch(r"There is no page 99: this reading has \d+ pages\.", far)


def test_controls_are_those_of_this_page_of_the_tree(tab: Tab) -> None:
    tab.show("".join(f"<p>Some text before it</p><button>Button {i}</button>" for i in range(100)))
    first = tab.call("tree", maxChars=2_000)
    second = tab.call("tree", **first["continuationArgs"])
    for answer in (first, second):
        assert [c["ref"] for c in answer["controls"]] == re.findall(
            r"button.*\[(ref_\d+)\]", answer["pageContent"]
        )
    assert not {c["ref"] for c in first["controls"]} & {c["ref"] for c in second["controls"]}


def test_what_controls_can(tab: Tab) -> None:
    tab.show("""<a href="#x">a</a><button>b</button><input aria-label=c><input type=checkbox aria-label=d>
      <select aria-label=e><option>o</select><input type=date aria-label=f><div contenteditable aria-label=g></div>
      <div role=switch aria-checked=false tabindex=0>h</div><input type=file aria-label=i><button disabled>j</button>""")
    can = {c["name"]: c["can"] for c in tab.call("tree")["controls"]}
    assert can == {
        "a": ["click"],
        "b": ["click"],
        "c": ["type", "click"],
        "d": ["toggle", "click"],
        "e (o)": ["select"],
        "f": ["type"],
        "g": ["type", "click"],
        "h": ["toggle", "click"],
    }


def test_a_long_tree_of_the_viewport_leads_with_what_matters(tab: Tab) -> None:
    links = "".join(f'<a href="#{i}">A link with number {i}</a> ' for i in range(90))
    tab.show(f"{links}<br><textarea aria-label=Reply></textarea><button>Send it</button>")
    text = tab.tree(filter="visible")
    assert text.startswith("[priority controls]\n")
    assert text.index("Reply") < text.index("[page]")
    assert text.index("Send it") < text.index("[page]")


def test_formatting_does_not_break_a_line(tab: Tab) -> None:
    text = tab.show("<p>Only <b>two</b> of <span>th</span>em, <a href='#x'>see</a> the rest</p>").tree()
    assert [line_of(text, part) for part in ("Only", "see", "the rest")] == [
        'generic "Only two of them,"',
        'link "see" href="#x"',
        'text "the rest"',
    ]


def test_refs_in_the_tree_are_stable(tab: Tab) -> None:
    tab.show("<h1>A</h1><button>B</button><p>C</p>")
    assert tab.tree() == tab.tree()
    assert tab.ref('button "B"') == tab.ref('button "B"', filter="interactive")
