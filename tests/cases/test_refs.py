"""References that must stay true: lists that are rebuilt, pages that move, pages that go."""

import re

from tests.support.player import Player


def test_01_option_of_a_list_that_is_rebuilt_all_the_time(player: Player) -> None:
    """The answer names the same option's new reference, and that one works."""
    player.case("01-rebuilt-list")
    ref = player.ref('listitem "Parma"')
    player.js("rebuild()")
    answer = player.call("click_ax", ref_id=ref)
    for _ in range(3):
        if answer["success"]:
            break
        assert answer["code"] == "stale_ref", answer
        assert player.js("chosen.textContent") == ""
        player.js("rebuild()")
        answer = player.call("click_ax", ref_id=answer["freshRef"])
    assert answer["success"], answer
    assert player.js("chosen.textContent") == "chose Parma"


def test_03_a_banner_does_not_shift_refs(player: Player) -> None:
    """Continue stays Continue when something is put in before it."""
    player.case("03-banner-shift")
    ref = player.ref('button "Continue"')
    player.js("insertBanner()")
    player.tree()
    assert player.call("click_ax", ref_id=ref)["success"]
    assert player.js("log.textContent") == "continue "


def test_04_an_icon_that_appears_while_typing(player: Player) -> None:
    """Search is pressed and not the clear button that came in before it."""
    player.case("04-clear-icon")
    search = player.ref('button "Search"')
    assert player.fill('searchbox "Search"', "tea")["verified"]
    assert player.call("click_ax", ref_id=search)["success"]
    assert player.js("log.textContent") == "searched tea"


def test_06_a_ref_of_the_page_before_means_nothing(player: Player) -> None:
    """After a link was followed the old reference is refused and nothing is pressed."""
    player.case("06-page-one")
    old = player.ref('button "Delete"')
    followed = player.click('link "')
    assert followed["success"], followed
    player.until("document.title.startsWith('06 page two')")
    title = player.js("document.title")
    answer = player.call("click_ax", ref_id=old)
    assert not answer["success"]
    assert answer["code"] in ("unknown_ref", "stale_ref")
    assert "read" in answer["error"].lower()
    assert player.js("document.title") == title
    assert f"[{old}]" not in player.tree()


def test_07_back_from_the_cache_of_pages(player: Player) -> None:
    """A page that came back gives references that work."""
    player.case("06-page-one")
    player.js("(window.kept = true)")
    player.tree()
    player.click('link "')
    player.until("document.title.startsWith('06 page two')")
    player.tree()
    assert player.call("go_back")["success"]
    player.until("document.title.startsWith('06 page one')")
    if player.browser.name == "firefox":
        # Chromium keeps no page while a test drives it, and loads this one anew.
        assert player.js("window.kept")
    assert player.click('button "Delete"')["success"]
    assert player.js("document.title") == "deleted"


def test_10_a_soft_navigation_is_waited_for(player: Player) -> None:
    """A link that a script follows: the press waits for what comes, and the next reading shows it."""
    player.case("10-soft-navigation")
    answer = player.click('link "Go on"')
    assert answer["success"]
    assert any(change.startswith("url: ") for change in answer["changed"]), answer
    assert player.click('button "Finish"')["success"]
    assert player.js("document.title") == "finished"


def test_refs_are_never_given_twice(player: Player) -> None:
    """Numbers go on over all documents of a run, so that an old one cannot mean something new."""
    player.case("06-page-one")
    first = set(re.findall(r"ref_\d+", player.tree()))
    player.case("03-banner-shift")
    assert first.isdisjoint(re.findall(r"ref_\d+", player.tree()))
