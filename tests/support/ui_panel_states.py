"""Every state the side panel can be in."""

from tests.support.ui_cards import ASKED
from tests.support.ui_files import BAD, DRAG, PICK, REFUSAL, with_files
from tests.support.ui_plans import LONG_PLAN, QUESTION, answered, by_itself, planning, settled
from tests.support.ui_providers import FOUND
from tests.support.ui_runs import (
    CARD,
    LONG_ANSWER,
    LONG_CARD,
    SEEN,
    TAB,
    Run,
    error_run,
    following,
    looking,
    many_steps,
    shopping,
)
from tests.support.ui_state import (
    COMMAND_REPLIES,
    NEWS,
    NO_COMMAND,
    SIDE_PANEL,
    STARTING,
    State,
    panel,
    running,
)
from webbrain.agent.model import PICTURES_REFUSED
from webbrain.agent.run_tabs import told_open
from webbrain.core import events as ev
from webbrain.tools.debugging import REFUSED
from webbrain.tools.silence import SILENT


def panel_states() -> dict[str, State]:
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
            replies=running(Run().ask("Order the Fjord Shell in size M", ago=2_000).think()),
            ready=".thinking",
        ),
        "waiting": State(
            replies=running(
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
            replies=running(
                shopping()
                .think()
                .tool("navigate", "Open shop.example/checkout", {"url": "https://shop.example/checkout"})
            ),
            ready=".step-running",
        ),
        "running-long": State(
            replies=running(
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
        "progress": State(
            events=following().end("completed", "partial").events,
            ready=".not-done",
            actions=[("click", ".progress-list summary")],
        ),
        "progress-folded": State(
            replies={"panel.open": panel(following(ended=False).events, running=True)},
            ready=".progress-list",
        ),
        "warning": State(
            replies=running(
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
            replies=running(
                shopping().add(ev.ContextCompacted(messages_before=61, messages_after=32)).think()
            ),
            ready=".separator",
        ),
        "card-submit": State(replies=running(shopping().think().add(CARD)), ready="[data-ready=true]"),
        "card-clarify": State(replies=running(shopping().think().add(QUESTION)), ready=".card-clarify"),
        "clarify-answered": State(
            replies=running(
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
            replies=running(
                Run().ask("Order the Fjord Shell", ago=2_000).add(ev.Thinking(step=0, note="plan"))
            ),
            ready=".thinking",
        ),
        "plan": State(replies=running(planning()), ready=".card-plan"),
        "plan-edit": State(
            replies=running(planning()),
            ready=".card-plan",
            actions=[("click", "[data-action=edit]"), ("click", "[data-action=add]")],
        ),
        "plan-text": State(
            replies=running(planning()),
            ready=".card-plan",
            actions=[("click", "[data-action=edit]"), ("click", "[data-action=text]")],
        ),
        "plan-long": State(replies=running(planning(LONG_PLAN)), ready=".card-plan"),
        "plan-approved": State(
            replies=running(settled("edited")),
            ready=".plan-settled",
            actions=[("click", ".plan-settled summary")],
        ),
        "plan-rejected": State(events=settled("rejected").events, ready=".plan-settled"),
        "plan-auto": State(replies=running(by_itself()), ready=".plan-settled"),
        "card-answered": State(
            replies=running(
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
        "lost": State(
            events=shopping().end("stopped").events,
            ready=".turn-footer",
            actions=[
                ("eval", "wb.ensure({ok: false, error: 'No service worker.'}); wb.disconnect()"),
                ("wait", ".strip .link-button"),
                (
                    "eval",
                    "const timer = setInterval(() => document.querySelector('.strip .link-button')?.click()"
                    " ?? (document.querySelector('.notice-warn') && clearInterval(timer)), 50)",
                ),
                ("wait", ".notice-warn"),
            ],
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
            replies=running(Run().ask("Compare these jackets for me.\n" * 30, "ask", ago=3_000).think()),
            ready=".clamped",
        ),
        "card-long": State(replies=running(shopping().think().add(LONG_CARD)), ready=".card-submit"),
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
            f"ask-{name}": State(replies=running(shopping().think().add(card)), ready="[data-ready=true]")
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
        "pictures": State(replies=running(looking().think()), ready=".picture img"),
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
            replies=running(shopping().think()),
            ready=".thinking",
            actions=[("click", "#new-conversation")],
        ),
    }
