# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""References: bound to one element, dying loudly."""

import time
from typing import Any, Final

import pytest

from tests.content.harness import Tab

COLLECTED_WITHIN: Final = 30.0
"""Seconds; a busy browser finishes a collection when it has time."""


@pytest.mark.parametrize(
    "bad", ["", "12", "ref", "ref_", "ref_0", "ref_01", "ref_1x", "[ref_1]", "button", None, 7, ["ref_1"]]
)
def test_malformed(tab: Tab, bad: Any) -> None:
    tab.show("<button>Here</button>")
    tab.tree()
    answer = tab.call("click_ax", ref_id=bad)
    assert (answer["success"], answer["code"]) == (False, "bad_ref")
    assert [s["name"] for s in answer["suggestions"]] == ["Here"]


def test_spaces_around_a_ref_do_no_harm(tab: Tab) -> None:
    tab.show("<button onclick=\"document.title='hit'\">Here</button>")
    assert tab.call("click_ax", ref_id=f" {tab.ref('button')} ")["success"]
    assert tab.js("document.title") == "hit"


def test_unknown_refs_suggest_the_nearest_interactive_ones(tab: Tab) -> None:
    tab.show("<h1>Head</h1>" + "".join(f"<button>B{i}</button>" for i in range(10)) + "<p>Text</p>")
    last = int(tab.ref('generic "Text"')[4:])
    answer = tab.call("click_ax", ref_id=f"ref_{last + 100}")
    assert answer["code"] == "unknown_ref"
    assert [s["name"] for s in answer["suggestions"]] == ["B9", "B8", "B7", "B6", "B5", "B4"]


def test_a_removed_element_is_stale(tab: Tab) -> None:
    tab.show("<button id=gone>Gone</button><button>Stays</button>")
    ref = tab.ref('button "Gone"')
    tab.js("gone.remove()")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["code"] == "stale_ref"
    assert "Gone" in answer["error"]
    assert "freshRef" not in answer
    assert [s["name"] for s in answer["suggestions"]] == ["Stays"]


def test_an_element_put_back_is_the_same(tab: Tab) -> None:
    tab.show("<div id=box><button onclick=\"document.title='hit'\">Moves</button></div>")
    ref = tab.ref("button")
    tab.js("window.held = box.firstChild; held.remove()")
    assert tab.call("click_ax", ref_id=ref)["code"] == "stale_ref"
    tab.js("document.body.prepend(held)")
    assert tab.call("click_ax", ref_id=ref)["success"]
    assert tab.js("document.title") == "hit"


def test_a_replaced_element_is_named_and_nothing_is_clicked(tab: Tab) -> None:
    tab.show("<div id=box><button onclick=\"document.title='hit'\">Save</button></div>")
    ref = tab.ref("button")
    tab.js("box.innerHTML = box.innerHTML")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["code"] == "stale_ref"
    assert tab.js("document.title") == "Test"
    assert answer["freshRef"] == tab.ref("button")
    assert tab.call("click_ax", ref_id=answer["freshRef"])["success"]
    assert tab.js("document.title") == "hit"


def test_twins_are_not_guessed(tab: Tab) -> None:
    tab.show("<div id=box><button>Save</button></div>")
    ref = tab.ref("button")
    tab.js("box.innerHTML = '<button>Save</button><button>Save</button>'")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["code"] == "stale_ref"
    assert "freshRef" not in answer
    assert len(answer["suggestions"]) == 2


def test_another_name_is_another_element(tab: Tab) -> None:
    tab.show("<div id=box><button>Save</button></div>")
    ref = tab.ref("button")
    tab.js("box.innerHTML = '<button>Delete</button>'")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["code"] == "stale_ref"
    assert "freshRef" not in answer


def test_numbers_begin_after_those_already_used(tab: Tab) -> None:
    tab.show("<button>One</button>")
    assert tab.ref("button", refs_after=41) == "ref_42"
    tab.js(
        "document.body.append(document.createElement('hr'), Object.assign(document.createElement('button'), {textContent: 'Two'}))"
    )
    assert tab.ref('button "Two"', refs_after=500) == "ref_501"
    assert tab.ref('button "One"') == "ref_42"
    assert tab.call("tree")["lastRef"] == 501


def test_every_action_numbers_on_and_says_how_far(tab: Tab) -> None:
    """Frames of a run share one row of numbers, whatever they are asked first."""
    tab.show("<button>One</button><p>Two</p>")
    answer = tab.call("wait_for_element", selector="button", timeout=0, refs_after=70)
    assert "[ref_71]" in answer["element"]
    assert answer["lastRef"] == 71
    assert tab.call("click_ax", ref_id="ref_999", refs_after=80)["lastRef"] == 80, "refusals say it too"


def test_every_document_starts_elsewhere_by_itself(tab: Tab) -> None:
    seen = set()
    for _ in range(4):
        tab.show("<button>One</button>")
        seen.add(tab.ref("button"))
    assert len(seen) > 1


def test_elements_are_not_kept_alive(tab: Tab) -> None:
    tab.show("<div id=box></div>")
    tab.js("""() => {
      window.seen = [];
      for (let i = 0; i < 50; i++) {
        const b = document.createElement("button");
        b.textContent = "B" + i;
        window.seen.push(new WeakRef(b));
        box.append(b);
      }
    }""")
    tab.tree()
    tab.js("box.replaceChildren()")
    tab.tree()
    end = time.monotonic() + COLLECTED_WITHIN
    while alive := tab.js("window.seen.filter((w) => w.deref()).length"):
        assert time.monotonic() < end, f"{alive} of 50 elements are still held"
        tab.collect_garbage()


def test_a_reference_into_a_frame_dies_with_the_frames_document(tab: Tab) -> None:
    inner = "<!doctype html><button onclick=\"parent.document.title = 'pressed'\">Inside</button>"
    tab.show(f"<iframe id=f src='{tab.site.page(inner)}'></iframe>")
    tab.until("f.contentDocument.querySelector('button')")
    first = tab.ref('button "Inside"')
    tab.js("window.old = f.contentDocument; f.src = f.src.replace(/$/, '?again')")
    tab.until("f.contentDocument !== old && f.contentDocument.querySelector('button')")
    answer = tab.call("click_ax", ref_id=first)
    assert (answer["success"], answer["code"]) == (False, "stale_ref")
    assert answer["freshRef"] == tab.ref('button "Inside"')
    assert tab.js("document.title") == "Test"
    second = tab.ref('button "Inside"')
    tab.js("f.remove()")
    assert tab.call("click_ax", ref_id=second)["code"] == "stale_ref"
