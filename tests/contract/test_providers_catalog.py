"""Every entry of the catalogue, found there; and that a new one is seen everywhere."""

# ruff: noqa: E501 - tables of cases are read by the line

import inspect
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pydantic
import pytest

import webbrain
from tests.support.models import (
    KEY,
    NEW_ENTRY,
    PARAMETERS,
    catalog_text,
    client,
    endpoint,
    request,
    whole,
)
from tests.support.streams import headers_of, text_stream
from webbrain.core.errors import NeedsPerson
from webbrain.core.types import Tier
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers import catalog, form, table
from webbrain.providers.catalog import CatalogEntry
from webbrain.providers.config import Endpoint, ProviderConfig, missing, resolve
from webbrain.providers.entered import merge
from webbrain.services.providers import ProviderService

ROOT = Path(__file__).parents[2]
ENTRIES = list(catalog.load().entries)
REMOTE = [pid for pid in ENTRIES if catalog.load().entries[pid].wire != "builtin"]
"""Those that are called over the network."""
FIELD_KEYS = {"key", "label", "kind", "required", "placeholder", "help"}
VIEW_KEYS = {
    "id", "label", "category", "baseUrl", "model", "tier", "contextWindow", "supportsVision", "streaming", "needsKey",
    "hasKey", "keyUrl", "configured", "active", "notes", "constrained", "builtIn", "transcribes", "transcriptionModel",
    "fields", "values",
}  # fmt: skip


def tail(ready: Endpoint, *, stream: bool = False) -> str:
    """What follows the address, by wire."""
    model = quote(ready.info.model, safe="")
    return {
        "openai_chat": "/chat/completions",
        "llamacpp": "/chat/completions",
        "openai_responses": "/responses",
        "anthropic": "/messages",
        "vertex_anthropic": f"/publishers/anthropic/models/{model}:{'streamRawPredict' if stream else 'rawPredict'}",
        "azure": f"/openai/deployments/{model}/chat/completions?api-version=2024-10-21",
        "bedrock": f"/model/{model}/converse{'-stream' if stream else ''}",
    }[ready.wire]


@pytest.mark.parametrize("provider_id", REMOTE)
async def test_a_call_reaches_the_right_place_with_the_key(provider_id: str) -> None:
    host = MemoryHost()
    entry, ready = catalog.load().entries[provider_id], endpoint(provider_id, apiKey=KEY)
    host.http.on("POST", "*", whole(ready.wire))
    reply = await client(host, provider_id, apiKey=KEY).complete(request(temperature=0.15))
    sent = host.http.requests[0]
    assert reply.text == "whole answer"
    assert "{" not in ready.base_url
    assert not re.search(r"//[./]|\.\.", ready.base_url), "a place in the address was left empty"
    assert sent.url == ready.base_url + (
        "" if entry.versioned or ready.wire in ("azure", "bedrock") else "/v1"
    ) + tail(ready)
    if entry.auth == "sigv4":
        assert re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=AKIA.*, SignedHeaders=.*, Signature=[0-9a-f]{64}",
            sent.headers["Authorization"],
        )
        assert KEY not in json.dumps(dict(sent.headers))
    else:
        name = {"bearer": "Authorization"}.get(entry.auth, entry.auth)
        assert sent.headers[name].removeprefix("Bearer ") == KEY
    body = json.loads(sent.body or b"")
    offered = body.get("toolConfig", body).get("tools", [])
    names = [tool.get("function", tool.get("toolSpec", tool))["name"] for tool in offered]
    assert names == ([tool.name for tool in request().tools] if entry.tools else [])
    in_body = ready.wire not in ("azure", "bedrock", "vertex_anthropic")
    assert ("model" in body) is (bool(ready.info.model) and in_body)
    limits = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens")
    assert sum(name in body.get("inferenceConfig", body) for name in limits) == 1


@pytest.mark.parametrize("provider_id", REMOTE)
async def test_a_stream_of_each(provider_id: str) -> None:
    host = MemoryHost()
    entry, ready = catalog.load().entries[provider_id], endpoint(provider_id)
    streams = ready.info.streams_in_ask
    assert streams is (entry.ask_streaming and entry.streams_at_first)
    host.http.on(
        "POST",
        "*",
        Reply(200, headers_of(ready.wire), [text_stream(ready.wire)]) if streams else whole(ready.wire),
    )
    shown: list[str] = []
    reply = await client(host, provider_id, apiKey=KEY).complete(request(stream=True), shown.append)
    assert len(host.http.requests) == 1
    if ready.wire == "bedrock":
        assert host.http.requests[0].url.endswith("/converse")
    else:
        assert host.http.bodies()[0]["stream"] is streams
    assert "".join(shown) == (reply.text if streams else "")
    asks_usage = "stream_options" in host.http.bodies()[0]
    assert asks_usage is (entry.usage_in_stream and ready.wire != "openai_responses")
    assert not (asks_usage and entry.category == "local")


def test_who_streams() -> None:
    """As the table of the specification says, and models apart."""
    never = {pid for pid in ENTRIES if not catalog.load().entries[pid].ask_streaming}
    later = {pid for pid in ENTRIES if not catalog.load().entries[pid].streams_at_first}
    assert never == {"alibaba", "alibaba-coding-plan", "alibaba-coding-plan-cn"}
    assert later == {"aws_bedrock", "cloudflare"}
    assert endpoint("aws_bedrock", supportsAskStreaming="on").info.streams_in_ask
    assert not endpoint("openai", supportsAskStreaming="off").info.streams_in_ask
    assert not endpoint("openai", model="gpt-5.5-pro").info.streams_in_ask
    assert endpoint("openai", model="gpt-5.6-terra").info.streams_in_ask


@pytest.mark.parametrize(
    ("model", "form", "wire"),
    [
        ("gpt-5.6-terra", {}, "openai_responses"),
        ("gpt-5.6", {}, "openai_responses"),
        ("gpt-5.4-pro", {}, "openai_responses"),
        ("gpt-5.2", {}, "openai_chat"),
        ("gpt-4o", {"apiFormat": "responses"}, "openai_responses"),
        ("gpt-5.6-terra", {"apiFormat": "chat"}, "openai_chat"),
        ("gpt-5.6-terra", {"baseUrl": "https://proxy.example.com/v1"}, "openai_chat"),
    ],
)
def test_which_models_speak_responses(model: str, form: dict[str, str], wire: str) -> None:
    assert endpoint("openai", model=model, **form).wire == wire


WINDOWS = {
    2_000: "poe",
    9_216: "builtin",
    16_000: "inference morph",
    16_384: "llamacpp ollama lmstudio jan vllm sglang localai gpt4all local_openai_proxy unsloth custom",
    32_000: "stepfun",
    65_000: "upstage",
    70_000: "cloudferro-sherlock",
    120_000: "lucidquery",
    128_000: "azure_openai aws_bedrock mistral xai minimax alibaba openrouter groq nvidia together fireworks bailing berget "
    "helicone inception llama nebius orcarouter perplexity pollinations privatemode-ai qiniu-ai stackit v0 zenmux",
    131_000: "cerebras drun fastrouter jiekou meganova siliconflow-cn wandb",
    164_000: "cortecs",
    200_000: "anthropic abacus azure-cognitive-services digitalocean dinference google-vertex-anthropic huggingface nano-gpt "
    "qihang-ai venice zhipuai zhipuai-coding-plan",
    204_800: "aihubmix kuae-cloud-coding-plan minimax-cn-coding-plan minimax-coding-plan moark tencent-coding-plan zai-coding-plan",
    256_000: "cohere iflowcn requesty",
    260_000: "scaleway",
    262_000: "kimi baseten chutes clarifai evroc friendli kilo kimi-for-coding modelscope novita-ai opencode ovhcloud siliconflow "
    "submodel synthetic vultr",
    262_144: "cloudflare",
    272_000: "openai",
    327_000: "deepinfra",
    400_000: "302ai",
    430_000: "io-net",
    1_000_000: "webbrain_cloud gemini deepseek z_ai alibaba-coding-plan alibaba-coding-plan-cn google-vertex nearai nova ollama-cloud "
    "opencode-go vercel vivgrid xiaomi",
    2_000_000: "perplexity-agent",
}
"""Tokens of the model at first (of a server of one's own: until it says itself), as the services state them."""
WINDOW = {provider_id: size for size, named in WINDOWS.items() for provider_id in named.split()}


SEEING = """
gpt-4o gpt-4o-mini chatgpt-4o-latest openai/gpt-4o-2024-08-06 gpt-4.1 gpt-4.1-nano gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-5
gpt-5.2 gpt-5.6-terra openai/gpt-5-mini gpt-5.4-mini-2026-03-17 claude-3-5-sonnet-latest claude-sonnet-4-6 anthropic/claude-opus-4.1
anthropic-claude-haiku-4.5 us.anthropic.claude-sonnet-4-6 claude-opus-4-thinking:8192 gemini-2.5-flash google/gemini-3.1-flash
models/gemini-3-pro kimi-k3 moonshotai/Kimi-K3 kimi-k2.5 moonshotai/Kimi-K2.6 moonshotai/Kimi-K2.6-TEE hf:moonshotai/Kimi-K2.7-Code
accounts/fireworks/models/kimi-k2p5 moonshotai/chat-completion/models/Kimi-K2_6 llava:13b liuhaotian/llava-v1.6-34b
mistralai/pixtral-large-latest pixtral-12b qwen-vl-max qwen2-vl-7b qwen2.5-vl:7b qwen2.5vl:7b Qwen/Qwen3-VL-235B-A22B-Instruct
qwen3.5-397b-a17b Qwen/Qwen3.6-27B qwen3.5:9b llama-3.2-11b-vision-preview meta-llama/Llama-3.2-90B-Vision-Instruct
llama3.2-vision:11b accounts/fireworks/models/llama-v3p2-11b-vision-instruct gemma-3-27b google/gemma-3-27b-it gemma3:12b
google/gemma-4-31B-it gemma-4-31b gemma4:e4b gemma-2-vision
"""
BLIND = """
gpt-4 gpt-3.5-turbo gpt-oss-120b openai/gpt-oss-20b o3 o1-mini kimi-k2 kimi-k2-0905-preview moonshotai/Kimi-K2-Instruct-0905
moonshotai/kimi-k2-thinking mistral-large-latest mistral-nemo mixtral-8x7b qwen-max qwen3-8b qwen3:8b Qwen/Qwen3-235B-A22B-Thinking-2507
qwen3-coder-plus qwen2.5-1.5b-instruct qwen-7b llama-3.3-70b-versatile meta-llama/Llama-3.3-70B-Instruct-Turbo gemma-2-9b-it gemma2:9b gemma:7b
deepseek-v4-flash deepseek-reasoner glm-5.2 zai-org/GLM-5.2 minimax-m2.7 step-1-32k my-deployment
"""


@pytest.mark.parametrize("provider_id", ["openrouter", "vllm"])
def test_which_names_are_of_models_that_read_pictures(provider_id: str) -> None:
    seen = {
        name: endpoint(provider_id, model=name).info.supports_vision for name in f"{SEEING} {BLIND}".split()
    }
    assert {name for name, sees in seen.items() if sees} == set(SEEING.split())


@pytest.mark.parametrize("mode", ["on", "off"])
def test_what_the_user_says_of_pictures_counts_before_the_name(mode: str) -> None:
    for name in ("gpt-4o", "deepseek-v4-flash"):
        assert endpoint("openrouter", model=name, visionMode=mode).info.supports_vision is (mode == "on")


@pytest.mark.parametrize(
    ("provider_id", "form", "size"),
    [
        ("z_ai", {"model": "glm-5.1"}, 200_000),
        ("302ai", {"model": "gpt-5.2"}, 272_000),
        ("302ai", {"model": "nobody-knows"}, 400_000),
        ("groq", {"model": "moonshotai/kimi-k2-instruct"}, 262_000),
        ("groq", {"model": "nobody-knows"}, 128_000),
        ("privatemode-ai", {"model": "another"}, 128_000),
        ("ollama", {"model": "kimi-k2.5"}, 16_384),
        ("custom", {"model": "kimi-k2.5"}, 16_384),
        ("custom", {"model": "kimi-k2.5", "baseUrl": "https://llm.example.com/v1"}, 262_000),
        ("custom", {"model": "nobody-knows", "baseUrl": "https://llm.example.com/v1"}, 128_000),
        ("z_ai", {"contextWindow": 32_000}, 32_000),
    ],
)
def test_the_window_of_another_model(provider_id: str, form: dict[str, Any], size: int) -> None:
    assert endpoint(provider_id, **form).info.context_window == size


@pytest.mark.parametrize("provider_id", ENTRIES)
def test_windows(provider_id: str) -> None:
    """Those of before, one by one; of a new service its table says it."""
    said = catalog.load().entries[provider_id].context_window
    assert endpoint(provider_id).info.context_window == WINDOW.get(provider_id, said)


@pytest.mark.parametrize("provider_id", ENTRIES)
def test_rules_of_tiers(provider_id: str) -> None:
    entry = catalog.load().entries[provider_id]
    info = endpoint(provider_id).info
    local = entry.category in ("local", "custom")  # the test's custom address is a local one
    if entry.category == "cloud":
        assert endpoint(provider_id, promptTier="compact").info.tier is Tier.FULL
    elif entry.constrained == "always":
        assert (info.tier, info.constrained) == (Tier.COMPACT, True)
        assert endpoint(provider_id, promptTier="full").info.tier is Tier.COMPACT
    elif provider_id == "llamacpp":
        assert (info.tier, info.constrained) == (Tier.COMPACT, True)
        assert endpoint(provider_id, promptTier="mid").info.constrained is False
        assert endpoint(provider_id, constrained="off").info.tier is Tier.MID
    else:
        assert info.tier is (Tier.MID if local else Tier.FULL)
        assert endpoint(provider_id, promptTier="compact").info.tier is Tier.COMPACT
    assert endpoint(provider_id, contextWindow="32 000").info.context_window == 32_000
    assert info.local is local


@pytest.mark.parametrize("provider_id", [pid for pid in ENTRIES if catalog.load().entries[pid].parameters])
async def test_parameters_are_asked_for_and_checked(provider_id: str) -> None:
    service, entry = ProviderService(MemoryHost()), catalog.load().entries[provider_id]
    view = next(v for v in (await service.list())["providers"] if v["id"] == provider_id)
    asked = {field["key"]: field for field in view["fields"]}
    for parameter in entry.parameters:
        assert asked[parameter.key]["kind"] == ("secret" if parameter.secret else "text")
        with pytest.raises(NeedsPerson) as caught:
            endpoint(provider_id, **{parameter.key: "a b/../c"})
        assert caught.value.data["field"] == parameter.key
        if parameter.required and not parameter.default:
            with pytest.raises(NeedsPerson) as caught:
                await service.save(
                    provider_id,
                    {"apiKey": KEY, "model": "m"}
                    | {k: v for k, v in PARAMETERS.items() if k != parameter.key},
                )
            assert caught.value.data["field"] == parameter.key


async def test_secrets_among_parameters_stay_inside_and_go_with_their_key() -> None:
    host = MemoryHost()
    service = ProviderService(host)
    form = {"apiKey": KEY, "accessKeyId": PARAMETERS["accessKeyId"], "sessionToken": "token-0123456789"}
    saved = (await service.save("aws_bedrock", form))["provider"]
    assert (saved["hasKey"], saved["values"]["sessionToken"], saved["values"]["region"]) == (
        True,
        "",
        "us-east-1",
    )
    assert "token-0123" not in json.dumps([await service.list(), host.ui.events])
    assert "token-0123" not in repr(endpoint("aws_bedrock", **form))
    assert "token-0123" not in repr(ProviderConfig.model_validate(form))
    await service.save("aws_bedrock", {"apiKey": "", "sessionToken": "", "region": "eu-west-1"})
    assert host.settings.values["providers"]["aws_bedrock"]["sessionToken"] == "token-0123456789"
    await service.save("aws_bedrock", {"apiKey": KEY + "2", "sessionToken": ""})
    assert host.settings.values["providers"]["aws_bedrock"]["sessionToken"] == ""


def test_an_address_of_ones_own_needs_no_parameters_of_the_usual_one() -> None:
    entry = catalog.load().entries["azure_openai"]
    pasted = "https://mine.example.com/openai/deployments/d/chat/completions?api-version=2024-10-21"
    config = merge(entry, {}, {"apiKey": KEY, "model": "d", "baseUrl": pasted})
    assert missing(entry, config) is None
    assert resolve(catalog.load(), entry, config).base_url == "https://mine.example.com"


def test_places_that_follow_from_others() -> None:
    assert endpoint("google-vertex").base_url.startswith(
        "https://us-central1-aiplatform.googleapis.com/v1/projects/my-project-1/"
    )
    assert endpoint("google-vertex", location="global").base_url.startswith(
        "https://aiplatform.googleapis.com/v1/"
    )


@pytest.mark.parametrize("provider_id", ENTRIES)
async def test_its_view_is_what_the_protocol_says(provider_id: str) -> None:
    service = ProviderService(MemoryHost())
    view = next(v for v in (await service.list())["providers"] if v["id"] == provider_id)
    assert set(view) == VIEW_KEYS
    assert (view["active"], view["configured"], view["hasKey"]) == (False, False, False)
    for field in view["fields"]:
        assert set(field) - {"options", "stored"} == FIELD_KEYS
        assert field.get("stored") is (False if field["kind"] == "secret" else None)
        assert field["kind"] in ("text", "url", "secret", "number", "select")
        assert ("options" in field) is (field["kind"] == "select")
        assert field["key"] in form.form_keys(catalog.load().entries[provider_id])
        if field["kind"] == "select":
            assert view["values"][field["key"]] in [option["value"] for option in field["options"]]
    assert list(view["values"]) == [field["key"] for field in view["fields"]]
    json.dumps(view)


async def test_adding_one_entry_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """List, save, table and every test of this file that is about each entry; the drawn form is in
    tests/ui/test_settings.py."""
    loaded = catalog.parse(catalog_text() + NEW_ENTRY)
    assert "example" not in ENTRIES
    monkeypatch.setattr(catalog, "load", lambda: loaded)
    service = ProviderService(MemoryHost())
    assert "example" in [view["id"] for view in (await service.list())["providers"]]
    saved = await service.save("example", {"apiKey": KEY})
    assert saved["provider"]["configured"]
    assert "[Example AI](https://example.com/keys)" in table.render(loaded)
    for test in ALL_ENTRIES:
        assert next(iter(test.pytestmark)).args[1] in (ENTRIES, REMOTE)
        done = test("example")
        if inspect.isawaitable(done):
            await done


async def test_the_tests_of_each_entry_find_a_bad_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the same tests over entries that are wrong."""
    hidden = 'category = "local"\nstart_hint = "start"\nusage_in_stream = true'
    for good, bad, test in (
        ("example.com/v1", "example.com/../v1", test_a_call_reaches_the_right_place_with_the_key),
        ('category = "cloud"', hidden, test_a_stream_of_each),
    ):
        loaded = catalog.parse(catalog_text() + NEW_ENTRY.replace(good, bad))
        monkeypatch.setattr(catalog, "load", lambda loaded=loaded: loaded)
        with pytest.raises(AssertionError):
            await test("example")


ALL_ENTRIES: tuple[Any, ...] = (
    test_a_call_reaches_the_right_place_with_the_key,
    test_a_stream_of_each,
    test_rules_of_tiers,
    test_its_view_is_what_the_protocol_says,
)
"""The tests that every entry goes through."""


def test_the_table_in_the_docs_is_not_stale() -> None:
    page = (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")
    assert table.put_into(page, table.render(catalog.load())) == page
    with pytest.raises(ValueError, match="no marks"):
        table.put_into("nothing", "")


def test_ids_and_labels_are_unique() -> None:
    labels = [entry.label for entry in catalog.load().entries.values()]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"category": "cloudy"}, "category"),
        ({"base_url": ""}, "address"),
        ({"base_url": "https://x/"}, "slash"),
        ({"key_url": ""}, "key is made"),
        ({"constrained": "auto"}, "schema"),
        ({"base_url": "https://{region}.x"}, "unknown parameters"),
        ({"derived": {"host": {"source": "place", "otherwise": ""}}}, "unknown parameter"),
        ({"ask_streaming": False, "streams_at_first": False}, "never streams"),
        ({"surprise": 1}, "surprise"),
        ({"context_window": 0}, "context_window"),
    ],
)
def test_a_wrong_entry_is_refused(change: dict[str, object], why: str) -> None:
    good = {
        "id": "x",
        "label": "X",
        "category": "cloud",
        "base_url": "https://x",
        "key_url": "https://x/keys",
    }
    CatalogEntry.model_validate({**good, "context_window": 1})
    with pytest.raises(pydantic.ValidationError, match=why):
        CatalogEntry.model_validate({**good, "context_window": 1, **change})


def test_the_same_id_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two services are called example"):
        catalog.parse(NEW_ENTRY, NEW_ENTRY)


def test_nothing_is_borrowed_from_other_products() -> None:
    """No client ids, no sign-in flows: only keys and addresses."""
    assert not re.search(r"oauth|client_id|client_secret|refresh_token", catalog_text(), re.IGNORECASE)
    assert not {"github-copilot", "github-models", "gitlab-duo", "anthropic_oauth"} & set(ENTRIES)


def test_the_managed_service_is_an_entry_like_any_other() -> None:
    entry = catalog.load().entries["webbrain_cloud"]
    assert endpoint("webbrain_cloud").base_url == entry.base_url
    assert (
        endpoint("webbrain_cloud", baseUrl="https://models.example.org/v1").base_url
        == "https://models.example.org/v1"
    )
    assert not form.view(catalog.load(), entry, ProviderConfig(), active=False)["configured"]


def test_the_catalogue_is_readable_inside_a_zip(tmp_path: Path) -> None:
    package = Path(webbrain.__file__).parent
    target = tmp_path / "webbrain.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in package.rglob("*"):
            if path.suffix in (".py", ".toml", ".md"):
                archive.write(path, Path("webbrain") / path.relative_to(package))
    code = "from webbrain.providers import catalog; import webbrain; print(len(catalog.load().entries), webbrain.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=True,
    )
    count, place = done.stdout.split()
    assert int(count) == len(ENTRIES)
    assert "webbrain.zip" in place
