"""A conversation as a Markdown text: what a person reads again, and nothing that fetches or tells."""

from datetime import UTC, timedelta, timezone
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from webbrain import __version__
from webbrain.agent.records import event_of
from webbrain.core.errors import WebBrainError
from webbrain.core.events import RunEvent
from webbrain.policy.credentials import MASK, masked
from webbrain.services.transcript import harmless, title_of, transcript
from webbrain.testing.scripted import call

NOON = 1_796_040_000_000
"""2026-11-30 12:00 UTC, in milliseconds."""


def event(name: str, at: float = 0, run: str = "run_1", /, **data: Any) -> RunEvent:
    made = event_of(
        {
            "tabId": 1,
            "conversationId": "conv_1",
            "runId": run,
            "requestId": "r",
            "seq": 1,
            "type": name,
            "at": NOON + at * 1000,
            "data": data,
        }
    )
    assert made is not None
    return made


def asked(text: str = "What does tea cost?", **more: Any) -> RunEvent:
    return event("user_message", text=text, mode="act", **more)


def step(number: int, label: str, at: float = 1) -> RunEvent:
    return event("tool_call", at, callId=f"c{number}", name="click_ax", label=label, args="{}", step=1)


def result(number: int, **more: Any) -> RunEvent:
    base: dict[str, Any] = {"callId": f"c{number}", "name": "click_ax", "ok": True, "result": "{}"}
    return event("tool_result", 2, **{**base, "summary": "", "durationMs": 5, **more})


END: dict[str, Any] = {"status": "completed", "outcome": "success", "steps": 2}
END |= {"durationMs": 5_400, "costUsd": 0.0123}


def written(*events: RunEvent, **more: Any) -> str:
    return transcript(events, now=NOON / 1000 + 3_600, zone=UTC, **more).markdown


def test_it_reads_like_a_protocol() -> None:
    text = written(
        asked(),
        step(1, "Click “Buy”"),
        result(1),
        step(2, "Click “More”", 3),
        result(2, ok=False),
        event("warning", 4, code="x", message="Careful."),
        event("text", 5, content="It costs **4 euros**.", final=True),
        event("run_complete", 6, **END),
        address="https://shop.example/tea",
    )
    assert text == (
        "# What does tea cost?\n\n"
        "- Begun 2026-11-30 12:00 (UTC)\n"
        "- Last change 2026-11-30 12:00\n"
        "- Page: https://shop.example/tea\n"
        f"- Exported 2026-11-30 13:00 by WebBrain {__version__}\n\n\n"
        "## 12:00 You (Act)\n\n"
        "> What does tea cost?\n\n"
        "- 12:00:01 Click “Buy”: ok\n"
        "- 12:00:03 Click “More”: failed\n"
        "- 12:00:04 Note: Careful.\n\n"
        "It costs **4 euros**.\n\n"
        "*Done, 2 steps, 5.4 s, $0.0123*\n"
    )


def test_times_are_those_of_the_reader() -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    file = transcript([asked()], now=NOON / 1000, zone=zone)
    assert "17:30 (UTC+05:30)" in file.markdown
    assert file.filename == "webbrain-2026-11-30-what-does-tea-cost.md"
    assert transcript([asked("茶の値段")], now=1, zone=UTC).filename == "webbrain-2026-11-30-conversation.md"


def test_questions_plans_and_deaths_are_told() -> None:
    card = {"kind": "permission", "title": "Work on shop.example?", "question": "It wants to click."}
    options = [{"id": "once", "label": "Allow this task"}]
    text = written(
        asked("Buy *tea*"),
        event(
            "plan_review",
            1,
            planId="p",
            summary="Buy",
            steps=["Look", "Buy"],
            confidence=0.9,
            markdown="",
            verboseMarkdown="",
            expiresAt=1,
        ),
        event("plan_resolved", 2, planId="p", decision="edited"),
        event("clarify", 3, cardId="k", options=options, **card),
        event("card_resolved", 4, cardId="k", answer="once"),
        step(1, "Click", 5),
        result(1, ok=False, unknown=True),
        event("text_delta", 6, delta="It is"),
        event("run_complete", 7, status="interrupted"),
        event("user_message", 8, "run_2", text="", mode="act", continued=True),
        event("context_compacted", 9, "run_2", messagesBefore=60, messagesAfter=20),
    )
    for line in (
        "- 12:00:01 Plan (changed and approved): Buy\n  1. Look\n  2. Buy\n",
        "- 12:00:03 Question: Work on shop.example? It wants to click. → Allow this task\n",
        "Click: outcome unknown",
        "\nIt is\n",
        "*Interrupted*",
        "## 12:00 Continue (Act)",
        "Older messages were summarised",
    ):
        assert line in text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("![x](https://evil.example/?q=1)", "!\\[x](https://evil.example/?q=1)"),
        ("<img src=https://evil.example>", "&lt;img src=https://evil.example>"),
        ("a < b and 3<4", "a < b and 3<4"),
        ("```html\n<img src=x>\n```\n<b>", "```html\n<img src=x>\n```\n&lt;b>"),
        ("````\n```\n<i>\n````\n<i>", "````\n```\n<i>\n````\n&lt;i>"),
        ("```\n<img>", "```\n<img>\n```"),
    ],
)
def test_nothing_is_fetched_by_whoever_opens_it(given: str, told: str) -> None:
    assert harmless(given) == told
    assert told in written(asked(), event("text", content=given, final=True))


def test_a_step_is_one_line_whatever_a_page_calls_itself() -> None:
    text = written(asked(), step(1, "Click “a\n# b\n![c](d) <img>”"), result(1))
    assert "Click “a \\# b !\\[c\\](d) \\<img\\>”: ok" in text


def test_a_title_is_the_beginning_in_one_line() -> None:
    assert title_of("  Buy\n tea ") == "Buy tea"
    assert len(title_of("word " * 50)) <= 91
    assert title_of("word " * 50).endswith("word…")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My password is hunter2! thanks", f"My password is {MASK} thanks"),
        ("token: abc123def", f"token: {MASK}"),
        ("sk-abcdefghijklmnop1234", MASK),
        ("Bearer abcdefghijklmnop1234", MASK),
        ("Change my password on the site", "Change my password on the site"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, told: str) -> None:
    assert masked(text) == told


async def test_no_secret_is_exported() -> None:
    canary = "canary-pass-98765"
    bench = Bench(
        call("set_field", ref_id="ref_2", text=canary),
        f"I entered {canary}.",
    )
    bench.host.page.on("set_field", {"fieldMeta": {"type": "password"}, "changed": ["ref_2"]})
    await bench.run(f"Sign in with {canary}", "act")
    conversation = bench.app.conversations.at_hand(TAB)
    assert conversation is not None
    export = {"id": conversation.id}
    before = (await bench.app.handle_ui("history.export", export))["markdown"]
    assert canary not in before
    assert "Sign in with [redacted]" in before
    await bench.app.handle_ui("history.list", {})
    await bench.app.history.settled()
    assert canary not in str(bench.host.tables.data)


async def test_an_empty_conversation_is_not_exported() -> None:
    bench = Bench()
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    with pytest.raises(WebBrainError) as error:
        await bench.app.handle_ui("history.export", {"id": opened["conversationId"]})
    assert error.value.code == "nothing_to_export"
