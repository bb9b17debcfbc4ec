"""States of the panel that strain its layout: long words, wide tables, right-to-left text; and its menu."""

from typing import Any

from tests.support.ui_providers import provider_views
from tests.support.ui_runs import LONG_ANSWER, TAB, Run, shopping
from tests.support.ui_state import PROVIDER, State, panel, running
from webbrain.core import events as ev

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
LONG_URL = (
    "https://shop.example/catalogue/jackets/" + "waterproof-and-light-" * 8 + "?utm_source=newsletter&page=2"
)
WIDE = f"""\
## Comparison

| Jacket | Price | Water column | Weight | Packed size | Taped seams | Sizes in stock | Delivery |
| :-- | --: | --: | --: | :-- | :-: | :-- | :-- |
| Fjord Shell | 129.00 € | 10,000 mm | 410 g | 24 by 12 by 8 cm | yes | S, M, L, XL | Friday, 4 December |
| {LONG_WORD} | 99.50 € | 8,000 mm | 280 g | 16 by 8 by 8 cm | no | M | Monday, 7 December |

1. First, what is the same for all:
   - taped seams
     - inside
     - outside, but only at the hood, which the maker calls “storm-proof”
   - a hood
2. Then what is not.

> “{LONG_WORD}” is what the label says.
>
> > And inside the quotation another one.

---

```json
{{"address": "{LONG_URL}", "price": 129.0}}
```

Inline: `document.querySelectorAll("[data-product]").forEach((element) => element.remove())` and <{LONG_URL}>.
"""
ARABIC = """\
وجدتُ ثلاث سترات تناسبك، وأخفّها **Tarn Light** بسعر 99.50 €.

1. سترة Fjord Shell: مقاومة للماء حتى 10,000 mm
2. سترة Tarn Light: خفيفة وتُطوى في جيبها

> الأسعار كما تظهر اليوم، بدون الشحن.
"""
TURNS = 60
"""Of a long conversation."""


def set_up(**models: str) -> dict[str, Any]:
    """The answer to ``providers.list`` with these services set up; the first of them is in use."""
    first = next(iter(models))
    views = provider_views(first)
    for view in views:
        view["configured"] = view["id"] in models
        view["model"] = models.get(view["id"], view["model"])
    return {"active": first, "providers": views}


MODELS = set_up(
    anthropic="claude-sonnet-5",
    llamacpp="",
    openrouter="a-vendor-with-a-name/some-model-7b-instruct-with-thinking-2026-11-preview:free",
)


def conversation(turns: int) -> Run:
    """So many questions with long answers."""
    run = Run()
    for number in range(turns):
        run.ask(f"Question {number + 1}: which of them is the lightest?", "ask", ago=40_000).think()
        run.say(LONG_ANSWER, final=True).end(ms=4_000)
    return run


def strain_states() -> dict[str, State]:
    wide = (
        Run().ask(f"What does {LONG_WORD} mean, and {LONG_URL}?", "ask").think().say(WIDE, final=True).end()
    )
    right_to_left = Run().ask("ما هي السترات المقاومة للماء؟", "ask").think().say(ARABIC, final=True).end()
    named = {**PROVIDER, "model": "some-model-7b-instruct-with-thinking-2026-11-preview:free"}
    tab = {"id": TAB, "url": LONG_URL.replace("shop", f"{LONG_WORD[:40].lower()}.shop"), "title": LONG_WORD}
    words = (
        Run()
        .ask(f"{LONG_WORD} {LONG_URL}")
        .think()
        .say(f"Opening {LONG_URL}")
        .tool(
            "navigate",
            f"Open {LONG_URL}",
            {"url": LONG_URL},
            {"error": LONG_WORD},
            ok=False,
            summary=LONG_URL,
        )
        .think()
    )
    failed = (
        Run()
        .ask("What does this shop charge for delivery?", "ask")
        .think()
        .add(
            ev.RunError(
                code="request_refused",
                message="OpenRouter refused the request.",
                detail="Choose another model, or try again later.\n\n"
                + '{"error": {"message": "Provider returned error", "metadata": {"raw": "'
                + LONG_URL
                + '"}}}\n' * 8,
            )
        )
        .end("failed", ms=1_200)
    )
    return {
        "model-menu": State(
            replies={"panel.open": panel(), "providers.list": MODELS},
            actions=[("click", "#model-button"), ("wait", "[data-model]")],
        ),
        "model-menu-running": State(
            replies={
                **running(shopping().think()),
                "providers.list": MODELS,
                "providers.activate": {"fails": {"code": "not_configured", "message": "It is not set up."}},
            },
            ready=".thinking",
            actions=[
                ("click", "#model-button"),
                ("wait", "[data-model]"),
                ("click", "[data-model=llamacpp]"),
                ("wait", ".model-menu .field-error"),
            ],
        ),
        "answer-wide": State(events=wide.events, ready=".turn-footer"),
        "answer-rtl": State(events=right_to_left.events, ready=".turn-footer"),
        "long-words": State(
            replies=running(words, provider=named, tab={"url": tab["url"], "title": LONG_WORD}),
            tabs=[{**tab, "active": True}],
            ready=".thinking",
        ),
        "error-long": State(
            events=failed.events, ready=".card-error", actions=[("click", ".card-error [aria-expanded]")]
        ),
        "conversation-long": State(
            events=conversation(TURNS).events, ready=f".turn:nth-child({TURNS}) .turn-footer"
        ),
    }
