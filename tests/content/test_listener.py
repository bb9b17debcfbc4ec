"""The door of the content script: who is answered, injection twice, failures as answers."""

from typing import Any

import pytest

from tests.content.harness import BOOT, Tab


@pytest.mark.parametrize(
    "message",
    [
        None,
        "tree",
        {},
        {"action": "tree"},
        {"target": "python", "action": "tree"},
        {"target": "content"},
        {"target": "content", "action": 7},
    ],
)
def test_messages_for_others_are_left_alone(tab: Tab, message: Any) -> None:
    assert tab.show("<p>x</p>").send(message) == "ignored"


def test_strangers_are_not_answered(tab: Tab) -> None:
    tab.show("<p>x</p>")
    message = {"target": "content", "action": "tree", "args": {}}
    assert tab.send(message, sender="another-extension") == "ignored"
    assert tab.send(message)["success"]


def test_ping(tab: Tab) -> None:
    assert tab.show("<p>x</p>").call("ping") == {"success": True}


@pytest.mark.parametrize("action", ["nonsense", "toString", "__proto__", "constructor", ""])
def test_unknown_actions(tab: Tab, action: str) -> None:
    answer = tab.show("<p>x</p>").call(action)
    assert (answer["success"], answer["code"]) == (False, "unknown_action")


@pytest.mark.parametrize(
    "args",
    [
        None,
        "x",
        [],
        5,
        {"ref_id": {}},
        {"page": "two", "maxChars": [], "maxDepth": None, "filter": "everything"},
    ],
)
def test_odd_arguments_do_no_harm(tab: Tab, args: Any) -> None:
    tab.show("<p>x</p>")
    for action in (
        "tree",
        "click_ax",
        "type_ax",
        "set_field",
        "press_keys",
        "scroll",
        "read_page",
        "wait_for_element",
        "submit_probe",
    ):
        answer = tab.send({"target": "content", "action": action, "args": args})
        assert isinstance(answer["success"], bool)
        assert answer["success"] or answer["code"] not in ("page_script_error", "timeout"), (action, answer)


def test_a_second_injection_keeps_the_first(tab: Tab) -> None:
    tab.show("<button>B</button>")
    ref = tab.ref("button")
    tab.again().again()
    assert tab.isolated("chrome.runtime.onMessage.listeners.length") == 1
    assert tab.ref("button") == ref


def test_an_older_version_is_taken_down(tab: Tab) -> None:
    tab.show("<button>B</button>")
    tab.isolated("chrome.runtime.getManifest = () => ({ version: '2.0.0' })")
    tab.again()
    assert tab.isolated("chrome.runtime.onMessage.listeners.length") == 1
    assert tab.click("button")["success"]


def test_a_copy_whose_extension_is_gone_is_taken_down(tab: Tab) -> None:
    tab.show("<button>B</button>")
    tab.isolated("chrome.runtime.id = undefined")
    tab.isolated(BOOT + tab.bundle)
    assert tab.isolated("chrome.runtime.onMessage.listeners.length") == 1
    assert tab.click("button")["success"]


def test_history_is_stepped_after_the_answer(tab: Tab) -> None:
    tab.case("06-page-one")
    tab.case("06-page-two")
    assert tab.call("history_step", delta=5)["code"] == "bad_delta"
    assert tab.call("history_step", delta=-1)["success"]
    tab.until("document.title === '06 page one'")


def test_the_console_stays_silent(tab: Tab) -> None:
    said: list[str] = []
    tab.page.on("console", lambda message: said.append(message.text))
    tab.page.on("pageerror", lambda error: said.append(str(error)))
    tab.show("<button>B</button><input aria-label=I>")
    tab.tree()
    tab.click("button")
    tab.fill("textbox", "x")
    tab.call("click_ax", ref_id="ref_77")
    tab.call("read_page")
    assert said == []
