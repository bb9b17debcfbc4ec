"""What a person types while a task runs: it waits above the composer, to be edited, taken out or sent."""

from playwright.sync_api import Page, expect

from tests.support.ui_queue import LONG, SHORT
from tests.support.ui_runs import TAB, Run, shopping
from tests.support.ui_state import panel
from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, play, wait_for_call
from webbrain.core import events as ev

FIRST = "[data-queued=q1]"
SECOND = "[data-queued=q2]"


def news(page: Page, run: Run, *events: object) -> None:
    """Events that come after those of a run."""
    known = len(run.events)
    for event in events:
        run.add(event)  # type: ignore[arg-type]
    play(page, run.events[known:])


class TestWriting:
    def test_enter_puts_a_message_behind_the_task(self, open_state: Open) -> None:
        page = open_state("running")
        page.evaluate("wb.reply('queue.add', {ok: true, waits: true})")
        page.fill("#composer", "And then stop.")
        expect(page.locator("#send")).to_be_enabled()
        page.press("#composer", "Enter")
        params = wait_for_call(page, "queue.add")
        assert params.pop("id")
        assert params == {"tabId": TAB, "text": "And then stop.", "mode": "act"}
        expect(page.locator("#composer")).to_have_value("")
        assert asked(page, "chat.start") == []

    def test_it_shows_once_python_has_it(self, open_state: Open) -> None:
        page = open_state("running")
        run = shopping().think().tool("navigate", "Open shop.example/checkout", {})
        news(page, run, ev.QueuedMessage(id="q9", text="Look again.", mode="ask"))
        expect(page.locator("[data-queued=q9]")).to_contain_text("Look again.")
        expect(page.locator("[role=status]", has_text="1 message waits")).to_be_attached()
        news(page, run, ev.QueuedRemoved(id="q9"))
        expect(page.locator("[data-queued]")).to_have_count(0)

    def test_a_message_that_is_refused_is_not_lost(self, open_state: Open) -> None:
        page = open_state("running")
        page.evaluate("wb.reply('queue.add', {fails: {code: 'queue_full', message: 'No room.'}})")
        page.fill("#composer", "Please wait.")
        page.press("#composer", "Enter")
        expect(page.locator(".waiting-failed")).to_contain_text("No room.")
        expect(page.locator(".waiting-failed")).to_contain_text("Please wait.")

    def test_files_do_not_wait(self, open_state: Open) -> None:
        page = open_state("running")
        page.set_input_files(
            "input[type=file]", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"words"}
        )
        expect(page.locator("#send")).to_be_disabled()
        expect(page.locator("#composer-note")).to_contain_text("Files can be sent when the task is over")

    def test_the_note_says_what_enter_does(self, open_state: Open) -> None:
        page = open_state("running")
        expect(page.locator("#composer-note")).to_have_text("Enter: sent when this task is done")
        expect(page.locator("#send")).to_have_attribute("aria-label", "Send when this task is done")


class TestWaiting:
    def test_they_stand_in_their_order(self, open_state: Open) -> None:
        page = open_state("queue")
        expect(page.locator(".queued-text")).to_have_text([SHORT, LONG])
        expect(page.locator(FIRST)).to_contain_text("Sent when this task is done")
        expect(page.locator(f"{FIRST} [data-action=send]")).to_have_count(0)

    def test_one_is_taken_out_and_the_next_is_in_focus(self, open_state: Open) -> None:
        page = open_state("queue")
        page.locator(f"{FIRST} [data-action=remove]").press("Enter")
        assert wait_for_call(page, "queue.remove") == {"tabId": TAB, "id": "q1"}
        expect(page.locator(f"{SECOND} [data-action=remove]")).to_be_focused()

    def test_edit_puts_the_words_before_those_in_the_composer(self, open_state: Open) -> None:
        page = open_state("queue")
        page.fill("#composer", "half a thought")
        page.click(f"{FIRST} [data-action=edit]")
        assert wait_for_call(page, "queue.remove") == {"tabId": TAB, "id": "q1"}
        expect(page.locator("#composer")).to_have_value(f"{SHORT}\nhalf a thought")
        expect(page.locator("#composer")).to_be_focused()

    def test_one_that_is_being_sent_is_not_edited(self, open_state: Open) -> None:
        page = open_state("queue")
        page.evaluate("wb.reply('queue.remove', {ok: true, removed: false})")
        page.click(f"{FIRST} [data-action=edit]")
        wait_for_call(page, "queue.remove")
        expect(page.locator("#composer")).to_have_value("")

    def test_the_arrow_up_in_an_empty_box_edits_the_last(self, open_state: Open) -> None:
        page = open_state("queue")
        page.press("#composer", "ArrowUp")
        assert wait_for_call(page, "queue.remove") == {"tabId": TAB, "id": "q2"}
        expect(page.locator("#composer")).to_have_value(LONG)

    def test_the_buttons_say_which_message_they_mean(self, open_state: Open) -> None:
        page = open_state("queue")
        for action, word in (("edit", "Edit"), ("remove", "Remove")):
            button = page.locator(f"{FIRST} [data-action={action}]")
            expect(button).to_have_attribute("aria-label", f"{word}: {SHORT}")

    def test_it_leaves_the_list_when_it_is_sent(self, open_state: Open) -> None:
        page = open_state("queue")
        run = shopping().think().tool("navigate", "Open shop.example/checkout", {})
        seq = len(run.events)
        done = run.end().events[seq:]
        play(page, done)
        sent = {
            **done[-1],
            "runId": "run-next",
            "requestId": "q1",
            "seq": done[-1]["seq"] + 1,
            "type": "user_message",
            "data": {"text": SHORT, "mode": "ask", "continued": False, "files": []},
        }
        emit(page, "agent_update", sent)
        expect(page.locator(FIRST)).to_have_count(0)
        expect(page.locator("[data-question]").last).to_contain_text(SHORT)
        expect(page.locator(SECOND)).to_contain_text("Sent when this task is done")


class TestHeld:
    def test_a_stop_holds_what_waits(self, open_state: Open) -> None:
        page = open_state("queue")
        run = shopping().think().tool("navigate", "Open shop.example/checkout", {})
        seq = len(run.events)
        play(page, run.end("stopped").events[seq:])
        expect(page.locator(FIRST)).to_have_attribute("data-held", "true")
        expect(page.locator(FIRST)).to_contain_text("Not sent: the task before did not end well")

    def test_the_person_sends_it(self, open_state: Open) -> None:
        page = open_state("queue-held")
        page.click(f"{FIRST} [data-action=send]")
        sent = wait_for_call(page, "chat.start")
        assert sent == {"tabId": TAB, "text": SHORT, "mode": "ask", "requestId": "q1"}

    def test_after_the_step_limit_it_waits_for_more(self, open_state: Open) -> None:
        page = open_state("queue-paused")
        expect(page.locator(FIRST)).to_contain_text("Waits until the task is continued")
        expect(page.locator("[data-action=continue]")).to_be_enabled()

    def test_a_held_one_can_be_put_behind_a_new_task(self, open_state: Open) -> None:
        page = open_state("queue-held")
        page.evaluate("wb.reply('queue.add', {ok: true, waits: true})")
        run = shopping().end("stopped").copy()
        seq = len(run.events)
        more = run.ask("Something else", "act").think().events[seq:]
        for event in more:
            event |= {"runId": "run-next", "requestId": "r-next"}
        play(page, more)
        page.click(f"{FIRST} [data-action=send]")
        assert wait_for_call(page, "queue.add") == {"tabId": TAB, "text": SHORT, "mode": "ask", "id": "q1"}


def test_another_tab_has_a_queue_of_its_own(open_state: Open) -> None:
    page = open_state("queue")
    page.evaluate("(view) => wb.reply('panel.open', {byTab: {8: view}})", panel(tabId=8))
    page.evaluate("wb.activate(8)")
    expect(page.locator("[data-queued]")).to_have_count(0)
    page.evaluate("(id) => wb.activate(id)", TAB)
    expect(page.locator("[data-queued]")).to_have_count(2)
