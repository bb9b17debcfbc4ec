"""What a service refused is remembered over restarts, for a while, and forgotten when its form changes."""

from typing import Any

import pytest

from tests.support.models import KEY, request, whole
from webbrain.core.errors import BridgeError
from webbrain.core.messages import ImagePart, Message
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers.wire import Learned
from webbrain.services.learned import BELIEVED_DAYS, LEARNED_KEY, MODELS_MAX, SERVICES_MAX, LearnedStore
from webbrain.services.providers import ProviderService

DAY = 86_400.0


class Picky:
    """A service that refuses ``temperature``."""

    def __init__(self, host: MemoryHost) -> None:
        self.refused = 0
        host.http.on("POST", "*", self._answer)

    def _answer(self, sent: HttpRequest) -> Reply:
        if b'"temperature"' in (sent.body or b""):
            self.refused += 1
            error = {"message": "Unsupported parameter: temperature", "param": "temperature"}
            return Reply.json({"error": error}, 400)
        return Reply.json(whole("openai_chat"))


async def ask(service: ProviderService) -> None:
    """One call of a run in which the Worker just began, and what it stores."""
    client = await service.active()
    await client.complete(request(temperature=0.2))
    await service.learned.saved()


async def set_up(**form: Any) -> tuple[MemoryHost, ProviderService, Picky]:
    host = MemoryHost()
    service = ProviderService(host)
    await service.save("mistral", {"apiKey": KEY, **form})
    await service.activate("mistral")
    return host, service, Picky(host)


async def test_a_refused_parameter_is_sent_once_and_not_again_after_a_restart() -> None:
    host, service, picky = await set_up()
    await ask(service)
    assert picky.refused == 1
    await ask(ProviderService(host))
    assert picky.refused == 1
    (row,) = host.settings.values[LEARNED_KEY]["mistral"]
    assert (row["omit"], row["limitField"], row["blind"]) == (["temperature"], "", False)


async def test_without_the_store_every_restart_pays_for_the_refusal_again() -> None:
    """The control of the test above."""
    host, service, picky = await set_up()
    await ask(service)
    del host.settings.values[LEARNED_KEY]
    await ask(ProviderService(host))
    assert picky.refused == 2


@pytest.mark.parametrize("change", ["save", "remove"])
async def test_a_changed_form_forgets_it(change: str) -> None:
    host, service, picky = await set_up()
    await ask(service)
    if change == "remove":
        await service.remove("mistral")
    await service.save("mistral", {"apiKey": KEY})
    await service.activate("mistral")
    await service.learned.saved()
    assert host.settings.values[LEARNED_KEY] == {}
    await ask(ProviderService(host))
    assert picky.refused == 2


async def test_other_services_and_models_are_not_touched() -> None:
    host, service, _ = await set_up()
    await ask(service)
    await service.save("groq", {"apiKey": KEY})
    await service.learned.saved()
    assert list(host.settings.values[LEARNED_KEY]) == ["mistral"]
    other = await service.endpoint("groq")
    assert await service.learned.of(other) == Learned()


async def test_it_is_believed_for_a_while() -> None:
    host, service, picky = await set_up()
    await ask(service)
    host.clock.advance(BELIEVED_DAYS * DAY - 60)
    await ask(ProviderService(host))
    assert picky.refused == 1
    host.clock.advance(120)
    await ask(ProviderService(host))
    assert picky.refused == 2
    # A Worker that lives that long asks again too.
    host.clock.advance(BELIEVED_DAYS * DAY + 60)
    await ask(service)
    assert picky.refused == 3


async def test_closed_eyes_are_remembered() -> None:
    host = MemoryHost()
    service = ProviderService(host)
    await service.save("openai", {"apiKey": KEY, "model": "gpt-4o", "visionMode": "on"})
    await service.activate("openai")

    def answer(sent: HttpRequest) -> Reply:
        if b"image_url" in (sent.body or b""):
            return Reply.json({"error": {"message": "image input is not supported"}}, 400)
        return Reply.json(whole("openai_chat"))

    host.http.on("POST", "*", answer)
    picture = ImagePart(data_url="data:image/png;base64,AAAA")
    client = await service.active()
    await client.complete(request(messages=[Message(role="user", content="Look", images=[picture])]))
    await service.learned.saved()
    assert (await ProviderService(host).active()).info.supports_vision is False


async def test_the_store_keeps_the_newest_of_each_service() -> None:
    host = MemoryHost()
    service = ProviderService(host)
    await service.save("mistral", {"apiKey": KEY})
    endpoint = await service.endpoint("mistral")
    for number in range(MODELS_MAX + 5):
        host.clock.advance(1)
        at = endpoint.with_base_url(f"https://api{number}.example/v1")
        (await service.learned.of(at)).refuse("temperature")
    await service.learned.saved()
    rows = host.settings.values[LEARNED_KEY]["mistral"]
    assert len(rows) == MODELS_MAX
    assert rows[0]["baseUrl"] == f"https://api{MODELS_MAX + 4}.example/v1"
    assert SERVICES_MAX * MODELS_MAX <= 1_000


@pytest.mark.parametrize(
    "stored",
    [
        "nonsense",
        {"mistral": "nonsense"},
        {"mistral": [None, 5, {"at": "soon"}]},
        {"mistral": [{"at": 1e18, "omit": ["temperature"]}]},
    ],
)
async def test_a_damaged_store_counts_as_nothing(stored: Any) -> None:
    host, _, picky = await set_up()
    host.settings.values[LEARNED_KEY] = stored
    await ask(ProviderService(host))
    assert picky.refused == 1


async def test_only_what_we_know_comes_back() -> None:
    host, service, _ = await set_up()
    endpoint = await service.endpoint("mistral")
    host.settings.values[LEARNED_KEY] = {
        "mistral": [
            {
                "baseUrl": endpoint.base_url,
                "model": endpoint.info.model,
                "at": host.clock.now() * 1000,
                "omit": ["messages", "temperature", 5],
                "limitField": "messages",
                "demanded": {"messages": [], "enable_thinking": False},
                "blind": "yes",
            }
        ]
    }
    learned = await LearnedStore(host).of(endpoint)
    assert learned == Learned(omit={"temperature"}, demanded={"enable_thinking": False})


async def test_a_store_that_refuses_costs_nothing_but_memory() -> None:
    host, service, picky = await set_up()
    host.settings.fail = BridgeError("full", code="store_failed")
    await ask(service)
    await ask(service)
    assert picky.refused == 1
    host.settings.fail = None
    (await service.learned.of(await service.endpoint("mistral"))).refuse("tool_choice")
    await service.learned.saved()
    assert host.settings.values[LEARNED_KEY]["mistral"][0]["omit"] == ["temperature", "tool_choice"]
