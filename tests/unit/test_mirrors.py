"""What the session's storage holds of a conversation: the same whether it is kept up or made anew."""

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from webbrain.core.errors import ProviderFailed
from webbrain.core.types import Mode
from webbrain.services.mirrors import MIRROR_CHARS, Mirror, mirrored
from webbrain.testing.scripted import Stream, call


async def test_a_mirror_that_is_kept_up_equals_one_made_anew() -> None:
    kept = Mirror()
    bench = Bench(
        [call("scroll", direction="down"), call("get_accessibility_tree")],
        "First answer.",
        Stream("Second ", "answer."),
        ProviderFailed("No.", code="refused"),
    )
    checked = 0

    def compare() -> None:
        nonlocal checked
        conversation = bench.app.conversations.at_hand(TAB)
        if conversation is None or not conversation.journal.events:
            return
        journal = conversation.journal
        checked += 1
        assert kept.events(journal.events) == mirrored(journal.events)
        assert kept.run_state(journal, Mode.ACT) == Mirror().run_state(journal, Mode.ACT)

    emit = bench.host.ui.emit

    def watched(event: str, params: dict[str, object]) -> None:
        compare()
        emit(event, params)

    bench.host.ui.emit = watched  # type: ignore[method-assign, assignment]
    await bench.run("Look.", "act")
    await bench.run("And now?", "ask")
    await bench.run("Again?", "ask")
    compare()
    assert checked > 10
    state = kept.run_state(bench.app.conversations.at_hand(TAB).journal, Mode.ACT)  # type: ignore[union-attr]
    assert (state["status"], state["hadError"], state["lastError"]) == ("failed", True, "No.")


@pytest.mark.parametrize("chars", [100, 30_000])
async def test_a_mirror_keeps_the_newest_within_its_room(chars: int) -> None:
    bench = Bench("x" * chars)
    for number in range(12):
        bench.model.steps[:] = ["x" * chars]
        await bench.run(f"Question {number}", "ask")
    conversation = bench.app.conversations.at_hand(TAB)
    assert conversation is not None
    events = conversation.journal.events
    kept = mirrored(events)
    assert kept[-1]["seq"] == events[-1].seq
    assert len(str(kept)) < MIRROR_CHARS * 1.1
    assert (len(kept) < len(events)) == (chars > 20_000)
