"""Which clicks answer a question, what questions look like, slash commands, switches that stay in sight."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.ui_cards import ASKED
from tests.support.ui_runs import CARD, TAB, shopping
from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, play, wait_for_call

ALLOW = "[data-option=once]"


def paused(open_state: Open) -> Page:
    """A panel whose clock the test moves, with a card that has just come."""
    page = open_state("empty-act")
    page.clock.install(time=1_000)
    page.clock.pause_at(10_000)
    play(page, shopping().think().add(CARD).events)
    expect(page.locator(ALLOW)).to_be_visible()
    return page


def middle(page: Page, css: str) -> tuple[float, float]:
    box = page.locator(css).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class TestGuard:
    def test_a_card_takes_no_answer_for_half_a_second(self, open_state: Open) -> None:
        page = paused(open_state)
        page.mouse.click(*middle(page, ALLOW))
        page.clock.run_for(450)
        expect(page.locator(ALLOW)).to_be_disabled()
        page.mouse.click(*middle(page, ALLOW))
        assert asked(page, "card.answer") == []
        page.clock.run_for(100)
        expect(page.locator(ALLOW)).to_be_enabled()
        page.mouse.click(*middle(page, ALLOW))
        page.clock.run_for(100)
        assert [call["answer"] for call in asked(page, "card.answer")] == ["once"]

    def test_a_press_that_began_before_that_is_no_answer(self, open_state: Open) -> None:
        page = paused(open_state)
        page.mouse.move(*middle(page, ALLOW))
        page.mouse.down()
        page.clock.run_for(1_000)
        expect(page.locator(ALLOW)).to_be_enabled()
        page.mouse.up()
        page.clock.run_for(100)
        assert asked(page, "card.answer") == []

    def test_a_second_click_is_no_second_answer(self, open_state: Open) -> None:
        page = open_state("ask-work")
        page.evaluate("wb.reply('card.answer', {hang: true})")
        page.mouse.click(*middle(page, ALLOW), click_count=2)
        wait_for_call(page, "card.answer")
        page.mouse.click(*middle(page, "[data-option=deny]"))
        assert len(asked(page, "card.answer")) == 1

    def test_without_a_line_to_python_there_is_nothing_to_answer(self, open_state: Open) -> None:
        page = open_state("ask-work")
        page.evaluate("wb.disconnect()")
        expect(page.locator(ALLOW)).to_be_disabled()


class TestQuestions:
    @pytest.mark.parametrize("name", ASKED)
    def test_it_names_site_action_and_values(self, open_state: Open, name: str) -> None:
        card = ASKED[name]
        shown = open_state(f"ask-{name}").locator("section[data-card]")
        expect(shown).to_contain_text(card.title)
        if card.origin:
            expect(shown).to_contain_text(card.origin)
        for line in (*card.details, *card.fields):
            for part in line.value.split("\n"):
                expect(shown).to_contain_text(" ".join(part.split()))
        for option in card.options:
            expect(shown.locator(f"[data-option={option.id}]")).to_have_text(option.label)

    def test_it_speaks_the_user_s_language(self, open_state: Open) -> None:
        page = open_state("ask-work", language="de")
        card = page.locator("section[data-card]")
        expect(card).to_contain_text("Auf shop.example arbeiten?")
        expect(card).to_contain_text("Aktion")
        expect(page.locator("[data-option=never]")).to_have_text("Nie auf dieser Website")

    def test_answers_for_good_stand_apart(self, open_state: Open) -> None:
        page = open_state("ask-work")
        page.click("[data-option=always]")
        answer = wait_for_call(page, "card.answer")
        assert (answer["tabId"], answer["answer"]) == (TAB, "always")
        assert page.locator(".card-standing [data-option]").count() == 2


class TestCommands:
    def test_they_are_offered_and_taken(self, open_state: Open) -> None:
        page = open_state("commands")
        offered = page.locator("[data-command]")
        assert [row.get_attribute("data-command") for row in offered.all()] == ["/ask", "/act", "/allow-api"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        expect(page.locator("#composer")).to_have_value("/allow-api ")
        assert [row.get_attribute("data-command") for row in offered.all()] == ["/allow-api --off"]
        page.keyboard.press("Escape")
        expect(offered).to_have_count(0)

    def test_enter_takes_the_row_that_is_chosen(self, open_state: Open) -> None:
        """Half a name is no command, and what the list shows is meant; one that takes more waits for it."""
        page = open_state("commands")
        page.keyboard.press("Enter")
        expect(page.locator("#composer")).to_have_value("/ask ")
        assert asked(page, "commands.run") == []
        page.fill("#composer", "/rese")
        page.keyboard.press("Enter")
        assert wait_for_call(page, "commands.run")["text"] == "/reset"

    def test_a_command_is_carried_out_and_its_message_sent(self, open_state: Open) -> None:
        page = open_state("commands")
        page.evaluate("wb.reply('commands.run', {ok: true, code: 'mode_act', send: 'buy tea'})")
        page.fill("#composer", "/act buy tea")
        page.keyboard.press("Enter")
        assert wait_for_call(page, "commands.run") == {"tabId": TAB, "text": "/act buy tea"}
        assert wait_for_call(page, "chat.start")["text"] == "buy tea"
        expect(page.locator("#composer")).to_have_value("")
        expect(page.locator(".command-said")).to_contain_text("Act is on.")

    def test_what_is_no_command_goes_nowhere_and_stays(self, open_state: Open) -> None:
        page = open_state("commands-unknown")
        expect(page.locator(".command-said")).to_contain_text("There is no command /nonsense.")
        expect(page.locator("#composer")).to_have_value("/nonsense")
        assert asked(page, "chat.start") == []

    def test_a_blank_before_the_slash_makes_it_a_message(self, open_state: Open) -> None:
        page = open_state("commands")
        page.fill("#composer", " /etc/hosts, what is that?")
        page.keyboard.press("Enter")
        assert wait_for_call(page, "chat.start")["text"] == "/etc/hosts, what is that?"
        assert asked(page, "commands.run") == []

    def test_help_lists_all_of_them(self, open_state: Open) -> None:
        page = open_state("commands-help")
        for name in ("/help", "/ask", "/act", "/allow-api [--off]", "/reset", "/verbose"):
            expect(page.locator(".command-help")).to_contain_text(name)


class TestSwitches:
    def test_the_banner_stays_until_it_is_asked_again(self, open_state: Open) -> None:
        page = open_state("gate-off")
        banner = page.locator("[data-switch=gate]")
        expect(banner).to_contain_text("without asking")
        page.click("[data-action=ask-again]")
        changed = wait_for_call(page, "settings.set")
        assert changed == {"values": {"askBeforeConsequentialActions": True}}
        emit(page, "settings_changed", changed)
        expect(banner).to_have_count(0)

    def test_in_ask_there_is_nothing_to_warn_of(self, open_state: Open) -> None:
        page = open_state("gate-off")
        page.click(".mode-option.mode-ask")
        expect(page.locator("[data-switch=gate]")).to_have_count(0)

    def test_leave_for_requests_can_be_taken_back(self, open_state: Open) -> None:
        page = open_state("api-on")
        page.click("[data-action=api-off]")
        assert wait_for_call(page, "commands.run")["text"] == "/allow-api --off"
        emit(page, "api_allowed", {"tabId": TAB, "allowed": False})
        expect(page.locator("[data-switch=api]")).to_have_count(0)


class TestPermissions:
    def test_grants_are_listed_and_taken_back(self, open_state: Open) -> None:
        page = open_state("settings-permissions")
        sites = page.locator("[data-site]")
        expect(sites).to_have_count(2)
        expect(sites.nth(1)).to_contain_text("xn--mnchen-3ya.example")
        expect(sites.nth(1)).to_contain_text("Never: fetch in the background")
        page.evaluate("wb.reply('permissions.revoke', {ok: true, sites: []})")
        page.click("[data-site='shop.example'] [data-revoke=click]")
        revoked = wait_for_call(page, "permissions.revoke")
        assert revoked == {"host": "shop.example", "capability": "click"}
        expect(page.locator(".permissions-none")).to_be_visible()

    def test_a_grant_given_meanwhile_appears(self, open_state: Open) -> None:
        page = open_state("settings-no-permissions")
        grant = {"capability": "click", "action": "allow", "ts": 0}
        site = {"host": "a.example", "shown": "a.example", "grants": [grant]}
        emit(page, "permissions_changed", {"sites": [site]})
        expect(page.locator("[data-site='a.example']")).to_be_visible()
