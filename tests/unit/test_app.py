"""What screens ask for: every method of the port, its checks, and the older messages."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import Bench, OneModel, end, types
from tests.support.toolbox import TAB, page_host
from webbrain.agent.run_words import TAB_CLOSED
from webbrain.app import App
from webbrain.core.errors import WebBrainError
from webbrain.host.memory import Gate, MemoryHost, Tab
from webbrain.legacy import LATER, OWN, RENAMED
from webbrain.testing.scripted import call

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_every_method_of_the_protocol_has_a_route_and_no_other() -> None:
    section = PROTOCOL.read_text().split("## Screens and supervisor")[1].split("`ProviderView`")[0]
    documented = set(re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", section, re.MULTILINE))
    documented -= {"boot.status", "boot.retry"}  # the supervisor's own
    assert documented == set(App(page_host()).routes)


def test_every_action_the_protocol_names_is_known() -> None:
    section = PROTOCOL.read_text().split("### Reference messages")[1].split("##")[0]
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", section)) - {"agent_update", "not_available"}
    assert named
    assert named <= {*LATER, *OWN, *RENAMED}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("nonsense", {}, "not_allowed"),
        ("chat.start", {}, "bad_params"),
        ("chat.start", {"tabId": "x", "text": "t", "mode": "ask", "requestId": "r"}, "bad_params"),
        ("chat.start", {"tabId": -1, "text": "t", "mode": "ask", "requestId": "r"}, "bad_params"),
        ("chat.start", {"tabId": TAB, "text": "", "mode": "ask", "requestId": "r"}, "bad_params"),
        ("chat.start", {"tabId": TAB, "text": " \n", "mode": "ask", "requestId": "r"}, "bad_params"),
        ("chat.start", {"tabId": TAB, "text": "x" * 100_001, "mode": "ask", "requestId": "r"}, "bad_params"),
        ("chat.start", {"tabId": TAB, "text": "t", "mode": "root", "requestId": "r"}, "bad_params"),
        ("chat.start", {"tabId": TAB, "text": "t", "mode": "dev", "requestId": "r"}, "not_available"),
        ("chat.start", {"tabId": TAB, "text": "t", "mode": "ask", "requestId": "r" * 200}, "bad_params"),
        ("chat.start", {"tabId": TAB, "text": "t", "mode": "ask", "requestId": "r", "x": 1}, "bad_params"),
        ("chat.continue", {"tabId": TAB, "requestId": "r"}, "nothing_to_continue"),
        ("mode.set", {"tabId": TAB, "mode": "dev"}, "not_available"),
        ("card.answer", {"tabId": TAB, "cardId": "c", "answer": "once"}, "card_gone"),
        ("settings.set", {"values": {"nonsense": 1}}, "bad_setting"),
        ("settings.set", {"values": {"maxAgentSteps": 10_000}}, "bad_setting"),
        ("settings.set", {"values": {"themeMode": "pink"}}, "bad_setting"),
        ("providers.save", {"id": "x" * 200, "config": {}}, "bad_params"),
    ],
)
async def test_refusals(method: str, params: dict[str, Any], code: str) -> None:
    bench = Bench("never")
    with pytest.raises(WebBrainError) as refused:
        await bench.app.handle_ui(method, params)
    assert refused.value.code == code
    assert len(refused.value.message) < 300
    assert bench.events() == []


async def test_without_a_provider_nothing_starts() -> None:
    host = page_host()
    app = App(host, providers=OneModel(None))  # type: ignore[arg-type]
    with pytest.raises(WebBrainError) as refused:
        await app.handle_ui("chat.start", {"tabId": TAB, "text": "t", "mode": "ask", "requestId": "r"})
    assert refused.value.code == "no_provider"
    opened = await app.handle_ui("panel.open", {"tabId": TAB})
    assert (opened["provider"], opened["events"], opened["running"]) == (None, [], False)


async def test_the_real_provider_service_starts_with_none_chosen() -> None:
    app = App(page_host())
    listed = await app.handle_ui("providers.list", {})
    assert listed["active"] is None
    assert listed["providers"]
    with pytest.raises(WebBrainError) as refused:
        await app.handle_ui("chat.start", {"tabId": TAB, "text": "t", "mode": "ask", "requestId": "r"})
    assert refused.value.code == "no_provider"


async def test_the_panel_of_a_fresh_tab() -> None:
    bench = Bench()
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened == {
        "tabId": TAB,
        "conversationId": opened["conversationId"],
        "mode": "ask",
        "running": False,
        "run": None,
        "queue": [],
        "events": [],
        "tab": {"url": "https://shop.example/list", "title": "Shop"},
        "provider": {"id": "scripted", "label": "Scripted", "model": "script-1", "tier": "full"},
        "allowApi": False,
        "voice": False,
        "settings": {
            "themeMode": "system",
            "wbLocale": "auto",
            "verboseMode": False,
            "voiceInputEnabled": True,
            "askBeforeConsequentialActions": True,
        },
        "capabilities": {"browser": "memory", "cdp": False, "captures_background_tabs": False},
    }


async def test_a_reopened_panel_gets_everything() -> None:
    gate = Gate()
    bench = Bench(call("get_selection"), gate, "Done.")
    accepted = await bench.start("x", "ask")
    await gate.reached()
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert opened["running"] is True
    assert opened["run"] == {
        "runId": accepted["runId"],
        "requestId": accepted["requestId"],
        "status": "running",
    }
    assert opened["events"] == bench.events()
    gate.release()
    await bench.end()


async def test_one_run_per_tab() -> None:
    gate = Gate()
    bench = Bench(gate, "Done.", "More.")
    await bench.start("x", "ask")
    await gate.reached()
    with pytest.raises(WebBrainError) as refused:
        await bench.start("y", "ask")
    assert refused.value.code == "run_active"
    gate.release()
    await bench.until("run_complete")
    # A message sent the moment the end is seen is not refused, though the run is still being stored.
    await bench.start("z", "ask")
    await bench.end()
    assert [event["data"]["status"] for event in bench.events("run_complete")] == ["completed", "completed"]


async def test_two_starts_at_the_same_moment() -> None:
    gate = Gate()
    bench = Bench(gate, "Done.")
    answers = await asyncio.gather(bench.start("x", "ask"), bench.start("y", "ask"), return_exceptions=True)
    assert [type(answer) for answer in answers] == [dict, WebBrainError]
    await bench.stop()


async def test_a_request_sent_twice_starts_one_run() -> None:
    bench = Bench("Done.")
    params = {"tabId": TAB, "text": "x", "mode": "ask", "requestId": "same"}
    first = await bench.app.handle_ui("chat.start", params)
    again = await bench.app.handle_ui("chat.start", params)
    await bench.end()
    late = await bench.app.handle_ui("chat.start", params)
    assert first == again == late
    assert len(bench.events("user_message")) == 1


async def test_the_mode_of_a_message_is_remembered() -> None:
    bench = Bench("Done.")
    await bench.run("x", "act")
    assert (await bench.app.handle_ui("panel.open", {"tabId": TAB}))["mode"] == "act"
    await bench.app.handle_ui("mode.set", {"tabId": TAB, "mode": "ask"})
    assert bench.host.ui.named("mode_changed") == [{"tabId": TAB, "mode": "ask"}]
    later = App(bench.host.successor(), providers=OneModel(bench.model))  # type: ignore[arg-type]
    assert (await later.handle_ui("panel.open", {"tabId": TAB}))["mode"] == "ask"


async def test_clearing_begins_anew_and_keeps_the_old_records() -> None:
    gate = Gate()
    bench = Bench(gate, "never")
    await bench.start("x", "act")
    await gate.reached()
    old = bench.events()[0]["conversationId"]
    cleared = await bench.app.handle_ui("conversation.clear", {"tabId": TAB})
    assert cleared["conversationId"] != old
    assert bench.host.ui.named("conversation_cleared") == [
        {"tabId": TAB, "conversationId": cleared["conversationId"]}
    ]
    opened = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert (opened["events"], opened["running"], opened["mode"]) == ([], False, "act")
    assert types(bench.events())[-1] == "run_complete"
    assert old in bench.host.store.data


async def test_a_cleared_conversation_is_not_sent() -> None:
    bench = Bench("Blue.", "I do not know.")
    await bench.run("My favourite colour is blue.", "ask")
    await bench.app.handle_ui("conversation.clear", {"tabId": TAB})
    await bench.run("Which colour do I like?", "ask")
    assert all("blue" not in message.content for message in bench.request.messages[1:])


async def test_a_closed_tab_ends_its_run_and_leaves_nothing_in_the_session() -> None:
    gate = Gate()
    bench = Bench(gate, "never")
    await bench.start("x", "ask")
    await gate.reached()
    bench.host.browser.close(TAB)
    bench.app.tab_removed(TAB)
    await bench.app.settled()
    assert bench.host.ui.named("tab_gone") == [{"tabId": TAB}]
    assert bench.last("run_complete")["status"] == "failed"
    error = bench.last("error")
    assert (error["code"], error["message"], error["retryable"]) == ("no_tab", TAB_CLOSED, False)
    assert bench.events("error")[0]["seq"] < bench.events("run_complete")[0]["seq"]
    assert not [key for key in bench.host.session.values if key.endswith(f":{TAB}")]


async def test_settings_are_drawn_stored_and_told() -> None:
    bench = Bench()
    view = await bench.app.handle_ui("settings.get", {})
    assert {field["key"] for field in view["fields"]} == set(view["values"])
    for field in view["fields"]:
        assert field["label"]
        assert field["help"]
        assert field["default"] == view["values"][field["key"]]
        assert (field["kind"] == "enum") == ("options" in field)
        assert (field["kind"] in ("int", "money")) == ("min" in field and "max" in field)
    saved = await bench.app.handle_ui("settings.set", {"values": {"themeMode": "dark", "maxAgentSteps": 20}})
    assert saved["values"]["themeMode"] == "dark"
    assert bench.host.settings.values == {"themeMode": "dark", "maxAgentSteps": 20}
    assert bench.host.ui.named("settings_changed")[-1]["values"] == saved["values"]


async def test_one_bad_stored_value_does_not_take_the_others_along() -> None:
    host = MemoryHost([Tab(TAB, "https://a.example/", "A")], settings={"themeMode": 7, "maxAgentSteps": 20})
    view = await Bench(host=host).app.handle_ui("settings.get", {})
    assert (view["values"]["themeMode"], view["values"]["maxAgentSteps"]) == ("system", 20)


async def test_a_bad_change_stores_nothing() -> None:
    bench = Bench()
    with pytest.raises(WebBrainError):
        await bench.app.handle_ui("settings.set", {"values": {"themeMode": "dark", "maxAgentSteps": -1}})
    assert bench.host.settings.values == {}


async def test_patience_with_a_model_is_the_users_once_they_said_so() -> None:
    bench = Bench("One.", "Two.")
    await bench.run("x", "ask")
    assert bench.app.providers.headers_timeout is None  # type: ignore[attr-defined]
    await bench.app.handle_ui("settings.set", {"values": {"requestTimeoutMs": 7_000}})
    await bench.run("y", "ask")
    assert bench.app.providers.headers_timeout == 7.0  # type: ignore[attr-defined]


async def test_boot_phases_are_named() -> None:
    phases = await Bench().app.start()
    assert [phase["name"] for phase in phases] == ["tools", "recovery"]
    assert all(phase["ms"] >= 0 for phase in phases)


# --- the older messages ---

NO_PARAMS = {"get_providers", "agent_run_ack", "get_debug_log", "get_active_prompt_tier"}
"""Actions that take nothing that could be wrong, and one that reads first."""


async def ask(bench: Bench, action: Any, **rest: Any) -> dict[str, Any]:
    return await bench.app.handle_legacy({"target": "background", "action": action, **rest})


async def test_an_older_screen_runs_a_task() -> None:
    bench = Bench("Done.", "More.")
    started = await ask(bench, "chat_start", tabId=TAB, text="x", mode="ask", requestId="r1")
    assert (started["ok"], started["accepted"], started["requestId"]) == (True, True, "r1")
    await bench.end()
    state = await ask(bench, "agent_run_state", tabId=TAB, requestId="r1")
    assert (state["status"], state["running"], state["finalContent"]) == ("completed", False, "Done.")
    assert [event["type"] for event in state["events"]] == types(bench.events())
    newer = await ask(bench, "agent_run_state", tabId=TAB, ackedSeq=state["seq"] - 1)
    assert len(newer["events"]) == 1
    assert (await ask(bench, "agent_run_ack", tabId=TAB, seq=state["seq"]))["ok"] is True
    assert (await ask(bench, "continue_start", tabId=TAB, requestId="r2"))["accepted"] is True
    await bench.end()
    assert (await ask(bench, "abort", tabId=TAB)) == {"ok": True, "stopped": False}
    assert (await ask(bench, "clear_conversation", tabId=TAB))["ok"] is True
    assert (await ask(bench, "get_page_info", tabId=TAB))["title"] == "Shop"
    assert (await ask(bench, "ensure_conversation_id", tabId=TAB))["conversationId"]


@pytest.mark.parametrize("action", sorted(LATER))
async def test_what_comes_later_says_so(action: str) -> None:
    assert (await ask(Bench(), action, tabId=TAB))["code"] == "not_available"


async def test_an_older_screen_reads_and_writes_the_notes() -> None:
    rows = [{"id": "tea", "label": "Tea", "status": "processed"}]
    bench = Bench(
        call("scratchpad_write", text="Tea costs 4."), call("progress_update", items=rows), end("Done.")
    )
    await bench.run("Order")
    assert await ask(bench, "get_scratchpad", tabId=TAB) == {"ok": True, "text": "Tea costs 4."}
    told = await ask(bench, "get_progress", tabId=TAB)
    assert (told["ok"], told["total"], [row["id"] for row in told["rows"]]) == (True, 1, ["tea"])
    written = await ask(bench, "write_scratchpad", tabId=TAB, text="Mine.")
    assert written == {"ok": True, "chars": 18, "dropped": 0}
    await ask(bench, "write_scratchpad", tabId=TAB, text="Alone.", replace=True)
    later = Bench(host=bench.host.successor())
    assert (await ask(later, "get_scratchpad", tabId=TAB))["text"] == "Alone."
    assert await ask(later, "clear_scratchpad", tabId=TAB) == {"ok": True, "chars": 0, "dropped": 0}
    assert (await ask(later, "get_scratchpad", tabId=TAB))["text"] == ""
    for text in (None, 7, "x" * 8_001):
        assert (await ask(later, "write_scratchpad", tabId=TAB, text=text))["code"] == "bad_params"


async def test_an_older_screen_asks_for_the_rest() -> None:
    bench = Bench("Here.")
    bench.host.settings.values["tracingEnabled"] = True
    await bench.run("What?", "ask")
    assert await ask(bench, "get_active_prompt_tier") == {"ok": True, "tier": "full"}
    assert "What?" in (await ask(bench, "get_debug_log"))["text"]
    assert (await ask(bench, "compact_conversation", tabId=TAB))["code"] == "nothing_to_compact"
    (run,) = (await bench.app.handle_ui("traces.list", {}))["runs"]
    exported = await ask(bench, "export_traces", runId=run["runId"], format="json")
    assert "What?" in exported["text"]
    nobody = Bench(providers=OneModel(None))  # type: ignore[arg-type]
    assert await ask(nobody, "get_active_prompt_tier") == {"ok": True, "tier": None}


@pytest.mark.parametrize("action", ["nonsense", "x" * 5_000, "", None, 7, ["chat_start"]])
async def test_unknown_actions(action: Any) -> None:
    answer = await ask(Bench(), action)
    assert answer["code"] in ("unknown_action", "bad_params")
    assert len(answer["error"]) < 100


@pytest.mark.parametrize("action", sorted({*OWN, *RENAMED} - NO_PARAMS))
async def test_older_messages_are_checked_like_the_others(action: str) -> None:
    answer = await ask(Bench(), action, tabId="not a number", text=7, mode=None, requestId=None, id=None)
    assert answer["code"] == "bad_params"
