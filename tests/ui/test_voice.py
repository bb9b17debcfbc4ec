"""Speaking instead of typing: the button, the recording, where the words go, and its settings."""

import base64
import io
import wave

from playwright.sync_api import Page, expect

from tests.ui.conftest import Open
from tests.ui.steering import asked, emit, wait_for_call

LONG_ENOUGH = 2_500
"""Milliseconds in which the browser's own fake microphone beeps at least once."""


def speak(page: Page) -> None:
    page.click("#voice")
    expect(page.locator("#voice-write")).to_be_visible()
    page.wait_for_timeout(LONG_ENOUGH)
    page.click("#voice-write")


class TestPanel:
    def test_there_is_no_button_without_a_model(self, open_state: Open) -> None:
        page = open_state("answer")
        expect(page.locator("#send")).to_be_visible()
        expect(page.locator("#voice")).to_have_count(0)

    def test_the_words_come_behind_what_was_typed_and_nothing_is_sent(self, open_state: Open) -> None:
        page = open_state("voice")
        page.fill("#composer", "Please")
        page.evaluate("wb.reply('transcription.run', {ok: true, text: 'buy a teapot.'})")
        speak(page)
        expect(page.locator("#composer")).to_have_value("Please buy a teapot.")
        expect(page.locator("#voice")).to_be_visible()
        assert asked(page, "chat.start") == []
        sent = wait_for_call(page, "transcription.run")
        assert sent == {"files": [{"name": "speech.wav", "mediaType": "audio/wav", "buffer": 0}]}
        pieces = page.evaluate("wb.calls.filter((call) => call.kind === 'chunk').map((call) => call.data)")
        sound = b"".join(base64.b64decode(piece) for piece in pieces)
        with wave.open(io.BytesIO(sound)) as file:
            assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
            seconds = file.getnframes() / file.getframerate()
        assert 1 < seconds < 60

    def test_silence_is_not_sent(self, open_state: Open) -> None:
        page = open_state("voice")
        page.evaluate(
            "navigator.mediaDevices.getUserMedia = async () =>"
            " new AudioContext().createMediaStreamDestination().stream; true"
        )
        speak(page)
        expect(page.locator(".voice-problem")).to_contain_text("Nothing was heard")
        assert asked(page, "transcription.run") == []

    def test_a_recording_can_be_forgotten(self, open_state: Open) -> None:
        for way in ("button", "Escape"):
            page = open_state("voice")
            page.evaluate(
                "const get = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
                "navigator.mediaDevices.getUserMedia = async (what) => (wb.stream = await get(what)); true"
            )
            page.click("#voice")
            expect(page.locator("#voice-write")).to_be_visible()
            if way == "button":
                page.click("[data-action=voice-cancel]")
            else:
                page.keyboard.press("Escape")
            expect(page.locator("#voice")).to_be_visible()
            assert page.evaluate("wb.stream.getTracks().every((track) => track.readyState === 'ended')")
            assert asked(page, "transcription.run") == []
            expect(page.locator("#composer")).to_have_value("")

    def test_what_the_service_says_is_shown(self, open_state: Open) -> None:
        page = open_state("voice")
        page.evaluate(
            "wb.reply('transcription.run', {fails: {code: 'rate_limited', message: 'Groq says to wait.'}})"
        )
        speak(page)
        expect(page.locator(".voice-problem")).to_contain_text("Groq says to wait.")
        page.locator(".voice-problem").get_by_role("button", name="Close").click()
        expect(page.locator(".voice-problem")).to_have_count(0)

    def test_a_side_panel_sends_people_to_a_tab_that_can_ask(self, open_state: Open) -> None:
        page = open_state("voice-problem")
        page.wait_for_function("wb.opened.length")
        assert page.evaluate("wb.opened[0]").endswith("settings.html#voice/allow")
        expect(page.locator(".voice-problem")).to_contain_text("Allow the microphone in the tab")
        expect(page.locator("#voice")).to_be_visible()

    def test_a_refused_microphone_says_so(self, open_state: Open) -> None:
        for name, says in (
            ("NotAllowedError", "does not let WebBrain use the microphone"),
            ("NotFoundError", "No microphone was found"),
            ("NotReadableError", "Another program may hold it"),
        ):
            page = open_state("voice")
            page.evaluate(
                "(name) => { navigator.mediaDevices.getUserMedia = async () =>"
                " { throw new DOMException('no', name); }; }",
                name,
            )
            page.click("#voice")
            expect(page.locator(".voice-problem")).to_contain_text(says)
            expect(page.locator("#voice")).to_be_enabled()

    def test_the_words_go_to_the_tab_they_were_spoken_for(self, open_state: Open) -> None:
        page = open_state("voice")
        page.evaluate("wb.reply('transcription.run', {ok: true, text: 'for the shop'})")
        page.click("#voice")
        expect(page.locator("#voice-write")).to_be_visible()
        page.wait_for_timeout(LONG_ENOUGH)
        page.evaluate("wb.activate(8)")
        expect(page.locator(".tab-host")).to_have_text("news.example")
        page.click("#voice-write")
        expect(page.locator("#voice")).to_be_visible()
        expect(page.locator("#composer")).to_have_value("")
        page.evaluate("wb.activate(7)")
        expect(page.locator("#composer")).to_have_value("for the shop")

    def test_the_button_can_be_turned_off(self, open_state: Open) -> None:
        page = open_state("voice")
        emit(page, "settings_changed", {"values": {"voiceInputEnabled": False}})
        expect(page.locator("#voice")).to_have_count(0)


class TestSettings:
    def test_only_services_that_can_are_offered(self, open_state: Open) -> None:
        page = open_state("settings-voice")
        expect(page.locator("#transcription-provider option")).to_have_text(
            ["None", "The first that is set up: OpenAI, Groq, LM Studio, llama.cpp", "llama.cpp"]
        )
        expect(page.locator("#microphone")).to_have_count(0)

    def test_choose_test_and_save(self, open_state: Open) -> None:
        page = open_state("settings-voice")
        page.select_option("#transcription-provider", "llamacpp")
        page.fill("#transcription-name", "whisper-small")
        heard = {"ok": True, "model": "whisper-small", "latencyMs": 12, "notes": [], "error": None}
        page.evaluate("(heard) => wb.reply('transcription.test', heard)", heard)
        page.click("[data-action=transcription-test]")
        expect(page.locator("[data-result=ok]")).to_contain_text("It took a second of test sound")
        choice = {"provider": "llamacpp", "model": "whisper-small"}
        assert wait_for_call(page, "transcription.test") == choice
        page.evaluate(
            "(choice) => wb.reply('transcription.set', {ok: true, usable: true, ...choice})", choice
        )
        page.click("[data-action=transcription-save]")
        assert wait_for_call(page, "transcription.set") == choice
        expect(page.locator("#microphone")).to_be_visible()

    def test_a_missing_model_is_told_at_its_field(self, open_state: Open) -> None:
        page = open_state("settings-voice")
        page.select_option("#transcription-provider", "llamacpp")
        wrong = {"code": "invalid_field", "message": "Name the model.", "data": {"field": "model"}}
        page.evaluate("(wrong) => wb.reply('transcription.set', {fails: wrong})", wrong)
        page.click("[data-action=transcription-save]")
        expect(page.locator("#transcription-name-wrong")).to_have_text("Name the model.")

    def test_the_microphone_is_asked_for_here(self, open_state: Open) -> None:
        page = open_state("settings-voice-chosen")
        page.evaluate("navigator.permissions.query = async () => ({ state: wb.said ?? 'prompt' })")
        page.evaluate("location.hash = 'general'")
        expect(page.locator("#microphone")).to_have_count(0)
        page.evaluate("location.hash = 'voice'")
        expect(page.locator("#microphone")).to_contain_text("The browser will ask you")
        page.evaluate(
            "wb.get = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
            "navigator.mediaDevices.getUserMedia = async () =>"
            " { wb.said = 'denied'; throw new DOMException('no', 'NotAllowedError'); }; true"
        )
        page.click("[data-action=allow-microphone]")
        expect(page.locator("#microphone")).to_contain_text("The browser blocks it")
        page.evaluate("void (navigator.mediaDevices.getUserMedia = wb.get)")
        page.click("[data-action=allow-microphone]")
        expect(page.locator("#microphone")).to_contain_text("WebBrain may use it")

    def test_its_address_asks_at_once(self, open_state: Open) -> None:
        page = open_state("settings-voice-chosen", act=False)
        page.evaluate("navigator.permissions.query = async () => ({ state: 'prompt' })")
        page.evaluate("location.hash = 'general'")
        expect(page.locator("#microphone")).to_have_count(0)
        page.evaluate("location.hash = 'voice/allow'")
        expect(page.locator("#microphone")).to_contain_text("WebBrain may use it")
