"""What a person does on the settings page."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.models import NEW_ENTRY, catalog_text
from tests.support.ui_providers import provider_views
from tests.support.ui_state import READY
from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, wait_for_call
from webbrain.providers import catalog
from webbrain.providers.config import ProviderConfig
from webbrain.providers.form import view

KEY = "sk-not-a-real-key-1234567890"


def row(page: Page, provider: str) -> Any:
    return page.locator(f'[data-provider="{provider}"] .provider-row')


class TestProviders:
    def test_set_up_test_and_use_a_service(self, open_state: Open) -> None:
        page = open_state("settings-none")
        expect(page.locator("#in-use")).to_contain_text("No model is in use")
        row(page, "openai").click()
        page.get_by_label("API key").fill(KEY)
        page.evaluate(
            "wb.reply('providers.test', {ok: true, model: 'm', latencyMs: 10, calledTool: true, error: null})"
        )
        page.click("[data-action=test]")
        expect(page.locator("[data-result=ok]")).to_be_visible()
        assert wait_for_call(page, "providers.test")["config"]["apiKey"] == KEY
        view = next(v for v in provider_views() if v["id"] == "openai")
        stored = [{**field, "stored": field["kind"] == "secret"} for field in view["fields"]]
        saved = {**view, "configured": True, "hasKey": True, "fields": stored}
        page.evaluate("(view) => wb.reply('providers.save', {ok: true, provider: view})", saved)
        page.click("[data-action=use]")
        assert wait_for_call(page, "providers.save")["id"] == "openai"
        assert wait_for_call(page, "providers.activate") == {"id": "openai"}
        expect(page.locator("#in-use")).to_contain_text("In use: OpenAI")

    def test_a_key_is_hidden_and_does_not_stay_on_the_page(self, open_state: Open) -> None:
        page = open_state("settings-none")
        row(page, "openai").click()
        field = page.get_by_label("API key")
        expect(field).to_have_attribute("type", "password")
        field.fill(KEY)
        page.get_by_role("button", name="Show key").click()
        expect(field).to_have_attribute("type", "text")
        view = next(v for v in provider_views() if v["id"] == "openai")
        stored = [{**field, "stored": field["kind"] == "secret"} for field in view["fields"]]
        saved = {**view, "configured": True, "hasKey": True, "fields": stored}
        page.evaluate("(view) => wb.reply('providers.save', {ok: true, provider: view})", saved)
        page.click("[data-action=save]")
        expect(field).to_have_value("")
        expect(field).to_have_attribute("placeholder", "A key is stored; leave empty to keep it")

    def test_what_was_typed_is_there_when_the_form_is_unfolded_again(self, open_state: Open) -> None:
        page = open_state("settings-none")
        row(page, "openai").click()
        page.get_by_label("API key").fill(KEY)
        row(page, "anthropic").click()
        expect(page.locator("#form-openai")).to_have_count(0)
        row(page, "openai").click()
        expect(page.get_by_label("API key")).to_have_value(KEY)
        page.evaluate("wb.reply('providers.save', {ok: true})")
        page.click("[data-action=save]")
        expect(page.get_by_label("API key")).to_have_value("")
        for _ in range(2):
            row(page, "openai").click()
        expect(page.get_by_label("API key")).to_have_value("")

    def test_a_stored_secret_can_be_removed_and_the_removal_undone(self, open_state: Open) -> None:
        page = open_state("settings-bedrock")
        token = page.locator("#form-aws_bedrock [data-field=sessionToken]")
        expect(token).to_have_attribute("placeholder", "Removed when you save")
        clear = page.locator("[data-clear=sessionToken]")
        clear.click()
        expect(token).to_have_attribute("placeholder", "A key is stored; leave empty to keep it")
        # Of the key that is needed only what was typed can be cleared.
        expect(page.locator("[data-clear=apiKey]")).to_have_count(0)
        page.locator("#form-aws_bedrock [data-field=apiKey]").fill("typed")
        page.click("[data-clear=apiKey]")
        expect(page.locator("#form-aws_bedrock [data-field=apiKey]")).to_have_value("")
        clear.click()
        page.click("#form-aws_bedrock [data-action=save]")
        sent = wait_for_call(page, "providers.save")["config"]
        assert (sent["apiKey"], sent["sessionToken"]) == ("", None)

    def test_a_price_that_is_none_is_told_at_its_field(self, open_state: Open) -> None:
        page = open_state("settings-bedrock")
        price = page.locator("#form-aws_bedrock [data-field=priceInput]")
        expect(price).to_be_visible()
        price.fill("cheap")
        wrong = {"code": "invalid_field", "message": "Enter dollars.", "data": {"field": "priceInput"}}
        page.evaluate("(wrong) => wb.reply('providers.save', {fails: wrong})", wrong)
        page.click("#form-aws_bedrock [data-action=save]")
        assert wait_for_call(page, "providers.save")["config"]["priceInput"] == "cheap"
        expect(page.locator("#aws_bedrock-priceInput-wrong")).to_have_text("Enter dollars.")
        expect(price).to_be_focused()

    def test_what_is_needed_is_asked_for_before_anything_is_sent(self, open_state: Open) -> None:
        page = open_state("settings-new")
        expect(page.locator(".field-error")).to_have_text("Please fill this in.")
        expect(page.get_by_label("API key")).to_be_focused()
        expect(page.get_by_label("API key")).to_have_attribute("aria-invalid", "true")
        assert asked(page, "providers.test") == []

    def test_a_failed_test_says_why_and_what_to_do(self, open_state: Open) -> None:
        page = open_state("settings-test-failed")
        expect(page.locator("[data-result=failed]")).to_contain_text(
            "refuses requests from browser extensions"
        )
        expect(page.locator("[data-result=failed]")).to_contain_text("OLLAMA_ORIGINS")

    def test_a_listed_model_is_chosen_by_a_click(self, open_state: Open) -> None:
        page = open_state("settings-local")
        page.get_by_role("button", name="gemma3:12b").click()
        expect(page.locator("[data-field=model]")).to_have_value("gemma3:12b")

    def test_a_new_entry_of_the_catalogue_is_drawn_with_its_form(self, open_state: Open) -> None:
        page = open_state("settings-none")
        loaded = catalog.parse(catalog_text() + NEW_ENTRY)
        new = view(loaded, loaded.entries["example"], ProviderConfig(), active=False)
        expect(row(page, "example")).to_have_count(0)
        page.evaluate(
            "(views) => wb.reply('providers.list', {active: null, providers: views})",
            [*provider_views(), new],
        )
        emit(page, "providers_changed", {"active": None})
        row(page, "example").click()
        drawn = page.locator("#form-example [data-field]")
        assert {control.get_attribute("data-field") for control in drawn.all()} == {
            field["key"] for field in new["fields"]
        }
        expect(page.locator("[data-provider=example]")).to_contain_text("Example AI")
        expect(page.locator("#form-example a")).to_have_attribute("href", "https://example.com/keys")

    def test_search_and_category(self, open_state: Open) -> None:
        page = open_state("settings-providers")
        page.fill("#provider-search", "claude")
        expect(page.locator(".provider")).to_have_count(
            sum(
                "claude" in f"{v['label']} {v['id']} {v['model']} {v['baseUrl']}".lower()
                for v in provider_views("anthropic")
            )
        )
        page.fill("#provider-search", "")
        page.get_by_label("Local", exact=True).check()
        expect(page.locator(".provider")).to_have_count(
            sum(v["category"] == "local" for v in provider_views())
        )

    def test_what_is_in_use_comes_first(self, open_state: Open) -> None:
        page = open_state("settings-providers")
        assert page.locator(".provider").first.get_attribute("data-provider") == "anthropic"
        assert page.locator(".provider").nth(1).get_attribute("data-provider") == "llamacpp"

    def test_removing_asks_first(self, open_state: Open) -> None:
        page = open_state("settings-form")
        page.click("[data-action=remove]")
        assert asked(page, "providers.remove") == []
        page.click("[data-action=remove-yes]")
        assert wait_for_call(page, "providers.remove") == {"id": "anthropic"}

    def test_a_refused_save_says_why(self, open_state: Open) -> None:
        page = open_state("settings-form")
        page.evaluate(
            "wb.reply('providers.save', {fails: {code: 'invalid_field', message: 'The address is not one.'}})"
        )
        page.locator("[data-field=baseUrl]").fill("nonsense")
        page.click("[data-action=use]")
        expect(page.locator(".result-bad")).to_have_text("The address is not one.")


class TestServers:
    def test_a_found_server_is_used_with_the_model_that_was_picked(self, open_state: Open) -> None:
        page = open_state("settings-found")
        assert len(asked(page, "providers.scan")) == 1
        page.locator("[data-server=ollama] select").select_option("gemma3:12b")
        page.get_by_role("button", name="Use Ollama").click()
        assert wait_for_call(page, "providers.activate") == {"id": "ollama"}
        assert asked(page, "providers.save") == [
            {"id": "ollama", "config": {"baseUrl": "http://localhost:11434/v1", "model": "gemma3:12b"}}
        ]

    def test_a_server_that_serves_what_it_has_loaded_gets_no_name(self, open_state: Open) -> None:
        page = open_state("settings-found")
        page.get_by_role("button", name="Use llama.cpp").click()
        assert wait_for_call(page, "providers.save")["config"]["model"] == ""

    def test_what_cannot_be_used_yet_says_why_and_is_not_offered(self, open_state: Open) -> None:
        page = open_state("settings-found")
        row = page.locator("[data-server=lmstudio]")
        expect(row).to_contain_text("chrome-extension://*")
        expect(row.locator("button")).to_have_count(0)

    def test_who_has_a_model_is_not_searched_for_unasked(self, open_state: Open) -> None:
        page = open_state("settings-providers")
        page.wait_for_selector("[data-action=scan]")
        assert asked(page, "providers.scan") == []
        page.click("[data-action=scan]")
        expect(page.locator(".servers-none")).to_contain_text("No model server")
        assert len(asked(page, "providers.scan")) == 1

    def test_the_panel_offers_them_on_the_first_start(self, open_state: Open) -> None:
        page = open_state("no-provider-found")
        page.get_by_role("button", name="Use llama.cpp").click()
        assert wait_for_call(page, "providers.activate") == {"id": "llamacpp"}

    def test_a_failed_use_says_why(self, open_state: Open) -> None:
        page = open_state("settings-found")
        page.evaluate(
            "wb.reply('providers.save', {fails: {code: 'invalid_field', message: 'No such name.'}})"
        )
        page.get_by_role("button", name="Use Ollama").click()
        expect(page.locator("[data-server=ollama] [role=alert]")).to_have_text("No such name.")


class TestFaults:
    def test_a_refused_value_is_told_at_its_field(self, open_state: Open) -> None:
        page = open_state("settings-none")
        row(page, "openai").click()
        page.get_by_label("API key").fill("sk 1")
        refusal = {"code": "invalid_field", "message": "A key has no spaces.", "data": {"field": "apiKey"}}
        page.evaluate("(fails) => wb.reply('providers.save', {fails})", refusal)
        page.click("[data-action=save]")
        field = page.get_by_label("API key")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        expect(field).to_have_value("sk 1")
        expect(page.locator(".field-error")).to_have_text("A key has no spaces.")
        field.fill("sk-1")
        expect(page.locator(".field-error")).to_have_count(0)

    def test_a_fault_in_a_folded_field_unfolds_it(self, open_state: Open) -> None:
        page = open_state("settings-none")
        row(page, "openai").click()
        page.get_by_label("API key").fill(KEY)
        refusal = {"code": "invalid_field", "message": "This is not JSON.", "field": "extraBody"}
        page.evaluate("(error) => wb.reply('providers.test', {ok: false, error})", refusal)
        page.click("[data-action=test]")
        expect(page.locator("[data-field=extraBody]")).to_be_focused()
        expect(page.locator(".field-error")).to_have_text("This is not JSON.")
        expect(page.locator("[data-result]")).to_have_count(0)

    @pytest.mark.parametrize("action", ["test", "models"])
    def test_the_address_that_works_is_taken_into_the_form(self, open_state: Open, action: str) -> None:
        page = open_state("settings-none")
        row(page, "custom").click()
        field = page.locator("#form-custom [data-field=baseUrl]")
        field.fill("http://localhost:9")
        there = {"ok": True, "baseUrl": "http://localhost:9/v1", "moved": True, "error": None}
        extra: dict[str, dict[str, Any]] = {
            "test": {"model": "m", "latencyMs": 1, "calledTool": True},
            "models": {"models": ["m"]},
        }
        page.evaluate(
            "([method, reply]) => wb.reply(method, reply)",
            [f"providers.{action}", {**there, **extra[action]}],
        )
        page.click(f"#form-custom [data-action={action}]")
        expect(field).to_have_value("http://localhost:9/v1")
        expect(page.locator("#form-custom .result")).to_contain_text("It answers at http://localhost:9/v1")
        page.click("#form-custom [data-action=save]")
        assert wait_for_call(page, "providers.save")["config"]["baseUrl"] == "http://localhost:9/v1"

    def test_what_a_service_says_of_a_field_stands_there_too(self, open_state: Open) -> None:
        page = open_state("settings-field")
        expect(page.locator("[data-field=model]")).to_be_focused()
        expect(page.locator("[data-result=failed]")).to_contain_text("list of models")

    def test_a_long_list_is_filtered_and_says_what_each_model_can(self, open_state: Open) -> None:
        page = open_state("settings-models")
        expect(page.locator(".models li")).to_have_count(11)
        expect(page.locator(".models-more")).to_have_text("11 of 11 shown")
        page.press("[data-filter=models]", "Enter")
        assert asked(page, "providers.save") == []
        page.get_by_role("button", name="vendor-2/model-a30").click()
        expect(page.locator("[data-field=model]")).to_have_value("vendor-2/model-a30")
        expect(page.locator(".model-facts")).to_have_text("128,000 tokens of context · reads pictures")


class TestGeneral:
    def test_every_setting_of_python_is_drawn_and_stored(self, open_state: Open) -> None:
        page = open_state("settings-general")
        page.get_by_label("Theme").select_option("dark")
        assert wait_for_call(page, "settings.set") == {"values": {"themeMode": "dark"}}
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        page.get_by_role("switch", name="Stream answers in Ask").uncheck()
        assert wait_for_call(page, "settings.set", 2) == {"values": {"openaiAskStreamingEnabled": False}}
        steps = page.get_by_label("Steps before asking")
        steps.fill("9999")
        steps.blur()
        assert wait_for_call(page, "settings.set", 3) == {"values": {"maxAgentSteps": 195}}
        expect(page.locator("[data-setting=maxAgentSteps] .setting-state")).to_have_text("Saved")

    def test_the_language_changes_at_once(self, open_state: Open) -> None:
        page = open_state("settings-general")
        page.get_by_label("Language").select_option("de")
        expect(page.get_by_role("heading", name="Allgemein")).to_be_visible()
        expect(page.get_by_label("Farbschema")).to_be_visible()

    def test_an_allowance_may_have_cents_and_what_was_spent_begins_at_zero(self, open_state: Open) -> None:
        page = open_state("settings-general")
        page.evaluate("wb.reply('settings.set', {ok: true, values: {costAllowanceSessionUsd: 2.5}})")
        field = page.locator("#setting-costAllowanceSessionUsd")
        field.fill("2.5")
        field.blur()
        assert wait_for_call(page, "settings.set") == {"values": {"costAllowanceSessionUsd": 2.5}}
        expect(page.locator("#spending")).to_contain_text("$7.35")
        emit(page, "spending_changed", {"sessionUsd": 0.5, "totalUsd": 7.43, "since": None})
        expect(page.locator("#spending")).to_contain_text("$7.43")
        page.evaluate(
            "wb.reply('spending.reset', {ok: true, sessionUsd: 0, totalUsd: 0, since: 1793500000000})"
        )
        page.click("[data-action=reset-spending]")
        expect(page.locator("#spending")).to_contain_text("$0.00")
        assert len(asked(page, "spending.reset")) == 1

    def test_an_emptied_number_goes_back(self, open_state: Open) -> None:
        page = open_state("settings-general")
        field = page.locator("#setting-maxAgentSteps")
        before = field.input_value()
        field.fill("")
        field.blur()
        expect(field).to_have_value(before)
        assert asked(page, "settings.set") == []

    def test_a_refused_value_goes_back(self, open_state: Open) -> None:
        page = open_state("settings-general")
        page.evaluate("wb.reply('settings.set', {fails: {code: 'bad_setting', message: 'No.'}})")
        page.get_by_label("Theme").select_option("dark")
        expect(page.locator("[data-setting=themeMode] .setting-state")).to_have_text("No.")
        expect(page.get_by_label("Theme")).to_have_value("light")
        assert page.evaluate("document.documentElement.dataset.theme") == "light"


class TestPage:
    def test_sections_have_addresses(self, open_state: Open) -> None:
        page = open_state("settings-about")
        expect(page.get_by_role("heading", name="About")).to_be_visible()
        page.get_by_role("link", name="General").click()
        expect(page.get_by_role("heading", name="General")).to_be_visible()
        assert page.url.endswith("#general")
        page.go_back()
        expect(page.get_by_role("heading", name="About")).to_be_visible()

    def test_it_shows_how_python_started(self, open_state: Open) -> None:
        page = open_state("settings-about")
        expect(page.locator(".timings").first).to_contain_text("snapshot")
        expect(page.get_by_text("Started from the snapshot in 434 ms.")).to_be_visible()
        emit(
            page,
            "boot",
            {"state": "failed", "epoch": 2, "mode": "", "phases": [], "totalMs": 0, "reason": "No memory."},
        )
        expect(page.get_by_role("alert")).to_contain_text("No memory.")


def test_what_was_asked_while_python_was_replaced_is_asked_again(open_state: Open) -> None:
    page = open_state("settings-loading")
    page.evaluate("(views) => wb.reply('providers.list', {active: null, providers: views})", provider_views())
    emit(page, "boot", READY)
    expect(page.locator(".provider").first).to_be_visible()
