"""The transcription model: a service of the user's that turns speech into text for the composer.

``storage.local`` holds ``transcriptionModel``: ``{provider, model}``. An empty provider means none, which is
how it begins; ``auto`` the first of those set up that the catalogue says to take by itself; an empty model
the catalogue's.
"""

import base64
import binascii
from dataclasses import replace
from typing import Any, Final

from webbrain.agent.spending import Purse
from webbrain.core.errors import NeedsPerson, ProviderFailed, WebBrainError
from webbrain.host.protocols import Host
from webbrain.providers import speech, transcription
from webbrain.providers.config import Endpoint
from webbrain.services.providers import ProviderService, failure_view

TRANSCRIPTION_KEY: Final = "transcriptionModel"
AUTO: Final = "auto"
MODEL_CHARS: Final = 200


class TranscriptionService:
    """One per app. Its answers to screens are the JSON of docs/protocol.md."""

    def __init__(self, host: Host, providers: ProviderService, purse: Purse) -> None:
        self._host = host
        self._providers = providers
        self._purse = purse

    async def view(self) -> dict[str, Any]:
        """``transcription.get``: the choice, whether it can be used, and whose it then is."""
        provider, model = await self._chosen()
        found = await self._provider(provider)
        return {"provider": provider, "model": model, "usable": found != "", "service": found}

    async def choose(self, provider: str, model: str) -> dict[str, Any]:
        """``transcription.set``. Raises ``NeedsPerson``: ``not_configured``, ``no_transcription``."""
        model = model.strip()[:MODEL_CHARS] if provider not in ("", AUTO) else ""
        if provider:
            await self._endpoint(provider, model)
        await self._host.settings.set({TRANSCRIPTION_KEY: {"provider": provider, "model": model}})
        view = await self.view()
        self._host.ui.emit("transcription_changed", view)
        return {"ok": True, **view}

    async def test(self, provider: str, model: str) -> dict[str, Any]:
        """``transcription.test``: a real call with a second of sound; nothing is stored."""
        answer: dict[str, Any] = {"ok": False, "model": "", "latencyMs": 0, "notes": [], "error": None}
        started = self._host.clock.monotonic()
        try:
            endpoint = await self._endpoint(provider, model.strip()[:MODEL_CHARS])
            await self._call(endpoint, speech.tone())
        except (ProviderFailed, NeedsPerson) as failure:
            return {**answer, "error": failure_view(failure)}
        latency = round((self._host.clock.monotonic() - started) * 1000)
        return {**answer, "ok": True, "model": endpoint.info.model, "latencyMs": latency}

    async def run(self, sound: bytes | str) -> dict[str, Any]:
        """``transcription.run``: the words in a recording, a WAV file, as it is or as base64.

        Raises ``WebBrainError(code="bad_sound")``, ``NeedsPerson`` and ``ProviderFailed``.
        """
        try:
            data = base64.b64decode(sound, validate=True) if isinstance(sound, str) else sound
            too_long = speech.seconds(data) > speech.SECONDS_MAX
        except (binascii.Error, ValueError):
            raise WebBrainError("This is no recording.", code="bad_sound") from None
        if too_long:
            raise WebBrainError("This recording is too long.", code="bad_sound")
        provider, model = await self._chosen()
        if not provider:
            raise NeedsPerson("Choose a transcription model in the settings.", code="not_configured")
        return {"ok": True, "text": await self._call(await self._endpoint(provider, model), data)}

    async def _call(self, endpoint: Endpoint, sound: bytes) -> str:
        cost = transcription.dollars(endpoint, speech.seconds(sound))
        if cost is not None:
            await self._purse.admit()
        text = await transcription.transcribe(self._host.http, self._host.clock, endpoint, sound)
        if cost is not None:
            self._purse.book(cost)
        return text

    async def _endpoint(self, provider: str, model: str) -> Endpoint:
        found = await self._provider(provider)
        if not found:
            raise NeedsPerson("Set up a service that transcribes first.", code="not_configured")
        endpoint = await self._providers.endpoint(found)
        wanted = model or endpoint.entry.transcription_model
        if not wanted and endpoint.entry.requires_model:
            raise NeedsPerson(
                f"Name the model of {endpoint.info.label} that transcribes.",
                code="invalid_field",
                data={"field": "model"},
            )
        return replace(endpoint, info=replace(endpoint.info, model=wanted))

    async def _provider(self, provider: str) -> str:
        """The service meant, if it is set up and transcribes; else an empty string."""
        if provider != AUTO:
            return provider if provider and await self._providers.transcribes(provider) else ""
        for candidate in self._providers.transcribers():
            if await self._providers.transcribes(candidate):
                return candidate
        return ""

    async def _chosen(self) -> tuple[str, str]:
        stored = (await self._host.settings.get([TRANSCRIPTION_KEY])).get(TRANSCRIPTION_KEY)
        choice = stored if isinstance(stored, dict) else {}
        provider, model = choice.get("provider"), choice.get("model")
        return provider if isinstance(provider, str) else "", model if isinstance(model, str) else ""
