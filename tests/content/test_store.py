"""The bridge's store on a real IndexedDB: upgrades, tables, and what it says when the browser refuses."""

import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.content.harness import ROOT, Site

Call = Callable[..., Any]

AS_VERSION = """([version, records]) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("webbrain_journal", version);
  opening.onerror = () => reject(opening.error);
  opening.onupgradeneeded = () => opening.result.createObjectStore("records");
  opening.onsuccess = () => {
    const db = opening.result;
    const tx = db.transaction("records", "readwrite");
    for (const [key, value] of records) tx.objectStore("records").put(value, key);
    tx.oncomplete = () => { db.close(); resolve(); };
    tx.onerror = () => reject(tx.error);
  };
})"""
"""What a build of that version would have left behind."""
ASK = """([method, params]) => bridge.store(method, params).catch(
  (error) => ({ failed: error.code, said: error.message, ...error.data }))"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The store as one classic script."""
    out = tmp_path_factory.mktemp("store") / "store.js"
    command = ["npx", "esbuild", "js/bridge/store.js", "--bundle", "--format=iife", "--global-name=bridge"]
    subprocess.run([*command, f"--outfile={out}", "--log-level=error"], cwd=ROOT, check=True)
    return out.read_text()


@pytest.fixture
def page(pages: BrowserContext, site: Site) -> Iterator[Page]:
    """An empty page whose database is gone."""
    page = pages.new_page()
    page.goto(site.page("<title>Store</title>"))
    page.evaluate("new Promise((r) => { indexedDB.deleteDatabase('webbrain_journal').onsuccess = r })")
    yield page
    page.close()


@pytest.fixture
def call(page: Page, script: str) -> Call:
    """Ask the store, which opens its database at the first call."""
    page.add_script_tag(content=script)
    return lambda method, **params: page.evaluate(ASK, [method, params])


def test_a_database_of_version_1_is_upgraded_without_loss(page: Page, call: Call) -> None:
    records = [(f"conv_{stream}", seq, {"text": "é" * seq}) for stream in range(3) for seq in range(1, 51)]
    page.evaluate(AS_VERSION, [1, [[[stream, seq], value] for stream, seq, value in records]])
    for stream in ("conv_0", "conv_1", "conv_2"):
        kept = [[seq, value] for name, seq, value in records if name == stream]
        assert call("store.read", stream=stream, after=0, limit=100) == {"records": kept, "more": False}
    assert call("store.append", stream="conv_1", records=[{"n": 51}]) == {"seq": 51}
    run = {"startedAt": 5}
    assert call("table.put", entries=[{"table": "runs", "id": "r", "value": run}]) == {"ok": True}
    assert call("table.get", table="runs", ids=["r"]) == {"values": [run]}


def test_a_newer_database_is_named_and_left_alone(page: Page, call: Call) -> None:
    page.evaluate(AS_VERSION, [99, [[["conv", 1], {"a": 1}]]])
    for method, params in (
        ("store.read", {"stream": "conv", "after": 0, "limit": 9}),
        ("store.append", {"stream": "conv", "records": [{"a": 2}]}),
        ("table.newest", {"table": "runs", "limit": 9}),
    ):
        answer = call(method, **params)
        assert (answer["failed"], answer["reason"]) == ("store_failed", "newer")
        assert "newer version" in answer["said"]
    count = """new Promise((resolve) => {
      const opening = indexedDB.open("webbrain_journal");
      opening.onsuccess = () => {
        const all = opening.result.transaction("records").objectStore("records").getAll();
        all.onsuccess = () => { opening.result.close(); resolve(all.result); };
      };
    })"""
    assert page.evaluate(count) == [{"a": 1}]


def test_an_open_database_gives_way_to_an_upgrade_and_says_so(page: Page, call: Call) -> None:
    assert call("store.append", stream="conv", records=[{"a": 1}]) == {"seq": 1}
    page.evaluate("""new Promise((resolve, reject) => {
      const opening = indexedDB.open("webbrain_journal", 99);
      opening.onblocked = () => reject(new Error("blocked"));
      opening.onsuccess = () => { opening.result.close(); resolve(); };
    })""")
    answer = call("store.append", stream="conv", records=[{"a": 2}])
    assert (answer["failed"], answer["reason"]) == ("store_failed", "newer")


def test_a_full_disk_is_named(page: Page, call: Call) -> None:
    call("store.append", stream="conv", records=[{"a": 1}])
    page.evaluate("""() => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (value, key) {
        if (value.big) throw new DOMException("No room.", "QuotaExceededError");
        return put.call(this, value, key);
      };
    }""")
    big = [{"table": "shots", "id": "r", "n": 1, "value": {"big": True}}]
    answer = call("table.put", entries=big)
    assert (answer["failed"], answer["reason"]) == ("store_failed", "full")
    answer = call("store.append", stream="conv", records=[{"a": 2}, {"big": True}])
    assert (answer["failed"], answer["reason"]) == ("store_failed", "full")
    assert call("store.read", stream="conv", after=0, limit=9)["records"] == [[1, {"a": 1}]]


def test_entries_are_listed_newest_first_in_parts(call: Call) -> None:
    times = [5, 3, 9, 3, 3, 7]
    entries = [
        {"table": "runs", "id": f"run_{n}", "value": {"startedAt": time}} for n, time in enumerate(times)
    ]
    entries.append({"table": "runs", "id": "timeless", "value": {"x": 1}})
    assert call("table.put", entries=entries) == {"ok": True}
    expected = [f"run_{n}" for n in (2, 5, 0, 4, 3, 1)]
    whole = call("table.newest", table="runs", limit=100)
    assert ([key for key, _ in whole["entries"]], whole["more"]) == (expected, False)
    got: list[str] = []
    before: dict[str, Any] = {}
    while True:
        part = call("table.newest", table="runs", limit=2, **before)
        got += [key for key, _ in part["entries"]]
        if not part["more"]:
            break
        key, value = part["entries"][-1]
        before = {"before": {"time": value["startedAt"], "id": key}}
    assert got == expected


def test_numbered_entries_stand_under_their_owner_alone(call: Call) -> None:
    entries = [
        {"table": "events", "id": owner, "n": n, "value": {"n": n, "of": owner}}
        for owner in ("a", "ab", "b")
        for n in (1, 2, 3)
    ]
    call("table.put", entries=[*entries, {"table": "shots", "id": "a", "n": 1, "value": {"x": 1}}])
    part = call("table.under", table="events", id="a", after=1, limit=1)
    assert part == {"entries": [[2, {"n": 2, "of": "a"}]], "more": True}
    call("table.put", entries=[{"table": "events", "id": "a", "n": 3, "value": {"n": "changed"}}])
    assert call("table.under", table="events", id="a", after=2, limit=9)["entries"] == [[3, {"n": "changed"}]]
    assert call("table.delete", tables=["events", "shots", "runs"], ids=["a"]) == {"ok": True}
    left = {
        (table, owner): len(call("table.under", table=table, id=owner, after=0, limit=9)["entries"])
        for table in ("events", "shots")
        for owner in ("a", "ab", "b")
    }
    assert {place for place, count in left.items() if count} == {("events", "ab"), ("events", "b")}
    call("table.delete", tables=["events"])
    assert call("table.under", table="events", id="b", after=0, limit=9)["entries"] == []


def test_all_or_nothing(page: Page, call: Call) -> None:
    bad = [
        {"table": "runs", "id": "r", "value": {"startedAt": 1}},
        {"table": "runs", "id": "x" * 300, "value": {}},
    ]
    assert call("table.put", entries=bad)["failed"] == "bad_params"
    assert call("table.put", entries=[{"table": "records", "id": "r", "value": {}}])["failed"] == "bad_params"
    assert call("table.newest", table="events", limit=1)["failed"] == "bad_params"
    assert call("table.get", table="runs", ids=["r"]) == {"values": [None]}


def test_an_answer_holds_no_more_than_a_frame(call: Call) -> None:
    for n in range(4):
        call(
            "table.put",
            entries=[{"table": "shots", "id": "r", "n": n + 1, "value": {"image": "x" * 1_500_000}}],
        )
    part = call("table.under", table="shots", id="r", after=0, limit=9)
    assert ([n for n, _ in part["entries"]], part["more"]) == ([1, 2], True)
