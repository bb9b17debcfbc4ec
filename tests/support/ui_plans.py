"""Plans and questions of the agent's, as cards of made-up runs."""

from tests.support.ui_runs import Run
from webbrain.agent.planner_model import Plan, plan_from
from webbrain.agent.planner_text import markdown, verbose_markdown
from webbrain.core import events as ev

PLAN = plan_from(
    {
        "summary": "Order the Fjord Shell in size M and have it sent to your address in Bergen.",
        "steps": [
            "Open the product page of the Fjord Shell",
            "Choose size M",
            "Put it into the basket and go to the checkout",
            "Fill in the address: Ada Lind, 12 Harbour Street, Bergen",
            "Place the order and read the order number",
        ],
        "risks": ["Places an order of 129.00 €, which the shop takes back within 14 days only"],
        "confidence": 0.62,
        "requires_state_change": True,
    }
)
LONG_PLAN = plan_from(
    {
        "summary": "Compare every rain jacket of the three shops " * 8,
        "steps": ["Look at each jacket and write down its price, weight and water column " * 4] * 12,
        "risks": ["It takes a while, and each page costs what reading a page costs " * 3] * 6,
        "confidence": 0.5,
    }
)


def review(plan: Plan = PLAN) -> ev.PlanReview:
    """The card that asks about a plan."""
    return ev.PlanReview(
        plan_id="plan-1",
        summary=plan.summary,
        steps=plan.actions,
        risks=list(plan.risks),
        confidence=plan.confidence,
        markdown=markdown(plan),
        verbose_markdown=verbose_markdown(plan),
        expires_at=600_000,
    )


def planning(plan: Plan = PLAN) -> Run:
    """A run whose plan waits for an answer."""
    run = Run().ask("Order the Fjord Shell in size M", ago=4_000)
    return run.add(ev.Thinking(step=0, note="plan")).add(review(plan))


def settled(decision: ev.PlanDecision) -> Run:
    """A run whose plan was answered."""
    run = planning().add(ev.PlanResolved(plan_id="plan-1", decision=decision))
    return run.think() if decision in ("approved", "edited") else run.end("stopped")


def by_itself() -> Run:
    """A run whose plan nobody had to look at."""
    told = ev.PlanAutoApproved(plan_id="plan-1", summary=PLAN.summary, steps=PLAN.actions, confidence=0.9)
    return Run().ask("Order the Fjord Shell in size M", ago=4_000).add(told).think()


QUESTION = ev.Card(
    card_id="ask-1",
    kind="clarify",
    title="A question for you",
    question="Which size do you need?\n\nThe jacket is in stock in S, M and XL, and you did not say.",
    options=[
        ev.CardOption(id="option_1", label="M, as you ordered last time"),
        ev.CardOption(id="option_2", label="S"),
        ev.CardOption(id="option_3", label="XL, which fits wide over a second warm jacket in winter"),
    ],
    seconds=60,
    free_text=True,
)


def answered(answer: str, source: str, text: str = "") -> ev.CardResolved:
    """What became of the question."""
    return ev.CardResolved.model_validate(
        {"card_id": "ask-1", "answer": answer, "source": source, "text": text}
    )
