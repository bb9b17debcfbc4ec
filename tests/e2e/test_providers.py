"""Model services fail in their own ways; a person is told what it is and what to do, and nothing is lost."""

from collections.abc import Iterator

import pytest

from tests.support.screens import Panel, Settings
from tests.support.script import call, say
from tests.support.stage import Stage
from webbrain.testing.chat import Refusal, Reply
from webbrain.testing.openai_wire import error

STALLED = 60.0
QUICKER = """(host) => {
  const wait = host.setTimeout;
  host.setTimeout = (work, ms, ...rest) => wait.call(host, work, ms >= 50_000 ? ms / 5 : ms, ...rest);
  return true;
}"""
"""A transfer that stands still is given up after 60 s. In the page that carries it such a wait passes five
times as fast; what is waited for, and what comes of it, is the build's own doing."""


@pytest.fixture(scope="module")
def stalled(module_stage: Stage) -> Iterator[Panel]:
    """A run whose model stopped in the middle of its answer, begun first so that the others need not wait."""
    module_stage.browser.eval_in_host(QUICKER)
    tab = module_stage.open_tab("/about")
    panel = module_stage.open_panel(tab)
    module_stage.tabs.remove(tab)
    module_stage.panels.remove(panel)
    module_stage.plan(say("Half of an answer", gate="stalled", before_gate=3))
    panel.send("Take your time.", "ask")
    panel.wait_turn("turn.answers.join('').includes('Half')")
    yield panel
    panel.close()
    module_stage.browser.close_tab(tab)


@pytest.fixture
def panel(stalled: Panel, stage: Stage) -> Panel:
    """A panel on the about page, while another run is stalled."""
    return stage.open("/about")[1]


@pytest.mark.parametrize(
    ("refusal", "code", "says"),
    [
        (Refusal(401, error("Incorrect API key provided", code="invalid_api_key")), "wrong_key", "key"),
        (Refusal(404, error("The model `x` does not exist", code="model_not_found")), "", "model"),
        (Refusal(500, "<html>Bad gateway</html>", content_type="text/html"), "", ""),
        (Refusal(200, "<html>Log in</html>", content_type="text/html"), "wrong_address", "address"),
    ],
)
def test_refusals_are_told(stage: Stage, panel: Panel, refusal: Refusal, code: str, says: str) -> None:
    """An error card with a code and words for people; Retry sends the same message again."""
    stage.plan(refusal, refusal)
    panel.send("Hello?", "ask")
    turn = panel.wait_over()
    assert turn.status == "failed"
    assert turn.error
    assert code in ("", turn.error)
    assert says in turn.error_text.lower()
    assert "<html>" not in turn.error_text
    stage.script.clear()
    stage.plan(say("Now it works."))
    panel.retry()
    panel.wait_turn("turn.answers.join().includes('Now it works')")
    assert not stage.model.refused


@pytest.mark.same_in_firefox
def test_busy_service_is_asked_once_more(stage: Stage, panel: Panel) -> None:
    """A 429 with a short Retry-After is no error for the person."""
    stage.plan(Refusal(429, error("Rate limit reached"), {"Retry-After": "1"}), say("Good."))
    panel.send("Hello?", "ask")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert len(stage.model.calls) == 2
    stage.settled()


def test_origin_refused(stage: Stage, panel: Panel) -> None:
    """What Ollama answers to an extension it was not told to trust."""
    stage.plan(Refusal(403, "", content_type="text/plain"), Refusal(403, "", content_type="text/plain"))
    panel.send("Hello?", "ask")
    turn = panel.wait_over()
    assert turn.status == "failed"
    assert turn.error
    stage.script.clear()


def test_cut_stream_is_repeated_silently_once(stage: Stage, panel: Panel) -> None:
    """The half answer is taken back and a whole one shown, without a second bill for tools."""
    stage.plan(say("Half of it is", cut_after=3), say("The whole answer."))
    panel.send("Hello?", "ask")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert turn.text.strip() == "The whole answer."
    assert not stage.model.calls[1].stream
    stage.settled()


def test_cut_answers_end_the_run_cleanly(stage: Stage, panel: Panel) -> None:
    """If the second try is cut as well the person is told, and nothing is paid for a third time."""
    cut = Reply("This will be cut", cut_after=1)
    stage.plan(cut, cut)
    panel.send("Hello?", "ask")
    turn = panel.wait_over()
    assert turn.status == "failed"
    assert turn.error
    stage.settled()
    stage.plan(say("Here."))
    panel.send("Again?")
    panel.wait_turn("turn.answers.join().includes('Here.')")
    assert not stage.model.refused


def test_server_that_is_not_there(stage: Stage, panel: Panel) -> None:
    """Nobody listens: said within seconds, with the address."""
    settings = Settings(stage.browser)
    settings.use("custom", baseUrl="http://127.0.0.1:9/v1")
    panel.send("Hello?", "ask")
    turn = panel.wait_over()
    assert turn.status == "failed"
    assert turn.error in ("server_not_running", "unreachable")
    settings.use("custom", baseUrl=stage.model.url)
    settings.close()
    stage.plan(say("Back."))
    panel.retry()
    panel.wait_turn("turn.answers.join().includes('Back.')")


@pytest.mark.same_in_firefox
def test_tools_after_an_error_still_fit_together(stage: Stage, panel: Panel) -> None:
    """A run that broke between two tools leaves a history that a strict service takes."""
    stage.plan(call("read_page"), Refusal(400, error("odd request")), Refusal(400, error("odd request")))
    panel.send("Read.", "ask")
    assert panel.wait_over().status == "failed"
    stage.script.clear()
    stage.plan(say("Fine."))
    panel.send("And now?")
    panel.wait_turn("turn.answers.join().includes('Fine.')")
    assert not stage.model.refused


def test_stalled_answer_is_given_up(stalled: Panel, module_stage: Stage) -> None:
    """The run that was begun first: it ends by itself, says why, and can be tried again."""
    turn = stalled.wait_over(STALLED)
    assert turn.status == "failed", turn
    assert turn.error == "stalled"
    module_stage.script.clear()
    module_stage.plan(say("A whole answer."))
    stalled.retry()
    stalled.wait_turn("turn.answers.join().includes('A whole answer.')")
    module_stage.model.release("stalled")
