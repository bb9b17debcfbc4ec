"""What a person does in the side panel, and what becomes of it on the port."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.ui_runs import CARD, TAB, Run, shopping
from tests.support.ui_state import READY, panel
from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, play, wait_for_call


class TestSending:
    def test_enter_sends_and_the_message_stays_one(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.fill("#composer", "Order the jacket")
        page.press("#composer", "Enter")
        sent = wait_for_call(page, "chat.start")
        assert {key: sent[key] for key in ("tabId", "text", "mode")} == {
            "tabId": TAB,
            "text": "Order the jacket",
            "mode": "act",
        }
        expect(page.locator("#composer")).to_have_value("")
        expect(page.locator(".question")).to_have_count(1)
        run = Run().ask("Order the jacket", ago=0)
        run.events[0]["requestId"] = sent["requestId"]
        play(page, run.events)
        expect(page.locator(".waiting")).to_have_count(0)
        expect(page.locator(".question")).to_have_count(1)

    def test_shift_enter_breaks_the_line_and_grows_the_box_to_its_limit(self, open_state: Open) -> None:
        page = open_state("empty-act")
        height = page.locator("#composer").bounding_box()["height"]  # type: ignore[index]
        page.click("#composer")
        for line in range(12):
            page.keyboard.type(f"line {line}")
            page.keyboard.press("Shift+Enter")
        assert asked(page, "chat.start") == []
        grown = page.locator("#composer").bounding_box()["height"]  # type: ignore[index]
        assert height < grown <= 120

    def test_enter_that_chooses_a_word_does_not_send(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.fill("#composer", "にほん")
        page.evaluate(
            """() => {
              const key = {key: 'Enter', isComposing: true, bubbles: true, cancelable: true};
              document.querySelector('#composer').dispatchEvent(new KeyboardEvent('keydown', key));
            }"""
        )
        assert asked(page, "chat.start") == []
        expect(page.locator("#composer")).to_have_value("にほん")

    def test_blank_is_not_sent(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.fill("#composer", "  \n ")
        expect(page.locator("#send")).to_be_disabled()
        page.press("#composer", "Enter")
        assert asked(page, "chat.start") == []

    def test_a_refused_message_can_be_sent_again_with_the_same_id(self, open_state: Open) -> None:
        page = open_state("not-sent")
        first = wait_for_call(page, "chat.start")
        page.evaluate("wb.reply('chat.start', {ok: true, accepted: true})")
        page.get_by_role("button", name="Retry").click()
        assert wait_for_call(page, "chat.start", 2) == first

    def test_a_discarded_message_goes_back_to_the_composer(self, open_state: Open) -> None:
        page = open_state("not-sent")
        page.get_by_role("button", name="Discard").click()
        expect(page.locator("#composer")).to_have_value("Order it")
        expect(page.locator(".waiting")).to_have_count(0)

    def test_without_a_model_nothing_is_sent_and_the_words_are_kept(self, open_state: Open) -> None:
        page = open_state("no-provider")
        page.fill("#composer", "hello")
        page.press("#composer", "Enter")
        assert asked(page, "chat.start") == []
        expect(page.locator("#composer")).to_have_value("hello")
        page.click("#choose-model")
        page.wait_for_function("wb.opened.length === 1")
        assert page.evaluate("wb.opened[0]").endswith("/settings.html#providers")

    def test_a_model_chosen_meanwhile_unlocks_the_panel(self, open_state: Open) -> None:
        page = open_state("no-provider")
        page.evaluate("(view) => wb.reply('panel.open', view)", panel())
        emit(page, "providers_changed", {"active": "anthropic"})
        expect(page.locator(".model-main")).to_have_text("claude-sonnet-5")
        page.fill("#composer", "hello")
        expect(page.locator("#send")).to_be_enabled()


class TestStarting:
    def test_what_is_typed_while_python_starts_goes_out_afterwards_once(self, open_state: Open) -> None:
        page = open_state("queued")
        expect(page.locator(".waiting-queued")).to_contain_text("Summarize this page")
        assert asked(page, "chat.start") == []
        page.evaluate("(view) => wb.reply('panel.open', view)", panel(mode="ask"))
        # The supervisor answers the waiting call; here the line breaks and is mended, which asks again.
        page.evaluate("wb.disconnect()")
        emit(page, "boot", READY)
        assert wait_for_call(page, "chat.start")["text"] == "Summarize this page"
        expect(page.locator(".waiting-queued")).to_have_count(0)
        assert len(asked(page, "chat.start")) == 1

    def test_stop_takes_a_queued_message_back(self, open_state: Open) -> None:
        page = open_state("queued")
        page.click("#stop")
        expect(page.locator("#composer")).to_have_value("Summarize this page")
        expect(page.locator(".waiting")).to_have_count(0)
        assert asked(page, "chat.abort") == []

    def test_a_failed_start_can_be_tried_again_and_recovers(self, open_state: Open) -> None:
        page = open_state("boot-failed")
        page.click("#boot-retry")
        wait_for_call(page, "boot.retry")
        page.evaluate("(view) => wb.reply('panel.open', view)", panel())
        emit(page, "boot", {**READY, "state": "starting", "epoch": 2})
        emit(page, "boot", {**READY, "epoch": 2})
        expect(page.locator("#boot-retry")).to_have_count(0)
        expect(page.locator(".model-main")).to_have_text("claude-sonnet-5")

    def test_the_shell_is_painted_before_any_script(self, origin: str, chromium: Any) -> None:
        context = chromium.new_context(java_script_enabled=False, viewport={"width": 400, "height": 700})
        page = context.new_page()
        page.goto(f"{origin}/sidepanel.html?state=empty-ask")
        assert page.locator(".header .mark").bounding_box()
        assert page.locator(".composer-box").bounding_box()["y"] > 500
        context.close()


class TestRunning:
    def test_a_run_is_drawn_as_it_goes(self, open_state: Open) -> None:
        page = open_state("empty-act")
        run = (
            shopping().think().tool("navigate", "Open the checkout", {"url": "https://shop.example/checkout"})
        )
        play(page, run.events)
        expect(page.locator(".step")).to_have_count(4)
        expect(page.locator(".step-running")).to_have_count(1)
        expect(page.locator(".activity-text")).to_have_text("Open the checkout")
        expect(page.locator("#send")).to_be_disabled()
        done = run.say("Done.", final=True).end("completed", "success").events[len(run.events) - 2 :]
        play(page, done)
        expect(page.locator(".activity")).to_have_count(0)
        expect(page.locator(".verdict")).to_have_text("Done")

    def test_events_that_come_twice_or_early_are_drawn_once(self, open_state: Open) -> None:
        page = open_state("running")
        events = shopping().think().tool("navigate", "Open", {"url": "x"}).events
        play(page, events)
        expect(page.locator(".step")).to_have_count(4)
        expect(page.locator(".question")).to_have_count(1)

    def test_an_event_that_overtakes_the_answer_is_not_lost(self, open_state: Open) -> None:
        """The answer to ``panel.open`` was made before the run ended and arrives after the news of it."""
        page = open_state("running")
        page.evaluate("wb.holdReplies()")
        emit(page, "providers_changed", {"active": "anthropic"})
        wait_for_call(page, "panel.open", 2)
        play(page, _ending(shopping().think().tool("navigate", "Open", {"url": "x"})))
        expect(page.locator(".verdict")).to_have_text("Stopped")
        page.evaluate("wb.releaseReplies()")
        page.wait_for_function("wb.released")
        expect(page.locator(".verdict")).to_have_text("Stopped")

    def test_joined_pieces_of_text_are_not_a_gap(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        run = Run().ask("Explain", "ask", ago=0).think().stream("word " * 30)
        joined = [*run.events[:2], {**run.events[-1], "data": {"delta": "word " * 30}}]
        page.evaluate("(view) => wb.reply('panel.open', view)", panel(joined, running=True, mode="ask"))
        emit(page, "providers_changed", {"active": "anthropic"})
        expect(page.locator(".streaming")).to_be_visible()
        before = len(run.events)
        play(page, run.stream("and an end").events[before:])
        expect(page.locator(".streaming")).to_contain_text("word and an end")
        assert len(asked(page, "panel.open")) == 2

    def test_a_gap_asks_for_the_conversation_again(self, open_state: Open) -> None:
        page = open_state("running")
        before = len(asked(page, "panel.open"))
        last = shopping().think().tool("navigate", "Open", {"url": "x"}).think().think().events[-1]
        play(page, [last])
        wait_for_call(page, "panel.open", before + 1)

    @pytest.mark.parametrize("how", ["button", "escape"])
    def test_stop(self, open_state: Open, how: str) -> None:
        page = open_state("running")
        if how == "button":
            page.click("#stop")
        else:
            page.press("#composer", "Escape")
        assert wait_for_call(page, "chat.abort") == {"tabId": TAB}
        expect(page.locator(".activity-text")).to_have_text("Stopping…")
        expect(page.locator("#stop")).to_be_disabled()

    def test_stop_before_the_message_arrived_stops_the_run_it_starts(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.evaluate("wb.holdReplies()")
        page.fill("#composer", "Order it")
        page.press("#composer", "Enter")
        wait_for_call(page, "chat.start")
        page.click("#stop")
        assert asked(page, "chat.abort") == []
        page.evaluate("wb.releaseReplies()")
        assert wait_for_call(page, "chat.abort") == {"tabId": TAB}

    def test_a_stop_that_found_nothing_to_stop_can_be_repeated(self, open_state: Open) -> None:
        page = open_state("running")
        page.evaluate("wb.reply('chat.abort', {ok: true, stopped: false})")
        page.click("#stop")
        wait_for_call(page, "chat.abort")
        expect(page.locator("#stop")).to_be_enabled()

    def test_a_step_opens_by_keyboard(self, open_state: Open) -> None:
        page = open_state("running")
        row = page.locator(".step-row").nth(1)
        row.focus()
        page.keyboard.press("Enter")
        expect(row).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".step-details")).to_contain_text('"ref_id": "ref_12"')
        expect(page.locator(".step-details")).to_contain_text('"success": true')
        page.keyboard.press("Space")
        expect(page.locator(".step-details")).to_have_count(0)

    def test_verbose_mode_opens_steps_by_itself(self, open_state: Open) -> None:
        page = open_state("running")
        emit(page, "settings_changed", {"values": {"verboseMode": True}})
        expect(page.locator(".step-details")).to_have_count(4)

    def test_a_draft_written_during_a_run_survives_it(self, open_state: Open) -> None:
        page = open_state("running")
        page.fill("#composer", "next")
        play(page, [*_ending(shopping().think().tool("navigate", "Open", {"url": "x"}))])
        expect(page.locator("#composer")).to_have_value("next")
        expect(page.locator("#send")).to_be_enabled()

    def test_a_new_worker_asks_for_the_truth_again(self, open_state: Open) -> None:
        page = open_state("running")
        interrupted = shopping().think().tool("navigate", "Open", {"url": "x"}).end("interrupted")
        page.evaluate("(view) => wb.reply('panel.open', view)", panel(interrupted.events))
        emit(page, "boot", {**READY, "state": "starting", "epoch": 2})
        emit(page, "boot", {**READY, "epoch": 2})
        expect(page.locator(".verdict")).to_contain_text("Interrupted")
        expect(page.locator(".activity")).to_have_count(0)


def _ending(run: Run) -> list[dict[str, Any]]:
    before = len(run.events)
    return run.end("stopped").events[before:]


class TestCards:
    def test_enter_in_the_composer_never_answers_a_card(self, open_state: Open) -> None:
        page = open_state("card-submit")
        page.click("#composer")
        page.keyboard.type("yes")
        page.keyboard.press("Enter")
        assert asked(page, "card.answer") == []

    def test_focus_goes_to_the_card_and_enter_there_does_nothing(self, open_state: Open) -> None:
        page = open_state("card-submit")
        expect(page.locator(".card-submit")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Space")
        assert asked(page, "card.answer") == []

    def test_somebody_who_is_typing_keeps_the_focus(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.fill("#composer", "half a sen")
        play(page, shopping().think().add(CARD).events)
        expect(page.locator(".card-submit")).to_be_visible()
        expect(page.locator("#composer")).to_be_focused()

    def test_only_a_person_can_answer(self, open_state: Open) -> None:
        page = open_state("card-submit")
        page.evaluate(
            """() => {
              const button = document.querySelector('[data-option=once]');
              button.click();
              button.dispatchEvent(new MouseEvent('click', {bubbles: true}));
            }"""
        )
        assert asked(page, "card.answer") == []
        page.click("[data-option=once]")
        assert wait_for_call(page, "card.answer") == {"tabId": TAB, "cardId": "card-1", "answer": "once"}

    def test_by_keyboard(self, open_state: Open) -> None:
        page = open_state("card-submit")
        page.keyboard.press("Tab")
        expect(page.locator("[data-option=once]")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert wait_for_call(page, "card.answer")["answer"] == "deny"

    def test_the_card_says_what_goes_where_and_hides_secrets(self, open_state: Open) -> None:
        page = open_state("card-submit")
        card = page.locator(".card-submit")
        for text in ("shop.example", "Fjord Shell, size M", "empty", "••••"):
            expect(card).to_contain_text(text)

    def test_an_answer_that_did_not_arrive_can_be_given_again(self, open_state: Open) -> None:
        page = open_state("card-submit")
        gone = {"fails": {"code": "card_gone", "message": "This question is no longer open."}}
        page.evaluate("(gone) => wb.reply('card.answer', gone)", gone)
        page.click("[data-option=once]")
        expect(page.locator(".card .field-error")).to_have_text("This question is no longer open.")
        expect(page.locator("[data-option=once]")).to_be_enabled()

    def test_continue_after_the_step_limit(self, open_state: Open) -> None:
        page = open_state("max-steps")
        page.click("[data-action=continue]")
        sent = wait_for_call(page, "chat.continue")
        assert sent["tabId"] == TAB
        assert "text" not in sent

    def test_retry_repeats_the_question_in_its_own_mode(self, open_state: Open) -> None:
        page = open_state("error-key")
        page.get_by_role("button", name="Retry").click()
        sent = wait_for_call(page, "chat.start")
        assert (sent["text"], sent["mode"]) == ("What does this shop charge for delivery?", "ask")

    def test_an_error_that_repeating_cannot_mend_offers_no_retry(self, open_state: Open) -> None:
        page = open_state("error-page")
        assert page.get_by_role("button", name="Retry").count() == 0


class TestTabs:
    def test_the_panel_follows_its_window_and_keeps_drafts_apart(self, open_state: Open) -> None:
        page = open_state("running")
        page.fill("#composer", "for the shop")
        page.evaluate(
            "(other) => wb.reply('panel.open', {byTab: {8: other}})",
            panel(
                tabId=8,
                conversationId="c-8",
                mode="ask",
                tab={"url": "https://news.example/", "title": "Morning paper"},
            ),
        )
        page.evaluate("wb.activate(8)")
        expect(page.locator(".tab-host")).to_have_text("news.example")
        expect(page.locator(".welcome")).to_be_visible()
        expect(page.locator("#composer")).to_have_value("")
        page.evaluate(f"wb.activate({TAB})")
        expect(page.locator(".step")).to_have_count(4)
        expect(page.locator("#composer")).to_have_value("for the shop")

    def test_events_of_a_tab_in_the_background_are_there_on_return(self, open_state: Open) -> None:
        page = open_state("running")
        page.evaluate("(v) => wb.reply('panel.open', {byTab: {8: v}})", panel(tabId=8, conversationId="c-8"))
        page.evaluate("wb.activate(8)")
        expect(page.locator(".welcome")).to_be_visible()
        play(page, _ending(shopping().think().tool("navigate", "Open", {"url": "x"})))
        page.evaluate(f"wb.activate({TAB})")
        expect(page.locator(".verdict")).to_have_text("Stopped")

    def test_a_draft_is_kept_for_a_panel_opened_again(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.fill("#composer", "not yet sent")
        page.wait_for_function(f"wbSession['draft:{TAB}'] === 'not yet sent'")
        page.fill("#composer", "")
        page.wait_for_function(f"!('draft:{TAB}' in wbSession)")

    def test_a_new_conversation_begins_at_once_and_says_where_the_old_one_is(self, open_state: Open) -> None:
        page = open_state("stopped")
        page.evaluate("wb.reply('conversation.clear', {ok: true, conversationId: 'c-2'})")
        page.click("#new-conversation")
        wait_for_call(page, "conversation.clear")
        expect(page.locator(".welcome")).to_be_visible()
        expect(page.locator("#composer")).to_be_focused()
        expect(page.locator(".command-said")).to_contain_text("The one before is in the history.")
        page.keyboard.insert_text("And now?")
        expect(page.locator(".command-said")).to_have_count(0)

    def test_a_new_conversation_that_cannot_begin_says_so(self, open_state: Open) -> None:
        page = open_state("stopped")
        page.evaluate("wb.reply('conversation.clear', {fails: {code: 'store_failed', message: 'Full.'}})")
        page.click("#new-conversation")
        expect(page.locator(".command-said")).to_contain_text("Full.")
        expect(page.locator(".turn")).to_have_count(1)

    def test_the_model_is_changed_in_the_panel_by_keyboard_or_pointer(self, open_state: Open) -> None:
        page = open_state("model-menu")
        names = [row.get_attribute("data-model") for row in page.locator("[data-model]").all()]
        assert names == ["llamacpp", "anthropic", "openrouter"]
        expect(page.locator("[data-model=anthropic]")).to_be_focused()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        assert wait_for_call(page, "providers.activate") == {"id": "llamacpp"}
        expect(page.locator("#model-menu")).to_have_count(0)
        expect(page.locator("#model-button")).to_be_focused()
        page.click("#model-button")
        expect(page.locator("[data-model=anthropic]")).to_be_focused()
        page.mouse.click(200, 500)
        expect(page.locator("#model-menu")).to_have_count(0)
        page.click("#model-button")
        page.click("[data-action=more-models]")
        page.wait_for_function("wb.opened.some((url) => url.endsWith('settings.html#providers'))")

    def test_a_model_that_cannot_be_used_says_why(self, open_state: Open) -> None:
        page = open_state("model-menu-running")
        expect(page.locator("#model-menu [role=alert]")).to_have_text("It is not set up.")
        expect(page.locator("#model-menu")).to_contain_text("The task that is running keeps its model.")
        page.keyboard.press("Escape")
        expect(page.locator("#model-menu")).to_have_count(0)
        assert asked(page, "chat.abort") == []

    def test_a_task_is_not_stopped_for_a_new_conversation_unasked(self, open_state: Open) -> None:
        page = open_state("confirm-clear")
        expect(page.locator("#confirm-clear")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".confirm")).to_have_count(0)
        expect(page.locator("#new-conversation")).to_be_focused()
        assert asked(page, "conversation.clear") == []
        page.evaluate("wb.reply('conversation.clear', {ok: true, conversationId: 'c-2'})")
        page.click("#new-conversation")
        page.click("#confirm-clear")
        wait_for_call(page, "conversation.clear")
        expect(page.locator(".welcome")).to_be_visible()

    def test_a_conversation_cleared_elsewhere_is_cleared_here(self, open_state: Open) -> None:
        page = open_state("stopped")
        page.evaluate("(view) => wb.reply('panel.open', view)", panel(conversationId="c-2"))
        emit(page, "conversation_cleared", {"tabId": TAB, "conversationId": "c-2"})
        expect(page.locator(".welcome")).to_be_visible()
        play(page, shopping().events)
        wait_for_call(page, "panel.open", 2)
        expect(page.locator(".turn")).to_have_count(0)

    def test_the_mode_is_told_and_fixed_while_a_run_goes_on(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        page.get_by_label("Act", exact=True).check()
        assert wait_for_call(page, "mode.set") == {"tabId": TAB, "mode": "act"}
        page.keyboard.press("ArrowLeft")
        assert wait_for_call(page, "mode.set", 2)["mode"] == "ask"
        play(page, shopping().events)
        expect(page.locator(".mode-switch:disabled")).to_be_visible()

    def test_dev_is_not_offered(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        assert [option.inner_text() for option in page.locator(".mode-option").all()] == ["Ask", "Act"]


class TestLine:
    def test_a_broken_line_is_mended_and_what_was_missed_is_fetched(self, open_state: Open) -> None:
        page = open_state("running")
        over = shopping().think().tool("navigate", "Open", {"url": "x"}, {"success": True}).end("stopped")
        page.evaluate("(view) => wb.reply('panel.open', view)", panel(over.events))
        page.evaluate("wb.disconnect()")
        expect(page.locator(".verdict")).to_have_text("Stopped")

    def test_a_line_that_stays_broken_says_why_and_offers_a_restart(self, open_state: Open) -> None:
        page = open_state("lost")
        expect(page.locator(".notice")).to_contain_text("No service worker.")
        page.get_by_role("button", name="Restart WebBrain").click()
        assert page.evaluate("wb.restarts") == 1
        page.evaluate("wb.ensure({ok: true})")
        page.get_by_role("button", name="Try now").click()
        expect(page.locator(".notice")).to_have_count(0)

    def test_a_message_of_unknown_fate_goes_out_again_with_the_same_id(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.evaluate("wb.reply('chat.start', {hang: true})")
        page.fill("#composer", "Order it")
        page.press("#composer", "Enter")
        first = wait_for_call(page, "chat.start")
        page.evaluate("wb.disconnect()")
        assert wait_for_call(page, "chat.start", 2) == first

    def test_a_message_that_did_arrive_is_not_sent_twice(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.evaluate("wb.reply('chat.start', {hang: true})")
        page.fill("#composer", "Order it")
        page.press("#composer", "Enter")
        first = wait_for_call(page, "chat.start")
        run = Run().ask("Order it").think()
        for event in run.events:
            event["requestId"] = first["requestId"]
        page.evaluate("(view) => wb.reply('panel.open', view)", panel(run.events, running=True))
        page.evaluate("wb.disconnect()")
        expect(page.locator(".thinking")).to_be_visible()
        expect(page.locator(".question")).to_have_count(1)
        assert len(asked(page, "chat.start")) == 1

    def test_theme_and_language_follow_the_settings_at_once(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        emit(page, "settings_changed", {"values": {"themeMode": "dark", "wbLocale": "de"}})
        expect(page.locator("#send")).to_have_attribute("aria-label", "Senden")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 23, 21)"
        assert page.evaluate("[localStorage.themeMode, localStorage.wbLocale]") == ["dark", "de"]


class TestMoney:
    def test_a_used_up_allowance_leads_to_the_settings_and_on(self, open_state: Open) -> None:
        page = open_state("cost-limit")
        page.get_by_role("button", name="Change the allowance").click()
        page.wait_for_function("wb.opened.length === 1")
        assert page.evaluate("wb.opened[0]").endswith("settings.html#general")
        expect(page.get_by_role("button", name="Retry")).to_have_count(0)
        page.click("[data-action=continue]")
        assert wait_for_call(page, "chat.continue")["tabId"] == TAB

    def test_a_guess_says_so_and_what_is_free_says_nothing_of_money(self, open_state: Open) -> None:
        page = open_state("done")
        expect(page.locator("[data-cost]")).to_have_text("≈ $0.013")
        expect(page.locator(".turn-footer")).to_contain_text("conversation $0.053")
        page = open_state("stopped")
        expect(page.locator(".turn-footer")).to_contain_text("tokens")
        expect(page.locator(".turn-footer")).not_to_contain_text("$")

    def test_a_wait_counts_down_and_ends_with_the_answer(self, open_state: Open) -> None:
        page = open_state("waiting")
        expect(page.locator(".pause-time")).to_have_text("Trying again in 45 s")
        expect(page.locator(".pause-time")).to_have_text("Trying again in 44 s")
        expect(page.locator("#stop")).to_be_enabled()
        run = shopping().think()
        waiting = {**run.events[-1], "seq": run.events[-1]["seq"] + 2, "type": "text"}
        emit(page, "agent_update", {**waiting, "data": {"content": "Here.", "replace": True, "final": True}})
        expect(page.locator(".pause")).to_have_count(0)
