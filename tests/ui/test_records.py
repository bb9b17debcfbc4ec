"""Recordings of runs on the settings page: the list, one of them, files, deleting, and the debug log."""

from pathlib import Path

from playwright.sync_api import Page

from tests.ui.conftest import Open


def calls(page: Page, method: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = page.evaluate(
        "(method) => wb.calls.filter((one) => one.method === method).map((one) => one.params)", method
    )
    return found


def test_the_list_and_one_of_them(open_state: Open) -> None:
    page = open_state("settings-records")
    items = page.locator(".records > li")
    assert items.count() == 5
    assert "Put the cheapest rain jacket" in items.nth(0).inner_text()
    assert [items.nth(n).locator(".record-status").inner_text() for n in range(5)] == [
        "Finished",
        "Interrupted",
        "Failed",
        "Paused at the step limit",
        "Status unavailable",
    ]
    page.click("[data-action=more-records]")
    page.wait_for_function("wb.calls.filter((one) => one.method === 'traces.list').length === 2")
    assert calls(page, "traces.list")[1] == {"before": {"time": 1_796_000_000_000, "id": "run_1"}}


def test_a_switch_that_is_off_stands_above_it(open_state: Open) -> None:
    page = open_state("settings-records-none")
    switch = page.get_by_label("Record runs")
    assert not switch.is_checked()
    switch.check()
    assert calls(page, "settings.set") == [{"values": {"tracingEnabled": True}}]


def test_a_recording_as_a_line_of_time(open_state: Open) -> None:
    page = open_state("settings-recording")
    heads = page.locator(".moment-head strong").all_inner_texts()
    assert heads == [
        "Request to claude-sonnet-5",
        "The page at the start",
        "Answer of the model",
        "Press “Medium”",
        "Read the page",
        "Note: warning",
        "Error",
    ]
    page.locator("[data-event=tool]").nth(1).locator("summary").nth(1).click()
    assert "(48210)" in page.locator("[data-event=tool] pre").last.inner_text()
    assert str(page.locator(".shot img").get_attribute("src")).startswith("data:image/")
    assert page.locator(".moment.failed").count() == 2


def test_a_file_is_put_together_from_its_parts(open_state: Open, tmp_path: Path) -> None:
    page = open_state("settings-recording")
    parts = [("# One\n", 7), ("## Two\n", 9), ("## Three\n", None)]
    named = [{"filename": "webbrain-trace-run_5.md", "text": text, "next": after} for text, after in parts]
    page.evaluate("(parts) => wb.reply('traces.export', { inTurn: parts })", named)
    with page.expect_download() as saving:
        page.click("[data-action=export-markdown]")
    saved = tmp_path / "run.md"
    saving.value.save_as(saved)
    assert saving.value.suggested_filename == "webbrain-trace-run_5.md"
    assert saved.read_text() == "# One\n## Two\n## Three\n"
    assert [one["after"] for one in calls(page, "traces.export")] == [0, 7, 9]


def test_nothing_is_deleted_without_a_second_press(open_state: Open) -> None:
    page = open_state("settings-records-delete")
    assert calls(page, "traces.delete") == []
    page.get_by_role("button", name="Cancel").click()
    assert calls(page, "traces.delete") == []
    page.click("[data-action=delete-records]")
    page.click("[data-action=delete-records-yes]")
    assert calls(page, "traces.delete") == [{"all": True}]


def test_the_debug_log_is_copied(open_state: Open) -> None:
    page = open_state("settings-records")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-action=copy-debug-log]")
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "WebBrain: the last 2 of 2 model calls"


def test_what_is_gone_says_so(open_state: Open) -> None:
    page = open_state("settings-recording-gone")
    assert "This recording is gone." in page.get_by_role("alert").inner_text()
