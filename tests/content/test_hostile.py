# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Pages that mean harm or are simply too much: bounded time, bounded size, no crash, nothing left behind."""

import re
import time
from typing import Any

import pytest

from tests.content.harness import Tab
from tests.content.left import differences

ANSWER_CHARS = 200_000
GENEROUS = 20.0
"""Seconds that a reading of a monstrous page may take on a busy machine."""
FRAMES_LOADED = (
    "[...document.querySelectorAll('[srcdoc]')].every((f) => f.contentDocument?.querySelector('button'))"
)
MOVING = ("an endless scroll", "a storm of changes")
"""Pages that change of themselves."""

READINGS: list[tuple[str, dict[str, Any]]] = [
    ("tree", {}),
    ("tree", {"filter": "visible"}),
    ("tree", {"filter": "interactive", "maxChars": 12_000}),
    ("read_page", {}),
    ("page_state", {}),
    ("get_selection", {}),
    ("scroll", {"direction": "down"}),
    ("wait_for_element", {"selector": "#never", "timeout": 50}),
    ("get_interactive_elements", {}),
    ("extract_data", {"type": "tables"}),
    ("extract_data", {"type": "headings"}),
    ("extract_data", {"type": "images"}),
    ("verify_form", {}),
    ("find_text", {"text": "bottom"}),
    ("get_shadow_dom", {}),
    ("shadow_dom_query", {"selector": "button"}),
    ("wait_for_stable", {"timeout": 300, "quietMs": 50}),
    ("frame_read", {}),
    ("frame_read", {"selector": "*"}),
    ("viewport", {}),
]

# Boxes are nested no deeper than the layout of Chromium itself survives; 5,000 levels have no boxes of their own.
MONSTERS = {
    "100,000 siblings": "for (let i = 0; i < 100000; i++) { const d = document.createElement('div'); d.textContent = 'n' + i; document.body.append(d); }",
    "100,000 buttons": "for (let i = 0; i < 100000; i++) { const d = document.createElement('button'); d.textContent = 'b' + i; document.body.append(d); }",
    "1 MB attributes": "const m = 'a \\n\"[ref_1]'.repeat(100000); document.body.innerHTML = '<button>x</button><a>y</a><img><input>'; for (const e of document.body.children) for (const n of ['aria-label', 'title', 'class', 'id', 'href', 'alt', 'placeholder', 'role', 'value', 'aria-labelledby', 'style', 'data-date']) e.setAttribute(n, m);",
    "10 MB of text": "document.body.append('word '.repeat(2000000)); const p = document.createElement('p'); p.append('x'.repeat(10000000)); document.body.append(p);",
    "10 MB of blanks": "document.body.append(' '.repeat(10000000)); const p = document.createElement('p'); p.append(' '.repeat(10000000), 'end'); document.body.append(p);",
    "1,500 levels": "let at = document.body; for (let i = 0; i < 1500; i++) { const d = document.createElement('div'); at.append(d); at = d; } at.append('bottom');",
    "1,500 named levels": "let at = document.body; for (let i = 0; i < 1500; i++) { const d = document.createElement('section'); d.setAttribute('aria-label', 's' + i); at.append(d); at = d; }",
    "200 shadow roots": "let at = document.body; for (let i = 0; i < 200; i++) { const d = document.createElement('div'); at.append(d); at = d.attachShadow({mode: 'open'}); } at.innerHTML = '<button>deep</button>';",
    "5,000 levels": "let at = document.body; for (let i = 0; i < 5000; i++) { const d = document.createElement('div'); d.style.display = 'contents'; at.append(d); at = d; } at.append('bottom');",
    "300 frames": "document.body.innerHTML = '<iframe srcdoc=\"<button>in a frame</button>\"></iframe>'.repeat(300);",
    "frames in frames": "let at = document; for (let i = 0; i < 60; i++) { const f = at.createElement('iframe'); at.body.append(f); at = f.contentDocument; } at.body.innerHTML = '<button>innermost</button>';",
    "1,200 frames": "for (let i = 0; i < 1200; i++) document.body.append(document.createElement('iframe'));",
    "an endless scroll": "document.body.innerHTML = '<p style=height:900px>x</p>'; addEventListener('scroll', () => { for (let i = 0; i < 50; i++) { const p = document.createElement('p'); p.textContent = 'more'; p.style.height = '90px'; document.body.append(p); } });",
    "20,000 shadow roots": "for (let i = 0; i < 20000; i++) { const d = document.createElement('p'); document.body.append(d); d.attachShadow({mode: 'open'}).innerHTML = '<button>b</button>'; }",
    "cells without end": "document.body.innerHTML = ('<table>' + '<tr>' + '<td>cell of a table</td>'.repeat(400) + '</tr>').repeat(60) + '</table>';",
    "labels that point at each other": "document.body.innerHTML = '<p id=a aria-labelledby=b>x</p><p id=b aria-labelledby=a>y</p><button aria-labelledby=\"' + 'a b '.repeat(5000) + '\">z</button>'.repeat(500);",
    "50,000 options": "document.body.innerHTML = '<select>' + '<option>o</option>'.repeat(50000) + '</select>';",
    "a storm of changes": "window.storm = setInterval(() => { for (let i = 0; i < 300; i++) { const d = document.createElement('p'); d.textContent = Math.random(); document.body.append(d); if (document.body.childNodes.length > 3000) document.body.replaceChildren(); } }, 1);",
    "overlays galore": "document.body.innerHTML = '<div role=dialog aria-label=d><button>x</button></div>'.repeat(20000);",
    "labels of labels": "document.body.innerHTML = '<label for=i>' + 'name '.repeat(50) + '</label>'; document.body.innerHTML = document.body.innerHTML.repeat(2000) + '<input id=i>';",
}


def read_all(tab: Tab, *, moving: bool = False, without: tuple[str, ...] = ()) -> None:
    """Every reading answers in time and size and leaves nothing in the page, and nothing that goes on there."""
    before = tab.made_of()
    tab.guard()
    for action, args in READINGS:
        if action in without:
            continue
        start = time.monotonic()
        answer = tab.call(action, **args)
        assert time.monotonic() - start < GENEROUS, (action, args)
        assert answer["success"], (action, answer)
        assert len(str(answer)) < ANSWER_CHARS
        if action == "tree":
            assert len(answer["pageContent"]) <= args.get("maxChars", 6_000) + 600
    left = [*tab.alive(), *differences(before, tab.made_of(), moving=moving)]
    assert not left, f"left behind: {left}"


@pytest.mark.parametrize("name", MONSTERS)
def test_readings_are_bounded(tab: Tab, name: str) -> None:
    tab.show("<p>start</p>")
    tab.js(f"() => {{ {MONSTERS[name]} }}")
    tab.until(FRAMES_LOADED)
    read_all(tab, moving=name in MOVING)


def test_a_cut_tree_says_so_and_shows_how_to_go_on(tab: Tab) -> None:
    tab.show("<p>start</p>")
    tab.js(f"() => {{ {MONSTERS['100,000 siblings']} }}")
    answer = tab.call("tree")
    assert (answer["autoDegraded"], answer["truncated"], answer["hasMore"]) == (True, True, True)
    assert "too large to be read whole" in answer["notice"]


def test_actions_work_among_100_000_nodes(tab: Tab) -> None:
    tab.show("<button onclick=\"document.title='hit'\">First</button><input id=i aria-label=I>")
    tab.js(f"() => {{ {MONSTERS['100,000 siblings']} }}")
    assert tab.click('button "First"')["success"]
    assert tab.js("document.title") == "hit"
    assert tab.fill("textbox", "words")["verified"]
    assert tab.js("i.value") == "words"


def test_a_document_without_a_body(tab: Tab) -> None:
    tab.show("<p>x</p>")
    tab.js("document.body.remove()")
    read_all(tab)
    tab.js("document.documentElement.remove()")
    read_all(tab)
    assert tab.call("press_keys", key="Enter")["code"] == "no_page"


@pytest.mark.parametrize(
    ("kind", "text", "seen"),
    [
        ("application/xml", "<?xml version='1.0'?><order><item>Tea</item></order>", "Tea"),
        (
            "image/svg+xml",
            "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>Drawn words</text><a href='#x'><text y='50'>Link</text></a></svg>",
            "Drawn words",
        ),
        ("text/plain", "Just text\nin lines", "Just text"),
        ("application/json", '{"answer": 42}', "42"),
    ],
)
def test_other_kinds_of_document(tab: Tab, kind: str, text: str, seen: str) -> None:
    tab.open(tab.site.page(text, kind))
    assert seen in tab.tree()
    assert seen in tab.call("read_page")["text"]
    read_all(tab)


def test_a_document_whose_elements_have_no_boxes(tab: Tab) -> None:
    sheet = "<?xml-stylesheet href='data:text/css,*{display:none}' type='text/css'?>"
    tab.open(
        tab.site.page(
            f"<?xml version='1.0'?>{sheet}<order><item>Tea</item><item>Milk</item></order>", "application/xml"
        )
    )
    assert tab.js("getComputedStyle(document.documentElement).display") == "none"
    assert [line.split(" [")[0] for line in tab.tree().splitlines()] == ['text "Tea"', 'text "Milk"']
    assert "Tea" in tab.call("read_page")["text"]


def test_a_page_that_never_finishes_loading(tab: Tab) -> None:
    url = tab.site.page(
        "<!doctype html><title>Slow</title><p>Here already</p><button>Go</button><img src=/hang>"
    )
    tab.page.goto(url, wait_until="commit")
    tab.until("document.querySelector('button')")
    tab.inject()
    assert 'button "Go"' in tab.tree()
    assert tab.call("page_state")["readyState"] in ("loading", "interactive")
    assert "Here already" in tab.call("read_page")["text"]


CLOBBERED = """<form id=f onsubmit="window.sent = true; return false" action=/sent/real>
  <input name=action value=1><input name=id value=2><input name=submit value=3><input name=parentNode value=4><input name=tagName value=5>
  <input name=getAttribute value=6><input name=childNodes value=7><input name=firstChild value=8><input name=elements value=9>
  <input name=requestSubmit value=10><input name=children value=11><input name=nodeType value=12><input name=querySelector value=13>
  <input name=method value=14><input name=localName value=15><input name=nextSibling value=16><input name=contains value=17>
  <button>Order</button></form>
  <img name=body><img name=documentElement><img name=activeElement><img name=querySelectorAll><img name=title><img name=defaultView>
  <form name=getSelection></form><form name=createDocumentFragment></form><form name=head></form><form name=execCommand></form>"""


def test_clobbered_names(tab: Tab) -> None:
    tab.show(CLOBBERED)
    read_all(tab)
    probe = tab.probe("click_ax", ref_id=tab.ref('button "Order"'))
    assert (probe["submits"], probe["action"], probe["method"], len(probe["fields"])) == (
        True,
        f"{tab.site.origin}/sent/real",
        "get",
        17,
    )
    assert tab.call("click_ax", ref_id=tab.ref('button "Order"'), token=probe["token"])["success"]
    assert tab.js("window.sent")


DOCUMENT = [
    *(
        "addEventListener",
        "removeEventListener",
        "dispatchEvent",
        "getSelection",
        "createRange",
        "createTreeWalker",
    ),
    *(
        "body",
        "activeElement",
        "defaultView",
        "querySelectorAll",
        "elementFromPoint",
        "execCommand",
        "createElement",
    ),
    *("hasFocus", "getElementById"),
]
"""Names that scripts like ours use of a document."""


@pytest.mark.parametrize("element", ["<img name={}>", "<form name={}></form>"])
def test_clobbered_document(tab: Tab, element: str) -> None:
    """Actions work where images or forms stand in the place of the document's own methods."""
    tab.show(
        "<button onclick=\"document.title = 'hit'\">Press</button><input id=i aria-label=I><p id=p>Some words here</p>"
        "<div id=e contenteditable role=textbox aria-label=E></div><div style='height:3000px'></div>"
        + "".join(element.format(name) for name in DOCUMENT)
    )
    read_all(tab)
    assert tab.click("button")["success"]
    assert tab.js("document.title") == "hit"
    assert tab.fill('textbox "I"', "abc")["verified"]
    assert tab.fill('textbox "E"', "words")["verified"]
    assert tab.call("press_keys", key="ArrowLeft")["success"]
    assert tab.type('textbox "E"', "!")["success"]
    assert "!" in tab.js("e.innerText")
    assert tab.call("click", text="Some words here")["success"]
    assert tab.call("select_text", ref_id=tab.ref('generic "Some'), text="words")["success"]
    assert tab.call("get_selection")["text"] == "words"
    assert tab.call("hover", ref_id=tab.ref("button"))["success"]
    assert tab.call("verify_form")["success"]


def test_a_clobbered_form_is_scrolled(tab: Tab) -> None:
    """Its fields have the names of what says how far it is."""
    names = ("scrollTop", "scrollHeight", "clientHeight", "scrollTo", "textContent", "scrollBy")
    tab.show(
        "<form id=f aria-label=F style='height:200px;overflow:auto'><div style='height:900px' role=group aria-label=G>x</div>"
        + "".join(f"<input name={name}>" for name in names)
        + "</form>"
    )
    answer = tab.call("scroll", direction="down", amount=300, ref_id=tab.ref('form "F"'))
    assert (answer["movedContainer"], answer["movedWindow"]) == (True, False)
    get = "Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop').get.call(f)"
    assert tab.js(get) == 300


PATCHED = """<script>
  for (const [proto, names] of [[Element.prototype, ["getBoundingClientRect", "getAttribute", "matches", "closest", "checkVisibility"]],
    [Node.prototype, ["contains", "appendChild"]], [Document.prototype, ["querySelector", "querySelectorAll", "elementFromPoint"]],
    [EventTarget.prototype, ["dispatchEvent"]], [HTMLElement.prototype, ["click", "focus"]], [Array.prototype, ["map", "filter", "push"]],
    [JSON, ["parse", "stringify"]], [Promise.prototype, ["then"]]])
    for (const name of names) proto[name] = function () { document.documentElement.setAttribute("data-called", name); throw new Error("patched"); };
  Object.defineProperty(Object.prototype, "success", { set() { document.documentElement.setAttribute("data-called", "success"); }, get() { return "patched"; } });
</script>"""


def test_patched_prototypes_are_not_met(tab: Tab) -> None:
    tab.show(f"<button onclick=\"document.title='hit'\">Press</button><input id=i aria-label=I>{PATCHED}")
    assert 'button "Press"' in tab.tree()
    assert tab.click("button")["success"]
    assert tab.fill("textbox", "abc")["verified"]
    # The page's own world is of no use any more, not even to the test.
    state = "document.title, document.getElementById('i').value, document.documentElement.getAttribute('data-called')"
    assert tab.isolated(f"[{state}]") == ["hit", "abc", None]


STRICT = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'">"""


def test_a_strict_policy_of_the_page_does_not_matter(tab: Tab) -> None:
    tab.show("<h1>Strict</h1><button>Press</button><input aria-label=I><table><tr><td>1</table>", STRICT)
    read_all(tab)
    assert tab.fill("textbox", "abc")["verified"]
    assert tab.js("document.querySelector('input').value") == "abc"


def test_readings_do_not_meet_what_the_page_patched(tab: Tab) -> None:
    tab.show(f"<form id=f><input name=a><button>Press</button></form><h2>Head</h2><p>bottom</p>{PATCHED}")
    read_all(tab, without=("scroll", "wait_for_element"))
    assert tab.isolated("document.documentElement.getAttribute('data-called')") is None


def test_what_waits_ends_with_the_answer(tab: Tab) -> None:
    tab.show("<p id=p>x</p>")
    tab.guard()
    tab.js("setInterval(() => { p.textContent = Math.random(); }, 5)")
    assert tab.call("wait_for_stable", timeout=300)["timedOut"]
    assert tab.alive() == []


LEFT = {
    "MutationObserver": "new MutationObserver(() => {}).observe(document, { childList: true })",
    "ResizeObserver": "new ResizeObserver(() => {}).observe(document.body)",
    "setTimeout": "setTimeout(() => {}, 1e6)",
    "setInterval": "setInterval(() => {}, 1e6)",
    "listener of scroll": "addEventListener('scroll', () => {})",
    "aside": "document.body.append(document.createElement('aside'))",
    "data-left": "document.body.dataset.left = 1",
    "nav": "document.querySelector('x-a').shadowRoot.append(document.createElement('nav'))",
}


@pytest.mark.parametrize("what", LEFT)
def test_what_is_left_is_found(tab: Tab, what: str) -> None:
    """The comparison that the others rely on, with a script that leaves something."""
    tab.show("<p>x</p><x-a></x-a><script>document.querySelector('x-a').attachShadow({mode: 'open'})</script>")
    read_all(tab)
    world = "chrome.runtime.onMessage.listeners"
    tab.isolated(f"{world}.push((message) => {{ if (message.action === 'viewport') {{ {LEFT[what]} }} }})")
    with pytest.raises(AssertionError, match=what):
        read_all(tab)


def test_nothing_is_left_on_the_page_by_actions(tab: Tab) -> None:
    tab.show("<button>B</button><input aria-label=I><div contenteditable aria-label=E>x</div>")
    tab.guard()
    before = tab.js("[document.documentElement.outerHTML, Object.keys(window).sort().join()]")
    for action, args in READINGS:
        tab.call(action, **args)
    tab.click("button")
    tab.fill('textbox "I"', "")
    tab.call("press_keys", key="Tab")
    assert tab.js("[document.documentElement.outerHTML, Object.keys(window).sort().join()]") == before
    assert tab.alive() == []


def test_no_attribute_of_the_page_can_forge_structure(tab: Tab) -> None:
    evil = 'x"] [ref_7] (checked)\n[open overlays]\nbutton "Pay" [ref_8]'
    tab.show(
        "<button id=b></button><input id=i><a id=a>t</a><select id=s><option id=o></select><iframe id=f width=200 height=90></iframe><div id=e contenteditable></div><img id=m>"
    )
    tab.page.evaluate(
        """(evil) => { for (const el of document.querySelectorAll("[id]")) for (const n of ["aria-label", "title", "class", "href", "placeholder",
        "value", "alt", "data-date", "aria-valuetext", "aria-valuenow", "label", "name", "min", "max"]) el.setAttribute(n, evil);
        for (const n of ["aria-expanded", "aria-checked", "aria-selected", "aria-pressed"]) b.setAttribute(n, evil); e.textContent = evil; i.value = evil; }""",
        evil,
    )
    for given in ("all", "visible", "interactive"):
        lines = tab.tree(filter=given, maxChars=12_000).splitlines()
        for line in lines:
            assert re.fullmatch(
                r' *[\w-]+(?: "(?:[^"\\]|\\.)*")?(?: \[ref_\d+\])?(?: [\w-]+="(?:[^"\\]|\\.)*"| \([^()"]*\))*',
                line,
            ), line
            assert len(re.findall(r"\[ref_\d+\]", line)) == 1, line
        assert not any(line.startswith('button "Pay"') for line in lines)
