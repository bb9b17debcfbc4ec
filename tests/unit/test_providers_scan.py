"""Model servers on this machine: found by what they say of themselves, on loopback only, and in time."""

import asyncio
import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from webbrain.core.errors import BridgeError
from webbrain.host.memory import Gate, MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers import catalog
from webbrain.providers.scan import SCAN_TIMEOUT, is_loopback
from webbrain.services.providers import ProviderService


async def found(answers: dict[str, Any]) -> list[dict[str, Any]]:
    host = MemoryHost()
    for url, answer in answers.items():
        host.http.on("POST" if url.endswith("/api/show") else "GET", url, answer)
    rows: list[dict[str, Any]] = (await ProviderService(host).scan())["found"]
    return rows


def models(*ids: str, owner: str = "", **facts: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": name, "owned_by": owner, **facts} for name in ids]}


OLLAMA = "http://localhost:11434"
LLAMA = "http://localhost:8080"


async def test_nothing_runs() -> None:
    assert await found({}) == []


@pytest.mark.parametrize(
    ("answers", "who", "base_url", "context", "eyes"),
    [
        (
            {
                f"{OLLAMA}/api/tags": {"models": [{"name": "qwen3:8b"}, {"name": "gemma:2b"}]},
                f"{OLLAMA}/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 8_192}]},
                f"{OLLAMA}/api/show": {"capabilities": ["tools", "vision"]},
            },
            "ollama",
            f"{OLLAMA}/v1",
            8_192,
            True,
        ),
        (
            {
                f"{LLAMA}/v1/models": models("coder.gguf", owner="llamacpp"),
                f"{LLAMA}/props": {"default_generation_settings": {"n_ctx": 4_096}},
            },
            "llamacpp",
            LLAMA,
            4_096,
            False,
        ),
        (
            {
                "http://localhost:1234/api/v0/models": {
                    "data": [
                        {"id": "a", "type": "llm", "state": "not-loaded"},
                        {"id": "b", "type": "vlm", "state": "loaded", "loaded_context_length": 6_000},
                    ]
                }
            },
            "lmstudio",
            "http://localhost:1234/v1",
            6_000,
            True,
        ),
        (
            {"http://localhost:1337/v1/models": models("jan-nano")},
            "jan",
            "http://localhost:1337/v1",
            16_384,
            None,
        ),
        (
            {"http://localhost:8000/v1/models": models("q", owner="vllm", max_model_len=32_768)},
            "vllm",
            "http://localhost:8000/v1",
            32_768,
            None,
        ),
        (
            {"http://localhost:30000/v1/models": models("q", owner="sglang", max_model_len=9_000)},
            "sglang",
            "http://localhost:30000/v1",
            9_000,
            None,
        ),
        # No signature where llama.cpp and LocalAI both like to listen: llama.cpp signs, so it is the other.
        ({f"{LLAMA}/v1/models": models("phi")}, "localai", f"{LLAMA}/v1", 16_384, None),
        # A server at another's usual port says who it is.
        (
            {
                "http://localhost:8000/v1/models": models("coder.gguf", owner="llamacpp"),
                "http://localhost:8000/props": {"default_generation_settings": {"n_ctx": 2_048}},
            },
            "llamacpp",
            "http://localhost:8000",
            2_048,
            False,
        ),
    ],
)  # fmt: skip
async def test_each_server_is_known(
    answers: dict[str, Any], who: str, base_url: str, context: int, eyes: bool | None
) -> None:
    (server,) = await found(answers)
    assert (server["id"], server["baseUrl"], server["contextWindow"]) == (who, base_url, context)
    assert server["model"] == server["models"][0]
    assert server["problem"] is None
    if eyes is not None:
        assert server["supportsVision"] is eyes


async def test_several_are_offered_together_the_loaded_model_first() -> None:
    rows = await found(
        {
            f"{OLLAMA}/api/tags": {"models": [{"name": "qwen3:8b"}]},
            "http://localhost:1234/v1/models": models("a", "b"),
            "http://localhost:1234/api/v0/models": Reply(404, {}, []),
        }
    )
    assert [row["id"] for row in rows] == ["ollama", "lmstudio"]
    assert rows[1]["models"] == ["a", "b"]


@pytest.mark.parametrize(
    "answer",
    [
        Reply(200, {"content-type": "text/html"}, [b"<!doctype html><title>My project</title>"]),
        Reply(404, {}, [b"not here"]),
        Reply(500, {}, [b""]),
        Reply(302, {"location": "https://evil.example/"}, []),
        {"data": []},
        {"hello": "world"},
        [1, 2, 3],
        Reply(200, {}, [b"{"]),
        BridgeError("cut", code="net_cut"),
    ],
)
async def test_what_is_no_model_server_is_passed_over(answer: Any) -> None:
    ports = (11434, 8080, 1234, 1337, 8000, 30000)
    assert await found({f"http://localhost:{port}/*": answer for port in ports}) == []


async def test_a_refused_origin_is_offered_with_what_to_set() -> None:
    (server,) = await found({f"{OLLAMA}/*": Reply(403, {}, [])})
    assert (server["id"], server["models"]) == ("ollama", [])
    assert server["problem"]["code"] == "origin_refused"
    assert "OLLAMA_ORIGINS=chrome-extension://*,moz-extension://*" in server["problem"]["hint"]


async def test_a_server_that_wants_a_key_is_offered() -> None:
    (server,) = await found({"http://localhost:1337/v1/models": Reply(401, {}, [])})
    assert (server["id"], server["problem"]["code"]) == ("jan", "wrong_key")


async def test_only_loopback_is_asked_and_nothing_is_sent_along() -> None:
    host = MemoryHost()
    service = ProviderService(host)
    await service.save("openai", {"apiKey": "sk-secret-0123456789"})
    await service.scan()
    assert {urlsplit(request.url).hostname for request in host.http.requests} == {"localhost"}
    ports = {urlsplit(request.url).port for request in host.http.requests}
    assert ports >= {11434, 8080, 1234, 1337, 8000, 30000}
    for request in host.http.requests:
        assert not request.body
        assert "secret" not in repr(request.headers)
        assert request.headers_timeout == SCAN_TIMEOUT
    assert host.settings.values["providers"].keys() == {"openai"}


async def test_ports_are_asked_at_once_and_a_silent_one_does_not_hold_up_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webbrain.providers.scan.SCAN_TIMEOUT", 0.2)
    host = MemoryHost()
    gate = Gate()

    async def silent(_: HttpRequest) -> Any:
        await gate.wait()

    for port in (8080, 1337, 8000, 30000):
        host.http.on("GET", f"http://localhost:{port}/*", silent)
    host.http.on("GET", f"{OLLAMA}/api/tags", {"models": [{"name": "m"}]})
    began = time.monotonic()
    async with asyncio.timeout(5):
        rows = (await ProviderService(host).scan())["found"]
    assert [row["id"] for row in rows] == ["ollama"]
    assert time.monotonic() - began < 0.2 * 3


async def test_the_one_in_use_is_marked() -> None:
    host = MemoryHost()
    host.http.on("GET", f"{OLLAMA}/api/tags", {"models": [{"name": "m"}]})
    service = ProviderService(host)
    await service.save("ollama", {"model": "m"})
    assert not (await service.scan())["found"][0]["active"]
    await service.activate("ollama")
    assert (await service.scan())["found"][0]["active"]


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1/v1", True),
        ("http://192.168.1.2:1", False),
        ("http://localhost.evil.example:1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_loopback(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def test_every_local_service_without_a_key_is_looked_for() -> None:
    known = catalog.load().entries.values()
    local = [e for e in known if e.category == "local" and e.key != "required" and e.wire != "builtin"]
    assert {"ollama", "lmstudio", "llamacpp", "jan", "vllm", "sglang", "localai"} <= {e.id for e in local}
    assert all(is_loopback(entry.base_url) for entry in local)


async def test_a_list_that_knows_more_is_passed_on() -> None:
    host = MemoryHost()
    rows = {
        "data": [
            {"id": "x/y", "context_length": 200_000, "architecture": {"input_modalities": ["text", "image"]}},
            {"id": "x/z", "context_length": "many", "architecture": {"input_modalities": ["text"]}},
            {"id": "q"},
        ]
    }
    host.http.on("GET", "*/models", rows)
    answer = await ProviderService(host).models("openrouter", {"apiKey": "sk-or-0123456789"})
    assert answer["models"] == ["x/y", "x/z", "q"]
    assert answer["facts"] == {
        "x/y": {"contextWindow": 200_000, "supportsVision": True},
        "x/z": {"supportsVision": False},
    }
