"""Circles that a run may go in, each with what is still ordinary work."""

import itertools
from typing import Any

import pytest

from webbrain.core.results import ToolResult
from webbrain.policy import loops
from webbrain.policy.loops import LoopGuard, Verdict, family_of
from webbrain.tools import registry
from webbrain.tools.base import ToolSpec

MODEL_SECONDS = 2.0
_times = itertools.count(0.0, MODEL_SECONDS)


def spec_of(name: str) -> ToolSpec:
    spec = registry.get(name)
    assert spec is not None
    return spec


def feed(guard: LoopGuard, name: str, result: ToolResult | None = None, **args: Any) -> Verdict:
    """Tell of a call, at the pace of a model that thinks about each."""
    return guard.after(spec_of(name), args, result or ToolResult.ok(changed=["nothing"]), next(_times))


def verdicts(guard: LoopGuard, times: int, name: str, result: ToolResult | None = None, **args: Any) -> str:
    """One letter for each of so many equal calls: n(udge), s(top) or a dot."""
    out = ""
    for _ in range(times):
        verdict = feed(guard, name, result, **args)
        out += "s" if verdict.stop else "n" if verdict.nudge else "."
    return out


def test_the_third_equal_call_is_pointed_out_and_eight_nudges_end_it() -> None:
    assert verdicts(LoopGuard(), 10, "press_keys", key="ArrowDown") == "..nnnnnnns"


def test_another_outcome_is_another_call() -> None:
    guard = LoopGuard()
    for count in range(20):
        assert feed(guard, "click_ax", ToolResult.ok(changed=[f"text: {count}"]), ref_id="ref_1") == Verdict()


def test_two_calls_in_turns() -> None:
    guard = LoopGuard()
    seen = [feed(guard, "click_ax", ref_id=f"ref_{i % 2}").nudge for i in range(4)]
    assert seen == ["", "", "", loops.REPEATED]


def test_two_healthy_calls_make_good() -> None:
    guard = LoopGuard()
    for turn in range(12):
        verdicts(guard, 3, "press_keys", key="Tab")
        for step in range(6):
            assert (
                feed(guard, "click_ax", ToolResult.ok(changed=[f"{turn} {step}"]), ref_id="ref_1")
                == Verdict()
            )


def test_a_new_page_is_a_new_beginning() -> None:
    guard = LoopGuard()
    for _ in range(10):
        assert verdicts(guard, 2, "click", text="Next") == ".."
        guard.moved()


def test_presses_on_one_spot() -> None:
    guard = LoopGuard()
    seen = [
        feed(guard, "click", ToolResult.ok(changed=[str(i)]), x=100 + i % 2, y=50)
        for i in range(loops.SPOT_STOP)
    ]
    assert [bool(verdict.nudge) for verdict in seen[:-1]] == [False] * 4 + [True] * 3
    assert seen[-1].stop == "spot"


def test_presses_on_many_spots_are_ordinary() -> None:
    guard = LoopGuard()
    for i in range(30):
        assert feed(guard, "click", ToolResult.ok(changed=[str(i)]), x=20 * i, y=50) == Verdict()


@pytest.mark.parametrize(
    "result", [ToolResult.error("no", code="network"), ToolResult.ok(status=404)], ids=["no answer", "404"]
)
def test_an_address_that_fails(result: ToolResult) -> None:
    guard = LoopGuard()
    urls = ["https://a.example/x/y/z?1", "https://www.a.example/x/y/z?2", "https://a.example/v/x/y/z"]
    assert [feed(guard, "fetch_url", result, url=url).stop for url in urls] == ["", "", "fetch"]


def test_one_good_fetch_makes_good() -> None:
    guard = LoopGuard()
    bad, good = ToolResult.ok(status=500), ToolResult.ok(status=200, text="hi")
    for _ in range(4):
        assert not feed(guard, "fetch_url", bad, url="https://a.example/x").stop
        assert not feed(guard, "fetch_url", good, url="https://a.example/x").stop


def test_families_of_addresses() -> None:
    blob = family_of("https://github.com/a/b/blob/main/README.md", {})
    assert blob == family_of("https://raw.githubusercontent.com/a/b/main/README.md", {})
    assert family_of("https://x.example/1/2/3/4", {}) == family_of("https://x.example/9/2/3/4", {})
    assert family_of("https://x.example/1", {}) != family_of("https://y.example/1", {})
    assert family_of("https://x.example/1", {}) != family_of("https://x.example/1", {"offset": 7000})


def refused(guard: LoopGuard, name: str, code: str, page: str = "7.1", **args: Any) -> str:
    """A call that is refused with this code, as ``verdicts`` writes it."""
    guard.turn()
    result = ToolResult.error("Never.", code=code)
    loops.mark_final(spec_of(name), args, result, page)
    verdict = feed(guard, name, result, **args)
    assert verdict.nudge in ("", loops.FINAL)
    return "s" if verdict.stop == "refused" else "n" if verdict.nudge else "."


def test_what_is_refused_for_good_is_said_once_and_ends_the_run_the_second_time() -> None:
    guard = LoopGuard()
    assert refused(guard, "read_page", "restricted_page") == "n"
    assert refused(guard, "get_accessibility_tree", "restricted_page") == "n"
    assert refused(guard, "read_page", "restricted_page", page="7.2") == "n"
    assert refused(guard, "read_page", "restricted_page") == "s"


def test_refusals_of_different_things_are_no_circle() -> None:
    """In a viewer that belongs to the browser every tool is refused once: that alone ends no task."""
    guard = LoopGuard()
    for page in range(3 * loops.NUDGES_BEFORE_STOP):
        assert refused(guard, "read_page", "restricted_page", page=f"7.{page}") == "n"


def test_a_forbidden_host_is_one_whatever_is_asked_of_it() -> None:
    guard, router = LoopGuard(), "http://192.168.0.1"
    assert refused(guard, "fetch_url", "forbidden_address", url=f"{router}/a") == "n"
    assert refused(guard, "fetch_url", "forbidden_address", url="http://10.0.0.1/") == "n"
    assert refused(guard, "download_files", "forbidden_address", urls=[f"{router}/b"]) == "s"


def test_leave_for_requests_is_asked_for_once() -> None:
    guard = LoopGuard()
    assert refused(guard, "fetch_url", "requires_api_allow", url="https://a.example/1", method="POST") == "n"
    assert refused(guard, "fetch_url", "requires_api_allow", url="https://b.example/2", method="PUT") == "s"


def test_other_refusals_may_be_tried_again() -> None:
    guard = LoopGuard()
    assert [refused(guard, "read_page", "page_busy") for _ in range(2)] == [".", "."]


def test_two_calls_of_one_answer_are_one_try() -> None:
    """The model could not know of the first one's end when it asked for the second."""
    guard = LoopGuard()
    result = ToolResult.error("Never.", code="requires_api_allow")
    loops.mark_final(spec_of("fetch_url"), {"method": "POST"}, result, "7.1")
    urls = [f"https://a.example/{number}" for number in range(3)]
    assert not any(feed(guard, "fetch_url", result, url=url).stop for url in urls[:2])
    guard.turn()
    assert feed(guard, "fetch_url", result, url=urls[2]).stop == "refused"


@pytest.mark.parametrize("url", ["http://[", "", "//", "http://a.example:99999999/"])
def test_an_address_that_is_none_is_counted_too(url: str) -> None:
    assert verdicts(LoopGuard(), 3, "fetch_url", ToolResult.error("no", code="bad_url"), url=url)[:2] == ".."


@pytest.mark.parametrize("name", ["read_pdf", "download_files", "research_url"])
def test_every_tool_that_fetches_counts_for_an_address(name: str) -> None:
    guard, failed = LoopGuard(), ToolResult.error("no", code="http_error")
    seen = [
        feed(guard, tool, failed, url="https://a.example/x/y/z").stop for tool in ("fetch_url", name, name)
    ]
    assert seen == ["", "", "fetch"]


def test_a_list_of_addresses_counts_each() -> None:
    guard, failed = LoopGuard(), ToolResult.error("no", code="http_error")
    lists = [["https://a.example/1", "https://a.example/2"], ["https://a.example/2"], ["https://a.example/2"]]
    assert [feed(guard, "download_files", failed, urls=urls).stop for urls in lists] == ["", "", "fetch"]


def test_an_action_that_fails_three_times() -> None:
    guard = LoopGuard()
    codes = ["covered", "stale_ref", "covered"]
    seen = [feed(guard, "click_ax", ToolResult.error("no", code=code), ref_id="ref_1") for code in codes]
    assert [seen[0], seen[1].nudge, seen[2].stop] == [Verdict(), loops.FAILED_EFFECT, "failed_effect"]


def test_a_box_that_does_not_switch() -> None:
    guard = LoopGuard()
    seen = [
        feed(guard, "set_checked", ToolResult.error(str(i), code="unchanged", n=i), ref_id="ref_1", checked=c)
        for i, c in enumerate([True, False, True])
    ]
    assert [bool(seen[1].nudge), seen[2].stop] == [True, "checkbox"]


def test_scrolling_at_the_end() -> None:
    guard = LoopGuard()
    unmoved = ToolResult.ok(moved=False)
    assert [feed(guard, "scroll", unmoved, direction="down", amount=i).stop for i in range(3)] == [
        "",
        "",
        "scroll",
    ]
    guard = LoopGuard()
    for i in range(20):
        assert not feed(guard, "scroll", ToolResult.ok(moved=i % 2 == 0, top=i), direction="down").stop


def test_reading_the_tree_over_and_over() -> None:
    guard = LoopGuard()
    trees = [ToolResult.ok(pageContent="same", treeRevision=f"r-{i}") for i in range(8)]
    seen = [feed(guard, "get_accessibility_tree", tree).stop for tree in trees]
    assert seen.index("reread") == loops.REREAD_STOP


def polls(guard: LoopGuard, seconds: float, *shown: str) -> list[Verdict]:
    """Read the tree ten times a second, and see each of the pages in turn."""
    tree, start = spec_of("get_accessibility_tree"), next(_times)
    count = round(seconds * 10)
    return [
        guard.after(tree, {}, ToolResult.ok(pageContent=shown[i * len(shown) // count]), start + i / 10)
        for i in range(count)
    ]


def test_a_page_about_to_change_may_be_watched() -> None:
    """Five still seconds, and then something every half of one: none of it is a circle."""
    guard = LoopGuard()
    assert not any(verdict.stop for verdict in polls(guard, loops.REREAD_STOP, "still"))
    assert not any(verdict.stop for verdict in polls(guard, 10, *("dark", "light") * 10))


def test_watching_a_page_that_stays_still_ends_too() -> None:
    seen = [verdict.stop for verdict in polls(LoopGuard(), 20, "still")]
    assert seen.index("reread") == loops.REREAD_STOP * 10


def test_an_action_is_never_one_that_goes_on() -> None:
    guard, key = LoopGuard(), spec_of("press_keys")
    pressed = ToolResult.ok(changed=["nothing"])
    seen = [guard.after(key, {"key": "Tab"}, pressed, 100.0) for _ in range(loops.REPEATS)]
    assert seen[-1].nudge == loops.REPEATED


def test_reading_after_each_action_is_ordinary() -> None:
    guard = LoopGuard()
    for i in range(40):
        tree = ToolResult.ok(pageContent="same")
        assert not feed(guard, "get_accessibility_tree", tree).stop
        assert not feed(guard, "click_ax", ToolResult.ok(changed=[str(i)]), ref_id="ref_1").stop


def test_one_more_look_between_actions_is_ordinary_in_the_longest_task() -> None:
    guard = LoopGuard()
    for i in range(100):
        for _ in range(2):
            assert not feed(guard, "get_accessibility_tree", ToolResult.ok(pageContent="same")).stop
        assert not feed(guard, "click_ax", ToolResult.ok(changed=[str(i)]), ref_id="ref_1").stop


def test_two_more_looks_each_time_add_up() -> None:
    """The control of the one before."""
    guard, ended = LoopGuard(), ""
    for i in range(loops.REREADS_IN_ALL):
        for _ in range(3):
            ended = ended or feed(guard, "get_accessibility_tree", ToolResult.ok(pageContent="same")).stop
        feed(guard, "click_ax", ToolResult.ok(changed=[str(i)]), ref_id="ref_1")
    assert ended == "reread"


def test_reading_on_is_no_repetition() -> None:
    guard = LoopGuard()
    for page in range(2, 30):
        tree = ToolResult.ok(pageContent=f"page {page}")
        assert feed(guard, "get_accessibility_tree", tree, page=page, tree_revision="r-1") == Verdict()


def test_looking_without_end_is_asked_about_but_ends_nothing() -> None:
    guard = LoopGuard()
    seen = [feed(guard, "find_text", ToolResult.ok(n=i), text=str(i)) for i in range(200)]
    assert sum(verdict.nudge == loops.CHECKPOINT for verdict in seen) == 200 // loops.LOOKS_BEFORE_CHECKPOINT
    assert not any(verdict.stop for verdict in seen)


def rounds(guard: LoopGuard, times: int, *calls: tuple[str, dict[str, Any]], moves: bool = False) -> str:
    """The letters of so many rounds of calls that always come to the same."""
    out = ""
    for _ in range(times):
        for name, args in calls:
            if moves:
                guard.moved()
            out += verdicts(guard, 1, name, ToolResult.ok(changed=["opened: menu"]), **args)
    return out


PRESSES = [("click_ax", {"ref_id": f"ref_{number}"}) for number in range(loops.CIRCLE_CALLS + 1)]


@pytest.mark.parametrize("calls", [3, 4, loops.CIRCLE_CALLS])
def test_a_longer_circle_is_pointed_out_in_its_third_round_and_ended(calls: int) -> None:
    seen = rounds(LoopGuard(), 8, *PRESSES[:calls])
    first = calls * loops.CIRCLE_ROUNDS - 1
    assert seen[:first] == "." * first
    assert seen[first : first + 8] == "nnnnnnns"


def test_a_circle_over_several_pages_is_one_too() -> None:
    there, back = ("navigate", {"url": "https://a.example/"}), ("navigate", {"url": "https://b.example/"})
    assert rounds(LoopGuard(), 7, there, back, moves=True) == ".....nnnnnnnss"


def test_rounds_with_another_outcome_are_work() -> None:
    guard = LoopGuard()
    for number in range(10):
        assert feed(guard, "get_accessibility_tree", ToolResult.ok(shown=number)) == Verdict()
        assert rounds(guard, 1, *PRESSES[:7]) == "......."


def test_a_reading_that_brings_nothing_new_is_no_reading_on() -> None:
    same = ToolResult.ok(text="the end", hasMore=False)
    seen = [feed(LoopGuard(), "read_page", same, offset=0).nudge]
    guard = LoopGuard()
    seen += [feed(guard, "read_page", same, offset=number).nudge for number in range(9)]
    assert seen.count(loops.CHECKPOINT) == 1


def test_writing_notes_without_end_is_asked_about() -> None:
    guard = LoopGuard()
    written = [
        feed(guard, "scratchpad_write", ToolResult.ok(chars=number), text=f"thought {number}").nudge
        for number in range(loops.NOTES_BEFORE_CHECKPOINT * 2)
    ]
    assert [place for place, nudge in enumerate(written) if nudge == loops.JOTTED] == [15, 31]
    assert [nudge for nudge in written if nudge] == [loops.JOTTED] * 2
    feed(guard, "click_ax", ref_id="ref_1")
    assert not feed(guard, "scratchpad_write", ToolResult.ok(chars=1), text="a thought").nudge


def test_the_same_note_again_is_a_repetition_however_full_the_notes_are() -> None:
    guard = LoopGuard()
    seen = [feed(guard, "scratchpad_write", ToolResult.ok(chars=n), text="same").nudge for n in range(3)]
    assert seen == ["", "", loops.REPEATED]


def test_every_stop_has_a_sentence() -> None:
    named = {"repeat", "spot", "fetch", "refused", "failed_effect", "checkbox", "scroll", "reread"}
    assert set(loops.STOPPED) == named


def test_memory_is_bounded() -> None:
    guard = LoopGuard()
    for i in range(500):
        feed(guard, "click_ax", ToolResult.error("no", code="x"), ref_id=f"ref_{i}")
    assert len(guard._failed) <= loops.EFFECT_SCOPES
