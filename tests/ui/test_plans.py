"""Plans and questions in the panel: what a person can do with them, and only a person."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.ui_plans import PLAN, QUESTION, planning, settled
from tests.support.ui_runs import TAB, shopping
from tests.ui.conftest import Open
from tests.ui.steering import asked, play, wait_for_call

RUN = "[data-card=plan] [data-option=approved]"
CANCEL = "[data-card=plan] [data-option=rejected]"


def answer(page: Page) -> dict[str, object]:
    sent = dict(wait_for_call(page, "plan.answer"))
    assert sent.pop("tabId") == TAB
    assert sent.pop("planId") == "plan-1"
    return sent


def ready(page: Page) -> None:
    expect(page.locator("section[data-card][data-ready=true]")).to_be_visible()


class TestPlan:
    def test_run_and_cancel(self, open_state: Open) -> None:
        for button, decision in ((RUN, "approved"), (CANCEL, "rejected")):
            page = open_state("plan")
            ready(page)
            page.click(button)
            assert answer(page) == {"decision": decision}

    def test_it_shows_all_of_it(self, open_state: Open) -> None:
        card = open_state("plan").locator("[data-card=plan]")
        for text in (PLAN.summary, *PLAN.actions, *PLAN.risks, "62 %"):
            expect(card).to_contain_text(text)

    def test_the_clock_runs(self, open_state: Open) -> None:
        page = open_state("plan")
        expect(page.locator(".card-clock span[aria-hidden]")).to_contain_text("9 min")

    def test_only_a_person_can_answer(self, open_state: Open) -> None:
        page = open_state("plan")
        ready(page)
        page.evaluate(
            """(css) => {
              const button = document.querySelector(css);
              button.click();
              button.dispatchEvent(new MouseEvent('click', {bubbles: true}));
            }""",
            RUN,
        )
        assert asked(page, "plan.answer") == []

    def test_enter_in_the_composer_and_on_the_card_answers_nothing(self, open_state: Open) -> None:
        page = open_state("plan")
        expect(page.locator("[data-card=plan]")).to_be_focused()
        ready(page)
        page.keyboard.press("Enter")
        page.click("#composer")
        page.keyboard.type("yes")
        page.keyboard.press("Enter")
        assert asked(page, "plan.answer") == []

    def test_by_keyboard_alone(self, open_state: Open) -> None:
        page = open_state("plan")
        ready(page)
        page.keyboard.press("Tab")
        expect(page.locator(RUN)).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator(CANCEL)).to_be_focused()
        page.keyboard.press("Enter")
        assert answer(page) == {"decision": "rejected"}

    def test_a_second_click_is_no_second_answer(self, open_state: Open) -> None:
        page = open_state("plan")
        page.evaluate("wb.reply('plan.answer', {hang: true})")
        ready(page)
        page.dblclick(RUN)
        wait_for_call(page, "plan.answer")
        assert len(asked(page, "plan.answer")) == 1

    def test_edit_summary_and_steps(self, open_state: Open) -> None:
        page = open_state("plan")
        ready(page)
        page.click("[data-action=edit]")
        page.fill("[data-field=summary]", "Order two of them.")
        page.fill("[data-field=step-1]", "Choose size L")
        page.get_by_role("button", name="Remove step 5").click()
        page.click("[data-action=add]")
        expect(page.locator("[data-field=step-4]")).to_be_focused()
        page.keyboard.type("Stop before the order is placed")
        page.click(RUN)
        sent = answer(page)
        assert sent["decision"] == "edited"
        assert sent["summary"] == "Order two of them."
        assert sent["steps"] == [
            PLAN.actions[0],
            "Choose size L",
            *PLAN.actions[2:4],
            "Stop before the order is placed",
        ]

    def test_reorder_by_keyboard_is_said(self, open_state: Open) -> None:
        page = open_state("plan")
        ready(page)
        page.click("[data-action=edit]")
        handle = page.get_by_role("button", name="Step 1: move it")
        handle.focus()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_text("Now step 2 of 5")).to_be_attached()
        expect(page.get_by_role("button", name="Step 2: move it")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.click(RUN)
        assert answer(page)["steps"] == [*PLAN.actions[1:3], PLAN.actions[0], *PLAN.actions[3:]]

    def test_reorder_by_dragging(self, open_state: Open) -> None:
        page = open_state("plan")
        ready(page)
        page.click("[data-action=edit]")
        page.locator(".plan-handle").nth(0).drag_to(page.locator(".plan-row").nth(1))
        page.click(RUN)
        assert answer(page)["steps"] == [PLAN.actions[1], PLAN.actions[0], *PLAN.actions[2:]]

    def test_edit_as_text(self, open_state: Open) -> None:
        page = open_state("plan-text")
        box = page.locator("[data-field=text]")
        assert "1. Open the product page" in box.input_value()
        assert box.get_attribute("maxlength") == "7500"
        box.fill("Only look at the price.")
        ready(page)
        page.click(RUN)
        assert answer(page) == {"decision": "edited", "text": "Only look at the price."}

    def test_opening_the_editor_changes_nothing_by_itself(self, open_state: Open) -> None:
        page = open_state("plan-text")
        ready(page)
        page.click(RUN)
        assert answer(page) == {"decision": "approved"}

    def test_an_empty_plan_cannot_be_run(self, open_state: Open) -> None:
        page = open_state("plan-text")
        page.fill("[data-field=text]", " ")
        ready(page)
        expect(page.locator(RUN)).to_be_disabled()
        expect(page.locator(CANCEL)).to_be_enabled()

    def test_a_refused_answer_is_told_and_can_be_given_again(self, open_state: Open) -> None:
        page = open_state("plan")
        gone = {"fails": {"code": "plan_gone", "message": "This plan is no longer open."}}
        page.evaluate("(gone) => wb.reply('plan.answer', gone)", gone)
        ready(page)
        page.click(RUN)
        expect(page.locator(".card .field-error")).to_have_text("This plan is no longer open.")
        expect(page.locator(RUN)).to_be_enabled()

    @pytest.mark.parametrize("decision", ["approved", "edited", "rejected", "expired", "withdrawn"])
    def test_what_became_of_it(self, open_state: Open, decision: str) -> None:
        page = open_state("empty-act")
        play(page, settled(decision).events)  # type: ignore[arg-type]
        line = page.locator(f".plan-settled[data-answer={decision}]")
        expect(line).to_contain_text("5 steps")
        expect(page.locator("section[data-card]")).to_have_count(0)
        line.locator("summary").click()
        expect(line).to_contain_text(PLAN.actions[3])

    def test_a_screen_reader_hears_it_and_what_is_typed_meanwhile_is_no_answer(
        self, open_state: Open
    ) -> None:
        page = open_state("empty-act")
        play(page, planning().events)
        expect(page.locator("#live-alert")).to_contain_text(PLAN.summary)
        page.fill("#composer", "yes")
        page.press("#composer", "Enter")
        assert wait_for_call(page, "queue.add")["text"] == "yes"
        assert asked(page, "plan.answer") == []
        expect(page.locator("section[data-card=plan]")).to_be_visible()


class TestClarify:
    def test_an_option(self, open_state: Open) -> None:
        page = open_state("card-clarify")
        ready(page)
        page.click("[data-option=option_2]")
        sent = {"tabId": TAB, "cardId": "ask-1", "answer": "option_2"}
        assert wait_for_call(page, "card.answer") == sent

    def test_own_words(self, open_state: Open) -> None:
        page = open_state("card-clarify")
        ready(page)
        page.fill("[data-field=answer]", "  L, please ")
        page.keyboard.press("Enter")
        sent = wait_for_call(page, "card.answer")
        assert (sent["answer"], sent["text"]) == ("text", "L, please")

    def test_only_a_person_can_answer(self, open_state: Open) -> None:
        page = open_state("card-clarify")
        ready(page)
        page.fill("[data-field=answer]", "no")
        page.evaluate(
            """() => {
              document.querySelector('[data-option=option_1]').click();
              document.querySelector('[data-action=answer]').click();
              const enter = new KeyboardEvent('keydown', {key: 'Enter', bubbles: true});
              document.querySelector('[data-field=answer]').dispatchEvent(enter);
            }"""
        )
        assert asked(page, "card.answer") == []

    def test_the_clock(self, open_state: Open) -> None:
        page = open_state("empty-act")
        play(page, shopping().think().add(QUESTION).events)
        clock = page.locator(".card-clock span[aria-hidden]")
        expect(clock).to_contain_text("then the first answer is taken")
        never = QUESTION.model_copy(update={"seconds": 0})
        page = open_state("empty-act")
        play(page, shopping().think().add(never).events)
        expect(page.locator(".card-clarify")).to_be_visible()
        expect(page.locator(".card-clock")).to_have_count(0)

    def test_who_answered(self, open_state: Open) -> None:
        page = open_state("clarify-answered")
        expect(page.locator("[data-source=timeout]")).to_contain_text("not answered in time")
        expect(page.locator("[data-source=user]")).to_contain_text("L, please")
