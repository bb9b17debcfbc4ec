"""The gates of constrained calls in six languages, and tools that come only when a step calls for them."""

from typing import Any

import pytest

from tests.support.constrained import Run, click, fill, names
from webbrain.agent import constrained_words as words
from webbrain.agent.constrained_schema import NEVER
from webbrain.agent.constrained_values import named
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.tools import registry

MEASURED = {
    "click_ax",
    "done",
    "get_selection",
    "navigate",
    "press_keys",
    "read_page",
    "scroll",
    "set_field",
    "type_ax",
}
"""What a small model is offered at any step; more made it worse."""
SITUATIONAL = {"answer_dialog", "switch_tab"}

SENDING = {
    "en": "Write Ada into the field Name and send the form.",
    "de": "Trage Ada in das Feld Name ein und sende das Formular ab.",
    "fr": "Écris Ada dans le champ Nom et envoie le formulaire.",
    "es": "Escribe Ada en el campo Nombre y envía el formulario.",
    "it": "Scrivi Ada nel campo Nome e invia il modulo.",
    "pt": "Escreva Ada no campo Nome e envie o formulário.",
}
NOT_SENDING = {
    "en": "Write Ada into the field Name. Do not send the form.",
    "de": "Trage Ada in das Feld Name ein. Das Formular sende noch nicht ab.",
    "fr": "Écris Ada dans le champ Nom. N'envoie pas le formulaire.",
    "es": "Escribe Ada en el campo Nombre. No envíes el formulario todavía.",
    "it": "Scrivi Ada nel campo Nome. Non inviare il modulo.",
    "pt": "Escreva Ada no campo Nome. Não envie o formulário.",
}
QUESTIONS = {
    "en": "Tell me the price of the lamp.",
    "de": "Nenne mir den Preis der Lampe.",
    "fr": "Dis-moi le prix de la lampe.",
    "es": "Dime el precio de la lámpara.",
    "it": "Dimmi il prezzo della lampada.",
    "pt": "Diga o preço da lâmpada.",
}
SELECTION = {
    "en": "Translate the selected text.",
    "de": "Übersetze den markierten Text ins Englische.",
    "fr": "Traduis le texte sélectionné.",
    "es": "Traduce el texto seleccionado al inglés.",
    "it": "Traduci il testo selezionato.",
    "pt": "Traduza o texto selecionado para inglês.",
}
BACK = {
    "en": "Go back to the list.",
    "de": "Geh zurück zur Liste.",
    "fr": "Reviens à la page précédente.",
    "es": "Vuelve a la página anterior.",
    "it": "Torna alla pagina precedente.",
    "pt": "Volte para a página anterior.",
}
DATES = {
    "en": "Book a room for 3 March 2027.",
    "de": "Buche ein Zimmer für den 3. März 2027.",
    "fr": "Réserve une chambre pour le 3 mars 2027.",
    "es": "Reserva una habitación para el 3 de marzo de 2027.",
    "it": "Prenota una camera per il 3 marzo 2027.",
    "pt": "Reserve um quarto para o dia 3 de março de 2027.",
}
NUMBERS = {
    "en": "Order three lamps for Bo.",
    "de": "Bestelle drei Lampen für Bo.",
    "fr": "Commande trois lampes pour Bo.",
    "es": "Pide tres lámparas para Bo.",
    "it": "Ordina tre lampade per Bo.",
    "pt": "Encomende três candeeiros para o Bo.",
}
TASKS = (SENDING, NOT_SENDING, QUESTIONS, SELECTION, BACK, DATES, NUMBERS)
TABLE = [(code, task) for tasks in TASKS for code, task in tasks.items()]


@pytest.mark.parametrize(("code", "task"), TABLE)
def test_the_language_of_a_task_is_told(code: str, task: str) -> None:
    assert words.language(task) == code


@pytest.mark.parametrize("task", ["", "Bo", "?", "42", "Ввод имени", "名前を入力"])
def test_what_cannot_be_told_is_english(task: str) -> None:
    assert words.language(task) == "en"


def after_typing(task: str) -> Run:
    run = Run(task)
    run.step(fill("ref_4", "Ada"), verified=True)
    return run


@pytest.mark.parametrize("code", SENDING)
def test_a_task_that_sends_is_not_over_before_a_button_was_pressed(code: str) -> None:
    success = {"finished": "yes", "tool": "done", "outcome": "success", "summary": "Done."}
    assert not after_typing(SENDING[code]).allows(success)
    assert after_typing(NOT_SENDING[code]).allows(success), "nothing is to be sent"


@pytest.mark.parametrize("code", QUESTIONS)
def test_a_question_may_be_answered_at_once(code: str) -> None:
    success = {"finished": "yes", "tool": "done", "outcome": "success", "summary": "20 euros."}
    assert Run(QUESTIONS[code]).allows(success)
    assert not Run(SENDING[code]).allows(success), "nothing was done yet"


@pytest.mark.parametrize("code", SELECTION)
def test_the_selection_is_read_if_the_task_speaks_of_it(code: str) -> None:
    assert "get_selection" in names(Run(SELECTION[code]).schema)
    assert "get_selection" not in names(Run(NUMBERS[code]).schema)


@pytest.mark.parametrize("code", BACK)
def test_going_back_if_the_task_says_so(code: str) -> None:
    assert words.of(BACK[code]).back.search(BACK[code])
    assert not words.of(SENDING[code]).back.search(SENDING[code])


@pytest.mark.parametrize("code", DATES)
def test_dates_written_out(code: str) -> None:
    assert named("date", DATES[code]) == ["2027-03-03"]


@pytest.mark.parametrize("code", NUMBERS)
def test_numbers_written_out(code: str) -> None:
    assert named("number", NUMBERS[code]) == ["3"]


@pytest.mark.parametrize(
    "task",
    ["Buche für nächsten Montag.", "Réserve pour demain.", "Reserva para mañana.", "Prenota per domani.",
     "Reserve para amanhã."],
)  # fmt: skip
def test_a_day_without_a_date_cannot_be_said(task: str) -> None:
    assert named("date", task) is None


def test_words_of_another_language_mean_nothing() -> None:
    """``once`` is no eleven in English, ``due`` no two, ``no`` no negation in Portuguese."""
    assert named("number", "Pay the bill that is due, once.") == []
    assert named("number", "Select six lamps; find the elf.") == ["6"]
    portuguese = words.of(SENDING["pt"])
    assert portuguese.sending.search(portuguese.not_sending.sub("", SENDING["pt"]))


# --- which tools ---


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.ACT])
def test_every_tool_of_small_models_is_decided_on(mode: Mode) -> None:
    """Whoever adds one says whether small models get it at every step, when it makes sense, or never."""
    offered = registry.tools_for(mode, Tier.COMPACT, Capabilities(browser="memory", cdp=True))
    assert {tool.name for tool in offered} <= MEASURED | SITUATIONAL | NEVER


def test_what_was_measured_stays_as_it_was() -> None:
    assert names(Run().schema) <= MEASURED
    assert names(Run("What is on https://example.com/?", mode=Mode.ASK).schema) <= MEASURED


def test_a_tab_that_opened_can_be_gone_to_and_left_again() -> None:
    run = Run()
    assert "switch_tab" not in names(run.schema)
    run.step(click("ref_2"), newTab={"tabId": 31, "url": "https://shop.example/terms"})
    assert "opened tab 31" in run.prompt
    go = {"finished": "no", "tool": "switch_tab", "tab_id": 31}
    assert run.allows(go)
    assert not run.allows({**go, "tab_id": 7}), "only tabs that opened"
    run.step(go, url="https://shop.example/terms", tabId=31)
    assert "switch_tab" not in names(run.schema)


@pytest.mark.parametrize("accept", [True, False])
def test_an_open_dialog_is_answered_before_anything_else(accept: bool) -> None:
    run = Run()
    run.tools = registry.tools_for(Mode.ACT, Tier.COMPACT, Capabilities(browser="memory", cdp=True))
    assert "answer_dialog" not in names(run.schema)
    run.step(click("ref_8"), dialog={"type": "confirm", "message": "Delete it?"})
    assert "the page asks: Delete it?" in run.prompt
    answer: dict[str, Any] = {"finished": "no", "tool": "answer_dialog", "accept": accept}
    assert run.allows(answer)
    assert not run.allows(fill("ref_4", "Ada"))
    run.step(answer, answered="confirm")
    assert run.allows(fill("ref_4", "Ada"))
    assert not run.allows(answer)
