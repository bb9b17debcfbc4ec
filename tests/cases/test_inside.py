# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""What lies inside something: shadow roots and frames, of this site and of another."""

import re
from urllib.parse import urlsplit

import pytest

from tests.content.harness import Site
from tests.support.browsers.base import wait_until
from tests.support.player import Player

PAYMENT = """<!doctype html><title>Pay</title><body>
<div class=tab style="cursor:pointer" onclick="document.title = 'card'">Card</div>
<div class=tab style="cursor:pointer" onclick="document.title = 'transfer'">Transfer</div>
<label>Number <input id=number></label>
<script>
  const say = () => parent.postMessage([document.title, number.value], '*');
  addEventListener('click', say); addEventListener('input', say);
</script>"""


def test_55_a_chat_in_a_shadow_root(player: Player) -> None:
    """Opened, filled in and sent."""
    player.case("55-shadow-chat")
    assert player.click('button "Chat"')["success"]
    assert player.fill('textbox "Your question"', "Open on Sunday?")["verified"]
    player.click('button "Send"')
    assert player.js("log.textContent") == "Open on Sunday?"


def test_57_the_right_one_of_equal_buttons_deep_in_shadows(player: Player) -> None:
    """Told apart by the product, four roots deep."""
    player.case("57-deep-shadow")
    assert player.call("click_ax", ref_id=player.ref_in(player.line("Lamp", filter="interactive")))["success"]
    assert player.js("document.title") == "lamp"


def framed(player: Player, other_site: Site, *, html: str = PAYMENT, sibling: bool = False) -> str:
    """Show a page with a frame of another origin; return what names the frame.

    ``sibling``: the two are subdomains of one domain, which is one site and yet two origins.
    """
    inner = other_site.page(html)
    around = player.site.page(
        "<!doctype html><title>Test</title><body><h1>Checkout</h1>"
        f"<iframe title=Payment width=500 height=200 src='{_host(inner, 'pay', sibling)}'></iframe>"
        "<script>window.said = []; addEventListener('message', (e) => { window.said = e.data; })</script>"
    )
    player.open(_host(around, "shop", sibling))
    parts = urlsplit(_host(inner, "pay", sibling))
    return parts.netloc + parts.path


def _host(url: str, name: str, sibling: bool) -> str:
    return url.replace("127.0.0.1", f"{name}.localhost") if sibling else url


def test_59_a_form_of_another_site(player: Player, other_site: Site) -> None:
    """The tree says that the frame is there; its content is read and filled in by the frame tools."""
    part = framed(player, other_site)
    assert "another" in player.line("Payment")
    inside = player.call("iframe_read", urlFilter=part)
    assert inside["success"], inside
    line = next(line for line in inside["pageContent"].splitlines() if "Number" in line)
    answer = player.call("set_field", ref_id=player.ref_in(line), text="4242")
    assert answer["success"], answer
    player.until("said[1] === '4242'")
    assert player.call("iframe_type", urlFilter=part, selector="#number", text="17", clear=True)["success"]
    player.until("said[1] === '17'")


@pytest.mark.parametrize("sibling", [False, True], ids=["another site", "sibling subdomain"])
def test_60_clickable_boxes_in_a_payment_frame(player: Player, other_site: Site, sibling: bool) -> None:
    """By selector, and by the reference that reading the frame gives."""
    part = framed(player, other_site, sibling=sibling)
    several = player.call("iframe_click", urlFilter=part, selector=".tab")
    assert (several["success"], several["code"]) == (False, "ambiguous")
    assert player.call("iframe_click", urlFilter=part, selector=".tab", matchIndex=1)["success"]
    player.until("said[0] === 'transfer'")
    inside = player.call("iframe_read", urlFilter=part)["pageContent"]
    line = next(line for line in inside.splitlines() if '"Card"' in line)
    assert player.call("click_ax", ref_id=player.ref_in(line))["success"]
    player.until("said[0] === 'card'")


@pytest.mark.parametrize("action", ["/sent/order", ""], ids=["elsewhere", "its own address"])
@pytest.mark.parametrize("by", ["selector", "ref"])
def test_a_frame_that_dies_under_its_own_form(player: Player, other_site: Site, action: str, by: str) -> None:
    """The form's next page takes the frame's script with it: what became of the press is known all the same."""
    form = f"<!doctype html><form method=post action='{action}'><input name=n value=1><button>Pay</button></form>"
    part = framed(player, other_site, html=form)
    before = len(other_site.received)
    if by == "selector":
        answer = player.call("iframe_click", urlFilter=part, selector="button")
    else:
        inside = player.call("iframe_read", urlFilter=part)["pageContent"]
        line = next(line for line in inside.splitlines() if 'button "Pay"' in line)
        answer = player.call("click_ax", ref_id=player.ref_in(line))
    assert answer["success"], answer
    asked = [card for card in player.events("clarify") if card["kind"] == "submit"]
    assert len(asked) == 1, "a person was asked before"
    wait_until(lambda: len(other_site.received) > before, 10, lambda: "the form to arrive")
    assert [method for method, _, _ in other_site.received[before:]] == ["POST"]
    assert "Thank you" in str(player.call("iframe_read"))


def test_a_page_that_dies_under_its_own_form(player: Player) -> None:
    """The same of the page itself, whose address stays the one it was."""
    player.show("<form method=post><input name=n value=1><button>Pay</button></form>")
    before = len(player.site.received)
    answer = player.click('button "Pay"')
    assert answer["success"], answer
    player.until("document.title === 'Sent'")
    assert [method for method, _, _ in player.site.received[before:]] == ["POST"]


def test_62_buttons_in_nested_frames(player: Player) -> None:
    """Whatever the nesting and the scroll position, the press lands on the button."""
    player.case("62-nested-frames")
    player.until("!!outer.contentDocument?.querySelector('#inner')?.contentDocument?.querySelector('button')")
    assert player.click('button "Smallest"')["success"]
    assert player.js("document.title") == "inner"
    player.js("scrollTo(0, 200)")
    assert player.click('button "Small"')["success"]
    found = re.fullmatch(r"outer (\d+)", player.js("document.title"))
    assert found
    box = player.js(
        "(({left, right}) => [left, right])(outer.contentDocument.querySelector('#b').getBoundingClientRect())"
    )
    assert box[0] < int(found[1]) < box[1]


def test_63_frames_that_come_later(player: Player) -> None:
    """A frame that a script adds, with another in it: both are read."""
    player.show("<h1>Later</h1>")
    player.tree()
    player.js("""(() => {
      const frame = document.createElement("iframe");
      frame.srcdoc = "<button>First level</button><iframe srcdoc='<button>Second level</button>'></iframe>";
      document.body.append(frame);
    })()""")
    player.until(
        "!!document.querySelector('iframe').contentDocument?.querySelector('iframe')?.contentDocument"
        "?.querySelector('button')"
    )
    text = player.tree()
    assert 'button "First level"' in text
    assert 'button "Second level"' in text


def test_64_empty_frames(player: Player) -> None:
    """They are noted as empty, and nothing breaks."""
    text = player.case("64-empty-frames").tree()
    assert 'button "After"' in text
    assert re.search(r'iframe "Nothing" .*\(empty\)', text)
    assert player.call("get_frames")["success"]


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_words_that_are_marked_in_a_shadow_root(player: Player, mode: str) -> None:
    """What the person has marked is read, in the root's own tree and not from elsewhere."""
    player.show(
        f"<p>Outside</p><x-a></x-a><script>const root = document.querySelector('x-a').attachShadow({{mode: '{mode}'}});"
        "root.innerHTML = '<p>Marked <b>inside</b> it</p>'; window.mark = () => {"
        " const [p] = root.children; getSelection().setBaseAndExtent(p.firstChild, 0, p.querySelector('b').firstChild, 6);"
        " return true }</script>"
    )
    assert player.call("get_selection")["text"] == ""
    player.js("mark()")
    assert player.call("get_selection")["text"] == "Marked inside"
    player.js("(getSelection().selectAllChildren(document.querySelector('p')), true)")
    assert player.call("get_selection")["text"] == "Outside"
    player.js("(getSelection().removeAllRanges(), true)")
    assert player.call("get_selection")["text"] == ""
