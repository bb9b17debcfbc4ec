"""Speech becomes text: the service is chosen, tested with real sound, paid, and refuses in words."""

import base64
import json
import struct
from typing import Any

import pytest

from tests.support.models import KEY
from webbrain.app import App
from webbrain.core.errors import NeedsPerson, ProviderFailed, WebBrainError
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers import catalog, speech
from webbrain.services.transcription import AUTO
from webbrain.testing import speech_wire
from webbrain.testing.chat import BadRequest

SOUND = speech.wav(b"\1\0" * speech.SAMPLE_RATE * 60)
MINUTE = base64.b64encode(SOUND).decode()
SPOKEN = {"files": [{"name": "speech.wav", "mediaType": "audio/wav", "buffer": 0}]}


class Ear:
    """A strict service at every address, below which ``/audio/transcriptions`` is asked."""

    def __init__(self, host: MemoryHost, words: str = "Hello there.") -> None:
        self.words = words
        self.calls: list[speech_wire.SpeechCall] = []
        self.urls: list[str] = []
        host.http.on("POST", "*", self._answer)

    def _answer(self, sent: HttpRequest) -> Reply:
        headers = {name.lower(): value for name, value in sent.headers.items()}
        try:
            call = speech_wire.read(sent.body or b"", headers, azure="/deployments/" in sent.url)
        except BadRequest as problem:
            return Reply.json({"error": {"message": str(problem)}}, 400)
        self.calls.append(call)
        self.urls.append(sent.url)
        return Reply.json(speech_wire.whole(self.words))


async def ready(provider: str = "openai", **form: Any) -> tuple[App, MemoryHost]:
    host = MemoryHost()
    app = App(host)
    await app.providers.save(provider, {"apiKey": KEY, **form})
    return app, host


async def test_nothing_is_chosen_and_nothing_offered_at_first() -> None:
    app, _ = await ready()
    view = await app.transcription.view()
    assert view == {"provider": "", "model": "", "usable": False, "service": ""}
    assert (await app.handle_ui("panel.open", {"tabId": 1}))["voice"] is False
    with pytest.raises(NeedsPerson) as caught:
        await app.handle_ui("transcription.run", SPOKEN, [SOUND])
    assert caught.value.code == "not_configured"


async def test_a_recording_becomes_its_words() -> None:
    app, host = await ready()
    ear = Ear(host, "  Buy a teapot. ")
    chosen = await app.handle_ui("transcription.set", {"provider": "openai"})
    assert (chosen["usable"], chosen["service"]) == (True, "openai")
    assert host.ui.named("transcription_changed")[-1]["provider"] == "openai"
    assert (await app.handle_ui("panel.open", {"tabId": 1}))["voice"] is True
    assert await app.handle_ui("transcription.run", SPOKEN, [SOUND]) == {
        "ok": True,
        "text": "Buy a teapot.",
    }
    (call,) = ear.calls
    assert ear.urls == ["https://api.openai.com/v1/audio/transcriptions"]
    assert call.fields == {"model": "gpt-4o-mini-transcribe", "response_format": "json"}
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert (call.seconds, call.rate) == (60, speech.SAMPLE_RATE)


@pytest.mark.parametrize(
    "entry", [e for e in catalog.load().entries.values() if e.transcribes], ids=lambda e: e.id
)
async def test_every_service_said_to_transcribe_is_asked_in_its_own_way(entry: Any) -> None:
    form: dict[str, Any] = {"model": "chat-model"}
    if not entry.base_url:
        form["baseUrl"] = "https://speech.example/v1"
    if any(parameter.key == "resource" for parameter in entry.parameters):
        form["resource"] = "my-resource"
    app, host = await ready(entry.id, **form)
    ear = Ear(host)
    await app.transcription.choose(entry.id, entry.transcription_model or "whisper-small")
    await app.transcription.run(MINUTE)
    model = entry.transcription_model or "whisper-small"
    if entry.wire == "azure":
        assert f"/openai/deployments/{model}/audio/transcriptions?api-version=" in ear.urls[0]
    else:
        assert ear.urls[0].endswith("/v1/audio/transcriptions") or "/openai/audio/" in ear.urls[0]
        assert ear.calls[0].fields["model"] == model


async def test_the_test_sends_real_sound_and_stores_nothing() -> None:
    app, host = await ready()
    ear = Ear(host, "")
    before = json.dumps(host.settings.values)
    result = await app.handle_ui("transcription.test", {"provider": "openai", "model": "whisper-1"})
    assert (result["ok"], result["model"], result["error"]) == (True, "whisper-1", None)
    assert ear.calls[0].seconds == speech.TONE_SECONDS
    assert max(struct.unpack("<16000h", ear.calls[0].sound[44:])) > 1_000
    await app.spending.saved()
    after = {key: value for key, value in host.settings.values.items() if key != "spend"}
    assert json.dumps(after) == before


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply.json({"error": {"message": "Incorrect API key"}}, 401), "wrong_key"),
        (Reply.json({"error": {"message": "The model `x` does not exist"}}, 404), "model_not_found"),
        (Reply.json({"detail": "Not Found"}, 404), "no_transcription"),
        (Reply(405, {}, [b""]), "no_transcription"),
        (Reply(200, {"content-type": "text/html"}, [b"<html>Log in</html>"]), "no_transcription"),
        (Reply(200, {}, [b"hello"]), "bad_response"),
        (Reply.json({"words": "hello"}), "bad_response"),
        (Reply.json({"error": {"message": "no capacity"}}), "provider_error"),
        (Reply.json({"error": {"message": "slow down"}}, 429), "rate_limited"),
    ],
)
async def test_refusals_are_told(reply: Reply, code: str) -> None:
    app, host = await ready()
    host.http.on("POST", "*", reply)
    result = await app.transcription.test("openai", "x")
    assert (result["ok"], result["error"]["code"]) == (False, code)
    assert "<html>" not in json.dumps(result)
    await app.transcription.choose("openai", "x")
    with pytest.raises(ProviderFailed) as caught:
        await app.transcription.run(MINUTE)
    assert caught.value.code == code
    assert KEY not in json.dumps(result)


TOO_LONG = speech.wav(bytes(round(speech.SECONDS_MAX + 1) * speech.SAMPLE_RATE * speech.SAMPLE_BYTES))


@pytest.mark.parametrize(
    "audio",
    [
        "AAAA",
        "no base64!",
        base64.b64encode(b"RIFF" + bytes(60)).decode(),
        MINUTE[:-4000],
        SOUND[:-1],
        TOO_LONG,
    ],
)
async def test_what_is_no_recording_is_not_sent(audio: str | bytes) -> None:
    app, host = await ready()
    ear = Ear(host)
    await app.transcription.choose("openai", "")
    with pytest.raises(WebBrainError) as caught:
        await app.transcription.run(audio)
    assert caught.value.code == "bad_sound"
    assert ear.calls == []


async def test_speech_is_booked_by_the_minute_and_stopped_by_the_allowance() -> None:
    app, host = await ready()
    ear = Ear(host)
    await app.transcription.choose("openai", "")
    await app.transcription.run(MINUTE)
    assert (await app.spending.view())["totalUsd"] == pytest.approx(0.003)
    await app.settings.save({"costAllowanceTotalUsd": 0.003})
    with pytest.raises(NeedsPerson) as caught:
        await app.transcription.run(MINUTE)
    assert caught.value.code == "cost_limit"
    result = await app.transcription.test("openai", "")
    assert result["error"]["code"] == "cost_limit"
    assert len(ear.calls) == 1


async def test_a_local_server_costs_nothing() -> None:
    app, host = await ready("localai", model="m")
    Ear(host)
    await app.transcription.choose("localai", "")
    await app.transcription.run(MINUTE)
    assert (await app.spending.view())["totalUsd"] == 0


async def test_left_open_the_catalogue_s_order_decides() -> None:
    app, host = await ready("groq")
    Ear(host)
    chosen = await app.transcription.choose(AUTO, "ignored")
    assert (chosen["provider"], chosen["model"], chosen["service"]) == (AUTO, "", "groq")
    await app.providers.save("openai", {"apiKey": KEY})
    assert (await app.transcription.view())["service"] == "openai"
    for provider in ("openai", "groq"):
        await app.providers.remove(provider)
    await app.providers.save("mistral", {"apiKey": KEY})
    # Mistral transcribes, but only when it is named.
    assert (await app.transcription.view())["usable"] is False


async def test_services_that_cannot_are_refused() -> None:
    app, host = await ready("anthropic")
    with pytest.raises(NeedsPerson):
        await app.transcription.choose("anthropic", "")
    assert "transcriptionModel" not in host.settings.values
    app, _ = await ready("vllm", model="m")
    with pytest.raises(NeedsPerson) as caught:
        await app.transcription.choose("vllm", "")
    assert (caught.value.code, caught.value.data) == ("invalid_field", {"field": "model"})


async def test_a_removed_service_is_no_longer_offered() -> None:
    app, _ = await ready()
    await app.transcription.choose("openai", "")
    await app.providers.remove("openai")
    assert (await app.transcription.view())["usable"] is False
    assert (await app.handle_ui("panel.open", {"tabId": 1}))["voice"] is False


def test_a_strict_service_refuses_what_is_not_well_formed() -> None:
    """The fake itself: without these it would prove nothing."""

    def part(head: str, content: bytes, kind: str = "") -> bytes:
        lines = f"--b\r\nContent-Disposition: form-data; {head}\r\n{kind}\r\n"
        return lines.encode() + content + b"\r\n"

    def form(*fields: tuple[str, str], sound: bytes = speech.tone(), kind: str = "audio/wav") -> bytes:
        parts = [part(f'name="{name}"', value.encode()) for name, value in fields]
        parts.append(part('name="file"; filename="a.wav"', sound, f"Content-Type: {kind}\r\n"))
        return b"".join(parts) + b"--b--\r\n"

    headers = {"content-type": "multipart/form-data; boundary=b"}
    assert speech_wire.read(form(("model", "m")), headers).sound == speech.tone()
    for body, sent in (
        (form(("model", "m")), {"content-type": "application/json"}),
        (form(), headers),
        (form(("model", "m"), ("stop", "x")), headers),
        (form(("model", "m"), ("response_format", "xml")), headers),
        (form(("model", "m"), sound=b"nothing"), headers),
        (form(("model", "m"), kind="text/plain"), headers),
        (form(("model", "m"), sound=speech.wav(bytes(100))), headers),
    ):
        with pytest.raises(BadRequest):
            speech_wire.read(body, sent)
