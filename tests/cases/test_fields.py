# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Fields with a mind of their own: state that rules them, suggestions, editors with a model."""

import pytest

from tests.support.player import Player


def test_35_a_field_that_its_state_rules(player: Player) -> None:
    """The state hears of the text, so later renders keep it."""
    player.case("35-controlled-input")
    assert player.fill('textbox "Name"', "Grace")["verified"]
    player.js("(window.renders = 0)")
    player.until("window.renders > 2")
    assert player.js("echo.textContent") == "state: Grace"
    assert player.js("document.getElementById('name').value") == "Grace"


def test_36_all_kinds_of_field_send_input_events(player: Player) -> None:
    """The button that waits for them is enabled."""
    player.case("36-three-fields")
    assert player.fill('textbox "Name"', "A")["verified"]
    assert player.type('textbox "About"', "B")["verified"]
    assert player.type('combobox "Choose"', "Pro")["verified"]
    assert not player.js("go.disabled")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "2031-02-03"),
        ("time", "14:30"),
        ("datetime-local", "2031-02-03T14:30"),
        ("month", "2031-02"),
        ("week", "2031-W05"),
        ("color", "#1e90ff"),
        ("range", "30"),
        ("number", "-1.5"),
    ],
)
def test_inputs_that_are_not_typed_into(player: Player, kind: str, text: str) -> None:
    """They take their value, and the page hears of it."""
    player.show(
        f"<input id=i type={kind} aria-label=Field><script>window.heard = []; for (const t of ['input', 'change'])"
        " i.addEventListener(t, () => heard.push(t))</script>"
    )
    ref = player.ref_in(player.line('"Field"'))
    assert player.call("set_field", ref_id=ref, text=text)["verified"]
    assert player.js("i.value") == text
    assert {"input", "change"} <= set(player.js("heard"))


def test_a_list_with_several_choices(player: Player) -> None:
    """By text, one or more; adding keeps the others."""
    player.show(
        "<select id=s multiple size=4 aria-label=Sides><option>Rice<option>Salad<option>Bread<option>Soup</select>"
    )
    chosen = "[...s.selectedOptions].map((o) => o.text)"
    assert player.call("set_field", ref_id=player.ref_in(player.line("Sides")), text="Rice\nBread")["success"]
    assert player.js(chosen) == ["Rice", "Bread"]
    assert player.click('option "Soup"', add=True)["success"]
    assert player.js(chosen) == ["Rice", "Bread", "Soup"]


def test_typing_sends_keys_for_each_character(player: Player) -> None:
    """A page that reads keys, and not the field, hears every one."""
    player.show(
        "<input id=i aria-label=Word><script>window.keys = []; for (const t of ['keydown', 'keyup'])"
        " i.addEventListener(t, (e) => keys.push(t + ' ' + e.key))</script>"
    )
    assert player.type('textbox "Word"', "aB")["verified"]
    assert player.js("keys") == ["keydown a", "keyup a", "keydown B", "keyup B"]


def test_37_selects_that_do_and_do_not_obey(player: Player) -> None:
    """What the component did not take is not reported as taken."""
    player.case("37-controlled-select")
    assert player.type('combobox "Red"', "Blue")["verified"]
    assert player.js("state.textContent") == "Blue"
    answer = player.type('combobox "One"', "Two")
    assert (answer["success"], answer["code"]) == (False, "not_verified")


def test_41_the_suggestion_is_picked(player: Player) -> None:
    """A typed city that is among the suggestions is chosen, and survives the blur."""
    player.case("41-city-combobox")
    answer = player.fill('combobox "City"', "Bern")
    assert answer["success"], answer
    player.js("document.activeElement.blur()")
    assert player.js("[city.value, state.textContent]") == ["Bern", "Bern"]


def test_41_several_suggestions_are_reported(player: Player) -> None:
    """The result shows them with references; picking one keeps the value."""
    player.case("41-city-combobox")
    answer = player.fill('combobox "City"', "Ber")
    assert [s["text"] for s in answer["suggestions"]] == ["Berlin", "Bergen", "Bern"]
    assert player.call("click_ax", ref_id=answer["suggestions"][1]["ref_id"])["success"]
    assert player.js("state.textContent") == "Bergen"


def test_42_a_switch_made_of_a_label(player: Player) -> None:
    """Listed with its state; one press toggles once; setting it twice changes it once."""
    player.case("42-switch")
    assert 'checked="false"' in player.line('checkbox "Notifications"')
    assert player.click('checkbox "Notifications"')["success"]
    assert player.js("[box.checked, count.textContent]") == [True, "1"]
    assert 'checked="true"' in player.line('checkbox "Notifications"')
    ref = player.ref('checkbox "Notifications"')
    assert player.call("set_checked", ref_id=ref, checked=True)["success"]
    assert player.js("[box.checked, count.textContent]") == [True, "1"]


def test_43_a_line_break_is_not_enter(player: Player) -> None:
    """Several lines arrive whole, are sent only when asked for, and once."""
    player.case("43-chat-textarea")
    assert player.fill('textbox "Message"', "one\ntwo\nthree")["verified"]
    assert player.js("sent.children.length") == 0
    assert player.fill('textbox "Message"', "one\ntwo\nthree", submit=True)["success"]
    assert player.js("[...sent.children].map((li) => li.textContent)") == ["one\ntwo\nthree"]


def test_44_48_an_editor_that_owns_its_model(player: Player) -> None:
    """Text goes in by the browser's own editing, so the model holds it; the same in both browsers."""
    player.case("44-model-editor")
    answer = player.fill('textbox "Post"', "Hello there")
    assert answer["verified"], answer
    assert player.js("model.textContent") == "Hello there"
    assert player.js("document.querySelector('.placeholder') === null")
    assert player.fill('textbox "Post"', "Replaced")["verified"]
    assert player.js("model.textContent") == "Replaced"


def test_45_a_plain_composer_is_read_back(player: Player) -> None:
    """The result reports the text, and a second time does not double it."""
    player.case("45-plain-composer")
    answer = player.fill('textbox "Comment"', "Hello")
    assert (answer["verified"], answer["actual"]) == (True, "Hello")
    assert player.fill('textbox "Comment"', "Hello")["verified"]
    assert player.js("editor.innerText") == "Hello"


def test_46_no_character_is_lost_after_clearing(player: Player) -> None:
    """An editor that makes its paragraph anew loses no first letter."""
    player.case("46-recreating-editor")
    assert player.fill('textbox "Note"', "Brand new")["verified"]
    assert player.js("editor.innerText.trim()") == "Brand new"
    assert player.fill('textbox "Note"', "")["success"]
    assert player.fill('textbox "Note"', "Once more")["verified"]
    assert player.js("editor.innerText.trim()") == "Once more"


def test_47_several_lines_in_a_nested_editor(player: Player) -> None:
    """The model has both lines."""
    player.case("47-draft-editor")
    assert player.type('textbox "Post text"', "first\nsecond")["verified"]
    assert player.js("model.textContent") == '["first","second"]'


def test_49_text_goes_where_it_was_meant(player: Player) -> None:
    """The focus wanders off and back; the text is in the comment, or the answer is a failure."""
    player.case("49-focus-race")
    player.click('button "Comment"')
    answer = player.fill('textbox "Comment text"', "Only here")
    player.until("window.raced")
    assert player.js("doc.innerText.trim()") == "Chapter one"
    assert answer["success"] == ("Only here" in player.js("comment.innerText"))


def test_51_a_menu_item_whose_title_listens(player: Player) -> None:
    """The menu opens, and the answer notes it."""
    player.case("51-submenu")
    answer = player.click('menuitem "Reports"')
    assert "expanded: true" in answer["changed"]
    assert not player.js("sub.hidden")


def test_52_days_carry_their_month(player: Player) -> None:
    """Equal numbers of two months are told apart by the date."""
    player.case("52-calendar")
    text = player.tree(filter="interactive")
    for day in ("2031-05-12", "2031-06-12"):
        line = next(line for line in text.splitlines() if f'date="{day}"' in line)
        assert player.call("click_ax", ref_id=player.ref_in(line))["success"]
    assert player.js("range.textContent") == "2031-05-12 to 2031-06-12"


def test_53_a_field_with_drawn_outlines(player: Player) -> None:
    """An ordinary field is treated as one."""
    player.case("53-mui-input")
    assert "(covered)" not in player.tree()
    assert player.fill('textbox "Full name"', "Ada Lovelace")["verified"]
    assert player.js("m1.value") == "Ada Lovelace"
