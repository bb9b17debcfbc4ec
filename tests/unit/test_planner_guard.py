"""What a run with a plan must have done before it may say that it is done."""

import json
from typing import Any

import pytest

from webbrain.agent.planner_guard import ExecutionGuard, speaks_of_the_future
from webbrain.agent.planner_model import plan_from
from webbrain.core.results import ToolResult
from webbrain.tools import registry

TOOLS = registry.load()


def guard(**changes: Any) -> ExecutionGuard:
    held = ExecutionGuard()
    held.hold(plan_from({"summary": "Do it.", "steps": ["Look", "Do it"], **changes}))
    return held


def did(held: ExecutionGuard, tool: str, *, ok: bool = True, **data: Any) -> None:
    spec = TOOLS.get(tool)
    assert spec is not None
    held.judged(spec, ToolResult(ok, data))


def ended(held: ExecutionGuard, summary: str = "Done.", outcome: str = "success") -> ToolResult:
    spec = TOOLS.get("done")
    assert spec is not None
    return held.judged(spec, ToolResult(True, {"outcome": outcome}, final=summary, outcome=outcome))


@pytest.mark.parametrize(
    ("changes", "made", "taken"),
    [
        ({}, [], False),
        ({}, [("read_page", True)], True),
        ({}, [("read_page", False)], False),
        ({}, [("clarify", True)], False),
        ({"requires_state_change": True}, [("read_page", True)], False),
        ({"requires_state_change": True}, [("click_ax", True)], True),
        ({"requires_state_change": True}, [("click_ax", False)], False),
        ({"download": True}, [("click_ax", True)], False),
        ({"download": True}, [("download_files", True)], False),
    ],
)
def test_success_needs_a_call_that_could_have_brought_it_about(
    changes: dict[str, Any], made: list[tuple[str, bool]], taken: bool
) -> None:
    held = guard(**changes)
    for tool, ok in made:
        did(held, tool, ok=ok)
    result = ended(held)
    assert (result.final is not None) is taken
    if not taken:
        assert result.data["code"] == "blocked_done"


def test_a_press_that_changed_nothing_is_no_change() -> None:
    held = guard(requires_state_change=True)
    did(held, "click_ax", changed=["nothing"])
    assert ended(held).final is None


def test_what_was_so_already_counts() -> None:
    held = guard(requires_state_change=True)
    did(held, "set_checked", checkedBefore=True, checkedAfter=True, changed=["nothing"])
    assert ended(held).outcome == "success"


@pytest.mark.parametrize("outcome", ["partial", "failed"])
def test_honest_outcomes_are_taken(outcome: str) -> None:
    assert ended(guard(requires_state_change=True), outcome=outcome).outcome == outcome


def test_a_claim_is_refused_twice_and_then_passed_on_as_a_part() -> None:
    held = guard(requires_state_change=True)
    assert ended(held).final is None
    assert ended(held).final is None
    last = ended(held)
    assert last.final == "Done."
    assert last.outcome == "partial"
    assert held.doubted


def test_a_summary_that_says_what_comes_next_is_no_end() -> None:
    held = guard(requires_state_change=True)
    did(held, "click_ax")
    assert ended(held, "The form is filled in. Next I will click on Send.").final is None
    assert ended(held, "The form was sent.").outcome == "success"


def test_a_plan_that_was_asked_for_may_speak_of_the_future() -> None:
    held = guard(allows_planner_shaped_result=True)
    did(held, "read_page")
    assert ended(held, "Next I will click on Send.").final is not None


def test_fewer_calls_than_steps_are_asked_about_once() -> None:
    held = guard(requires_state_change=True, steps=["Page one", "Page two", "Page three", "Look"])
    did(held, "click_ax")
    assert ended(held).final is None
    assert ended(held).outcome == "success"


def test_a_page_that_the_model_was_shown_is_evidence_for_what_is_read() -> None:
    """A picture, or the page that stands in every request to a small model."""
    held = guard()
    held.looked()
    assert held.refuse_text("The tea costs 4 francs.") == ""
    assert ended(held).outcome == "success"
    held.hold(plan_from({"summary": "Buy it.", "steps": ["Buy"], "requires_state_change": True}))
    held.looked()
    assert ended(held).final is None


def test_another_guard_goes_on_where_this_one_was() -> None:
    """What was kept, record by record, is enough to hold the rest of the task to the same."""
    kept: dict[str, Any] = {}
    held = ExecutionGuard()
    held.keep = kept.update
    held.hold(
        plan_from(
            {
                "summary": "Save it.",
                "steps": [{"id": "s1", "action": "Save it", "tools": ["download_files"]}],
                "download": True,
                "allows_planner_shaped_result": True,
                "read_scope": "visible_page",
            }
        ),
        settled=True,
    )
    did(held, "click_ax")
    assert ended(held).final is None
    held.nudge()
    held.unanswered = True
    after = ExecutionGuard()
    after.restore(json.loads(json.dumps(kept)))
    assert after.plan == held.plan
    assert (after.settled, after.nudged, after.unanswered, after.doubted) == (True, True, True, False)
    assert after.read_scope == "visible_page"
    assert ended(after).final is None
    assert ended(after).outcome == "partial", "the third claim, counted over both"


def test_only_what_changed_is_kept_again() -> None:
    kept: list[dict[str, Any]] = []
    held = ExecutionGuard()
    held.keep = kept.append
    held.hold(plan_from({"summary": "Do it.", "steps": ["Do it"]}))
    did(held, "read_page")
    held.looked()
    held.looked()
    assert kept[1:] == [{"calls": 1}, {"looked": True}]


@pytest.mark.parametrize("kept", [{"plan": 7}, {"plan": {"steps": 3}, "calls": "many"}, {"new": 1}, {}])
def test_what_cannot_be_read_holds_to_nothing(kept: dict[str, Any]) -> None:
    held = ExecutionGuard()
    held.restore(kept)
    assert held.refuse_text("I will do it.") == ""


def test_without_a_plan_nothing_is_refused() -> None:
    held = ExecutionGuard()
    assert ended(held).outcome == "success"
    assert held.refuse_text("I will do it.") == ""


@pytest.mark.parametrize(
    ("changes", "made", "text", "refused"),
    [
        ({}, [], "I would click on Buy.", True),
        ({}, ["read_page"], "The tea costs 4 francs.", False),
        ({}, ["read_page"], "Now I will look at the price.", True),
        ({"requires_state_change": True}, ["read_page"], "The tea is bought.", True),
        ({"requires_state_change": True}, ["click_ax"], "The tea is bought.", True),
    ],
)
def test_plain_text_ends_only_what_was_looked_up(
    changes: dict[str, Any], made: list[str], text: str, refused: bool
) -> None:
    held = guard(**changes)
    for tool in made:
        did(held, tool)
    assert bool(held.refuse_text(text)) is refused


def test_text_after_a_deed_counts_once_it_was_told_how_to_end() -> None:
    held = guard(requires_state_change=True)
    did(held, "click_ax")
    held.nudge()
    assert held.refuse_text("The tea is bought.") == ""
    assert held.refuse_text("Next I will pay.")


@pytest.mark.parametrize(
    "text",
    [
        "Next I will click the button.",
        "I'll fill in the form now.",
        "Next step: open the cart.",
        "Remaining steps: pay.",
        "Plan:\n1. Open the cart",
        '{"summary": "x", "steps": ["a"]}',
        "Als nächstes klicke ich auf Senden.",
        "Jetzt werde ich das Formular ausfüllen.",
        "Ensuite, je vais cliquer.",
        "Ahora voy a pagar.",
    ],
)
def test_words_of_somebody_who_has_not_finished(text: str) -> None:
    assert speaks_of_the_future(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ordered. The order number is TE-1234. The shop says: we will send you an e-mail.",
        "The three cheapest are:\n1. Tea\n2. Milk\n3. Bread",
        "The meeting plan is on page 3.",
        "Das Formular wurde gesendet. Die Bestätigung wird per E-Mail kommen.",
        "The recipe: 1. Heat the oven. 2. Mix. Then bake it.",
    ],
)
def test_words_of_somebody_who_has(text: str) -> None:
    assert not speaks_of_the_future(text)


def test_a_file_counts_once_it_is_known_to_be_there() -> None:
    held = guard(download=True)
    did(held, "download_files")
    assert ended(held).final is None, "asking for a file is no file"
    held.file_saved()
    assert ended(held).final is not None
