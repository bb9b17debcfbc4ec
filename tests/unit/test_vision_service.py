"""The separate vision model: chosen, tested with a real picture, asked for descriptions."""

import base64
import json
import struct
import zlib
from dataclasses import replace
from typing import Any

import pytest

from tests.support.agent import Bench, types
from tests.support.toolbox import jpeg, page_host
from webbrain.agent.spending import Account
from webbrain.app import App
from webbrain.core.errors import NeedsPerson, ProviderFailed
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers.room import NO_ROOM
from webbrain.providers.seeing import QUESTION, picture_of
from webbrain.services.providers import ProviderService
from webbrain.services.vision import DESCRIBE_TOKENS, VisionService
from webbrain.testing.scripted import INFO, ScriptedModel, call

KEY = "sk-test-0123456789abcdef"


class Free:
    """A purse without a bottom."""

    async def admit(self) -> None: ...

    def book(self, usd: float) -> None: ...


def account() -> Account:
    return Account(Free())


async def ready(host: MemoryHost) -> VisionService:
    """A host with one service set up, which is not the active one."""
    providers = ProviderService(host)
    await providers.save("openai", {"apiKey": KEY, "model": "gpt-5-mini"})
    return VisionService(host, providers)


def answers(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "model": "gpt-5-mini"}


async def test_none_is_chosen_at_first() -> None:
    vision = await ready(MemoryHost())
    assert await vision.view() == {"provider": "", "model": "", "usable": False}
    assert await vision.describer(account()) is None


async def test_a_choice_is_kept_and_told() -> None:
    host = MemoryHost()
    vision = await ready(host)
    chosen = await vision.choose("openai", " gpt-5.2 ")
    assert chosen == {"ok": True, "provider": "openai", "model": "gpt-5.2", "usable": True}
    assert host.ui.named("vision_changed")[-1] == {"provider": "openai", "model": "gpt-5.2", "usable": True}
    assert host.settings.values["visionModel"] == {"provider": "openai", "model": "gpt-5.2"}
    assert (await VisionService(host, ProviderService(host)).view())["model"] == "gpt-5.2"
    await vision.choose("", "left over")
    assert await vision.view() == {"provider": "", "model": "", "usable": False}


@pytest.mark.parametrize("provider", ["anthropic", "nonsense"])
async def test_what_is_not_set_up_cannot_be_chosen(provider: str) -> None:
    vision = await ready(MemoryHost())
    with pytest.raises(NeedsPerson) as refused:
        await vision.choose(provider, "")
    assert refused.value.code == "not_configured"
    tested = await vision.test(provider, "")
    assert (tested["ok"], tested["error"]["code"]) == (False, "not_configured")


async def test_a_service_that_was_removed_is_not_asked() -> None:
    host = MemoryHost()
    providers = ProviderService(host)
    await providers.save("openai", {"apiKey": KEY})
    vision = VisionService(host, providers)
    await vision.choose("openai", "")
    await providers.remove("openai")
    assert (await vision.view())["usable"] is False
    assert await vision.describer(account()) is None


@pytest.mark.parametrize("stored", [None, 1, [], {"provider": 7}, {"provider": {}}, "openai"])
async def test_a_broken_choice_is_none(stored: Any) -> None:
    host = MemoryHost(settings={"visionModel": stored})
    assert (await VisionService(host, ProviderService(host)).view())["usable"] is False


async def test_a_description_is_asked_for_with_the_picture() -> None:
    host = MemoryHost()
    vision = await ready(host)
    host.http.on("POST", "*", answers("A shop with a blue teapot."))
    await vision.choose("openai", "gpt-5.2")
    describer = await vision.describer(account())
    assert describer is not None
    assert await describer.describe(jpeg()) == "A shop with a blue teapot."
    body = host.http.bodies()[0]
    assert body["model"] == "gpt-5.2"
    assert body["max_completion_tokens"] == DESCRIBE_TOKENS
    assert body["messages"][1]["content"][1]["image_url"]["url"] == jpeg()
    assert "tools" not in body


async def test_a_description_without_a_picture_is_none() -> None:
    """A service that refuses pictures answers once they are left out; what it then says is made up."""
    host = MemoryHost()
    vision = await ready(host)

    def refuses(request: Any) -> Reply:
        if b"image_url" in request.body:
            return Reply.json({"error": {"message": "image_url is not supported by this model"}}, 400)
        return Reply.json(answers("A lovely page."))

    host.http.on("POST", "*", refuses)
    await vision.choose("openai", "")
    describer = await vision.describer(account())
    assert describer is not None
    with pytest.raises(ProviderFailed) as failed:
        await describer.describe(jpeg())
    assert "does not accept pictures" in failed.value.message
    tested = await vision.test("openai", "")
    assert (tested["ok"], tested["error"]["code"]) == (False, "not_seen")


# --- the test picture ---


def pixels(data_url: str) -> list[bytes]:
    """The rows of one of our PNGs, without the filter bytes."""
    data = base64.b64decode(data_url.partition(",")[2])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, {}
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(kind + content)
        found[kind] = content
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", found[b"IHDR"][:10])
    assert (depth, colour) == (8, 0)
    raw = zlib.decompress(found[b"IDAT"])
    assert len(raw) == height * (width + 1)
    return [raw[row * (width + 1) + 1 : (row + 1) * (width + 1)] for row in range(height)]


def test_the_picture_shows_its_number() -> None:
    rows = pixels(picture_of("10"))
    middle = rows[len(rows) // 2]
    assert set(b"".join(rows)) == {0, 255}
    assert rows[0] == b"\xff" * len(rows[0])
    # The 1 is one stroke in its middle row, the 0 three: its sides and the dot of its slash.
    strokes = len([part for part in middle.split(b"\xff") if part])
    assert strokes == 4
    assert picture_of("10") != picture_of("11")


async def test_the_model_must_read_the_number() -> None:
    host = MemoryHost()
    vision = await ready(host)
    drawn: list[str] = []

    def reads(request: Any) -> Reply:
        content = json.loads(request.body)["messages"][-1]["content"]
        assert content[0]["text"] == QUESTION
        picture = content[1]["image_url"]["url"]
        number = next(f"{n:04}" for n in range(10_000) if picture_of(f"{n:04}") == picture)
        drawn.append(number)
        return Reply.json(answers(f"**{number[:2]} {number[2:]}**."))

    host.http.on("POST", "*", reads)
    tested = await vision.test("openai", "gpt-5.2")
    assert tested["ok"], tested
    assert tested["error"] is None
    assert tested["model"] == "gpt-5-mini"
    assert len(drawn) == 1
    host.http.on("POST", "*", answers("0 0 0"))
    tested = await vision.test("openai", "gpt-5.2")
    assert (tested["ok"], tested["error"]["code"]) == (False, "not_seen")


async def test_a_service_that_fails_says_why() -> None:
    host = MemoryHost()
    vision = await ready(host)
    host.http.on("POST", "*", Reply.json({"error": {"message": "Incorrect API key"}}, 401))
    tested = await vision.test("openai", "")
    assert (tested["ok"], tested["error"]["code"]) == (False, "wrong_key")
    assert tested["error"]["hint"]


# --- through the app ---


async def test_a_model_that_does_not_see_works_with_the_vision_model_s_words() -> None:
    host = page_host()
    host.page.on("viewport", {"width": 1_000, "height": 700})
    host.page.on("get_interactive_elements", {"elements": []})
    host.http.on("POST", "*", answers("A blue teapot."))
    await ProviderService(host).save("openai", {"apiKey": KEY, "model": "gpt-5-mini"})
    model = ScriptedModel(
        call("inspect_viewport"),
        call("done", summary="Blue.", outcome="success"),
        info=replace(INFO, supports_vision=False),
    )
    bench = Bench(host=host, model=model)
    bench.app = App(host, parts=bench.parts, providers=Both(host, model))
    await bench.app.handle_ui("vision.set", {"provider": "openai", "model": ""})
    events = await bench.run("Which colour?")
    assert types(events).count("picture") == 2
    first, second = model.requests
    assert "A blue teapot." in first.messages[-1].content
    assert "inspect_viewport" in [tool.name for tool in first.tools]
    assert "A blue teapot." in second.messages[-1].content
    assert not any(message.images for request in model.requests for message in request.messages)
    for message in (first.messages[-1], second.messages[-1]):
        before, _, rest = message.content.partition("<untrusted_page_content")
        assert "teapot" not in before
        assert "</untrusted_page_content" in rest[rest.index("teapot") :]


class Both(ProviderService):
    """The real services, with a scripted model as the active one."""

    def __init__(self, host: MemoryHost, model: ScriptedModel) -> None:
        super().__init__(host)
        self._model = model

    async def active(self, headers_timeout: float | None = None) -> Any:
        return self._model

    async def active_info(self) -> Any:
        return self._model.info


async def test_a_model_that_thinks_too_long_is_told_as_that() -> None:
    host = MemoryHost()
    vision = await ready(host)
    host.http.on("POST", "*", {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]})
    tested = await vision.test("openai", "gpt-5.2")
    assert (tested["ok"], tested["error"]["hint"]) == (False, NO_ROOM)
    first, second = host.http.bodies()
    assert (first["max_completion_tokens"], second["max_completion_tokens"]) == (1_024, 4_096)
    assert second["reasoning_effort"] == "none"
