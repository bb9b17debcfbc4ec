"""What a small model is offered in the course of a task: what was done is settled, what is missing waits, and it ends."""

# ruff: noqa: E501 - trees and answers are read by the line

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.support.constrained import (
    CAN,
    TREE,
    Run,
    click,
    done,
    fill,
    names,
    page,
)
from webbrain.agent.turns import Control


def test_a_field_that_holds_our_value_is_settled_until_it_loses_it() -> None:
    run = Run()
    filled = TREE.replace('"Name" [ref_4] type="text"', '"Name" [ref_4] type="text" value="Ada"')
    run.step(fill("ref_4", "Ada"), filled, verified=True)
    assert not run.allows(fill("ref_4", "Ada"))
    run.page = page(TREE)
    assert run.allows(fill("ref_4", "Ada")), "the page wiped it"
    before = Run(tree=filled)
    assert before.allows(fill("ref_4", "Bob")), "what was there before us may be changed"


def test_a_box_we_ticked_stays_ticked() -> None:
    run = Run()
    run.step(click("ref_8"), TREE.replace('checked="false"', 'checked="true"'))
    assert not run.allows(click("ref_8"))
    assert Run(tree=TREE.replace('checked="false"', 'checked="true"')).allows(click("ref_8"))


def test_what_was_in_vain_twice_is_not_offered_again() -> None:
    run = Run()
    run.step(click("ref_9"), changed=[])
    assert run.allows(click("ref_9"))
    run.step(click("ref_9"), changed=["nothing"])
    assert not run.allows(click("ref_9"))
    assert run.allows(click("ref_2"))
    failing = Run()
    for _ in range(2):
        failing.step(fill("ref_4", "Ada"), success=False, error="covered")
    assert not failing.allows(fill("ref_4", "Ada"))


def test_a_link_to_the_page_we_are_on_is_not_followed_again() -> None:
    run = Run("Open the news.")
    here = "https://shop.example/news"
    run.step(click("ref_2"), TREE.replace("ref_2", "ref_22"), currentUrl=here, previousUrl=here)
    CAN["ref_22"] = "click"
    try:
        run.page = page(TREE.replace("ref_2]", "ref_22]"))
        assert not run.allows(click("ref_22"))
    finally:
        del CAN["ref_22"]


@pytest.mark.parametrize(
    "data", [{"changed": ["leaving: the page started to load"]}, {"changed": ["focus: x", "nothing"]}]
)
def test_a_link_that_changes_nothing_is_not_followed_again(data: dict[str, Any]) -> None:
    run = Run("Open the news.")
    run.step(click("ref_2"), **data)
    assert not run.allows(click("ref_2"))
    useful = Run("Open the news.")
    useful.step(click("ref_2"), changed=['opened: menu "News"'])
    assert useful.allows(click("ref_2"))


def test_the_same_call_is_not_made_for_ever_whatever_it_changes() -> None:
    run = Run("Order again and again.")
    for _ in range(4):
        run.step(click("ref_9"))
    assert not run.allows(click("ref_9"))


BUTTONS = """link "News" [ref_2] href="/news"
button "Order" [ref_9]"""


@pytest.mark.parametrize(
    ("task", "again"),
    [
        ("Press Order.", False),
        ("Drücke „Order“.", False),
        ("Press Order twice.", True),
        ("Press Order until it is empty.", True),
        ("Press it.", True),
    ],
)
def test_a_named_button_that_worked_is_not_pressed_at_once_again(task: str, again: bool) -> None:
    run = Run(task)
    run.step(click("ref_9"), changed=["message: It is ordered."])
    assert run.allows(click("ref_9")) is again
    run.step(click("ref_8"))
    assert run.allows(click("ref_9")), "something else was done, so it may be due"


def test_where_only_a_named_button_was_wanted_there_is_nothing_left_but_the_end() -> None:
    run = Run("Use the Order button, once.", tree=BUTTONS)
    assert {"click_ax"} <= names(run.schema)
    run.step(click("ref_9"), changed=["message: It is ordered."])
    assert run.schema["properties"]["tool"] == {"const": "done"}


@pytest.mark.parametrize(
    ("task", "data"),
    [
        ("Press Order and see what it says.", {}),
        ("Press Order, then News.", {}),
        ("Press Order. News is next.", {}),
        ("Press Order.", {"changed": ['opened: dialog "Sure?"']}),
        ("Press Order.", {"newTab": {"tabId": 7}}),
        ("Press Order.", {"success": False, "error": "covered"}),
        ("Press Order three times.", {}),
        ("Buy it.", {}),
    ],
)
def test_the_end_is_not_forced_while_something_may_be_left(task: str, data: dict[str, Any]) -> None:
    run = Run(task, tree=BUTTONS)
    run.step(click("ref_9"), **data)
    assert len(names(run.schema)) > 1


def test_the_end_is_not_forced_on_a_page_with_something_to_fill_in() -> None:
    run = Run("Press Order.")
    run.step(click("ref_9"), changed=["message: Your name is missing."])
    assert run.allows(fill("ref_4", "Ada"))


def test_once_the_form_is_sent_only_what_is_new_or_named_leads_on() -> None:
    after = TREE.replace("ref_2]", "ref_22]") + '\nlink "Receipt" [ref_31]\nlink "Lima" [ref_32]'
    CAN.update({"ref_22": "click", "ref_31": "click", "ref_32": "click"})
    try:
        for task, menu in (("Order it for Ada.", False), ("Order for Ada, then read the news.", True)):
            run = Run(task)
            run.step(fill("ref_4", "Ada"), TREE.replace('"text"', '"text" value="Ada"'), verified=True)
            run.step(click("ref_9"), after, currentUrl="https://shop.example/thanks", previousUrl="x")
            offered = json.dumps(run.schema)
            assert ("News [ref_22]" in offered) is menu
            assert "Receipt [ref_31]" in offered
            assert "Lima [ref_32]" in offered
    finally:
        for ref in ("ref_22", "ref_31", "ref_32"):
            del CAN[ref]


def test_a_link_does_not_count_as_sending() -> None:
    """Who looks for something may come back to the menu as often as it takes."""
    CAN["ref_22"] = "click"
    try:
        run = Run("When is it open?")
        run.step(
            click("ref_2"),
            TREE.replace("ref_2]", "ref_22]"),
            currentUrl="https://shop.example/b",
            previousUrl="x",
        )
        assert run.allows(click("ref_22"))
    finally:
        del CAN["ref_22"]


OPTIONAL = TREE.replace('"Name" [ref_4]', '"Company (optional)" [ref_4]')


def test_a_field_that_may_stay_empty_is_offered_if_the_task_speaks_of_it() -> None:
    for task, offered in (("Order it for Ada.", False), ("Order it for the company Ada Ltd.", True)):
        assert ("Company (optional) [ref_4]" in json.dumps(Run(task, tree=OPTIONAL).schema)) is offered


def begun(task: str) -> Run:
    """A form whose number was put in, and whose name field is empty."""
    run = Run(task)
    run.step(fill("ref_6", "2"), TREE.replace('type="number"', 'type="number" value="2"'), verified=True)
    return run


@pytest.mark.parametrize(
    ("task", "waits"),
    [
        ("Ada Lovelace would like 2 pieces. Please order that.", True),
        ("Order 2 pieces for Ada Lovelace.", True),
        ("Order 2 pieces with the words “Happy birthday”.", True),
        ("Order 2 pieces.", False),
        ("Order 2 pieces in Extra Large.", False),
        ("Order 2 pieces and press “News”.", False),
    ],
)
def test_no_button_while_a_name_or_a_quoted_text_of_the_task_is_not_entered(task: str, waits: bool) -> None:
    tree = TREE.replace('Extra \\"large\\"', "Extra large")
    run = begun(task)
    run.page = page(tree.replace('type="number"', 'type="number" value="2"'))
    enter = {"finished": "no", "tool": "press_keys", "key": "Enter"}
    assert (run.allows(click("ref_9")), run.allows(enter)) == (not waits, not waits)


def test_what_was_entered_is_missing_no_more() -> None:
    run = begun("Order 2 pieces for Ada Lovelace, with the words “Happy birthday”.")
    filled = TREE.replace('type="number"', 'type="number" value="2"')
    run.page = page(filled)
    run.step(fill("ref_4", "Ada Lovelace"), filled.replace('type="text"', 'type="text" value="Ada Lovelace"'))
    assert run.allows(click("ref_9")), "no empty field is left for the quoted text"


@pytest.mark.parametrize(
    ("task", "over"),
    [
        ("Put Ada in, then press Order.", False),
        ("Put Ada in and send it.", False),
        ("Put Ada in. Do not press Order.", True),
        ("Put Ada in, without an order.", True),
    ],
)
def test_while_all_goes_well_a_form_is_sent_before_the_end(task: str, over: bool) -> None:
    run = Run(task)
    filled = TREE.replace('type="text"', 'type="text" value="Ada"')
    run.step(fill("ref_4", "Ada"), filled, verified=True)
    assert ("done" in names(run.schema)) is over
    run.step({"finished": "no", "tool": "scroll", "direction": "down"}, moved=False, changed=[])
    assert run.allows(done("failed")), "who got nowhere may give up"
    assert run.allows(done("success")) is over


def test_nobody_gives_up_while_a_value_of_the_task_waits_for_its_field() -> None:
    """Before it is in, no button is offered; that must not make the end the only way out."""
    tree = "\n".join(
        (
            'textbox "Name" [ref_4] type="text"',
            'textbox "E-mail" [ref_5] type="email"',
            'checkbox "Gift" [ref_8] type="checkbox" checked="true"',
            'button "Order" [ref_9]',
        )
    )
    run = Run("Order for Ada Lovelace (ada@example.com).", tree=tree.replace('"true"', '"false"'))
    run.step(click("ref_8"), tree)
    run.step(fill("ref_4", "Ada Lovelace"), tree.replace('type="text"', 'type="text" value="Ada Lovelace"'))
    assert "E-mail [ref_5]" in json.dumps(run.schema)
    assert "done" not in names(run.schema)


BOXES = (
    TREE.replace('"Gift" [ref_8]', '"Dark mode" [ref_8]')
    + """
checkbox "Weekly summary" [ref_31] type="checkbox" checked="false"
button "Cancel" [ref_32]"""
)


@pytest.mark.parametrize(
    ("task", "dark", "weekly"),
    [
        ("Tick Weekly summary and save it.", False, True),
        ("Tick Weekly summary and make it dark.", True, True),
        ("Tick all boxes, Weekly summary too.", True, True),
        ("Sign me up.", True, True),
        ("Turn on Dark mode, not Weekly summary.", True, False),
    ],
)
def test_boxes_that_the_task_does_not_speak_of_stay_as_they_are(task: str, dark: bool, weekly: bool) -> None:
    CAN.update({"ref_31": "toggle click", "ref_32": "click"})
    try:
        offered = json.dumps(Run(task, tree=BOXES).schema)
    finally:
        del CAN["ref_31"], CAN["ref_32"]
    assert ("Dark mode [ref_8]" in offered, "Weekly summary [ref_31]" in offered) == (dark, weekly)


@pytest.mark.parametrize(
    ("task", "offered"),
    [("Order it for Ada.", False), ("Cancel the order.", True), ("Brich die Bestellung ab: Cancel.", True)],
)
def test_what_undoes_a_form_is_offered_if_the_task_speaks_of_it(task: str, offered: bool) -> None:
    CAN["ref_32"] = "click"
    try:
        assert ("Cancel [ref_32]" in json.dumps(Run(task, tree=BOXES).schema)) is offered
        shut = Run(
            task, tree=f'[open overlays]\ndialog "Sure?" [ref_30]\n button "Cancel" [ref_32]\n[page]\n{TREE}'
        )
        assert "Cancel [ref_32]" in json.dumps(shut.schema), "a dialog has to be answered"
    finally:
        del CAN["ref_32"]


@pytest.mark.parametrize(
    ("task", "offered"),
    [
        ("Put Ada in as the name. Do not save.", False),
        ("Trage Ada ein, aber nicht abschicken.", False),
        ("Put Ada in as the name. Do not save. Then press Order.", True),
        ("Put Ada in. Leave the rest as it is.", True),
    ],
)
def test_nothing_that_sends_is_offered_if_the_task_says_not_to(task: str, offered: bool) -> None:
    run = Run(task)
    assert ("Order [ref_9]" in json.dumps(run.schema)) is offered


def test_where_a_sent_form_leads_nowhere_new_there_is_nothing_left_but_the_end() -> None:
    run = Run("Order it for Ada.", tree=TREE.replace('"text"', '"text" value="Ada"'))
    thanks = 'navigation "Main" [ref_1]\n link "News" [ref_2] href="/news"\nheading "Thanks" [ref_3]'
    run.step(click("ref_9"), thanks, currentUrl="https://shop.example/thanks", previousUrl="x")
    assert run.schema["properties"]["tool"] == {"const": "done"}
    longer = Run("Order it for Ada.", tree=TREE.replace('"text"', '"text" value="Ada"'))
    longer.step(click("ref_9"), thanks, currentUrl="https://shop.example/thanks", previousUrl="x")
    longer.page = page(thanks, truncated=True)
    assert "scroll" in names(longer.schema), "there is more of the page to see"


FACTS = """navigation "Pages" [ref_1]
 link "News" [ref_2] href="/news"
heading "Courses" [ref_3]
generic "Oak carving: Mr Novak, B12" [ref_4]
button "More" [ref_9]"""


@pytest.mark.parametrize(
    ("task", "leads_on"),
    [
        ("Who teaches Oak carving?", False),
        ("Who teaches Oak carving? It says so under News.", True),
        ("Who teaches Ash carving?", True),
        ("Who teaches carving?", True),
        ("Open the course Oak carving.", True),
    ],
)
def test_a_page_that_has_what_is_asked_about_is_not_left(task: str, leads_on: bool) -> None:
    offered = json.dumps(Run(task, tree=FACTS).schema)
    assert ("News [ref_2]" in offered) is leads_on
    assert "More [ref_9]" in offered


def test_a_link_is_not_followed_for_ever() -> None:
    """Nor at all if it was the way to the form that is sent by now."""
    run = Run("When is it open?")
    for number in range(2):
        assert run.allows(click("ref_2"))
        run.step(click("ref_2"), currentUrl=f"https://shop.example/{number}", previousUrl="x")
    assert not run.allows(click("ref_2"))
    sent = Run("Put Ada on the list. The form is under News.")
    sent.step(click("ref_2"), currentUrl="https://shop.example/news", previousUrl="x")
    sent.step(fill("ref_4", "Ada"), TREE.replace('type="text"', 'type="text" value="Ada"'), verified=True)
    sent.step(click("ref_9"), currentUrl="https://shop.example/sent", previousUrl="x")
    assert not sent.allows(click("ref_2"))


@pytest.mark.parametrize(
    ("task", "waits"),
    [
        ("Use ada@example.com and blue.horse9 to sign in.", True),
        ("Sign in as ada@example.com, password: k33p-out", True),
        ("Sign up ada@example.com for the newsletter.", False),
    ],
)
def test_no_button_while_a_password_of_the_task_is_not_entered(task: str, waits: bool) -> None:
    tree = TREE.replace('"Day" [ref_5] type="date"', '"Password" [ref_5] type="password"')
    run = Run(task, tree=tree)
    filled = tree.replace('"Name" [ref_4] type="text"', '"Name" [ref_4] type="text" value="ada@example.com"')
    run.step(fill("ref_4", "ada@example.com"), filled, verified=True)
    assert run.allows(click("ref_9")) is not waits


@pytest.mark.parametrize(
    ("task", "kind", "between", "waits"),
    [
        ("Open the list and sign up with ada@example.com.", "email", "", True),
        ("Open the list and sign up with ada@example.com.", "text", "", False),
        ("Order it on 2027-01-04.", "date", "", True),
        ("Order it for Ada.", "date", "", False),
        ("Sign in, password: k33p-out", "password", "", True),
        ("Order 2 pieces.", "number", "", False),
        ("Put it into the cart for ada@example.com.", "email", ' link "News" [ref_2] href="/news"\n', False),
        ("Put it into the cart for ada@example.com.", "email", ' heading "Basket" [ref_3]\n', True),
    ],
)
def test_no_button_right_behind_an_empty_field_that_the_task_has_a_value_for(
    task: str, kind: str, between: str, waits: bool
) -> None:
    """Pressed first, it would send the form without it. What stands elsewhere on the page is another form."""
    field, button = f'textbox "Day" [ref_5] type="{kind}"', 'button "Order" [ref_9]'
    for tree, held in ((f"{field}\n{between}{button}", waits), (f"{button}\n{field}", False)):
        run = Run(task, tree=tree)
        by_place = sorted(run.page.controls, key=lambda control: tree.index(control.ref))
        run.page = replace(run.page, controls=tuple(by_place))
        assert run.allows(click("ref_9")) is not held


@pytest.mark.parametrize(
    ("task", "leads_on"),
    [
        ("Pick Extra large in the list Size.", False),
        ("Set Gift. Do not save.", False),
        ("Pick the extra size under News.", True),
        ("Find out about sizes.", True),
        ("Look around, but please do not change the Size.", True),
    ],
)
def test_a_page_with_a_field_that_the_task_names_is_not_left(task: str, leads_on: bool) -> None:
    run = Run(task)
    assert run.allows(click("ref_2")) is leads_on
    if task.startswith("Pick Extra"):
        run.step(fill("ref_7", 'Extra "large"', "type_ax"), verified=True)
        assert not run.allows(click("ref_2")), "it ends here"


@pytest.mark.parametrize(
    ("task", "size", "colour"),
    [
        ("Pick Medium in the list Size.", True, False),
        ("I would like it in Red, please.", False, True),
        ("Set Size to Medium and Colour to Red.", True, True),
        ("Fill the form in for Ada.", True, True),
        ("Order one for Ada, but do not touch the Size.", True, True),
    ],
)
def test_of_several_lists_those_are_offered_that_the_task_names(task: str, size: bool, colour: bool) -> None:
    tree = "\n".join(
        f'combobox "{chosen}" [{ref}] label="{name}"\n option "{chosen}" (selected)\n option "{other}"'
        for ref, name, chosen, other in (
            ("ref_7", "Size", "Small", "Medium"),
            ("ref_8", "Colour", "Blue", "Red"),
        )
    )
    run = Run(task, tree=tree)
    can = frozenset({"select"})
    lists = (
        Control("ref_7", "combobox", "Size (Small)", can),
        Control("ref_8", "combobox", "Colour (Blue)", can),
    )
    run.page = replace(run.page, controls=lists)
    other = {"finished": "no", "element": "Colour (Blue) [ref_8]", "tool": "type_ax", "text": "Red"}
    assert run.allows(fill("ref_7", "Medium", "type_ax")) is size
    assert run.allows(other) is colour
