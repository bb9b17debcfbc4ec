"""Answers held to a schema by a server as many people run it, and a browser without a model of its own."""

from collections.abc import Iterator

import pytest

from tests.support.approve import approve
from tests.support.browsers import Browser
from tests.support.held import finished, step
from tests.support.screens import Panel, Settings, Turn
from tests.support.script import done, say
from tests.support.stage import Stage
from webbrain.testing.chat import Refusal
from webbrain.testing.openai_wire import error


@pytest.fixture
def held(stage: Stage) -> Iterator[Stage]:
    """The stage with its server taken for one of vLLM, constrained calls on."""
    settings = Settings(stage.browser)
    settings.open_provider("vllm")
    settings.page.click("#form-vllm summary")
    settings.use("vllm", baseUrl=stage.model.url, model=stage.model.model, constrained="on")
    settings.close()
    yield stage
    settings = Settings(stage.browser)
    settings.use("custom", baseUrl=stage.model.url, model=stage.model.model)
    settings.close()


def follow(panel: Panel) -> Turn:
    """Say yes to whatever is asked until the turn is over."""
    while True:
        turn = panel.wait_turn("turn.status !== 'running' || turn.card", what="a card or the end")
        if not turn.card:
            return panel.wait_over()
        approve(panel)


def test_a_step_and_an_answer_by_response_format(held: Stage) -> None:
    """Each request carries the schema of the page as it is then, and no tools; the click happens."""
    tab, panel = held.open("/")
    held.plan(step("click_ax", "About the shop"), finished)
    panel.send("Open the page about the shop.", "act")
    turn = follow(panel)
    assert turn.status == "completed", turn
    assert "/about" in tab.page.eval("location.pathname")
    assert "It is done." in turn.text
    assert not held.model.refused
    first, second = held.model.calls[-2:]
    for call in (first, second):
        form = call.body["response_format"]
        assert (form["type"], form["json_schema"]["name"]) == ("json_schema", "step")
        assert "tools" not in call.body
        assert (call.body["temperature"], call.stream) == (0.0, False)
    assert first.response_schema != second.response_schema


def test_the_test_button_finds_out_that_schemas_are_refused(held: Stage) -> None:
    refusal = Refusal(400, error("This model does not support response format `json_schema`."))
    held.plan(refusal)
    settings = Settings(held.browser)
    result = settings.test("vllm")
    assert not result["ok"]
    assert "JSON schema" in result["text"]
    assert "Never" in result["text"]
    settings.close()


def test_a_refused_schema_is_told_once_and_the_run_goes_on(held: Stage) -> None:
    refusal = Refusal(400, error("This model does not support response format `json_schema`."))
    held.plan(refusal, done("Nothing had to be done."))
    _, panel = held.open("/")
    panel.send("Do nothing.", "act")
    turn = follow(panel)
    assert turn.status == "completed", turn
    assert "response_format" in held.model.calls[-2].body
    assert "response_format" not in held.model.calls[-1].body
    assert "click_ax" in held.model.calls[-1].tools
    assert [text for text in turn.warnings if "JSON schema" in text] == turn.warnings
    assert len(turn.warnings) == 1


def test_where_the_browser_has_no_model_of_its_own_its_form_says_so(browser: Browser, engine: str) -> None:
    """Firefox knows none, and Debian's Chromium has the interface but not the model."""
    settings = Settings(browser)
    settings.open_provider("builtin")
    settings.page.wait_for("#form-builtin [data-builtin]")
    state = settings.page.eval("document.querySelector('[data-builtin]').dataset.builtin")
    assert state == ("unsupported" if engine == "firefox" else "unavailable")
    assert settings.page.eval("document.querySelector('#form-builtin [data-action=use]').disabled")
    assert not settings.page.exists("#form-builtin [data-action=download]")
    settings.close()


def test_a_run_with_it_does_not_begin(stage: Stage) -> None:
    """Not even by a message of an older page: the service itself refuses to be chosen."""
    settings = Settings(stage.browser)
    settings.open_provider("builtin")
    settings.page.wait_for("#form-builtin [data-builtin]")
    settings.page.eval("document.querySelector('#form-builtin [data-action=use]').disabled = false")
    settings.page.click("#form-builtin [data-action=use]")
    settings.page.wait_for("#form-builtin [role=alert]")
    assert "built-in model" in settings.page.text()
    assert not settings.page.exists("[data-provider=builtin].active")
    settings.close()
    stage.plan(say("Still here."))
    _, panel = stage.open("/about")
    panel.send("Hello?", "ask")
    assert panel.wait_over().status == "completed"
