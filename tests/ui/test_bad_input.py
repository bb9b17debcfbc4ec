"""Wrong values in a service's form: Python's own refusals, each drawn at the field it is about."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import Open
from tests.ui.steering import asked, wait_for_call
from webbrain.core.errors import NeedsPerson
from webbrain.host.memory import MemoryHost, Reply
from webbrain.services.providers import ProviderService

KEY = "sk-not-a-real-key-1234567890"


@dataclass(frozen=True)
class Bad:
    """What is entered, and the field that is told."""

    provider: str
    form: dict[str, str]
    field: str


BAD = {
    "a key with a space": Bad("openai", {"apiKey": "sk 12"}, "apiKey"),
    "a key with letters that no key has": Bad("openai", {"apiKey": "schlüssel"}, "apiKey"),
    "an address that is none": Bad("custom", {"baseUrl": "ftp://models.example"}, "baseUrl"),
    "a key in the address": Bad("custom", {"baseUrl": "https://me:secret@models.example/v1"}, "baseUrl"),
    "a port that is none": Bad("custom", {"baseUrl": "http://localhost:99999"}, "baseUrl"),
    "a model without tools": Bad("openai", {"apiKey": KEY, "model": "gpt-image-2"}, "model"),
    "a window too small": Bad("openai", {"apiKey": KEY, "contextWindow": "5"}, "contextWindow"),
    "fields that are not JSON": Bad("openai", {"apiKey": KEY, "extraBody": "{"}, "extraBody"),
    "fields that are taken": Bad("openai", {"apiKey": KEY, "extraBody": '{"messages": []}'}, "extraBody"),
    "a region that is none": Bad(
        "aws_bedrock",
        {"apiKey": KEY, "accessKeyId": "AKIAIOSFODNN7EXAMPLE", "region": "Frankfurt"},
        "region",
    ),
}
SAYS = {
    "a model that does not exist": (
        Reply.json({"error": {"message": "no such model", "code": "model_not_found"}}, 404),
        "model",
    ),
    "a proxy that answers a page": (
        Reply(200, {"content-type": "text/html"}, [b"<html><h1>Sign in to the network</h1>"]),
        "baseUrl",
    ),
    "a key that is refused": (Reply.json({"error": {"message": "Incorrect API key"}}, 401), "apiKey"),
}
"""What a service answers to the test, and the field that is told."""


def wait_for(answer: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, in a thread of its own: Playwright's loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, answer).result()


def refusal(bad: Bad) -> dict[str, Any]:
    """What saving answers."""
    host = MemoryHost()
    with pytest.raises(NeedsPerson) as caught:
        wait_for(ProviderService(host).save(bad.provider, bad.form))
    assert host.settings.values == {}, "nothing is saved half"
    return {"code": caught.value.code, "message": caught.value.message, "data": caught.value.data}


def check(provider: str, form: dict[str, str], *answers: Any) -> dict[str, Any]:
    """What the test button answers, with a service that answers so."""
    host = MemoryHost()
    if answers:
        host.http.on("POST", "*", *answers)
    found: dict[str, Any] = wait_for(ProviderService(host).test(provider, form))
    assert bool(host.http.requests) is bool(answers), "nothing is sent with a value that cannot be"
    return found


def fill(page: Page, provider: str, form: dict[str, str]) -> None:
    """Open a service's form and type."""
    page.locator(f'[data-provider="{provider}"] .provider-row').click()
    more = page.locator(f"#form-{provider} summary")
    for key, value in form.items():
        field = page.locator(f"#form-{provider} [data-field={key}]")
        if not field.is_visible():
            more.click()
        field.fill(value)
        if more.count() and page.locator(f"#form-{provider} details[open]").count():
            more.click()


def told(page: Page, provider: str, field: str, message: str) -> None:
    """The words stand at the field, which has the focus and says that it is wrong."""
    control = page.locator(f"#form-{provider} [data-field={field}]")
    expect(control).to_be_focused()
    expect(control).to_have_attribute("aria-invalid", "true")
    expect(page.locator(f"#{provider}-{field}-wrong")).to_have_text(message)


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_value_is_told_at_its_field_and_is_still_there(open_state: Open, name: str) -> None:
    bad = BAD[name]
    page = open_state("settings-none")
    fill(page, bad.provider, bad.form)
    refused = refusal(bad)
    page.evaluate("(fails) => wb.reply('providers.save', {fails})", refused)
    page.click(f"#form-{bad.provider} [data-action=use]")
    assert wait_for_call(page, "providers.save")["config"][bad.field] == bad.form[bad.field]
    told(page, bad.provider, bad.field, refused["message"])
    expect(page.locator(f"#form-{bad.provider} [data-field={bad.field}]")).to_have_value(bad.form[bad.field])
    assert asked(page, "providers.activate") == []
    expect(page.locator("#in-use")).to_contain_text("No model is in use")

    tested = check(bad.provider, bad.form)
    assert tested["error"]["field"] == bad.field
    page.evaluate("(answer) => wb.reply('providers.test', answer)", tested)
    page.click(f"#form-{bad.provider} [data-action=test]")
    wait_for_call(page, "providers.test")
    told(page, bad.provider, bad.field, tested["error"]["message"])


@pytest.mark.parametrize("name", SAYS)
def test_what_a_service_says_is_told_at_the_field_it_is_about(open_state: Open, name: str) -> None:
    said, field = SAYS[name]
    answer = check("openai", {"apiKey": KEY, "model": "m"}, said)
    assert answer["error"]["field"] == field
    page = open_state("settings-none")
    fill(page, "openai", {"apiKey": KEY, "model": "m"})
    page.evaluate("(answer) => wb.reply('providers.test', answer)", answer)
    page.click("#form-openai [data-action=test]")
    wait_for_call(page, "providers.test")
    told(page, "openai", field, answer["error"]["message"])
    expect(page.locator("#form-openai [data-result=failed]")).to_contain_text(answer["error"]["hint"])
    assert "<h1>" not in page.locator("#form-openai").inner_text()
    assert asked(page, "providers.save") == asked(page, "providers.activate") == []
