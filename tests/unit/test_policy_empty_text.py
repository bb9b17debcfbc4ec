"""A message is not sent without its text: what a request gives, and what the page says of its fields."""

from typing import Any

import pytest

from tests.support.gate import SENDING, Person, code, shop
from webbrain.policy.empty_text import given_texts
from webbrain.policy.gate import Gate
from webbrain.policy.grants import SWITCH

MAIL: dict[str, Any] = SENDING | {
    "control": "Send",
    "fields": [
        {"label": "To", "value": "bob@example.com", "masked": False},
        {"label": "Subject", "value": "Greetings", "masked": False},
    ],
    "emptyText": "Message",
}
TASK = "Send Bob a mail with the subject 'Greetings' and the text 'Dear all, see you at eight'."


async def press(said: str, probe: dict[str, Any] = MAIL, name: str = "click_ax", **how: Any) -> str:
    ada = Person(host=shop(probe), **how)
    ada.said = said
    args = {"key": "Enter"} if name == "press_keys" else {"ref_id": "ref_1"}
    return code(await ada.call(name, **args))


@pytest.mark.parametrize(
    "said",
    [
        TASK,
        "Reply to Bob saying that I will be late",
        "Mail bob@example.com and ask whether he has time on Friday",
        "Send “See you at eight” to Bob",
        "To: bob@example.com, subject: Greetings, body: see you at eight",
        "Schick Bob eine Mail mit dem Text „Bis um acht“",
        "Schreib Bob, dass ich später komme",
        "Envoie un message à Bob en disant que je serai en retard",
        "Envía un correo a Bob con el texto 'Hasta luego, amigos'",
    ],
)
async def test_what_a_task_gives_to_be_sent_is_not_left_out(said: str) -> None:
    assert await press(said) == "empty_text"
    assert await press(said, name="press_keys") == "empty_text"


@pytest.mark.parametrize(
    "said",
    [
        "Send the mail that is open",
        "Send Bob an empty mail with the subject 'Greetings'",
        "Send a mail with the subject 'Greetings' without a text",
        "Send Bob a message with the subject 'Greetings'",
        "Schick Bob eine leere Mail mit dem Text ''",
        "",
    ],
)
async def test_what_is_to_be_empty_or_gives_no_text_is_sent(said: str) -> None:
    assert await press(said) == ""


async def test_a_text_that_stands_in_another_field_is_there() -> None:
    fields = [{"label": "Message", "value": "Dear all, see you at EIGHT", "masked": False}]
    assert await press(TASK.replace("'Greetings'", "greetings"), MAIL | {"fields": fields}) == ""


async def test_with_the_text_in_its_field_it_is_sent() -> None:
    assert await press(TASK, MAIL | {"emptyText": ""}) == ""


async def test_other_presses_are_not_minded() -> None:
    order = MAIL | {"control": "Place order", "emptyText": "Notes for the courier"}
    assert await press("Order the mug and send 'Ada Lovelace' as the name", order) == ""


async def test_nor_does_it_leave_where_nothing_is_asked() -> None:
    host = shop(MAIL)
    host.settings.values[SWITCH] = False
    ada = Person(host=host)
    ada.said = TASK
    assert code(await ada.call("click_ax", ref_id="ref_1")) == "empty_text"


async def test_without_the_gate_it_would_be_sent() -> None:
    assert await press(TASK, gate=Gate(enabled=False)) == ""


def test_texts_are_taken_as_they_are_worded() -> None:
    assert given_texts("Reply 'yes' to the mail 'Lunch on Friday'")[0] == "yes"
    assert given_texts("Open the mail from Bob's sister") == []
    assert given_texts("Write a mail to Bob. Text: see you") == ["see you"]
