# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""read_page, scroll, wait_for_element, get_selection, page_state."""

import pytest

from tests.content.harness import Tab

ARTICLE = """<header><a href=/>Home</a> Site header</header><nav><ul><li>Menu entry</ul></nav><aside>Advert</aside>
  <article><h1>On tea</h1><p>Tea is <b>a drink</b> made<br>of leaves.</p><ul><li>green<li>black <ul><li>Assam</ul></ul>
  <table><tr><th>Kind<th>Minutes<tr><td>Green<td>2</table><pre>a  b
  c</pre><p hidden>secret</p><img alt="A cup" src=x><script>var hidden = 1</script></article><footer>Imprint</footer>"""


def test_the_article_comes_as_readable_text(tab: Tab) -> None:
    answer = tab.show(ARTICLE + "<p>" + "x" * 10).call("read_page")
    assert answer["textSource"] == "body"
    long = ARTICLE.replace("made", "made" + " of many good things" * 20)
    answer = tab.show(long).call("read_page")
    assert (answer["textSource"], answer["isArticlePage"], answer["hasMore"]) == ("article", True, False)
    text = answer["text"].replace(" of many good things", "")
    assert text == (
        "# On tea\n\nTea is a drink made\nof leaves.\n\n- green\n- black\n\n- Assam\n\nKind | Minutes\nGreen | 2\n\n"
        "a  b\n  c\n\n[image: A cup]"
    )


def test_what_surrounds_it_is_left_out_unless_asked_for(tab: Tab) -> None:
    tab.show(ARTICLE)
    plain, whole = tab.call("read_page")["text"], tab.call("read_page", includeChrome=True)["text"]
    for word in ("Site header", "Menu entry", "Advert", "Imprint"):
        assert word not in plain
        assert word in whole
    assert "secret" not in whole


def test_what_is_invisible_is_not_read(tab: Tab) -> None:
    """Its place on the page is no reason: text that nobody sees is how pages speak to agents behind people's backs."""
    tab.show(
        "<p>Before</p><div style='visibility:hidden'>Say <b>nothing</b><h2>Hidden</h2><input value=typed><img alt=Pic src=x>"
        "<table><tr><td>one<td>two</table><p style='visibility:visible'>Shown after all</p> more</div><p>After</p>"
        "<div style='display:contents'>Without a box</div>"
    )
    assert (
        tab.call("read_page", includeChrome=True)["text"]
        == "Before\n\nShown after all\n\nAfter\n\nWithout a box"
    )


def test_a_page_of_nothing_but_surroundings_is_still_read(tab: Tab) -> None:
    assert tab.show("<nav>Only a menu</nav>").call("read_page")["text"] == "Only a menu"


def test_paging_loses_nothing(tab: Tab) -> None:
    tab.show("<main>" + "".join(f"<p>Sentence {i} is here.</p>" for i in range(900)) + "</main>")
    answer = tab.call("read_page", limit=1)
    assert answer["textLimit"] == 500
    parts = [answer["text"]]
    while answer["hasMore"]:
        assert answer["nextOffset"] == answer["textOffset"] + answer["returnedLength"]
        answer = tab.call("read_page", **(answer["continuationArgs"] | {"limit": 6_000}))
        parts.append(answer["text"])
    text = "".join(parts)
    assert len(text) == answer["originalLength"]
    assert all(f"Sentence {i} is" in text for i in range(900))


def test_shadow_roots_and_frames_are_read(tab: Tab) -> None:
    tab.show(
        "<div id=h></div><iframe srcdoc='<p>In the frame</p>'></iframe><script>h.attachShadow({mode:'open'}).innerHTML = '<p>In the shadow <slot></slot></p>'; h.append('slotted')</script>"
    )
    tab.page.frame_locator("iframe").locator("p").wait_for()
    text = tab.call("read_page")["text"]
    assert "In the shadow slotted" in text
    assert "In the frame" in text


def test_passwords_are_not_read(tab: Tab) -> None:
    text = tab.show("<p>Sign in</p><input value=Ada><input type=password value=hunter2>").call("read_page")[
        "text"
    ]
    assert "[Ada]" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("direction", "start", "end"), [("down", 0, 500), ("up", 900, 400), ("top", 900, 0), ("bottom", 0, 4300)]
)
def test_scrolling_the_page(tab: Tab, direction: str, start: int, end: int) -> None:
    tab.show("<div style='height:5000px'>x</div>", "<style>body{margin:0}</style>")
    tab.js(f"scrollTo(0, {start})")
    answer = tab.call("scroll", direction=direction)
    assert (answer["moved"], answer["movedWindow"], answer["targetElement"]) == (True, True, "window")
    assert (answer["windowBefore"], answer["windowAfter"]) == (start, end)
    assert tab.js("scrollY") == end


def test_the_end_is_said(tab: Tab) -> None:
    tab.show("<div style='height:5000px'>x</div>")
    tab.call("scroll", direction="bottom")
    answer = tab.call("scroll", direction="down")
    assert not answer["moved"]
    assert "already at its end" in answer["warning"]
    assert "nothing to scroll" in tab.show("<p>x</p>").call("scroll", direction="down")["warning"]
    assert tab.call("scroll", direction="sideways")["code"] == "bad_direction"


def test_a_ref_names_its_container(tab: Tab) -> None:
    tab.show(
        "<ul id=l style='height:100px;overflow:auto'>"
        + "<li>Entry</li>" * 99
        + "</ul><div style='height:5000px'>x</div>"
    )
    tab.js("window.scrolls = 0; l.addEventListener('scroll', () => scrolls++)")
    answer = tab.call("scroll", direction="down", ref_id=tab.ref("listitem"), amount=80)
    assert (answer["movedContainer"], answer["movedWindow"], answer["origin"]) == (True, False, "ref_id")
    assert (answer["containerBefore"], answer["containerAfter"]) == (0, 80)
    tab.until("scrolls > 0")
    assert tab.js("[l.scrollTop, scrollY]") == [80, 0]
    both = tab.call("scroll", direction="down", ref_id=tab.ref("listitem"), amount=80, alsoWindow=True)
    assert both["movedContainer"]
    assert both["movedWindow"]
    point = tab.call("scroll", direction="up", x=50, y=300)
    assert point["origin"] == "point"
    assert tab.js("scrollY") == 0


def test_waiting(tab: Tab) -> None:
    tab.show("<p id=p>x</p><p id=hidden style='display:none'>y</p>")
    assert tab.call("wait_for_element", selector="#p")["found"]
    tab.js(
        "setTimeout(() => document.body.append(Object.assign(document.createElement('b'), {id: 'late'})), 150)"
    )
    tab.js("setTimeout(() => document.getElementById('late').textContent = 'now', 250)")
    late = tab.call("wait_for_element", selector="#late", timeout=10_000)
    assert late["found"]
    assert late["elapsedMs"] < 5_000
    never = tab.call("wait_for_element", selector="#hidden", timeout=200)
    assert (never["success"], never["found"], never["timedOut"]) == (True, False, True)
    assert len(str(never)) < 200


INSIDE = """<p id=p>Outside</p><iframe srcdoc="<p>frame</p>"></iframe><x-box></x-box><script>
  window.root = document.querySelector("x-box").attachShadow({mode: "open"});
  root.innerHTML = "<div><p>shadow</p></div>";
  window.inner = () => frames[0].document.querySelector("p");</script>"""


@pytest.mark.parametrize("place", ["root.querySelector('div')", "frames[0].document.body"])
def test_waiting_inside_shadow_roots_and_frames(tab: Tab, place: str) -> None:
    tab.show(INSIDE)
    tab.until("inner()")
    tab.js(
        f"setTimeout(() => {{ {place}.innerHTML = '<b hidden class=late></b><b class=late>now</b>' }}, 150)"
    )
    late = tab.call("wait_for_element", selector="b.late", timeout=10_000)
    assert (late["found"], late["elapsedMs"] < 5_000) == (True, True)
    assert "now" in late["element"]
    assert tab.call("wait_for_element", selector="b.late", timeout=0)["found"]


def test_selections_of_shadow_roots_and_frames(tab: Tab) -> None:
    tab.show(INSIDE)
    tab.until("inner()")
    tab.js("frames[0].getSelection().selectAllChildren(inner())")
    assert tab.call("get_selection")["text"] == "frame"
    tab.js(
        "frames[0].getSelection().removeAllRanges(); root.getSelection().selectAllChildren(root.firstChild)"
    )
    assert tab.call("get_selection")["text"].strip() == "shadow"
    tab.js("getSelection().selectAllChildren(p); frames[0].getSelection().selectAllChildren(inner())")
    assert tab.call("get_selection")["text"] == "Outside"
    tab.js("frames[0].document.body.tabIndex = 0; frames[0].document.body.focus()")
    assert tab.call("get_selection")["text"] == "frame", "the one where the focus is"


@pytest.mark.parametrize("selector", ["div:contains('x')", "p:has-text('x')", "###", "", None, "p" * 2000])
def test_selectors_that_are_none(tab: Tab, selector: str | None) -> None:
    answer = tab.show("<p>x</p>").call("wait_for_element", selector=selector, timeout=50)
    assert (answer["success"], answer["code"]) == (False, "bad_selector")


def test_selection(tab: Tab) -> None:
    tab.show(
        "<p id=p>Some words here</p><input id=i value='typed text'><input id=w type=password value=hunter2>"
    )
    assert tab.call("get_selection")["text"] == ""
    tab.js("getSelection().selectAllChildren(p)")
    assert tab.call("get_selection")["text"] == "Some words here"
    tab.js("getSelection().removeAllRanges(); i.focus(); i.setSelectionRange(0, 5)")
    assert tab.call("get_selection")["text"] == "typed"
    tab.js("w.focus(); w.select()")
    assert "hunter2" not in str(tab.call("get_selection"))


def test_page_state(tab: Tab) -> None:
    tab.show(
        "<form id=f><input value=a aria-label=A><input type=hidden><input type=checkbox><button>x</button></form><dialog id=d aria-label=Ask>q</dialog><p role=status>Saved</p>"
    )
    state = tab.call("page_state")
    assert (
        state["readyState"],
        state["openDialogs"],
        state["visibleFormCount"],
        state["liveRegionMessages"],
    ) == ("complete", [], 1, ["Saved"])
    assert [(f["method"], f["fields"], f["dirty"], f["files"]) for f in state["forms"]] == [("get", 2, 0, 0)]
    tab.fill('textbox "A"', "b")
    tab.js("document.querySelector('[type=checkbox]').checked = true; d.showModal()")
    state = tab.call("page_state")
    assert [(d["role"], d["title"]) for d in state["openDialogs"]] == [("dialog", "Ask")]
    assert state["forms"][0]["dirty"] == 2


@pytest.mark.parametrize(
    ("page", "search"),
    [
        (
            "<form role=search><input aria-label=A><select aria-label=B><option>1<option>2</select></form>",
            True,
        ),
        ("<search><form><input aria-label=A><input></form></search>", True),
        ("<form><input type=search aria-label=A><input></form>", True),
        ("<form><input aria-label=A><input type=email></form>", False),
        ("<div role=search><input aria-label=A></div><input>", True),
        ("<input type=search aria-label=A><input>", True),
        ("<div role=search><input></div><input aria-label=A>", False),
    ],
)
def test_what_is_for_searching_is_told(tab: Tab, page: str, search: bool) -> None:
    """In a form that goes for the whole of it, outside for what was entered."""
    tab.show(page)
    tab.js("document.querySelector('[aria-label=A]').value = 'tea'")
    state = tab.call("page_state")
    (place,) = state["forms"] or [state["loose"]]
    assert (place["search"], place["dirty"]) == (search, 1)
