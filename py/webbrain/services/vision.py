"""The vision model: a service of the user's that looks at pictures for models that cannot.

``storage.local`` holds ``visionModel``: ``{provider, model}``; an empty provider means none, an empty model
the one that service is set to. None is chosen at first.
"""

from typing import Any, Final

from webbrain.agent.spending import Account, PaidClient
from webbrain.core.errors import NeedsPerson, ProviderFailed
from webbrain.core.messages import ImagePart, Message, ModelRequest
from webbrain.host.protocols import Host
from webbrain.prompts import prompt
from webbrain.providers.base import ModelClient
from webbrain.providers.room import NO_ROOM
from webbrain.providers.seeing import reads_pictures
from webbrain.services.providers import ProviderService, failure_view

VISION_KEY: Final = "visionModel"
DESCRIBE_TOKENS: Final = 1_024
MODEL_CHARS: Final = 200
QUESTION: Final = "Describe this page."
QUESTION_ATTACHED: Final = "Describe this picture."


class Describer:
    """Describes pictures for one run. Its client is made when the first picture comes."""

    def __init__(self, service: "VisionService", provider: str, model: str, account: Account) -> None:
        self._service = service
        self._account = account
        self._provider = provider
        self._model = model
        self._client: ModelClient | None = None

    async def describe(self, data_url: str, *, attached: bool = False) -> str:
        """What a picture shows, in the model's words: of a page, or what a person ``attached``. Raises
        ``ProviderFailed``."""
        if self._client is None:
            try:
                client = await self._service.client(self._provider, self._model)
            except NeedsPerson as error:
                raise ProviderFailed(error.message, code=error.code) from error
            self._client = PaidClient(client, self._account, "vision")
        messages = [
            Message(role="system", content=prompt("describe-attachment" if attached else "describe-picture")),
            Message(
                role="user",
                content=QUESTION_ATTACHED if attached else QUESTION,
                images=[ImagePart(data_url=data_url)],
            ),
        ]
        reply = await self._client.complete(
            ModelRequest(messages=messages, temperature=0.0, max_tokens=DESCRIBE_TOKENS)
        )
        if not self._client.info.supports_vision:
            # It answered once the picture was left out: that is no description.
            raise ProviderFailed(f"{self._client.info.label} does not accept pictures.", code="blind")
        return reply.text


class VisionService:
    """One per app. Its answers to screens are the JSON of docs/protocol.md."""

    def __init__(self, host: Host, providers: ProviderService) -> None:
        self._host = host
        self._providers = providers

    async def view(self) -> dict[str, Any]:
        """``vision.get``: the choice, and whether it can be used."""
        provider, model = await self._chosen()
        return {"provider": provider, "model": model, "usable": await self._usable(provider)}

    async def choose(self, provider: str, model: str) -> dict[str, Any]:
        """``vision.set``. Raises ``NeedsPerson``: ``not_configured`` for a service that is not set up."""
        model = model.strip()[:MODEL_CHARS] if provider else ""
        if provider and not await self._usable(provider):
            raise NeedsPerson("Set this service up and save it first.", code="not_configured")
        await self._host.settings.set({VISION_KEY: {"provider": provider, "model": model}})
        view = await self.view()
        self._host.ui.emit("vision_changed", view)
        return {"ok": True, **view}

    async def test(self, provider: str, model: str) -> dict[str, Any]:
        """``vision.test``: a real call with a picture whose number the model must read; nothing is stored."""
        answer: dict[str, Any] = {"ok": False, "model": "", "latencyMs": 0, "notes": [], "error": None}
        started = self._host.clock.monotonic()
        try:
            client = self._providers.paid(await self.client(provider, model.strip()[:MODEL_CHARS]))
            read, answered, cut = await reads_pictures(client)
        except (ProviderFailed, NeedsPerson) as failure:
            return {**answer, "error": failure_view(failure)}
        latency = round((self._host.clock.monotonic() - started) * 1000)
        if read:
            return {**answer, "ok": True, "model": answered, "latencyMs": latency}
        name = answered or "The model"
        error = {
            "code": "not_seen",
            "message": f"{name} answered, but could not read the number in a test picture.",
            "hint": NO_ROOM if cut else "Choose a model that reads pictures.",
        }
        return {**answer, "model": answered, "latencyMs": latency, "error": error}

    async def describer(self, account: Account) -> Describer | None:
        """The vision model for one run, or ``None`` if there is none."""
        provider, model = await self._chosen()
        return Describer(self, provider, model, account) if await self._usable(provider) else None

    async def client(self, provider: str, model: str) -> ModelClient:
        """A client of the service that is sent pictures whatever its form says of them."""
        return await self._providers.seeing(provider, model)

    async def _usable(self, provider: str) -> bool:
        return bool(provider) and await self._providers.usable(provider)

    async def _chosen(self) -> tuple[str, str]:
        stored = (await self._host.settings.get([VISION_KEY])).get(VISION_KEY)
        choice = stored if isinstance(stored, dict) else {}
        provider, model = choice.get("provider"), choice.get("model")
        return provider if isinstance(provider, str) else "", model if isinstance(model, str) else ""
