"""What Python answers the settings page in the pictured states."""

from typing import Any

from webbrain.providers import catalog as catalogs
from webbrain.providers.config import ProviderConfig
from webbrain.providers.form import view
from webbrain.services.settings import Settings, fields, values

WORKS = [{"capability": name, "action": "allow", "ts": 0} for name in ("navigate", "click", "type")]
SITES = {
    "sites": [
        {"host": "shop.example", "shown": "shop.example", "grants": WORKS},
        {
            "host": "xn--mnchen-3ya.example",
            "shown": "m\u00fcnchen.example (xn--mnchen-3ya.example)",
            "grants": [{"capability": "network_write", "action": "deny", "ts": 0}],
        },
    ]
}


FOUND = {
    "found": [
        {
            "id": "ollama",
            "label": "Ollama",
            "baseUrl": "http://localhost:11434/v1",
            "model": "qwen3:8b",
            "needsModel": True,
            "contextWindow": 16_384,
            "supportsVision": False,
            "models": ["qwen3:8b", "gemma3:12b"],
            "facts": {},
            "active": False,
            "problem": None,
        },
        {
            "id": "llamacpp",
            "label": "llama.cpp",
            "baseUrl": "http://localhost:8080",
            "model": "Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf",
            "needsModel": False,
            "contextWindow": 8_192,
            "supportsVision": True,
            "models": ["Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf"],
            "facts": {},
            "active": False,
            "problem": None,
        },
        {
            "id": "lmstudio",
            "label": "LM Studio",
            "baseUrl": "http://localhost:1234/v1",
            "model": "",
            "needsModel": False,
            "contextWindow": 16_384,
            "supportsVision": False,
            "models": [],
            "facts": {},
            "active": False,
            "problem": {
                "code": "origin_refused",
                "message": "LM Studio refuses requests from browser extensions.",
                "hint": "Allow the origins chrome-extension://* and moz-extension://* (CORS) there.",
            },
        },
    ]
}
MODELS = [f"vendor-{number % 4}/model-a{number}" for number in range(60)]
NO_MODEL = {
    "code": "model_not_found",
    "message": "Anthropic Claude has no model “claude-sonnet-5”.",
    "hint": "Choose one from the list of models in the settings.",
    "field": "model",
}


LANGUAGE_MODEL = {
    "none": "delete globalThis.LanguageModel",
    "unavailable": "globalThis.LanguageModel = {availability: async () => 'unavailable'}",
    "downloadable": "globalThis.LanguageModel = {availability: async () => 'downloadable'}",
    "downloading": """globalThis.LanguageModel = {
        availability: async () => 'downloadable',
        create: async ({monitor}) => {
            const told = new EventTarget();
            monitor(told);
            const event = Object.assign(new Event('downloadprogress'), {loaded: 0.42, total: 1});
            told.dispatchEvent(event);
            await new Promise(() => {});
        },
    }""",
    "available": "globalThis.LanguageModel = {availability: async () => 'available'}",
}
"""What a browser says about a model of its own (Prompt API)."""


def provider_views(active: str = "", *, bedrock: bool = False) -> list[dict[str, Any]]:
    """Every service of the real catalogue as Python sends it; with ``active``, two are set up."""
    catalog = catalogs.load()
    stored = {
        "anthropic": ProviderConfig(configured=True, api_key="k" * 20, model="claude-sonnet-5"),
        "llamacpp": ProviderConfig(configured=True),
    }
    if bedrock:
        aws = {"accessKeyId": "AKIAIOSFODNN7EXAMPLE", "sessionToken": "x", "region": "us-east-1"}
        stored["aws_bedrock"] = ProviderConfig.model_validate(
            {"configured": True, "apiKey": "k" * 20, "model": "anthropic.claude-sonnet-5", **aws}
        )
    return [
        view(
            catalog,
            entry,
            stored.get(entry.id, ProviderConfig()) if active or bedrock else ProviderConfig(),
            active=entry.id == active,
        )
        for entry in catalog.entries.values()
    ]


def settings_replies() -> dict[str, Any]:
    return {
        "providers.list": {"active": "anthropic", "providers": provider_views("anthropic")},
        "settings.get": {"values": values(Settings()), "fields": fields()},
        "vision.get": {"provider": "", "model": "", "usable": False},
        "transcription.get": {"provider": "", "model": "", "usable": False, "service": ""},
        "providers.scan": {"found": []},
        "permissions.list": SITES,
        "traces.list": {"runs": [], "more": False, "total": {"runs": 0, "chars": 0, "limit": 300_000_000}},
        "spending.get": {"sessionUsd": 0.4213, "totalUsd": 7.35, "since": 1_793_500_000_000},
    }
