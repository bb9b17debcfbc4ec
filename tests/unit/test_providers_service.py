"""Configurations, the active service, tests and model lists."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
from typing import Any

import pytest

from tests.support.models import KEY, whole
from webbrain.core.errors import BridgeError, NeedsPerson
from webbrain.core.messages import Message, ModelRequest
from webbrain.core.types import Tier
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.services.providers import ProviderService


async def ready(provider_id: str = "openai", **form: Any) -> tuple[MemoryHost, ProviderService]:
    """A host with one service saved and active."""
    host = MemoryHost()
    service = ProviderService(host)
    await service.save(provider_id, {"apiKey": KEY, **form})
    await service.activate(provider_id)
    return host, service


async def view(service: ProviderService, provider_id: str) -> dict[str, Any]:
    return next(v for v in (await service.list())["providers"] if v["id"] == provider_id)


async def test_nothing_is_active_until_the_user_chooses() -> None:
    host = MemoryHost()
    service = ProviderService(host)
    assert (await service.list())["active"] is None
    for step in ("fresh", "saved"):
        with pytest.raises(NeedsPerson) as caught:
            await service.active()
        assert caught.value.code == "no_provider", step
        assert await service.active_info() is None
        await service.save("openai", {"apiKey": KEY})
    await service.activate("openai")
    assert (await service.active()).info.provider_id == "openai"


async def test_only_a_saved_service_can_be_activated() -> None:
    service = ProviderService(MemoryHost())
    with pytest.raises(NeedsPerson) as caught:
        await service.activate("openai")
    assert caught.value.code == "not_configured"
    with pytest.raises(NeedsPerson) as caught:
        await service.activate("nobody")
    assert caught.value.code == "unknown_provider"


async def test_a_key_never_reaches_a_screen_and_an_empty_one_keeps_it() -> None:
    host, service = await ready()
    await service.save("openai", {"apiKey": "", "model": "gpt-4o"})
    shown = await view(service, "openai")
    assert (shown["hasKey"], shown["values"]["apiKey"], shown["model"]) == (True, "", "gpt-4o")
    assert KEY not in json.dumps([await service.list(), host.ui.events])
    assert host.settings.values["providers"]["openai"]["apiKey"] == KEY


async def test_every_stored_secret_is_named_and_can_be_removed() -> None:
    aws = {"accessKeyId": "AKIAIOSFODNN7EXAMPLE", "model": "anthropic.claude", "sessionToken": "tok123"}
    host, service = await ready("aws_bedrock", **aws)

    async def secrets() -> dict[str, bool]:
        shown = await view(service, "aws_bedrock")
        assert "tok123" not in json.dumps(shown)
        return {field["key"]: field["stored"] for field in shown["fields"] if field["kind"] == "secret"}

    assert await secrets() == {"apiKey": True, "sessionToken": True}
    await service.save("aws_bedrock", {"apiKey": "", "sessionToken": ""})
    assert await secrets() == {"apiKey": True, "sessionToken": True}
    await service.save("aws_bedrock", {"apiKey": "", "sessionToken": None})
    assert await secrets() == {"apiKey": True, "sessionToken": False}
    assert host.settings.values["providers"]["aws_bedrock"]["sessionToken"] == ""


async def test_a_key_that_is_needed_cannot_be_removed_alone() -> None:
    host, service = await ready()
    with pytest.raises(NeedsPerson) as caught:
        await service.save("openai", {"apiKey": None})
    assert caught.value.data["field"] == "apiKey"
    assert host.settings.values["providers"]["openai"]["apiKey"] == KEY
    host, service = await ready("custom", baseUrl="http://localhost:9/v1")
    await service.save("custom", {"apiKey": None})
    assert (await view(service, "custom"))["hasKey"] is False


@pytest.mark.parametrize(
    ("provider", "form", "field"),
    [
        ("openai", {}, "apiKey"),
        ("openai", {"apiKey": "sk 12"}, "apiKey"),
        ("openai", {"apiKey": "sk-\n12"}, "apiKey"),
        ("openai", {"apiKey": "schlüssel"}, "apiKey"),
        ("custom", {}, "baseUrl"),
        ("custom", {"baseUrl": "ftp://x"}, "baseUrl"),
        ("custom", {"baseUrl": "http://a b"}, "baseUrl"),
        ("custom", {"baseUrl": "http://x:99999"}, "baseUrl"),
        ("custom", {"baseUrl": "https://user:pw@x"}, "baseUrl"),
        ("ollama", {}, "model"),
        ("openai", {"apiKey": KEY, "model": "a\nb"}, "model"),
        ("openai", {"apiKey": KEY, "contextWindow": "many"}, "contextWindow"),
        ("openai", {"apiKey": KEY, "contextWindow": 5}, "contextWindow"),
        ("llamacpp", {"promptTier": "huge"}, "promptTier"),
        ("openai", {"apiKey": KEY, "extraBody": '{"top_p": 0.9'}, "extraBody"),
        ("openai", {"apiKey": KEY, "extraBody": '["top_p"]'}, "extraBody"),
        ("openai", {"apiKey": KEY, "extraBody": '{"messages": []}'}, "extraBody"),
        ("openai", {"apiKey": KEY, "extraBody": '{"n": NaN}'}, "extraBody"),
        ("openai", {"apiKey": f"{KEY}\u200b"}, "apiKey"),
        ("anthropic", {"apiKey": KEY, "constrained": "on"}, "constrained"),
    ],
)
async def test_a_wrong_value_is_told_at_its_field_and_nothing_is_saved(
    provider: str, form: dict[str, Any], field: str
) -> None:
    host = MemoryHost()
    with pytest.raises(NeedsPerson) as caught:
        await ProviderService(host).save(provider, form)
    assert (caught.value.code, caught.value.data["field"]) == ("invalid_field", field)
    assert host.settings.values == {}


@pytest.mark.parametrize(
    ("provider", "typed", "used"),
    [
        ("custom", "localhost:8000", "http://localhost:8000"),
        ("custom", "api.example.com/v1/", "https://api.example.com/v1"),
        ("custom", " https://api.example.com/v1/chat/completions ", "https://api.example.com/v1"),
        ("custom", "192.168.0.7:1234/v1", "http://192.168.0.7:1234/v1"),
        ("custom", "http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("custom", "https://gw.example.com/a/b/openai", "https://gw.example.com/a/b/openai"),
        ("ollama", "http://localhost:11434", "http://localhost:11434/v1"),
        ("llamacpp", "http://localhost:8080/v1/models", "http://localhost:8080"),
        ("anthropic", "https://proxy.example.com/v1/messages", "https://proxy.example.com"),
    ],
)
async def test_addresses_are_brought_into_form(provider: str, typed: str, used: str) -> None:
    _, service = await ready(provider, baseUrl=typed, model="m")
    assert (await view(service, provider))["baseUrl"].removesuffix("/v1") == used.removesuffix("/v1")
    client = await service.active()
    assert client.endpoint.url("/x").count("/v1") <= 1  # type: ignore[attr-defined]


async def test_pasted_keys_are_cleaned() -> None:
    host, _ = await ready(apiKey=f"  Bearer {KEY}\n")
    assert host.settings.values["providers"]["openai"]["apiKey"] == KEY


async def test_removing_forgets_the_key_and_the_choice() -> None:
    host, service = await ready()
    await service.remove("openai")
    assert KEY not in json.dumps(host.settings.values)
    assert (await service.list())["active"] is None
    assert host.ui.named("providers_changed")[-1] == {"active": None}


async def test_screens_hear_of_changes() -> None:
    host, service = await ready()
    await service.save("anthropic", {"apiKey": KEY})
    assert host.ui.named("providers_changed") == [
        {"active": None},
        {"active": "openai"},
        {"active": "openai"},
    ]


async def test_junk_in_the_store_harms_nobody() -> None:
    stored = {"openai": {"apiKey": KEY, "contextWindow": "x", "promptTier": 7, "configured": True, "later": [1]},
              "anthropic": "junk", "martian": {"apiKey": "k"}, "custom": {"baseUrl": 3, "configured": "yes"}}  # fmt: skip
    host = MemoryHost(settings={"providers": stored, "activeProvider": "openai"})
    service = ProviderService(host)
    assert (await service.active()).info.context_window == 272_000
    assert (await service.list())["active"] == "openai"
    await service.save("anthropic", {"apiKey": KEY})
    kept = host.settings.values["providers"]
    assert kept["martian"] == {"apiKey": "k"}, "what this version does not know is not lost"
    for broken in ({"providers": [], "activeProvider": 5}, {"providers": None}):
        assert (await ProviderService(MemoryHost(settings=broken)).list())["active"] is None


async def test_form_fields_are_the_only_way_in() -> None:
    host = MemoryHost()
    await ProviderService(host).save("openai", {"apiKey": KEY, "configured": False, "evil": 1})
    assert host.settings.values["providers"]["openai"]["configured"] is True
    assert "evil" not in host.settings.values["providers"]["openai"]


async def test_a_client_is_fresh_for_each_run_but_what_was_learned_stays() -> None:
    host, service = await ready("custom", baseUrl="http://localhost:9/v1")

    def answer(sent: HttpRequest) -> Any:
        body = json.loads(sent.body or b"{}")
        if body["stream"]:
            return Reply(200, {"content-type": "text/event-stream"}, [b"data: {"])
        if "temperature" in body:
            return Reply.json(
                {"error": {"message": "temperature is not supported", "param": "temperature"}}, 400
            )
        return whole("openai_chat")

    host.http.on("POST", "*", answer)
    request = ModelRequest(messages=[Message(role="user", content="hi")], temperature=0.3, stream=True)
    for _ in range(2):
        await (await service.active()).complete(request)
    seen = [(body["stream"], "temperature" in body) for body in host.http.bodies() if body]
    assert seen == [(True, True), (False, True), (False, False), (True, False), (False, False)]


@pytest.mark.parametrize(
    ("provider", "url", "body", "models"),
    [
        ("openai", "https://api.openai.com/v1/models", {"data": [{"id": "gpt-5.2"}, {"id": "text-embedding-3"}]}, ["gpt-5.2"]),
        ("gemini", "https://*/openai/models", {"data": [{"id": "models/gemini-3.1-flash"}]}, ["gemini-3.1-flash"]),
        ("anthropic", "https://api.anthropic.com/v1/models", {"data": [{"id": "claude-sonnet-4-6"}]}, ["claude-sonnet-4-6"]),
        ("ollama", "http://localhost:11434/api/tags", {"models": [{"name": "qwen3:8b"}]}, ["qwen3:8b"]),
        (
            "lmstudio",
            "http://localhost:1234/api/v0/models",
            {"data": [{"id": "a", "type": "llm", "state": "not-loaded"}, {"id": "b", "type": "vlm", "state": "loaded"},
                      {"id": "e", "type": "embeddings"}]},
            ["b", "a"],
        ),
        ("llamacpp", "http://localhost:8080/v1/models", {"data": [{"id": "coder.gguf"}]}, ["coder.gguf"]),
        ("together", "https://api.together.xyz/v1/models", [{"id": "x"}, {"id": "x"}, 7, {"id": None}], ["x"]),
    ],
)  # fmt: skip
async def test_model_lists(provider: str, url: str, body: Any, models: list[str]) -> None:
    host = MemoryHost()
    host.http.on("GET", url, body)
    result = await ProviderService(host).models(provider, {"apiKey": KEY})
    assert (result["ok"], result["models"], result["moved"], result["error"]) == (True, models, False, None)


LIST = {
    "data": [
        {"id": "v/sees", "context_length": 300_000, "architecture": {"input_modalities": ["text", "image"]}},
        {"id": "v/blind", "context_length": 8_000, "architecture": {"input_modalities": ["text"]}},
        {"id": "v/silent"},
        {"id": "v/strange", "context_length": 500},
    ]
}


async def facts(service: ProviderService, **form: Any) -> tuple[int, bool]:
    """What a run believes of a model after it was saved."""
    await service.save("openrouter", {"apiKey": KEY, **form})
    info = (await service.active()).info
    shown = await view(service, "openrouter")
    assert (shown["contextWindow"], shown["supportsVision"]) == (info.context_window, info.supports_vision)
    return info.context_window, info.supports_vision


async def test_what_the_list_says_of_a_model_is_used_by_runs() -> None:
    host, service = await ready("openrouter")
    host.http.on("GET", "*/models", LIST)
    assert await facts(service, model="v/sees") == (128_000, False), "nobody has looked at the list yet"
    await service.models("openrouter", {"apiKey": KEY})
    assert await facts(service, model="v/sees") == (300_000, True)
    assert await facts(service, model="v/blind") == (8_000, False)
    assert await facts(service, model="v/silent") == (128_000, False)
    assert await facts(service, model="v/strange") == (128_000, False)
    assert await facts(service, model="v/sees", visionMode="off", contextWindow=400_000) == (400_000, False)
    again = ProviderService(host)
    assert (await again.active()).info.context_window == 400_000
    assert await facts(again, model="v/sees", visionMode="auto", contextWindow="") == (300_000, True)
    assert await facts(again, model="v/blind") == (128_000, False), "facts go with their model"
    assert await facts(again, model="v/sees") == (128_000, False)


async def test_facts_of_a_list_go_with_the_address_and_survive_no_damage() -> None:
    host, service = await ready("openrouter")
    host.http.on("GET", "*/models", LIST)
    await service.models("openrouter", {"apiKey": KEY})
    assert await facts(service, model="v/sees") == (300_000, True)
    stored = host.settings.values["providers"]["openrouter"]
    assert stored["modelFacts"] == {"model": "v/sees", "contextWindow": 300_000, "vision": True}
    for damage in (7, [], {"model": 1}, {"model": "v/sees", "contextWindow": -1}):
        host.settings.values["providers"]["openrouter"] = {**stored, "modelFacts": damage}
        assert (await service.active()).info.context_window == 128_000
    host.settings.values["providers"]["openrouter"] = stored
    elsewhere = {"model": "v/sees", "baseUrl": "https://proxy.example.com/v1"}
    assert await facts(service, **elsewhere) == (128_000, False)


async def test_a_test_shows_a_picture_to_a_model_whose_list_says_that_it_sees() -> None:
    host = MemoryHost()
    host.http.on("GET", "*/models", LIST)
    host.http.on("POST", "*", whole("openai_chat"))
    service = ProviderService(host)
    form = {"apiKey": KEY, "model": "v/sees"}
    assert (await service.test("openrouter", form))["readPicture"] is None
    await service.models("openrouter", form)
    assert (await service.test("openrouter", form))["readPicture"] is False


@pytest.mark.parametrize(
    ("provider", "model", "row", "sees"),
    [
        ("vllm", "my-model", {"id": "my-model", "capabilities": {"vision": True}}, True),
        ("vllm", "my-model", {"id": "my-model"}, False),
        ("jan", "qwen2.5-vl", {"id": "qwen2.5-vl"}, True),
        ("sglang", "my-model", {"id": "other", "capabilities": {"vision": True}}, False),
    ],
)
async def test_a_server_of_ones_own_says_which_of_its_models_see(
    provider: str, model: str, row: dict[str, Any], sees: bool
) -> None:
    host, service = await ready(provider, model=model)
    host.http.on("GET", "*/v1/models", {"data": [row]})
    assert (await service.active()).info.supports_vision is sees


async def test_an_old_lm_studio_has_the_common_list() -> None:
    host = MemoryHost()
    host.http.on("GET", "*/v1/models", {"data": [{"id": "a"}]})
    host.http.on("GET", "*/api/v0/models", Reply(404, {}, []))
    assert (await ProviderService(host).models("lmstudio", {}))["models"] == ["a"]


async def test_no_list_is_told_in_plain_words() -> None:
    result = await ProviderService(MemoryHost()).models("ollama", {})
    assert (result["ok"], result["models"], result["error"]["code"]) == (False, [], "server_not_running")


@pytest.mark.parametrize(
    ("provider", "answers", "context", "vision"),
    [
        ("llamacpp", {"*/props": {"default_generation_settings": {"n_ctx": 8192}, "modalities": {"vision": True}}}, 8_192, True),
        ("ollama", {"*/api/ps": {"models": [{"name": "m:latest", "context_length": 4096}]},
                    "*/api/show": {"capabilities": ["tools", "vision"]}}, 4_096, True),
        ("ollama", {"*/api/ps": {"models": []}, "*/api/show": {"parameters": "stop x\nnum_ctx   32768"}}, 32_768, False),
        ("lmstudio", {"*/api/v0/models": {"data": [{"id": "m", "type": "vlm", "loaded_context_length": 6000}]}}, 6_000, True),
        ("localai", {"*/v1/models/capabilities": {"data": [{"id": "m", "capabilities": ["FLAG_CHAT", "FLAG_VISION"]}]}}, 16_384, True),
        ("localai", {"*/v1/models/capabilities": {"data": [{"id": "m", "capabilities": ["chat"]}, {"id": "n", "capabilities": ["vision"]}]}}, 16_384, False),
        ("localai", {"*/v1/models": {"data": [{"id": "m", "context_length": 8000}]}}, 8_000, False),
        ("llamacpp", {}, 16_384, False),
        ("llamacpp", {"*/props": [1, 2]}, 16_384, False),
        ("llamacpp", {"*/props": BridgeError("late", code="net_timeout")}, 16_384, False),
    ],
)  # fmt: skip
async def test_a_local_server_is_asked_what_it_can(
    provider: str, answers: dict[str, Any], context: int, vision: bool
) -> None:
    host, service = await ready(provider, model="m")
    for url, answer in answers.items():
        host.http.on("POST" if url.endswith("show") else "GET", url, answer)
    info = (await service.active()).info
    assert (info.context_window, info.supports_vision) == (context, vision)
    before = len(host.http.requests)
    await service.active()
    assert len(host.http.requests) == before, "it is believed for a while"


async def test_what_the_server_has_wins_over_a_larger_wish_but_not_over_a_smaller() -> None:
    for wish, used in ((100_000, 8_192), (4_096, 4_096)):
        host, service = await ready("llamacpp", contextWindow=wish)
        host.http.on("GET", "*/props", {"default_generation_settings": {"n_ctx": 8192}})
        assert (await service.active()).info.context_window == used


async def test_an_old_compact_flag_still_counts() -> None:
    stored = {"groq": {"apiKey": KEY, "useCompactPrompt": True, "configured": True}}
    service = ProviderService(MemoryHost(settings={"providers": stored, "activeProvider": "groq"}))
    assert (await service.active()).info.tier is Tier.COMPACT
