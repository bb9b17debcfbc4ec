"""What goes wrong with people's own model servers, and what the panel then tells them.

Each test sets the service up in the settings, with the local model server in its place.
"""

from collections.abc import Iterator

import pytest

from tests.support.screens import Panel, Settings
from tests.support.script import call, done, say, see
from tests.support.stage import Stage
from webbrain.testing.chat import Call, ModelCall, Refusal, Reply, Stall
from webbrain.testing.openai_wire import error

SOON = 5.0
PATIENCE_MS = 5_000
JINJA = "Error rendering prompt with jinja template: No user query found in messages."


@pytest.fixture
def settings(stage: Stage) -> Iterator[Settings]:
    """The settings page; afterwards the usual server is in use again."""
    page = Settings(stage.browser)
    yield page
    page.page.eval("location.hash = '#providers'")
    page.use("custom", baseUrl=stage.model.url)
    page.close()


def asked(stage: Stage, settings: Settings, provider: str, text: str = "Hello?") -> Panel:
    """A panel in which a question was asked, with that service in use."""
    settings.use(provider, baseUrl=stage.model.url, model=stage.model.model)
    _, panel = stage.open("/about")
    panel.send(text, "ask")
    return panel


def test_ollama_refuses_the_origin(stage: Stage, settings: Settings) -> None:
    """The person is told the exact setting to start it with."""
    stage.plan(Refusal(403, "", content_type="text/plain"))
    turn = asked(stage, settings, "ollama").wait_over()
    assert turn.error == "origin_refused"
    assert "OLLAMA_ORIGINS=chrome-extension://*,moz-extension://*" in turn.error_text
    stage.settled()


@pytest.mark.same_in_firefox
def test_a_prompt_that_is_cut_in_front(stage: Stage, settings: Settings) -> None:
    """A server with a small context loses the user's turn: the prompt is made shorter and sent once more."""
    sizes: list[int] = []

    def small(seen: ModelCall) -> Refusal:
        sizes.append(len(str(seen.body["messages"])))
        return Refusal(500, {"error": {"message": "no user query found in messages"}})

    def shorter(seen: ModelCall) -> Reply:
        sizes.append(len(str(seen.body["messages"])))
        return say("A shop that sells tea.")

    # What was read last is never taken away, so there must be something older.
    stage.plan(call("read_page"), see(), call("read_page"), see(), small, shorter)
    turn = asked(stage, settings, "ollama", "What is this?").wait_over()
    assert turn.status == "completed", turn
    assert sizes[1] < sizes[0]
    assert any("shortened" in warning for warning in turn.warnings), turn.warnings
    stage.settled()


@pytest.mark.same_in_firefox
def test_a_context_that_stays_too_small_is_named(stage: Stage, settings: Settings) -> None:
    """The error card says what to raise, and where."""
    refusal = Refusal(500, {"error": {"message": "no user query found in messages"}})
    stage.plan(refusal, refusal)
    turn = asked(stage, settings, "ollama").wait_over()
    assert turn.error == "context_too_small"
    assert "context length" in turn.error_text
    stage.script.clear()


@pytest.mark.same_in_firefox
def test_a_call_that_is_cut_off_is_not_run(stage: Stage, settings: Settings) -> None:
    """Half a tool call never becomes an action, and the person is told why."""
    cut = Reply(calls=(Call("click", '{"text": "Con'),), finish="length")
    stage.plan(cut, cut, cut)
    turn = asked(stage, settings, "ollama").wait_over()
    assert turn.error == "answer_cut"
    assert "cut off" in turn.error_text
    assert turn.steps == []
    assert stage.shop.placed == []
    stage.script.clear()


@pytest.mark.same_in_firefox
def test_a_template_that_refuses_is_called_that(stage: Stage, settings: Settings) -> None:
    """LM Studio's template error is neither the model's name nor the temperature."""
    refusal = Refusal(400, {"error": JINJA})
    stage.plan(refusal, refusal)
    turn = asked(stage, settings, "lmstudio").wait_over()
    assert turn.error in ("chat_template", "context_too_small")
    assert "template" in turn.error_text
    assert "temperature" not in turn.error_text.lower()
    stage.script.clear()


@pytest.mark.same_in_firefox
def test_another_model_than_asked_for_is_shown(stage: Stage, settings: Settings) -> None:
    """A server that answers with whatever it has loaded does so in the open."""
    stage.plan(say("Hello.", model="gemma-2b-it"))
    turn = asked(stage, settings, "lmstudio").wait_over()
    assert turn.status == "completed", turn
    assert any("gemma-2b-it" in warning for warning in turn.warnings), turn.warnings
    stage.settled()


def test_a_server_that_never_answers_is_given_up(stage: Stage, settings: Settings) -> None:
    """After the person's own patience it is said who did not answer; Stop does not wait for that."""
    page = settings.page
    page.eval("location.hash = '#general'")
    page.wait_for("#setting-requestTimeoutMs")
    page.eval(
        "(() => { const el = document.querySelector('#setting-requestTimeoutMs');"
        f" el.value = {PATIENCE_MS}; el.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
    )
    page.wait("!!document.querySelector('[data-setting=requestTimeoutMs] .setting-state.ok')", what="saving")
    page.eval("location.hash = '#providers'")
    page.wait_for("#provider-search")
    silent = Stall("silent", done("Late."))
    stage.plan(silent, silent)
    panel = asked(stage, settings, "ollama")
    turn = panel.wait_over()
    assert turn.error == "timeout"
    assert "within 5 seconds" in turn.error_text
    panel.retry()
    panel.page.wait("!!document.querySelector('#stop')", what="the second try")
    stage.model.wait_for_calls(2)
    assert panel.stop() < SOON
    stage.model.release("silent")


def test_a_refused_field_is_learned_once(stage: Stage) -> None:
    """A deployment that wants another name for the limit is asked once with the wrong one, and a restart of
    the agent does not forget that."""

    def refuse(seen: ModelCall) -> Refusal:
        assert "max_tokens" in seen.body
        body = error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        body["error"] |= {"code": "unsupported_parameter", "param": "max_tokens"}
        return Refusal(400, body)

    def accept(seen: ModelCall) -> Reply:
        assert "max_completion_tokens" in seen.body
        return say("Fine.")

    stage.plan(refuse, accept)
    root = stage.model.url.removesuffix("/v1")
    settings = Settings(stage.browser)
    settings.use(
        "azure_openai", apiKey="azure-key-0123456789", resource="mine", baseUrl=root, model="gpt-5-deployment"
    )
    _, panel = stage.open("/about")
    panel.send("Hello?", "ask")
    assert panel.wait_over().status == "completed"
    stage.settled()
    # Every page of the extension goes with it.
    stage.browser.reload_extension()
    stage.panels.clear()
    stage.plan(accept)
    _, again = stage.open("/about")
    again.send("And now?", "ask")
    assert again.wait_over().status == "completed"
    stage.settled()
    settings = Settings(stage.browser)
    settings.use("custom", baseUrl=stage.model.url)
    settings.close()
