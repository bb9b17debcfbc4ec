"""What is covered, hidden, disabled or closed: said as it is, and never pressed through."""

import pytest

from tests.support.player import Player


def test_12_a_widget_over_the_button(player: Player) -> None:
    """The answer names what is in the way, and nothing gets the press."""
    player.case("12-chat-over-submit")
    assert "(covered)" in player.line("Submit")
    answer = player.click('button "Submit"')
    assert not answer["success"]
    assert answer["code"] == "covered"
    assert "Chat with us" in answer["coveredBy"]
    assert player.js("log.textContent") == ""


def test_14_a_target_under_the_sticky_header(player: Player) -> None:
    """It is moved clear of the header and pressed."""
    player.case("14-sticky-header")
    ref = player.ref('link "Target link"')
    player.js("hide()")
    answer = player.call("click_ax", ref_id=ref)
    assert answer["success"], answer
    player.until("location.hash === '#done'")
    assert player.js("target.getBoundingClientRect().top") >= 60


def test_14_a_box_drawn_over_its_checkbox(player: Player) -> None:
    """A drawing over the real checkbox covers nothing."""
    player.case("14-drawn-checkbox")
    assert "(covered)" not in player.tree()
    assert player.click('checkbox "I agree"')["success"]
    assert player.js("agree.checked")
    assert player.call("set_checked", ref_id=player.ref('checkbox "Dark mode"'), checked=True)["success"]
    assert player.js("dark.checked")


def test_15_links_behind_a_drawer_are_marked(player: Player) -> None:
    """What the drawer lies over is marked; what is in it works."""
    player.case("15-drawer")
    lines = player.tree().splitlines()
    assert all("(covered)" in line for line in lines if "Product" in line)
    assert not any("(covered)" in line for line in lines if "Show results" in line)
    assert player.click('button "Show results"')["success"]
    assert player.js("document.title") == "applied"


@pytest.mark.parametrize(
    ("name", "code"), [("Disabled one", "disabled"), ("Inert one", "inert"), ("Vanishing one", "hidden")]
)
def test_17_what_takes_no_input_is_refused_with_a_reason(player: Player, name: str, code: str) -> None:
    """Three ways to be no target, three reasons, no press."""
    player.case("17-not-for-input")
    ref = player.ref(f'button "{name}"')
    player.js("(gone.style.display = 'none')")
    answer = player.call("click_ax", ref_id=ref)
    assert (answer["success"], answer["code"]) == (False, code)
    assert player.js("document.title") == "17 not for input"


def test_17_the_marks_are_in_the_tree(player: Player) -> None:
    """Before anybody tries: each line says why there is nothing to be done with it."""
    player.case("17-not-for-input")
    assert "(disabled)" in player.line('button "Disabled one"')
    assert "(inert)" in player.line('button "Inert one"')
    assert "(disabled)" in player.line('textbox "Locked"')
    assert player.fill('textbox "Locked"', "x")["code"] == "disabled"


def test_18_a_transparent_mask_is_named_and_escape_helps(player: Player) -> None:
    """The mask of an open select is what is in the way; Escape takes it away."""
    player.case("18-select-mask")
    assert player.click('combobox "Size"')["success"]
    answer = player.click('button "Put into basket"')
    assert answer["code"] == "covered"
    assert "select2-drop-mask" in answer["coveredBy"]
    assert player.call("press_keys", key="Escape")["success"]
    assert player.click('button "Put into basket"')["success"]
    assert player.js("log.textContent") == "added"


def test_19_links_in_a_closed_section_are_not_offered(player: Player) -> None:
    """They come once the section is open."""
    player.case("19-details")
    assert "Archive" not in player.tree()
    assert player.click('button "More actions"')["success"]
    assert player.js("more.open")
    assert player.click('link "Archive"')["success"]
    player.until("location.hash === '#archive'")


def test_20_text_under_a_shadow_root_is_a_name(player: Player) -> None:
    """A link whose only text lies in a shadow root has a name and can be followed."""
    player.case("20-shadow-text")
    assert player.click('link "Opening hours"')["success"]
    player.until("location.hash === '#clock'")


def test_21_the_debugger_is_lost(player: Player) -> None:
    """Where the browser has one: it is taken away before each thing that needs it, and each still arrives."""
    if player.browser.name == "firefox":
        pytest.skip("Firefox has no debugger for extensions, so there is none to lose")
    player.show(
        "<button style='position:fixed;left:300px;top:200px;width:60px;height:30px'>Aim</button><script>"
        "window.did = []; const b = document.querySelector('button'); const note = (e) =>"
        " did.push(`${e.type} ${e.key ?? ''}`.trim()); b.onmouseenter = note; b.onclick = note;"
        " document.onkeydown = note</script>"
    )
    ref = player.ref('button "Aim"')

    def lose() -> None:
        player.browser.control.eval(
            f"chrome.debugger.detach({{tabId: {player.tab.id}}}).then(() => true, () => true)"
        )

    for tool, args, seen in (
        ("hover", {"ref_id": ref}, "mouseenter"),
        ("click", {"x": 330, "y": 215}, "click"),
        ("press_keys", {"key": "ArrowDown"}, "keydown ArrowDown"),
        ("click_ax", {"ref_id": ref}, "click"),
    ):
        # The first call of all attaches it; from then on it is there and can be lost.
        lose()
        player.js("(did.length = 0, true)")
        answer = player.call(tool, **args)
        assert answer["success"], (tool, answer)
        assert player.js("did").count(seen) == 1, (tool, player.js("did"))
        if tool == "hover":
            assert player.call("hover", ref_id=ref)["success"], "attached again"


def test_22_a_field_that_takes_nothing(player: Player) -> None:
    """Reading the field back decides: one that throws every letter away is a failure."""
    player.show(
        "<label>Code <input id=code></label><script>"
        "code.addEventListener('input', () => { code.value = ''; })</script>"
    )
    ref = player.ref('textbox "Code"')
    for tool, args in (("set_field", {"ref_id": ref}), ("type_ax", {"ref_id": ref}), ("type_text", {})):
        answer = player.call(tool, text="12345", **args)
        assert not answer["success"], (tool, answer)
        assert player.js("code.value") == ""


@pytest.mark.parametrize("zoom", [0.67, 1.0, 1.5])
def test_real_input_on_a_page_that_is_zoomed(player: Player, zoom: float) -> None:
    """The debugger counts in pixels of the screen, the page in its own: the press lands all the same."""
    player.show(
        "<button style='position:fixed;left:300px;top:200px;width:30px;height:20px'>Aim</button><script>"
        "window.hovers = window.clicks = 0; window.real = null; const b = document.querySelector('button');"
        "b.onmouseover = (e) => { hovers++; real = e.isTrusted }; b.onclick = () => clicks++</script>"
    )
    set_zoom = f"(globalThis.browser ?? chrome).tabs.setZoom({player.tab.id}, %s).then(() => true)"
    player.browser.control.eval(set_zoom % zoom)
    try:
        assert player.call("hover", ref_id=player.ref('button "Aim"'))["success"]
        assert player.js("hovers") >= 1
        assert player.js("real") == (player.browser.name == "chromium")
        assert player.call("click", x=315, y=210)["success"]
        assert player.js("clicks") == 1
    finally:
        player.browser.control.eval(set_zoom % 0)
