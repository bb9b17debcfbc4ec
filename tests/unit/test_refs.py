"""References of an earlier document never fit a later one: the page is told which numbers were used."""

from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import ANSWERS, page_host
from webbrain.core.refs import HIGHEST, RefNumbers
from webbrain.testing.scripted import ScriptedModel, call


def test_the_history_says_where_to_go_on() -> None:
    assert RefNumbers().highest == 0
    assert RefNumbers(["button [ref_7]", 'link "x" [ref_41] ref_12']).highest == 41


@pytest.mark.parametrize(
    ("answer", "highest"),
    [
        ({"lastRef": 9}, 9),
        ({"lastRef": 3}, 5),
        ({"lastRef": "9"}, 5),
        ({"lastRef": True}, 5),
        ({}, 5),
        (None, 5),
    ],
)
def test_the_page_says_which_it_gave(answer: Any, highest: int) -> None:
    refs = RefNumbers(["ref_5"])
    refs.learn(answer)
    assert refs.highest == highest


def test_a_number_beyond_what_the_page_takes_is_passed_over() -> None:
    refs = RefNumbers([f"ref_{HIGHEST + 1} ref_0 ref_99999999999"])
    refs.learn({"lastRef": HIGHEST + 1})
    assert refs.highest == 0


async def test_each_reading_goes_on_where_the_last_one_ended() -> None:
    host = page_host()
    host.page.on("tree", {**ANSWERS["tree"], "lastRef": 23})
    read = call("get_accessibility_tree")
    bench = Bench(model=ScriptedModel(read, read, "Read.", read, "Again."), host=host)
    await bench.run("Read it")
    await bench.run("And again")
    # A new run goes by what its history shows the model; numbers nobody was told are free again.
    asked = [seen.args["refs_after"] for seen in host.page.calls if seen.action == "tree"]
    assert asked == [0, 23, 2]
    assert "lastRef" not in str(bench.history)
