"""The conversations that are stored: listed, found, opened again, exported, deleted; whatever is damaged."""

import time
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB, page_host
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.host.memory import MemoryHost
from webbrain.host.protocols import Tab
from webbrain.host.tables import Entry
from webbrain.services.history_entries import address_of, entry_of, files_of, found_in, matches, take_events
from webbrain.testing.scripted import call

OTHER = TAB + 1


async def listed(bench: Bench, query: str = "", **more: Any) -> dict[str, Any]:
    await bench.app.handle_ui("history.list", {})
    await bench.app.history.settled()
    return await bench.app.handle_ui("history.list", {"query": query, **more})


async def titles(bench: Bench, query: str = "") -> list[str]:
    return [one["title"] for one in (await listed(bench, query))["conversations"]]


async def new_conversation(bench: Bench) -> None:
    await bench.app.handle_ui("conversation.clear", {"tabId": TAB})
    await bench.host.clock.sleep(60)


async def two(host: MemoryHost | None = None) -> tuple[Bench, str, str]:
    """A bench whose tab had a conversation about tea and has one about trains, and their ids."""
    bench = Bench("Green tea costs 4.20 euros.", "The train leaves at 9.", host=host)
    await bench.run("What does the tea cost?", "ask")
    tea = bench.app.conversations.at_hand(TAB)
    await new_conversation(bench)
    await bench.run("When does the train leave?", "ask")
    train = bench.app.conversations.at_hand(TAB)
    assert tea is not None
    assert train is not None
    return bench, tea.id, train.id


async def test_conversations_are_listed_newest_first_and_empty_ones_are_not() -> None:
    bench, tea, train = await two()
    await new_conversation(bench)
    answer = await listed(bench)
    assert [one["id"] for one in answer["conversations"]] == [train, tea]
    first = answer["conversations"][0]
    assert first["title"] == "When does the train leave?"
    assert (first["turns"], first["tabId"], first["running"]) == (1, None, False)
    assert first["startedAt"] < first["updatedAt"]
    assert first["tabUrl"].startswith("https://")
    assert answer["more"] is False
    assert bench.host.ui.named("history_changed")


async def test_titles_and_texts_are_searched_by_every_word() -> None:
    bench, _, _ = await two()
    assert await titles(bench, "train") == ["When does the train leave?"]
    assert await titles(bench, "EUROS tea") == ["What does the tea cost?"]
    assert await titles(bench, "tea train") == []
    found = (await listed(bench, "euros"))["conversations"][0]["found"]
    assert "4.20 euros." in found


async def test_a_long_list_comes_in_parts() -> None:
    bench = Bench()
    entries = [
        Entry("conversations", f"conv_{n:03}", _entry(f"Number {n}", at=1_000 + n // 2)) for n in range(7)
    ]
    await bench.host.tables.put(entries)
    seen: list[str] = []
    before: dict[str, Any] = {}
    for _ in range(4):
        part = await listed(bench, "number", limit=2, **before)
        seen += [one["id"] for one in part["conversations"]]
        last = part["conversations"][-1]
        before = {"before": {"updatedAt": last["updatedAt"], "id": last["id"]}}
    assert part["more"] is False
    assert seen == [f"conv_{n:03}" for n in reversed(range(7))]


def _entry(title: str, at: int = 1, text: str = "") -> dict[str, Any]:
    return {"title": title, "startedAt": at, "updatedAt": at, "turns": 1, "tabUrl": "", "text": text or title}


async def test_conversations_of_earlier_versions_appear() -> None:
    bench, tea, train = await two()
    await bench.app.history.settled()
    later = Bench(host=bench.host.successor())
    await later.host.tables.delete(["conversations"], None)
    first = await later.app.handle_ui("history.list", {})
    assert (first["conversations"], first["indexing"]) == ([], True)
    answer = await listed(later)
    assert [one["id"] for one in answer["conversations"]] == [train, tea]
    assert later.host.ui.named("history_changed")


async def test_what_nobody_said_anything_in_is_cleared_away_unless_a_tab_shows_it() -> None:
    bench, tea, train = await two()
    await bench.host.store.append("conv_empty", [{"kind": "open", "tabId": 9, "at": 1}])
    await bench.host.store.append("conv_garbled", [{"kind": "open"}, {"kind": "event", "event": {"type": 3}}])
    await new_conversation(bench)
    shown = bench.app.conversations.at_hand(TAB)
    assert shown is not None
    await shown.journal.saved()
    await listed(bench)
    assert set(await bench.host.store.streams()) >= {tea, train, shown.id}
    assert "conv_empty" not in await bench.host.store.streams()
    assert "conv_garbled" in await bench.host.store.streams(), "what cannot be read is not thrown away"


GARBAGE: list[Any] = [
    {},
    {"kind": "event"},
    {"kind": "event", "event": None},
    {"kind": "event", "event": {"type": "user_message"}},
    {"kind": "message", "message": {"images": [3, {"file_id": 7}]}},
    {"kind": "event", "event": {"data": {"files": {"pictureId": 4}}}},
    "no record",
    None,
]


async def test_damaged_records_cost_nothing_around_them() -> None:
    bench, tea, _ = await two()
    await bench.app.history.settled()
    records = bench.host.store.data[tea]
    bench.host.store.data[tea] = [
        (n, record)
        for n, record in enumerate(
            [piece for _, record in records for piece in (*GARBAGE[:6], record)], start=1
        )
    ]
    later = Bench(host=bench.host.successor())
    await later.host.tables.put([Entry("conversations", tea, {"updatedAt": 5, "title": 7})])
    assert await titles(later, "4.20") == ["What does the tea cost?"]
    exported = await later.app.handle_ui("history.export", {"id": tea})
    assert "4.20 euros" in exported["markdown"]
    assert (await later.app.handle_ui("history.delete", {"id": tea}))["deleted"] == 1
    assert tea not in await later.host.store.streams()


def test_whatever_records_hold_they_are_read() -> None:
    events: list[Any] = []
    take_events(events, GARBAGE)
    assert events == []
    assert files_of(GARBAGE) == set()
    assert entry_of(events, str) is None


async def test_a_store_that_refuses_keeps_no_task_from_its_end() -> None:
    bench = Bench("Fine.")
    bench.host.tables.fail = BridgeError("full", code="store_failed", data={"reason": "full"})
    await bench.run("What does the tea cost?", "ask")
    await bench.app.history.settled()
    assert bench.last("run_complete")["status"] == "completed"
    bench.host.tables.fail = None
    assert await titles(bench) == ["What does the tea cost?"], "it is listed once the store takes it"


# --- open ---


async def test_an_old_conversation_goes_on_with_what_was_said() -> None:
    bench, tea, train = await two()
    opened = await bench.app.handle_ui("history.open", {"tabId": TAB, "id": tea})
    assert opened == {"ok": True, "tabId": TAB, "conversationId": tea}
    assert bench.host.ui.named("conversation_opened") == [{"tabId": TAB, "conversationId": tea}]
    panel = await bench.app.handle_ui("panel.open", {"tabId": TAB})
    assert panel["conversationId"] == tea
    assert panel["events"][0]["type"] == "user_message"
    bench.model.steps = ["Two cups."]
    await bench.run("And two of them?", "ask")
    told = "\n".join(message.content for message in bench.request.messages)
    assert "4.20 euros" in told
    assert "train" not in told
    later = Bench(host=bench.host.successor())
    assert (await later.app.handle_ui("panel.open", {"tabId": TAB}))["conversationId"] == tea
    assert (await listed(later))["conversations"][0]["turns"] == 2
    assert train in await later.host.store.streams()


async def test_what_another_tab_shows_stays_there() -> None:
    host = page_host()
    host.browser.open(Tab(OTHER, "https://shop.example/", "Shop"))
    bench, tea, train = await two(host)
    opened = await bench.app.handle_ui("history.open", {"tabId": OTHER, "id": train})
    assert opened["tabId"] == TAB
    assert (await bench.app.handle_ui("panel.open", {"tabId": OTHER}))["conversationId"] not in (tea, train)
    rows = {one["id"]: one["tabId"] for one in (await listed(bench))["conversations"]}
    assert rows == {train: TAB, tea: None}
    host.browser.close(TAB)
    opened = await bench.app.handle_ui("history.open", {"tabId": OTHER, "id": train})
    assert opened["tabId"] == OTHER, "its tab is gone"


async def test_a_worker_that_was_replaced_knows_which_tab_shows_what() -> None:
    host = page_host()
    host.browser.open(Tab(OTHER, "https://shop.example/", "Shop"))
    bench, _, train = await two(host)
    later = Bench(host=bench.host.successor())
    assert (await later.app.handle_ui("history.open", {"tabId": OTHER, "id": train}))["tabId"] == TAB


async def test_nothing_is_opened_over_a_task() -> None:
    bench, tea, train = await two()
    bench.model.steps = [call("click_ax", ref_id="ref_1")]
    gate = bench.host.page.block("click_ax")
    await bench.start()
    await gate.reached()
    with pytest.raises(WebBrainError) as error:
        await bench.app.handle_ui("history.open", {"tabId": TAB, "id": tea})
    assert error.value.code == "run_active"
    rows = {one["id"]: one["running"] for one in (await listed(bench))["conversations"]}
    assert rows == {train: True, tea: False}
    with pytest.raises(WebBrainError) as error:
        await bench.app.handle_ui("history.delete", {"id": train})
    assert error.value.code == "run_active"
    assert await bench.app.handle_ui("history.delete", {"all": True}) == {"ok": True, "deleted": 1, "kept": 1}
    assert tea not in await bench.host.store.streams()
    await bench.stop()
    assert len(await titles(bench)) == 1


async def test_what_is_gone_is_not_opened_and_not_listed_any_more() -> None:
    bench, tea, _ = await two()
    await bench.app.history.settled()
    await bench.host.store.delete(tea)
    with pytest.raises(WebBrainError) as error:
        await bench.app.handle_ui("history.open", {"tabId": TAB, "id": tea})
    assert error.value.code == "conversation_gone"
    assert await titles(bench) == ["When does the train leave?"]


@pytest.mark.parametrize("name", ["open-runs", "pictures", "conv_", "conv_a/b", ""])
async def test_no_other_stream_can_be_named(name: str) -> None:
    bench = Bench()
    for method, more in (("open", {"tabId": TAB}), ("export", {}), ("delete", {})):
        with pytest.raises(WebBrainError) as error:
            await bench.app.handle_ui(f"history.{method}", {"id": name, **more})
        assert error.value.code == "bad_params"


# --- delete ---


async def test_deleting_removes_all_of_it() -> None:
    bench, tea, train = await two()
    picture = await bench.app.pictures.keep("data:image/png;base64,AAAA")
    other = await bench.app.pictures.keep("data:image/png;base64,BBBB")
    document = await bench.app.attachments.documents.keep("data:application/pdf;base64,AAAA")
    event = bench.host.store.data[tea][-1][1]
    assert event["kind"] == "event"
    taken = {"type": "picture", "data": {"pictureId": picture, "reason": "asked", "width": 1, "height": 1}}
    await bench.host.store.append(tea, [{**event, "event": {**event["event"], **taken, "seq": 900}}])
    await bench.host.store.append(
        tea,
        [{"kind": "message", "n": 900, "runId": "run_x", "message": {"documents": [{"file_id": document}]}}],
    )
    await listed(bench)
    assert (await bench.app.handle_ui("history.delete", {"id": tea})) == {"ok": True, "deleted": 1, "kept": 0}
    streams = await bench.host.store.streams()
    assert not {tea, f"picture:{picture}", f"document:{document}"} & set(streams)
    assert {train, f"picture:{other}"} <= set(streams)
    assert await bench.app.pictures.get(picture) == ""
    assert await bench.app.pictures.get(other) != ""
    assert await titles(bench) == ["When does the train leave?"]
    assert "4.20" not in str(bench.host.store.data) + str(bench.host.tables.data)


async def test_deleting_what_a_tab_shows_gives_the_tab_a_new_conversation() -> None:
    bench, _, train = await two()
    await bench.app.handle_ui("history.delete", {"id": train})
    new = (await bench.app.handle_ui("panel.open", {"tabId": TAB}))["conversationId"]
    assert new != train
    assert {"tabId": TAB, "conversationId": new} in bench.host.ui.named("conversation_cleared")
    await bench.app.settled()
    await bench.host.clock.sleep(5)
    assert train not in await bench.host.store.streams()
    assert await titles(bench) == ["What does the tea cost?"]


async def test_deleting_all_leaves_nothing() -> None:
    bench, tea, train = await two()
    await bench.app.pictures.keep("data:image/png;base64,AAAA")
    answer = await bench.app.handle_ui("history.delete", {"all": True})
    await bench.app.settled()
    await bench.app.history.settled()
    assert answer["kept"] == 0
    assert await titles(bench) == []
    streams = await bench.host.store.streams()
    assert not {tea, train} & set(streams)
    assert not any(name.startswith("picture:") for name in streams)


async def test_one_or_all_must_be_said() -> None:
    for params in ({}, {"id": "conv_1", "all": True}):
        with pytest.raises(WebBrainError):
            await Bench().app.handle_ui("history.delete", params)


# --- secrets, addresses, speed ---


async def test_titles_and_texts_hold_no_secret() -> None:
    host = page_host()
    key = "canary-key-1234567890"
    await host.settings.set({"providers": {"openai": {"apiKey": key}}})
    bench = Bench(f"The key is {key}.", host=host)
    await bench.run(f"My password is hunter2! and the key {key}", "ask")
    await listed(bench)
    kept = str(host.tables.data)
    assert key not in kept
    assert "hunter2!" not in kept
    assert "My password is" in kept


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@shop.example:8443/a/b?token=1#x", "https://shop.example:8443/a/b"),
        ("https://shop.example/", "https://shop.example/"),
        ("chrome://settings/", ""),
        ("https://[broken", ""),
        ("", ""),
    ],
)
def test_addresses_carry_nothing_secret(url: str, shown: str) -> None:
    assert address_of(url) == shown


def test_what_was_found_is_shown_in_its_surroundings() -> None:
    text = "a " * 60 + "The Needle lies here" + " b" * 80
    assert "The Needle lies here" in found_in(text, ["needle"])
    assert found_in(text, ["needle"]).startswith("…")
    assert found_in(text, ["absent"]) == ""
    assert matches(_entry("Straße"), ["strasse"])


async def test_five_hundred_conversations_are_searched_fast() -> None:
    bench = Bench()
    text = "lorem ipsum dolor sit amet Überraschung " * 200
    entries = [Entry("conversations", f"conv_{n:04}", _entry(f"N {n}", n, text)) for n in range(500)]
    entries[0].value["text"] += " needle"
    await bench.host.tables.put(entries)
    await listed(bench)
    began = time.perf_counter()
    answer = await bench.app.handle_ui("history.list", {"query": "needle"})
    took = time.perf_counter() - began
    assert [one["id"] for one in answer["conversations"]] == ["conv_0000"]
    assert took < 2.0, "most of it is the memory host's own copying"
