"""Every state the settings page can be in."""

from tests.support.ui_providers import FOUND, LANGUAGE_MODEL, MODELS, NO_MODEL, provider_views
from tests.support.ui_records import record_states
from tests.support.ui_state import STARTING, State


def settings_states() -> dict[str, State]:
    row = '[data-provider="{}"] .provider-row'
    test_ok = {
        "ok": True,
        "model": "claude-sonnet-5",
        "latencyMs": 840,
        "calledTool": True,
        "readPicture": True,
        "notes": [],
        "error": None,
    }
    refused = {
        "ok": False,
        "error": {
            "code": "origin_refused",
            "message": "Ollama refuses requests from browser extensions.",
            "hint": "Start it with this environment setting: OLLAMA_ORIGINS=chrome-extension://*,moz-extension://*",
        },
    }
    nothing = {"providers.list": {"active": None, "providers": provider_views()}}
    return {
        "settings-providers": State("settings", ready=".provider"),
        "settings-none": State("settings", nothing, ready=".provider"),
        "settings-loading": State(
            "settings", {"providers.list": {"hang": True}}, boot=STARTING, ready=".loading"
        ),
        "settings-form": State("settings", ready=".provider", actions=[("click", row.format("anthropic"))]),
        "settings-new": State(
            "settings",
            nothing,
            ready=".provider",
            actions=[("click", row.format("openai")), ("click", "[data-action=test]")],
        ),
        **{
            f"settings-builtin-{name}": State(
                "settings",
                nothing,
                ready=".provider",
                actions=[
                    ("eval", LANGUAGE_MODEL[name]),
                    ("click", row.format("builtin")),
                    *([("click", "[data-action=download]")] if name == "downloading" else []),
                    ("wait", "[data-builtin]" if name != "downloading" else "progress[value='0.42']"),
                ],
            )
            for name in LANGUAGE_MODEL
        },
        "settings-local": State(
            "settings",
            {
                **nothing,
                "providers.models": {
                    "ok": True,
                    "models": ["qwen2.5-coder:1.5b", "llama3.3:70b", "gemma3:12b"],
                    "facts": {"gemma3:12b": {"contextWindow": 131_072, "supportsVision": True}},
                    "error": None,
                },
            },
            ready=".provider",
            actions=[("click", row.format("ollama")), ("click", "[data-action=models]"), ("wait", ".models")],
        ),
        "settings-models": State(
            "settings",
            {
                "providers.models": {
                    "ok": True,
                    "models": MODELS,
                    "facts": {
                        name: {"contextWindow": 128_000, "supportsVision": True} for name in MODELS[::3]
                    },
                    "error": None,
                }
            },
            ready=".provider",
            actions=[
                ("click", row.format("openrouter")),
                ("click", "[data-action=models]"),
                ("wait", ".models"),
                ("click", ".models li:first-child button"),
                ("type", "[data-filter=models]", "a3"),
            ],
        ),
        "settings-found": State("settings", {**nothing, "providers.scan": FOUND}, ready="[data-server]"),
        "settings-found-none": State(
            "settings", {**nothing, "providers.scan": {"found": []}}, ready=".servers-none"
        ),
        "settings-field": State(
            "settings",
            {"providers.test": {"ok": False, "error": NO_MODEL}},
            ready=".provider",
            actions=[
                ("click", row.format("anthropic")),
                ("click", "[data-action=test]"),
                ("wait", ".field-error"),
            ],
        ),
        "settings-test-ok": State(
            "settings",
            {"providers.test": test_ok},
            ready=".provider",
            actions=[
                ("click", row.format("anthropic")),
                ("click", "[data-action=test]"),
                ("wait", ".result-ok"),
            ],
        ),
        "settings-test-failed": State(
            "settings",
            {"providers.test": refused},
            ready=".provider",
            actions=[
                ("click", row.format("ollama")),
                ("type", "[data-field=model]", "llama3.3:70b"),
                ("click", "[data-action=test]"),
                ("wait", ".result-bad"),
            ],
        ),
        "settings-search": State(
            "settings",
            ready=".provider",
            actions=[("type", "#provider-search", "no such thing"), ("wait", ".nothing")],
        ),
        "settings-remove": State(
            "settings",
            ready=".provider",
            actions=[("click", row.format("anthropic")), ("click", "[data-action=remove]")],
        ),
        "settings-pictures": State("settings", anchor="#pictures", ready=".setting"),
        "settings-vision": State(
            "settings",
            {
                "vision.get": {"provider": "anthropic", "model": "claude-haiku-4-5", "usable": True},
                "vision.test": {**test_ok, "model": "claude-haiku-4-5"},
            },
            anchor="#pictures",
            ready="#vision-name",
            actions=[("click", "[data-action=vision-test]"), ("wait", ".result-ok")],
        ),
        "settings-vision-failed": State(
            "settings",
            {
                "vision.get": {"provider": "llamacpp", "model": "", "usable": True},
                "vision.test": {
                    "ok": False,
                    "error": {
                        "code": "not_seen",
                        "message": "qwen2.5-coder answered, but could not read the number in a test picture.",
                        "hint": "Choose a model that reads pictures.",
                    },
                },
            },
            anchor="#pictures",
            ready="#vision-name",
            actions=[
                ("type", "#vision-name", "qwen2.5-coder"),
                ("click", "[data-action=vision-test]"),
                ("wait", ".result-bad"),
            ],
        ),
        "settings-vision-gone": State(
            "settings",
            {**nothing, "vision.get": {"provider": "openai", "model": "", "usable": False}},
            anchor="#pictures",
            ready="#vision-provider",
        ),
        "settings-voice": State("settings", anchor="#voice", ready="#transcription-provider"),
        "settings-voice-chosen": State(
            "settings",
            {
                "transcription.get": {"provider": "auto", "model": "", "usable": True, "service": "llamacpp"},
                "transcription.test": {**test_ok, "model": "whisper-1"},
            },
            anchor="#voice",
            ready="#microphone",
            actions=[("click", "[data-action=transcription-test]"), ("wait", ".result-ok")],
        ),
        "settings-bedrock": State(
            "settings",
            {"providers.list": {"active": None, "providers": provider_views(bedrock=True)}},
            ready=".provider",
            actions=[
                ("click", row.format("aws_bedrock")),
                ("click", "[data-clear=sessionToken]"),
                ("click", "#form-aws_bedrock summary"),
            ],
        ),
        "settings-permissions": State("settings", anchor="#permissions", ready=".sites"),
        "settings-no-permissions": State(
            "settings",
            anchor="#permissions",
            ready=".permissions-none",
            replies={"permissions.list": {"sites": []}},
        ),
        "settings-general": State("settings", anchor="#general", ready=".setting"),
        "settings-spending": State(
            "settings",
            anchor="#general",
            ready="#spending",
            actions=[("eval", "document.querySelector('#spending').scrollIntoView({block: 'end'})")],
        ),
        **record_states(),
        "settings-about": State("settings", anchor="#about", ready=".timings"),
    }
