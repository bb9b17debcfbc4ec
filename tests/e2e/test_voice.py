"""A person speaks instead of typing: the recording goes to the chosen service, its words into the message."""

import time

from tests.support.screens import Settings
from tests.support.script import done
from tests.support.stage import Stage
from webbrain.testing.chat import Refusal
from webbrain.testing.openai_wire import error
from webbrain.testing.speech_wire import SpeechCall

SPOKEN_SECONDS = 1.5
"""In so long the browser's own fake microphone makes itself heard."""


def test_speech_becomes_a_message(stage: Stage) -> None:
    """Chosen and tested in the settings, spoken in the panel, sent by the person."""
    heard: list[SpeechCall] = []

    def hear(call: SpeechCall) -> str:
        heard.append(call)
        return "What is on this page?"

    stage.model.hear = hear
    stage.model.speech.clear()
    _, panel = stage.open("/about")
    settings = Settings(stage.browser)
    page = settings.page
    assert not panel.page.exists("#voice")

    page.eval("location.hash = 'voice'")
    page.wait_for("#transcription-provider")
    settings.choose("#transcription-provider", "custom")
    page.type("#transcription-name", "whisper-1")
    page.click("[data-action=transcription-test]")
    page.wait("!!document.querySelector('[data-result]')", what="the result of the test")
    assert page.exists("[data-result=ok]"), page.text()
    assert heard[0].seconds == 1.0
    page.click("[data-action=transcription-save]")
    page.wait_for("#microphone")

    # The panel that is open learns of it.
    panel.page.wait_for("#voice")
    panel.page.type("#composer", "Please:")
    panel.page.click("#voice")
    panel.page.wait_for("#voice-write")
    time.sleep(SPOKEN_SECONDS)
    panel.page.click("#voice-write")
    panel.page.wait(
        "document.querySelector('#composer').value === 'Please: What is on this page?'",
        what=f"the words; the panel says {panel.page.text()[-300:]}",
    )
    assert heard[1].fields["model"] == "whisper-1"
    assert heard[1].seconds > 1.0
    assert heard[1].rate == 16_000
    assert max(heard[1].sound[45::2]) > 0
    assert stage.model.calls == []
    assert not stage.model.refused

    # Nothing was sent until the person does.
    stage.plan(done("Seen."))
    panel.page.click("#send")
    assert panel.wait_over().question.endswith("Please: What is on this page?")

    # What the service says is shown, and typing goes on.
    stage.model.hear = lambda call: Refusal(429, error("Rate limit reached"))
    panel.page.click("#voice")
    panel.page.wait_for("#voice-write")
    time.sleep(SPOKEN_SECONDS)
    panel.page.click("#voice-write")
    panel.page.wait_for(".voice-problem")
    assert "slow down" in panel.page.eval("document.querySelector('.voice-problem').innerText")

    # Not wanted any more: the button goes.
    settings.choose("#transcription-provider", "")
    page.click("[data-action=transcription-save]")
    panel.page.wait("!document.querySelector('#voice')", what="the button to go")
    settings.close()
