"""Slash commands: what is one, what it does, and that nothing else reaches a model."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from webbrain.core.errors import WebBrainError
from webbrain.core.types import Capability
from webbrain.policy.asking import ANSWERS, DETAILS, QUESTIONS, TITLES, WARNINGS
from webbrain.policy.grants import Need
from webbrain.prompts import prompt
from webbrain.services.commands import COMMANDS, parse
from webbrain.testing.scripted import call

ENGLISH = Path(__file__).parents[2] / "js/_locales/en/messages.json"


@pytest.mark.parametrize(
    ("text", "name", "options", "message"),
    [
        ("/help", "help", set(), ""),
        ("/HELP", "help", set(), ""),
        ("/act", "act", set(), ""),
        ("/act buy tea", "act", set(), "buy tea"),
        ("/act\nbuy\ntea", "act", set(), "buy\ntea"),
        ("/allow-api --off", "allow-api", {"--off"}, ""),
        ("/allow-api -- --off is a word", "allow-api", set(), "--off is a word"),
        ("/reset --help", "reset", {"--help"}, ""),
        ("  /ask  why? ", "ask", set(), "why?"),
    ],
)
def test_commands(text: str, name: str, options: set[str], message: str) -> None:
    parsed = parse(text)
    assert (parsed.command.name, set(parsed.options), parsed.message) == (name, options, message)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("/", "unknown_command"),
        ("/nonsense", "unknown_command"),
        ("/helpme", "unknown_command"),
        ("/allow_api", "unknown_command"),
        ("/etc/hosts", "unknown_command"),
        ("help", "unknown_command"),
        ("/help me", "bad_usage"),
        ("/allow-api --on", "bad_usage"),
        ("/allow-api --off --off", "bad_usage"),
        ("/allow-api --off --help", "bad_usage"),
        ("/reset now", "bad_usage"),
    ],
)
def test_what_is_none(text: str, code: str) -> None:
    with pytest.raises(WebBrainError) as error:
        parse(text)
    assert error.value.code == code


async def run(bench: Bench, text: str) -> Any:
    return await bench.app.handle_ui("commands.run", {"tabId": TAB, "text": text})


async def test_the_list_is_the_table() -> None:
    listed = await Bench().app.handle_ui("commands.list", {})
    assert [row["name"] for row in listed["commands"]] == list(COMMANDS)


async def test_no_command_is_a_message() -> None:
    bench = Bench("never")
    with pytest.raises(WebBrainError):
        await run(bench, "/nonsense do it")
    assert bench.model.requests == []


async def test_modes_details_and_a_new_conversation() -> None:
    bench = Bench()
    assert await run(bench, "/act buy tea") == {"ok": True, "code": "mode_act", "send": "buy tea"}
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["mode"] == "act"
    assert (await run(bench, "/verbose"))["code"] == "details_shown"
    assert (await run(bench, "/verbose"))["code"] == "details_hidden"
    assert (await run(bench, "/reset"))["code"] == "reset"
    after = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert after["conversationId"] != opened["conversationId"]


async def test_leave_for_requests_that_change_data_is_of_one_conversation() -> None:
    bench = Bench()
    view = {"tabId": TAB}
    assert (await bench.app.handle_ui("panel.open", view))["allowApi"] is False
    assert (await run(bench, "/allow-api"))["code"] == "api_allowed"
    assert bench.host.ui.named("api_allowed") == [{"tabId": TAB, "allowed": True}]
    assert (await bench.app.handle_ui("panel.open", view))["allowApi"] is True
    again = Bench(host=bench.host.successor())
    assert (await again.app.handle_ui("panel.open", view))["allowApi"] is True, "it outlives the Worker"
    assert (await run(bench, "/allow-api --off"))["code"] == "api_not_allowed"
    assert (await bench.app.handle_ui("panel.open", view))["allowApi"] is False
    await run(bench, "/allow-api")
    await run(bench, "/reset")
    assert (await bench.app.handle_ui("panel.open", view))["allowApi"] is False


async def test_the_model_hears_of_that_leave_once() -> None:
    bench = Bench("One.", "Two.")
    await run(bench, "/allow-api")
    await bench.run("First", "ask")
    assert sum("POST, PUT" in message.content for message in bench.history) == 1
    assert "First" in bench.history[0].content
    await bench.run("Second", "ask")
    assert sum("POST, PUT" in message.content for message in bench.history) == 1


async def test_commands_wait_for_the_end_of_a_task_unless_they_are_harmless() -> None:
    bench = Bench(call("click_ax", ref_id="ref_1"))
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    for text in ("/allow-api", "/reset", "/ask"):
        with pytest.raises(WebBrainError) as error:
            await run(bench, text)
        assert error.value.code == "run_active"
    assert (await run(bench, "/help"))["code"] == "help"
    await bench.stop()


async def test_what_was_allowed_for_a_task_ends_with_the_next_message_and_not_with_continue() -> None:
    bench = Bench("Done.", "Done.", "Done.")
    conversation = await bench.app.conversations.of(TAB)
    await bench.run("First")
    need = Need(Capability.DOWNLOAD, "a.example")
    conversation.once[need] = True
    await bench.go_on()
    assert need in conversation.once
    await bench.run("Second")
    assert need not in conversation.once


# --- the toolbar button, and grants in the settings ---


async def test_the_button_is_marked_while_a_question_waits() -> None:
    bench = Bench(call("fetch_url", url="https://b.example/"), "Then not.")
    await bench.start()
    card = await bench.until("clarify")
    await bench.app.settled()
    for _ in range(20):
        await bench.host.clock.sleep(0)
    assert bench.host.toolbar.text == "?"
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "deny"})
    await bench.end()
    assert bench.host.toolbar.text == ""


async def test_a_stop_clears_the_mark_and_so_does_a_new_worker() -> None:
    bench = Bench(call("fetch_url", url="https://b.example/"))
    await bench.start()
    await bench.until("clarify")
    await bench.stop()
    await bench.end()
    for _ in range(20):
        await bench.host.clock.sleep(0)
    assert bench.host.toolbar.text == ""
    later = Bench(host=bench.host.successor())
    later.host.toolbar.text = "?"
    await later.app.start()
    assert later.host.toolbar.text == ""


async def test_grants_are_listed_and_taken_back() -> None:
    bench = Bench(call("fetch_url", url="https://b.example/"), "Read.")
    await bench.start()
    card = await bench.until("clarify")
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "always"})
    await bench.end()
    view = await bench.app.handle_ui("permissions.list", {})
    (site,) = view["sites"]
    assert (site["host"], site["shown"]) == ("b.example", "b.example")
    assert [(grant["capability"], grant["action"]) for grant in site["grants"]] == [
        ("network_write", "allow")
    ]
    with pytest.raises(WebBrainError):
        await bench.app.handle_ui("permissions.revoke", {"host": "b.example", "capability": "all"})
    gone = await bench.app.handle_ui(
        "permissions.revoke", {"host": "b.example", "capability": "network_write"}
    )
    assert gone == {"ok": True, "sites": []}
    assert bench.host.ui.named("permissions_changed") == [{"sites": []}]


# --- the words of cards and commands ---


def test_the_english_messages_are_python_s_own() -> None:
    english = {key: entry["message"] for key, entry in json.loads(ENGLISH.read_text("utf-8")).items()}
    expected = {f"ask_title_{ask.value}": text for ask, text in TITLES.items()}
    expected |= {f"ask_text_{ask.value}": text for ask, text in QUESTIONS.items()}
    expected |= {f"ask_note_{code}": text for code, text in WARNINGS.items()}
    expected |= {f"ask_answer_{code}": text for code, text in ANSWERS.items()}
    expected |= {f"ask_line_{name.lower()}": name for name in DETAILS}
    for command in COMMANDS.values():
        key = f"command_{command.name.replace('-', '_')}"
        expected[key] = command.text
        expected |= {f"{key}_{name.strip('-')}": text for name, text in command.options.items()}
    families = re.compile(r"(ask_(title|text|note|answer|line)|command)_")
    assert {key: text for key, text in english.items() if families.match(key)} == expected
    assert english.keys() >= {f"can_{capability.value}" for capability in Capability} - {"can_none"}


# --- what is done with the conversation ---


async def test_a_conversation_is_summarised_by_hand() -> None:
    bench = Bench(*(f"Answer {n}" for n in range(6)))
    for n in range(6):
        await bench.run(f"Question {n} {'about tea ' * 200}", "ask")
    assert await run(bench, "/compact") == {"ok": True, "code": "compacted", "send": ""}
    told = bench.last("context_compacted")
    assert told["messagesBefore"] > told["messagesAfter"]
    log = (await bench.app.handle_ui("debuglog.get", {}))["text"]
    assert prompt("summarise").splitlines()[0] in log, "it is a call of the model like others"
    bench.model.steps = ["Here."]
    await bench.run("And now?", "ask")
    text = "\n".join(message.content for message in bench.request.messages)
    assert "were summarised" in text
    assert "Question 0" in text, "the first request always stays"
    assert "Answer 5" in text
    assert "Answer 1" not in "\n".join(
        message.content for message in bench.request.messages if message.role == "assistant"
    )
    later = Bench("Later.", host=bench.host.successor())
    await later.run("Still?", "ask")
    assert "were summarised" in "\n".join(message.content for message in later.request.messages)


async def test_nothing_is_summarised_where_there_is_nothing_or_a_task_runs() -> None:
    bench = Bench("Answer.", call("click_ax", ref_id="ref_1"))
    for _ in range(2):
        with pytest.raises(WebBrainError) as error:
            await run(bench, "/compact")
        assert error.value.code == "nothing_to_compact"
        if not bench.model.requests:
            await bench.run("One", "ask")
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    with pytest.raises(WebBrainError) as error:
        await run(bench, "/compact")
    assert error.value.code == "run_active"
    for name in ("history", "export"):
        assert (await run(bench, f"/{name}"))["code"] == name
    await bench.stop()
    assert len(bench.model.requests) == 2
