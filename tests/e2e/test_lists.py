"""A task with several parts: the record keeps it honest, in the panel and over the death of Python."""

import pytest

from tests.support.script import call, done, see
from tests.support.stage import Stage

pytestmark = pytest.mark.same_in_firefox

NOTICED = 60.0
PARTS = [{"id": name, "status": "pending"} for name in ("tea", "cups", "pot")]


def test_a_task_with_a_part_left_over_is_no_success(stage: Stage) -> None:
    """Three parts, one of them never done, and Python dies in between: no success, and the panel names it."""
    _, panel = stage.open("/")
    settled = [{"id": name, "status": "processed"} for name in ("tea", "cups")]
    stage.plan(call("progress_update", items=PARTS), see())
    stage.plan(call("wait_for_element", selector="#never", timeout=30_000))
    panel.send("Look at the tea, the cups and the pot.", "act")
    panel.wait_turn("turn.steps.at(-1)?.tool === 'wait_for_element'", what="the last call to be open")
    stage.plan(see(), call("progress_update", items=settled))
    stage.plan(done("I looked at all three."), done("I looked at two of three.", "partial"))
    stage.browser.kill_python()
    panel.wait_turn("turn.status === 'completed' && turn.warnings.length", NOTICED, "the run to go on")
    refused = stage.model.calls[-1].turns[-1].text
    assert "unresolved_rows" in refused
    assert '"id":"pot"' in refused
    assert panel.page.text(".not-done li") == "pot Open"
    assert (
        panel.page.eval("[...document.querySelectorAll('[data-progress]')].at(-1).dataset.progress") == "2/3"
    )
    stage.settled()
