# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Pages that are too large, and what scrolls in them."""

import time

from tests.support.player import Player

RESULT_CHARS = 8_600
"""A result with its wrapper; the cap itself is 8,000."""


def test_65_a_long_page_of_documentation(player: Player) -> None:
    """The answer stays under its limit, says what is missing, and the rest can be had."""
    player.show(
        "<main></main><script>document.querySelector('main').innerHTML = Array.from({length: 3000}, (_, i) =>"
        " `<h3>Entry ${i}</h3><p><a href='#a${i}'>Link ${i}</a> <a href='#b${i}'>Other ${i}</a></p>`).join('')"
        "</script>"
    )
    first = player.call("get_accessibility_tree")
    assert player.step is not None
    assert len(player.step.text) < RESULT_CHARS
    assert first["hasMore"]
    assert first["notice"]
    second = player.call("get_accessibility_tree", **first["continuationArgs"])
    assert second["success"], second
    assert second["page"] == 2
    assert second["pageContent"] != first["pageContent"]
    prose = player.call("read_page")
    assert len(player.step.text) < RESULT_CHARS
    assert prose["hasMore"]


def test_67_a_component_tree_of_200_000_nodes(player: Player) -> None:
    """Bounded in time and size."""
    player.show(
        "<div id=root></div><script>{ let html = ''; for (let i = 0; i < 40000; i++)"
        " html += '<div><div><span>x</span><b><i></i></b></div></div>'; root.innerHTML = html; }</script>"
        "<button>Last</button>"
    )
    start = time.monotonic()
    answer = player.call("get_accessibility_tree", filter="interactive")
    assert answer["success"], answer
    assert time.monotonic() - start < 20
    assert player.step is not None
    assert len(player.step.text) < RESULT_CHARS


def test_69_a_wait_answers_in_a_line(player: Player) -> None:
    """Waiting on a big page is not a reading of it."""
    player.show("<script>document.write('<p>text</p>'.repeat(5000))</script>")
    assert player.call("wait_for_stable", timeout=3_000)["success"]
    assert player.step is not None
    assert len(player.step.text) < 700


def test_70_a_shop_with_2000_tiles(player: Player) -> None:
    """The first reading shows the product before the recommendations, and says that there is more."""
    player.show(
        "<h1>Lamp</h1><button>Add to basket</button><div id=more></div><script>more.innerHTML ="
        " '<a href=#>Recommended <b>thing</b> for you</a>'.repeat(2000)</script>"
    )
    answer = player.call("get_accessibility_tree")
    assert answer["hasMore"]
    assert 'button "Add to basket"' in answer["pageContent"]


def test_73_the_open_dialog_scrolls(player: Player) -> None:
    """The dialog moves and not the page behind it."""
    player.case("73-modal-scroll")
    answer = player.call("scroll", direction="down")
    assert (answer["movedContainer"], answer["movedWindow"]) == (True, False)
    assert player.js("[scrollY, document.getElementById('body').scrollTop]") == [0, 500]
    assert player.click('button "Accept"')["success"]
    assert player.js("document.title") == "accepted"


def test_74_the_visible_list_scrolls(player: Player) -> None:
    """Not the larger drawer beside the page."""
    player.case("74-two-scrollers")
    answer = player.call("scroll", direction="down", amount=400)
    assert answer["moved"]
    assert player.js("[drawer.scrollTop, list.scrollTop]") == [0, 400]
