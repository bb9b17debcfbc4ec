"""Every state the screens can be in, as tables for the fake port (tests/ui/fake_port.js).

A state is what Python and the browser answer, and what a person then does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.ui_cards import ASKED
from tests.support.ui_files import BAD, DRAG, PICK, REFUSAL, with_files
from tests.support.ui_plans import LONG_PLAN, QUESTION, answered, by_itself, planning, settled
from tests.support.ui_runs import (
    CARD,
    CONVERSATION,
    LONG_ANSWER,
    LONG_CARD,
    PICTURE,
    SEEN,
    TAB,
    Run,
    error_run,
    looking,
    many_steps,
    shopping,
)
from webbrain.agent.model import PICTURES_REFUSED
from webbrain.agent.run_tabs import told_open
from webbrain.core import events as ev
from webbrain.providers import catalog as catalogs
from webbrain.providers.config import ProviderConfig
from webbrain.providers.form import view
from webbrain.services.commands import COMMANDS
from webbrain.services.settings import Settings, shown, values
from webbrain.tools.debugging import REFUSED
from webbrain.tools.silence import SILENT

Action = tuple[str, ...]
"""``click`` css, ``type`` css text, ``press`` key, ``eval`` JavaScript, ``wait`` css."""

SHOP = {
    "id": TAB,
    "url": "https://shop.example/rain-jackets",
    "title": "Rain jackets - Field & Fjord",
    "active": True,
}
NEWS = {"id": 8, "url": "https://news.example/", "title": "Morning paper", "active": False}
PHASES = [
    {"name": "runtime", "ms": 212},
    {"name": "snapshot", "ms": 148},
    {"name": "package", "ms": 61},
    {"name": "tools", "ms": 9},
    {"name": "recovery", "ms": 4},
]
READY = {"state": "ready", "epoch": 1, "mode": "snapshot", "phases": PHASES, "totalMs": 434, "reason": ""}
STARTING = {"state": "starting", "epoch": 1, "mode": "", "phases": PHASES[:2], "totalMs": 360, "reason": ""}
PROVIDER = {"id": "anthropic", "label": "Anthropic Claude", "model": "claude-sonnet-5", "tier": "full"}

SIDE_PANEL = "wb.inTab = false, navigator.permissions.query = async () => ({ state: 'prompt' })"
"""As in a side panel, which cannot show the browser's questions."""


COMMAND_REPLIES = {
    "commands.list": {"commands": [command.view() for command in COMMANDS.values()]},
    "commands.run": {"ok": True, "code": "mode_act", "send": ""},
}
NO_COMMAND = {
    "code": "unknown_command",
    "message": "There is no command /nonsense.",
    "data": {"name": "nonsense"},
}
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


def panel(events: Sequence[Mapping[str, Any]] = (), **change: Any) -> dict[str, Any]:
    """The answer to ``panel.open``."""
    return {
        "tabId": TAB,
        "conversationId": CONVERSATION,
        "mode": "act",
        "running": False,
        "run": None,
        "events": list(events),
        "tab": {"url": SHOP["url"], "title": SHOP["title"]},
        "provider": PROVIDER,
        "settings": {"wbLocale": "auto", "verboseMode": False},
        "capabilities": {},
        **change,
    }


@dataclass(frozen=True)
class State:
    """One state. ``ready`` is a selector that is there once it is fully shown."""

    page: str = "sidepanel"
    replies: Mapping[str, Any] = field(default_factory=dict)
    boot: Mapping[str, Any] = field(default_factory=lambda: READY)
    tabs: Sequence[Mapping[str, Any]] = (SHOP, NEWS)
    ensure: Mapping[str, Any] = field(default_factory=lambda: {"ok": True})
    actions: Sequence[Action] = ()
    ready: str = "#composer"
    query: str = ""
    anchor: str = ""
    events: Sequence[Mapping[str, Any]] = ()

    def table(self) -> dict[str, Any]:
        """What the fake port reads."""
        replies = dict(self.replies)
        if self.page == "sidepanel":
            replies.setdefault("panel.open", panel(self.events))
            replies.setdefault("pictures.get", {"dataUrl": PICTURE})
        else:
            replies = {**_settings_replies(), **replies}
        return {
            "replies": replies,
            "boot": dict(self.boot),
            "tabs": list(self.tabs),
            "ensure": dict(self.ensure),
        }


def _running(run: Run, **change: Any) -> dict[str, Any]:
    return {"panel.open": panel(run.events, running=True, **change)}


def _panel_states() -> dict[str, State]:
    streamed = LONG_ANSWER[:430]
    asked = Run().ask("Which rain jackets fit me? Size M, under 150 €.", "ask", ago=6_000).think()
    ask_mode = {"mode": "ask"}
    return {
        "voice": State(replies={"panel.open": panel(voice=True)}, ready="#voice"),
        "voice-listening": State(
            replies={"panel.open": panel(voice=True)},
            ready="#voice",
            actions=[("click", "#voice"), ("wait", "#voice-write")],
        ),
        "voice-problem": State(
            replies={"panel.open": panel(voice=True)},
            ready="#voice",
            actions=[("eval", SIDE_PANEL), ("click", "#voice"), ("wait", ".voice-problem")],
        ),
        "no-provider": State(
            replies={"panel.open": panel(provider=None, mode="ask"), "providers.scan": {"found": []}},
            ready=".servers-none",
        ),
        "no-provider-found": State(
            replies={"panel.open": panel(provider=None, mode="ask"), "providers.scan": FOUND},
            ready="[data-server]",
        ),
        "empty-ask": State(replies={"panel.open": panel(mode="ask")}, ready=".example"),
        "empty-act": State(ready=".example"),
        "draft": State(
            ready=".example",
            actions=[
                (
                    "type",
                    "#composer",
                    "Fill in the address form with my data:\nAda Lind\n12 Harbour Street\nBergen",
                )
            ],
        ),
        "starting": State(
            boot=STARTING,
            replies={"panel.open": {"hang": True}},
            ready=".strip-time",
            actions=[("click", ".strip .link-button")],
        ),
        "queued": State(
            boot=STARTING,
            replies={"panel.open": {"hang": True}},
            ready=".strip-time",
            actions=[("type", "#composer", "Summarize this page"), ("press", "Enter")],
        ),
        "thinking": State(
            replies=_running(Run().ask("Order the Fjord Shell in size M", ago=2_000).think()),
            ready=".thinking",
        ),
        "waiting": State(
            replies=_running(
                shopping()
                .think()
                .add(
                    ev.Waiting(
                        code="rate_limited",
                        message="Anthropic Claude is asking to slow down.",
                        seconds=45,
                        until=45_000,
                        attempt=1,
                    )
                )
            ),
            ready=".pause-time",
        ),
        "cost-limit": State(
            events=shopping()
            .add(
                ev.RunError(
                    code="cost_limit",
                    message="The allowance for this browser session is used up: $10.02 of $10.00.",
                    detail="Raise it in the settings, or reset what was spent, and continue. "
                    "Models on your own machine cost nothing.",
                    retryable=False,
                )
            )
            .end("cost_limit", cost_usd=1.234, conversation_cost_usd=3.5)
            .events,
            ready=".card-error",
        ),
        "running": State(
            replies=_running(
                shopping()
                .think()
                .tool("navigate", "Open shop.example/checkout", {"url": "https://shop.example/checkout"})
            ),
            ready=".step-running",
        ),
        "running-long": State(
            replies=_running(
                many_steps().think().tool("wait_for_element", "Wait for the page", {"selector": "#pay"})
            ),
            ready=".steps-more",
        ),
        "streaming": State(
            replies={"panel.open": panel(asked.copy().stream(streamed).events, running=True, **ask_mode)},
            ready=".streaming",
        ),
        "answer": State(
            replies={
                "panel.open": panel(
                    asked.copy().say(LONG_ANSWER, final=True).end(ms=8_300).events, **ask_mode
                )
            },
            ready=".turn-footer",
        ),
        "done": State(
            events=many_steps()
            .think()
            .say(
                "The jacket is ordered: **Fjord Shell**, size M, delivery on Friday 4 December. "
                "The order number is 4711.",
                final=True,
            )
            .end(
                "completed",
                "success",
                ms=64_000,
                cost_usd=0.0128,
                cost_estimated=True,
                conversation_cost_usd=0.0533,
            )
            .events,
            ready=".turn-footer",
        ),
        "step-open": State(
            events=shopping()
            .think()
            .tool(
                "click_ax",
                "Click “Order”",
                {"ref_id": "ref_9"},
                {"success": False},
                ok=False,
                summary="The button is disabled.",
            )
            .tool(
                "press_keys",
                "Press Enter",
                {"key": "Enter"},
                {"code": "outcome_unknown"},
                unknown=True,
                summary="The page went away.",
            )
            .end("completed", "partial")
            .events,
            ready=".turn-footer",
            actions=[("click", ".step:nth-child(2) .step-row")],
        ),
        "warning": State(
            replies=_running(
                shopping()
                .add(
                    ev.Warning(
                        code="model_differs",
                        message="The server answered with qwen2.5-coder instead of llama-3.3.",
                    )
                )
                .think()
            ),
            ready=".warning",
        ),
        "compacted": State(
            replies=_running(
                shopping().add(ev.ContextCompacted(messages_before=61, messages_after=32)).think()
            ),
            ready=".separator",
        ),
        "card-submit": State(replies=_running(shopping().think().add(CARD)), ready="[data-ready=true]"),
        "card-clarify": State(replies=_running(shopping().think().add(QUESTION)), ready=".card-clarify"),
        "clarify-answered": State(
            replies=_running(
                shopping()
                .think()
                .add(QUESTION)
                .add(answered("option_1", "timeout"))
                .think()
                .add(QUESTION.model_copy(update={"card_id": "ask-2"}))
                .add(answered("text", "user", "L, please").model_copy(update={"card_id": "ask-2"}))
                .think()
            ),
            ready=".card-answered",
        ),
        "planning": State(
            replies=_running(
                Run().ask("Order the Fjord Shell", ago=2_000).add(ev.Thinking(step=0, note="plan"))
            ),
            ready=".thinking",
        ),
        "plan": State(replies=_running(planning()), ready=".card-plan"),
        "plan-edit": State(
            replies=_running(planning()),
            ready=".card-plan",
            actions=[("click", "[data-action=edit]"), ("click", "[data-action=add]")],
        ),
        "plan-text": State(
            replies=_running(planning()),
            ready=".card-plan",
            actions=[("click", "[data-action=edit]"), ("click", "[data-action=text]")],
        ),
        "plan-long": State(replies=_running(planning(LONG_PLAN)), ready=".card-plan"),
        "plan-approved": State(
            replies=_running(settled("edited")),
            ready=".plan-settled",
            actions=[("click", ".plan-settled summary")],
        ),
        "plan-rejected": State(events=settled("rejected").events, ready=".plan-settled"),
        "plan-auto": State(replies=_running(by_itself()), ready=".plan-settled"),
        "card-answered": State(
            replies=_running(
                shopping().think().add(CARD).add(ev.CardResolved(card_id="card-1", answer="once")).think()
            ),
            ready=".card-answered",
        ),
        "error-key": State(
            events=error_run(
                "wrong_key",
                "Anthropic Claude does not accept this key. Check it in the settings.",
                "invalid x-api-key",
            ).events,
            ready=".card-error",
        ),
        "error-server": State(
            events=error_run(
                "server_not_running",
                "Nothing answers at http://localhost:8080.",
                "Start it with: llama-server -m model.gguf --port 8080 --jinja\n\nFailed to fetch",
            ).events,
            ready=".card-error",
        ),
        "error-page": State(
            events=error_run("bug", "Something went wrong inside WebBrain.", retryable=False).events,
            ready=".card-error",
        ),
        "max-steps": State(
            events=many_steps()
            .add(
                ev.MaxSteps(
                    steps=30,
                    recap="Found the jacket and chose **size M**. Not done yet: address and delivery day.",
                )
            )
            .end("max_steps")
            .events,
            ready=".card-more",
        ),
        "stopped": State(events=shopping().end("stopped", ms=5_100).events, ready=".verdict"),
        "interrupted": State(
            events=shopping()
            .think()
            .tool("click_ax", "Click “Order now”", {"ref_id": "ref_40"})
            .end("interrupted")
            .events,
            ready=".verdict",
        ),
        "boot-failed": State(
            boot={
                **STARTING,
                "state": "failed",
                "reason": "The Worker broke: js/worker.js could not be read.",
            },
            replies={"panel.open": {"fails": {"code": "not_started", "message": "The Worker broke."}}},
            ready="#boot-retry",
            actions=[("click", ".notice .link-button")],
        ),
        "restricted": State(
            tabs=[{"id": TAB, "url": "chrome://extensions/", "title": "Extensions", "active": True}],
            replies={
                "panel.open": panel(mode="ask", tab={"url": "chrome://extensions/", "title": "Extensions"})
            },
            ready=".notice-info",
        ),
        "tab-gone": State(tabs=[NEWS], query=f"&tabId={TAB}", ready=".notice-info"),
        "reconnecting": State(
            events=shopping().end("stopped").events,
            ready=".turn-footer",
            actions=[("eval", "wb.ensure({ok: false}); wb.disconnect()"), ("wait", ".strip .link-button")],
        ),
        "reload": State(
            events=shopping().end("stopped").events,
            ready=".turn-footer",
            actions=[("eval", "chrome.runtime.id = undefined; wb.disconnect()"), ("wait", ".notice-warn")],
        ),
        "not-sent": State(
            replies={
                "panel.open": panel(),
                "chat.start": {"fails": {"code": "busy", "message": "A run is still going on in this tab."}},
            },
            ready=".example",
            actions=[("type", "#composer", "Order it"), ("press", "Enter"), ("wait", ".waiting-failed")],
        ),
        "long-question": State(
            replies=_running(Run().ask("Compare these jackets for me.\n" * 30, "ask", ago=3_000).think()),
            ready=".clamped",
        ),
        "card-long": State(replies=_running(shopping().think().add(LONG_CARD)), ready=".card-submit"),
        "gate-off": State(
            replies={"panel.open": panel(settings={"askBeforeConsequentialActions": False})},
            ready="[data-switch=gate]",
        ),
        "api-on": State(replies={"panel.open": panel(allowApi=True)}, ready="[data-switch=api]"),
        "commands": State(
            replies=COMMAND_REPLIES, actions=[("type", "#composer", "/a"), ("wait", ".command-list")]
        ),
        "commands-help": State(
            replies={
                **COMMAND_REPLIES,
                "commands.run": {"ok": True, "code": "help", "about": "", "send": ""},
            },
            actions=[("type", "#composer", "/help "), ("click", "#send"), ("wait", ".command-help")],
        ),
        "commands-unknown": State(
            replies={**COMMAND_REPLIES, "commands.run": {"fails": NO_COMMAND}},
            actions=[("type", "#composer", "/nonsense"), ("click", "#send"), ("wait", ".command-said")],
        ),
        **{
            f"ask-{name}": State(replies=_running(shopping().think().add(card)), ready="[data-ready=true]")
            for name, card in ASKED.items()
        },
        "attached": State(
            actions=(
                ("eval", PICK),
                ("wait", ".chip:nth-child(3)"),
                ("type", "#composer", "Does it come in my size?"),
            ),
        ),
        "attached-refused": State(
            replies={"chat.start": REFUSAL},
            actions=(
                ("eval", PICK),
                ("wait", ".chip:nth-child(3)"),
                ("type", "#composer", "Does it come in my size?"),
                ("press", "Enter"),
                ("wait", ".chip-refused"),
            ),
        ),
        "attached-bad": State(actions=(("eval", BAD), ("wait", ".attach-problems p:nth-child(3)"))),
        "drop": State(actions=(("eval", DRAG), ("wait", ".drop-zone"))),
        "sent-files": State(events=with_files().events, ready=".picture img"),
        "pictures": State(replies=_running(looking().think()), ready=".picture img"),
        "picture-large": State(
            events=looking(SEEN).end("completed", "success").events,
            ready=".picture img",
            actions=[("click", '[data-picture="pic_2"]'), ("wait", ".picture-dialog[open] img")],
        ),
        "picture-gone": State(
            replies={
                "pictures.get": {"dataUrl": ""},
                "panel.open": panel(looking().end("stopped").events),
            },
            ready=".picture-gone",
        ),
        "notices": State(
            events=shopping()
            .add(ev.Warning(code="debugger_refused", message=REFUSED))
            .think()
            .add(ev.Warning(code="page_silent", message=SILENT))
            .tool(
                "click_ax",
                "Click “Delete”",
                {"ref_id": "ref_4"},
                {"code": "page_busy"},
                ok=False,
                summary="page busy",
            )
            .think()
            .tool("answer_dialog", "Answer the page's dialog", {"accept": False}, {"success": True})
            .add(
                ev.Warning(
                    code="pictures_refused",
                    message=PICTURES_REFUSED.format(label="DeepSeek"),
                )
            )
            .add(
                told_open(
                    [
                        ev.OpenTab(tab_id=8, url="https://news.example/"),
                        ev.OpenTab(tab_id=9, url="https://shop.example/terms/" + "long-" * 20),
                    ]
                )
            )
            .end("completed", "partial")
            .events,
            ready=".turn-footer",
        ),
        "confirm-clear": State(
            events=shopping().end("stopped").events,
            ready=".turn-footer",
            actions=[("click", "#new-conversation")],
        ),
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


def _settings_replies() -> dict[str, Any]:
    return {
        "providers.list": {"active": "anthropic", "providers": provider_views("anthropic")},
        "settings.get": {"values": values(Settings()), "fields": shown()},
        "vision.get": {"provider": "", "model": "", "usable": False},
        "transcription.get": {"provider": "", "model": "", "usable": False, "service": ""},
        "providers.scan": {"found": []},
        "permissions.list": SITES,
        "spending.get": {"sessionUsd": 0.4213, "totalUsd": 7.35, "since": 1_793_500_000_000},
    }


def _settings_states() -> dict[str, State]:
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
        "settings-about": State("settings", anchor="#about", ready=".timings"),
    }


STATES: dict[str, State] = {**_panel_states(), **_settings_states()}
"""Name to state, in the order they are pictured."""
