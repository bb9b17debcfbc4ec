"""Earlier conversations in the panel: found by keyboard and mouse, opened, saved, deleted."""

from playwright.sync_api import expect

from tests.support.ui_history import ROWS, listed
from tests.support.ui_runs import CONVERSATION, TAB
from tests.support.ui_state import COMMAND_REPLIES, NEWS, panel
from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, wait_for_call


def test_the_list_is_grouped_by_day_and_says_what_is_where(open_state: Open) -> None:
    page = open_state("history")
    expect(page.locator(".history-list h2")).to_have_count(3)
    expect(page.locator(".history-list h2").first).to_have_text("Today")
    expect(page.locator(".history-list h2").nth(1)).to_have_text("Yesterday")
    expect(page.locator(f"[data-conversation={CONVERSATION}]")).to_have_attribute("data-state", "here")
    expect(page.locator("[data-conversation=conv_news]")).to_have_attribute("data-state", "running")
    expect(page.locator("#composer")).to_have_count(0)
    expect(page.locator("#history-search")).to_be_focused()
    expect(page.locator("[role=status]").filter(has_text="5 conversations")).to_have_count(1)


def test_the_keyboard_alone_finds_and_opens(open_state: Open) -> None:
    page = open_state("history")
    page.keyboard.type("train")
    wait_for_call(page, "history.list", 2)
    assert asked(page, "history.list")[-1]["query"] == "train"
    page.evaluate(
        "reply => wb.reply('history.open', reply)", {"ok": True, "tabId": TAB, "conversationId": "c"}
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert wait_for_call(page, "history.open") == {"tabId": TAB, "id": CONVERSATION}
    expect(page.locator("#composer")).to_be_focused()
    before = len(asked(page, "panel.open"))
    emit(page, "conversation_opened", {"tabId": TAB, "conversationId": "conv_train"})
    wait_for_call(page, "panel.open", before + 1)


def test_an_answer_that_a_newer_search_overtook_is_not_shown(open_state: Open) -> None:
    page = open_state("history")
    page.evaluate("wb.holdReplies()")
    page.fill("#history-search", "a")
    wait_for_call(page, "history.list", 2)
    page.evaluate("reply => wb.reply('history.list', reply)", listed(ROWS[4]))
    page.fill("#history-search", "ab")
    wait_for_call(page, "history.list", 3)
    page.evaluate("wb.releaseReplies()")
    expect(page.locator("[data-conversation]")).to_have_count(1)


def test_what_another_tab_shows_is_shown_there(open_state: Open) -> None:
    page = open_state("history")
    answer = {"ok": True, "tabId": NEWS["id"], "conversationId": "conv_news"}
    page.evaluate(
        """reply => {
          wb.reply('history.open', reply);
          chrome.tabs.update = async (id, change) => { wb.went = [id, change]; };
        }""",
        answer,
    )
    page.click("[data-conversation=conv_news] .history-open")
    page.wait_for_function("wb.went")
    assert page.evaluate("wb.went") == [NEWS["id"], {"active": True}]
    expect(page.locator("#composer")).to_be_visible()


def test_a_refusal_is_said_and_the_list_stays(open_state: Open) -> None:
    page = open_state("history")
    page.evaluate("wb.reply('history.open', {fails: {code: 'run_active', message: 'x'}})")
    page.click("[data-conversation=conv_tea] .history-open")
    expect(page.locator("[role=alert][data-code=run_active]")).to_contain_text("Stop it first")
    expect(page.locator("[data-conversation]")).to_have_count(5)


def test_two_clicks_for_older_ones_bring_them_once(open_state: Open) -> None:
    page = open_state("history")
    older = {**ROWS[4], "id": "conv_older", "updatedAt": ROWS[4]["updatedAt"] * 2}
    page.evaluate("reply => wb.reply('history.list', reply)", listed(older, more=True))
    page.evaluate("[1, 2].forEach(() => document.querySelector('[data-action=more]').click())")
    expect(page.locator("[data-conversation=conv_older]")).to_have_count(1)
    assert len(asked(page, "history.list")) == 2


def test_older_ones_come_behind_the_last(open_state: Open) -> None:
    page = open_state("history")
    older = {**ROWS[4], "id": "conv_older", "updatedAt": ROWS[4]["updatedAt"] * 2}
    page.evaluate("reply => wb.reply('history.list', reply)", listed(older))
    page.click("[data-action=more]")
    expect(page.locator("[data-conversation]")).to_have_count(6)
    assert asked(page, "history.list")[-1]["before"]["id"] == "conv_train"
    expect(page.locator("[data-action=more]")).to_have_count(0)


def test_nothing_is_deleted_without_a_second_word(open_state: Open) -> None:
    page = open_state("history")
    page.click("[data-conversation=conv_tea] [data-action=delete]")
    expect(page.locator(".history-confirm button", has_text="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".history-confirm")).to_have_count(0)
    expect(page.locator(".history")).to_be_visible()
    assert asked(page, "history.delete") == []
    page.click("[data-conversation=conv_tea] [data-action=delete]")
    page.click("[data-action=confirm-delete]")
    assert wait_for_call(page, "history.delete") == {"id": "conv_tea"}
    page.click("[data-action=delete-all]")
    page.click("[data-action=confirm-delete]")
    assert wait_for_call(page, "history.delete", 2) == {"all": True}


def test_escape_leads_back_and_stops_nothing(open_state: Open) -> None:
    page = open_state("running")
    page.click("#open-history")
    expect(page.locator("#history-search")).to_be_focused()
    expect(page.locator(".activity")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#open-history")).to_be_focused()
    expect(page.locator(".turn")).to_have_count(1)
    assert asked(page, "chat.abort") == []


def test_a_change_elsewhere_is_shown(open_state: Open) -> None:
    page = open_state("history")
    page.evaluate("reply => wb.reply('history.list', reply)", listed(ROWS[0]))
    emit(page, "history_changed", {})
    expect(page.locator("[data-conversation]")).to_have_count(1)


def test_a_conversation_is_saved_as_a_file(open_state: Open) -> None:
    page = open_state("history")
    file = {"filename": "webbrain-2026-11-30-tea.md", "markdown": "# Tea\n"}
    page.evaluate("reply => wb.reply('history.export', reply)", file)
    with page.expect_download() as saved:
        page.click("[data-conversation=conv_tea] [data-action=export]")
    assert saved.value.suggested_filename == file["filename"]
    assert saved.value.path().read_text("utf-8") == file["markdown"]
    assert asked(page, "history.export") == [{"id": "conv_tea"}]


def test_commands_show_the_history_and_save_the_conversation(open_state: Open) -> None:
    page = open_state("answer")
    for method, reply in COMMAND_REPLIES.items():
        page.evaluate("([method, reply]) => wb.reply(method, reply)", [method, reply])
    page.evaluate("wb.reply('commands.run', {ok: true, code: 'export', send: ''})")
    page.evaluate("wb.reply('history.export', {filename: 'a.md', markdown: '# A'})")
    page.fill("#composer", "/export")
    with page.expect_download():
        page.press("#composer", "Enter")
    assert asked(page, "history.export") == [{"id": panel()["conversationId"]}]
    expect(page.locator("[data-code=exported]")).to_contain_text("a.md")
    page.evaluate("wb.reply('commands.run', {ok: true, code: 'history', send: ''})")
    page.evaluate("reply => wb.reply('history.list', reply)", listed(*ROWS))
    page.fill("#composer", "/history")
    page.press("#composer", "Enter")
    expect(page.locator("[data-conversation]")).to_have_count(5)
