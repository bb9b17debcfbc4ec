# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""What is only drawn, what is covered or behind a dialog, frames, hints: the tree beyond roles and names."""

import re

from tests.content.harness import Tab


def lines_of(text: str) -> list[str]:
    """Lines without references and indentation."""
    return [re.sub(r" \[ref_\d+\]", "", line).strip() for line in text.splitlines()]


def test_shapes_of_a_drawing(tab: Tab) -> None:
    tab.show("""<svg width=160 height=100><circle cx=30 cy=30 r=10 fill=red /><rect class=mark width=20 height=8 fill="#00f" style="cursor:pointer" />
      <g><polygon points="50,50 60,50 55,60" fill=green /></g><text x=80 y=30 fill=black>A</text><defs><rect width=9 height=9 /></defs></svg>
      <button aria-label=Icon><svg width=60 height=60><path d="M0 0h50v50z"/></svg></button><svg width=16 height=16><path d="M0 0h9"/></svg>""")
    assert lines_of(tab.tree()) == [
        "graphics",
        'circle fill="red" box="20x20"',
        'rect fill="#00f" box="20x8" class="mark" (clickable)',
        'polygon fill="green" box="10x10"',
        next(line for line in lines_of(tab.tree()) if line.startswith('text "A" fill="black" box="')),
        'button "Icon"',
    ]
    ref = tab.ref("circle")
    tab.js("document.querySelector('circle').addEventListener('click', () => { document.title = 'circle'; })")
    assert tab.call("click_ax", ref_id=ref)["success"]
    assert tab.js("document.title") == "circle"


def test_empty_boxes_that_are_seen(tab: Tab) -> None:
    tab.show("""<style>div, span, i { width: 20px; height: 20px; display: inline-block; } .p::after { content: "x"; }</style>
      <div class=color style="background-color: rgb(1, 2, 3)"></div><div id=slot></div><div id=blank>
      </div><div id=noted><!-- nothing --></div><div class=spacer></div>
      <div class=line style="height:1px;background:black"></div><span class=edge style="border:1px solid"></span>
      <i class=pic style="content:url(data:image/svg+xml,x)"></i><div style="width:auto;cursor:pointer" class=row>Row <i class=trash style="background-image:url(x)"></i></div>
      <button><i class=icon style="background:red"></i></button><div class=gone style="background:red;visibility:hidden"></div>""")
    assert lines_of(tab.tree()) == [
        'generic class="color" bg="rgb(1, 2, 3)"',
        'generic id="slot"',
        'generic id="blank"',
        'generic id="noted"',
        'generic class="edge"',
        'generic class="pic"',
        'generic "Row" (clickable)',
        'generic class="trash"',
        'button icon="icon"',
    ]
    assert lines_of(tab.tree(filter="interactive")) == ['generic "Row" (clickable)', 'button icon="icon"']


def test_boxes_and_shapes_are_bounded(tab: Tab) -> None:
    tab.show(
        "<i class=b style='display:inline-block;width:9px;height:9px;background:red'></i>" * 3000
        + "<svg width=500 height=500>"
        + "<rect width=9 height=9 />" * 3000
        + "</svg>"
    )
    answer = tab.call("tree", maxChars=12_000)
    text = answer["pageContent"]
    while answer["hasMore"]:
        answer = tab.call("tree", **answer["continuationArgs"])
        text += "\n" + answer["pageContent"]
    assert text.count("generic ") == 200
    assert text.count("rect ") == 300


def test_controls_behind_a_dialog_of_the_page_are_marked(tab: Tab) -> None:
    tab.show("""<button>Behind</button><div style="height:2000px"></div><button>Far</button>
      <div role=dialog aria-modal=true aria-label=Ask style="position:fixed;top:200px"><button>Yes</button></div>""")
    lines = lines_of(tab.tree())
    assert 'button "Behind" (behind a dialog)' in lines
    assert 'button "Far" (behind a dialog)' in lines
    assert 'button "Yes"' in lines
    tab.js("document.querySelector('[role=dialog]').remove()")
    assert "behind" not in tab.tree()


def test_what_lies_over_controls(tab: Tab) -> None:
    tab.show(
        """<button>Under</button> <button>Free</button><div id=over style="position:absolute;left:0;top:0;width:60px;height:60px"></div>"""
    )
    lines = lines_of(tab.tree())
    assert 'button "Under" (covered)' in lines
    assert 'button "Free"' in lines
    tab.js("over.style.pointerEvents = 'none'")
    assert "(covered)" not in tab.tree()


def test_frames(tab: Tab) -> None:
    inner = tab.site.page(
        "<!doctype html><button onclick=\"parent.document.title = 'pressed'\">Inside</button><div contenteditable>Body</div>"
    )
    other = inner.replace("127.0.0.1", "localhost") + "?secret=1#part"
    tab.show(
        f"<iframe src='{inner}' title=Own></iframe><iframe src='{other}' title=Other></iframe><iframe title=Nothing></iframe>"
    )
    tab.until("document.querySelector('iframe').contentDocument.querySelector('button')")
    lines = lines_of(tab.tree())
    assert f'iframe "Own" src="{inner}"' in lines
    assert 'button "Inside"' in lines
    assert 'textbox value="Body"' in lines
    host = other.split("/")[2]
    assert (
        f'iframe "Other" src="{host}{other.split(host)[1].split("?")[0]}" (another site: iframe_read reads it)'
        in lines
    )
    assert 'iframe "Nothing" (empty)' in lines
    assert tab.click('button "Inside"')["success"]
    assert tab.js("document.title") == "pressed"


def test_a_document_that_is_an_editor_as_a_whole(tab: Tab) -> None:
    tab.show("<iframe id=f srcdoc='<p>Old words</p>' title=Editor></iframe>")
    tab.until("document.getElementById('f').contentDocument.querySelector('p')")
    tab.js("f.contentDocument.designMode = 'on'")
    assert 'textbox value="Old words"' in lines_of(tab.tree())


def test_deep_pointer_text_and_hidden_parts(tab: Tab) -> None:
    tab.show("""<div style="content-visibility:hidden">Skipped <button>Skipped too</button></div><div hidden="until-found">Later</div>
      <span style="visibility:hidden">No <b style="visibility:visible">Yes</b></span><p style="opacity:0;pointer-events:none"><a href=#>Ghost</a></p>
      <p style="pointer-events:none"><a href=#>Dead</a></p>""")
    text = tab.tree()
    for word in ("Skipped", "Later", "No ", "Ghost"):
        assert word not in text
    assert 'link "Dead"' in text
