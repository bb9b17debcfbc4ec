"""Pictures of the page in the panel, the tabs a task leaves open, and the settings of both."""

from playwright.sync_api import expect

from tests.support.ui_runs import SEEN
from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, wait_for_call


class TestPictures:
    def test_each_is_fetched_once_and_stands_with_its_step(self, open_state: Open) -> None:
        page = open_state("pictures")
        expect(page.locator(".picture img")).to_have_count(3)
        assert [call["id"] for call in asked(page, "pictures.get")] == ["pic_1", "pic_2", "pic_3"]
        expect(page.locator('[data-tool="click_ax"] [data-picture]')).to_have_attribute(
            "data-picture", "pic_2"
        )
        expect(page.locator('[data-tool="inspect_viewport"] [data-picture]')).to_have_attribute(
            "data-picture", "pic_3"
        )
        expect(page.locator(".step-look")).to_contain_text("The page at the start")
        assert page.locator(".picture img").first.evaluate("(img) => img.naturalWidth") == 1_000

    def test_a_small_one_opens_large_and_gives_the_focus_back(self, open_state: Open) -> None:
        page = open_state("pictures")
        small = page.locator('[data-picture="pic_2"]')
        expect(page.get_by_role("button", name="The page after this step: show larger")).to_have_count(1)
        small.focus()
        page.keyboard.press("Enter")
        large = page.get_by_role("dialog", name="The page after this step")
        expect(large.locator("img")).to_be_visible()
        assert large.bounding_box()["width"] > 3 * small.bounding_box()["width"] / 2  # type: ignore[index]
        page.keyboard.press("Escape")
        expect(large).to_be_hidden()
        expect(small).to_be_focused()
        small.click()
        page.mouse.click(3, 3)
        expect(large).to_be_hidden()
        small.click()
        large.get_by_role("button", name="Close").click()
        expect(large).to_be_hidden()

    def test_a_description_is_shown_as_text(self, open_state: Open) -> None:
        page = open_state("picture-large")
        expect(page.locator(".picture-dialog[open] .picture-words")).to_contain_text(SEEN)

    def test_one_that_is_gone_says_so(self, open_state: Open) -> None:
        page = open_state("picture-gone")
        expect(page.locator(".picture-gone")).to_have_count(3)
        expect(page.locator(".picture")).to_have_count(0)

    def test_only_pictures_are_drawn(self, open_state: Open) -> None:
        page = open_state("pictures", act=False)
        page.wait_for_selector(".picture img")
        last = page.evaluate("wbState.replies['panel.open'].events.at(-1)")
        for number, bad in enumerate(
            ("javascript:alert(1)", "https://spy.example/a.png", "data:text/html,<b>x</b>"), 1
        ):
            page.evaluate("(dataUrl) => wb.reply('pictures.get', {dataUrl})", bad)
            data = {
                "pictureId": f"bad_{number}",
                "reason": "auto",
                "width": 9,
                "height": 9,
                "description": "",
            }
            emit(page, "agent_update", {**last, "seq": last["seq"] + number, "type": "picture", "data": data})
            expect(page.locator(".picture-gone")).to_have_count(number)
        expect(page.locator('[data-picture^="bad"]')).to_have_count(0)


class TestLeftOpen:
    def test_tabs_are_listed_and_lead_there(self, open_state: Open) -> None:
        page = open_state("notices")
        warning = page.locator('[data-code="tabs_left_open"]')
        expect(warning).to_contain_text("This task left 2 tabs open:")
        page.evaluate("chrome.tabs.update = async (id, change) => { wb.updated = [id, change]; }")
        warning.get_by_role("button", name="https://news.example/").click()
        page.wait_for_function("wb.updated")
        assert page.evaluate("wb.updated") == [8, {"active": True}]

    def test_refused_pictures_lead_to_their_settings(self, open_state: Open) -> None:
        page = open_state("notices")
        page.locator('[data-code="pictures_refused"]').get_by_role("button").click()
        page.wait_for_function("wb.opened.length")
        assert page.evaluate("wb.opened[0]").endswith("settings.html#pictures")


class TestVisionModel:
    def test_choose_test_and_save(self, open_state: Open) -> None:
        page = open_state("settings-pictures")
        expect(page.locator("#vision-provider option")).to_have_text(
            ["None", "llama.cpp", "Anthropic Claude"]
        )
        expect(page.locator("[data-action=vision-save]")).to_have_count(0)
        page.select_option("#vision-provider", "anthropic")
        expect(page.locator("#vision-name")).to_have_attribute("placeholder", "claude-sonnet-5")
        page.fill("#vision-name", "claude-haiku-4-5")
        read = {"ok": True, "model": "claude-haiku-4-5", "latencyMs": 12, "notes": [], "error": None}
        page.evaluate("(read) => wb.reply('vision.test', read)", read)
        page.click("[data-action=vision-test]")
        expect(page.locator("[data-result=ok]")).to_contain_text("It read the number in a test picture.")
        choice = {"provider": "anthropic", "model": "claude-haiku-4-5"}
        assert wait_for_call(page, "vision.test") == choice
        page.evaluate("(choice) => wb.reply('vision.set', {ok: true, usable: true, ...choice})", choice)
        page.click("[data-action=vision-save]")
        assert wait_for_call(page, "vision.set") == choice
        expect(page.locator("[data-action=vision-save]")).to_have_count(0)
        expect(page.locator("#vision-name")).to_have_value("claude-haiku-4-5")

    def test_none_again(self, open_state: Open) -> None:
        page = open_state("settings-vision", act=False)
        page.select_option("#vision-provider", "")
        expect(page.locator("#vision-name")).to_have_count(0)
        page.evaluate("wb.reply('vision.set', {ok: true, provider: '', model: '', usable: false})")
        page.click("[data-action=vision-save]")
        assert wait_for_call(page, "vision.set") == {"provider": "", "model": ""}

    def test_a_refusal_is_shown(self, open_state: Open) -> None:
        page = open_state("settings-pictures")
        page.evaluate(
            "wb.reply('vision.set', {fails: {code: 'not_configured', message: 'Set it up first.'}})"
        )
        page.select_option("#vision-provider", "llamacpp")
        page.click("[data-action=vision-save]")
        expect(page.locator(".result-bad")).to_contain_text("Set it up first.")

    def test_a_service_that_is_gone_says_so(self, open_state: Open) -> None:
        page = open_state("settings-vision-gone")
        expect(page.locator(".field-error")).to_have_text("This service is no longer set up.")
        page.get_by_role("link", name="Set up a service first").click()
        expect(page.locator("#provider-search")).to_be_visible()

    def test_the_settings_of_pictures_stand_here_and_not_under_general(self, open_state: Open) -> None:
        page = open_state("settings-pictures")
        expect(page.locator('[data-setting="autoScreenshot"]')).to_be_visible()
        page.locator('[data-setting="autoScreenshot"] select').select_option("off")
        assert wait_for_call(page, "settings.set") == {"values": {"autoScreenshot": "off"}}
        page.get_by_role("link", name="General").click()
        expect(page.locator('[data-setting="themeMode"]')).to_be_visible()
        expect(page.locator('[data-setting="autoScreenshot"]')).to_have_count(0)
