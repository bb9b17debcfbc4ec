"""Settings that the host remembers: never older than what was written or told of."""

import asyncio
from typing import Any

import pytest

from tests.support.table_browser import FakeBrowser
from webbrain.core.errors import BridgeError
from webbrain.host import values
from webbrain.host.protocols import Capabilities

Stored = dict[str, Any]


@pytest.fixture
def stored() -> Stored:
    return {"a": 1, "b": {"list": [1]}}


@pytest.fixture
async def browser(stored: Stored) -> FakeBrowser:
    return with_storage(FakeBrowser(), stored)


def with_storage(browser: FakeBrowser, stored: Stored) -> FakeBrowser:
    browser.answers["storage.local.get"] = lambda params: {
        key: value for key, value in stored.items() if params["keys"] is None or key in params["keys"]
    }
    browser.answers["storage.local.set"] = lambda params: stored.update(params["items"])
    browser.answers["storage.local.remove"] = lambda params: [stored.pop(key, None) for key in params["keys"]]
    return browser


def tell(browser: FakeBrowser, **changes: Any) -> None:
    browser.host.receive_event({"kind": "settings_changed", "tabId": -1, "data": changes})


async def test_what_was_read_is_not_asked_for_again(browser: FakeBrowser) -> None:
    settings = browser.host.settings
    for _ in range(3):
        assert await settings.get(["a", "b", "none"]) == {"a": 1, "b": {"list": [1]}}
    assert await settings.get(["a"]) == {"a": 1}
    assert await settings.get(["none"]) == {}
    assert len(browser.done("storage.local.get")) == 1
    assert await settings.get(["a", "other"]) == {"a": 1}
    assert browser.done("storage.local.get")[1] == {"keys": ["other"]}
    assert await settings.get() == {"a": 1, "b": {"list": [1]}}


async def test_nobody_changes_what_is_remembered(browser: FakeBrowser) -> None:
    (await browser.host.settings.get(["b"]))["b"]["list"].append(2)
    assert await browser.host.settings.get(["b"]) == {"b": {"list": [1]}}
    mine = {"list": [5]}
    await browser.host.settings.set({"b": mine})
    mine["list"].append(6)
    assert await browser.host.settings.get(["b"]) == {"b": {"list": [5]}}


async def test_what_is_written_is_known_and_what_is_removed_is_gone(browser: FakeBrowser) -> None:
    settings = browser.host.settings
    await settings.get(["a"])
    await settings.set({"a": 2, "c": None})
    tell(browser, a=2)
    assert await settings.get(["a"]) == {"a": 2}
    assert len(browser.done("storage.local.get")) == 1, "our own write is told of, and changes nothing"
    await settings.remove(["a"])
    tell(browser, a=None)
    assert await settings.get(["a"]) == {}


async def test_what_others_write_is_read_again(browser: FakeBrowser, stored: Stored) -> None:
    settings = browser.host.settings
    await settings.get(["a", "new"])
    stored |= {"a": 7, "new": 8}
    tell(browser, a=7, new=8)
    assert await settings.get(["a", "new"]) == {"a": 7, "new": 8}
    del stored["a"]
    tell(browser, a=None)
    assert await settings.get(["a"]) == {}


async def test_it_is_the_telling_that_makes_the_difference(browser: FakeBrowser, stored: Stored) -> None:
    """Negative control."""
    await browser.host.settings.get(["a"])
    stored["a"] = 7
    assert await browser.host.settings.get(["a"]) == {"a": 1}


async def test_an_earlier_write_that_is_told_of_late_does_not_come_back(browser: FakeBrowser) -> None:
    settings = browser.host.settings
    await settings.set({"a": 2})
    await settings.set({"a": 3})
    tell(browser, a=2)
    assert await settings.get(["a"]) == {"a": 3}
    tell(browser, a=3)
    assert await settings.get(["a"]) == {"a": 3}


async def test_an_answer_that_a_write_overtook_is_not_remembered(
    browser: FakeBrowser, stored: Stored
) -> None:
    browser.answers["storage.local.get"] = FakeBrowser.SILENT
    reading = asyncio.create_task(browser.host.settings.get(["a"]))
    async with asyncio.timeout(5):
        while not browser.calls:
            await asyncio.sleep(0)
    stored["a"] = 9
    tell(browser, a=9)
    browser.feed(kind="reply", id="p1", result={"a": 1})
    assert await reading == {"a": 1}
    with_storage(browser, stored)
    assert await browser.host.settings.get(["a"]) == {"a": 9}


async def test_a_write_that_failed_leaves_nothing_remembered(browser: FakeBrowser) -> None:
    settings = browser.host.settings
    await settings.get(["a"])
    browser.answers["storage.local.set"] = ("api_error", "QUOTA_BYTES quota exceeded")
    with pytest.raises(BridgeError):
        await settings.set({"a": 2})
    assert await settings.get(["a"]) == {"a": 1}
    assert len(browser.done("storage.local.get")) == 2


async def test_where_nobody_tells_of_changes_nothing_is_remembered(stored: Stored) -> None:
    browser = with_storage(FakeBrowser(Capabilities(browser="firefox")), stored)
    tell(browser, a=1)
    for _ in range(2):
        await browser.host.settings.get(["a"])
    assert len(browser.done("storage.local.get")) == 2


async def test_what_is_remembered_is_bounded(
    browser: FakeBrowser, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "MOST_REMEMBERED", 1_000)
    stored["large"] = "x" * 2_000
    for _ in range(2):
        await browser.host.settings.get(["large", "a"])
    assert [call["keys"] for call in browser.done("storage.local.get")] == [["large", "a"], ["large"]]
    for number in range(500):
        await browser.host.settings.set({"a": number})
    assert await browser.host.settings.get(["a"]) == {"a": 499}
    assert len(browser.done("storage.local.get")) == 2
