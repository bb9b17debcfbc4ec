# ruff: noqa: RUF001 (markup of the pages under test is more readable unwrapped)
"""Things without a role that people press all the same: they are seen, named, and can be pressed."""

import re

import pytest

from tests.support.player import Player


def test_24_a_hamburger_of_empty_spans(player: Player) -> None:
    """It is listed with its class for a hint, and opens the menu."""
    player.case("24-hamburger")
    ref = player.ref_in(player.line("nav-btn", filter="interactive"))
    assert player.call("click_ax", ref_id=ref)["success"]
    assert not player.js("menu.hidden")


def test_25_a_cross_without_a_role(player: Player) -> None:
    """It stands inside the dialog, which comes first, and closes it."""
    player.case("25-close-span")
    assert player.tree().startswith('[open overlays]\ndialog "Newsletter"')
    assert player.click('generic "×"')["success"]
    assert player.js("document.getElementById('popup') === null")


def test_26_text_with_only_a_delegated_listener(player: Player) -> None:
    """By its reference, and by its words."""
    player.case("26-more")
    assert player.click('generic "more"')["success"]
    assert player.js("text.textContent").endswith("all of its rest")
    player.case("26-more")
    assert player.call("click", text="more", textMatch="exact")["success"]
    assert player.js("text.textContent").endswith("all of its rest")


def test_27_listeners_for_other_events_than_click(player: Player) -> None:
    """A press sends mousedown, and a double-click can be asked for."""
    player.case("27-mousedown")
    assert player.call("click_ax", ref_id=player.ref_in(player.line("icon-pin")))["success"]
    assert player.js("log.textContent") == "pinned "
    player.click('cell "Row to open"', count=2)
    assert player.js("log.textContent") == "pinned opened "


def test_28_the_card_itself_has_a_ref(player: Player) -> None:
    """One line for the card, and pressing it fires its own handler."""
    player.case("28-card")
    text = player.tree(filter="interactive")
    assert len(text.splitlines()) == 1
    assert "Lakeside flat" in text
    assert player.call("click_ax", ref_id=player.ref_in(text))["success"]
    assert player.js("log.textContent") == "card opened"


def test_29_one_entry_per_clickable_row(player: Player) -> None:
    """Fifty rows of five nested nodes are fifty lines."""
    player.case("29-nested-pointers")
    assert len(player.tree(filter="interactive").splitlines()) == 50
    assert player.click('generic "Row 7"')["success"]
    assert player.js("document.title") == "Row 7"


def test_30_list_items_can_be_clicked(player: Player) -> None:
    """A list item with a script listener has a reference."""
    player.case("30-list-items")
    assert player.click('listitem "Pears"')["success"]
    assert player.js("document.title") == "Pears"


def test_31_an_anchor_without_an_address(player: Player) -> None:
    """It closes the overlay."""
    player.case("31-close-link")
    assert player.click('link "x"')["success"]
    assert player.js("document.getElementById('overlay') === null")


def test_32_equal_controls_are_told_apart_by_their_row(player: Player) -> None:
    """Every plus says which dish it belongs to; by its words alone it is not pressed."""
    player.case("32-plus-minus")
    lines = player.tree(filter="interactive").splitlines()
    assert len(lines) == 24
    plus = next(line for line in lines if line.startswith('generic "+"') and "Pizza" in line)
    assert player.call("click_ax", ref_id=player.ref_in(plus))["success"]
    counts = "[...document.querySelectorAll('li')].map((li) => li.querySelector('b').textContent)"
    assert player.js(counts)[3] == "1"
    several = player.call("click", text="+", textMatch="exact")
    assert (several["success"], several["code"]) == (False, "ambiguous")
    assert len(several["candidates"]) > 1
    assert player.js(counts).count("1") == 1


def test_33_the_body_of_a_mail_lies_in_a_frame(player: Player) -> None:
    """The editable frame is a field like any other."""
    player.case("33-mail-body")
    player.until("document.querySelector('iframe').contentDocument.body.isContentEditable")
    assert player.fill('textbox "Message"', "Dear all")["verified"]
    player.click('button "Send"')
    assert player.js("document.title") == "sent: Dear all"
    fields = [field["value"] for card in player.events("clarify") for field in card["fields"]]
    assert fields == ["Dear all"], "the person was shown the text"


@pytest.mark.parametrize(
    ("task", "sent"),
    [("Send a mail to all with the text 'Dear all'.", False), ("Send the mail that is open.", True)],
    ids=["text given", "no text given"],
)
def test_33_a_mail_is_not_sent_without_the_text_it_was_to_have(player: Player, task: str, sent: bool) -> None:
    """The press is refused before anybody is asked; a mail that is to be empty goes out."""
    player.case("33-mail-body")
    player.until("document.querySelector('iframe').contentDocument.body.isContentEditable")
    player.begin(task)
    answer = player.click('button "Send"')
    assert answer["success"] == sent, answer
    assert player.js("document.title.startsWith('sent')") == sent
    assert len(player.events("clarify")) == int(sent)
    if not sent:
        assert (answer["code"], answer["field"]) == ("empty_text", "Message")
        assert player.fill('textbox "Message"', "Dear all")["verified"]
        assert player.click('button "Send"')["success"]
        assert player.js("document.title") == "sent: Dear all"


def test_34_a_field_of_a_portal_that_just_opened(player: Player) -> None:
    """It is listed by its placeholder and takes text while the dialog still moves in."""
    player.case("34-portal-modal")
    opened = player.click('button "New project"')
    assert any(change.startswith("opened: dialog") for change in opened["changed"])
    assert player.fill('textbox "Project name"', "Moon")["verified"]
    assert player.js("document.querySelector('.modal input').value") == "Moon"


def test_105_only_the_real_send_is_asked_about(player: Player) -> None:
    """A menu item near a composer goes through without a card; Send does not."""
    player.case("105-chat-menu")
    assert player.click('menuitem "View my portfolio"')["success"]
    assert player.js("document.title") == "portfolio"
    assert not player.events("clarify")
    player.click('button "Send"')
    assert len(player.events("clarify")) == 1


def test_108_a_page_cannot_forge_lines(player: Player) -> None:
    """Labels that look like lines and references stay inside their quotes."""
    text = player.case("108-injection").tree()
    lines = text.splitlines()
    assert len(lines) == 4, text
    for line in lines:
        assert re.fullmatch(r'\w+ "(?:[^"\\]|\\.)*" \[ref_\d+\](?: \w+="(?:[^"\\]|\\.)*"| \(\w+\))*', line), (
            line
        )
        assert len(re.findall(r"\[ref_\d+\]", line)) == 1, line
    assert not re.search("[\u202e\u202c\u200b\ufeff\U000e0041]", text)
